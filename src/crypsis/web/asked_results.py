"""A finished result as questions are put to it: its release, its places on the map, its times, its taxonomy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from crypsis.data.timed_places import CYCLES
from crypsis.data.trajectory import PublishedTrajectories
from crypsis.errors import BadQuery
from crypsis.hierarchy import Taxonomy
from crypsis.query.periods import write_instant
from crypsis.query.questions import Answer, Question, ask, published_taxonomy
from crypsis.query.regions import nodes_of, places_in

_STEPS = (1, 60, 300, 900, 1800, 3600, 3 * 3600, 6 * 3600, 86_400, 7 * 86_400, 30 * 86_400)
_MOST_STEPS = 300  # between the ends of a slider


@dataclass(frozen=True)
class TimeSpan:
    """From when until when a release tells of visits, and how its instants are written."""

    first: int
    last: int
    step: int
    clock: bool
    cycle: int

    def write(self, second: float) -> str:
        return write_instant(second, clock=self.clock, cycle=self.cycle)

    @property
    def form(self) -> str:
        """How a page writes instants: by date, by time of day, by day of the week, or as numbers."""
        if not self.clock:
            return "number"
        return {0: "date", 86_400: "day"}.get(self.cycle, "week")


@dataclass(frozen=True, eq=False)
class AskedResult:
    """`taxonomy` is the tree of the places in the workspace, kept as the entry `tree`; None where there is none."""

    release: Any
    taxonomy: Taxonomy | None = None
    tree: str | None = None

    def answer(self, question: Question) -> Answer:
        if self.taxonomy is None and question.names_nodes and published_taxonomy(self.release) is None:
            raise BadQuery(
                "A node names the places below it in the hierarchy of locations, and this dataset has none; make or "
                "upload one on the page Hierarchies, or name places."
            )
        return ask(self.release, question, self.taxonomy)

    @property
    def has_visits(self) -> bool:
        return isinstance(self.release.data, PublishedTrajectories)

    @property
    def publishes_tree(self) -> bool:
        """The release has a taxonomy of its own, so commands need not name one."""
        return self.taxonomy is None

    @cached_property
    def places(self) -> tuple[str, ...]:
        """The places that regions are made of; none where the data are no visits."""
        return self.release.visits.cell_labels if self.has_visits else ()

    @cached_property
    def nodes(self) -> dict[str, int]:
        """The nodes that name regions, with the number of their places."""
        if not self.has_visits:
            return {}
        return nodes_of(self.release.visits, self.taxonomy or published_taxonomy(self.release))

    def places_in(self, region: tuple[str, ...]) -> tuple[str, ...]:
        """The places of a region that may name nodes."""
        return places_in(self.release.visits, region, self.taxonomy or published_taxonomy(self.release))

    @cached_property
    def coordinates(self) -> tuple[Any, Any] | None:
        """Where each place lies; None where that is not known."""
        listed = self.release.side_file
        if not self.has_visits or listed is None or listed.x is None or listed.y is None:
            return None
        timed = self.release.data.timed
        number_of = {place: number for number, place in enumerate(self.places)}
        x, y = np.full(len(self.places), np.nan), np.full(len(self.places), np.nan)
        for row, label in enumerate(listed.labels):
            place = timed.place_of(label) if timed is not None and label in timed.number_of else label
            if place in number_of:
                x[number_of[place]], y[number_of[place]] = listed.x[row], listed.y[row]
        return (x, y) if np.isfinite(x).any() else None

    @cached_property
    def span(self) -> TimeSpan | None:
        """The times that a slider goes through; None where no times are published."""
        timed = self.release.data.timed if self.has_visits else None
        if timed is None:
            return None
        cycle = CYCLES[timed.cycle]
        times = self.release.visits.times
        starts, ends = times.as_floats(times.outer_start), times.as_floats(times.outer_end)
        known = np.concatenate([starts[np.isfinite(starts)], ends[np.isfinite(ends)]])
        first, last = (0, cycle) if cycle or not len(known) else (int(known.min()), int(known.max()))
        steps = _STEPS if timed.clock else tuple(10**power for power in range(19))
        step = next((one for one in steps if (last - first) / one <= _MOST_STEPS), steps[-1])
        if timed.clock and last - first >= 3600:
            step = max(step, 60)
        return TimeSpan(first, max(last, first + step), step, timed.clock, cycle)
