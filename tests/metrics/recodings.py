"""Small originals and what may be published for them, for property tests of the metrics."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from hypothesis import strategies as st

from crypsis.data.symbols import SymbolText
from crypsis.data.trajectory import PublishedTrajectories, Trajectories

LABELS = "abcdef"
# Not in label order, so that codes, labels and the published vocabulary all disagree.
TABLE_ORDER = "fbdaec"


@dataclass
class Recoding:
    """One original, one symbol (or None for suppressed) for each visit, and both in crypsis's own form."""

    paths: list[list[str]]
    meant: list[list[frozenset[str] | None]]
    points: dict[str, tuple[float, float]]
    longest: int | None

    @cached_property
    def original(self) -> Trajectories:
        return Trajectories.from_lists(self.paths, self.points)

    @cached_property
    def rows(self) -> list[list[SymbolText]]:
        return [[text(symbol) for symbol in row if symbol] for row in self.meant]

    @cached_property
    def published(self) -> PublishedTrajectories:
        return PublishedTrajectories.from_lists(self.rows, self.longest)

    def codes(self, labels: list[str]) -> tuple[int, ...]:
        return tuple(list(self.points).index(label) for label in labels)

    @cached_property
    def coded_paths(self) -> list[tuple[int, ...]]:
        return [self.codes(path) for path in self.paths]

    @cached_property
    def coded_rows(self) -> list[list[frozenset[int] | None]]:
        return [
            [None if symbol is None else frozenset(self.codes(sorted(symbol))) for symbol in row] for row in self.meant
        ]

    @cached_property
    def published_rows(self) -> list[list[frozenset[int]]]:
        return [[symbol for symbol in row if symbol is not None] for row in self.coded_rows]


def text(symbol: frozenset[str]) -> SymbolText:
    return next(iter(symbol)) if len(symbol) == 1 else sorted(symbol)


points = st.lists(
    st.tuples(st.integers(-50, 50).map(float), st.floats(-50, 50, width=16)), min_size=len(LABELS), max_size=len(LABELS)
).map(lambda pairs: dict(zip(TABLE_ORDER, pairs, strict=True)))
path_lists = st.lists(st.lists(st.sampled_from(LABELS), max_size=5), max_size=7)


@st.composite
def global_recodings(draw: st.DrawFn, suppress: bool = True) -> Recoding:
    """Every location has one image, or is suppressed; perhaps all trajectories were cut first."""
    paths = draw(path_lists)
    groups = draw(st.lists(st.integers(0, 3), min_size=len(LABELS), max_size=len(LABELS)))
    suppressed = draw(st.sets(st.integers(0, 3), max_size=1)) if suppress else set()
    longest = draw(st.one_of(st.none(), st.integers(0, 4))) if suppress else None
    image = {
        label: frozenset(other for other, same in zip(LABELS, groups, strict=True) if same == group)
        for label, group in zip(LABELS, groups, strict=True)
        if group not in suppressed
    }
    meant = [
        [image.get(label) if longest is None or place < longest else None for place, label in enumerate(path)]
        for path in paths
    ]
    return Recoding(paths, meant, draw(points), longest)


@st.composite
def local_recodings(draw: st.DrawFn) -> Recoding:
    """Every visit is published as some set of locations that holds it."""
    paths = draw(path_lists)
    others = st.frozensets(st.sampled_from(LABELS), max_size=2)
    meant: list[list[frozenset[str] | None]] = [[frozenset({label}) | draw(others) for label in path] for path in paths]
    return Recoding(paths, meant, draw(points), None)


def shuffled(published: PublishedTrajectories, seed: int) -> PublishedTrajectories:
    return published.take(np.random.default_rng(seed).permutation(len(published)))
