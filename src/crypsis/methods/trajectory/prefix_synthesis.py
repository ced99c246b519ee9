"""From events to synthetic trajectories by a noisy prefix tree: what SafePath and SeqPT do alike.

The tree is grown with noise, its counts are made consistent, and every node ends as many trajectories as its children
leave over. All after the growing is post-processing of noisy counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.data.domains import LocationDomain, TimeDomain
from crypsis.data.stream import Events
from crypsis.data.synthetic import SyntheticTrajectories
from crypsis.methods.private_method import PrivateMethod
from crypsis.methods.trajectory.noisy_prefix_tree import Sublevel, TreeLevel, VisitSpace, grow
from crypsis.methods.trajectory.prefix_consistency import consistent_counts, terminating, whole_counts
from crypsis.methods.trajectory.timed_visits import keep_visits, send_visits, timed_visits
from crypsis.methods.trajectory.walking_records import (
    MEMORY_PER_FILE_BYTE,
    WalkersHere,
    WalkersInShards,
    WalkingRecords,
)
from crypsis.noise import Noise
from crypsis.run_context import RunContext
from crypsis.shards.private import PrivateParts


@dataclass(frozen=True)
class PrefixTreePlan:
    """Everything public that a tree is grown by."""

    locations: LocationDomain
    times: TimeDomain
    order: str
    height: int
    sublevels: tuple[Sublevel, ...]

    @property
    def space(self) -> VisitSpace:
        """What may be visited, and in which order."""
        return VisitSpace(len(self.locations), len(self.times), self.order)

    def records(self, data: Events | PrivateParts) -> WalkingRecords:
        """The records in the declared domains, a person each."""
        if isinstance(data, PrivateParts):
            domains = self.locations, self.times
            sizes = len(self.locations), len(self.times)
            shards = data.encode_people(send_visits, domains, keep_visits, (*sizes, self.order, self.height))
            data.check_fits(shards, MEMORY_PER_FILE_BYTE)
            return WalkersInShards(shards, data.executor)
        return WalkersHere(timed_visits(data, self.locations, self.times, self.order, self.height))


def synthesized_from_tree(
    method: PrivateMethod,
    data: Events | PrivateParts,
    context: RunContext,
    noise: Noise,
    plan: PrefixTreePlan,
    told: Mapping[str, Any],
    *,
    one_by_one: bool = False,
) -> SyntheticTrajectories:
    """The published rows; `told` is what the release says about its budget beside what all private methods say."""
    with context.stage("read records"):
        records = plan.records(data)
    metered = method.charged(noise, one_by_one=one_by_one)
    with context.stage("grow"):
        levels = grow(records, plan.space, plan.height, plan.sublevels, metered)
    with context.stage("consistency"):
        ending = terminating(levels, whole_counts(levels, consistent_counts(levels)))
    with context.stage("publish"):
        budget, ledger = method.accounted(metered)
        context.private["ledger"] = ledger
        method.note_reading(data, context)
        context.private["tree_nodes"] = [len(level) for level in levels]
        context.private["records_with_a_visit"] = records.n_records
        return SyntheticTrajectories(
            *prefix_rows(levels, ending),
            locations=plan.locations,
            times=plan.times,
            order=plan.order,
            height=plan.height,
            budget=budget | dict(told),
            ledger=ledger,
            unpublishable=metered.unpublishable,
        )


def prefix_rows(levels: list[TreeLevel], ending: list[Int64s]) -> tuple[Int64s, Int32s, Int32s, Int64s]:
    """The prefixes at which a trajectory ends, shorter ones before those that continue them, in canonical order."""
    lengths, places, times, copies = [], [], [], []
    for depth, counts in enumerate(ending):
        nodes = np.flatnonzero(counts)
        chain_places, chain_times = [], []
        at = nodes
        for above in range(depth, -1, -1):
            chain_places.append(levels[above].locations[at])
            chain_times.append(levels[above].times[at])
            at = levels[above].parents[at]
        lengths.append(np.full(len(nodes), depth + 1, np.int64))
        places.append(np.stack(chain_places[::-1], axis=1).ravel())
        times.append(np.stack(chain_times[::-1], axis=1).ravel())
        copies.append(counts[nodes])
    none = np.zeros(0, np.int32)
    offsets = np.concatenate([[0], np.cumsum(np.concatenate([np.zeros(0, np.int64), *lengths]))]).astype(np.int64)
    return (
        offsets,
        np.concatenate([none, *places]),
        np.concatenate([none, *times]),
        np.concatenate([np.zeros(0, np.int64), *copies]),
    )
