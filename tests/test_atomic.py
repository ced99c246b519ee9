"""Writing is whole or not at all, whatever happens in between."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from crypsis.atomic import check_place, new_folder, write_file
from crypsis.errors import BadParameter, OutputExists, WriteFailed

KILL_AT_SYNC = """
import os, signal, sys
from pathlib import Path
from crypsis import atomic

step = int(sys.argv[2])
seen = 0

def dying(call):
    def run(*arguments, **options):
        global seen
        seen += 1
        if seen == step:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*arguments, **options)
    return run

os.fsync = dying(os.fsync)
atomic._exchanged = dying(atomic._exchanged)
atomic.shutil.rmtree = dying(atomic.shutil.rmtree)
with atomic.new_folder(Path(sys.argv[1]), overwrite=True) as folder:
    (folder / "one").write_text("new")
    (folder / "two").write_text("new")
"""


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_a_folder_appears_whole(tmp_path):
    with new_folder(tmp_path / "made") as folder:
        (folder / "file").write_text("text")
        assert not (tmp_path / "made").exists()
    assert contents(tmp_path / "made") == {"file": "text"}
    assert [path.name for path in tmp_path.iterdir()] == ["made"]


@pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt, SystemExit])
def test_a_failure_inside_leaves_nothing_behind(tmp_path, failure):
    with pytest.raises(failure), new_folder(tmp_path / "made") as folder:
        (folder / "file").write_text("text")
        raise failure
    assert list(tmp_path.iterdir()) == []


def test_a_failure_inside_leaves_the_old_state(tmp_path):
    with new_folder(tmp_path / "made") as folder:
        (folder / "file").write_text("old")
    with pytest.raises(ValueError), new_folder(tmp_path / "made", overwrite=True) as folder:
        (folder / "file").write_text("new")
        raise ValueError
    assert contents(tmp_path / "made") == {"file": "old"}
    assert [path.name for path in tmp_path.iterdir()] == ["made"]


def test_an_existing_folder_is_not_replaced_unasked(tmp_path):
    (tmp_path / "made").mkdir()
    with pytest.raises(OutputExists, match="overwrite=True"), new_folder(tmp_path / "made"):
        pass
    (tmp_path / "file").write_text("mine")
    with pytest.raises(OutputExists, match="not a folder"), new_folder(tmp_path / "file", overwrite=True):
        pass
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("step", range(1, 8))
def test_killed_at_any_instant_there_is_the_old_state_or_the_new_one(tmp_path, step):
    target = tmp_path / "made"
    with new_folder(target) as folder:
        (folder / "one").write_text("old")
    died = subprocess.run([sys.executable, "-c", KILL_AT_SYNC, str(target), str(step)], check=False).returncode
    assert contents(target) in ({"one": "old"}, {"one": "new", "two": "new"})
    if step <= 5:  # three files and folders to sync, the swap, the parent
        assert died == -signal.SIGKILL
    with new_folder(target, overwrite=True) as folder:
        (folder / "one").write_text("next")
    assert [path.name for path in tmp_path.iterdir()] == ["made"], "the next write removes what the killed one left"


def test_a_living_writer_keeps_its_partial_folder(tmp_path):
    with new_folder(tmp_path / "made") as mine:
        (mine / "file").write_text("mine")
        with new_folder(tmp_path / "made") as other:
            (other / "file").write_text("other")
        assert (mine / "file").read_text() == "mine"
        (tmp_path / "made" / "file").unlink()
        (tmp_path / "made").rmdir()
    assert contents(tmp_path / "made") == {"file": "mine"}


def test_a_file_is_written_whole_with_its_mode(tmp_path):
    write_file(tmp_path / "private.json", b"secret", mode=0o600)
    assert (tmp_path / "private.json").read_bytes() == b"secret"
    assert (tmp_path / "private.json").stat().st_mode & 0o777 == 0o600
    write_file(tmp_path / "private.json", b"again", mode=0o600)
    assert [path.name for path in tmp_path.iterdir()] == ["private.json"]


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(WriteFailed, match=r"Could not write below.*Nothing was left behind"):
        write_file(tmp_path / "file" / "below", b"")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_without_an_atomic_swap_the_folder_is_still_replaced(tmp_path, monkeypatch):
    monkeypatch.setattr("crypsis.atomic._exchanged", lambda one, other: False)
    for text in ("old", "new"):
        with new_folder(tmp_path / "made", overwrite=True) as folder:
            (folder / "file").write_text(text)
    assert contents(tmp_path / "made") == {"file": "new"}
    assert [path.name for path in tmp_path.iterdir()] == ["made"]


def test_a_file_that_fails_half_way_leaves_the_old_one(tmp_path):
    def parts():
        yield b"new"
        raise ValueError("half way")

    write_file(tmp_path / "private.json", [b"o", b"ld"], mode=0o600)
    with pytest.raises(ValueError, match="half way"):
        write_file(tmp_path / "private.json", parts(), mode=0o600)
    assert [path.name for path in tmp_path.iterdir()] == ["private.json"]
    assert (tmp_path / "private.json").read_bytes() == b"old"


@pytest.mark.parametrize(
    ("place", "error"),
    [
        ("", BadParameter),
        ("s3://bucket/report.html", BadParameter),
        ("file:///report.html", BadParameter),
        ("\udcff.html", BadParameter),
        ("pipe", OutputExists),
        ("folder", OutputExists),
    ],
)
def test_what_is_no_place_for_a_file_is_refused_before_anything_is_written(tmp_path, monkeypatch, place, error):
    """A report that was written to a device took its place: the system then had no such device any more."""
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    Path("folder").mkdir()
    with pytest.raises(error):
        write_file(Path(place), b"report")
    if place != "folder":
        with pytest.raises(error), new_folder(Path(place), overwrite=True):
            pass
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "pipe"]
    assert stat.S_ISFIFO(Path("pipe").stat().st_mode)


@pytest.mark.parametrize("place", ["/dev/null", "/dev/stdout", "/proc/self/mem", "/sys/report.html"])
def test_what_is_of_the_system_is_no_place(place):
    with pytest.raises(OutputExists, match="of the system"):
        check_place(Path(place))
    check_place(Path("/dev/shm/report.html"))
