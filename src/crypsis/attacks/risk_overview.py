"""How surely people can be picked out of data as they are, at a glance. Aggregates only.

Every kind of data has a rule of its own; a new kind registers one (`risk_overview.register`).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import singledispatch
from typing import Any

import numpy as np

from crypsis.arrays import Int64s
from crypsis.attacks.location_sequence import LocationSequenceAttack
from crypsis.attacks.table_risk import table_risk
from crypsis.data.microdata import Microdata
from crypsis.data.mixed import Mixed
from crypsis.data.relational import Table
from crypsis.data.symbols import Symbols
from crypsis.data.track import Tracks
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.data.transaction import Transactions
from crypsis.errors import NotApplicable

MOST_TRAJECTORIES = 20_000  # up to which all of them are looked at
MOST_PAIRS = 5_000_000  # pairs of items that are counted
LONGEST_RECORD = 500  # items of one record that are paired
RARE = 5  # an item that fewer records hold is rare


@dataclass(frozen=True, kw_only=True)
class RiskOverview:
    """What an adversary can do: with a table by its quasi-identifiers, with sets and movements by two known values."""

    model: str
    records: int
    unique_share: float
    smallest_class: int | None
    highest: float
    mean: float | None = None
    people: int | None = None
    looked_at: int | None = None
    rare_share: float | None = None
    class_sizes: dict[str, Any] | None = None
    attributes: list[dict[str, Any]] | None = None
    curve: list[dict[str, Any]] | None = None

    def to_dict(self) -> dict[str, Any]:
        """What is known of these data."""
        optional = ("mean", "looked_at", "rare_share", "class_sizes", "attributes", "curve")
        figures = {name: value for name, value in asdict(self).items() if value is not None or name not in optional}
        return figures if self.model == "table" else {name: figures[name] for name in figures if name != "people"}


def overview(data: Microdata) -> RiskOverview:
    """The risk at a glance of data of any kind."""
    if not len(data):  # type: ignore[arg-type]
        raise NotApplicable("The file has no rows, so there is nobody in it; add some, or load another file.")
    return risk_overview(data)


@singledispatch
def risk_overview(data: Microdata) -> RiskOverview:
    """The rule of a kind."""
    raise NotApplicable("For this kind of data there is no risk at a glance.")


@risk_overview.register
def _of_table(data: Table) -> RiskOverview:
    if not data.quasi:
        raise NotApplicable("No column is a quasi-identifier; say which ones others may know.")
    risk = table_risk(data)
    return RiskOverview(
        model="table",
        records=risk.records,
        people=risk.people,
        unique_share=risk.unique_share,
        smallest_class=risk.smallest_class,
        highest=risk.prosecutor.highest,
        mean=risk.prosecutor.mean,
        class_sizes=risk.class_sizes(),
        attributes=[asdict(attribute) for attribute in risk.attributes],
    )


@risk_overview.register
def _of_mixed(data: Mixed) -> RiskOverview:
    return _of_table(data.table)


@risk_overview.register
def _of_sets(data: Transactions) -> RiskOverview:
    """What somebody who knows two items of a record can do, as if the data were published as they are."""
    lengths = np.minimum(data.lengths.astype(np.int64), LONGEST_RECORD)
    pairs = np.cumsum(lengths * np.maximum(1, lengths - 1) // 2)
    looked_at = max(1, int(np.searchsorted(pairs, MOST_PAIRS, side="right")))
    part = data if looked_at >= len(data) else data.take(np.arange(looked_at))
    support = np.bincount(part.items, minlength=len(part.vocabulary))
    owners = np.repeat(np.arange(len(part)), part.lengths)
    owners_of_pairs, codes = _pairs_of_items(part)
    _, code_of_pair, support_of_pairs = np.unique(codes, return_inverse=True, return_counts=True)
    alone = np.union1d(owners[support[part.items] == 1], owners_of_pairs[support_of_pairs[code_of_pair] == 1])
    smallest = int(min(support[support > 0].min(initial=len(part)), support_of_pairs.min(initial=len(part))))
    return RiskOverview(
        model="items",
        records=len(data),
        looked_at=len(part),
        unique_share=len(alone) / max(1, len(part)),
        rare_share=len(np.unique(owners[support[part.items] < RARE])) / max(1, len(part)),
        smallest_class=smallest,
        highest=1.0 / max(1, smallest),
    )


def _pairs_of_items(data: Transactions) -> tuple[Int64s, Int64s]:
    """Every two items of a record: whose they are, and a number for each pair. Records of one length go together.

    Of a record that is longer than any basket only some items are paired: it is alone with them already.
    """
    owners, codes = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    lengths = np.minimum(data.lengths, LONGEST_RECORD)
    for length in np.unique(lengths[lengths > 1]):
        records = np.flatnonzero(lengths == length)
        items = np.sort(data.items[data.offsets[records][:, None] + np.arange(length)].astype(np.int64), axis=1)
        first, second = np.triu_indices(int(length), 1)
        codes.append((items[:, first] * len(data.vocabulary) + items[:, second]).ravel())
        owners.append(np.repeat(records, len(first)))
    return np.concatenate(owners), np.concatenate(codes)


@risk_overview.register
def _of_trajectories(data: Trajectories) -> RiskOverview:
    """What somebody who knows two visits can do, as if the data were published as they are."""
    part = data if len(data) <= MOST_TRAJECTORIES else data.take(np.arange(MOST_TRAJECTORIES))
    itself = np.where(part.occurring, np.arange(len(part.locations)), -1).astype(np.int32)
    symbols, symbol_of_code = Symbols.of_partition(part.locations.vocabulary, itself)
    as_it_is = PublishedTrajectories(part.offsets, symbol_of_code[part.codes], symbols, owners=part.owners)
    result = LocationSequenceAttack(knowledge=2).run(as_it_is, part)
    return RiskOverview(
        model="visits",
        records=len(data),
        looked_at=len(part),
        unique_share=result.outcome.share_unique,
        smallest_class=result.outcome.fewest_candidates,
        highest=result.outcome.max_risk,
        mean=result.outcome.mean_risk,
        curve=[point.to_dict() for point in result.curve],
    )


@risk_overview.register
def _of_tracks(data: Tracks) -> RiskOverview:
    """A track with times and coordinates is like no other."""
    return RiskOverview(model="tracks", records=len(data), unique_share=1.0, smallest_class=1, highest=1.0)
