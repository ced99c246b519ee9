"""A program that runs a stream and kills it again and again, until it gets to its end.

python -m tests.runtime.crashing FOLDER TABLES HOW SEED

HOW is `sync` (around a random sync or rename), `time` (at a random moment), or `told`: then a line on standard input
says what happens to the next process, and a line of standard output what became of it:

    life WINDOWS SECONDS    killed so long after so many windows: `killed`, or `finished`
    full BYTES              not killed, with little patience; no file may grow beyond BYTES unless it is 0: `failed …`
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import sys
import tempfile
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

from crypsis.runtime import StreamConfiguration, stream
from tests.runtime.streams import lively_lines, prepared


def killed_at_sync(configuration: StreamConfiguration, number: int) -> bool:
    """Run in a process of its own that dies around its n-th sync or rename; False where it came to its end."""
    return _forked(configuration, lambda: _die_at(number))


def killed_after(configuration: StreamConfiguration, windows: int, seconds: float) -> bool:
    """Run in a process of its own that dies some moments after so many windows; False where it came to its end."""
    return _forked(configuration, lambda: _die_after(windows, seconds))


def failed_on_a_full_disk(configuration: StreamConfiguration, largest_file: int) -> None:
    """Run in a process of its own that tells why it cannot write."""
    impatient = replace(configuration, run=replace(configuration.run, retry_seconds=0.3))
    child = os.fork()
    if child == 0:
        if largest_file:
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))
        try:
            stream(impatient)
            print("finished", flush=True)
        except BaseException as error:
            print(f"failed {error!r}".replace("\n", " "), flush=True)
        os._exit(0)
    os.waitpid(child, 0)


def _forked(configuration: StreamConfiguration, prepare: Any) -> bool:
    child = os.fork()
    if child == 0:
        try:
            stream(configuration, listener=prepare())
            os._exit(0)
        except BaseException as error:
            print(repr(error), file=sys.stderr, flush=True)
            os._exit(9)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return True
    assert os.WEXITSTATUS(status) == 0, "the stream failed"
    return False


def _die_after(windows: int, seconds: float) -> Any:
    """A listener that has the process killed, wherever it then is."""
    seen = [0]

    def look(observed: Any) -> None:
        if observed.latest is not None or windows == 0:
            seen[0] += 1
            if seen[0] == max(windows, 1):
                timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGKILL))
                timer.daemon = True
                timer.start()

    return look


def _die_at(number: int) -> None:
    """Die before the sync or rename with this number (odd: after it)."""
    made = [0]

    def mortal(action: Any) -> Any:
        def acting(*arguments: Any, **named: Any) -> Any:
            made[0] += 1
            if made[0] * 2 == number:
                os.kill(os.getpid(), signal.SIGKILL)
            result = action(*arguments, **named)
            if made[0] * 2 + 1 == number:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return acting

    os.fsync = mortal(os.fsync)
    os.replace = mortal(os.replace)
    Path.replace = mortal(Path.replace)  # type: ignore[method-assign]


def obey(configuration: StreamConfiguration) -> None:
    print("ready", flush=True)
    for line in sys.stdin:
        command, *numbers = line.split()
        if command == "life":
            killed = killed_after(configuration, int(numbers[0]), float(numbers[1]))
            print("killed" if killed else "finished", flush=True)
        else:
            failed_on_a_full_disk(configuration, int(numbers[0]))


def main() -> None:
    folder, described, how, seed = sys.argv[1:]
    configuration = StreamConfiguration.from_tables(json.loads(described), folder)
    with tempfile.TemporaryDirectory() as warm:  # compiled code is loaded once, not in every child
        stream(prepared(Path(warm) / "warm", lively_lines(timestamps=8), privacy=json.loads(described)["privacy"]))
    if how == "told":
        obey(configuration)
        return
    chance = random.Random(int(seed))
    kills = 0
    while True:
        if how == "sync":
            killed = killed_at_sync(configuration, chance.randrange(2, 24))
        else:
            killed = killed_after(configuration, chance.randrange(10), 0.03 * chance.random())
        if not killed:
            break
        kills += 1
        assert kills < 500, "it never gets to its end"
    print(kills)


if __name__ == "__main__":
    main()
