"""Commands on data in parts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from tests.cli.conftest import Run


def test_a_folder_of_parts_is_anonymized_and_verified_part_by_part(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    for number in range(2):
        columns = {"age": rng.integers(0, 30, 60), "ill": [f"i{one}" for one in rng.integers(0, 4, 60)]}
        pl.DataFrame(columns).write_parquet(tmp_path / f"{number}.parquet")
    out = tmp_path / "out"
    command = ["anonymize", tmp_path / "*.parquet", "--method", "mondrian", "-k", "4", "--quasi", "age"]
    command += ["--sensitive", "ill", "--out", out]
    where = ["--memory", "512MiB", "--scratch", tmp_path, "--block-rows", "50"]
    assert run(*command, "--executor", "serial", *where).code == 0
    assert (out / "table" / "part-00000.parquet").is_file()
    assert run("verify", out, "--executor", "serial").code == 0
    assert not list(tmp_path.glob("crypsis-scratch-*"))
    assert "option-without-effect" in run(*command, "--overwrite", "--workers", "2").err
    assert "insecure-scheduler" in run(*command, "--overwrite", "--executor", "tcp://10.1.1.1:8786").err
    cluster = [*command[:3], "cluster", *command[4:], "--overwrite", "--executor", "serial"]
    assert "not-scalable" in run(*cluster).err


def test_sets_in_parts_are_anonymized_and_verified(run: Run, tmp_path: Path) -> None:
    for number in range(2):
        (tmp_path / f"{number}.jsonl").write_text('["a","b"]\n["a","c"]\n["a","b","c"]\n["b"]\n' * 5)
    out = tmp_path / "out"
    command = ["anonymize", tmp_path / "*.jsonl", "--method", "disassociation", "-k", "3", "--refine", "none"]
    assert run(*command, "--out", out, "--executor", "serial", "--block-rows", "50").code == 0
    assert run("verify", out).code == 0
    assert not list(tmp_path.glob("crypsis-scratch-*"))
