"""What a report shows of a release, computed once from what is published.

Only symbols that occur in a row are known here: the table behind them may hold locations that were never published.
Symbols and locations stand in the order of their labels, so a report does not depend on how they were numbered.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from crypsis.arrays import Float64s, Int64s, offsets_of
from crypsis.data.timed_places import TimedPlaces
from crypsis.data.trajectory import Locations, PublishedTrajectories
from crypsis.reports.symbol_facts import SymbolFacts, occurring_symbols
from crypsis.reports.symbol_flows import symbol_flows
from crypsis.reports.symbol_supports import symbol_supports

if TYPE_CHECKING:  # queries are imported where there are movements to ask
    from crypsis.query.presence_over_time import PresenceOverTime


@dataclass(frozen=True, eq=False)
class ReleaseFacts(SymbolFacts):
    """Symbol s joins the locations `members[offsets[s]:offsets[s + 1]]`, which are numbers into `labels`.

    `x` and `y` are the places of the locations: None without coordinates, NaN where a location has none.
    """

    manifest: Mapping[str, Any]
    names: list[tuple[str, ...]]
    supports: Int64s
    labels: list[str]
    offsets: Int64s
    members: Int64s
    x: Float64s | None
    y: Float64s | None
    lengths: Int64s
    flows: Int64s  # columns origin, target, rows: direct moves between symbols
    times_in_words: str | None = None  # how coarse published times are; None where none are published
    presence: PresenceOverTime | None = None
    timed: TimedPlaces | None = None

    @classmethod
    def of(
        cls, manifest: Mapping[str, Any], published: PublishedTrajectories, places: Locations | None
    ) -> ReleaseFacts:
        names, number = occurring_symbols(published)
        codes = number[published.codes]
        facts = cls.of_counts(
            manifest,
            names,
            symbol_supports(published.offsets, codes, len(names)),
            np.diff(published.offsets),
            symbol_flows(published.offsets, codes, len(names)),
            places,
        )
        times = None if published.timed is None else published.timed.words
        return replace(facts, times_in_words=times, presence=_presence(manifest, published), timed=published.timed)

    @classmethod
    def of_counts(
        cls,
        manifest: Mapping[str, Any],
        names: list[tuple[str, ...]],
        supports: Int64s,
        lengths: Int64s,
        flows: Int64s,
        places: Locations | None,
    ) -> ReleaseFacts:
        """By what was counted of the rows."""
        labels = sorted({label for name in names for label in name})
        code_of = {label: code for code, label in enumerate(labels)}
        x, y = _coordinates(labels, places)
        return cls(
            manifest=manifest,
            names=names,
            supports=supports,
            labels=labels,
            offsets=offsets_of(np.fromiter(map(len, names), np.int64, len(names))),
            members=np.array([code_of[label] for name in names for label in name], np.int64),
            x=x,
            y=y,
            lengths=lengths,
            flows=flows,
        )

    def label_words(self, label: str) -> str:
        """A location as people read it: a place with its times as both."""
        return label if self.timed is None else self.timed.label_words(label)

    @property
    def rows(self) -> int:
        return len(self.lengths)

    @property
    def has_map(self) -> bool:
        """At least one published location has coordinates."""
        return self.x is not None and bool(np.isfinite(self.x).any())

    @property
    def shows_cells(self) -> bool:
        """The symbols are cells that tracks were generalized to, not locations of a table."""
        return self.section("data").get("places") == "cells"

    @property
    def smallest_by_size(self) -> list[int | None]:
        """Support of the rarest sequence of each size, as the verifier counted it."""
        return list(self.section("verdict").get("min_support_by_size") or [])


def _presence(manifest: Mapping[str, Any], published: PublishedTrajectories) -> PresenceOverTime | None:
    """Bounds over time, where times are published and every record is true of its original."""
    method = manifest.get("method")
    if published.timed is None or not isinstance(method, Mapping) or method.get("truthful") is not True:
        return None
    from crypsis.query.presence_over_time import presence_over_time
    from crypsis.query.published_movements import visits_of

    visits = visits_of(published, truthful=True, complete=method.get("complete") is True)
    return presence_over_time(visits, published.timed)


def _coordinates(labels: list[str], places: Locations | None) -> tuple[Float64s | None, Float64s | None]:
    if places is None or places.x is None or places.y is None:
        return None, None
    code = places.vocabulary.encode(pl.Series(labels, dtype=pl.String))
    known = code >= 0
    x, y = np.full(len(labels), np.nan), np.full(len(labels), np.nan)
    x[known], y[known] = places.x[code[known]], places.y[code[known]]
    return x, y
