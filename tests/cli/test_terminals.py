"""Terminals with few characters, names that a terminal would obey, long values, and bugs: told, never a crash."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.cli.printing import printable
from crypsis.evaluate.export import safe_for_spreadsheets
from tests.cli.conftest import Run

TABLE = "alter,ort,krankheit\n" + "".join(
    f"{20 + n % 9},Kö{n % 3},{'Grippe' if n % 2 else 'Übel'}\n" for n in range(40)
)
ASCII = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def started(*arguments: str | Path, folder: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "crypsis", *map(str, arguments)],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        check=False,
    )


@pytest.mark.long
@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize("encoding", ["ascii", "ascii:strict", "latin-1", "utf-8"])
def test_a_release_on_a_terminal_with_few_characters_is_written_and_told(
    tmp_path: Path, encoding: str, as_json: bool
) -> None:
    (tmp_path / "daten.csv").write_text(TABLE, encoding="utf-8")
    options = ["--quasi", "alter,ort", "--sensitive", "krankheit", "--method", "mondrian", "-k", "3"]
    told = started(
        "anonymize", "daten.csv", *options, "--out", "release", *(["--json"] if as_json else []),
        folder=tmp_path, **{**ASCII, "PYTHONIOENCODING": encoding},
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    assert (tmp_path / "release" / "release.json").is_file()
    out = told.stdout.decode(encoding.partition(":")[0])
    if as_json:
        assert json.loads(out)["verdict"]["holds"] is True
    else:
        assert "3" in out


@pytest.mark.long
def test_tables_and_errors_degrade_too(tmp_path: Path) -> None:
    (tmp_path / "daten.csv").write_text(TABLE, encoding="utf-8")
    assert started("data", "inspect", "daten.csv", folder=tmp_path, **ASCII).returncode == 0
    missing = started("data", "inspect", "träume.csv", folder=tmp_path, **ASCII)
    assert missing.returncode == 2
    assert b"missing-file" in missing.stderr


@pytest.mark.long
@pytest.mark.parametrize("length", [255, 256, 5_000, 100_000])
def test_a_list_of_columns_may_be_longer_than_a_name_of_a_file(run: Run, tmp_path: Path, length: int) -> None:
    long = "a_rather_long_name_of_a_column_of_which_there_are_not_too_many"
    names = [f"{long}_{number}" for number in range(length // len(long) + 1)]
    (tmp_path / "wide.csv").write_text(",".join(names) + "\n" + f"{','.join('1' for _ in names)}\n" * 4)
    told = run("data", "risk", tmp_path / "wide.csv", "--quasi", ",".join(names))
    assert told.code == 0, told.err
    unknown = run("data", "risk", tmp_path / "wide.csv", "--quasi", "x" * length)
    assert (unknown.code, unknown.err.partition(":")[0]) == (2, "unknown-column")


LONG = "x" * 5_000
ROLES = ("--quasi", "a", "--other", "b")
OPTIONS = [
    ("anonymize", LONG, "--method", "mondrian", "--out", "r"),
    ("anonymize", "t.csv", "--method", "mondrian", *ROLES, "-k", "2", "--out", LONG),
    ("anonymize", "t.csv", "--method", "mondrian", *ROLES, "--hierarchy", LONG, "--out", "r"),
    (
        "anonymize",
        "t.csv",
        "--method",
        "mondrian",
        "--quasi",
        "a",
        "--other",
        "b",
        "--types",
        f"a={LONG}",
        "--out",
        "r",
    ),
    ("anonymize", "t.csv", "--method", LONG, "--out", "r"),
    ("anonymize", "sets.txt", "--method", "coat", "--policy", LONG, "--out", "r"),
    ("anonymize", "sets.txt", "--method", "coat", "--utility", LONG, "--out", "r"),
    ("anonymize", "sets.txt", "--method", "apriori", "--hierarchy", LONG, "--out", "r"),
    ("anonymize", "sets.txt", "--method", "diff-part", "--items", LONG, "--epsilon", "1", "--out", "r"),
    ("anonymize", "sets.txt", "--method", "diff-part", "--ledger", LONG, "--epsilon", "1", "--out", "r"),
    ("anonymize", "t.csv", "--input-format", LONG, "--out", "r"),
    ("anonymize", "t.csv", "--separator", LONG, "--out", "r"),
    ("verify", LONG),
    ("run", LONG),
    ("data", "inspect", LONG),
    ("data", "edit", "t.csv", "--edits", LONG),
    ("export", LONG, "--out", "r.csv"),
    ("show", LONG),
    ("report", LONG),
    ("ledger", "show", LONG),
    ("stream", "run", LONG),
    ("hierarchy", "check", LONG),
    ("hierarchy", "show", LONG),
]


@pytest.mark.parametrize("arguments", OPTIONS, ids=lambda arguments: " ".join(arguments).replace(LONG, "LONG"))
def test_any_value_may_be_long(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("a,b\n" + "1,2\n" * 4)
    (tmp_path / "sets.txt").write_text("1 2\n1 2\n")
    told = run(*arguments)
    assert told.code in (1, 2), told
    assert "internal-error" not in told.err
    assert (told.code == 1) == ("write-failed: " in told.err)


def test_a_list_in_a_file_that_is_no_text_is_told(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    (tmp_path / "names").write_bytes(b"a\n\xff\n")
    told = run("data", "risk", tmp_path / "t.csv", "--quasi", tmp_path / "names")
    assert (told.code, told.err.partition(":")[0]) == (2, "bad-row")


def test_a_name_that_a_terminal_would_obey_is_shown_as_escapes(run: Run, tmp_path: Path) -> None:
    name = "\x1b[2Jevil\x07\x9b31m\u202ename.csv"
    (tmp_path / name).write_text("a\x1b[31m,b\n1,2\n")
    for arguments in (
        ("data", "inspect", tmp_path / name),
        ("data", "risk", tmp_path / name, "--quasi", "\x1b]0;x\x07"),
    ):
        told = run(*arguments)
        for text in (told.out, told.err):
            assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(text)
    assert "\\x1b" in run("data", "inspect", tmp_path / name).out


@given(st.text())
def test_what_is_printed_holds_no_control_character(text: str) -> None:
    shown = printable(text)
    assert all(character in "\n\t" or ord(character) >= 32 for character in shown)
    assert not any("\x7f" <= character <= "\x9f" for character in shown)
    assert text.isprintable() <= (shown == text)


def test_a_bug_is_told_without_what_it_was_about(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import crypsis.evaluate.first_look

    def fail(*_: object, **__: object) -> None:
        raise KeyError("Ann Smith, born 1980")

    monkeypatch.setattr(crypsis.evaluate.first_look, "inspect_file", fail)
    told = run("data", "inspect", tmp_path / "t.csv", "--json")
    assert told.code == 1
    assert told.err.startswith("internal-error: This is a bug of Crypsis: KeyError in evaluate/first_look.py, line ")
    assert "Ann" not in told.err + told.out


STARTS = ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"]


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical])
def test_what_a_spreadsheet_would_calculate_is_marked(start: str, dtype: pl.DataType) -> None:
    cell = f"{start}cmd()"
    frame = pl.DataFrame({cell: pl.Series([cell, f"a{cell}", None, ""], dtype=dtype), f"'{cell}": [1, 2, 3, 4]})
    safe = safe_for_spreadsheets(frame)
    assert safe.columns == [f"''{cell}", f"'{cell}"]
    assert safe.to_series(0).to_list() == [f"'{cell}", f"a{cell}", None, ""]
