"""Confirming: what the publisher has looked at and wants to publish all the same."""

from __future__ import annotations

from crypsis.review.lights import Colour, Finding, Remedy
from crypsis.review.subject import Subject


def finding_to_confirm(
    code: str, subject: Subject, column: str, words: str, people: tuple[int, int], remedy: str
) -> Finding:
    """A finding about so many people of all in a column, red until the publisher confirms the column."""
    number, total = people
    confirmed = column in subject.confirmed
    return Finding(
        code,
        Colour.GREEN if confirmed else Colour.RED,
        f"{words.rstrip('.')}; confirmed by the publisher." if confirmed else words,
        number,
        total,
        number / max(total, 1),
        Remedy(f"{remedy}; or confirm the column", "confirm", column),
        column,
        confirmable=True,
    )
