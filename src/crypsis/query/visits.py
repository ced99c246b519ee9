"""Visits as a release publishes them: who (a number), where (one of some cells), when (within bounds).

A visit refers to a symbol, and a symbol stands for cells: symbol s is `cells[offsets[s]:offsets[s + 1]]`. Cells and
people are numbered; their labels are kept beside.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from crypsis.arrays import Bools, FrozenArrays, Int8s, Int32s, Int64s, offsets_of
from crypsis.errors import BadQuery, InputError, did_you_mean
from crypsis.fuzzytime import FuzzyArray, FuzzyInterval
from crypsis.fuzzytime.relations import DEFINITELY, NO, POSSIBLY


@dataclass(frozen=True, eq=False)
class PublishedVisits(FrozenArrays):
    """Visits in the order of people, and of time for each of them.

    `truthful` says that the true cell is among the cells and the true period a realization of the times; bounds are
    guaranteed only then. `complete` says that nobody's visits were left out.
    """

    person: Int64s
    symbol: Int64s
    times: FuzzyArray
    offsets: Int64s
    cells: Int32s
    cell_labels: tuple[str, ...]
    person_labels: tuple[str, ...]
    contiguous: Bools | None = None  # the visit begins at the instant at which the one before it ends
    truthful: bool = True
    complete: bool = True
    ordered: bool = True  # the order of a person's visits is published
    cycle: int = 0  # seconds of a day or week, where times are counted from midnight or Monday
    counts: str = "people"  # what is counted: people, or trajectories where a person may have several

    def __post_init__(self) -> None:
        super().__post_init__()
        if not len(self.person) == len(self.symbol) == len(self.times):
            raise InputError("A visit has a person, a symbol and a time.")
        if len(self.person) and np.any(np.diff(self.person) < 0):
            raise InputError("Visits must be in the order of people.")

    @classmethod
    def of(
        cls,
        visits: Iterable[tuple[str, Collection[str], FuzzyInterval | Sequence[float]] | Mapping[str, Any]],
        **facts: Any,
    ) -> PublishedVisits:
        """From tuples (person, cells, times), or mappings that may also say whether a visit is contiguous."""
        rows = [
            (visit["person"], visit["cells"], visit["time"], bool(visit.get("contiguous", False)))
            if isinstance(visit, Mapping)
            else (*visit, False)
            for visit in visits
        ]
        people = tuple(dict.fromkeys(str(row[0]) for row in rows))
        number_of_person = {label: index for index, label in enumerate(people)}
        rows.sort(key=lambda row: number_of_person[str(row[0])])
        labels = tuple(sorted({str(cell) for row in rows for cell in row[1]}))
        number_of_cell = {label: index for index, label in enumerate(labels)}
        named = [tuple(sorted({str(cell) for cell in row[1]})) for row in rows]
        symbols = list(dict.fromkeys(named))
        number_of_symbol = {symbol: index for index, symbol in enumerate(symbols)}
        return cls(
            person=np.array([number_of_person[str(row[0])] for row in rows], np.int64),
            symbol=np.array(
                [number_of_symbol[tuple(sorted({str(cell) for cell in row[1]}))] for row in rows], np.int64
            ),
            times=FuzzyArray.of(
                row[2] if isinstance(row[2], FuzzyInterval) else FuzzyInterval.normalize(*row[2]) for row in rows
            ),
            offsets=offsets_of(np.array([len(symbol) for symbol in symbols], np.int64)),
            cells=np.array([number_of_cell[cell] for symbol in symbols for cell in symbol], np.int32),
            cell_labels=labels,
            person_labels=people,
            contiguous=np.array([row[3] for row in rows], np.bool_),
            **facts,
        )

    def __len__(self) -> int:
        return len(self.person)

    @property
    def n_people(self) -> int:
        return len(self.person_labels)

    @cached_property
    def _cell_numbers(self) -> dict[str, int]:
        return {label: index for index, label in enumerate(self.cell_labels)}

    def inside(self, region: Collection[str]) -> Bools:
        """Per cell, whether it belongs to a region; a label that is no cell of the release is refused."""
        if isinstance(region, str):
            raise BadQuery("A region is a collection of cells; give a list of labels.")
        inside = np.zeros(len(self.cell_labels), np.bool_)
        for label in region:
            if label not in self._cell_numbers:
                raise BadQuery(
                    f"The release has no cell {label!r}.{did_you_mean(str(label), self.cell_labels)}", cell=str(label)
                )
            inside[self._cell_numbers[label]] = True
        return inside

    def place_answers(self, region: Collection[str]) -> Int8s:
        """Per visit, whether it was in the region: 0 no, 1 possibly, 2 definitely."""
        inside = self.inside(region)[self.cells]
        sizes = np.diff(self.offsets)
        hits = np.add.reduceat(np.append(inside, False).astype(np.int64), self.offsets[:-1]) if len(sizes) else sizes
        hits = np.where(sizes > 0, hits, 0)
        per_symbol = np.where(hits == 0, NO, np.where(hits == sizes, DEFINITELY, POSSIBLY)).astype(np.int8)
        answers: Int8s = per_symbol[self.symbol]
        return answers

    def place_shares(self, region: Collection[str]) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Per visit, the share of its cells that lie in the region."""
        inside = self.inside(region)[self.cells]
        sizes = np.diff(self.offsets)
        counts = np.zeros(len(sizes))
        np.add.at(counts, np.repeat(np.arange(len(sizes)), sizes), inside)
        return (counts / np.maximum(sizes, 1))[self.symbol]

    def per_person(self, answers: Int8s) -> Int8s:
        """The best answer among the visits of each person; 0 for a person without visits."""
        best = np.zeros(self.n_people, np.int8)
        np.maximum.at(best, self.person, answers)
        return best
