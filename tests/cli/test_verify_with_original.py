"""`crypsis verify FOLDER --original FILE`: roles, types and items are those of the release, nobody types them again."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import crypsis
from tests.cli.conftest import Run


@pytest.fixture
def people(tmp_path: Path) -> Path:
    random = np.random.Generator(np.random.PCG64(3))
    frame = pl.DataFrame(
        {
            "name": [f"person {number}" for number in range(60)],
            "age": random.integers(20, 60, 60),
            "zip, home": random.choice(["01", "02", "1", "2"], 60),
            "codes": [" ".join(random.choice(list("abc"), 2, replace=False)) for _ in range(60)],
            "ill": random.choice(["flu", "cold"], 60),
        }
    )
    frame.write_csv(tmp_path / "people.csv")
    return tmp_path / "people.csv"


@pytest.fixture
def table(people: Path) -> Path:
    roles = {"name": "identifier", "age": "quasi", "zip, home": "quasi", "codes": "other", "ill": "sensitive"}
    original = crypsis.read_table(people, roles, {"zip, home": "category"})
    return crypsis.anonymize(original, crypsis.Mondrian(k=5)).write(people.parent / "table")


@pytest.fixture
def mixed(run: Run, people: Path) -> Path:
    roles = {"name": "identifier", "age": "quasi", "zip, home": "quasi", "ill": "other"}
    original = crypsis.read_mixed(people, roles, {"codes": " "}, {"zip, home": "category"})
    return crypsis.anonymize(original, crypsis.RFirst(k=2, m=1)).write(people.parent / "mixed")


@pytest.mark.parametrize("released", ["table", "mixed"])
def test_no_role_is_typed_again(run: Run, people: Path, released: str, request: pytest.FixtureRequest) -> None:
    folder = request.getfixturevalue(released)
    done = run("verify", folder, "--original", people)
    assert done.code == 0, done.err
    changed = pl.read_csv(people).with_columns(pl.col("age") + 40)
    changed.write_csv(people.parent / "other.csv")
    broken = run("verify", folder, "--original", people.parent / "other.csv")
    assert broken.code == 4, broken.out + broken.err
    assert "untruthful" in broken.out


def test_a_file_without_the_columns_of_the_release_is_refused_by_name(run: Run, table: Path, people: Path) -> None:
    pl.read_csv(people).drop("age").write_csv(people.parent / "other.csv")
    refused = run("verify", table, "--original", people.parent / "other.csv", "--json")
    assert refused.code == 2
    assert json.loads(refused.out)["error"]["code"] == "unknown-column"
    assert "'age'" in refused.err


def test_options_that_say_nothing_about_tables_are_still_refused(run: Run, table: Path, people: Path) -> None:
    assert run("verify", table, "--original", people, "--position", "age").code == 2


def test_measure_takes_the_roles_from_the_release_too(run: Run, table: Path, people: Path) -> None:
    done = run("measure", table, "--original", people, "--json")
    assert done.code == 0, done.err


def test_python_reads_the_original_of_a_release(table: Path, people: Path) -> None:
    release = crypsis.read_release(table)
    original = release.read_original(people)
    assert original.quasi == ("age", "zip, home")
    assert original.column("zip, home").domain.to_list() == ["01", "02", "1", "2"]  # texts stay as they are written
    assert release.verify(original).holds


def test_a_swapped_row_in_a_sorted_release_is_noticed(table: Path, people: Path) -> None:
    original = crypsis.read_release(table).read_original(people)
    frame = pl.read_csv(table / "table.csv", infer_schema=False)
    flipped = frame.with_columns(
        pl.when(pl.int_range(pl.len()) == 0)
        .then(pl.col("ill").replace({"flu": "cold", "cold": "flu"}))
        .otherwise("ill")
        .alias("ill")
    )
    copy = table.parent / "copy"
    shutil.copytree(table, copy)
    flipped.write_csv(copy / "table.csv")
    assert not crypsis.read_release(copy).verify(original).holds


OVERLAPPING = """
import numpy as np, polars as pl
from crypsis.data.relational import PublishedTable, Table
from crypsis.verifiers.table_recoding import untruthful
random = np.random.Generator(np.random.PCG64(1))
n = 300_000
x, y = random.integers(0, 10**6, n), random.integers(0, 10**6, n)
names = {"x": "quasi", "y": "quasi"}
original = Table.from_frame(pl.DataFrame({"x": x, "y": y}), names, each_row_is_a_person=True)
order = random.permutation(n)
texts = {
    name: [f"[{value - 300}:{value + 300}]" for value in values[order].tolist()]
    for name, values in (("x", x), ("y", y))
}
published = PublishedTable.from_frame(pl.DataFrame(texts), names, {"x": "int", "y": "int"})
import signal
def stop(number, frame):
    raise KeyboardInterrupt
signal.signal(signal.SIGTERM, stop)
signal.signal(signal.SIGINT, stop)  # a shell may have started us with it ignored
print("ready", flush=True)
while True:
    untruthful(published, original)
"""


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_comparison_promptly(number: signal.Signals) -> None:
    process = subprocess.Popen([sys.executable, "-c", OVERLAPPING], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(4)  # by now it compares
        process.send_signal(number)
        process.wait(20)
        assert b"KeyboardInterrupt" in process.stderr.read()
    finally:
        process.kill()
        process.communicate()
