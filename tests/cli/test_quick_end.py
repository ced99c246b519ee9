"""A command ends at once, and yet nothing that belongs to its end is left out."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_ENDING = """
import atexit, sys, threading, time
from pathlib import Path
if sys.argv[1] == "registered before":
    atexit.register(print, "first of all")
from crypsis.cli.quick_end import QuickEnd
end = QuickEnd.expected()

class Kept:
    def __del__(self):
        print("taken apart", flush=True)

kept = Kept()
kept.itself = kept
atexit.register(print, "registered")
threading.Thread(target=lambda: (time.sleep(0.2), print("thread"))).start()
print("written")
if sys.argv[1] != "no code":
    end.code = 3
sys.exit(3)
"""


def _ended(how: str) -> tuple[list[str], int]:
    told = subprocess.run([sys.executable, "-c", _ENDING, how], capture_output=True, text=True, check=False)
    return told.stdout.split("\n")[:-1], told.returncode


def test_threads_handlers_and_output_are_waited_for_and_nothing_is_taken_apart() -> None:
    assert _ended("quick") == (["written", "thread", "registered"], 3)


@pytest.mark.parametrize(
    ("how", "more"), [("no code", []), ("registered before", ["first of all"])], ids=["no-code", "registered-before"]
)
def test_a_process_that_must_not_end_quickly_ends_as_usual(how: str, more: list[str]) -> None:
    assert _ended(how) == (["written", "thread", "registered", *more, "taken apart"], 3)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_output_that_cannot_be_written_is_still_an_error() -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123
        told = subprocess.run(
            [sys.executable, "-c", _ENDING, "quick"],
            stdout=full,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONUNBUFFERED": ""},
            check=False,
        )
    assert told.returncode == 120
    assert b"No space left" in told.stderr


def test_a_command_ends_with_its_code() -> None:
    for arguments, code in ((["--version"], 0), (["no-such-command"], 2)):
        ended = subprocess.run([sys.executable, "-m", "crypsis", *arguments], capture_output=True, check=False)
        assert ended.returncode == code
        assert ended.stdout or ended.stderr
