"""Which patterns enough individuals have, gaps allowed: a prefix tree of the patterns asked for. Sequences as in `lcs`.

The sequences are written one behind the other, END after each. The projection of a pattern has a place for each
sequence that contains it: where its leftmost embedding is over; that of a longer one is found by looking on from there.
Patterns of one item have theirs in `postings`; others are kept in a pool, long ones in its first half until that is
full, all others in its second half, which is emptied when it is full; what is missing then is made again from what is
left. A pattern that too few have is a dead end: whatever begins with it is as rare.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crypsis.arrays import Int32s, Int64s, offsets_of
from crypsis.compilation import njit
from crypsis.kernels.lcs import Sequences

RARE = -1
NO_ROOM = -2
ROOT = 0
END = -1
_NONE = -1
_FAR = 64  # places to look at one by one before a long sequence is searched
_LONG = 256  # entries of a projection that costs more to make again than to keep


class Corpus(NamedTuple):
    """Distinct sequences in one text, the sequence at each place of it, and the rows of each sequence.

    From place `once_from` on, every sequence has one row; what is before that place may have several.
    Individuals of sequence q are whose[whose_offsets[q]:whose_offsets[q + 1]] where several rows may belong to one
    individual; otherwise every row is one, and `whose` is empty. For item c, postings[posting_offsets[c]:
    posting_offsets[c + 1]] are the places behind the first c of each sequence. Where sequence q goes on for long, its
    places are sorted by item, then place: sorted_places[sorted_offsets[q]:sorted_offsets[q + 1]], with their items
    beside them. The rest is room to work in.
    """

    text: Int32s
    sequence_at: Int32s
    rows: Int64s
    once_from: int
    whose_offsets: Int64s
    whose: Int32s
    posting_offsets: Int64s
    postings: Int32s
    sorted_offsets: Int64s
    sorted_items: Int32s
    sorted_places: Int32s
    counted_at: Int64s
    clock: Int64s
    places: Int32s


class PatternTree(NamedTuple):
    """Node n is the pattern of its parent and one more item; `slots` finds it.

    `used` has the number of nodes, and how far the second and the first half of the pool are filled.

    Its projection is length[n] entries of `pool` from first[n] on; first[n] is -1 if it is not kept.
    """

    slots: Int64s
    parent: Int32s
    item: Int32s
    support: Int64s
    first: Int64s
    length: Int32s
    pool: Int32s
    used: Int64s


def corpus_of(
    sequences: Sequences, rows: Int64s, whose_offsets: Int64s, whose: Int32s, n_individuals: int, n_codes: int
) -> Corpus:
    """Write the sequences into one text, those with several rows first, and sort out where each item stands."""
    once = np.flatnonzero(rows == 1)
    repeated = np.flatnonzero(rows != 1)
    text, sequence_at = _written_together(sequences, np.concatenate([repeated, once]))
    offsets, postings = _postings(text, sequence_at, len(rows), n_codes)
    sorted_offsets, sorted_places = _sorted_places(text, sequence_at, sequences.lengths)
    return Corpus(
        text=text,
        sequence_at=sequence_at,
        rows=rows,
        once_from=int(sequences.lengths[repeated].sum()) + len(repeated),
        whose_offsets=whose_offsets,
        whose=whose,
        posting_offsets=offsets,
        postings=postings,
        sorted_offsets=sorted_offsets,
        sorted_items=text[sorted_places],
        sorted_places=sorted_places,
        counted_at=np.zeros(n_individuals, np.int64),
        clock=np.zeros(1, np.int64),
        places=np.zeros(len(rows), np.int32),
    )


def _sorted_places(text: Int32s, sequence_at: Int32s, lengths: Int32s) -> tuple[Int64s, Int32s]:
    """The places of long sequences by sequence, item and place; those of others are left out."""
    places = np.flatnonzero((lengths[sequence_at] > _FAR) & (text != END))
    places = places[np.lexsort((places, text[places], sequence_at[places]))]
    return offsets_of(np.where(lengths > _FAR, lengths, 0)), places.astype(np.int32)


def with_own_room(corpus: Corpus) -> Corpus:
    """The same sequences with room of their own to work in, for another thread."""
    return corpus._replace(
        counted_at=np.zeros_like(corpus.counted_at),
        clock=np.zeros_like(corpus.clock),
        places=np.zeros_like(corpus.places),
    )


def no_patterns(n_slots: int = 1 << 12, pool: int = 1 << 16) -> PatternTree:
    """A tree of the empty pattern."""
    room = n_slots // 2
    return PatternTree(
        slots=np.full(n_slots, _NONE, np.int64),
        parent=np.full(room, _NONE, np.int32),
        item=np.full(room, _NONE, np.int32),
        support=np.zeros(room, np.int64),
        first=np.full(room, _NONE, np.int64),
        length=np.zeros(room, np.int32),
        pool=np.empty(pool, np.int32),
        used=np.array([1, pool // 2, 0], np.int64),
    )


def with_more_room(tree: PatternTree) -> PatternTree:
    """The same patterns and pool, with room for twice as many patterns."""
    n_nodes = int(tree.used[0])
    wider = no_patterns(2 * len(tree.slots), 0)
    wider.parent[:n_nodes] = tree.parent[:n_nodes]
    wider.item[:n_nodes] = tree.item[:n_nodes]
    wider.support[:n_nodes] = tree.support[:n_nodes]
    wider.first[:n_nodes] = tree.first[:n_nodes]
    wider.length[:n_nodes] = tree.length[:n_nodes]
    wider.used[:] = tree.used
    wider = wider._replace(pool=tree.pool)
    _fill_slots(wider)
    return wider


@njit
def _written_together(sequences: Sequences, order: Int64s) -> tuple[Int32s, Int32s]:
    length = np.int64(len(sequences.lengths))
    for sequence in range(len(sequences.lengths)):
        length += sequences.lengths[sequence]
    text = np.empty(length, np.int32)
    sequence_at = np.empty(length, np.int32)
    place = 0
    for sequence in order:
        start = sequences.starts[sequence]
        for position in range(sequences.lengths[sequence]):
            text[place] = sequences.codes[start + position]
            sequence_at[place] = sequence
            place += 1
        text[place] = END
        sequence_at[place] = sequence
        place += 1
    return text, sequence_at


@njit
def _postings(text: Int32s, sequence_at: Int32s, n_sequences: int, n_codes: int) -> tuple[Int64s, Int32s]:
    offsets = np.zeros(n_codes + 1, np.int64)
    postings = np.zeros(0, np.int32)
    for writing in range(2):
        last = np.full(n_codes, n_sequences, np.int64)
        fill = offsets[:-1].copy()
        for index in range(len(text)):
            item = text[index]
            if item != END and last[item] != sequence_at[index]:
                last[item] = sequence_at[index]
                if writing:
                    postings[fill[item]] = index + 1
                    fill[item] += 1
                else:
                    offsets[item + 1] += 1
        if not writing:
            offsets = np.cumsum(offsets)
            postings = np.empty(offsets[-1], np.int32)
    return offsets, postings


@njit
def _slot_of(tree: PatternTree, parent: int, item: int) -> int:
    """Where the child with this item is, or would be."""
    value = np.uint64(parent) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(item)
    value = (value ^ (value >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    value ^= value >> np.uint64(32)
    last = np.int64(len(tree.slots) - 1)
    slot = np.int64(value & np.uint64(0x7FFFFFFFFFFFFFFF)) & last
    while True:
        node = tree.slots[slot]
        if node == _NONE or (tree.parent[node] == parent and tree.item[node] == item):
            return int(slot)
        slot = (slot + 1) & last


@njit
def _fill_slots(tree: PatternTree) -> None:
    for node in range(1, tree.used[0]):
        tree.slots[_slot_of(tree, tree.parent[node], tree.item[node])] = node


@njit
def child_of(tree: PatternTree, corpus: Corpus, parent: int, item: int, k: int) -> int:
    """The pattern one item longer than a frequent one; RARE if fewer than k have it, NO_ROOM if it cannot be noted."""
    slot = _slot_of(tree, parent, item)
    node = tree.slots[slot]
    if node == _NONE:
        node = tree.used[0]
        if node == len(tree.parent):
            return NO_ROOM
        if parent == ROOT:
            _note_single(tree, corpus, node, item)
        else:
            _project(tree, corpus, parent)
            n_entries = _look_on(tree, corpus, parent, item)
            tree.support[node] = _individuals(corpus, n_entries)
            tree.first[node] = _NONE
            if tree.support[node] >= k:
                _keep(tree, corpus, node, n_entries)
        tree.parent[node] = parent
        tree.item[node] = item
        tree.slots[slot] = node
        tree.used[0] = node + 1
    return int(node) if tree.support[node] >= k else RARE


@njit
def _note_single(tree: PatternTree, corpus: Corpus, node: int, item: int) -> None:
    first, end = corpus.posting_offsets[item], corpus.posting_offsets[item + 1]
    for entry in range(first, end):
        corpus.places[entry - first] = corpus.postings[entry]
    tree.support[node] = _individuals(corpus, end - first)
    tree.first[node] = _NONE


@njit
def _individuals(corpus: Corpus, n_entries: int) -> int:
    """Individuals of the sequences that lie in the work room."""
    count = 0
    if len(corpus.whose) == 0:
        for place in corpus.places[:n_entries]:  # ascending
            if place >= corpus.once_from:
                break
            count += corpus.rows[corpus.sequence_at[place]] - 1
        return count + n_entries
    corpus.clock[0] += 1
    for entry in range(n_entries):
        sequence = corpus.sequence_at[corpus.places[entry]]
        for index in range(corpus.whose_offsets[sequence], corpus.whose_offsets[sequence + 1]):
            individual = corpus.whose[index]
            if corpus.counted_at[individual] != corpus.clock[0]:
                corpus.counted_at[individual] = corpus.clock[0]
                count += 1
    return count


@njit
def _project(tree: PatternTree, corpus: Corpus, node: int) -> None:
    """Make the projection of a pattern again if it is not kept, from the closest ancestor that has one."""
    if tree.first[node] != _NONE or tree.parent[node] == ROOT:
        return
    depth = 1
    ancestor = tree.parent[node]
    while tree.first[ancestor] == _NONE and tree.parent[ancestor] != ROOT:
        ancestor = tree.parent[ancestor]
        depth += 1
    below = np.empty(depth, np.int64)
    step = node
    for index in range(depth - 1, -1, -1):
        below[index] = step
        step = tree.parent[step]
    for index in range(depth):
        n_entries = _look_on(tree, corpus, tree.parent[below[index]], tree.item[below[index]])
        _keep(tree, corpus, below[index], n_entries)


@njit
def _look_on(tree: PatternTree, corpus: Corpus, node: int, item: int) -> int:
    """Write the projection of the longer pattern into the work room; how many entries it has."""
    if tree.parent[node] == ROOT:
        single = tree.item[node]
        places = corpus.postings[corpus.posting_offsets[single] : corpus.posting_offsets[single + 1]]
    else:
        places = tree.pool[tree.first[node] : tree.first[node] + tree.length[node]]
    text, n_entries = corpus.text, 0
    for place in places:
        far = place + _FAR
        while text[place] != item and text[place] != END and place < far:
            place += 1
        if place == far:  # a long sequence: search instead
            place = _next_place(corpus, place, item)
        if text[place] == item:
            corpus.places[n_entries] = place + 1
            n_entries += 1
    return n_entries


@njit
def _next_place(corpus: Corpus, place: int, item: int) -> int:
    """The next place of the item from this place on in a long sequence; this place where there is none."""
    sequence = corpus.sequence_at[place]
    low, end = corpus.sorted_offsets[sequence], corpus.sorted_offsets[sequence + 1]
    high = end
    while low < high:
        middle = (low + high) // 2
        other = corpus.sorted_items[middle]
        if other < item or (other == item and corpus.sorted_places[middle] < place):
            low = middle + 1
        else:
            high = middle
    return corpus.sorted_places[low] if low < end and corpus.sorted_items[low] == item else place


@njit
def _keep(tree: PatternTree, corpus: Corpus, node: int, n_entries: int) -> None:
    """Copy the projection from the work room into the pool."""
    half = len(tree.pool) // 2
    start = tree.used[2]
    if n_entries >= _LONG and start + n_entries <= half:
        tree.used[2] = start + n_entries
    else:
        start = tree.used[1]
        if start + n_entries > len(tree.pool):
            for other in range(tree.used[0]):
                if tree.first[other] >= half:
                    tree.first[other] = _NONE
            start = half
        tree.used[1] = start + n_entries
    for entry in range(n_entries):
        tree.pool[start + entry] = corpus.places[entry]
    tree.first[node] = start
    tree.length[node] = n_entries


@njit
def pattern_of(tree: PatternTree, corpus: Corpus, codes: Int32s, k: int, enough: int) -> int:
    """The node of this pattern, RARE if fewer than `enough` (k or more) have it, NO_ROOM if it cannot be noted."""
    node = ROOT
    for code in codes:
        node = child_of(tree, corpus, node, code, k)
        if node < 0:
            return node
        if tree.support[node] < enough:
            return RARE
    return node


@njit
def patterns_of(tree: PatternTree, corpus: Corpus, patterns: Sequences, first: int, k: int, nodes: Int64s) -> int:
    """Fill nodes[p] from pattern `first` on; the first one that there was no room for, or how many there are."""
    for pattern in range(first, len(patterns.lengths)):
        start = patterns.starts[pattern]
        nodes[pattern] = pattern_of(tree, corpus, patterns.codes[start : start + patterns.lengths[pattern]], k, k)
        if nodes[pattern] == NO_ROOM:
            return pattern
    return len(patterns.lengths)


@njit
def comes_before(tree: PatternTree, one: int, other: int) -> bool:
    """Of two patterns of the same length: the one that more individuals have, then the one with smaller items."""
    if tree.support[one] != tree.support[other]:
        return bool(tree.support[one] > tree.support[other])
    smaller = False
    while one != other:
        if tree.item[one] != tree.item[other]:
            smaller = tree.item[one] < tree.item[other]
        one, other = tree.parent[one], tree.parent[other]
    return smaller


@njit
def written_out(tree: PatternTree, nodes: Int64s) -> tuple[Int64s, Int32s]:
    """Offsets and codes of the patterns of these nodes; a negative one stands for nothing."""
    offsets = np.zeros(len(nodes) + 1, np.int64)
    for index in range(len(nodes)):
        length, node = 0, nodes[index]
        while node > ROOT:
            length += 1
            node = tree.parent[node]
        offsets[index + 1] = offsets[index] + length
    codes = np.empty(offsets[-1], np.int32)
    for index in range(len(nodes)):
        place, node = offsets[index + 1], nodes[index]
        while node > ROOT:
            place -= 1
            codes[place] = tree.item[node]
            node = tree.parent[node]
    return offsets, codes
