"""Who named a species and when, from the text behind its name: "(Bonnaterre, 1788)"."""

from __future__ import annotations

import re
from dataclasses import dataclass

_YEAR = re.compile(r"[,\s]*\b(\d{4})[a-z]?\s*$")
_BETWEEN_AUTHORS = re.compile(r"\s*(?:&|,|\band\b|\bet\b(?!\s+al\b))\s*")


@dataclass(frozen=True)
class Authorship:
    """Authors, year, and whether the species was moved to another genus since."""

    authors: tuple[str, ...]
    year: str | None
    moved: bool


def split_authorship(text: str) -> Authorship | None:
    """The parts of an authorship; None where there is none.

    >>> split_authorship("(Temminck & Schlegel, 1844)")
    Authorship(authors=('Temminck', 'Schlegel'), year='1844', moved=True)
    """
    text = text.strip()
    moved = text.startswith("(") and text.endswith(")")
    if moved:
        text = text[1:-1].strip()
    year = _YEAR.search(text)
    names = text[: year.start()] if year else text
    names = re.split(r"\s+in\s+", names, maxsplit=1)[0]
    authors = tuple(name.strip() for name in _BETWEEN_AUTHORS.split(names) if name.strip())
    if not authors and year is None:
        return None
    return Authorship(authors, year[1] if year else None, moved)
