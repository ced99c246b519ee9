"""Reading foreign binary files in a process of its own with limits on memory and time.

A damaged Parquet file of a kilobyte can make a decoder ask for 2^61 bytes, and the decoder then aborts the process it
runs in. So the file is decoded by `python -m crypsis.data.formats.limited_process`, and what comes back is a plain
copy in memory that has no name on disk. Whatever happens there becomes an `UnreadableFile` or a `TooLarge` here.

Memory: four times what the footer of the file declares and a base of 1 GB, at most `memory_limit()`. Time: a minute and
a second for each 4 MB; the environment variable CRYPSIS_READING_SECONDS replaces it.

A process that has read a file waits a minute for the next one, because starting it costs a third of a second.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Any, cast

import polars as pl

from crypsis.data.formats.columns import unknown_column
from crypsis.data.formats.failures import POLARS_FAILURES
from crypsis.data.formats.memory import LIMIT_VARIABLE, in_words, memory_limit
from crypsis.data.formats.passed_frames import read_passed, receive_passed
from crypsis.errors import BadParameter, CrypsisError, InternalError, MissingExtra, TooLarge, UnreadableFile

SECONDS_VARIABLE = "CRYPSIS_READING_SECONDS"
BASE_MEMORY = 1 << 30
TIMES_DECLARED = 4
LEAST_MEMORY = 256 << 20
BASE_SECONDS = 60
BYTES_PER_SECOND = 4_000_000
IDLE = 45.0  # seconds after which a waiting process is not used again; it leaves by itself a little later
MOST_IDLE = 2
LARGEST_IDLE = 500_000_000  # bytes; a larger process is ended
_MODULE = "crypsis.data.formats.limited_process"


@dataclass(eq=False)
class _Process:
    process: subprocess.Popen[bytes]
    channel: socket.socket
    waits_since: float = 0.0

    def stop(self) -> None:
        self.channel.close()
        with suppress(OSError):
            self.process.kill()
        self.process.wait()


_idle: list[_Process] = []
_lock = threading.Lock()


def read_limited(
    source: IO[bytes], decoder: str, options: Mapping[str, Any], *, file: str, label: str, declared: int
) -> tuple[pl.DataFrame, dict[str, Any]]:
    """What a decoder (`module:function`) makes of an open file: a table, and what stands beside it.

    `declared` is the size of the content once it is unpacked.
    """
    memory = _memory(declared)
    seconds = reading_seconds(declared)
    request = {"decoder": decoder, "options": dict(options), "memory": memory, "seconds": seconds}
    with _unnamed_file() as target:
        answer = _asked(request, source, target, file, label, seconds)
        if "unknown" in answer:
            raise unknown_column(answer["unknown"], answer["known"], file)
        if "refused" in answer:
            raise (
                BadParameter(answer["refused"])
                if answer["code"] == BadParameter.code
                else UnreadableFile(answer["refused"], where=file)
            )
        if "lacks" in answer:
            raise MissingExtra(
                f"Reading {label} needs the package {answer['lacks']}; install it with: pip install 'crypsis[files]'",
                where=file,
            )
        if answer.get("failed") == "memory":
            raise _beyond_memory(file, label, memory)
        if "failed" in answer:
            raise unreadable(file, answer["words"], label)
        try:
            return read_passed(target, answer["layout"], answer["arrays"]), answer["metadata"]
        except POLARS_FAILURES as error:
            raise unreadable(file, str(error).strip(), label) from error


def _memory(declared: int) -> int:
    """Bytes that decoding may take: as chosen, or as the footer justifies; never less than a decoder needs to start."""
    limit = memory_limit()
    justified = BASE_MEMORY + TIMES_DECLARED * declared
    if limit is None:
        return justified
    return max(limit if os.environ.get(LIMIT_VARIABLE) else min(justified, limit), LEAST_MEMORY)


def reading_seconds(size: int) -> int:
    """How long reading a file of this size may take."""
    chosen = os.environ.get(SECONDS_VARIABLE)
    if not chosen:
        return BASE_SECONDS + size // BYTES_PER_SECOND
    if not chosen.isdecimal() or not 0 < int(chosen) < 10**9:
        raise BadParameter(
            f"{SECONDS_VARIABLE} must be a positive number of seconds, got {chosen!r}.", parameter=SECONDS_VARIABLE
        )
    return int(chosen)


def unreadable(file: str, why: str, label: str = "Parquet") -> UnreadableFile:
    """The file is damaged, and in which way."""
    return UnreadableFile(
        f"{file} cannot be read as {label}: {why.rstrip('.')}. It is truncated or another format; write it again.",
        where=file,
    )


def _asked(
    request: dict[str, Any], source: IO[bytes], target: IO[bytes], file: str, label: str, seconds: int
) -> dict[str, Any]:
    """The answer of a process; one that left before it began is replaced once."""
    text = json.dumps(request).encode() + b"\n"
    for _ in range(2):
        try:
            worker = _taken() or _started()
        except OSError as error:
            raise UnreadableFile(
                f"{file} cannot be read: the process that decodes it cannot be started ({error.strerror}). Close other "
                "programs and try again.",
                where=file,
            ) from error
        source.seek(0)
        ended = True
        try:
            begun, answer = _exchanged(worker, text, source, target, seconds)
            if answer is not None:
                ended = answer.get("memory", 0) > LARGEST_IDLE
                return answer
        finally:  # also when somebody interrupts the waiting
            if ended:
                worker.stop()
            else:
                _kept(worker)
        if begun:
            raise _ended(worker.process.returncode, file, label, request["memory"], seconds)
    raise InternalError(
        f"The process that reads files cannot be started (it ended with {worker.process.returncode}); "
        f"check that {sys.executable!r} is a Python with Crypsis."
    )


def _exchanged(
    worker: _Process, text: bytes, source: IO[bytes], target: IO[bytes], seconds: int
) -> tuple[bool, dict[str, Any] | None]:
    """Whether the process began to read, and its answer; no answer where it is gone or takes too long."""
    begun = False
    pending = b""
    until = time.monotonic() + seconds + 30  # the process ends itself first, unless it is stopped
    try:
        handles = [source.fileno(), target.fileno()]
        sent = socket.send_fds(worker.channel, [text], handles)
        worker.channel.settimeout(seconds + 30)
        worker.channel.sendall(text[sent:])
        while True:
            worker.channel.settimeout(max(until - time.monotonic(), 0.01))
            said = worker.channel.recv(1 << 16)
            if not said:
                return begun, None
            pending += said
            while b"\n" in pending:
                line, _, pending = pending.partition(b"\n")
                answer = json.loads(line)
                if "begun" not in answer:
                    if "layout" in answer:
                        answer["arrays"] = receive_passed(answer["layout"], _receiver(worker.channel, pending, until))
                    return True, answer
                begun = True
    except (TimeoutError, OSError):
        return begun, None


def _receiver(channel: socket.socket, begun: bytes, until: float) -> Callable[[memoryview], None]:
    """Fills memory with what is sent, of which the beginning has come already."""

    def read_into(memory: memoryview) -> None:
        nonlocal begun
        memory[: len(begun)] = begun[: len(memory)]
        memory, begun = memory[len(begun) :], begun[len(memory) :]
        while memory:
            channel.settimeout(max(until - time.monotonic(), 0.01))
            size = channel.recv_into(memory)
            if not size:
                raise OSError("the process left")
            memory = memory[size:]

    return read_into


def _ended(code: int, file: str, label: str, memory: int, seconds: int) -> CrypsisError:
    """What the end of the process means: it was stopped by a limit, by a signal, or by its own decoder."""
    if code == -signal.SIGALRM:
        return UnreadableFile(
            f"{file} could not be read within {seconds} seconds; it is damaged, or the machine is busy. Write it "
            f"again, or set {SECONDS_VARIABLE} (seconds) if you know better.",
            where=file,
            seconds=seconds,
        )
    if code == -signal.SIGKILL:
        return TooLarge(
            f"The process that read {file} was stopped by the system, which happens when memory runs out. Give a "
            f"smaller part of it or a machine with more memory, or set {LIMIT_VARIABLE} (bytes) to a lower number.",
            where=file,
        )
    return _beyond_memory(file, label, memory)


def _beyond_memory(file: str, label: str, memory: int) -> UnreadableFile:
    return UnreadableFile(
        f"{file} cannot be read as {label}: decoding it failed or asked for more than {in_words(memory)} of memory. "
        f"It is damaged; write it again. If you know that it is whole, set {LIMIT_VARIABLE} (bytes).",
        where=file,
        memory=memory,
    )


def _taken() -> _Process | None:
    with _lock:
        while _idle:
            worker = _idle.pop()
            if time.monotonic() - worker.waits_since < IDLE and worker.process.poll() is None:
                return worker
            worker.stop()
    return None


def _kept(worker: _Process) -> None:
    worker.waits_since = time.monotonic()
    with _lock:
        _idle.append(worker)
        surplus = _idle[:-MOST_IDLE]
        del _idle[:-MOST_IDLE]
    for other in surplus:
        other.stop()


def _started() -> _Process:
    ours, theirs = socket.socketpair()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    try:
        with theirs:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", _MODULE, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,  # decoders print what they stumble over
                env=environment,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
    except OSError:
        ours.close()
        raise
    return _Process(process, ours)


def _unnamed_file() -> IO[bytes]:
    """A file without a name, in memory where the system can: it is gone with the last process that has it open."""
    if hasattr(os, "memfd_create"):
        with suppress(OSError):
            return os.fdopen(os.memfd_create("crypsis"), "w+b")
    return cast(IO[bytes], tempfile.TemporaryFile())


def unnamed_copy(content: bytes) -> IO[bytes]:
    """Bytes as an open file without a name."""
    copy = _unnamed_file()
    copy.write(content)
    copy.flush()
    return copy


def stop_idle() -> None:
    """End the processes that wait."""
    with _lock:
        ended, _idle[:] = list(_idle), []
    for worker in ended:
        worker.stop()


def _forget_idle() -> None:
    """After a fork: the waiting processes belong to the parent."""
    global _lock
    _lock = threading.Lock()
    for worker in _idle:
        worker.channel.close()
        worker.process.returncode = 0  # not ours to wait for
    _idle.clear()


atexit.register(stop_idle)
os.register_at_fork(after_in_child=_forget_idle)
