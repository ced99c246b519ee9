"""Random releases to attack: one recoding for all, one for each cluster, or any symbols at all."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from hypothesis import strategies as st

from crypsis.data.symbols import SymbolText
from crypsis.data.trajectory import PublishedTrajectories, Trajectories

LABELS = list("abcde")
TABLE = {label: (float(place), 0.0) for place, label in enumerate("dbeca")}


@dataclass(frozen=True)
class Release:
    """Original paths, published rows (sets of labels), and whose each row is."""

    paths: list[list[str]]
    rows: list[list[frozenset[str]]]
    owners: list[int]

    @cached_property
    def original(self) -> Trajectories:
        return Trajectories.from_lists(self.paths, TABLE, owners=[f"{owner:03}" for owner in self.owners])

    @cached_property
    def published(self) -> PublishedTrajectories:
        rows: list[list[SymbolText]] = [
            [next(iter(symbol)) if len(symbol) == 1 else sorted(symbol) for symbol in row] for row in self.rows
        ]
        made = PublishedTrajectories.from_lists(rows)
        return PublishedTrajectories(made.offsets, made.codes, made.symbols, owners=self.original.owners)


def paths_of(longest: int = 5) -> st.SearchStrategy[list[list[str]]]:
    return st.lists(st.lists(st.sampled_from(LABELS), max_size=longest), max_size=7)


@st.composite
def clustered(draw: st.DrawFn, clusters: int | None = None) -> Release:
    """Each cluster of rows has its own partition of the locations, some of which may be suppressed everywhere."""
    paths = draw(paths_of())
    n_clusters = draw(st.integers(1, 3)) if clusters is None else clusters
    suppressed = draw(st.sets(st.sampled_from(LABELS), max_size=1))
    partitions = []
    for _ in range(n_clusters):
        groups = {label: draw(st.integers(0, 3)) for label in LABELS if label not in suppressed}
        partitions.append(
            {label: frozenset(other for other in groups if groups[other] == groups[label]) for label in groups}
        )
    chosen = [draw(st.integers(0, n_clusters - 1)) for _ in paths]
    rows = [
        [partitions[cluster][label] for label in path if label not in suppressed]
        for path, cluster in zip(paths, chosen, strict=True)
    ]
    longest = draw(st.sampled_from([None, None, 1, 3]))
    owners = draw(st.lists(st.integers(0, 4), min_size=len(paths), max_size=len(paths)))
    return Release(paths, [row[:longest] for row in rows], owners)


@st.composite
def overlapping(draw: st.DrawFn) -> Release:
    """Every visit is published as some set of locations that holds it."""
    paths = draw(paths_of(4))
    others = st.frozensets(st.sampled_from(LABELS), max_size=2)
    rows = [[frozenset({label}) | draw(others) for label in path] for path in paths]
    owners = draw(st.lists(st.integers(0, 4), min_size=len(paths), max_size=len(paths)))
    return Release(paths, rows, owners)
