"""Draw records that could have been the original of a disassociated release.

A *part* is an entry of a chunk, or a term of a term chunk, that lies in a record slot. Parts of record chunks are drawn
first, leaf by leaf, and kept by leaf, because they may have to move to records that got nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crypsis.arrays import Int32s, Int64s
from crypsis.arrays.chunk_layout import Forest, Layout, Leaves, Room
from crypsis.compilation import njit

FITS = -1  # in place of the node where a draw failed


class _Drawn(NamedTuple):
    """What was drawn so far.

    Part p, for p below n_parts[0], is entry part_entry[p] in slot part_slot[p]; entries from the number of entries on
    are terms of term chunks. `parts` counts the parts of each slot; taken[slot] is the last chunk (or, after the
    chunks, the last term) that the slot got. The record chunks of node n have the parts leaf_parts[n]:leaf_ends[n].
    `pool` is room to work in.
    """

    state: NDArray[np.uint64]
    n_parts: Int64s
    part_slot: Int64s
    part_entry: Int64s
    parts: Int64s
    taken: Int64s
    leaf_parts: Int64s
    leaf_ends: Int64s
    pool: Int64s


@njit
def draw_records(
    forest: Forest, layout: Layout, state: NDArray[np.uint64], low: int, high: int, deepest_first: Int64s
) -> tuple[Int64s, Int32s, int]:
    """Offsets and items of the records, and the node whose subrecords do not fit, or FITS.

    A term of a term chunk is put in `low` to `high` records of its leaf. `deepest_first` lists the chunks.
    """
    leaves = layout.leaves
    n_slots, n_nodes = leaves.slots[len(leaves.slots) - 1], len(forest.is_leaf)
    most_parts = forest.counts.sum() + len(forest.terms) * high + n_slots
    drawn = _Drawn(
        state,
        np.zeros(1, np.int64),
        np.empty(most_parts, np.int64),
        np.empty(most_parts, np.int64),
        np.zeros(n_slots, np.int64),
        np.full(n_slots, -1, np.int64),
        np.zeros(n_nodes, np.int64),
        np.zeros(n_nodes, np.int64),
        np.empty(n_slots, np.int64),
    )
    failed = _place_record_chunks(forest, leaves, drawn)
    if failed == FITS:
        failed = _place_shared_chunks(forest, leaves, layout.room, drawn, deepest_first)
    if failed == FITS:
        failed = _place_terms(forest, leaves, drawn, low, high)
    if failed != FITS:
        return np.zeros(1, np.int64), np.zeros(0, np.int32), failed
    return _gather(forest, drawn)


@njit
def _place_record_chunks(forest: Forest, leaves: Leaves, drawn: _Drawn) -> int:
    """Give the subrecords of each record chunk to distinct records of its leaf."""
    for node in leaves.order:
        drawn.leaf_parts[node] = drawn.n_parts[0]
        if forest.is_leaf[node]:
            start, end = leaves.slots[leaves.first_leaf[node]], leaves.slots[leaves.end_leaf[node]]
            for chunk in range(leaves.chunk_starts[node], leaves.chunk_starts[node + 1]):
                for slot in range(start, end):
                    drawn.pool[slot - start] = slot
                left = end - start
                for entry in range(forest.chunk_offsets[chunk], forest.chunk_offsets[chunk + 1]):
                    for _ in range(forest.counts[entry]):
                        if left == 0:
                            return node  # type: ignore[no-any-return]
                        _put(drawn, _take(drawn, left), entry)
                        left -= 1
        drawn.leaf_ends[node] = drawn.n_parts[0]
    return FITS


@njit
def _place_shared_chunks(forest: Forest, leaves: Leaves, room: Room, drawn: _Drawn, deepest_first: Int64s) -> int:
    """Give the subrecords of each shared chunk to distinct records of the leaves that may hold them."""
    for chunk in deepest_first:
        node = forest.chunk_node[chunk]
        if forest.is_leaf[node]:
            continue
        if not room.uniform[chunk]:
            if not _place_one_by_one(forest, leaves, drawn, chunk):
                return node  # type: ignore[no-any-return]
            continue
        first_entry, end_entry = forest.chunk_offsets[chunk], forest.chunk_offsets[chunk + 1]
        size = forest.counts[first_entry:end_entry].sum()
        left = room.records[chunk]
        if size > left:
            return node  # type: ignore[no-any-return]
        crowded = 2 * size > left  # then few draws would find a free slot
        if crowded:
            index = 0
            for run in range(room.offsets[chunk], room.offsets[chunk + 1]):
                for slot in range(leaves.slots[room.starts[run]], leaves.slots[room.ends[run]]):
                    drawn.pool[index] = slot
                    index += 1
        for entry in range(first_entry, end_entry):
            for _ in range(forest.counts[entry]):
                if crowded:
                    slot = _take(drawn, left)
                    left -= 1
                else:
                    slot = _slot_in_runs(_below(drawn.state, left), chunk, room, leaves.slots)
                    while drawn.taken[slot] == chunk:
                        slot = _slot_in_runs(_below(drawn.state, left), chunk, room, leaves.slots)
                    drawn.taken[slot] = chunk
                _put(drawn, slot, entry)
    return FITS


@njit
def _slot_in_runs(index: int, chunk: int, room: Room, slots: Int64s) -> int:
    """The slot with this index, counted through the runs of leaves that may hold the chunk."""
    run = room.offsets[chunk]
    while index >= slots[room.ends[run]] - slots[room.starts[run]]:
        index -= slots[room.ends[run]] - slots[room.starts[run]]
        run += 1
    return slots[room.starts[run]] + index  # type: ignore[no-any-return]


@njit
def _place_one_by_one(forest: Forest, leaves: Leaves, drawn: _Drawn, chunk: int) -> bool:
    """Place the subrecords of a chunk whose terms exclude different leaves, those with fewest leaves first.

    False where a subrecord finds no free slot.
    """
    node = forest.chunk_node[chunk]
    first_entry, end_entry = forest.chunk_offsets[chunk], forest.chunk_offsets[chunk + 1]
    base, n_leaves = leaves.first_leaf[node], leaves.end_leaf[node] - leaves.first_leaf[node]
    # Which leaves fit each entry: those below no other node that holds one of its terms.
    fits = np.ones((end_entry - first_entry, n_leaves), np.bool_)
    wanted = np.zeros(forest.n_terms, np.bool_)
    for entry in range(first_entry, end_entry):
        for position in range(forest.entry_offsets[entry], forest.entry_offsets[entry + 1]):
            wanted[forest.items[position]] = True
        for other in leaves.order:
            first, end = leaves.first_leaf[other] - base, leaves.end_leaf[other] - base
            if other != node and first >= 0 and end <= n_leaves and _holds_any(forest, leaves, other, wanted):
                for leaf in range(first, end):
                    fits[entry - first_entry, leaf] = False
        for position in range(forest.entry_offsets[entry], forest.entry_offsets[entry + 1]):
            wanted[forest.items[position]] = False
    n_fitting = np.zeros(end_entry - first_entry, np.int64)
    for index in range(end_entry - first_entry):
        for leaf in range(n_leaves):
            n_fitting[index] += fits[index, leaf]
    for index in np.argsort(n_fitting):
        for _ in range(forest.counts[first_entry + index]):
            n_free = 0
            for leaf in range(n_leaves):
                if fits[index, leaf]:
                    for slot in range(leaves.slots[base + leaf], leaves.slots[base + leaf + 1]):
                        if drawn.taken[slot] != chunk:
                            drawn.pool[n_free] = slot
                            n_free += 1
            if n_free == 0:
                return False
            slot = drawn.pool[_below(drawn.state, n_free)]
            drawn.taken[slot] = chunk
            _put(drawn, slot, first_entry + index)
    return True


@njit
def _holds_any(forest: Forest, leaves: Leaves, node: int, wanted: NDArray[np.bool_]) -> bool:
    """A chunk or the term chunk of the node holds a wanted term."""
    for chunk in range(leaves.chunk_starts[node], leaves.chunk_starts[node + 1]):
        first_entry, end_entry = forest.chunk_offsets[chunk], forest.chunk_offsets[chunk + 1]
        for position in range(forest.entry_offsets[first_entry], forest.entry_offsets[end_entry]):
            if wanted[forest.items[position]]:
                return True
    for position in range(forest.term_offsets[node], forest.term_offsets[node + 1]):
        if wanted[forest.terms[position]]:
            return True
    return False


@njit
def _place_terms(forest: Forest, leaves: Leaves, drawn: _Drawn, low: int, high: int) -> int:
    """Give the terms of term chunks to records of their leaf, then something to each record that got nothing."""
    first_part = np.full(len(drawn.parts), -1, np.int64)  # of each slot: a list of its parts, linked by `next_part`
    next_part = np.full(len(drawn.part_slot), -1, np.int64)
    for node in leaves.order:
        if not forest.is_leaf[node]:
            continue
        start, end = leaves.slots[leaves.first_leaf[node]], leaves.slots[leaves.end_leaf[node]]
        for position in range(forest.term_offsets[node], forest.term_offsets[node + 1]):
            times = min(low + _below(drawn.state, high - low + 1), end - start)
            # The first `times` of a shuffle: a slot is looked for among those that do not have this term yet.
            mark = len(forest.chunk_node) + position
            for _ in range(times):
                slot = start + _below(drawn.state, end - start)
                if 2 * times > end - start:
                    while drawn.taken[slot] == mark:
                        slot = slot + 1 if slot + 1 < end else start
                else:
                    while drawn.taken[slot] == mark:
                        slot = start + _below(drawn.state, end - start)
                drawn.taken[slot] = mark
                _put(drawn, slot, len(forest.counts) + position)
        has_empty = False
        for slot in range(start, end):
            has_empty = has_empty or drawn.parts[slot] == 0
        if has_empty and not _fill_empty_records(forest, drawn, node, start, end, first_part, next_part):
            return node  # type: ignore[no-any-return]
    return FITS


@njit
def _fill_empty_records(
    forest: Forest, drawn: _Drawn, node: int, start: int, end: int, first_part: Int64s, next_part: Int64s
) -> bool:
    """Move a part of a record that has several to each record that has none, or repeat a term of the term chunk."""
    for part in range(drawn.leaf_parts[node], drawn.leaf_ends[node]):
        next_part[part] = first_part[drawn.part_slot[part]]
        first_part[drawn.part_slot[part]] = part
    donors = 0
    for slot in range(start, end):
        if drawn.parts[slot] > 1 and first_part[slot] >= 0:
            drawn.pool[donors] = slot
            donors += 1
    n_hidden = forest.term_offsets[node + 1] - forest.term_offsets[node]
    for slot in range(start, end):
        if drawn.parts[slot] > 0:
            continue
        if donors > 0:
            chosen = _below(drawn.state, donors)
            donor = drawn.pool[chosen]
            part = _unlink(drawn.state, donor, first_part, next_part)
            first_part[slot] = part
            drawn.part_slot[part] = slot
            drawn.parts[donor] -= 1
            drawn.parts[slot] += 1
            if drawn.parts[donor] < 2 or first_part[donor] < 0:
                donors -= 1
                drawn.pool[chosen] = drawn.pool[donors]
        elif n_hidden > 0:
            _put(drawn, slot, len(forest.counts) + forest.term_offsets[node] + _below(drawn.state, n_hidden))
        else:
            return False
    return True


@njit
def _unlink(state: NDArray[np.uint64], slot: int, first_part: Int64s, next_part: Int64s) -> int:
    """Take a part, drawn evenly, out of the list of a slot."""
    length = 0
    part = first_part[slot]
    while part >= 0:
        length += 1
        part = next_part[part]
    before, part = -1, first_part[slot]
    for _ in range(_below(state, length)):
        before, part = part, next_part[part]
    if before < 0:
        first_part[slot] = next_part[part]
    else:
        next_part[before] = next_part[part]
    next_part[part] = -1
    return part  # type: ignore[no-any-return]


@njit
def _gather(forest: Forest, drawn: _Drawn) -> tuple[Int64s, Int32s, int]:
    """The records that the parts make up; the third value is FITS unless a record got a term twice."""
    n_slots, n_entries = len(drawn.parts), len(forest.counts)
    offsets = np.zeros(n_slots + 1, np.int64)
    for part in range(drawn.n_parts[0]):
        entry = drawn.part_entry[part]
        length = forest.entry_offsets[entry + 1] - forest.entry_offsets[entry] if entry < n_entries else 1
        offsets[drawn.part_slot[part] + 1] += length
    offsets = np.cumsum(offsets)
    records = np.empty(offsets[n_slots], np.int32)
    fill = offsets[:n_slots].copy()
    for part in range(drawn.n_parts[0]):
        entry, slot = drawn.part_entry[part], drawn.part_slot[part]
        if entry < n_entries:
            for position in range(forest.entry_offsets[entry], forest.entry_offsets[entry + 1]):
                records[fill[slot]] = forest.items[position]
                fill[slot] += 1
        else:
            records[fill[slot]] = forest.terms[entry - n_entries]
            fill[slot] += 1
    for slot in range(n_slots):
        records[offsets[slot] : offsets[slot + 1]].sort()
        for position in range(offsets[slot] + 1, offsets[slot + 1]):
            if records[position] == records[position - 1]:  # a term is in two chunks of one leaf
                return np.zeros(1, np.int64), np.zeros(0, np.int32), 0
    return offsets, records, FITS


@njit
def _take(drawn: _Drawn, left: int) -> int:
    """A slot drawn evenly from the first `left` of the pool; the last of them takes its place."""
    index = _below(drawn.state, left)
    slot = drawn.pool[index]
    drawn.pool[index] = drawn.pool[left - 1]
    return slot  # type: ignore[no-any-return]


@njit
def _put(drawn: _Drawn, slot: int, entry: int) -> None:
    """Lay an entry into a slot, as the next part of what the slot holds."""
    part = drawn.n_parts[0]
    drawn.part_slot[part], drawn.part_entry[part] = slot, entry
    drawn.parts[slot] += 1
    drawn.n_parts[0] = part + 1


@njit
def _below(state: NDArray[np.uint64], bound: int) -> int:
    """An even draw from 0 to bound - 1: what would favour small numbers is drawn again."""
    limit = np.uint64(bound)
    highest = np.uint64(0xFFFFFFFFFFFFFFFF)
    surplus = (highest % limit + np.uint64(1)) % limit
    word = _next_word(state)
    while word > highest - surplus:
        word = _next_word(state)
    return np.int64(word % limit)  # type: ignore[return-value]


@njit
def _next_word(state: NDArray[np.uint64]) -> np.uint64:
    """SplitMix64."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    mixed = state[0]
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))  # type: ignore[no-any-return]
