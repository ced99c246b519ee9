"""Long names in little room: what tells names apart is at their end as often as at their beginning."""

from __future__ import annotations


def fitting(name: str, longest: int) -> str:
    """The name, cut in the middle where it is too long."""
    if len(name) <= longest:
        return name
    end = longest // 2
    return f"{name[: longest - end - 1].rstrip()}…{name[-end:].lstrip()}"
