"""Files as bytes in large pages of memory, where the system has such: fetching small ones takes longer than reading."""

from __future__ import annotations

import ctypes
import mmap
import os
import sys
from pathlib import Path

LARGE = 4 << 20
_ADVICE = getattr(mmap, "MADV_HUGEPAGE", None)


def read_whole(path: Path) -> bytes:
    """The content of a file."""
    with path.open("rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        if size < LARGE or _ADVICE is None or sys.implementation.name != "cpython":
            return path.read_bytes()
        content, memory = _new_bytes(size)
        read = 0
        while read < size and (some := file.readinto(memory[read:])):
            read += some
        if read == size and not file.read(1):
            return content
    return path.read_bytes()  # somebody is writing to it


def _new_bytes(size: int) -> tuple[bytes, memoryview]:
    """Bytes that nobody else has yet, so that they may be filled as Python itself does, and their memory."""
    make = ctypes.pythonapi.PyBytes_FromStringAndSize
    make.argtypes, make.restype = [ctypes.c_char_p, ctypes.c_ssize_t], ctypes.py_object
    address_of = ctypes.pythonapi.PyBytes_AsString
    address_of.argtypes, address_of.restype = [ctypes.py_object], ctypes.c_void_p
    content: bytes = make(None, size)
    start = address_of(content)
    first = -(-start // mmap.PAGESIZE) * mmap.PAGESIZE
    whole_pages = (start + size - first) // mmap.PAGESIZE * mmap.PAGESIZE
    ctypes.CDLL(None).madvise(ctypes.c_void_p(first), ctypes.c_size_t(whole_pages), _ADVICE)  # which may be refused
    return content, memoryview((ctypes.c_char * size).from_address(start)).cast("B")
