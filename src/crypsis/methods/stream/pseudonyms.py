"""Pseudonyms of people in published windows: repeatable with the key, unlinkable without it."""

from __future__ import annotations

import hmac
from collections.abc import Iterable


def pseudonyms(key: bytes, scope: int, people: Iterable[str]) -> list[str]:
    """First 16 hex digits of HMAC-SHA-256(key, scope || id); the scope is 8 bytes, so that no two can be mixed up.

    The scope is the number of the window, or of the epoch in which a person keeps one pseudonym.
    """
    prefix = scope.to_bytes(8, "big")
    return [hmac.digest(key, prefix + person.encode(), "sha256")[:8].hex() for person in people]
