"""The digest of a run's ledger that a release may show: keyed, because a plain one could tell what the ledger says.

With one location, one timestamp and one level, no record and one record may give two ledgers of which each is certain.
The key is drawn for each run and stays with the ledger.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from typing import Any


def new_key() -> str:
    """A key of 256 bits in hexadecimal digits."""
    return secrets.token_hex(32)


def keyed_digest(ledger: dict[str, Any], key: str) -> str:
    """HMAC-SHA-256 of the ledger as JSON with sorted keys."""
    text = json.dumps(ledger, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hmac.new(bytes.fromhex(key), text.encode(), hashlib.sha256).hexdigest()
