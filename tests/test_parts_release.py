"""A release of parts is the folder that a release of the same table in memory is, and is verified part by part."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import crypsis
from crypsis import parts_release, release_folder
from crypsis.errors import DirectIdentifier, NotApplicable, OptionWithoutEffect, UnconfirmedColumn
from crypsis.executors.serial import Serial
from crypsis.parts_release import verify_release_parts
from crypsis.publication import parts_sort, relational, table_parts

ROLES = {"age": "quasi", "pay": "quasi", "ill": "sensitive", "note": "other"}


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    rng = np.random.default_rng(3)
    folder = tmp_path / "parts"
    folder.mkdir()
    for number, rows in enumerate((40, 0, 83)):
        pl.DataFrame(
            {
                "age": rng.integers(0, 30, rows),
                "pay": rng.integers(0, 90, rows) / 2,
                "ill": [f"i{one}" for one in rng.integers(0, 4, rows)],
                "note": rng.integers(0, 3, rows),
            },
            schema_overrides={"age": pl.Int64, "pay": pl.Float64, "ill": pl.String, "note": pl.Int64},
        ).write_parquet(folder / f"{number}.parquet")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_folder_is_that_of_the_table_in_memory(parts: Path, tmp_path: Path) -> None:
    method = crypsis.Mondrian(k=4, l=2)
    local = crypsis.anonymize(crypsis.read_table(parts, ROLES), method).write(tmp_path / "local", format="parts")
    with crypsis.anonymize(crypsis.scan_table(parts, ROLES), method, block_rows=30) as release:
        written = release.write(tmp_path / "written", private_report=tmp_path / "own.json")
        scratch = release.executor.scratch.folder
    assert contents(written) == contents(local)
    assert not scratch.exists()
    for page in (written / "report.html", tmp_path / "own.html"):
        assert "table, Parquet in parts" in page.read_text(encoding="utf-8")
    assert len(json.loads((tmp_path / "own.json").read_text())["published_row_of_input_row"]) == 123
    read = crypsis.read_release(written)
    assert read.verify().holds
    assert len(read.data) == 123


def test_published_parts_are_scanned_and_described(parts: Path, tmp_path: Path) -> None:
    with crypsis.anonymize(crypsis.scan_table(parts, ROLES), crypsis.Mondrian(k=4), block_rows=30) as release:
        written = release.write(tmp_path / "written")
        whole = pl.read_parquet(written / "table" / "*.parquet")
        described = json.loads((written / "release.json").read_text())["data"]
        assert len(release.data) == 123
        assert release.data.scan().collect().equals(whole)
        assert release.data.describe() == described
    read = crypsis.read_release(written)
    assert read.data.scan().collect().equals(whole)
    ages = read.data.scan().group_by("age").len().collect()
    assert ages["len"].sum() == 123


def test_a_large_release_has_the_same_parts_and_figures(
    parts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    method = crypsis.Mondrian(k=4, l=2)
    for module in (parts_sort, relational, table_parts, release_folder):
        monkeypatch.setattr(module, "PART_ROWS", 50, raising=False)
    monkeypatch.setattr(table_parts.write_table_parts, "__defaults__", (50,))
    local = crypsis.anonymize(crypsis.read_table(parts, ROLES), method).write(tmp_path / "local", format="parts")
    monkeypatch.setattr(parts_release, "WHOLE_ROWS", 100)
    with crypsis.anonymize(crypsis.scan_table(parts, ROLES), method, block_rows=30) as release:
        written = release.write(tmp_path / "written", private_report=tmp_path / "own.json")
    ours, theirs = contents(written), contents(local)
    assert {name for name in ours if "/" in name} == {f"table/part-0000{number}.parquet" for number in range(3)}
    for name in theirs:
        if name not in ("release.json", "report.html"):
            assert ours[name] == theirs[name], name
    manifest, expected = json.loads(ours["release.json"]), json.loads(theirs["release.json"])
    for entry in expected:
        if entry not in ("review", "files"):
            assert manifest[entry] == expected[entry], entry
    assert "not-measured-on-parts" in str(manifest["review"])
    rows = pl.read_parquet(tmp_path / "own.rows")
    assert sorted(rows["input_row"].to_list()) == list(range(123))
    with Serial() as executor:
        verdict = verify_release_parts(written, executor)
        assert verdict.holds
        part = written / "table" / "part-00001.parquet"
        pl.read_parquet(part).reverse().write_parquet(part)
        assert "checksum differs" in str(verify_release_parts(written, executor))


def test_names_of_people_are_refused_on_parts_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pl.DataFrame({"age": [1, 2] * 20, "mail": [f"someone{one}@example.org" for one in range(40)]})
    frame.write_parquet(tmp_path / "a.parquet")
    scanned = crypsis.scan_table(tmp_path / "a.parquet", quasi="age", other="mail", each_row_is_a_person=True)
    monkeypatch.setattr(parts_release, "WHOLE_ROWS", 10)
    with crypsis.anonymize(scanned, crypsis.Mondrian(k=2)) as release:
        with pytest.raises((DirectIdentifier, UnconfirmedColumn), match="mail"):
            release.write(tmp_path / "out")
        assert not (tmp_path / "out").exists()
        release.write(tmp_path / "out", confirm=["mail"])


def test_other_forms_of_writing_are_refused(parts: Path, tmp_path: Path) -> None:
    with crypsis.anonymize(crypsis.scan_table(parts, ROLES), crypsis.Mondrian(k=4)) as release:
        with pytest.raises(OptionWithoutEffect):
            release.write(tmp_path / "out", order="input")
        assert release.data.scan().collect().height == len(release.data) == 123


def test_only_releases_in_parts_are_verified_in_parts(parts: Path, tmp_path: Path) -> None:
    table = crypsis.read_table(parts, ROLES)
    folder = crypsis.anonymize(table, crypsis.Mondrian(k=4)).write(tmp_path / "csv")
    with Serial() as executor, pytest.raises(NotApplicable, match="one file"):
        verify_release_parts(folder, executor)
