"""A published table is written into a database: after it was verified, whole, and without a word about the address."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from crypsis.data.formats import sql
from crypsis.errors import MissingExtra


@pytest.fixture
def release(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OUR_DATABASE", f"sqlite:///{tmp_path}/ours.db")
    rows = "".join(f"{20 + number % 4},{'flu' if number % 3 else 'none'}\n" for number in range(24))
    (tmp_path / "people.csv").write_text("age,ill\n" + rows, encoding="utf-8")
    done = run(
        *("anonymize", tmp_path / "people.csv", "--method", "mondrian", "-k", "4", "--quasi", "age"),
        *("--sensitive", "ill", "--each-row-is-a-person", "--out", tmp_path / "release"),
    )
    assert done.code == 0, done.err
    return tmp_path / "release"


def rows_of(place: Path, table: str) -> list[tuple[str, ...]]:
    with closing(sqlite3.connect(place / "ours.db")) as database:
        return database.execute(f'select * from "{table}"').fetchall()


def test_a_release_becomes_a_table_and_stays_the_record(run, release: Path, tmp_path: Path) -> None:
    words = ("export", release, "--out", "people published", "--connection", "OUR_DATABASE")
    done = run(*words)
    assert done.code == 0, done.err
    assert str(release) in done.out
    published = rows_of(tmp_path, "people published")
    lines = [tuple(line.split(",")) for line in (release / "table.csv").read_text().splitlines()[1:]]
    assert sorted(tuple(map(str, row)) for row in published) == sorted(lines)
    again = run(*words)
    assert again.code == 2
    assert "already" in again.err
    assert run(*words, "--overwrite").code == 0
    assert rows_of(tmp_path, "people published") == published


def test_what_is_not_verified_does_not_reach_the_database(run, release: Path, tmp_path: Path) -> None:
    table = release / "table.csv"
    table.write_text(table.read_text().replace("20", "21", 1))
    assert run("export", release, "--out", "people", "--connection", "OUR_DATABASE").code != 0
    assert not (tmp_path / "ours.db").exists()


def test_no_message_repeats_the_address(run, release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "hunter2-and-more"
    monkeypatch.setenv("OUR_DATABASE", f"sqlite:////nowhere/{secret}/ours.db")
    done = run("export", release, "--out", "people", "--connection", "OUR_DATABASE")
    assert done.code == 2
    assert "did not take the table" in done.err
    assert secret not in done.err + done.out
    typed = run("export", release, "--out", "people", "--connection", f"postgresql://me:{secret}@host/db")
    assert typed.code == 2
    assert secret not in typed.err + typed.out


@pytest.mark.parametrize("option", ["--i-know", "--spreadsheet-safe", "--separator=;", "--cell=a", "--sign=key"])
def test_options_of_files_are_refused(run, release: Path, option: str) -> None:
    done = run("export", release, "--out", "people", "--connection", "OUR_DATABASE", option)
    assert done.code == 2
    assert option.partition("=")[0] in done.err


def test_only_a_release_is_given_to_a_database(run, release: Path, tmp_path: Path) -> None:
    done = run("export", tmp_path / "people.csv", "--out", "people", "--connection", "OUR_DATABASE", "--json")
    assert done.code == 2
    assert "no release folder" in json.dumps(done.err + done.out)


def test_a_missing_driver_names_the_extra(release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **options: object) -> None:
        raise ImportError("adbc_driver_sqlite")

    monkeypatch.setattr(sql.pl.DataFrame, "write_database", refuse)
    with pytest.raises(MissingExtra, match=r"crypsis\[sql\]"):
        sql.write_sql(sql.pl.DataFrame({"a": [1]}), "a", "sqlite:///a.db")
