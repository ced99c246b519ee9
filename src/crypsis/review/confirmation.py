"""Confirming: what the publisher has looked at and wants to publish all the same."""

from __future__ import annotations

from crypsis.review.lights import Colour, Remedy


def confirmed_colour(confirmed: bool) -> Colour:
    """Red until it is confirmed."""
    return Colour.GREEN if confirmed else Colour.RED


def confirmed_words(words: str, confirmed: bool) -> str:
    return f"{words.rstrip('.')}; confirmed by the publisher." if confirmed else words


def remedy_to_confirm(words: str, column: str) -> Remedy:
    """What to do instead, or else to confirm the column."""
    return Remedy(f"{words}; or confirm the column", "confirm", column)
