"""Encrypted scratch: nothing in it can be read without the key, and whatever was changed in it is noticed."""

from __future__ import annotations

import io
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import crypsis
from crypsis import parts_release
from crypsis.encrypted_files import (
    PIECE,
    DecryptingStream,
    EncryptingStream,
    key_of,
    load_array,
    new_key,
    opened,
)
from crypsis.errors import InsecureScheduler, NotApplicable, OptionWithoutEffect, WriteFailed
from crypsis.executors.choice import WhereToRun
from crypsis.executors.dask import Dask, refuse_at_address
from crypsis.executors.scratch import Scratch, load
from crypsis.executors.serial import Serial
from crypsis.parts_attack import attack_release_parts, attacks_on_parts
from crypsis.parts_release import verify_release_parts
from crypsis.publication.table_parts import PARTS
from crypsis.shards import records

SECRET = "zq-secret-417"
READABLE = (b"\x80\x05", b"\x80\x04", b"\x93NUMPY", b"PAR1", SECRET.encode())


def sealed(content: bytes, key: bytes) -> bytes:
    stream = io.BytesIO()
    with EncryptingStream(stream, key) as writing:
        for first in range(0, len(content), 700_001):
            assert writing.write(content[first : first + 700_001]) == len(content[first : first + 700_001])
    return stream.getvalue()


def unsealed(content: bytes, key: bytes) -> bytes:
    return io.BufferedReader(DecryptingStream(io.BytesIO(content), key)).read()


@pytest.mark.parametrize("size", [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE, 3 * PIECE + 5])
def test_what_was_sealed_is_read_again(size: int) -> None:
    key, content = new_key(), os.urandom(size)
    assert unsealed(sealed(content, key), key) == content


def test_a_changed_file_is_noticed() -> None:
    key, content = new_key(), os.urandom(3 * PIECE + 5)
    whole = sealed(content, key)
    step = PIECE + 16
    flipped = bytearray(whole)
    flipped[step + 40] ^= 1
    changed = {
        "flipped": bytes(flipped),
        "cut": whole[: 7 + step],
        "shorter": whole[:-3],
        "swapped": whole[:7] + whole[7 + step : 7 + 2 * step] + whole[7 : 7 + step] + whole[7 + 2 * step :],
        "longer": whole + whole[7 : 7 + step],
    }
    for how, one in changed.items():
        with pytest.raises(OSError, match="changed"):
            pytest.fail(f"{how}: {len(unsealed(one, key))} bytes were read")
    with pytest.raises(OSError, match="changed"):
        unsealed(whole, new_key())


def test_files_of_scratch_are_read_by_who_knows_the_key(tmp_path: Path) -> None:
    scratch = Scratch.new(tmp_path, encrypted=True)
    below = Scratch.at(str(scratch.below("one").folder))
    array = np.arange(400_000)
    file = below.save("pickled", {"secret": SECRET, "array": array})
    buffer = io.BytesIO()
    np.save(buffer, array)
    plain = below.write("array.npy", buffer.getvalue())
    assert load(file)["secret"] == SECRET
    assert (load(file)["array"] == array).all()
    assert (load_array(plain, mapped=True) == array).all()
    assert below.key == scratch.key is not None
    assert SECRET.encode() not in Path(file).read_bytes()
    other = Scratch.new(tmp_path)
    assert pickle.loads(Path(other.save("pickled", SECRET)).read_bytes()) == SECRET
    with opened(plain) as stream:
        assert stream.read() == buffer.getvalue()
    scratch.remove()
    other.remove()
    assert key_of(file) is None


def parts(folder: Path) -> dict[str, tuple[Any, crypsis.Method]]:
    """Data of every kind, with a secret in them, in parts."""
    rng = np.random.default_rng(5)
    for name in ("table", "sets", "walks", "mixed"):
        (folder / name).mkdir(parents=True)
    for number in range(2):
        ages = rng.integers(20, 60, 60)
        ill = [SECRET, "flu"] * 30
        pl.DataFrame({"age": ages, "ill": ill}).write_parquet(folder / "table" / f"{number}.parquet")
        rows = [(f"r{row % 40}", item) for row in range(80) for item in (SECRET, "b", f"i{row % 3}")]
        pl.DataFrame(rows, schema=["id", "item"], orient="row").write_parquet(folder / "sets" / f"{number}.parquet")
        visits = [
            (f"t{number}-{walk}", f"u{walk % 15}", step, SECRET if step else "p0")
            for walk in range(40)
            for step in range(2)
        ]
        schema = ["trajectory_id", "rider", "position", "location"]
        pl.DataFrame(visits, schema=schema, orient="row").write_parquet(folder / "walks" / f"{number}.parquet")
        codes = [[SECRET, "a"], ["a"]] * 30
        pl.DataFrame({"age": ages, "codes": codes}).write_parquet(folder / "mixed" / f"{number}.parquet")
    return {
        "table": (crypsis.scan_table(folder / "table", quasi=["age"], sensitive=["ill"]), crypsis.Mondrian(k=4)),
        "sets": (crypsis.scan_transactions(folder / "sets", each_row_is_a_person=True), crypsis.Apriori(k=3, m=2)),
        "walks": (crypsis.scan_trajectories(folder / "walks", person="rider"), crypsis.KAMCut(k=3, unit="owner")),
        "mixed": (crypsis.scan_mixed(folder / "mixed", items={"codes": None}, quasi="age"), crypsis.RFirst(k=4, m=2)),
    }


def written(data: Any, method: crypsis.Method, executor: Any, folder: Path) -> dict[str, bytes]:
    release = crypsis.anonymize(data, method, executor=executor, block_rows=50)
    release.write(folder, format="parts")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("kind", ["table", "sets", "walks", "mixed"])
def test_a_run_leaves_nothing_readable_and_publishes_the_same(kind: str, tmp_path: Path) -> None:
    data, method = parts(tmp_path / "data")[kind]
    with Serial(scratch=tmp_path) as executor:
        expected = written(data, method, executor, tmp_path / "plain")
    with Serial(scratch=tmp_path, encrypt_scratch=True) as executor:
        assert written(data, method, executor, tmp_path / "sealed") == expected
        check_unreadable(executor.scratch.folder)


@pytest.mark.parametrize("kind", ["table", "sets", "walks"])
def test_parts_are_counted_with_the_key(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is verified, written and attacked part by part reads scratch with code of its own."""
    monkeypatch.setattr(records, "WHOLE_RECORDS", 10)
    monkeypatch.setattr(parts_release, "WHOLE_ROWS", 10)
    data, method = parts(tmp_path / "data")[kind]
    if kind == "walks":
        walks = tmp_path / "data" / "walks"
        data, method = crypsis.scan_trajectories(walks, each_row_is_a_person=True), crypsis.KAMCut(k=3)
    with Serial(scratch=tmp_path, encrypt_scratch=True) as executor:
        folder = crypsis.anonymize(data, method, executor=executor).write(tmp_path / "sealed")
        assert verify_release_parts(folder, executor).holds
        adversary = next(one for one in attacks_on_parts(folder).values())
        if kind != "table":
            attack_release_parts(folder, data, adversary(), executor)
        check_unreadable(executor.scratch.folder)


def check_unreadable(folder: Path) -> None:
    """But for what is published, and the lock."""
    published = {"table", "transactions", "trajectories", "mixed", PARTS}
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != "driver.lock"]
    hidden = [path for path in files if path.suffix != ".parquet" and not published & {*path.parts}]
    assert hidden
    for path in hidden:
        content = path.read_bytes()
        assert not content.startswith(READABLE[:-1]), path
        assert READABLE[-1] not in content, path


@pytest.mark.long
def test_workers_know_the_key_also_those_that_come_later(tmp_path: Path) -> None:
    data, method = parts(tmp_path / "data")["table"]
    with Serial(scratch=tmp_path) as executor:
        expected = written(data, method, executor, tmp_path / "plain")
    with Dask(workers=2, memory="1GiB", scratch=tmp_path, encrypt_scratch=True) as executor:
        assert written(data, method, executor, tmp_path / "sealed") == expected
        check_unreadable(executor.scratch.folder)
        executor._cluster.scale(3)
        executor._client.wait_for_workers(3, timeout=120)
        assert written(data, method, executor, tmp_path / "again") == expected


def test_what_cannot_be_kept_from_others_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InsecureScheduler, match="key"):
        refuse_at_address("tcp://far:8786", dashboard=False, encrypt_scratch=True)
    refuse_at_address("tls://far:8786", dashboard=False, encrypt_scratch=True)
    refuse_at_address("tcp://127.0.0.1:8786", dashboard=False, encrypt_scratch=True)
    with pytest.raises(OptionWithoutEffect, match="dashboard"):
        refuse_at_address("tls://far:8786", dashboard=True, encrypt_scratch=False)
    with pytest.raises(OptionWithoutEffect, match="dashboard"):
        WhereToRun(executor="serial", dashboard=True).check()
    pl.DataFrame({"age": [1, 2]}).write_csv(tmp_path / "a.csv")
    scanned = crypsis.scan_table(f"file://{tmp_path}/*.csv", quasi=["age"])
    with Serial(encrypt_scratch=True) as executor, pytest.raises(NotApplicable, match="encrypt_scratch"):
        crypsis.anonymize(scanned, crypsis.Mondrian(k=1), executor=executor)


def test_a_file_of_scratch_that_was_changed_ends_the_run_with_an_error(tmp_path: Path) -> None:
    with Serial(scratch=tmp_path, encrypt_scratch=True) as executor:
        file = executor.scratch.save("one", SECRET)
        content = bytearray(Path(file).read_bytes())
        content[-1] ^= 1
        Path(file).write_bytes(content)
        with pytest.raises(WriteFailed, match="Input/output error"):
            executor.map(load, [file])
