"""Which patterns enough individuals have, gaps allowed: a prefix tree of the patterns asked for. Sequences as in `lcs`.

The sequences are written one behind the other, END after each. The projection of a pattern has an entry for each
sequence that contains it: where its leftmost embedding is over, and which items come from there on, item c by bit
c % 32. That of a longer pattern is found by looking on from there, and only where that bit is set. Patterns of one item
have theirs in `postings`; others are kept in a pool without the entries from which nothing goes on, long ones in its
first half until that is full, all others in its second half, which is emptied when it is full; what is missing then is
made again from what is left. When a longer pattern is asked for the first time, one look at all that is in the
projection finds every item that enough individuals go on with: what is not among them is rare, and so is whatever
begins with it. Up to 32 items the bits of the entries are all that is counted.

A cell holds the item at a place above the bits of all items from there on: looking on touches one array.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s, offsets_of
from crypsis.arrays.ascending import first_not_below
from crypsis.arrays.record_bits import ones_in
from crypsis.compilation import njit
from crypsis.kernels.lcs import Sequences, Words
from crypsis.kernels.plain_sorting import sort_first

RARE = -1
NO_ROOM = -2
UNDECIDED = -3
ROOT = 0
END = -1
NONE = -1
FAR = 64  # places to look at one by one before a long sequence is searched
_BITS = 32  # of what an entry says of later items
_PLACE = np.int64(0xFFFFFFFF)  # the bits of an entry that tell its place
_LATER = np.int64(0xFFFFFFFF)  # the bits of a cell that tell of later items
_CHILDREN = 64  # bits of a word of children
_COUNTED_AT_ONCE = 8  # items whose bits are counted in about the time of looking at an entry
_MOST_AT_ONCE = 255  # entries whose bits are added up in bytes
_ONE = np.uint64(1)
_SPREAD = np.array([sum(1 << (8 * bit) for bit in range(8) if byte >> bit & 1) for byte in range(256)], np.uint64)
_LONG = 256  # entries of a projection that costs more to make again than to keep


class LongSequences(NamedTuple):
    """Places of long sequences by sequence, item and place; none of others.

    Sequence q has items[offsets[q]:offsets[q + 1]] at places[offsets[q]:offsets[q + 1]].
    """

    offsets: Int64s
    items: Int32s
    places: Int32s


class Corpus(NamedTuple):
    """Distinct sequences in one text, the sequence at each place of it, and the rows of each sequence.

    Sequence q is text[begins[q]:begins[q] + lengths[q]], and END follows.
    A cell is an item, and below it the bits of the items from there to the end of the sequence.
    From place `once_from` on, every sequence has one row; what is before that place may have several. Individuals of
    sequence q are whose[whose_offsets[q]:whose_offsets[q + 1]] where several rows may belong to one individual;
    otherwise every row is one, and `whose` is empty. For item c, postings[posting_offsets[c]: posting_offsets[c + 1]]
    are entries: the place behind the first c of each sequence, and above it the bits of later items. The rest is room
    to work in; `work` counts the places that were looked at.
    """

    text: Int32s
    begins: Int64s
    lengths: Int32s
    sequence_at: Int32s
    cells: Int64s
    rows: Int64s
    once_from: int
    whose_offsets: Int64s
    whose: Int32s
    posting_offsets: Int64s
    postings: Int64s
    long: LongSequences
    counted_at: Int64s
    seen_at: Int64s
    counts: Int64s
    counted: Int32s
    clock: Int64s
    work: Int64s
    entries: Int64s


class PatternTree(NamedTuple):
    """Node n is the pattern of its parent and one more item.

    Once expanded[n], all frequent ones that are one item longer stand by item from child[n] on, n_children[n] of them,
    and children[n] tells with which items, item c by bit c % 64. Whatever comes in a longer frequent pattern behind n
    is among these.

    `used` has the number of nodes, and how far the second and the first half of the pool are filled.

    Of its projection those entries that go on are length[n] of `pool` from first[n] on; first[n] is -1 if not kept.
    """

    parent: Int32s
    item: Int32s
    support: Int64s
    expanded: Bools
    children: Words
    child: Int32s
    n_children: Int32s
    first: Int64s
    length: Int32s
    pool: Int64s
    used: Int64s


def corpus_of(
    sequences: Sequences, rows: Int64s, whose_offsets: Int64s, whose: Int32s, n_individuals: int, n_codes: int
) -> Corpus:
    """Write the sequences into one text, those with several rows first, and sort out where each item stands."""
    once = np.flatnonzero(rows == 1)
    repeated = np.flatnonzero(rows != 1)
    order = np.concatenate([repeated, once])
    text, sequence_at, cells = _written_together(sequences, order)
    begins = np.empty(len(order), np.int64)
    begins[order] = offsets_of(sequences.lengths[order] + np.int64(1))[:-1]
    offsets, postings = _postings(cells, sequence_at, len(rows), n_codes)
    return Corpus(
        text=text,
        begins=begins,
        lengths=sequences.lengths,
        sequence_at=sequence_at,
        cells=cells,
        rows=rows,
        once_from=int(sequences.lengths[repeated].sum()) + len(repeated),
        whose_offsets=whose_offsets,
        whose=whose,
        posting_offsets=offsets,
        postings=postings,
        long=_long_sequences(text, sequence_at, sequences.lengths),
        counted_at=np.zeros(n_individuals, np.int64),
        seen_at=np.zeros(n_codes, np.int64),
        counts=np.zeros(n_codes, np.int64),
        counted=np.zeros(n_codes, np.int32),
        clock=np.zeros(1, np.int64),
        work=np.zeros(1, np.int64),
        entries=np.zeros(len(rows), np.int64),
    )


def _long_sequences(text: Int32s, sequence_at: Int32s, lengths: Int32s) -> LongSequences:
    places = np.flatnonzero((lengths[sequence_at] > FAR) & (text != END))
    places = places[np.lexsort((places, text[places], sequence_at[places]))]
    return LongSequences(offsets_of(np.where(lengths > FAR, lengths, 0)), text[places], places.astype(np.int32))


def with_own_room(corpus: Corpus) -> Corpus:
    """The same sequences with room of their own to work in, for another thread."""
    return corpus._replace(
        counted_at=np.zeros_like(corpus.counted_at),
        seen_at=np.zeros_like(corpus.seen_at),
        counts=np.zeros_like(corpus.counts),
        counted=np.zeros_like(corpus.counted),
        clock=np.zeros_like(corpus.clock),
        work=np.zeros_like(corpus.work),
        entries=np.zeros_like(corpus.entries),
    )


def no_patterns(room: int = 1 << 11, pool: int = 1 << 16) -> PatternTree:
    """A tree of the empty pattern."""
    return PatternTree(
        parent=np.full(room, NONE, np.int32),
        item=np.full(room, NONE, np.int32),
        support=np.zeros(room, np.int64),
        expanded=np.zeros(room, np.bool_),
        children=np.zeros(room, np.uint64),
        child=np.zeros(room, np.int32),
        n_children=np.zeros(room, np.int32),
        first=np.full(room, NONE, np.int64),
        length=np.zeros(room, np.int32),
        pool=np.empty(pool, np.int64),
        used=np.array([1, pool // 2, 0], np.int64),
    )


def emptied(tree: PatternTree) -> PatternTree:
    """A tree without patterns that has the same pool."""
    empty = no_patterns(pool=0)
    empty.used[1] = len(tree.pool) // 2
    return empty._replace(pool=tree.pool)


def with_more_room(tree: PatternTree) -> PatternTree:
    """The same patterns and pool, with room for twice as many patterns."""
    n_nodes = int(tree.used[0])
    wider = no_patterns(2 * len(tree.parent), 0)
    for name in PatternTree._fields[:-2]:  # all but the pool and what is used
        getattr(wider, name)[:n_nodes] = getattr(tree, name)[:n_nodes]
    wider.used[:] = tree.used
    return wider._replace(pool=tree.pool)


@njit
def _written_together(sequences: Sequences, order: Int64s) -> tuple[Int32s, Int32s, Int64s]:
    """Write all sequences into one text, and beside each item which items come from there on."""
    length = np.int64(len(sequences.lengths))
    for sequence in range(len(sequences.lengths)):
        length += sequences.lengths[sequence]
    text = np.empty(length, np.int32)
    sequence_at = np.empty(length, np.int32)
    cells = np.empty(length, np.int64)
    place = 0
    for sequence in order:
        start = sequences.starts[sequence]
        for position in range(sequences.lengths[sequence]):
            text[place] = sequences.codes[start + position]
            sequence_at[place] = sequence
            place += 1
        text[place] = END
        sequence_at[place] = sequence
        later = np.int64(0)
        cells[place] = np.int64(END) << _BITS
        for before in range(place - 1, place - 1 - sequences.lengths[sequence], -1):
            later |= np.int64(1) << (text[before] % _BITS)
            cells[before] = (np.int64(text[before]) << _BITS) | later
        place += 1
    return text, sequence_at, cells


@njit
def _postings(cells: Int64s, sequence_at: Int32s, n_sequences: int, n_codes: int) -> tuple[Int64s, Int64s]:
    """List for each item where it first stands in each sequence, as entries."""
    offsets = np.zeros(n_codes + 1, np.int64)
    postings = np.zeros(0, np.int64)
    for writing in range(2):
        last = np.full(n_codes, n_sequences, np.int64)
        fill = offsets[:-1].copy()
        for index in range(len(cells)):
            item = cells[index] >> _BITS
            if item != END and last[item] != sequence_at[index]:
                last[item] = sequence_at[index]
                if writing:
                    postings[fill[item]] = _entry_at(cells, index + 1)
                    fill[item] += 1
                else:
                    offsets[item + 1] += 1
        if not writing:
            offsets = np.cumsum(offsets)
            postings = np.empty(offsets[-1], np.int64)
    return offsets, postings


@njit
def _entry_at(cells: Int64s, place: int) -> int:
    """Join a place and what comes from there on."""
    return int(np.int64(place) | ((cells[place] & _LATER) << _BITS))


@njit
def child_with(
    children: Words, child: Int32s, n_children: Int32s, items: Int32s, n_codes: int, parent: int, item: int
) -> int:
    """The child of an expanded node with an item that its word has, or NONE where the word means another item."""
    first = np.int64(child[parent])
    if n_codes <= _CHILDREN:
        return int(first + ones_in(children[parent] & ((_ONE << np.uint64(item)) - _ONE)))
    end = first + n_children[parent]
    index = first_not_below(items, int(first), end, item)
    return index if index < end and items[index] == item else NONE


@njit
def goes_on_with(children: np.uint64, item: int) -> bool:
    """Whether an item, or one that shares its bit, is among those that a pattern goes on with."""
    return bool((children >> np.uint64(item % _CHILDREN)) & _ONE)


@njit
def expand(tree: PatternTree, corpus: Corpus, parent: int, k: int) -> bool:
    """Note every frequent pattern that is one item longer than this one; False if there is no room for them."""
    if tree.expanded[parent]:
        return True
    counts, children = corpus.counts, np.uint64(0)
    n_counted = _count_singles(corpus) if parent == ROOT else _count_later(tree, corpus, parent)
    n_frequent = 0
    for item in corpus.counted[:n_counted]:
        n_frequent += counts[item] >= k
    fits = tree.used[0] + n_frequent <= len(tree.parent)
    n_frequent = 0
    for item in corpus.counted[:n_counted]:
        if fits and counts[item] >= k:
            corpus.counted[n_frequent] = item
            n_frequent += 1
        else:
            counts[item] = 0
    if parent != ROOT and len(counts) > _BITS:  # counted as they came
        sort_first(corpus.counted, n_frequent)
    first = tree.used[0]
    node = first
    for item in corpus.counted[:n_frequent]:
        support, counts[item] = counts[item], 0
        if len(corpus.whose) > 0 and parent != ROOT:  # rows were counted: there are fewer individuals
            support = _individuals(corpus, _look_on(tree, corpus, parent, item))
            if support < k:
                continue
        tree.parent[node] = parent
        tree.item[node] = item
        tree.support[node] = support
        tree.first[node] = NONE
        tree.expanded[node] = False
        children |= _ONE << np.uint64(item % _CHILDREN)
        node += 1
    tree.used[0] = node
    tree.expanded[parent] = fits
    tree.children[parent] = children
    tree.child[parent] = first
    tree.n_children[parent] = node - first
    return bool(fits)


@njit
def _count_later(tree: PatternTree, corpus: Corpus, node: int) -> int:
    """Count for each item the rows that go on with it after this pattern; how many items were `counted`."""
    _project(tree, corpus, node)
    entries = _kept_entries(tree, corpus, node)
    if len(corpus.counts) <= _BITS:
        _count_bits(entries, corpus.counts, corpus.rows, corpus.sequence_at, corpus.once_from)
        corpus.work[0] += len(entries) * (1 + len(corpus.counts) // _COUNTED_AT_ONCE)
        for item in range(len(corpus.counts)):
            corpus.counted[item] = item
        return len(corpus.counts)
    counts, text, rows = corpus.counts, corpus.text, corpus.rows
    counted, seen_at, sequence_at, once_from = corpus.counted, corpus.seen_at, corpus.sequence_at, corpus.once_from
    clock, work = corpus.clock[0], len(entries)
    n_counted = 0
    for entry in entries:
        place = entry & _PLACE
        weight = np.int64(1)
        if place < once_from:
            weight = rows[sequence_at[place]]
            if weight == 0:  # a kept path that no row ends with
                continue
        clock += 1
        begin = place
        while text[place] != END:
            item = text[place]
            if seen_at[item] != clock:
                seen_at[item] = clock
                if counts[item] == 0:
                    counted[n_counted] = item
                    n_counted += 1
                counts[item] += weight
            place += 1
        work += place - begin
    corpus.clock[0] = clock
    corpus.work[0] += work
    return n_counted


@njit
def _count_bits(entries: Int64s, counts: Int64s, rows: Int64s, sequence_at: Int32s, once_from: int) -> None:
    """Count what entries say of later items: those of several rows one by one, the others up to 255 at once."""
    n_codes, n_entries = len(counts), len(entries)
    first = 0
    while first < n_entries and entries[first] & _PLACE < once_from:  # ascending
        weight = rows[sequence_at[entries[first] & _PLACE]]
        bits = entries[first] >> _BITS
        for item in range(n_codes):
            counts[item] += weight * ((bits >> item) & 1)
        first += 1
    while first < n_entries:
        end = min(first + _MOST_AT_ONCE, n_entries)
        for lowest in range(0, n_codes, 8):
            shift = _BITS + lowest
            total = np.uint64(0)
            for index in range(first, end):
                total += _SPREAD[(entries[index] >> shift) & 255]
            for item in range(lowest, min(lowest + 8, n_codes)):
                counts[item] += np.int64((total >> np.uint64(8 * (item - lowest))) & np.uint64(255))
        first = end


@njit
def _count_singles(corpus: Corpus) -> int:
    """Count for each item the individuals that have it; how many items were `counted`."""
    for item in range(len(corpus.counts)):
        first, end = corpus.posting_offsets[item], corpus.posting_offsets[item + 1]
        for entry in range(first, end):
            corpus.entries[entry - first] = corpus.postings[entry]
        corpus.counts[item] = _individuals(corpus, end - first)
        corpus.counted[item] = item
    return len(corpus.counts)


@njit
def _individuals(corpus: Corpus, n_entries: int) -> int:
    """Individuals of the sequences that lie in the work room."""
    count = 0
    if len(corpus.whose) == 0:
        for entry in corpus.entries[:n_entries]:  # ascending
            place = entry & _PLACE
            if place >= corpus.once_from:
                break
            count += corpus.rows[corpus.sequence_at[place]] - 1
        return count + n_entries
    corpus.clock[0] += 1
    for entry in corpus.entries[:n_entries]:
        sequence = corpus.sequence_at[entry & _PLACE]
        for index in range(corpus.whose_offsets[sequence], corpus.whose_offsets[sequence + 1]):
            individual = corpus.whose[index]
            if corpus.counted_at[individual] != corpus.clock[0]:
                corpus.counted_at[individual] = corpus.clock[0]
                count += 1
    return count


@njit
def _project(tree: PatternTree, corpus: Corpus, node: int) -> None:
    """Make the projection of a pattern again if it is not kept, from the closest ancestor that has one."""
    if tree.first[node] != NONE or tree.parent[node] == ROOT:
        return
    depth = 1
    ancestor = tree.parent[node]
    while tree.first[ancestor] == NONE and tree.parent[ancestor] != ROOT:
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
    entries = _kept_entries(tree, corpus, node)
    corpus.work[0] += len(entries)
    cells, sequence_at, long, found = corpus.cells, corpus.sequence_at, corpus.long, corpus.entries
    bit = _BITS + item % _BITS
    n_hopeful = 0
    for entry in entries:
        found[n_hopeful] = entry
        n_hopeful += (entry >> bit) & 1
    n_entries = 0
    for index in range(n_hopeful):
        place = found[index] & _PLACE
        far = place + FAR
        other = cells[place] >> _BITS
        while other != item and other != END and place < far:
            place += 1
            other = cells[place] >> _BITS
        if place == far:
            place = next_place_of_long(long, sequence_at[place], place, item)
            other = cells[place] >> _BITS
        if other == item:
            found[n_entries] = _entry_at(cells, place + 1)
            n_entries += 1
    return n_entries


@njit
def _kept_entries(tree: PatternTree, corpus: Corpus, node: int) -> Int64s:
    """The projection of a pattern for which it is kept: behind its leftmost embedding in each sequence."""
    if tree.parent[node] == ROOT:
        single = tree.item[node]
        return corpus.postings[corpus.posting_offsets[single] : corpus.posting_offsets[single + 1]]
    return tree.pool[tree.first[node] : tree.first[node] + tree.length[node]]


@njit
def entries_of(tree: PatternTree, corpus: Corpus, node: int) -> Int64s:
    """The whole projection of a frequent pattern; the array holds it until the next pattern is asked for."""
    parent = tree.parent[node]
    if parent == ROOT:
        return _kept_entries(tree, corpus, node)
    _project(tree, corpus, parent)
    return corpus.entries[: _look_on(tree, corpus, parent, tree.item[node])]


@njit
def place_of(entry: int) -> int:
    """Where the leftmost embedding of a pattern is over."""
    return int(entry & _PLACE)


@njit
def next_place_of_long(long: LongSequences, sequence: int, place: int, item: int) -> int:
    """The next place of the item in a long sequence from this place on; this place where there is none."""
    low, end = long.offsets[sequence], long.offsets[sequence + 1]
    high = end
    while low < high:
        middle = (low + high) // 2
        other = long.items[middle]
        if other < item or (other == item and long.places[middle] < place):
            low = middle + 1
        else:
            high = middle
    return int(long.places[low]) if low < end and long.items[low] == item else place


@njit
def _keep(tree: PatternTree, corpus: Corpus, node: int, n_entries: int) -> None:
    """Copy what goes on in the projection from the work room into the pool."""
    half = len(tree.pool) // 2
    start = tree.used[2]
    n_kept = 0
    for entry in corpus.entries[:n_entries]:
        n_kept += (entry >> _BITS) != 0
    if n_kept >= _LONG and start + n_kept <= half:
        tree.used[2] = start + n_kept
    else:
        start = tree.used[1]
        if start + n_kept > len(tree.pool):
            for other in range(tree.used[0]):
                if tree.first[other] >= half:
                    tree.first[other] = NONE
            start = half
        tree.used[1] = start + n_kept
    pool, kept = tree.pool, start
    for entry in corpus.entries[:n_entries]:
        if (entry >> _BITS) != 0:
            pool[kept] = entry
            kept += 1
    tree.first[node] = start
    tree.length[node] = n_kept


@njit
def pattern_of(tree: PatternTree, corpus: Corpus, codes: Int32s, k: int, enough: int) -> int:
    """The node of this pattern, RARE if fewer than `enough` (k or more) have it, NO_ROOM if it cannot be noted."""
    items, children, child, n_children = tree.item, tree.children, tree.child, tree.n_children
    expanded, support, n_codes = tree.expanded, tree.support, len(corpus.counts)
    node = ROOT
    for code in codes:
        if not expanded[node] and not expand(tree, corpus, node, k):
            return NO_ROOM
        if not goes_on_with(children[node], code):
            return RARE
        node = child_with(children, child, n_children, items, n_codes, node, code)
        if node == NONE or support[node] < enough:
            return RARE
    return int(node)


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
    """Prefer the pattern that more individuals have, then the one with smaller items; both have the same length."""
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
