"""Encrypting what lies in the state folder: checkpoints, the spool and late events hold raw data.

AES-256-GCM of the package cryptography. Every process draws a run of 16 random bytes, derives a key for it by
HMAC-SHA-256, and counts what it seals: no key ever meets a number twice, however often a stream is started.
"""

from __future__ import annotations

import base64
import hmac
import os
import secrets
import threading
from functools import lru_cache
from pathlib import Path
from typing import Any

from crypsis.data.formats.compression import existing_file
from crypsis.errors import BadConfiguration, MissingExtra

VARIABLE = "CRYPSIS_STATE_KEY"
_RUN, _NUMBER = 16, 12


class Sealing:
    """Seals with one key. `what` says what the content is for; it opens as nothing else."""

    def __init__(self, key: bytes) -> None:
        try:
            from cryptography.exceptions import InvalidTag
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        except ImportError as error:
            raise MissingExtra(
                "Encrypting the state needs the package cryptography: pip install 'crypsis[encryption]'.",
                extra="encryption",
            ) from error

        @lru_cache(maxsize=64)
        def cipher(run: bytes) -> Any:
            return AESGCM(hmac.digest(key, b"crypsis state" + run, "sha256"))

        self._cipher, self._invalid = cipher, InvalidTag
        self._run, self._sealed = secrets.token_bytes(_RUN), 0
        self._turn = threading.Lock()

    def seal(self, content: bytes, what: bytes) -> bytes:
        with self._turn:
            self._sealed += 1
            number = self._sealed.to_bytes(_NUMBER, "big")
        sealed: bytes = self._cipher(self._run).encrypt(number, content, what)
        return self._run + number + sealed

    def opened(self, sealed: bytes, what: bytes) -> bytes:
        """The content; ValueError where it was changed, or sealed with another key."""
        run, number = sealed[:_RUN], sealed[_RUN : _RUN + _NUMBER]
        try:
            content: bytes = self._cipher(run).decrypt(number, sealed[_RUN + _NUMBER :], what)
        except (self._invalid, ValueError) as error:
            raise ValueError("it was sealed with another key, or changed") from error
        return content

    def sealed_line(self, line: bytes, what: bytes) -> bytes:
        """A line without line breaks."""
        return base64.b64encode(self.seal(line, what))

    def opened_line(self, line: bytes, what: bytes) -> bytes:
        return self.opened(base64.b64decode(line, validate=True), what)


def sealing_of(key_file: Path | None) -> Sealing:
    """With the key of a file, else of the environment: 64 hexadecimal digits."""
    text = os.environ.get(VARIABLE) if key_file is None else existing_file(key_file).read_text(encoding="utf-8")
    try:
        key = bytes.fromhex((text or "").strip())
    except ValueError:
        key = b""
    if len(key) != 32:
        place = VARIABLE if key_file is None else str(key_file)
        raise BadConfiguration(
            f"Encrypting the state needs a key of 64 hexadecimal digits in state_key (a file) or {VARIABLE}; "
            f"{place} holds none. `openssl rand -hex 32` makes one; keep it apart from the state.",
            parameter="state_key",
        )
    return Sealing(key)
