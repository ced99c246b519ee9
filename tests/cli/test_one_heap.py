"""Threads of a command share one heap, so that what one gives back is there for the others."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

_HEAPS_OF_THREADS = """
import ctypes, sys, threading
if sys.argv[1] == "shared":
    from crypsis.cli.one_heap import share_one_heap
    share_one_heap()
system = ctypes.CDLL(None)
system.malloc.restype, system.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
all_begun = threading.Barrier(4)
def take():
    all_begun.wait()
    system.malloc(4096)
    all_begun.wait()
threads = [threading.Thread(target=take) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
system.fdopen.restype, system.malloc_info.argtypes = ctypes.c_void_p, [ctypes.c_int, ctypes.c_void_p]
system.fflush.argtypes = [ctypes.c_void_p]
out = system.fdopen(1, b"w")
system.malloc_info(0, out)
system.fflush(out)
"""


@pytest.mark.skipif(
    not sys.platform.startswith("linux") or not hasattr(ctypes.CDLL(None), "malloc_info"), reason="another malloc"
)
def test_threads_share_one_heap() -> None:
    def heaps(how: str) -> int:
        told = subprocess.run([sys.executable, "-c", _HEAPS_OF_THREADS, how], capture_output=True, check=True)
        return told.stdout.count(b"<heap nr=")

    assert heaps("shared") == 1
    assert heaps("apart") > 1
