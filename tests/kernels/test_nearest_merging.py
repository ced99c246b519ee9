"""The state behind SeqAnon's merges: postings, average linkage, and counts that stay true when symbols merge."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data.trajectory import Trajectories
from crypsis.kernels import nearest_merging
from crypsis.kernels.nearest_merging import postings_of, root_of, roots_of
from crypsis.kernels.subsequences import count_of
from crypsis.methods.trajectory.merging import LocationMerging, MergingLevel
from crypsis.run_context import RunContext
from tests.kernels.interpretation import WAYS
from tests.reference import seq_anon as reference
from tests.reference.subsequences import supports
from tests.strategies import Dataset, datasets


def merging_of(data: Trajectories, unit: str = "trajectory") -> LocationMerging:
    return LocationMerging(data, *data.locations.coordinates("test"), data.groups(unit))


@given(datasets(owners=True))
def test_postings_list_every_individual_once_per_symbol(dataset: Dataset) -> None:
    data = dataset.trajectories()
    order = np.argsort(data.owners, kind="stable")
    ordered = data.take(order)
    whose = data.groups("owner")[order]
    bounds = np.searchsorted(whose, range(int(whose.max(initial=-1)) + 2)).astype(np.int64)
    offsets, postings = postings_of(ordered.offsets, ordered.codes, bounds, len(data.locations))
    for code in range(len(data.locations)):
        expected = {int(who) for path, who in zip(ordered.paths(), whose, strict=True) if code in path}
        assert postings[offsets[code] : offsets[code + 1]].tolist() == sorted(expected)


def test_a_root_is_found_through_a_chain_which_is_then_shorter() -> None:
    parent = np.array([0, 0, 1, 2, 3], np.int32)
    assert roots_of(parent, np.array([4, 2, 0], np.int32)).tolist() == [0, 0, 0]
    assert root_of(parent, 4) == 0
    assert parent[4] < 3


@given(datasets(max_locations=9, owners=False), st.data())
def test_average_linkage_stays_that_of_the_members(dataset: Dataset, data: st.DataObject) -> None:
    everywhere = Dataset([list(range(len(dataset.points)))], dataset.points, dataset.labels)
    state = merging_of(everywhere.trajectories())
    places, guide = state._places, state._guide
    symbols = {code: frozenset([code]) for code in range(len(dataset.points))}  # by root
    while True:
        asked = data.draw(st.sampled_from(sorted(symbols)))
        if len(symbols) > 1:
            nearest = nearest_merging.nearest_partner(places, guide, asked)
            assert symbols[nearest] == reference.nearest(symbols[asked], set(symbols.values()), dataset.points)
        for root, symbol in symbols.items():
            row = places.row[root]
            for other in symbols.keys() - {root} if row >= 0 else ():
                average = places.sums[row, other] / (len(symbol) * len(symbols[other]))
                expected = reference.average_distance(symbol, symbols[other], dataset.points)
                assert average == pytest.approx(expected, rel=1e-12, abs=1e-12)
        if len(symbols) == 1:
            break
        kept, gone = data.draw(st.permutations(sorted(symbols)))[:2]
        nearest_merging.join_places(places, guide, kept, gone)
        symbols[kept] |= symbols.pop(gone)
        assert sorted(places.alive[: places.n_alive[0]].tolist()) == sorted(symbols)
        assert places.representative[kept] == min(symbols[kept])
        assert places.size[kept] == len(symbols[kept])


@pytest.mark.parametrize("way", WAYS)
@given(datasets(owners=None), st.integers(1, 4), st.data())
def test_counts_stay_those_of_a_recount_whatever_merges(
    way: str, dataset: Dataset, size: int, data: st.DataObject
) -> None:
    trajectories = dataset.trajectories()
    unit = "owner" if dataset.owners is not None else "trajectory"
    with WAYS[way]():
        level = MergingLevel(merging_of(trajectories, unit), size, RunContext())
        records, sequences = level.records, level.records.sequences
        found = pairs = np.empty((2, 1024), np.int64)
        whose = np.repeat(np.arange(len(sequences.bounds) - 1), np.diff(sequences.bounds)).tolist()
        alive = list(range(level.base)) if trajectories.visits else []
        stamp = 0
        while True:
            rows = [
                sequences.codes[start:end].tolist()
                for start, end in zip(sequences.offsets[:-1], sequences.offsets[1:], strict=True)
            ]
            expected = supports(rows, size, whose)
            singles = supports(rows, 1, whose)
            assert {
                slots: count_of(level.tally, int(np.ravel_multi_index(slots, [level.base] * size)))
                for slots in expected
            } == expected
            assert int(level.tally.counts.sum()) == sum(expected.values())
            assert {slot: records.support[slot] for slot in alive} == {slot: singles[(slot,)] for slot in alive}
            if len(alive) < 2:
                break
            kept, gone = data.draw(st.permutations(alive))[:2]
            stamp += 1
            level.tally, found, pairs = nearest_merging.join_records(
                records, kept, gone, stamp, level.scratch, level.tally, found, pairs
            )
            alive.remove(gone)
