"""One line per family for the end of a test run: how many golden vectors are run, how many wait, and for what."""

from __future__ import annotations

from tests.conformance import vectors
from tests.conformance.pending import PENDING, PENDING_PARTS


def lines() -> list[str]:
    files = vectors.all_files()
    families = sorted({file.split("/")[0] for file in files})
    return [_line(family, {file for file in files if file.startswith(f"{family}/")}) for family in families]


def _line(family: str, files: set[str]) -> str:
    pending = files & PENDING.keys()
    in_part = files & PENDING_PARTS.keys()
    waits_for = {PENDING[file] for file in pending}
    for file in in_part:
        waits_for |= set(PENDING_PARTS[file].values())
    run = f"{len(files) - len(pending):3} run" + (f" ({len(in_part)} of them in part)" if in_part else "")
    return f"{family:12} {run}, {len(pending):2} pending: {'; '.join(sorted(waits_for)) or 'nothing'}"
