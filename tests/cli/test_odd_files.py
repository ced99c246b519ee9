"""Pipes, devices, folders, links, empty and strange files where data are expected: told, and never waited for."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from tests.cli.conftest import Run

ROLES = ("--method", "mondrian", "--quasi", "a", "-k", "1")
COMMANDS = [
    ("data", "inspect", "PIPE"),
    ("data", "risk", "PIPE", "--quasi", "a"),
    ("data", "edit", "t.csv", "--edits", "PIPE"),
    ("anonymize", "PIPE", *ROLES, "--out", "r"),
    ("anonymize", "t.csv", *ROLES, "--hierarchy", "a=PIPE", "--out", "r"),
    ("hierarchy", "show", "PIPE"),
    ("run", "PIPE"),
    ("verify", "PIPE"),
    ("export", "PIPE", "--out", "x.csv"),
    ("show", "PIPE"),
    ("report", "PIPE"),
    ("stream", "run", "PIPE"),
    ("ledger", "show", "PIPE"),
    ("queries", "check", "PIPE"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("a\n1\n2\n")
    return tmp_path


@pytest.mark.long
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("name", ["pipe.csv", "pipe.toml", "/dev/zero", "folder.csv", "loop.csv", "nowhere.csv"])
def test_what_is_no_file_is_refused_and_not_waited_for(folder: Path, run: Run, command: tuple[str], name: str) -> None:
    for pipe in ("pipe.csv", "pipe.toml"):
        os.mkfifo(folder / pipe)
    (folder / "folder.csv").mkdir()
    (folder / "loop.csv").symlink_to("loop.csv")
    (folder / "nowhere.csv").symlink_to("gone.csv")
    told = run(*(part.replace("PIPE", name) for part in command))
    assert told.code == 2, told
    assert "internal-error" not in told.err
    assert not (folder / "r").exists()


SMALL = {
    "head.csv": b"a,b\n",
    "one.csv": b"a\n1\n",
    "missing.csv": b"a,b\n,1\n?,1\n",
    "mark.csv": b"\xef\xbb\xbfa,b\n1,2\n",
    "mark.jsonl": b'\xef\xbb\xbf{"a":1}\n',
    "mark.dat": b"\xef\xbb\xbf1 2\n",
    "mark.geojson": b'\xef\xbb\xbf{"type":"FeatureCollection","features":[]}',
    "empty.dat": b"",
    "empty.jsonl": b"",
    "empty rows.jsonl": b"[]\n[]\n",
}


@pytest.mark.parametrize("name", SMALL)
def test_small_files_are_read(folder: Path, run: Run, name: str) -> None:
    (folder / name).write_bytes(SMALL[name])
    told = run("data", "inspect", name)
    assert told.code == 0, told.err


REFUSED = {
    "empty.csv": b"",
    "blank.csv": b"\n\n",
    "empty.parquet": b"",
    "empty.geojson": b"",
    "empty.gpx": b"",
    "empty.csv.gz": b"",
    "nothing.csv.gz": gzip.compress(b""),
    "cut.csv": "a,b\n1,2\n".encode("utf-16")[:-1],
}


@pytest.mark.parametrize("name", REFUSED)
def test_files_that_hold_nothing_or_no_table_are_refused_by_name(folder: Path, run: Run, name: str) -> None:
    (folder / name).write_bytes(REFUSED[name])
    told = run("data", "inspect", name)
    assert told.code == 2
    assert name in told.err
    assert told.err.split(":")[0] in ("unreadable-file", "bad-row")


def test_a_bomb_is_refused_while_it_unpacks(folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "bomb.csv.gz").write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 5_000_000))
    monkeypatch.setenv("CRYPSIS_MEMORY_LIMIT", "20000000")
    told = run("data", "inspect", "bomb.csv.gz")
    assert (told.code, told.err.split(":")[0]) == (5, "too-large")


@pytest.mark.long
def test_a_thousand_columns_go_all_the_way(folder: Path, run: Run) -> None:
    names = [f"c{number}" for number in range(1_000)]
    (folder / "wide.csv").write_text(",".join(names) + "\n" + f"{','.join('1' for _ in names)}\n" * 4)
    told = run("anonymize", "wide.csv", "--method", "mondrian", "--quasi", "c0,c1", "--other", "rest", "--out", "r")
    assert told.code in (0, 3), told.err


def test_overwriting_a_link_replaces_the_link_and_not_what_it_leads_to(folder: Path, run: Run) -> None:
    (folder / "real").mkdir()
    (folder / "real" / "kept.txt").write_text("mine")
    (folder / "out").symlink_to("real")
    assert run("anonymize", "t.csv", *ROLES, "--out", "out").code == 2
    assert run("anonymize", "t.csv", *ROLES, "--out", "out", "--overwrite").code == 0
    assert (folder / "real" / "kept.txt").read_text() == "mine"
    assert (folder / "out" / "release.json").is_file()
