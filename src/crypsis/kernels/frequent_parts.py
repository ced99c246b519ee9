"""KAM_REC from the patterns: the longest parts of a cut sequence that enough individuals have, then who attains them.

Sequences as in `lcs`, patterns as in `pattern_tree`. A candidate is LCS(s, y) for another cut sequence or kept path y,
spelled at the smallest positions of s, and has to be frequent. To compare s with every y takes time that grows with the
square of the data. Here the frequent parts of s are enumerated instead, longest first, then by support and by items,
and each is tried with sequences that contain it, until one is found whose LCS(s, y) it is: often the first.

Parts of s are spelled along the tree of patterns at their leftmost positions, so that each comes once. The search keeps
for each position of s how long a frequent part of the rest can be, found from the last position to the first, and
leaves out what cannot become long enough. Sequences have an allowance of steps, from which each may take what those
before it left; where that is not enough, it is left undecided.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s
from crypsis.compilation import njit
from crypsis.kernels.lcs import Sequences, Words, common_from, masks_of_long
from crypsis.kernels.pattern_tree import (
    NO_ROOM,
    NONE,
    RARE,
    ROOT,
    UNDECIDED,
    Corpus,
    PatternTree,
    child_with,
    comes_before,
    entries_of,
    expand,
    goes_on_with,
    place_of,
)
from crypsis.kernels.recovery import leftmost_common

_MOST_PARTS = 64  # of one length that are listed at once
_WORD = 64
_LOOKUP = 20  # steps of looking up a pattern: about the time of reading so many items
_SAVED = 16  # a sequence may take so many times the allowance of one


class Others(NamedTuple):
    """Which sequences of the corpus a cut one is compared with, and the length of the longest of them."""

    compared: Bools
    longest: int


class _Search(NamedTuple):
    """Room for one sequence s: reach[i] is the length of a longest frequent part of s[i:], or a bound of it.

    earlier[i] is where s[i] stands last before i. At depth d of the search, part[d] is a pattern of d items, its
    leftmost embedding ends before after[d], and position[d] is tried next; it goes on with the items of children[d],
    which stand at left[d] positions from there on. used: parts found, steps, steps allowed, whether there are more.
    next_place is room for `leftmost_common`.
    """

    sequence: Int32s
    reach: Int32s
    earlier: Int32s
    part: Int64s
    after: Int32s
    position: Int32s
    children: Words
    left: Int32s
    found: Int64s
    used: Int64s
    next_place: Int64s


@njit
def best_frequent_parts(
    cut: Sequences,
    members: Int64s,
    own: Int32s,
    least: Int32s,
    others: Others,
    allowance: int,
    saved: Int64s,
    n_codes: int,
    k: int,
    corpus: Corpus,
    tree: PatternTree,
    best: Int64s,
) -> int:
    """Fill best[q] for the cut sequences `members`: the pattern that replaces it, RARE if none does, or UNDECIDED.

    own[q] is the number of q among the others; saved[0] are the steps that earlier ones left. How many members were
    done: fewer than all means that the tree of patterns is full; call again. Only entries that are NO_ROOM are filled.
    """
    narrow_masks = np.zeros((n_codes, 1), np.uint64)
    narrow_states = np.empty((others.longest + 1, 1), np.uint64)
    next_place = np.empty(n_codes, np.int64)
    for member in range(len(members)):
        number = members[member]
        if best[number] != NO_ROOM:
            continue
        start = cut.starts[number]
        sequence = cut.codes[start : start + cut.lengths[number]]
        saved[0] = min(saved[0] + allowance, _SAVED * allowance)
        search = _search_of(sequence, saved[0], next_place)
        seen = corpus.work[0]
        if len(sequence) > _WORD:
            masks = masks_of_long(sequence, n_codes, True)
            states = np.empty((others.longest + 1, masks.shape[1]), np.uint64)
        else:
            masks, states = narrow_masks, narrow_states
            for place in range(len(sequence)):
                masks[sequence[place], 0] |= np.uint64(1) << np.uint64(len(sequence) - 1 - place)
        best[number] = _best_of(search, least[number], own[number], masks, states, others, k, corpus, tree)
        saved[0] = max(saved[0] - search.used[1] - (corpus.work[0] - seen), 0)
        for place in range(len(sequence)):
            masks[sequence[place], 0] = np.uint64(0)
        if best[number] == NO_ROOM:
            return member
    return len(members)


@njit
def _search_of(sequence: Int32s, allowed: int, next_place: Int64s) -> _Search:
    """Prepare the search for the frequent parts of a sequence."""
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
        np.zeros(length + 1, np.uint64),
        np.zeros(length + 1, np.int32),
        np.empty(_MOST_PARTS, np.int64),
        np.array([0, 0, allowed, 0]),
        next_place,
    )


@njit
def _best_of(
    search: _Search,
    least: int,
    own: int,
    masks: Words,
    states: Words,
    others: Others,
    k: int,
    corpus: Corpus,
    tree: PatternTree,
) -> int:
    """The longest, most frequent, smallest candidate: "the best one that satisfies both" of KAM_REC."""
    limit = search.used[2] + corpus.work[0]
    # How long can a frequent part be? One position more makes it longer by one item or not at all.
    for begin in range(len(search.sequence) - 1, -1, -1):
        longer = search.reach[begin + 1] + 1
        search.reach[begin] = longer
        outcome = _find_parts(search, begin, begin, longer, 1, NONE, limit, k, corpus, tree)
        if outcome < 0:
            return outcome
        search.reach[begin] = longer - 1 + search.used[0]
    # From the longest down to what p percent ask for: is any of them the common subsequence with another sequence?
    for length in range(search.reach[0], least - 1, -1):
        last, tried, more = len(search.sequence) - 1, NONE, True
        while more:
            outcome = _find_parts(search, 0, last, length, _MOST_PARTS, tried, limit, k, corpus, tree)
            if outcome < 0:
                return outcome
            n_parts, more = search.used[0], search.used[3] > 0
            for part in search.found[:n_parts]:
                attained = _is_attained(search, part, length, own, masks, states, others, limit, corpus, tree)
                if attained == UNDECIDED:
                    return UNDECIDED
                if attained:
                    return int(part)
                tried = part
    return RARE


@njit
def _find_parts(
    search: _Search,
    first: int,
    last: int,
    length: int,
    most: int,
    tried: int,
    limit: int,
    k: int,
    corpus: Corpus,
    tree: PatternTree,
) -> int:
    """Note frequent parts of this length that begin at positions first to last; any one if `most` is 1.

    Otherwise the best ones that come behind the part `tried`, in order, and whether there are more of these.
    UNDECIDED if the steps are used up, NO_ROOM if the tree is full, otherwise 0.
    """
    sequence, reach, earlier = search.sequence, search.reach, search.earlier
    chosen, position, after, left = search.part, search.position, search.after, search.left
    children, found, work = search.children, search.found, corpus.work
    items, expanded, all_children = tree.item, tree.expanded, tree.children
    child, n_children, n_codes = tree.child, tree.n_children, len(corpus.counts)
    support = tree.support
    steps, n_found, more = search.used[1], 0, 0
    part, begin, depth = ROOT, first, -1
    outcome = 0
    while True:
        if part >= ROOT:  # go on from a part
            if not expanded[part] and not expand(tree, corpus, part, k):
                outcome = NO_ROOM
                break
            depth += 1
            word, room = all_children[part], 0
            for place in range(begin, len(sequence)):
                room += goes_on_with(word, sequence[place])
            chosen[depth], after[depth], position[depth], children[depth], left[depth] = part, begin, begin, word, room
            steps += len(sequence) - begin
            part = NONE
        place = position[depth]
        over = place >= len(sequence) or (depth == 0 and place > last)
        if over or depth + min(reach[place], left[depth]) < length:  # a later position reaches no further
            depth -= 1
            if depth < 0:
                break
            continue
        position[depth] = place + 1
        item = sequence[place]
        if not goes_on_with(children[depth], item):
            continue
        left[depth] -= 1
        if earlier[place] >= after[depth]:  # the item was tried at its leftmost position
            continue
        steps += _LOOKUP
        if steps + work[0] > limit:
            outcome = UNDECIDED
            break
        longer = child_with(all_children, child, n_children, items, n_codes, chosen[depth], item)
        if longer == NONE:
            continue
        if depth + 1 < length:
            if depth + 1 + reach[place + 1] >= length:
                part, begin = longer, place + 1
            continue
        if most == 1:
            n_found = 1
            break
        if tried != NONE and not comes_before(tree, tried, longer):
            continue
        if n_found == most:
            more = 1
            if support[longer] < support[found[most - 1]] or comes_before(tree, found[most - 1], longer):
                continue
            n_found -= 1
        index = n_found
        while index > 0 and comes_before(tree, longer, found[index - 1]):
            found[index] = found[index - 1]
            index -= 1
        found[index] = longer
        n_found += 1
    search.used[0], search.used[1], search.used[3] = n_found, steps, more
    return outcome


@njit
def _is_attained(
    search: _Search,
    part: int,
    length: int,
    own: int,
    masks: Words,
    states: Words,
    others: Others,
    limit: int,
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
    text, begins, lengths, sequence_at = corpus.text, corpus.begins, corpus.lengths, corpus.sequence_at
    for long in range(2):  # long ones contain much and take long to read, so they come last
        for entry in entries_of(tree, corpus, part):
            number = sequence_at[place_of(entry) - 1]
            other_length = lengths[number]
            if number == own or not others.compared[number] or (other_length > _WORD) != long:
                continue
            search.used[1] += 2 * other_length
            if search.used[1] + corpus.work[0] > limit:
                return UNDECIDED
            begin = begins[number]
            if common_from(masks, text[begin : begin + other_length], states) != length:
                continue  # more: y contains the part
            leftmost_common(
                search.sequence, text[begin : begin + other_length], states, length, search.next_place, spelled
            )
            same = True
            for index in range(length):
                same = same and spelled[index] == wanted[index]
            if same:
                return 1
    return 0
