"""How the records of the input are found again in what is published: the sum that every private report shows."""

from __future__ import annotations


def record_accounting(records: int, empty: int, lost: int = 0) -> dict[str, int]:
    """How many of the given `records` are not published (`lost`) or are published without any content (`empty`)."""
    return {
        "input": records,
        "published": records - empty - lost,
        "published_as_empty": empty,
        "lost": lost,
    }
