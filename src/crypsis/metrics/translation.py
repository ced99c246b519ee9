"""Published data in the original's codes. A release read from a file has its own vocabulary: labels decide.

Everything that compares published symbols with original locations goes through here first.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from crypsis.data.symbols import Symbols
from crypsis.data.trajectory import Locations, PublishedTrajectories
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import UnknownLocation


def translated(published: PublishedTrajectories, vocabulary: Vocabulary) -> PublishedTrajectories:
    """The same rows and symbols, members coded by `vocabulary`; labels it lacks get codes behind its last."""
    symbols = published.symbols
    if symbols.vocabulary is vocabulary:
        return published
    code_of = vocabulary.encode(symbols.vocabulary.series).copy()
    foreign = np.flatnonzero(code_of < 0)
    code_of[foreign] = len(vocabulary) + np.arange(len(foreign))
    wider = vocabulary
    if len(foreign):
        wider = Vocabulary(pl.concat([vocabulary.series, symbols.vocabulary.series.gather(foreign)]))
    members = code_of[symbols.members]
    order = np.lexsort((members, np.repeat(np.arange(len(symbols)), symbols.sizes)))
    return replace(published, symbols=Symbols(wider, symbols.offsets, members[order]))


def translated_to_known(
    published: PublishedTrajectories, locations: Locations, needed_by: str
) -> PublishedTrajectories:
    """Like `translated`, but every published label must be in the location table."""
    published = translated(published, locations.vocabulary)
    if len(published.symbols.vocabulary) > len(locations):
        label = published.symbols.vocabulary[len(locations)]
        raise UnknownLocation(
            f"{needed_by}: the published location {label!r} is not in the original's location table, which "
            f"lists {len(locations)} locations; measure against the original that the release was made from.",
            location=label,
        )
    return published
