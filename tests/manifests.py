"""What the manifest of a release tells in words and numbers."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

_CHECKSUMS = ("sha256", "digest", "ledger_digest", "bytes", "created")
_PUBLISHED = ("rows", "records", "occurrences", "trajectories")


def numbers_told(folder: Path) -> set[str]:
    """Every number in the manifest but checksums, sizes of files and the date, which hold any digits by chance, and the
    noisy sizes of what is published, which may by chance be those of the original."""

    def told(value: Any) -> set[str]:
        if isinstance(value, dict):
            kept = (told(one) for name, one in value.items() if name not in (*_CHECKSUMS, *_PUBLISHED))
            return set().union(*kept)
        if isinstance(value, list):
            return set().union(*map(told, value))
        return set(re.findall(r"\d+", str(value)))

    return told(json.loads((folder / "release.json").read_text(encoding="utf-8")))
