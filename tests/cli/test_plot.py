"""`crypsis plot`: of files, of experiments and of releases; numbers beside every picture; bad input is exit code 2."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import crypsis
from tests.cli.conftest import Run
from tests.evaluate.stores import PEOPLE, finished_store

TABLE = "age,codes\n20,a b\n30,a\n40,b c\n50,?\n"


def write_release(folder: Path) -> Path:
    """The people of the store, in classes of two."""
    people = crypsis.Table.from_frame(PEOPLE, dict.fromkeys(PEOPLE.columns, "quasi"))
    return crypsis.anonymize(people, crypsis.Mondrian(k=2)).write(folder)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(TABLE)
    return path


@pytest.mark.long
def test_a_histogram_of_a_column_is_written_in_every_format_with_its_numbers(run: Run, table: Path) -> None:
    folder = table.parent / "out"
    made = run(
        "plot", "histogram", table, "--column", "age", "--format", "svg,pdf,png,jpg,bmp", "--out", folder, "--json"
    )
    assert made.code == 0, made.err
    files = [Path(name) for name in json.loads(made.out)["files"]]
    assert [path.suffix for path in files] == [".svg", ".pdf", ".png", ".jpg", ".bmp", ".csv"]
    assert all(path.is_file() for path in files)
    # Quartiles 27.5 and 42.5: the width is 2 * 15 / 4^(1/3) = 18.9, so 19 whole years.
    assert files[-1].read_bytes() == b"from,to,count\r\n20,39,2\r\n39,58,2\r\n"


def test_a_histogram_of_items_takes_their_separator(run: Run, table: Path) -> None:
    made = run("plot", "histogram", table, "--column", "codes", "--items", "codes= ", "--out", table.parent / "out")
    assert made.code == 0, made.err
    (numbers,) = (table.parent / "out").glob("*.csv")
    assert numbers.read_text().splitlines()[1:3] == ["a,2,1", "b,2,1"]


def test_an_experiment_draws_what_its_file_asks_for(run: Run, tmp_path: Path) -> None:
    store = finished_store(tmp_path, plot=[{"kind": "line", "x": "k", "y": "ncp", "format": ["svg", "png"]}])
    made = run("plot", store.folder)
    assert made.code == 0, made.err
    assert {path.suffix for path in (store.folder / "plots").iterdir()} == {".svg", ".png", ".csv"}


def test_one_plot_of_an_experiment_is_asked_for_in_two_ways(run: Run, tmp_path: Path) -> None:
    store = finished_store(tmp_path)
    one = run("plot", store.folder, "--kind", "line", "--x", "k", "--y", "ncp", "--json")
    other = run("plot", "line", store.folder, "--x", "k", "--y", "ncp", "--json")
    assert one.code == other.code == 0, one.err + other.err
    assert one.out == other.out
    numbers = Path(json.loads(one.out)["files"][-1])
    assert numbers.read_text().splitlines()[1:3] == ["mondrian,2,0.25,,1,", "mondrian,5,,,0,infeasible"]


def test_a_release_is_drawn_and_compared_with_its_original(run: Run, tmp_path: Path) -> None:
    PEOPLE.write_csv(tmp_path / "people.csv")
    release = write_release(tmp_path / "release")
    alone = run("plot", "class_sizes", release, "--out", tmp_path / "out")
    assert alone.code == 0, alone.err
    compared = run(
        "plot", "value_difference", release, "--column", "age", "--original", tmp_path / "people.csv", "--quasi",
        "age,city", "--out", tmp_path / "out",
    )  # fmt: skip
    assert compared.code == 0, compared.err
    assert len(list((tmp_path / "out").glob("*.csv"))) == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("plot", "histogram"), "needs a folder or a file"),
        (("plot", "histogram", "nowhere.csv"), "does not exist"),
        (("plot", "histogran", "TABLE"), "Did you mean 'histogram'"),
        (("plot", "histogram", "TABLE"), "Name the column"),
        (("plot", "histogram", "TABLE", "--column", "agee"), "Did you mean 'age'"),
        (("plot", "histogram", "TABLE", "--column", "age", "--quasi", "age"), "--quasi has no effect"),
        (("plot", "histogram", "TABLE", "--column", "age", "--run", "a"), "--run is for experiments"),
        (("plot", "line", "TABLE", "--x", "k", "--y", "are"), "needs an experiment or a release"),
        (("plot", "TABLE"), "say which plot"),
        (("plot", "histogram", "TABLE", "--kind", "line"), "given twice"),
        (("plot", "STORE", "--kind", "line", "--x", "k", "--y", "npc"), "Did you mean 'ncp'"),
        (("plot", "STORE", "--kind", "line", "--x", "k", "--y", "ncp", "--format", "gif"), "no picture format 'gif'"),
        (("plot", "STORE", "--x", "k"), "need --kind"),
        (("plot", "STORE", "--quasi", "age"), "--quasi has no effect"),
        (("plot", "value_difference", "RELEASE", "--column", "age"), "name them (--original FILE)"),
        (("plot", "phases", "RELEASE"), "is a release"),
    ],
)
def test_bad_input_is_told_in_one_line(
    run: Run, table: Path, arguments: tuple[str, ...], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(table.parent)
    store = finished_store(table.parent / "experiment")
    places = {"TABLE": table, "STORE": store.folder, "RELEASE": write_release(table.parent / "release")}
    made = run(*(places.get(argument) or argument for argument in arguments))
    assert made.code == 2, made.out + made.err
    assert words in made.err
    assert len(made.err.strip().splitlines()) == 1


def test_files_that_exist_are_kept_unless_that_is_allowed(run: Run, table: Path) -> None:
    arguments = ("plot", "histogram", table, "--column", "age", "--out", table.parent / "out")
    assert run(*arguments).code == 0
    assert run(*arguments).code == 2
    assert run(*arguments, "--overwrite").code == 0
