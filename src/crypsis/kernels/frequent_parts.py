"""KAM_REC from the patterns: the longest parts of a cut sequence that enough individuals have, then who attains them.

Sequences as in `lcs`, patterns as in `pattern_tree`. A candidate is LCS(s, y) for another cut sequence or kept path y,
spelled at the smallest positions of s, and has to be frequent. To compare s with every y takes time that grows with the
square of the data. Here the frequent parts of s are enumerated instead, longest first, then by support and by items,
and each is tried with sequences that contain it, until one is found whose LCS(s, y) it is: often the first.

Parts of s are spelled along the tree of patterns at their leftmost positions, so that each comes once. The search keeps
for each position of s how long a frequent part of the rest can be, found from the last position to the first, and
leaves out what cannot become long enough. Where it takes too many steps the sequence is left undecided.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s
from crypsis.compilation import njit
from crypsis.kernels.lcs import Sequences, Words, common_from, masks_of_long
from crypsis.kernels.pattern_tree import NO_ROOM, RARE, ROOT, Corpus, PatternTree, child_of, comes_before, places_of
from crypsis.kernels.recovery import leftmost_common

UNDECIDED = -3
_MOST_PARTS = 256  # of one length that are put in order
_WORD = 64


class Others(NamedTuple):
    """The sequences of the corpus, and whether each is one that a cut sequence is compared with."""

    sequences: Sequences
    compared: Bools
    longest: int


class Limits(NamedTuple):
    """Steps after which a sequence is left undecided: patterns looked up, items of other sequences read."""

    lookups: int
    items: int


class _Search(NamedTuple):
    """Room for one sequence s: reach[i] is the length of a longest frequent part of s[i:], or a bound of it.

    earlier[i] is where s[i] stands last before i. At depth d of the search, part[d] is a pattern of d items, its
    leftmost embedding ends before after[d], and position[d] is tried next. used: parts found, lookups, items read.
    """

    sequence: Int32s
    reach: Int32s
    earlier: Int32s
    part: Int64s
    after: Int32s
    position: Int32s
    found: Int64s
    used: Int64s


@njit
def best_frequent_parts(
    cut: Sequences,
    members: Int64s,
    own: Int64s,
    least: Int32s,
    others: Others,
    limits: Limits,
    n_codes: int,
    k: int,
    corpus: Corpus,
    tree: PatternTree,
    best: Int64s,
) -> int:
    """Fill best[q] for the cut sequences `members`: the pattern that replaces it, RARE if none does, or UNDECIDED.

    own[q] is the number of q among the others. How many members were done: fewer than all means that the tree of
    patterns is full; call again. Only entries that are NO_ROOM are filled.
    """
    narrow_masks = np.zeros((n_codes, 1), np.uint64)
    narrow_states = np.empty((others.longest + 1, 1), np.uint64)
    for member in range(len(members)):
        number = members[member]
        if best[number] != NO_ROOM:
            continue
        start = cut.starts[number]
        sequence = cut.codes[start : start + cut.lengths[number]]
        search = _search_of(sequence)
        if len(sequence) > _WORD:
            masks = masks_of_long(sequence, n_codes, True)
            states = np.empty((others.longest + 1, masks.shape[1]), np.uint64)
        else:
            masks, states = narrow_masks, narrow_states
            for place in range(len(sequence)):
                masks[sequence[place], 0] |= np.uint64(1) << np.uint64(len(sequence) - 1 - place)
        best[number] = _best_of(search, least[number], own[number], masks, states, others, limits, k, corpus, tree)
        for place in range(len(sequence)):
            masks[sequence[place], 0] = np.uint64(0)
        if best[number] == NO_ROOM:
            return member
    return len(members)


@njit
def _search_of(sequence: Int32s) -> _Search:
    length = len(sequence)
    earlier = np.full(length, -1, np.int32)
    for position in range(length):
        for before in range(position - 1, -1, -1):
            if sequence[before] == sequence[position]:
                earlier[position] = before
                break
    return _Search(
        sequence,
        np.zeros(length + 1, np.int32),
        earlier,
        np.zeros(length + 1, np.int64),
        np.zeros(length + 1, np.int32),
        np.zeros(length + 1, np.int32),
        np.empty(_MOST_PARTS, np.int64),
        np.zeros(3, np.int64),
    )


@njit
def _best_of(
    search: _Search,
    least: int,
    own: int,
    masks: Words,
    states: Words,
    others: Others,
    limits: Limits,
    k: int,
    corpus: Corpus,
    tree: PatternTree,
) -> int:
    """The longest, most frequent, smallest candidate: "the best one that satisfies both" of KAM_REC."""
    # How long can a frequent part be? One position more makes it longer by one item or not at all.
    for begin in range(len(search.sequence) - 1, -1, -1):
        longer = search.reach[begin + 1] + 1
        search.reach[begin] = longer
        outcome = _find_parts(search, begin, begin, longer, 1, limits.lookups, k, corpus, tree)
        if outcome < 0:
            return outcome
        search.reach[begin] = longer - 1 + search.used[0]
    # From the longest down to what p percent ask for: is any of them the common subsequence with another sequence?
    for length in range(search.reach[0], least - 1, -1):
        last = len(search.sequence) - 1
        outcome = _find_parts(search, 0, last, length, _MOST_PARTS, limits.lookups, k, corpus, tree)
        if outcome < 0:
            return outcome
        n_parts = search.used[0]
        for turn in range(n_parts):
            _bring_best_forward(search.found, turn, n_parts, tree)
            part = search.found[turn]
            attained = _is_attained(search, part, length, own, masks, states, others, limits.items, corpus, tree)
            if attained == UNDECIDED:
                return UNDECIDED
            if attained:
                return int(part)
    return RARE


@njit
def _find_parts(
    search: _Search,
    first: int,
    last: int,
    length: int,
    most: int,
    most_lookups: int,
    k: int,
    corpus: Corpus,
    tree: PatternTree,
) -> int:
    """Note frequent parts of this length that begin at positions first to last; stop at the first if `most` is 1.

    UNDECIDED if there are more than `most` or the lookups are used up, NO_ROOM if the tree is full, otherwise 0.
    """
    sequence, reach, position, after = search.sequence, search.reach, search.position, search.after
    search.used[0] = 0
    search.part[0], after[0], position[0] = ROOT, first, first
    depth = 0
    while depth >= 0:
        place = position[depth]
        over = place >= len(sequence) or (depth == 0 and place > last)
        if over or depth + reach[place] < length:  # a later position reaches no further
            depth -= 1
            continue
        position[depth] = place + 1
        if search.earlier[place] >= after[depth]:  # the item was tried at its leftmost position
            continue
        search.used[1] += 1
        if search.used[1] > most_lookups:
            return UNDECIDED
        part = child_of(tree, corpus, search.part[depth], sequence[place], k)
        if part == NO_ROOM:
            return NO_ROOM
        if part == RARE:
            continue
        if depth + 1 < length:
            depth += 1
            search.part[depth], after[depth], position[depth] = part, place + 1, place + 1
            continue
        if search.used[0] == len(search.found):
            return UNDECIDED
        search.found[search.used[0]] = part
        search.used[0] += 1
        if most == 1:
            return 0
    return 0


@njit
def _bring_best_forward(found: Int64s, turn: int, n_parts: int, tree: PatternTree) -> None:
    """Put the part that comes before all others from `turn` on at that place."""
    best = turn
    for index in range(turn + 1, n_parts):
        if comes_before(tree, found[index], found[best]):
            best = index
    found[turn], found[best] = found[best], found[turn]


@njit
def _is_attained(
    search: _Search,
    part: int,
    length: int,
    own: int,
    masks: Words,
    states: Words,
    others: Others,
    most_items: int,
    corpus: Corpus,
    tree: PatternTree,
) -> int:
    """1 if LCS(s, y) is this part for some y that contains it, 0 if for none, UNDECIDED if that would take too long."""
    wanted = np.empty(length, np.int32)
    spelled = np.empty(length, np.int32)
    node = part
    for index in range(length - 1, -1, -1):
        wanted[index] = tree.item[node]
        node = tree.parent[node]
    for place in places_of(tree, corpus, part):
        number = corpus.sequence_at[place - 1]
        if number == own or not others.compared[number]:
            continue
        start = others.sequences.starts[number]
        other = others.sequences.codes[start : start + others.sequences.lengths[number]]
        search.used[2] += len(other)
        if search.used[2] > most_items:
            return UNDECIDED
        if common_from(masks, other, states) != length:  # never less: y contains the part
            continue
        leftmost_common(search.sequence, other, states, length, spelled)
        same = True
        for index in range(length):
            same = same and spelled[index] == wanted[index]
        if same:
            return 1
    return 0
