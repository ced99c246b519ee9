"""The process in which foreign binary files are read: started by `limited_reader`, one file after another.

A damaged file can make a decoder ask for any amount of memory, run without end or abort. Here that ends this process,
not the one that asked. Memory and time are limited for each file. A request is a line of JSON with two open files,
the input and an empty one for the result; the answer is a line of JSON, and the long columns follow it. Nothing has a
name on disk, so nothing is left behind however the process ends.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl

from crypsis.data.formats.failures import POLARS_FAILURES
from crypsis.data.formats.passed_frames import Array, write_passed
from crypsis.errors import CrypsisError, UnknownColumn

IDLE = 60.0  # seconds that the process waits for another file
RESERVE = 512 << 20  # bytes of address space for threads and libraries that load late
_MOST = 1 << 16
_OUT_OF_MEMORY = {"failed": "memory"}


def main() -> None:
    """Answer requests until nobody is there to ask."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever asked decides when to stop
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core file would hold raw data
    with socket.socket(fileno=int(sys.argv[1])) as channel:
        while True:
            signal.alarm(int(IDLE))
            text, handles, _, _ = socket.recv_fds(channel, _MOST, 2)
            if not text or len(handles) != 2:
                return
            while not text.endswith(b"\n"):
                text += channel.recv(_MOST)
            request = json.loads(text)
            signal.alarm(request["seconds"])
            channel.sendall(b'{"begun": true}\n')
            with os.fdopen(handles[0], "rb") as source, os.fdopen(handles[1], "wb") as target:
                answer, parts = _answer(request, source, target)
            channel.sendall(json.dumps(answer).encode() + b"\n")
            while parts:  # nothing of a file stays while the next one is awaited
                channel.sendall(parts.pop(0).data.cast("B"))


def _answer(request: dict[str, Any], source: Any, target: Any) -> tuple[dict[str, Any], list[Array]]:
    """What is said in reply, and the columns that follow it."""
    try:
        return _read(request, source, target)
    except MemoryError:
        return _OUT_OF_MEMORY, []
    except UnknownColumn as error:
        return {"unknown": error.details["column"], "known": error.details["known"]}, []
    except CrypsisError as error:
        return {"refused": error.message, "code": error.code}, []
    except ImportError as error:
        return {"lacks": str(error.name)}, []
    except POLARS_FAILURES as error:
        return _failed(error), []
    except Exception as error:  # every decoder has its own
        return _failed(error), []


def _read(request: dict[str, Any], source: Any, target: Any) -> tuple[dict[str, Any], list[Array]]:
    limit = request["memory"]
    _limit(resource.RLIMIT_DATA, limit + _used("VmData"))
    _limit(resource.RLIMIT_AS, limit + _used("VmSize") + os.fstat(source.fileno()).st_size + RESERVE)
    _limit(resource.RLIMIT_FSIZE, limit)
    module, _, function = request["decoder"].partition(":")
    frame, metadata = getattr(import_module(module), function)(source, **request["options"])
    # A column of nulls takes no memory however long it is claimed to be, and a text that repeats takes little; whatever
    # is made of them does.
    if frame.height * max(frame.width, 1) + _bytes_of_texts(frame) > limit:
        return _OUT_OF_MEMORY, []
    layout, parts = write_passed(frame, target)
    return {"done": True, "metadata": metadata, "layout": layout, "memory": _used("VmRSS")}, parts


def _failed(error: BaseException) -> dict[str, Any]:
    return {"failed": "format", "words": " ".join(str(error).split())[:500]}


def _bytes_of_texts(frame: pl.DataFrame) -> int:
    """Of all texts side by side, each as often as it occurs."""
    texts = (column.str.len_bytes() for column in frame.iter_columns() if column.dtype == pl.String)
    return sum(int(lengths.sum()) for lengths in texts)


def _limit(which: int, amount: int) -> None:
    _, hard = resource.getrlimit(which)
    with suppress(ValueError, OSError):  # some systems know a limit and refuse to set it
        resource.setrlimit(which, (amount if hard == resource.RLIM_INFINITY else min(amount, hard), hard))


def _used(field: str) -> int:
    """Bytes, as the system counts them; 0 where it does not tell."""
    try:
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith(f"{field}:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


if __name__ == "__main__":
    main()
