"""Some rows of what is published, to look at, and which of their cells differ from the original."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class OutputPage:
    """Rows from `start` on, of `total`; `changed` tells of each cell whether it differs from the original."""

    columns: list[str]
    total: int
    start: int
    rows: list[list[str | None]]
    changed: list[list[bool]] | None


def output_page(original: Any, published: Any, start: int = 0, count: int = 1000) -> OutputPage:
    """Some rows of what is published, in the order of the input, and which of their cells differ from the original.

    `changed` is None where rows cannot be put side by side: pieces of records, or not as many rows as before.
    """
    shown, before = published.to_texts(), None if original is None else original.to_texts()
    page = shown.slice(start, count)
    comparable = before is not None and before.height == shown.height
    changed: list[list[bool]] | None = None
    if comparable and before is not None:
        old = before.slice(start, count)
        flags = [
            (page[name] != old[name]).fill_null(True).to_list() if name in old.columns else [False] * page.height
            for name in page.columns
        ]
        changed = [list(row) for row in zip(*flags, strict=True)] if flags else []
    return OutputPage(shown.columns, shown.height, start, [list(row) for row in page.rows()], changed)
