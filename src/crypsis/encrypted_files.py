"""Files that only who knows the key can read: AES-GCM in pieces, so that none is whole in memory.

A file begins with seven random bytes. Piece n is sealed with a nonce of these bytes, n, and whether it is the last:
pieces cannot be exchanged or left out, nor the file cut short, without notice. Keys are in memory alone: each process
is told for which folder. Files of other folders are read as they are.
"""

from __future__ import annotations

import errno
import io
import pickle
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from crypsis.errors import MissingExtra

PIECE = 1 << 20
_PREFIX = 7
_TAG = 16
_keys: dict[str, bytes] = {}  # by the folder whose files are encrypted


def new_key() -> bytes:
    """A key for one run."""
    _cipher(bytes(32))  # tells at once that the package is missing
    return secrets.token_bytes(32)


def load(file: str) -> Any:
    """The object of a file of scratch."""
    with opened(file) as stream:
        return pickle.load(stream)


@contextmanager
def opened(file: str) -> Iterator[BinaryIO]:
    """A file as it was before it was encrypted."""
    with open(file, "rb") as stream:  # noqa: PTH123 (a path from a task)
        key = key_of(file)
        yield stream if key is None else cast(BinaryIO, io.BufferedReader(DecryptingStream(stream, key), PIECE))


def load_array(file: str, *, mapped: bool) -> Any:
    """An array that was written as one, mapped where that is possible."""
    import numpy as np

    if key_of(file) is None:
        return np.load(file, mmap_mode="r" if mapped else None)
    with opened(file) as stream:
        return np.lib.format.read_array(stream, allow_pickle=False)


def keep_key(folder: str, key: bytes) -> None:
    """Know from now on what the files below a folder are encrypted with."""
    _keys[folder] = key


def forget_key(folder: str) -> None:
    """Know it no longer."""
    _keys.pop(folder, None)


def key_of(file: str) -> bytes | None:
    """What a file is encrypted with."""
    if not _keys:
        return None
    return next((_keys[str(above)] for above in Path(file).parents if str(above) in _keys), None)


class EncryptingStream(io.RawIOBase):
    """Seals what is written; what was not closed cannot be read."""

    def __init__(self, stream: BinaryIO, key: bytes) -> None:
        self._stream, self._cipher, self._prefix = stream, _cipher(key), secrets.token_bytes(_PREFIX)
        self._number, self._open = 0, bytearray()
        stream.write(self._prefix)

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        for first in range(0, len(view), PIECE):
            self._open += view[first : first + PIECE]
            while len(self._open) > PIECE:  # the last piece is sealed at the end
                self._seal(bytes(self._open[:PIECE]), last=False)
                del self._open[:PIECE]
        return len(view)

    def close(self) -> None:
        if not self.closed:
            self._seal(bytes(self._open), last=True)
        super().close()

    def _seal(self, piece: bytes, *, last: bool) -> None:
        self._stream.write(self._cipher.encrypt(_nonce(self._prefix, self._number, last=last), piece, None))
        self._number += 1


class DecryptingStream(io.RawIOBase):
    """Reads what an `EncryptingStream` wrote; an error of input where it was changed."""

    def __init__(self, stream: BinaryIO, key: bytes) -> None:
        self._stream, self._cipher, self._prefix = stream, _cipher(key), stream.read(_PREFIX)
        self._number, self._next, self._plain = 0, stream.read(PIECE + _TAG), memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not len(self._plain) and self._next:
            sealed, self._next = self._next, self._stream.read(PIECE + _TAG)
            self._plain = memoryview(self._opened(sealed, last=not self._next))
        target = memoryview(buffer).cast("B")
        count = min(len(target), len(self._plain))
        target[:count], self._plain = self._plain[:count], self._plain[count:]
        return count

    def _opened(self, sealed: bytes, *, last: bool) -> bytes:
        from cryptography.exceptions import InvalidTag

        nonce = _nonce(self._prefix, self._number, last=last)
        self._number += 1
        try:
            return bytes(self._cipher.decrypt(nonce, sealed, None))
        except InvalidTag:
            raise OSError(errno.EIO, "an encrypted file was changed") from None


def _nonce(prefix: bytes, number: int, *, last: bool) -> bytes:
    return prefix + number.to_bytes(4, "big") + bytes([last])


def _cipher(key: bytes) -> Any:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ImportError as error:
        raise MissingExtra(
            "Encryption needs the package cryptography; install it with: pip install 'crypsis[encryption]'"
        ) from error
    return AESGCM(key)
