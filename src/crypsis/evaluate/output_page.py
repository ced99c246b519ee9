"""Some rows of what is published, to look at, and which of their cells differ from the original."""

from __future__ import annotations

from typing import Any


def output_page(original: Any, published: Any, start: int = 0, count: int = 1000) -> dict[str, Any]:
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
    return {
        "columns": shown.columns,
        "total": shown.height,
        "start": start,
        "rows": [list(row) for row in page.rows()],
        "changed": changed,
    }
