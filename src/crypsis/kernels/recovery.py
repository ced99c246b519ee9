"""The best replacement of a cut sequence: its longest common subsequence with another one that enough individuals have.

Candidates come as (sequence, common length, other) and are taken from the longest down; each is spelled along the tree
of patterns, which knows its support or finds it, and dropped where it turns out to be rare.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.compilation import njit
from crypsis.kernels.lcs import Sequences, Words, common_from, masks_of_long, zeros_below
from crypsis.kernels.pattern_tree import NO_ROOM, RARE, Corpus, PatternTree, comes_before, pattern_of

_SEEN_BITS = 12
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_ONE = np.uint64(1)


@njit
def _by_length(common: Int32s, others: Int32s) -> Int32s:
    """The others, those with the longest common subsequence first."""
    longest = 0
    for length in common:
        longest = max(longest, length)
    place = np.zeros(longest + 2, np.int64)
    for length in common:
        place[longest - length + 1] += 1
    place = np.cumsum(place)
    ordered = np.empty(len(others), np.int32)
    for index in range(len(others)):
        bucket = longest - common[index]
        ordered[place[bucket]] = others[index]
        place[bucket] += 1
    return ordered


@njit
def _leftmost_common(sequence: Int32s, other: Int32s, states: Words, left: int, spelled: Int32s) -> np.uint64:
    """Spell the longest common subsequence that takes the smallest positions of `sequence`; these positions as bits.

    At each step the earliest position from which the maximum can still be reached is matched to the earliest place.
    """
    position, place, n_spelled = 0, 0, 0
    taken = np.uint64(0)
    while left > 0:
        item = sequence[position]
        after = place
        while after < len(other) and other[after] != item:
            after += 1
        if after < len(other) and zeros_below(states[after + 1], len(sequence) - position - 1) == left - 1:
            spelled[n_spelled] = item
            n_spelled += 1
            taken |= _ONE << np.uint64(position & 63)
            left -= 1
            place = after + 1
        position += 1
    return taken


@njit
def best_replacement(
    codes: Int32s,
    sequence: Int32s,
    masks: Words,
    nodes: Int32s,
    common: Int32s,
    starts: Int64s,
    depth: Int32s,
    k: int,
    corpus: Corpus,
    tree: PatternTree,
) -> int:
    """The best frequent common subsequence with the paths of `nodes`, which have `common` items in common with it.

    The longest, then the one that most individuals have, then the smallest; RARE if there is none, NO_ROOM if the tree
    is full. `masks` holds the positions of each item in the sequence, counted from its end.
    """
    others = _by_length(common, nodes)
    longest_other = 0
    for node in others:
        longest_other = max(longest_other, depth[node])
    states = np.empty((longest_other + 1, masks.shape[1]), np.uint64)
    spelled = np.empty(len(sequence), np.int32)
    # Others often have the same in common with it. What was looked up lately is found here by its positions.
    seen = np.zeros(1 << _SEEN_BITS, np.uint64)
    best, best_length, enough = RARE, 0, k
    for node in others:
        other = codes[starts[node] : starts[node] + depth[node]]
        length = common_from(masks, other, states)
        if length < best_length:
            break
        taken = _leftmost_common(sequence, other, states, length, spelled)
        if len(sequence) <= 64:
            slot = np.int64((taken * _GOLDEN) >> np.uint64(64 - _SEEN_BITS))
            if seen[slot] == taken:
                continue
            seen[slot] = taken
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
    masks: Words,
    starts: Int64s,
    depth: Int32s,
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
        others[place] = entry & 0xFFFFFFFF
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
            sequences.codes, sequence, masks, others[some], common[some], starts, depth, k, corpus, tree
        )
        for place in range(len(sequence)):
            masks[sequence[place], 0] = np.uint64(0)
        if best[number] == NO_ROOM:
            return member
    return n_members


@njit
def best_replacement_of_long(
    codes: Int32s,
    sequence: Int32s,
    nodes: Int32s,
    common: Int32s,
    starts: Int64s,
    depth: Int32s,
    k: int,
    corpus: Corpus,
    tree: PatternTree,
    n_codes: int,
) -> int:
    """The same for one sequence of any length, whose candidates `common_lengths_of_long` found."""
    masks = masks_of_long(sequence, n_codes, True)
    return best_replacement(codes, sequence, masks, nodes, common, starts, depth, k, corpus, tree)
