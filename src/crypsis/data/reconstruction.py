"""Draw datasets that could have been the original of a disassociated release.

Subrecords of record chunks go to distinct records of their leaf, those of shared chunks to distinct records of leaves
that may hold them, terms of term chunks to some records of their leaf; then a record that got nothing is given a piece
of one that has several. What comes out fits the published form; it is not drawn evenly from all that fit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crypsis.compilation import njit
from crypsis.data.arrays import Bools, Int32s, Int64s
from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.disassociated_places import Places
from crypsis.data.disassociated_text import arranged
from crypsis.data.transaction import Transactions
from crypsis.errors import BadParameter, BadPublication


def reconstructions(
    data: DisassociatedTransactions, n: int, seed: int, term_multiplicity: str | int
) -> list[Transactions]:
    """n draws, the i-th from the i-th stream of the seed."""
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise BadParameter(f"reconstruct: n must be an int of at least 1, got {n!r}.")
    low, high = _multiplicity(data.k, term_multiplicity)
    data = arranged(data)
    places = Places.of(data)
    streams = np.random.SeedSequence(seed).spawn(n)
    return [
        _draw(data, places, np.array(stream.generate_state(1, np.uint64), np.uint64), low, high) for stream in streams
    ]


def _multiplicity(k: int, given: str | int) -> tuple[int, int]:
    if given == "one":
        return 1, 1
    if given == "uniform":
        return 1, max(1, k - 1)
    if isinstance(given, int) and not isinstance(given, bool) and given >= 1:
        return given, given
    raise BadParameter(
        f"reconstruct: term_multiplicity must be 'one', 'uniform' or an int of at least 1, got {given!r}."
    )


def _draw(
    data: DisassociatedTransactions, places: Places, state: NDArray[np.uint64], low: int, high: int
) -> Transactions:
    offsets, items, failed = _drawn(
        state, low, high, data.is_leaf, data.depth, data.chunk_node, data.chunk_offsets, data.counts,
        data.entry_offsets, data.items, data.term_offsets, data.terms, places.order, places.first_leaf,
        places.end_leaf, places.slots, places.chunk_starts, places.run_offsets, places.run_starts, places.run_ends,
        places.room, places.uniform, np.argsort(-data.depth[data.chunk_node], kind="stable"), len(data.vocabulary),
    )  # fmt: skip
    if failed >= 0:
        raise BadPublication(
            "There is no possible original: the subrecords do not fit the records, or cannot fill them.",
            where=f"node {int(failed)}",
        )
    return Transactions(offsets, items, data.vocabulary)


@njit
def _next(state: NDArray[np.uint64]) -> np.uint64:
    """SplitMix64."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    mixed = state[0]
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))  # type: ignore[no-any-return]


@njit
def _below(state: NDArray[np.uint64], bound: int) -> int:
    """An even draw from 0 to bound - 1: what would favour small numbers is drawn again."""
    limit = np.uint64(bound)
    highest = np.uint64(0xFFFFFFFFFFFFFFFF)
    surplus = (highest % limit + np.uint64(1)) % limit
    drawn = _next(state)
    while drawn > highest - surplus:
        drawn = _next(state)
    return np.int64(drawn % limit)  # type: ignore[return-value]


@njit
def _drawn(
    state: NDArray[np.uint64],
    low: int,
    high: int,
    is_leaf: Bools,
    depth: Int64s,
    chunk_node: Int64s,
    chunk_offsets: Int64s,
    counts: Int64s,
    entry_offsets: Int64s,
    items: Int32s,
    term_offsets: Int64s,
    terms: Int32s,
    order: Int64s,
    first_leaf: Int64s,
    end_leaf: Int64s,
    slots: Int64s,
    chunk_starts: Int64s,
    run_offsets: Int64s,
    run_starts: Int64s,
    run_ends: Int64s,
    room: Int64s,
    uniform: Bools,
    deepest_first: Int64s,
    n_terms: int,
) -> tuple[Int64s, Int32s, int]:
    n_slots = slots[len(slots) - 1]
    # A part is an entry (or, from the number of entries on, a term of a term chunk) that lies in a slot. Parts of
    # record chunks come first and are kept by leaf, because they may have to move.
    n_entries = len(counts)
    n_parts = 0
    for entry in range(n_entries):
        n_parts += counts[entry]
    n_parts += len(terms) * high + n_slots
    part_slot, part_entry = np.empty(n_parts, np.int64), np.empty(n_parts, np.int64)
    parts = np.zeros(n_slots, np.int64)
    taken = np.full(n_slots, -1, np.int64)
    pool = np.empty(16, np.int64)
    filled = 0
    node_part = np.zeros(len(is_leaf) + 1, np.int64)  # where the parts of a leaf's record chunks begin; end below
    node_part_end = np.zeros(len(is_leaf), np.int64)
    nothing = np.zeros(1, np.int64), np.zeros(0, np.int32)

    for node in order:
        node_part[node] = filled
        if is_leaf[node]:
            start, end = slots[first_leaf[node]], slots[end_leaf[node]]
            while len(pool) < end - start:
                pool = _longer(pool)
            for chunk in range(chunk_starts[node], chunk_starts[node + 1]):
                for slot in range(start, end):
                    pool[slot - start] = slot
                left = end - start
                for entry in range(chunk_offsets[chunk], chunk_offsets[chunk + 1]):
                    for _ in range(counts[entry]):
                        if left == 0:
                            return nothing[0], nothing[1], node
                        at = _below(state, left)
                        slot = pool[at]
                        left -= 1
                        pool[at] = pool[left]
                        part_slot[filled], part_entry[filled] = slot, entry
                        parts[slot] += 1
                        filled += 1
        node_part_end[node] = filled

    for chunk in deepest_first:
        node = chunk_node[chunk]
        if is_leaf[node]:
            continue
        size = 0
        for entry in range(chunk_offsets[chunk], chunk_offsets[chunk + 1]):
            size += counts[entry]
        if not uniform[chunk]:
            filled = _place_one_by_one(
                state, chunk, chunk_offsets, counts, entry_offsets, items, is_leaf, chunk_node, term_offsets, terms,
                order, first_leaf, end_leaf, slots, chunk_starts, node, taken, part_slot, part_entry, parts, filled,
                n_terms,
            )  # fmt: skip
            if filled < 0:
                return nothing[0], nothing[1], node
            continue
        if size > room[chunk]:
            return nothing[0], nothing[1], node
        left = room[chunk]
        crowded = 2 * size > left  # then few draws would find a free slot
        if crowded:
            while len(pool) < left:
                pool = _longer(pool)
            index = 0
            for run in range(run_offsets[chunk], run_offsets[chunk + 1]):
                for slot in range(slots[run_starts[run]], slots[run_ends[run]]):
                    pool[index] = slot
                    index += 1
        for entry in range(chunk_offsets[chunk], chunk_offsets[chunk + 1]):
            for _ in range(counts[entry]):
                if crowded:
                    at = _below(state, left)
                    slot = pool[at]
                    left -= 1
                    pool[at] = pool[left]
                else:
                    slot = _slot_in_runs(_below(state, left), chunk, run_offsets, run_starts, run_ends, slots)
                    while taken[slot] == chunk:
                        slot = _slot_in_runs(_below(state, left), chunk, run_offsets, run_starts, run_ends, slots)
                    taken[slot] = chunk
                part_slot[filled], part_entry[filled] = slot, entry
                parts[slot] += 1
                filled += 1

    first, follows = np.full(n_slots, -1, np.int64), np.full(n_parts, -1, np.int64)
    for node in order:
        if not is_leaf[node]:
            continue
        start, end = slots[first_leaf[node]], slots[end_leaf[node]]
        while len(pool) < end - start:
            pool = _longer(pool)
        for position in range(term_offsets[node], term_offsets[node + 1]):
            times = min(low + _below(state, high - low + 1), end - start)
            # The first `times` of a shuffle: a slot is looked for among those that do not have this term yet.
            mark = len(chunk_node) + position
            for _ in range(times):
                slot = start + _below(state, end - start)
                if 2 * times > end - start:
                    while taken[slot] == mark:
                        slot = slot + 1 if slot + 1 < end else start
                else:
                    while taken[slot] == mark:
                        slot = start + _below(state, end - start)
                taken[slot] = mark
                part_slot[filled], part_entry[filled] = slot, n_entries + position
                parts[slot] += 1
                filled += 1
        empties = 0
        for slot in range(start, end):
            empties += parts[slot] == 0
        if empties == 0:
            continue
        for part in range(node_part[node], node_part_end[node]):
            follows[part] = first[part_slot[part]]
            first[part_slot[part]] = part
        donors = 0
        for slot in range(start, end):
            if parts[slot] > 1 and first[slot] >= 0:
                pool[donors] = slot
                donors += 1
        n_hidden = term_offsets[node + 1] - term_offsets[node]
        for slot in range(start, end):
            if parts[slot] > 0:
                continue
            if donors > 0:
                at = _below(state, donors)
                donor = pool[at]
                length = 0
                part = first[donor]
                while part >= 0:
                    length += 1
                    part = follows[part]
                chosen = _below(state, length)
                before, part = -1, first[donor]
                for _ in range(chosen):
                    before, part = part, follows[part]
                if before < 0:
                    first[donor] = follows[part]
                else:
                    follows[before] = follows[part]
                follows[part] = -1
                first[slot] = part
                part_slot[part] = slot
                parts[donor] -= 1
                parts[slot] += 1
                if parts[donor] < 2 or first[donor] < 0:
                    donors -= 1
                    pool[at] = pool[donors]
            elif n_hidden > 0:
                part_slot[filled] = slot
                part_entry[filled] = n_entries + term_offsets[node] + _below(state, n_hidden)
                parts[slot] += 1
                filled += 1
            else:
                return nothing[0], nothing[1], node

    offsets = np.zeros(n_slots + 1, np.int64)
    for part in range(filled):
        entry = part_entry[part]
        offsets[part_slot[part] + 1] += entry_offsets[entry + 1] - entry_offsets[entry] if entry < n_entries else 1
    offsets = np.cumsum(offsets)
    records = np.empty(offsets[n_slots], np.int32)
    fill = offsets[:n_slots].copy()
    for part in range(filled):
        entry, slot = part_entry[part], part_slot[part]
        if entry < n_entries:
            for position in range(entry_offsets[entry], entry_offsets[entry + 1]):
                records[fill[slot]] = items[position]
                fill[slot] += 1
        else:
            records[fill[slot]] = terms[entry - n_entries]
            fill[slot] += 1
    for slot in range(n_slots):
        records[offsets[slot] : offsets[slot + 1]].sort()
        for position in range(offsets[slot] + 1, offsets[slot + 1]):
            if records[position] == records[position - 1]:  # a term has two places in one leaf
                return nothing[0], nothing[1], 0
    return offsets, records, -1


@njit
def _slot_in_runs(
    number: int, chunk: int, run_offsets: Int64s, run_starts: Int64s, run_ends: Int64s, slots: Int64s
) -> int:
    """The slot with this number, counted through the runs of leaves that may hold the chunk."""
    run = run_offsets[chunk]
    while number >= slots[run_ends[run]] - slots[run_starts[run]]:
        number -= slots[run_ends[run]] - slots[run_starts[run]]
        run += 1
    return slots[run_starts[run]] + number  # type: ignore[no-any-return]


@njit
def _place_one_by_one(
    state: NDArray[np.uint64],
    chunk: int,
    chunk_offsets: Int64s,
    counts: Int64s,
    entry_offsets: Int64s,
    items: Int32s,
    is_leaf: Bools,
    chunk_node: Int64s,
    term_offsets: Int64s,
    terms: Int32s,
    order: Int64s,
    first_leaf: Int64s,
    end_leaf: Int64s,
    slots: Int64s,
    chunk_starts: Int64s,
    node: int,
    taken: Int64s,
    part_slot: Int64s,
    part_entry: Int64s,
    parts: Int64s,
    filled: int,
    n_terms: int,
) -> int:
    """Place the subrecords of a chunk whose terms exclude different leaves, those with fewest leaves first.

    Returns the number of parts then filled, or -1 where a subrecord finds no free slot.
    """
    first_entry, end_entry = chunk_offsets[chunk], chunk_offsets[chunk + 1]
    base, n_leaves = first_leaf[node], end_leaf[node] - first_leaf[node]
    fits = np.ones((end_entry - first_entry, n_leaves), np.bool_)
    wanted = np.zeros(n_terms, np.bool_)
    for entry in range(first_entry, end_entry):
        for position in range(entry_offsets[entry], entry_offsets[entry + 1]):
            wanted[items[position]] = True
        for other in order:
            inside = first_leaf[other] >= base and end_leaf[other] <= base + n_leaves and other != node
            if not inside:
                continue
            holds = False
            for held in range(chunk_starts[other], chunk_starts[other + 1]):
                for position in range(entry_offsets[chunk_offsets[held]], entry_offsets[chunk_offsets[held + 1]]):
                    holds = holds or wanted[items[position]]
            for position in range(term_offsets[other], term_offsets[other + 1]):
                holds = holds or wanted[terms[position]]
            if holds:
                fits[entry - first_entry, first_leaf[other] - base : end_leaf[other] - base] = False
        for position in range(entry_offsets[entry], entry_offsets[entry + 1]):
            wanted[items[position]] = False
    leaves = np.zeros(end_entry - first_entry, np.int64)
    for index in range(end_entry - first_entry):
        for leaf in range(n_leaves):
            leaves[index] += fits[index, leaf]
    free = np.empty(slots[base + n_leaves] - slots[base], np.int64)
    for index in np.argsort(leaves):
        for _ in range(counts[first_entry + index]):
            n_free = 0
            for leaf in range(n_leaves):
                if fits[index, leaf]:
                    for slot in range(slots[base + leaf], slots[base + leaf + 1]):
                        if taken[slot] != chunk:
                            free[n_free] = slot
                            n_free += 1
            if n_free == 0:
                return -1
            slot = free[_below(state, n_free)]
            taken[slot] = chunk
            part_slot[filled], part_entry[filled] = slot, first_entry + index
            parts[slot] += 1
            filled += 1
    return filled


@njit
def _longer(values: Int64s) -> Int64s:
    """The values with room for as many again."""
    longer = np.empty(2 * len(values), np.int64)
    longer[: len(values)] = values
    return longer
