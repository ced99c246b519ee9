"""The best replacement of a cut sequence: its longest common subsequence with another one that enough individuals have.

Candidates come as (sequence, common length, other) and are taken from the longest down; each is spelled along the tree
of patterns, which knows its support or finds it, and dropped where it turns out to be rare.

Two sequences have no more in common in order than at all. Where there are many items, few others have enough of those
of a sequence, and counting shared items along an index finds them without a look at all the rest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s, offsets_of
from crypsis.arrays.record_bits import ones_in
from crypsis.compilation import njit
from crypsis.kernels.lcs import Sequences, Words, common_from, masks_of_long, zeros_below
from crypsis.kernels.pattern_tree import (
    END,
    NO_ROOM,
    RARE,
    UNDECIDED,
    Corpus,
    PatternTree,
    comes_before,
    pattern_of,
)
from crypsis.kernels.projected_tree import ComparedTree
from crypsis.kernels.supporters import MOST_MEMBERS, add_supporter, can_be_contained, no_supporters

_SEEN_BITS = 12
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_ONE = np.uint64(1)
_NARROW = 64  # longest sequence whose positions fit in a word
_LEAST_SHARE = 8  # of all sequences one in so many may have enough items; with more, all are compared at once


class ItemIndex(NamedTuple):
    """Which sequences have an item how often.

    The j-th occurrence of item c, j from 0 on, is entry first[c] + j of `offsets`, if below first[c + 1]; those that
    have c more than j times are numbers[offsets[e]:offsets[e + 1]]. `rows` by sequence, as in `ComparedTree`.
    """

    first: Int64s
    offsets: Int64s
    numbers: Int32s
    rows: Int64s


def index_of_items(corpus: Corpus, compared: Bools, rows: Int64s, n_codes: int) -> ItemIndex:
    """The index of the sequences of a corpus that others are compared with."""
    places = np.flatnonzero((corpus.text != END) & compared[corpus.sequence_at])
    items, numbers = corpus.text[places], corpus.sequence_at[places]
    order = np.lexsort((items, numbers))
    items, numbers = items[order], numbers[order]
    begins = np.ones(len(items), np.bool_)
    begins[1:] = (items[1:] != items[:-1]) | (numbers[1:] != numbers[:-1])
    where = np.arange(len(items))
    turn = where - np.maximum.accumulate(np.where(begins, where, 0))
    most = np.zeros(n_codes, np.int64)
    np.maximum.at(most, items, turn + 1)
    first = offsets_of(most)
    entry = first[items] + turn
    return ItemIndex(
        first,
        offsets_of(np.bincount(entry, minlength=int(first[-1]))),
        numbers[np.argsort(entry, kind="stable")],
        rows,
    )


@njit
def _by_length(common: Int32s, others: Int32s, rows: Int64s, least: int, k: int) -> tuple[Int32s, Int32s, int]:
    """The others, those with the longest common subsequence first, and its lengths.

    And how many of them have more than `least` in common when fewer than k rows have as much: so much is not frequent.
    """
    longest = 0
    for length in common:
        longest = max(longest, length)
    place = np.zeros(longest + 2, np.int64)
    rows_with = np.zeros(longest + 1, np.int64)
    for index in range(len(others)):
        place[longest - common[index] + 1] += 1
        rows_with[common[index]] += rows[others[index]]
    place = np.cumsum(place)
    ordered = np.empty(len(others), np.int32)
    lengths = np.empty(len(others), np.int32)
    for index in range(len(others)):
        bucket = longest - common[index]
        ordered[place[bucket]], lengths[place[bucket]] = others[index], common[index]
        place[bucket] += 1
    n_rows, n_rare = np.int64(0), 0
    for length in range(longest, least, -1):
        n_rows += rows_with[length]
        if n_rows >= k:
            break
        n_rare = place[longest - length]
    return ordered, lengths, n_rare


@njit
def leftmost_common(
    sequence: Int32s, other: Int32s, states: Words, left: int, next_place: Int64s, spelled: Int32s
) -> np.uint64:
    """Spell the longest common subsequence that takes the smallest positions of `sequence`; these positions as bits.

    Of a sequence of more than 64 items the bits tell positions modulo 64 only. `states` are those of `common_from`. At
    each step the earliest position from which the maximum can still be reached is matched to the earliest place.
    `next_place` is room for one number per item.
    """
    if len(sequence) <= _NARROW and len(other) < _NARROW:
        return _leftmost_common_of_short(sequence, other, states, left, next_place, spelled)
    position, place, n_spelled = 0, np.int64(0), 0
    taken = np.uint64(0)
    narrow = states.shape[1] == 1
    for item in sequence:
        next_place[item] = 0
    while left > 0:
        item = sequence[position]
        after = max(place, next_place[item])
        while after < len(other) and other[after] != item:
            after += 1
        next_place[item] = after
        if after < len(other):
            rest = len(sequence) - position - 1
            if narrow:
                reached = rest - ones_in(states[after + 1, 0] & ((_ONE << np.uint64(rest)) - _ONE))
            else:
                reached = zeros_below(states[after + 1], rest)
            if reached == left - 1:
                spelled[n_spelled] = item
                n_spelled += 1
                taken |= _ONE << np.uint64(position & 63)
                left -= 1
                place = after + 1
        position += 1
    return taken


@njit
def _leftmost_common_of_short(
    sequence: Int32s, other: Int32s, states: Words, left: int, places: Int64s, spelled: Int32s
) -> np.uint64:
    """The same where the places of each item fit in a word."""
    for item in sequence:
        places[item] = 0
    for place in range(len(other)):
        places[other[place]] |= np.int64(1) << place
    position, n_spelled = 0, 0
    behind = np.uint64(0)
    taken = np.uint64(0)
    while left > 0:
        item = sequence[position]
        coming = np.uint64(places[item]) >> behind
        if coming != np.uint64(0):
            after = behind + np.uint64(ones_in((coming & (~coming + _ONE)) - _ONE)) + _ONE
            rest = len(sequence) - position - 1
            if rest - ones_in(states[after, 0] & ((_ONE << np.uint64(rest)) - _ONE)) == left - 1:
                spelled[n_spelled] = item
                n_spelled += 1
                taken |= _ONE << np.uint64(position)
                left -= 1
                behind = after
        position += 1
    return taken


@njit
def best_replacement(
    sequence: Int32s,
    masks: Words,
    sequences: Sequences,
    rows: Int64s,
    others: Int32s,
    common: Int32s,
    least: int,
    k: int,
    corpus: Corpus,
    tree: PatternTree,
) -> int:
    """The best frequent common subsequence with other sequences, which have `common` items in common with it.

    The longest, then the one that most individuals have, then the smallest; RARE if there is none, NO_ROOM if the tree
    is full. What is longer than `least` is frequent only if k of these others have it. `masks` holds the positions of
    each item in the sequence, counted from its end.
    """
    ordered, lengths, n_rare = _by_length(common, others, rows, least, k)
    supporters = no_supporters(sequence, sequences.lengths, ordered[:MOST_MEMBERS], len(masks))
    n_members = 0
    longest_other = 0
    for number in ordered:
        longest_other = max(longest_other, sequences.lengths[number])
    states = np.empty((longest_other + 1, masks.shape[1]), np.uint64)
    spelled = np.empty(len(sequence), np.int32)
    next_place = np.empty(len(masks), np.int64)
    # Others often have the same in common with it. What was looked up lately is found here by its positions.
    seen = np.zeros(1 << _SEEN_BITS, np.uint64)
    best, best_length, enough = RARE, 0, k
    for index in range(n_rare, len(ordered)):
        length = lengths[index]
        if length < best_length:
            break
        # What has so many items is contained only in those that have as many in common with the sequence.
        while n_members < min(len(ordered), MOST_MEMBERS + 1) and lengths[n_members] >= length:
            if n_members < MOST_MEMBERS:
                number = ordered[n_members]
                start = sequences.starts[number]
                add_supporter(supporters, sequences.codes[start : start + sequences.lengths[number]], rows[number])
            n_members += 1
        number = ordered[index]
        start = sequences.starts[number]
        other = sequences.codes[start : start + sequences.lengths[number]]
        common_from(masks, other, states)
        taken = leftmost_common(sequence, other, states, length, next_place, spelled)
        if len(sequence) <= _NARROW:
            slot = np.int64((taken * _GOLDEN) >> np.uint64(64 - _SEEN_BITS))
            if seen[slot] == taken:
                continue
            seen[slot] = taken
        if n_members <= MOST_MEMBERS and not can_be_contained(supporters, spelled[:length], enough):
            continue
        pattern = pattern_of(tree, corpus, spelled[:length], k, enough)
        if pattern == NO_ROOM:
            return NO_ROOM
        if pattern != RARE and pattern != best and (best == RARE or comes_before(tree, pattern, best)):
            best, best_length, enough = pattern, length, tree.support[pattern]
    return best


@njit
def best_replacements(
    sequences: Sequences,
    members: Int64s,
    found: Int64s,
    least: Int32s,
    masks: Words,
    compared: ComparedTree,
    k: int,
    corpus: Corpus,
    tree: PatternTree,
    best: Int64s,
) -> int:
    """Fill best[q] for the sequences of a batch whose candidates `common_lengths` found; how many were done.

    Fewer than all means that the tree of patterns is full; call again. Only entries that are NO_ROOM are filled.
    `masks` (n_codes x 1) comes and leaves empty.
    """
    n_members = len(members)
    first = np.zeros(n_members + 1, np.int64)
    for entry in found:
        first[(entry >> 48) + 1] += 1
    first = np.cumsum(first)
    fill = first[:-1].copy()
    common = np.empty(len(found), np.int32)
    others = np.empty(len(found), np.int32)
    for entry in found:
        place = fill[entry >> 48]
        fill[entry >> 48] += 1
        common[place] = (entry >> 32) & 0xFFFF
        others[place] = compared.number[entry & 0xFFFFFFFF]
    for member in range(n_members):
        number = members[member]
        if best[number] != NO_ROOM:
            continue
        start = sequences.starts[number]
        sequence = sequences.codes[start : start + sequences.lengths[number]]
        for place in range(len(sequence)):
            masks[sequence[place], 0] |= np.uint64(1) << np.uint64(len(sequence) - 1 - place)
        some = slice(first[member], first[member + 1])
        best[number] = best_replacement(
            sequence,
            masks,
            compared.sequences,
            compared.rows,
            others[some],
            common[some],
            least[number],
            k,
            corpus,
            tree,
        )
        for place in range(len(sequence)):
            masks[sequence[place], 0] = np.uint64(0)
        if best[number] == NO_ROOM:
            return member
    return n_members


@njit
def replacements_by_items(
    sequences: Sequences,
    members: Int64s,
    least: Int32s,
    index: ItemIndex,
    most_entries: int,
    n_codes: int,
    k: int,
    corpus: Corpus,
    tree: PatternTree,
    best: Int64s,
) -> int:
    """Fill best[q] for the sequences `members` as above, or UNDECIDED where too many others share many items with it.

    How many were done: fewer than all means that the tree of patterns is full; call again.
    """
    n_sequences = len(corpus.lengths)
    shared = np.zeros(n_sequences, np.int32)
    others = np.empty(n_sequences, np.int32)
    common = np.empty(n_sequences, np.int32)
    occurrences = np.zeros(n_codes, np.int64)
    narrow_masks = np.zeros((n_codes, 1), np.uint64)
    longest = np.int64(0)
    for length in corpus.lengths:
        longest = max(longest, length)
    narrow_states = np.empty((longest + 1, 1), np.uint64)
    text, begins, lengths = corpus.text, corpus.begins, corpus.lengths
    first, offsets, numbers = index.first, index.offsets, index.numbers
    for member in range(len(members)):
        number = members[member]
        if best[number] != NO_ROOM:
            continue
        start = sequences.starts[number]
        sequence = sequences.codes[start : start + sequences.lengths[number]]
        n_entries = 0
        for item in sequence:
            entry = first[item] + occurrences[item]
            occurrences[item] += 1
            if entry < first[item + 1]:
                n_entries += offsets[entry + 1] - offsets[entry]
        for item in sequence:
            occurrences[item] = 0
        if n_entries > most_entries:
            best[number] = UNDECIDED
            continue
        for item in sequence:
            entry = first[item] + occurrences[item]
            occurrences[item] += 1
            if entry < first[item + 1]:
                for other in numbers[offsets[entry] : offsets[entry + 1]]:
                    shared[other] += 1
        n_others = 0
        for other in range(n_sequences):
            others[n_others] = other
            n_others += shared[other] >= least[number]
            shared[other] = 0
        for item in sequence:
            occurrences[item] = 0
        if n_others * _LEAST_SHARE > n_sequences:
            best[number] = UNDECIDED
            continue
        if len(sequence) > _NARROW:
            masks = masks_of_long(sequence, n_codes, True)
            states = np.empty((longest + 1, masks.shape[1]), np.uint64)
        else:
            masks, states = narrow_masks, narrow_states
            for place in range(len(sequence)):
                masks[sequence[place], 0] |= _ONE << np.uint64(len(sequence) - 1 - place)
        n_close = 0
        for other in others[:n_others]:
            begin = begins[other]
            length = common_from(masks, text[begin : begin + lengths[other]], states)
            if length >= least[number]:
                others[n_close], common[n_close] = other, length
                n_close += 1
        best[number] = RARE
        if n_close > 0:
            best[number] = best_replacement(
                sequence,
                masks,
                Sequences(text, begins, lengths),
                index.rows,
                others[:n_close],
                common[:n_close],
                least[number],
                k,
                corpus,
                tree,
            )
        for place in range(len(sequence)):
            narrow_masks[sequence[place], 0] = np.uint64(0)
        if best[number] == NO_ROOM:
            return member
    return len(members)


@njit
def best_replacement_of_long(
    sequence: Int32s,
    nodes: Int32s,
    common: Int32s,
    least: int,
    compared: ComparedTree,
    k: int,
    corpus: Corpus,
    tree: PatternTree,
    n_codes: int,
) -> int:
    """The same for one sequence of any length, whose candidates `common_lengths_of_long` found."""
    masks = masks_of_long(sequence, n_codes, True)
    others = compared.number[nodes]
    return best_replacement(sequence, masks, compared.sequences, compared.rows, others, common, least, k, corpus, tree)
