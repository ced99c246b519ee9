"""Texts in the language of whoever reads them. The code speaks English; other languages come from a catalogue.

A text of a page or a report stands at its place inside `_`, which looks it up while it is shown:

>>> plural("{count:,} person", "{count:,} persons", 1200)
'1,200 persons'
>>> with reading("de"):
...     plural("{count:,} person", "{count:,} persons", 1200)
'1.200 Personen'

Methods, guarantees, metrics, verdicts and errors keep their words as English facts, which go into files, too. A page
that shows them translates them with `translated`, which knows sentences with values in them, too. The language is the
reader's, not that of the process: two people read one server in two languages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from crypsis.translation.catalogue import catalogue
from crypsis.translation.languages import ENGLISH, LANGUAGES, PSEUDO, best_language, is_known
from crypsis.translation.templates import filled

__all__ = [
    "ENGLISH",
    "LANGUAGES",
    "PSEUDO",
    "_",
    "best_language",
    "language",
    "marked",
    "plural",
    "reading",
    "translated",
]

_chosen: ContextVar[str | None] = ContextVar("language", default=None)
_askers: list[Callable[[], str | None]] = []


def language() -> str:
    """The language of whoever is read to now: English, unless one was chosen or somebody knows better."""
    chosen = _chosen.get()
    if chosen is not None:
        return chosen
    known = (asker() for asker in _askers)
    return next((found for found in known if found), ENGLISH)


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Within, texts are in this language."""
    if not is_known(name):
        raise ValueError(f"There is no translation into {name!r}; there are {', '.join(LANGUAGES)}.")
    before = _chosen.set(name)
    try:
        yield
    finally:
        _chosen.reset(before)


def ask_language(asker: Callable[[], str | None]) -> None:
    """Let somebody be asked who knows the reader, such as the browser's server; None means: not known."""
    if asker not in _askers:
        _askers.append(asker)


def _(text: str, /, **values: object) -> str:
    """A text in the reader's language; values are put in after it was looked up."""
    chosen = language()
    return filled(catalogue(chosen).text(text), values, chosen)


def plural(one: str, many: str, count: int, /, **values: object) -> str:
    """A text for so many; both forms may use `{count}`."""
    chosen = language()
    return filled(catalogue(chosen).for_count(one, many, count), {"count": count, **values}, chosen)


def translated(words: str) -> str:
    """Words of a member, an error or a manifest in the reader's language; what the catalogue does not know stays."""
    from crypsis.translation.sentences import sentence

    return sentence(words, language())


def marked(text: str) -> str:
    """The text itself: it belongs to the catalogue, and is looked up with `_` where it is shown."""
    return text
