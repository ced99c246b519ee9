"""Releases in parts as a forger might change them: the answer is one, read whole or by part, and never green."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import crypsis
from crypsis.errors import BadRelease, CrypsisError, OutputExists, UnlistedFile
from crypsis.executors.serial import Serial
from crypsis.parts_release import verify_release_parts, verify_signed_parts
from crypsis.release import checksums
from crypsis.signatures import BROKEN, make_keys, sign_folder
from tests.shards.cut_walks import random_walks

Tampering = Callable[[Path], None]


def made_table() -> Any:
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({"age": rng.integers(20, 60, 80), "zip": rng.integers(100, 104, 80).astype(str)})
    table = crypsis.Table(frame.with_columns(ill=pl.lit("flu")), quasi=["age", "zip"], sensitive=["ill"])
    return crypsis.anonymize(table, crypsis.Mondrian(k=4))


def made_sets() -> Any:
    sets = crypsis.Transactions.from_lists([["a", "b"], ["b"], ["a", "c"], ["c"]] * 6)
    return crypsis.anonymize(sets, crypsis.Apriori(k=2, m=1))


def made_walks() -> Any:
    return crypsis.anonymize(random_walks(np.random.default_rng(2), 50, 6), crypsis.SeqAnon(k=3, m=1))


def made_forest() -> Any:
    sets = crypsis.Transactions.from_lists([["a", "b"], ["b"], ["a", "c"], ["c"]] * 6)
    return crypsis.anonymize(sets, crypsis.Disassociation(k=2, m=2, refine="none"))


def made_mixed() -> Any:
    rows = [{"age": 20 + row % 5, "codes": [["flu"], ["flu", "burn"], ["cold"]][row % 3]} for row in range(60)]
    data = crypsis.Mixed.from_frame(pl.DataFrame(rows), {"age": "quasi"}, {"codes": None})
    return crypsis.anonymize(data, crypsis.RumBound(k=3, m=1))


MADE = {"table": made_table, "sets": made_sets, "walks": made_walks, "forest": made_forest, "mixed": made_mixed}


def forge(folder: Path, change: Callable[[dict[str, Any]], None] | None = None) -> None:
    """Change the manifest and list the files as they are now, as a forger would."""
    own = folder / "release.json"
    manifest: dict[str, Any] = json.loads(own.read_text())
    if change is not None:
        change(manifest)
    files = {name: told for name, told in checksums(folder).items() if name not in ("release.json", "release.sig")}
    own.write_text(json.dumps(manifest | {"files": files}))


def written(made: str, folder: Path) -> Path:
    written_folder: Path = MADE[made]().write(folder, format="parts")
    return written_folder


def first_part(folder: Path) -> Path:
    return next(folder.glob("*/part-00000.parquet"))


def answers(folder: Path) -> list[str]:
    """What a reader of the whole release says, and one of its parts."""

    def answer(verify: Callable[[], crypsis.Verdict]) -> str:
        try:
            verdict = verify()
        except CrypsisError as error:
            return error.code
        return str(verdict)

    with Serial() as executor:
        in_parts = answer(lambda: verify_release_parts(folder, executor))
    return [answer(lambda: crypsis.read_release(folder).verify()), in_parts]


@pytest.mark.parametrize("made", MADE)
def test_a_column_that_nothing_describes_is_refused(made: str, tmp_path: Path) -> None:
    folder = written(made, tmp_path / "release")
    part = first_part(folder)
    frame = pl.read_parquet(part)
    kept = pl.read_parquet_metadata(part)
    told = {name: value for name, value in kept.items() if name.startswith("crypsis.")}
    names = pl.Series("name", [f"person {row}" for row in range(len(frame))])
    frame.with_columns(names).write_parquet(part, metadata=told or None)
    forge(folder)
    assert answers(folder) == ["format-error", "format-error"]


def test_a_column_beside_published_records_of_one_file_is_refused(tmp_path: Path) -> None:
    for made, file in (("sets", "transactions.parquet"), ("walks", "trajectories.parquet")):
        folder = tmp_path / made
        MADE[made]().write(folder, format="parquet")
        frame = pl.read_parquet(folder / file)
        frame.with_columns(name=pl.lit("person")).write_parquet(folder / file)
        forge(folder)
        with pytest.raises(CrypsisError, match="nothing describes"):
            crypsis.read_release(folder)


@pytest.mark.parametrize("made", MADE)
def test_a_part_too_many_is_refused(made: str, tmp_path: Path) -> None:
    folder = written(made, tmp_path / "release")
    part = first_part(folder)
    shutil.copy(part, part.with_name("part-00001.parquet"))
    listed = [f"{part.parent.name}/part-0000{index}.parquet" for index in range(2)]
    package = json.loads((folder / "datapackage.json").read_text())
    package["resources"][0]["path"] = listed
    (folder / "datapackage.json").write_text(json.dumps(package))
    forge(folder)
    assert answers(folder) == ["unlisted-file", "unlisted-file"]


@pytest.mark.parametrize("format", ["csv", "parts"])
def test_a_file_that_no_reader_of_these_data_knows_is_refused(format: str, tmp_path: Path) -> None:
    folder = tmp_path / "release"
    made_table().write(folder, format=format)
    (folder / "names.csv").write_text("row,name\n0,Ann\n")
    package = json.loads((folder / "datapackage.json").read_text())
    package["resources"].append({"name": "names", "path": "names.csv"})
    (folder / "datapackage.json").write_text(json.dumps(package))
    forge(folder)
    with pytest.raises(UnlistedFile, match=r"names\.csv.* no guarantee covers"):
        crypsis.read_release(folder)


def empty_cells(folder: Path) -> None:
    part = first_part(folder)
    frame = pl.read_parquet(part)
    frame.with_columns(age=pl.lit(None, dtype=pl.String)).write_parquet(part)
    forge(folder)


def other_types(folder: Path) -> None:
    def swap(manifest: dict[str, Any]) -> None:
        manifest["data"]["columns"][0]["type"] = "category"

    forge(folder, swap)


@pytest.mark.parametrize("tampering", [empty_cells, other_types])
def test_cells_that_are_none_of_their_column_are_refused(tampering: Tampering, tmp_path: Path) -> None:
    folder = written("table", tmp_path / "release")
    tampering(folder)
    assert answers(folder) == ["format-error", "format-error"]


def test_what_lies_beside_parts_is_read(tmp_path: Path) -> None:
    data = crypsis.Trajectories.from_lists(
        [["a", "b"], ["b", "a"]] * 4, locations=crypsis.Locations.from_frame(
            pl.DataFrame({"location": ["a", "b"], "x": [0.0, 1.0], "y": [0.0, 1.0]})
        ),
    )  # fmt: skip
    folder = tmp_path / "release"
    crypsis.anonymize(data, crypsis.SeqAnon(k=2, m=1)).write(folder, format="parts")
    (folder / "locations.csv").write_text("[]")
    forge(folder)
    assert answers(folder) == ["unknown-column", "unknown-column"]


def test_a_wrong_signature_is_told_of_parts_too(tmp_path: Path) -> None:
    folder = written("table", tmp_path / "release")
    make_keys(tmp_path / "key", "Ann")
    sign_folder(folder, tmp_path / "key")

    def raise_k(manifest: dict[str, Any]) -> None:
        manifest["guarantee"]["parameters"]["k"] = 3

    forge(folder, raise_k)
    whole, parts = answers(folder)
    assert whole == parts
    assert "wrongly signed" in parts
    with Serial() as executor:
        verdict, signature = verify_signed_parts(folder, executor)
    assert not verdict.holds
    assert signature.state == BROKEN


@pytest.mark.parametrize("rows", [10**12, 10**17])
def test_so_many_rows_that_nobody_can_list_their_parts_are_refused(rows: int, tmp_path: Path) -> None:
    folder = written("table", tmp_path / "release")
    forge(folder, lambda manifest: manifest["data"].update(rows=rows))
    with pytest.raises(BadRelease, match="not understood"):
        crypsis.read_release(folder)


@pytest.mark.parametrize(
    "told", ["lots", {"mode": "blocks", "block_rows": -1}, {"mode": "blocks", "block_rows": 5, "x": 1}]
)
def test_blocks_are_told_in_the_stated_form(told: Any, tmp_path: Path) -> None:
    folder = written("table", tmp_path / "release")
    forge(folder, lambda manifest: manifest.update(scaling=told))
    with pytest.raises(BadRelease, match="scaling"):
        crypsis.read_release(folder)


def test_only_a_release_is_replaced(tmp_path: Path) -> None:
    release = MADE["table"]()
    raw = tmp_path / "raw"
    raw.mkdir()
    (raw / "0.csv").write_text("age\n33\n")
    with pytest.raises(OutputExists, match="other files than a release"):
        release.write(raw, overwrite=True)
    assert (raw / "0.csv").read_text() == "age\n33\n"
    (tmp_path / "own.rows").mkdir()
    (tmp_path / "own.rows" / "mine.txt").write_text("mine")
    with pytest.raises(OutputExists, match=r"own\.rows"):
        release.write(tmp_path / "other", private_report=tmp_path / "own.json")
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path / "empty", tmp_path / "release"):
        assert release.write(folder, overwrite=True) == folder


def made_diverse_sets() -> Any:
    rows = [["a", "b"], ["b"], ["a", "c"], ["c"], ["a", "secret"]] * 6
    sets = crypsis.Transactions.from_lists(rows, sensitive=["secret"])
    return crypsis.anonymize(sets, crypsis.Apriori(k=3, m=1, l=2))


@pytest.mark.parametrize(
    ("declared", "answer"),
    [([], "bounds nothing"), (["other"], "format-error"), (None, "bad-release"), (["secret", 1], "bad-release")],
)
def test_what_is_sensitive_cannot_be_taken_from_a_promise_on_it(declared: Any, answer: str, tmp_path: Path) -> None:
    for format in ("jsonl", "parts"):
        folder = made_diverse_sets().write(tmp_path / format, format=format)

        def change(manifest: dict[str, Any]) -> None:
            del manifest["data"]["sensitive"]
            manifest["data"] |= {} if declared is None else {"sensitive": declared}

        assert crypsis.read_release(folder).verify().holds
        forge(folder, change)
        told = answers(folder) if format == "parts" else [_answer_in_memory(folder)]
        assert all(answer in words for words in told), told


def test_sensitive_terms_cannot_be_taken_from_disassociated_records(tmp_path: Path) -> None:
    rows = [["a", "b"], ["b"], ["a", "c"], ["c"], ["a", "secret"]] * 6
    sets = crypsis.Transactions.from_lists(rows, sensitive=["secret"])
    release = crypsis.anonymize(sets, crypsis.Disassociation(k=3, m=2, l=2, refine="none"))
    for format in ("json", "parts"):
        folder = release.write(tmp_path / format, format=format)
        assert crypsis.read_release(folder).verify().holds
        forge(folder, lambda manifest: manifest["data"].update(sensitive=[]))
        told = answers(folder) if format == "parts" else [_answer_in_memory(folder)]
        assert all("bounds nothing" in words for words in told), told


def _answer_in_memory(folder: Path) -> str:
    try:
        return str(crypsis.read_release(folder).verify())
    except CrypsisError as error:
        return error.code


@pytest.mark.parametrize("entry", ["way", "cycle"])
def test_times_in_another_form_are_refused(entry: str, tmp_path: Path) -> None:
    rows = [(f"w{walk}", step, f"p{step}", f"2024-03-04T{8 + step:02}:00:00") for walk in range(6) for step in range(2)]
    frame = pl.DataFrame(rows, ["trajectory_id", "position", "location", "enter"], orient="row")
    frame.write_csv(tmp_path / "walks.csv")
    walks = crypsis.read_trajectories(
        tmp_path / "walks.csv",
        locations={"p0": (0.0, 0.0), "p1": (1.0, 0.0)},
        enter="enter",
        times="bin",
        each_row_is_a_person=True,
    )
    folder = crypsis.anonymize(walks, crypsis.SeqAnon(k=2, m=1)).write(tmp_path / "release")
    forge(folder, lambda manifest: manifest["data"]["times"].update({entry: []}))
    with pytest.raises(BadRelease):
        crypsis.read_release(folder)
