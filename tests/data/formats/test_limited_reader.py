"""Foreign binary files are decoded in a process with limits: what ends it does not end the one that asked."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import IO

import polars as pl
import pytest

from crypsis.data.formats import limited_reader
from crypsis.data.formats.parquet import read_frame
from crypsis.errors import BadParameter, CrypsisError, InternalError, TooLarge, UnknownColumn, UnreadableFile
from tests.damaged_files import aborting_parquet

FRAME = pl.DataFrame({"id": [1, 2, 3], "label": ["a", "b", None], "sets": [["x"], [], ["y", "z"]]})


def parquet_of(source: IO[bytes]) -> object:
    decoder = "crypsis.data.formats.parquet:decode"
    return limited_reader.read_limited(
        source, decoder, {"columns": None}, file="x.parquet", label="Parquet", declared=0
    )


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    path = tmp_path / "sound.parquet"
    FRAME.write_parquet(path)
    return path


@pytest.fixture
def aborting(tmp_path: Path) -> Path:
    path = tmp_path / "aborting.parquet"
    path.write_bytes(aborting_parquet())
    return path


def test_the_damaged_file_does_abort_whoever_decodes_it(aborting: Path) -> None:
    code = f"import polars; polars.read_parquet({str(aborting)!r}, glob=False)"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert ended.returncode == -signal.SIGABRT
    assert b"memory allocation" in ended.stderr


def test_a_file_that_makes_the_decoder_abort_is_unreadable_and_the_next_is_read(aborting: Path, sound: Path) -> None:
    for _ in range(3):
        with pytest.raises(UnreadableFile, match="cannot be read as Parquet: decoding it failed or asked for") as told:
            read_frame(aborting)
        assert told.value.where == str(aborting)
        assert read_frame(sound)[0].equals(FRAME)


@pytest.mark.long
def test_many_threads_read_sound_and_aborting_files_at_once(aborting: Path, sound: Path) -> None:
    outcomes: list[object] = []

    def read(path: Path) -> None:
        try:
            outcomes.append(read_frame(path)[0].equals(FRAME))
        except CrypsisError as error:
            outcomes.append(error.code)

    threads = [threading.Thread(target=read, args=(aborting if number % 3 else sound,)) for number in range(9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, outcomes)) == ["True"] * 3 + ["unreadable-file"] * 6
    assert len(limited_reader._idle) <= limited_reader.MOST_IDLE


@pytest.fixture
def endless() -> io.BufferedReader:
    """A source that never ends: nobody writes into the pipe and nobody closes it."""
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as source, os.fdopen(writing, "wb"):
        source.seek = lambda *_: 0  # type: ignore[method-assign]
        yield source


def test_a_file_that_takes_too_long_is_unreadable(monkeypatch: pytest.MonkeyPatch, endless: io.BufferedReader) -> None:
    monkeypatch.setenv(limited_reader.SECONDS_VARIABLE, "1")
    started = time.monotonic()
    with pytest.raises(UnreadableFile, match="could not be read within 1 seconds"):
        parquet_of(endless)
    assert time.monotonic() - started < 25


@pytest.mark.long
def test_a_process_that_the_system_kills_is_told(monkeypatch: pytest.MonkeyPatch, endless: io.BufferedReader) -> None:
    begun = limited_reader._started

    def started_and_killed() -> limited_reader._Process:
        worker = begun()
        threading.Timer(3.0, worker.process.kill).start()
        return worker

    limited_reader.stop_idle()
    monkeypatch.setattr(limited_reader, "_started", started_and_killed)
    with pytest.raises(TooLarge, match="was stopped by the system"):
        parquet_of(endless)


def test_a_waiting_process_that_is_gone_is_replaced(sound: Path) -> None:
    read_frame(sound)
    (worker,) = limited_reader._idle
    worker.process.kill()
    os.waitid(os.P_PID, worker.process.pid, os.WEXITED | os.WNOWAIT)
    worker.process.poll = lambda: None  # type: ignore[method-assign]  # as if it went just after the look
    assert read_frame(sound)[0].equals(FRAME)


def test_one_process_reads_file_after_file(sound: Path) -> None:
    read_frame(sound)
    before = limited_reader._idle[-1].process.pid
    read_frame(sound)
    assert limited_reader._idle[-1].process.pid == before
    limited_reader.stop_idle()
    assert limited_reader._idle == []


def test_an_unknown_column_is_told_with_those_there_are(sound: Path) -> None:
    with pytest.raises(UnknownColumn, match="its columns are id, label, sets"):
        read_frame(sound, columns=["label", "lable"])


def test_nothing_is_left_behind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, aborting: Path, sound: Path) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.chdir(folder)
    limited_reader.stop_idle()
    read_frame(sound)
    with pytest.raises(UnreadableFile):
        read_frame(aborting)
    monkeypatch.delattr(os, "memfd_create")
    assert read_frame(sound)[0].equals(FRAME)
    assert list(folder.iterdir()) == []


def test_a_script_without_a_guard_reads_parquet(sound: Path, aborting: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from crypsis.data.formats.parquet import read_frame\n"
        f"print(read_frame({str(sound)!r})[0].height)\n"
        "from crypsis.errors import UnreadableFile\n"
        "try:\n"
        f"    read_frame({str(aborting)!r})\n"
        "except UnreadableFile:\n"
        "    print('told')\n",
        encoding="utf-8",
    )
    (tmp_path / "polars.py").write_text("raise SystemExit('taken from the working folder')", encoding="utf-8")
    told = subprocess.run(
        [sys.executable, "-P", str(script)], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert (told.stdout.split(), told.returncode) == (["3", "told"], 0), told.stderr


def test_a_forked_process_uses_none_of_its_parents(sound: Path) -> None:
    read_frame(sound)
    assert limited_reader._idle
    child = os.fork()
    if child == 0:
        os._exit(len(limited_reader._idle))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert read_frame(sound)[0].equals(FRAME)


@pytest.mark.parametrize("text", ["0", "-1", "soon", "1.5"])
def test_the_time_limit_is_a_number_of_seconds(monkeypatch: pytest.MonkeyPatch, sound: Path, text: str) -> None:
    monkeypatch.setenv(limited_reader.SECONDS_VARIABLE, text)
    with pytest.raises(BadParameter, match="positive number of seconds"):
        read_frame(sound)


@pytest.mark.long
def test_a_text_that_repeats_beyond_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A dictionary holds a long text once; side by side the copies would not fit."""
    path = tmp_path / "repeated.parquet"
    pl.DataFrame({"label": pl.Series(["x" * 1_000_000]).gather([0] * 3_000)}).write_parquet(path)
    assert path.stat().st_size < 100_000
    monkeypatch.setattr(limited_reader, "BASE_MEMORY", 300 << 20)
    with pytest.raises(UnreadableFile, match="asked for more than"):
        read_frame(path)


def test_a_process_that_cannot_be_started_is_told(monkeypatch: pytest.MonkeyPatch, sound: Path) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(24, "Too many open files")

    limited_reader.stop_idle()
    monkeypatch.setattr(subprocess, "Popen", refuse)
    with pytest.raises(UnreadableFile, match="cannot be started .Too many open files."):
        read_frame(sound)


def test_a_program_that_is_no_python_is_told(monkeypatch: pytest.MonkeyPatch, sound: Path) -> None:
    limited_reader.stop_idle()
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(InternalError, match="check that '/bin/false' is a Python with Crypsis"):
        read_frame(sound)
