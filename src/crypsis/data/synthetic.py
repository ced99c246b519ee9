"""Synthetic trajectories: rows that a private method made up, each with the number of its copies.

Row r visits `location_codes[offsets[r]:offsets[r + 1]]` at the times of `time_codes`; both are codes into declared
domains. No row was made from any one person's record, so nothing aligns rows with the original.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Int32s, Int64s, offsets_of
from crypsis.data.domains import LocationDomain, TimeDomain
from crypsis.data.microdata import VISITS
from crypsis.data.synthetic_rows import SyntheticRows
from crypsis.errors import InputError

ORDERS = {
    "canonical": "by time and place",
    "nondecreasing": "at the same time or later",
    "strict": "strictly later",
}
POSITIONS = "position"  # the unit of times that only say where in its row a visit stands
Visit = tuple[str, int]


@dataclass(frozen=True, eq=False)
class SyntheticTrajectories(SyntheticRows):
    """What a private release of trajectories says.

    `order` is the rule that the visits of a row follow and `height` their largest number. `budget` are the public facts
    of the run (what was spent, by which noise); `ledger` is the run's own ledger with its key, which exists only in
    memory and in the private report. `unpublishable` says why the rows may not be published, where they may not.
    """

    value_columns = ("location_codes", "time_codes")

    offsets: Int64s
    location_codes: Int32s
    time_codes: Int32s
    copies: Int64s
    locations: LocationDomain
    times: TimeDomain
    order: str = "canonical"
    height: int = 1
    budget: Mapping[str, Any] = field(default_factory=dict)
    ledger: Mapping[str, Any] | None = field(default=None, repr=False)
    unpublishable: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.copies) != len(self.offsets) - 1 or int(self.offsets[-1]) != len(self.location_codes):
            raise InputError("The parts of synthetic trajectories do not have the same number of rows or visits.")

    @classmethod
    def from_lists(
        cls,
        rows: Sequence[tuple[int, Sequence[Visit]]],
        locations: LocationDomain,
        times: TimeDomain,
        order: str = "canonical",
        height: int | None = None,
    ) -> SyntheticTrajectories:
        """From copies and visits: `[(6, [("a", 1), ("b", 2)]), …]`; a label outside the domain gets the code -1."""
        visits = [visit for _, row in rows for visit in row]
        codes = {label: code for code, label in enumerate(locations.labels)}
        lengths = np.array([len(row) for _, row in rows], np.int64)
        return cls(
            offsets_of(lengths),
            np.array([codes.get(label, -1) for label, _ in visits], np.int32),
            times.encode(np.array([time for _, time in visits], np.int64)),
            np.array([copies for copies, _ in rows], np.int64),
            locations,
            times,
            order,
            int(lengths.max(initial=1)) if height is None else height,
        )

    @property
    def trajectories(self) -> int:
        """Rows, each counted as often as it has copies."""
        return self.published_rows

    @property
    def visits(self) -> int:
        """Visits of all copies."""
        return self.contents

    def to_lists(self) -> list[tuple[int, list[Visit]]]:
        """Copies and visits of each row; a location outside the domain, which no verifier accepts, is a `?`."""
        labels = self.locations.labels
        visits = [
            (labels[location] if location >= 0 else "?", time)
            for location, time in zip(
                self.location_codes.tolist(), self.times.decode(self.time_codes).tolist(), strict=True
            )
        ]
        return list(zip(self.copies.tolist(), self.cut_into_rows(visits), strict=True))

    def to_frame(self) -> pl.DataFrame:
        """Columns copies, locations and times, the last two with a list for every row."""
        rows = self.to_lists()
        return pl.DataFrame(
            {
                "copies": pl.Series(self.copies),
                "locations": pl.Series(
                    [[label for label, _ in visits] for _, visits in rows], dtype=pl.List(pl.String)
                ),
                "times": pl.Series([[time for _, time in visits] for _, visits in rows], dtype=pl.List(pl.Int64)),
            }
        )

    def to_texts(self) -> pl.DataFrame:
        return self.texts_in(VISITS)

    def prefix_counts(self) -> dict[tuple[Visit, ...], int]:
        """How many trajectories begin with each prefix: the published tree, for small data."""
        counts: Counter[tuple[Visit, ...]] = Counter()
        for copies, row in self.to_lists():
            for length in range(1, len(row) + 1):
                counts[tuple(row[:length])] += copies
        return dict(counts)

    def __repr__(self) -> str:
        return f"SyntheticTrajectories({self.trajectories} trajectories, {len(self)} of them distinct)"
