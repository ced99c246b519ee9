"""Checkpoints: the whole state of a stream in one file that is either whole or refused.

A line with the version, a line of JSON (numbers, and where each array and list of words lies), the bytes of these, and
the SHA-256 of all before. Words are lines of UTF-8. The two newest are kept. They hold raw data: mode 0600, and sealed
where the state is encrypted.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from crypsis.atomic import write_file
from crypsis.errors import DamagedCheckpoint
from crypsis.runtime.sealing import Sealing

_FIRST_LINE = b"crypsis stream checkpoint 1\n"
_SEALED_LINE = b"crypsis sealed checkpoint 1\n"
_WHAT = b"checkpoint"
_KEPT = 2


def encoded(content: Mapping[str, Any]) -> bytes:
    """The file of a mapping of numbers, words, arrays, lists of words and mappings of such."""
    parts: list[bytes] = []
    described = _described(content, parts)
    body = _FIRST_LINE + json.dumps(described).encode() + b"\n" + b"".join(parts)
    return body + hashlib.sha256(body).digest()


def decoded(content: bytes) -> dict[str, Any]:
    """What was encoded; ValueError where the file is not whole or of another version."""
    body, checksum = content[:-32], content[-32:]
    if not body.startswith(_FIRST_LINE):
        raise ValueError("it does not begin like a checkpoint of this version")
    if hashlib.sha256(body).digest() != checksum:
        raise ValueError("its checksum differs")
    end = body.index(b"\n", len(_FIRST_LINE))
    described = json.loads(body[len(_FIRST_LINE) : end])
    return _restored(described, memoryview(body)[end + 1 :], [0])


def _described(content: Mapping[str, Any], parts: list[bytes]) -> dict[str, Any]:
    described: dict[str, Any] = {}
    for name, value in content.items():
        if isinstance(value, np.ndarray):
            raw = np.ascontiguousarray(value).tobytes()
            parts.append(raw)
            described[name] = {"array": value.dtype.str, "shape": value.shape, "bytes": len(raw)}
        elif isinstance(value, list):
            raw = "\n".join(value).encode("utf-8", "surrogatepass")
            parts.append(raw)
            described[name] = {"words": len(value), "bytes": len(raw)}
        elif isinstance(value, Mapping):
            described[name] = {"mapping": _described(value, parts)}
        else:
            described[name] = {"plain": value.item() if isinstance(value, np.generic) else value}
    return described


def _restored(described: Mapping[str, Any], body: memoryview, at: list[int]) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for name, said in described.items():
        if "plain" in said:
            content[name] = said["plain"]
            continue
        if "mapping" in said:
            content[name] = _restored(said["mapping"], body, at)
            continue
        raw = body[at[0] : at[0] + said["bytes"]]
        at[0] += said["bytes"]
        if "array" in said:
            content[name] = np.frombuffer(raw, np.dtype(said["array"])).reshape(said["shape"]).copy()
        else:
            text = bytes(raw).decode("utf-8", "surrogatepass")
            content[name] = text.split("\n") if said["words"] else []
    return content


class Checkpoints:
    """The checkpoints of one stream in a folder."""

    def __init__(self, folder: Path, sealing: Sealing | None = None) -> None:
        self.folder, self.sealing = folder, sealing
        self._positions: dict[str, Any] = {}  # by file, of those that this process has written or read

    def files(self) -> list[Path]:
        """Oldest first."""
        return sorted(self.folder.glob("checkpoint-*.state"))

    def write(self, number: int, content: Mapping[str, Any]) -> None:
        """Keep this one and the one before; `number` grows."""
        file = self.folder / f"checkpoint-{number:012d}.state"
        write_file(file, self._written(content), mode=0o600)
        self._positions[file.name] = content["position"]
        for old in self.files()[:-_KEPT]:
            old.unlink(missing_ok=True)
            self._positions.pop(old.name, None)

    def newest(self) -> dict[str, Any] | None:
        """The last state; None before the first. A damaged one is never passed over in silence."""
        files = self.files()
        if not files:
            return None
        try:
            return self._read(files[-1])
        except (ValueError, KeyError, TypeError, OSError) as error:
            remedy = (
                f"The one before is {files[-2]}; to go on from there, move the damaged one away."
                if len(files) > 1
                else "There is no earlier one; to start over, give the stream an empty state folder and sink."
            )
            raise DamagedCheckpoint(
                f"The checkpoint cannot be used: {error}. {remedy}", where=str(files[-1])
            ) from error

    def position_before(self) -> Any:
        """The position of the older checkpoint that is kept; nothing before it will be read again."""
        files = self.files()
        if len(files) < _KEPT:
            return None
        try:
            if files[0].name not in self._positions:
                self._read(files[0])
            return self._positions[files[0].name]
        except (ValueError, KeyError, TypeError, OSError):
            return None

    def _written(self, content: Mapping[str, Any]) -> bytes:
        if self.sealing is None:
            return encoded(content)
        return _SEALED_LINE + self.sealing.seal(encoded(content), _WHAT)

    def _read(self, file: Path) -> dict[str, Any]:
        content = file.read_bytes()
        if self.sealing is not None:
            if not content.startswith(_SEALED_LINE):
                raise ValueError("it is not encrypted")
            content = self.sealing.opened(content[len(_SEALED_LINE) :], _WHAT)
        state = decoded(content)
        self._positions[file.name] = state.get("position")
        return state
