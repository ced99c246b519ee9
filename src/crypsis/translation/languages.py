"""The languages that there are, and which of them a browser prefers."""

from __future__ import annotations

ENGLISH = "en"
LANGUAGES = {ENGLISH: "English", "de": "Deutsch"}  # each in its own words
PSEUDO = "en-XA"  # every text between brackets: what stands outside of them cannot be translated


def is_known(name: str | None) -> bool:
    """Return whether there is a language of this name."""
    return name in LANGUAGES or name == PSEUDO


def best_language(accepted: str) -> str:
    """The language of an `Accept-Language` header that is preferred among those that there are.

    >>> best_language("fr;q=0.9, de-AT;q=0.8, en;q=0.5")
    'de'
    """
    wishes = []
    for place, wish in enumerate(accepted.split(",")):
        name, _, quality = wish.partition(";q=")
        try:
            weight = float(quality) if quality else 1.0
        except ValueError:
            weight = 0.0
        wishes.append((-weight, place, name.strip().lower().split("-")[0]))
    return next((name for weight, _, name in sorted(wishes) if weight < 0 and name in LANGUAGES), ENGLISH)
