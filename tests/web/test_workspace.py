"""The workspace on disk: whole or not at all, one change at a time, names that are never paths, nothing left behind."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import polars as pl
import pytest

from crypsis.errors import BadParameter, ChangedElsewhere, NoSuchEntry, NotApplicable, WriteFailed
from crypsis.evaluate.suggestions import suggested_roles
from crypsis.web.datasets import Datasets
from crypsis.web.grids import Filter, Grid, Sort
from crypsis.web.workspace import Workspace, safe_suffix
from tests.web.awaited import awaited

OF = {"dataset": "0" * 12}  # what a stream must have


async def chunks(*parts: bytes, failing: bool = False) -> AsyncIterator[bytes]:
    for part in parts:
        yield part
    if failing:
        raise ConnectionError


def test_an_entry_is_what_another_process_finds(tmp_path: Path) -> None:
    entry = Workspace(tmp_path).create("streams", "people", {**OF, "a": 1}, lambda folder: None)
    found = Workspace(tmp_path).entry("streams", entry.number)
    assert (found.name, found.content["a"], found.revision) == ("people", 1, 1)


def test_changes_from_many_threads_are_all_kept(tmp_path: Path) -> None:
    workspaces = [Workspace(tmp_path) for _ in range(4)]  # as many servers on one folder
    number = workspaces[0].create("streams", "counter", {**OF, "n": 0}).number

    def count(workspace: Workspace) -> None:
        for _ in range(10):
            workspace.change("streams", number, lambda content: content.update(n=content["n"] + 1))

    threads = [threading.Thread(target=count, args=(workspace,)) for workspace in workspaces]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = workspaces[0].entry("streams", number)
    assert found.content["n"] == 40
    assert found.revision == 41


def test_a_change_that_fails_changes_nothing(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    number = workspace.create("streams", "people", {**OF, "a": 1}).number

    def alter(content: dict[str, object]) -> None:
        content["a"] = 2
        raise BadParameter("no")

    with pytest.raises(BadParameter):
        workspace.change("streams", number, alter)
    assert workspace.entry("streams", number).content["a"] == 1


def test_a_stale_revision_is_refused(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    number = workspace.create("streams", "people", OF).number
    workspace.change("streams", number, lambda content: None, revision=1)
    with pytest.raises(ChangedElsewhere):
        workspace.change("streams", number, lambda content: None, revision=1)


def test_an_entry_that_cannot_be_filled_is_not_there(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)

    def fill(folder: Path) -> None:
        (folder / "half").write_text("x")
        raise OSError

    with pytest.raises(WriteFailed):
        workspace.create("streams", "people", OF, fill)
    assert workspace.entries("streams") == []
    assert list((tmp_path / "uploads").iterdir()) == []


def test_a_damaged_entry_does_not_hide_the_others(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    good, bad = (workspace.create("streams", name, OF) for name in ("good", "bad"))
    (bad.folder / "entry.json").write_text("{")
    assert [entry.number for entry in workspace.entries("streams")] == [good.number]


@pytest.mark.parametrize("number", ["", "..", "../../etc", "ABCDEFABCDEF", "0" * 11, "0" * 12 + "/x"])
def test_what_is_no_number_finds_nothing(tmp_path: Path, number: str) -> None:
    with pytest.raises(NoSuchEntry):
        Workspace(tmp_path).entry("streams", number)
    with pytest.raises(NoSuchEntry):
        Workspace(tmp_path).upload(number)


def test_an_upload_that_breaks_off_leaves_nothing(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    with pytest.raises(ConnectionError):
        awaited(workspace.receive(chunks(b"secret", failing=True), "a.csv"))
    assert list((tmp_path / "uploads").iterdir()) == []


def test_uploads_and_the_folder_are_for_the_owner_only(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "w")
    number = awaited(workspace.receive(chunks(b"secret"), "a.csv"))
    assert workspace.upload(number).stat().st_mode & 0o077 == 0
    assert (tmp_path / "w").stat().st_mode & 0o077 == 0


def test_what_a_killed_process_left_goes_and_what_a_living_one_makes_stays(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    dead = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True, check=True
    )
    left = tmp_path / "uploads" / f"unfinished-{int(dead.stdout)}-abc"
    left.mkdir()
    (left / "raw.csv").write_text("secret")
    ours = workspace.unfinished()
    ours.mkdir()
    workspace.remove_leftovers()
    assert not left.exists()
    assert ours.exists()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.csv", ".csv"),
        ("a.csv.gz", ".csv.gz"),
        ("a.exe", ""),
        ("../../x.CSV", ".csv"),
        ("a.csv/../../b", ""),
        ("", ""),
    ],
)
def test_of_a_name_only_known_endings_are_kept(name: str, expected: str) -> None:
    assert safe_suffix(name) == expected


@pytest.mark.parametrize("name", ["", "  ", "x" * 121, "a\x00b"])
def test_names_that_cannot_be_shown_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadParameter):
        Workspace(tmp_path).create("streams", name, OF)


def test_a_grid_gives_the_same_rows_as_sorting_everything_would() -> None:
    frame = pl.DataFrame({"n": [str(n * 7919 % 1000) for n in range(1000)], "city": ["Oslo", "Rome"] * 500})
    grid = Grid(frame, frozenset({"n"}))
    total, places, rows = grid.rows(10, 20, (Sort("n", True),), (Filter("city", "equals", "rome"),))
    wanted = sorted((int(row[0]) for row in frame.rows() if row[1] == "Rome"), reverse=True)
    assert total == len(wanted)
    assert [int(row[0]) for row in rows] == wanted[10:30]
    assert [frame["n"][place] for place in places] == [row[0] for row in rows]


def test_numbers_sort_as_numbers_and_missing_ones_come_last() -> None:
    grid = Grid(pl.DataFrame({"n": ["10", "9", "", "100"]}), frozenset({"n"}))
    assert [row[0] for row in grid.rows(0, 10, (Sort("n"),))[2]] == ["9", "10", "100", ""]


def test_parts_of_a_number_are_found_as_it_is_written() -> None:
    grid = Grid(pl.DataFrame({"n": ["177", "77", "7", ""]}), frozenset({"n"}))
    found = {how: grid.rows(0, 10, (), (Filter("n", how, "77"),))[1] for how in ("contains", "equals", "endsWith")}
    assert found == {"contains": [0, 1], "equals": [1], "endsWith": [0, 1]}
    assert grid.rows(0, 10, (), (Filter("n", "notContains", "77"),))[1] == [2, 3]


def test_cells_are_json_whatever_they_hold() -> None:
    frame = pl.DataFrame({"big": [2**60], "nan": [float("nan")], "list": [["a", "b"]], "long": ["x" * 5000]})
    (row,) = Grid(frame).rows(0, 10)[2]
    json.dumps(row, allow_nan=False)
    assert row[0] == str(2**60)
    assert len(row[3]) < 500


def test_roles_are_suggested_from_names_and_counts(tmp_path: Path) -> None:
    from crypsis.data.inspection import inspect_file
    from crypsis.samples import SAMPLES

    (file,) = SAMPLES["patients"].write(tmp_path / "patients.csv", size=400)
    found = suggested_roles(inspect_file(file))
    assert {name: one.role for name, one in found.items()} == {
        "patient_id": "identifier",
        "age": "quasi",
        "sex": "quasi",
        "zip": "quasi",
        "admitted": "quasi",
        "diagnoses": "quasi",
        "ward": "sensitive",
    }
    assert found["diagnoses"].separator == " "
    assert all(one.reason for one in found.values())


def test_a_dataset_keeps_the_reason_of_every_role_and_how_sure_it_is(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("sexo,edad,enfermedad\n" + "".join(f"{row % 2},{20 + row % 9},f{row % 3}\n" for row in range(40)))
    datasets = Datasets(Workspace(tmp_path / "workspace"), allow_paths=True)
    content = datasets.add_path(str(file)).content
    assert content["inspection"]["reasons"]["edad"] == "is an age, which others know (high confidence)"
    assert {one["name"]: (one["role"], one["confidence"]) for one in content["inspection"]["columns"]} == {
        "sexo": ("quasi", "high"),
        "edad": ("quasi", "high"),
        "enfermedad": ("sensitive", "high"),
    }
    assert content["section"]["columns"]["sexo"] == {"type": "category", "role": "quasi"}


def test_in_a_handful_of_records_a_column_is_no_identifier_only_because_it_differs(tmp_path: Path) -> None:
    from crypsis.data.inspection import inspect_file

    file = tmp_path / "six.csv"
    rows = ["Ann,34,10115,f,flu", "Bob,29,10117,m,cold", "Cid,51,10245,m,gout", "Dee,47,10247,f,asthma"]
    file.write_text("\n".join(["patientName,age,zip,sex,disease", *rows]) + "\n")
    found = suggested_roles(inspect_file(file))
    assert [one.role for one in found.values()] == ["identifier", "quasi", "quasi", "quasi", "sensitive"]

    file.write_text("\n".join(["code,height", *(f"x{number},{number}" for number in range(60))]) + "\n")
    found = suggested_roles(inspect_file(file))
    assert [one.role for one in found.values()] == ["identifier", "quasi"]  # many differ, and a height is no key


def test_the_risk_of_sets_counts_who_is_alone_with_two_items(tmp_path: Path) -> None:
    baskets = ["a b c", "a b c", "a b", "c d", "d a", "e", "e", ""]
    file = tmp_path / "baskets.dat"
    file.write_text("\n".join(baskets) + "\n")
    datasets = Datasets(Workspace(tmp_path / "workspace"), allow_paths=True)
    found = datasets.risk(datasets.add_path(str(file)).number).to_dict()
    assert found["unique_share"] == 2 / 8  # c d and d a
    assert (found["smallest_class"], found["highest"]) == (1, 1.0)

    (tmp_path / "header.csv").write_text("age,city\n")
    with pytest.raises(NotApplicable, match="no rows"):
        datasets.risk(datasets.add_path(str(tmp_path / "header.csv")).number)
