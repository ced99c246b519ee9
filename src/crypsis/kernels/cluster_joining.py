"""REFINE: join neighbouring clusters that hide the same terms, so that they can share chunks of them.

Pair p says that leaf pairs.leaf[p] hides the term pairs.term[p] of its records postings[starts[p]:starts[p + 1]].
Nodes are leaves, then joint nodes in the order of their making. What a node hides lies in an arena, by term:
its virtual term chunk is term[hidden_at[n]:][:hidden_len[n]], each term with its support and its pairs,
entries[first[i]:][:pairs_of[i]]; where its terms are placed already is placed_term[placed_at[n]:][:placed_len[n]],
each with the exclusive or of random words of the leaves concerned. Supports only add up and conflict sets of different
leaves are disjoint, so that both are kept up by merging; a join costs what the two nodes hold, a failure less.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crypsis.compilation import njit
from crypsis.data.arrays import Bools, Int8s, Int32s, Int64s
from crypsis.kernels.greedy_chunks import greedy_chunks
from crypsis.kernels.record_bitmaps import WORD_BITS, add_record

_EMPTY_SLOT = -1
_NO_PLACE = np.int32(2**31 - 1)
_LARGEST_KEY = np.int64(2**63 - 1)
_SHORT_RUN = 24
KNOWN_TO_FAIL, FAILS, PAYS = 0, 1, 2
LOOKS_NOT_WORTH_REMEMBERING = 4
MARK_BYTES = 64
MARK_TWICE_BYTES = 32
STRONG_AT_HAND = 8
_DIGIT_BITS = 11
_FEW_TO_SORT = 512


class Pairs(NamedTuple):
    """What leaves hide; `node` and `chunk` say which shared chunk took it, -1 if none did."""

    leaf: Int32s
    term: Int32s
    starts: Int64s
    postings: Int32s
    node: Int32s
    chunk: Int32s


class Leaves(NamedTuple):
    """Size, and whether Lemma 2 rests on the term chunk.

    terms_to_lose: how many terms must leave the term chunk to break Lemma 2; more than there are where it is safe.
    """

    size: Int32s
    needs_term: Bools
    terms_to_lose: Int32s


class Nodes(NamedTuple):
    """Where a node's parts lie in the arena, its records, and the word of all its leaves.

    marks and marks_twice have a bit set for each term that the node hides at all, or in two records; several terms
    may have one bit. strong_term are its first strong terms, see `_mark`.
    """

    hidden_at: Int64s
    hidden_len: Int64s
    strong_len: Int64s
    entries_len: Int64s
    placed_at: Int64s
    placed_len: Int64s
    size: Int64s
    leaves_at: Int64s
    leaves_len: Int64s
    word: NDArray[np.uint64]
    parent: Int64s
    n_chunks: Int64s
    marks: NDArray[np.uint8]
    marks_twice: NDArray[np.uint8]
    strong_term: NDArray[np.int32]


class Arena(NamedTuple):
    """Parts of nodes one after another; those of joined nodes are garbage until `compacted` is called.

    strong[hidden_at[n]:][:strong_len[n]] are the places among a node's hidden terms of those that k / 2 records have;
    leaves[leaves_at[n]:][:leaves_len[n]] are its leaves, and entry_leaf of an entry is a number among these.
    """

    term: Int32s
    support: Int32s
    first: Int64s
    pairs_of: Int32s
    strong: Int32s
    entries: Int32s
    entry_leaf: Int32s
    placed_term: Int32s
    placed_word: NDArray[np.uint64]
    leaves: Int32s


class Leading(NamedTuple):
    """By node: some terms that most nodes hide, how many, and how many nodes at most hide any other of its terms.

    -1 terms: not known yet. -1 nodes: it hides no others. What is known stays true, for counts of nodes only fall.
    """

    term: NDArray[np.int32]
    n_terms: Int64s
    at_most: Int64s


@njit
def sort_keys(
    listed: Int64s, nodes: Nodes, arena: Arena, leading: Leading, shared_by: Int64s, place: Int32s, bits: int
) -> Int64s:
    """The first terms that each listed node hides, as one number that sorts like them; the largest if it hides none."""
    keys = np.empty(len(listed), np.int64)
    n_fields = min(63 // bits, leading.term.shape[1])
    term_at = np.empty(len(place), np.int64)
    for term in range(len(place)):
        term_at[place[term]] = term
    best = np.empty(leading.term.shape[1], np.int64)
    places = np.empty(leading.term.shape[1], np.int32)
    for number in range(len(listed)):
        node = listed[number]
        if nodes.hidden_len[node] == 0:
            keys[number] = _LARGEST_KEY
            continue
        n_best = leading.n_terms[node]
        known = False
        if n_best >= 0:
            _first_places(leading.term[node], n_best, place, places, best[:n_fields])
            known = leading.at_most[node] < 0 or (
                n_best >= n_fields and shared_by[term_at[best[n_fields - 1]]] > leading.at_most[node]
            )
        if not known:
            n_best = 0
            begin = nodes.hidden_at[node]
            for at in range(begin, begin + nodes.hidden_len[node]):
                n_best = _insert(place[arena.term[at]], best, n_best)
            for at in range(n_best):
                leading.term[node, at] = term_at[best[at]]
            leading.n_terms[node] = n_best
            leading.at_most[node] = shared_by[term_at[best[n_best - 1]]] if n_best < nodes.hidden_len[node] else -1
        keys[number] = _side_by_side(best[:n_fields], n_best, bits)
    return keys


@njit
def _first_places(terms: Int32s, n: int, place: Int32s, places: Int32s, best: Int64s) -> None:
    """Write the smallest places of the first n terms in order; `places` is room for all of them.

    The least is looked for again and again without a branch: which one it is cannot be foretold.
    """
    for at in range(len(terms)):
        places[at] = place[terms[at]] if at < n else _NO_PLACE
    last = np.int32(-1)
    for field in range(len(best)):
        least = _NO_PLACE
        for at in range(len(places)):
            least = min(least, places[at] if places[at] > last else _NO_PLACE)
        best[field] = least
        last = least


@njit
def sorted_by_key(listed: Int64s, keys: Int64s, n_bits: int) -> tuple[Int64s, Int64s]:
    """Nodes and keys by the last bits of the keys, equal ones as they are."""
    n = len(listed)
    if n <= _FEW_TO_SORT:
        order = np.argsort(keys, kind="mergesort")
        return listed[order], keys[order]
    n_digits = (n_bits + _DIGIT_BITS - 1) // _DIGIT_BITS
    mask = (1 << _DIGIT_BITS) - 1
    counts = np.zeros((n_digits, mask + 1), np.int64)
    for number in range(n):
        key = keys[number]
        for digit in range(n_digits):
            counts[digit, (key >> (digit * _DIGIT_BITS)) & mask] += 1
    nodes_now, keys_now = listed, keys
    nodes_next, keys_next = np.empty(n, np.int64), np.empty(n, np.int64)
    for digit in range(n_digits):
        begin = 0
        for value in range(mask + 1):
            count = counts[digit, value]
            counts[digit, value] = begin
            begin += count
        shift = digit * _DIGIT_BITS
        for number in range(n):
            key = keys_now[number]
            value = (key >> shift) & mask
            slot = counts[digit, value]
            counts[digit, value] = slot + 1
            nodes_next[slot] = nodes_now[number]
            keys_next[slot] = key
        if digit == 0:
            nodes_now, keys_now = np.empty(n, np.int64), np.empty(n, np.int64)
        nodes_now, nodes_next = nodes_next, nodes_now
        keys_now, keys_next = keys_next, keys_now
    return nodes_now, keys_now


@njit
def _insert(place: int, best: Int64s, n_best: int) -> int:
    """Keep the smallest places in order; how many there are now."""
    if n_best == len(best):
        if place >= best[n_best - 1]:
            return n_best
        n_best -= 1
    slot = n_best
    while slot > 0 and best[slot - 1] > place:
        best[slot] = best[slot - 1]
        slot -= 1
    best[slot] = place
    return n_best + 1


@njit
def _side_by_side(best: Int64s, n_best: int, bits: int) -> int:
    """Places in one number, one added; 0 where there are no more."""
    key = 0
    for field in range(len(best)):
        key = (key << bits) | (best[field] + 1 if field < n_best else 0)
    return key


@njit
def _key(node: int, nodes: Nodes, arena: Arena, place: Int32s, bits: int, above: int, best: Int64s) -> int:
    """The places of the first terms after place `above` as one number."""
    n_best = 0
    begin = nodes.hidden_at[node]
    for at in range(begin, begin + nodes.hidden_len[node]):
        if place[arena.term[at]] > above:
            n_best = _insert(place[arena.term[at]], best, n_best)
    return _side_by_side(best, n_best, bits)


@njit
def settle_ties(listed: Int64s, keys: Int64s, nodes: Nodes, arena: Arena, place: Int32s, bits: int) -> None:
    """Order nodes with equal keys by what they hide further on; equal ones stay as they are. Both are sorted by key."""
    best = np.empty(63 // bits, np.int64)
    mask = (1 << bits) - 1
    begins = [np.int64(0)]
    ends = [np.int64(len(listed))]
    while len(begins) > 0:
        begin = begins.pop()
        end = ends.pop()
        start = begin
        while start < end:
            stop = start + 1
            while stop < end and keys[stop] == keys[start]:
                stop += 1
            last = (keys[start] & mask) - 1
            if stop - start > 1 and last >= 0 and nodes.hidden_len[listed[start]] > 0:
                for number in range(start, stop):
                    keys[number] = _key(listed[number], nodes, arena, place, bits, last, best)
                _sort_run(listed, keys, start, stop)  # type: ignore[arg-type]
                begins.append(np.int64(start))
                ends.append(np.int64(stop))
            start = stop


@njit
def _sort_run(listed: Int64s, keys: Int64s, start: int, stop: int) -> None:
    """Sort a stretch by key, equal ones as they are."""
    if stop - start > _SHORT_RUN:
        order = np.argsort(keys[start:stop], kind="mergesort")
        listed[start:stop] = listed[start:stop][order]
        keys[start:stop] = keys[start:stop][order]
        return
    for number in range(start + 1, stop):
        key = keys[number]
        node = listed[number]
        slot = number
        while slot > start and keys[slot - 1] > key:
            keys[slot] = keys[slot - 1]
            listed[slot] = listed[slot - 1]
            slot -= 1
        keys[slot] = key
        listed[slot] = node


@njit
def examine(
    listed: Int64s,
    first: int,
    last: int,
    leaves: Leaves,
    nodes: Nodes,
    arena: Arena,
    pairs: Pairs,
    failed: Int64s,
    failed_last: Int64s,
    hits: Int32s,
    sensitive: Bools,
    k: int,
    printed: bool,
    verdicts: Int8s,
) -> None:
    """Write for the nodes first to last - 1 of the list whether joining each with the next one pays.

    `failed` is the table of pairs that failed; `failed_last`, the last one of each node, spares most looks into it.

    Changes nothing else but failed_last of these nodes and `hits`, by leaf, which is zero before and after: several
    threads may examine at a time.
    """
    in_one = np.empty(len(sensitive), np.int64)
    in_other = np.empty(len(sensitive), np.int64)
    for at in range(first, last):
        node = listed[at]
        verdicts[at] = KNOWN_TO_FAIL  # or cheap to find out again
        if at + 1 < len(listed) and nodes.hidden_len[node] > 0:
            other = listed[at + 1]
            strong = nodes.strong_len[node] + nodes.strong_len[other]
            if strong == 0 or not _may_share(node, other, nodes):
                continue
            if failed_last[node] == other or nodes.hidden_len[other] == 0:
                continue
            # What a few looks decide is decided anew more quickly than it is found in a large table.
            remembered = strong > LOOKS_NOT_WORTH_REMEMBERING
            if not remembered or failed[_slot(failed, (node << 32) | other)] == _EMPTY_SLOT:
                n = _refining_terms(
                    node, other, pairs, leaves, nodes, arena, hits, sensitive, k, printed, in_one, in_other
                )
                if n > 0:
                    verdicts[at] = PAYS
                    continue
                if remembered:
                    verdicts[at] = FAILS
            failed_last[node] = other


@njit
def _may_share(one: int, other: int, nodes: Nodes) -> bool:
    """False only if the two nodes hide no term in common that k of their records have together."""
    for side in range(2):
        strong_in = one if side == 0 else other
        looked_up_in = other if side == 0 else one
        if nodes.strong_len[strong_in] > STRONG_AT_HAND:
            return True
        for number in range(nodes.strong_len[strong_in]):
            term = np.int64(nodes.strong_term[strong_in, number])
            if term >= 0:
                if nodes.marks[looked_up_in, (term >> 3) % MARK_BYTES] & (1 << (term & 7)):
                    return True
            else:
                term = ~term
                if nodes.marks_twice[looked_up_in, (term >> 3) % MARK_TWICE_BYTES] & (1 << (term & 7)):
                    return True
    return False


@njit
def join_neighbours(
    listed: Int64s,
    verdicts: Int8s,
    pairs: Pairs,
    leaves: Leaves,
    nodes: Nodes,
    arena: Arena,
    used: Int64s,
    shared_by: Int64s,
    failed: Int64s,
    hits: Int32s,
    row_of: Int32s,
    sensitive: Bools,
    k: int,
    m: int,
    printed: bool,
    budget: int,
) -> tuple[Int64s, int]:
    """Walk the examined list once, joining each node with the next where that pays; the new list, number of joins.

    `used` counts nodes, hidden terms, entries and placed terms in use, failed pairs, and leaves in use; `shared_by`
    counts for each term the nodes that hide it; `row_of`, by record, is -1 before and after. -1 joins: the chunks of
    one would take more than `budget` combinations.
    """
    in_one = np.empty(len(sensitive), np.int64)
    in_other = np.empty(len(sensitive), np.int64)
    following = np.empty(len(listed), np.int64)
    n_following = 0
    joins = 0
    at = 0
    while at < len(listed):
        node = listed[at]
        following[n_following] = node
        if verdicts[at] == PAYS:
            other = listed[at + 1]
            n = _refining_terms(node, other, pairs, leaves, nodes, arena, hits, sensitive, k, printed, in_one, in_other)
            new = _joined(
                node, other, in_one[:n], in_other[:n], pairs, leaves, nodes, arena, used, shared_by, row_of,
                k, m, printed, budget,
            )  # fmt: skip
            if new < 0:
                return following[:n_following].copy(), -1
            following[n_following] = new
            joins += 1
            at += 1
        elif verdicts[at] == FAILS:
            _remember(failed, used, node, listed[at + 1])
        at += 1
        n_following += 1
    return following[:n_following].copy(), joins


@njit
def _refining_terms(
    one: int,
    other: int,
    pairs: Pairs,
    leaves: Leaves,
    nodes: Nodes,
    arena: Arena,
    hits: Int32s,
    sensitive: Bools,
    k: int,
    printed: bool,
    in_one: Int64s,
    in_other: Int64s,
) -> int:
    """Write where in the arena the two nodes keep the terms that they would share; how many, 0 if it does not pay."""
    n = 0
    # Of two supports that make k together one is at least half of it. Few leaves have such terms, so that looking for
    # these in the other node is quickest, unless one node has more of them than the other has terms at all.
    shorter = one if nodes.hidden_len[one] <= nodes.hidden_len[other] else other
    if nodes.strong_len[one] + nodes.strong_len[other] < nodes.hidden_len[shorter]:
        for side in range(2):
            node = one if side == 0 else other
            begin = nodes.hidden_at[node]
            low = nodes.hidden_at[other if side == 0 else one]
            end = low + nodes.hidden_len[other if side == 0 else one]
            for strong in range(begin, begin + nodes.strong_len[node]):
                at = begin + arena.strong[strong]
                low = _first_not_below(arena.term, low, end, arena.term[at])
                if low == end:
                    break
                if arena.term[low] == arena.term[at] and (side == 0 or 2 * np.int64(arena.support[low]) < k):
                    n = _take(
                        at if side == 0 else low, low if side == 0 else at, arena, sensitive, k, in_one, in_other, n
                    )
    else:
        begin = nodes.hidden_at[shorter]
        longer = one if shorter == other else other
        low = nodes.hidden_at[longer]
        end = low + nodes.hidden_len[longer]
        for at in range(begin, begin + nodes.hidden_len[shorter]):
            low = _first_not_below(arena.term, low, end, arena.term[at])
            if low == end:
                break
            if arena.term[low] == arena.term[at]:
                is_one = shorter == one
                n = _take(at if is_one else low, low if is_one else at, arena, sensitive, k, in_one, in_other, n)
    if n == 0:
        return 0

    n_one = nodes.leaves_len[one]
    n_leaves = n_one + nodes.leaves_len[other]
    hits = hits[:n_leaves]
    for number in range(n):
        at = in_one[number]
        for entry in range(arena.first[at], arena.first[at] + arena.pairs_of[at]):
            hits[arena.entry_leaf[entry]] += 1
        at = in_other[number]
        for entry in range(arena.first[at], arena.first[at] + arena.pairs_of[at]):
            hits[n_one + arena.entry_leaf[entry]] += 1
    keeps = np.ones(n, np.bool_)
    if not printed:
        for number in range(n_leaves):
            if hits[number] > 0 and hits[number] == leaves.terms_to_lose[_leaf(number, one, other, nodes, arena)]:
                _keep_an_anchor(number, n_one, in_one, in_other, keeps, n, pairs, arena, hits)
    support = 0
    units = 0
    n_kept = 0
    for number in range(n):
        if keeps[number]:
            support += np.int64(arena.support[in_one[number]]) + arena.support[in_other[number]]
            units += np.int64(arena.pairs_of[in_one[number]]) + arena.pairs_of[in_other[number]]
            in_one[n_kept] = in_one[number]
            in_other[n_kept] = in_other[number]
            n_kept += 1
    records = 0
    for number in range(n_leaves):
        if hits[number] > 0:
            records += leaves.size[_leaf(number, one, other, nodes, arena)]
            hits[number] = 0
    if support * records < units * (nodes.size[one] + nodes.size[other]):
        return 0
    return n_kept


@njit
def _leaf(number: int, one: int, other: int, nodes: Nodes, arena: Arena) -> int:
    """The leaf with this number when the leaves of both nodes are counted through."""
    n_one = nodes.leaves_len[one]
    if number < n_one:
        return arena.leaves[nodes.leaves_at[one] + number]  # type: ignore[no-any-return]
    return arena.leaves[nodes.leaves_at[other] + number - n_one]  # type: ignore[no-any-return]


@njit
def _take(
    at_one: int, at_other: int, arena: Arena, sensitive: Bools, k: int, in_one: Int64s, in_other: Int64s, n: int
) -> int:
    """Keep a term that both nodes hide, in order, if k records have it and it may be shared; how many there are."""
    if np.int64(arena.support[at_one]) + arena.support[at_other] < k or sensitive[arena.term[at_one]]:
        return n
    slot = n
    while slot > 0 and in_one[slot - 1] > at_one:
        in_one[slot] = in_one[slot - 1]
        in_other[slot] = in_other[slot - 1]
        slot -= 1
    in_one[slot] = at_one
    in_other[slot] = at_other
    return n + 1


@njit
def _first_not_below(terms: Int32s, low: int, end: int, term: int) -> int:
    """The first place from `low` on whose term is not below the one given."""
    high = end
    while low < high:
        middle = (low + high) // 2
        if terms[middle] < term:
            low = middle + 1
        else:
            high = middle
    return low


@njit
def _keep_an_anchor(
    leaf: int,
    n_one: int,
    in_one: Int64s,
    in_other: Int64s,
    keeps: Bools,
    n: int,
    pairs: Pairs,
    arena: Arena,
    hits: Int32s,
) -> None:
    """Leave this leaf its least supported term, the rarest overall among equals, by not sharing that term."""
    in_node = in_one if leaf < n_one else in_other
    wanted = leaf if leaf < n_one else leaf - n_one
    anchor = -1
    least = 0
    for number in range(n):
        if keeps[number]:
            at = in_node[number]
            for entry in range(arena.first[at], arena.first[at] + arena.pairs_of[at]):
                if arena.entry_leaf[entry] == wanted:
                    pair = arena.entries[entry]
                    support = pairs.starts[pair + 1] - pairs.starts[pair]
                    if anchor < 0 or support <= least:  # terms come by rank: of equals the last
                        anchor = number
                        least = support
    keeps[anchor] = False
    for side in range(2):
        at = in_one[anchor] if side == 0 else in_other[anchor]
        for entry in range(arena.first[at], arena.first[at] + arena.pairs_of[at]):
            hits[arena.entry_leaf[entry] + (0 if side == 0 else n_one)] -= 1


@njit
def _joined(
    one: int,
    other: int,
    in_one: Int64s,
    in_other: Int64s,
    pairs: Pairs,
    leaves: Leaves,
    nodes: Nodes,
    arena: Arena,
    used: Int64s,
    shared_by: Int64s,
    row_of: Int32s,
    k: int,
    m: int,
    printed: bool,
    budget: int,
) -> int:
    """Make the joint node with its shared chunks; its number, or -1 when the chunks take too many combinations."""
    n = len(in_one)
    order = np.empty(n, np.int64)
    most = 0
    for number in range(n):
        most = max(most, np.int64(arena.support[in_one[number]]) + arena.support[in_other[number]])
    for number in range(n):
        support = np.int64(arena.support[in_one[number]]) + arena.support[in_other[number]]
        order[number] = (most - support) * n + number
    order.sort()
    order %= n

    n_rows = 0
    for number in range(n):
        for side in range(2):
            at = in_one[number] if side == 0 else in_other[number]
            for entry in range(arena.first[at], arena.first[at] + arena.pairs_of[at]):
                pair = arena.entries[entry]
                for posting in range(pairs.starts[pair], pairs.starts[pair + 1]):
                    if row_of[pairs.postings[posting]] < 0:
                        row_of[pairs.postings[posting]] = n_rows
                        n_rows += 1
    bitmaps = np.zeros((n, (n_rows + WORD_BITS - 1) // WORD_BITS), np.uint64)
    supports = np.empty(n, np.int64)
    group = np.zeros((n, 2), np.uint64)
    in_conflict = np.zeros(n, np.bool_)
    for number in range(n):
        which = order[number]
        supports[number] = np.int64(arena.support[in_one[which]]) + arena.support[in_other[which]]
        term = arena.term[in_one[which]]
        for side in range(2):
            at = in_one[which] if side == 0 else in_other[which]
            node = one if side == 0 else other
            found = _place_of(term, node, nodes, arena)
            if found >= 0:
                in_conflict[number] = True
                group[number, 0] ^= arena.placed_word[found, 0]
                group[number, 1] ^= arena.placed_word[found, 1]
            for entry in range(arena.first[at], arena.first[at] + arena.pairs_of[at]):
                pair = arena.entries[entry]
                for posting in range(pairs.starts[pair], pairs.starts[pair + 1]):
                    add_record(bitmaps[number], row_of[pairs.postings[posting]])
    chunk_of = np.empty(n, np.int64)
    n_chunks = greedy_chunks(bitmaps, supports, k, m, group, in_conflict, printed, budget, chunk_of)
    if n_chunks < 0:
        return -1

    new = used[0]
    used[0] += 1
    nodes.n_chunks[new] = n_chunks
    for number in range(n):
        which = order[number]
        for side in range(2):
            at = in_one[which] if side == 0 else in_other[which]
            for entry in range(arena.first[at], arena.first[at] + arena.pairs_of[at]):
                pair = arena.entries[entry]
                pairs.node[pair] = new
                pairs.chunk[pair] = chunk_of[number]
                if leaves.needs_term[pairs.leaf[pair]]:
                    leaves.terms_to_lose[pairs.leaf[pair]] -= 1
                for posting in range(pairs.starts[pair], pairs.starts[pair + 1]):
                    row_of[pairs.postings[posting]] = -1
    nodes.parent[one] = new
    nodes.parent[other] = new
    nodes.size[new] = nodes.size[one] + nodes.size[other]
    nodes.leaves_at[new] = used[5]
    nodes.leaves_len[new] = nodes.leaves_len[one] + nodes.leaves_len[other]
    for number in range(nodes.leaves_len[new]):
        arena.leaves[used[5]] = _leaf(number, one, other, nodes, arena)
        used[5] += 1
    nodes.word[new, 0] = nodes.word[one, 0] ^ nodes.word[other, 0]
    nodes.word[new, 1] = nodes.word[one, 1] ^ nodes.word[other, 1]
    _merge_placed(new, one, other, in_one, nodes, arena, used)
    _merge_hidden(new, one, other, in_one, nodes, arena, used, shared_by)
    _mark(new, nodes, arena, k)
    return new  # type: ignore[no-any-return]


@njit
def _place_of(term: int, node: int, nodes: Nodes, arena: Arena) -> int:
    """Where the arena keeps in which leaves of the node the term is placed, or -1."""
    end = nodes.placed_at[node] + nodes.placed_len[node]
    found = _first_not_below(arena.placed_term, nodes.placed_at[node], end, term)
    return found if found < end and arena.placed_term[found] == term else -1


@njit
def _merge_placed(new: int, one: int, other: int, in_one: Int64s, nodes: Nodes, arena: Arena, used: Int64s) -> None:
    """Terms placed in either node stay so; those shared now are placed in all leaves."""
    at_one = nodes.placed_at[one]
    at_other = nodes.placed_at[other]
    end_one = at_one + nodes.placed_len[one]
    end_other = at_other + nodes.placed_len[other]
    fresh = 0
    out = used[3]
    nodes.placed_at[new] = out
    beyond = len(nodes.parent) + len(arena.term) + 2**31
    while at_one < end_one or at_other < end_other or fresh < len(in_one):
        term_one = np.int64(arena.placed_term[at_one]) if at_one < end_one else beyond
        term_other = np.int64(arena.placed_term[at_other]) if at_other < end_other else beyond
        term_fresh = np.int64(arena.term[in_one[fresh]]) if fresh < len(in_one) else beyond
        term = min(term_one, term_other, term_fresh)
        arena.placed_term[out] = term
        arena.placed_word[out, 0] = 0
        arena.placed_word[out, 1] = 0
        if term_one == term:
            arena.placed_word[out, 0] ^= arena.placed_word[at_one, 0]
            arena.placed_word[out, 1] ^= arena.placed_word[at_one, 1]
            at_one += 1
        if term_other == term:
            arena.placed_word[out, 0] ^= arena.placed_word[at_other, 0]
            arena.placed_word[out, 1] ^= arena.placed_word[at_other, 1]
            at_other += 1
        if term_fresh == term:
            arena.placed_word[out, 0] = nodes.word[new, 0]
            arena.placed_word[out, 1] = nodes.word[new, 1]
            fresh += 1
        out += 1
    nodes.placed_len[new] = out - used[3]
    used[3] = out


@njit
def _merge_hidden(
    new: int, one: int, other: int, in_one: Int64s, nodes: Nodes, arena: Arena, used: Int64s, shared_by: Int64s
) -> None:
    """What either node hides the new one hides, except for the terms shared now."""
    at_one = nodes.hidden_at[one]
    at_other = nodes.hidden_at[other]
    end_one = at_one + nodes.hidden_len[one]
    end_other = at_other + nodes.hidden_len[other]
    fresh = 0
    out = used[1]
    out_entries = used[2]
    nodes.hidden_at[new] = out
    while at_one < end_one or at_other < end_other:
        has_one = at_one < end_one and (at_other >= end_other or arena.term[at_one] <= arena.term[at_other])
        has_other = at_other < end_other and (at_one >= end_one or arena.term[at_other] <= arena.term[at_one])
        if has_one and fresh < len(in_one) and in_one[fresh] == at_one:
            shared_by[arena.term[at_one]] -= 2
            fresh += 1
            at_one += 1
            at_other += 1
            continue
        arena.term[out] = arena.term[at_one] if has_one else arena.term[at_other]
        arena.support[out] = 0
        arena.pairs_of[out] = 0
        arena.first[out] = out_entries
        if has_one and has_other:
            shared_by[arena.term[at_one]] -= 1
        if has_one:
            arena.support[out] += arena.support[at_one]
            arena.pairs_of[out] += arena.pairs_of[at_one]
            for entry in range(arena.first[at_one], arena.first[at_one] + arena.pairs_of[at_one]):
                arena.entries[out_entries] = arena.entries[entry]
                arena.entry_leaf[out_entries] = arena.entry_leaf[entry]
                out_entries += 1
            at_one += 1
        if has_other:
            arena.support[out] += arena.support[at_other]
            arena.pairs_of[out] += arena.pairs_of[at_other]
            for entry in range(arena.first[at_other], arena.first[at_other] + arena.pairs_of[at_other]):
                arena.entries[out_entries] = arena.entries[entry]
                arena.entry_leaf[out_entries] = nodes.leaves_len[one] + arena.entry_leaf[entry]
                out_entries += 1
            at_other += 1
        out += 1
    nodes.hidden_len[new] = out - used[1]
    nodes.entries_len[new] = out_entries - used[2]
    used[1] = out
    used[2] = out_entries


@njit
def _mark(node: int, nodes: Nodes, arena: Arena, k: int) -> None:
    """Find the node's strong terms, those that half of k of its records have, and set its marks.

    A strong term is kept as it is if one more record makes k, and as -1 - term if it takes two or more.
    """
    begin = nodes.hidden_at[node]
    marks = nodes.marks[node]
    marks_twice = nodes.marks_twice[node]
    marks[:] = 0
    marks_twice[:] = 0
    n_strong = 0
    for number in range(nodes.hidden_len[node]):
        term = np.int64(arena.term[begin + number])
        support = np.int64(arena.support[begin + number])
        marks[(term >> 3) % MARK_BYTES] |= 1 << (term & 7)
        if support >= 2:
            marks_twice[(term >> 3) % MARK_TWICE_BYTES] |= 1 << (term & 7)
        if 2 * support >= k:
            arena.strong[begin + n_strong] = number
            if n_strong < STRONG_AT_HAND:
                nodes.strong_term[node, n_strong] = term if support >= k - 1 else ~term
            n_strong += 1
    nodes.strong_len[node] = n_strong


@njit
def mark_all(listed: Int64s, nodes: Nodes, arena: Arena, k: int) -> None:
    """Find the strong terms of each node and set its marks."""
    for number in range(len(listed)):
        _mark(listed[number], nodes, arena, k)


@njit
def in_use(listed: Int64s, nodes: Nodes) -> tuple[int, int, int]:
    """Hidden terms, entries and placed terms of the listed nodes."""
    hidden, entries, placed = 0, 0, 0
    for number in range(len(listed)):
        hidden += nodes.hidden_len[listed[number]]
        entries += nodes.entries_len[listed[number]]
        placed += nodes.placed_len[listed[number]]
    return hidden, entries, placed


@njit
def compacted(
    listed: Int64s, nodes: Nodes, arena: Arena, used: Int64s, hidden: int, entries: int, placed: int, n_leaves: int
) -> Arena:
    """A new arena of these capacities with the listed nodes only."""
    new = Arena(
        np.empty(hidden, np.int32),
        np.empty(hidden, np.int32),
        np.empty(hidden, np.int64),
        np.empty(hidden, np.int32),
        np.empty(hidden, np.int32),
        np.empty(entries, np.int32),
        np.empty(entries, np.int32),
        np.empty(placed, np.int32),
        np.empty((placed, 2), np.uint64),
        np.empty(n_leaves, np.int32),
    )
    out = 0
    out_entries = 0
    out_placed = 0
    out_leaves = 0
    for number in range(len(listed)):
        node = listed[number]
        begin = nodes.hidden_at[node]
        length = nodes.hidden_len[node]
        nodes.hidden_at[node] = out
        for at in range(begin, begin + length):
            new.term[out] = arena.term[at]
            new.support[out] = arena.support[at]
            new.pairs_of[out] = arena.pairs_of[at]
            new.first[out] = out_entries
            new.strong[out] = arena.strong[at]
            for entry in range(arena.first[at], arena.first[at] + arena.pairs_of[at]):
                new.entries[out_entries] = arena.entries[entry]
                new.entry_leaf[out_entries] = arena.entry_leaf[entry]
                out_entries += 1
            out += 1
        begin = nodes.placed_at[node]
        nodes.placed_at[node] = out_placed
        for at in range(begin, begin + nodes.placed_len[node]):
            new.placed_term[out_placed] = arena.placed_term[at]
            new.placed_word[out_placed] = arena.placed_word[at]
            out_placed += 1
        begin = nodes.leaves_at[node]
        nodes.leaves_at[node] = out_leaves
        for at in range(begin, begin + nodes.leaves_len[node]):
            new.leaves[out_leaves] = arena.leaves[at]
            out_leaves += 1
    used[5] = out_leaves
    used[1] = out
    used[2] = out_entries
    used[3] = out_placed
    return new


@njit
def _slot(failed: Int64s, key: int) -> int:
    """Where in the table the pair is or would be; the length of the table is a power of two."""
    mask = len(failed) - 1
    mixed = (np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20)
    slot = np.int64(mixed) & mask
    while failed[slot] != _EMPTY_SLOT and failed[slot] != key:
        slot = (slot + 1) & mask
    return slot  # type: ignore[return-value]


@njit
def _remember(failed: Int64s, used: Int64s, one: int, other: int) -> None:
    failed[_slot(failed, (one << 32) | other)] = (one << 32) | other
    used[4] += 1


@njit
def roomier(failed: Int64s, n_slots: int, nodes: Nodes) -> Int64s:
    """The table of failed pairs with more slots; pairs of nodes that were joined since are forgotten."""
    table = np.full(n_slots, _EMPTY_SLOT, np.int64)
    for slot in range(len(failed)):
        key = failed[slot]
        if key != _EMPTY_SLOT and nodes.parent[key >> 32] < 0 and nodes.parent[key & 0xFFFFFFFF] < 0:
            table[_slot(table, key)] = key
    return table
