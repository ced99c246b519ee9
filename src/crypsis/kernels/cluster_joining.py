"""REFINE: join neighbouring clusters that hide the same terms, so that they can share chunks of them.

Supports only add up and conflict sets of different leaves are disjoint, so that both are kept up by merging what two
`joint_nodes` hold; a join costs what the two hold, a failure less.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crypsis.arrays import Bools, Int8s, Int32s, Int64s
from crypsis.arrays.ascending import first_not_below
from crypsis.compilation import njit
from crypsis.kernels.failed_joins import EMPTY_SLOT, remember, slot_of_pair
from crypsis.kernels.greedy_chunks import greedy_chunks
from crypsis.kernels.joint_nodes import (
    LACKS_MORE,
    LACKS_ONE,
    MARK_TWICE_WORDS,
    MARK_WORDS,
    TWICE,
    Arena,
    Leaves,
    Nodes,
    Pairs,
    mark,
    mark_of,
)
from crypsis.kernels.plain_sorting import sort_first
from crypsis.kernels.record_bitmaps import ONE, WORD_BITS

KNOWN_TO_FAIL, FAILS, PAYS = 0, 1, 2
LOOKS_NOT_WORTH_REMEMBERING = 4


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
    hidden_at, hidden_len, strong_len, marks = nodes.hidden_at, nodes.hidden_len, nodes.strong_len, nodes.marks
    term_at, support_at, strong_at = arena.term, arena.support, arena.strong
    for at in range(first, last):
        verdicts[at] = KNOWN_TO_FAIL  # or cheap to find out again
    # Few pairs have strong terms, of these few have marks in common. They are sifted without a branch, so that what is
    # kept of nodes is fetched for many pairs at a time.
    sifted = np.empty(last - first, np.int64)
    n_strong = 0
    for at in range(first, min(last, len(listed) - 1)):
        sifted[n_strong] = at
        n_strong += int(strong_len[listed[at]] + strong_len[listed[at + 1]] > 0)
    n_sifted = 0
    for index in range(n_strong):
        at = sifted[index]
        node, other = listed[at], listed[at + 1]
        common = np.uint64(0)
        for word in range(MARK_WORDS):
            common |= marks[node, LACKS_ONE + word] & marks[other, word]
            common |= marks[other, LACKS_ONE + word] & marks[node, word]
        for word in range(MARK_TWICE_WORDS):
            common |= marks[node, LACKS_MORE + word] & marks[other, TWICE + word]
            common |= marks[other, LACKS_MORE + word] & marks[node, TWICE + word]
        sifted[n_sifted] = at
        n_sifted += int(common != np.uint64(0))
    for at in sifted[:n_sifted]:
        node, other = listed[at], listed[at + 1]
        if failed_last[node] == other:
            continue
        # What a few looks decide is decided again more quickly than it is found in a large table.
        remembered = strong_len[node] + strong_len[other] > LOOKS_NOT_WORTH_REMEMBERING
        if not remembered or failed[slot_of_pair(failed, (node << 32) | other)] == EMPTY_SLOT:
            n = _common_terms(
                node, other, hidden_at, hidden_len, strong_len, marks, term_at, support_at, strong_at,
                sensitive, k, in_one, in_other,
            )  # fmt: skip
            if n > 0 and _refining_terms(n, node, other, pairs, leaves, nodes, arena, hits, printed, in_one, in_other):
                verdicts[at] = PAYS
                continue
            if remembered:
                verdicts[at] = FAILS
        failed_last[node] = other


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
            n = _common_terms(
                node, other, nodes.hidden_at, nodes.hidden_len, nodes.strong_len, nodes.marks,
                arena.term, arena.support, arena.strong, sensitive, k, in_one, in_other,
            )  # fmt: skip
            n = _refining_terms(n, node, other, pairs, leaves, nodes, arena, hits, printed, in_one, in_other)
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
            remember(failed, used, node, listed[at + 1])
        at += 1
        n_following += 1
    return following[:n_following].copy(), joins


@njit
def _common_terms(
    one: int,
    other: int,
    hidden_at: Int64s,
    hidden_len: Int64s,
    strong_len: Int64s,
    marks: NDArray[np.uint64],
    term_at: Int32s,
    support_at: Int32s,
    strong_at: Int32s,
    sensitive: Bools,
    k: int,
    in_one: Int64s,
    in_other: Int64s,
) -> int:
    """Write where in the arena the two nodes keep the terms that k of their records have together; how many.

    It gets single arrays of nodes and arena: a call counts up the references to each array of a tuple.
    """
    n = 0
    # Of two supports that make k together one is at least half of it. Few leaves have such terms, so that looking for
    # these in the other node is quickest, unless one node has more of them than the other has terms at all.
    shorter, longer = (one, other) if hidden_len[one] <= hidden_len[other] else (other, one)
    by_strong = strong_len[one] + strong_len[other] < hidden_len[shorter]
    for side in range(2 if by_strong else 1):
        if by_strong:
            node, opposite = (one, other) if side == 0 else (other, one)
        else:
            node, opposite = shorter, longer
        begin = hidden_at[node]
        low = hidden_at[opposite]
        end = low + hidden_len[opposite]
        for index in range(strong_len[node] if by_strong else hidden_len[node]):
            at = begin + (strong_at[begin + index] if by_strong else index)
            term, support = int(term_at[at]), int(support_at[at])
            # The opposite has to hide the term in enough records to make k together, which its marks tell most times.
            word, bit = mark_of(term, MARK_WORDS)
            word_of_two, bit_of_two = mark_of(term, MARK_TWICE_WORDS)
            if support >= k - 1:
                found = marks[opposite, word] & bit
            elif 2 * support >= k:
                found = marks[opposite, TWICE + word_of_two] & bit_of_two
            else:  # only a strong term of the opposite has the rest
                found = marks[opposite, LACKS_ONE + word] & bit
                if support >= 2:
                    found |= marks[opposite, LACKS_MORE + word_of_two] & bit_of_two
            if found == np.uint64(0) or sensitive[term]:
                continue
            step = 1  # what is next lies near: look farther and farther, then between the last two looks
            while low + step < end and term_at[low + step] < term:
                low += step
                step *= 2
            high = min(low + step, end)
            while low < high:
                middle = (low + high) // 2
                if term_at[middle] < term:
                    low = middle + 1
                else:
                    high = middle
            if low == end:
                break
            if term_at[low] != term or support + support_at[low] < k:
                continue
            if side == 0 or 2 * np.int64(support_at[low]) < k:  # found from the first side otherwise
                n = _take(at if node == one else low, low if node == one else at, in_one, in_other, n)
    return n


@njit
def _refining_terms(
    n: int,
    one: int,
    other: int,
    pairs: Pairs,
    leaves: Leaves,
    nodes: Nodes,
    arena: Arena,
    hits: Int32s,
    printed: bool,
    in_one: Int64s,
    in_other: Int64s,
) -> int:
    """Keep of the n common terms those that the two nodes would share; how many, 0 if it does not pay."""
    support = 0
    for index in range(n):
        support += np.int64(arena.support[in_one[index]]) + arena.support[in_other[index]]
    # Each unit of a shared term brings the records of one leaf, so that the leaves concerned have at most this many per
    # unit: what cannot pay then is known without a look at them.
    if support * max(nodes.largest_leaf[one], nodes.largest_leaf[other]) < nodes.size[one] + nodes.size[other]:
        return 0

    n_one = nodes.leaves_len[one]
    n_leaves = n_one + nodes.leaves_len[other]
    hits = hits[:n_leaves]
    leaves_of_one = arena.leaves[nodes.leaves_at[one] :][:n_one]
    leaves_of_other = arena.leaves[nodes.leaves_at[other] :][: n_leaves - n_one]
    for index in range(n):
        at = in_one[index]
        for entry in range(arena.first[at], arena.first[at] + arena.pairs_of[at]):
            hits[arena.entry_leaf[entry]] += 1
        at = in_other[index]
        for entry in range(arena.first[at], arena.first[at] + arena.pairs_of[at]):
            hits[n_one + arena.entry_leaf[entry]] += 1
    keeps = np.ones(n, np.bool_)
    if not printed:
        for index in range(n_leaves):
            leaf = leaves_of_one[index] if index < n_one else leaves_of_other[index - n_one]
            if hits[index] > 0 and hits[index] == leaves.terms_to_lose[leaf]:
                _keep_an_anchor(index, n_one, in_one, in_other, keeps, n, pairs, arena, hits)
    support = 0
    units = 0
    n_kept = 0
    for index in range(n):
        if keeps[index]:
            support += np.int64(arena.support[in_one[index]]) + arena.support[in_other[index]]
            units += np.int64(arena.pairs_of[in_one[index]]) + arena.pairs_of[in_other[index]]
            in_one[n_kept] = in_one[index]
            in_other[n_kept] = in_other[index]
            n_kept += 1
    records = 0
    for index in range(n_leaves):
        if hits[index] > 0:
            records += leaves.size[leaves_of_one[index] if index < n_one else leaves_of_other[index - n_one]]
            hits[index] = 0
    if support * records < units * (nodes.size[one] + nodes.size[other]):
        return 0
    return n_kept


@njit
def _take(at_one: int, at_other: int, in_one: Int64s, in_other: Int64s, n: int) -> int:
    """Keep where both nodes have a term, in order; how many there are."""
    slot = n
    while slot > 0 and in_one[slot - 1] > at_one:
        in_one[slot] = in_one[slot - 1]
        in_other[slot] = in_other[slot - 1]
        slot -= 1
    in_one[slot] = at_one
    in_other[slot] = at_other
    return n + 1


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
    for index in range(n):
        if keeps[index]:
            at = in_node[index]
            for entry in range(arena.first[at], arena.first[at] + arena.pairs_of[at]):
                if arena.entry_leaf[entry] == wanted:
                    pair = arena.entries[entry]
                    support = pairs.starts[pair + 1] - pairs.starts[pair]
                    if anchor < 0 or support <= least:  # terms come by rank: of equals the last
                        anchor = index
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
    for index in range(n):
        most = max(most, np.int64(arena.support[in_one[index]]) + arena.support[in_other[index]])
    for index in range(n):
        support = np.int64(arena.support[in_one[index]]) + arena.support[in_other[index]]
        order[index] = (most - support) * n + index
    sort_first(order, n)
    order %= n

    n_rows = 0
    for index in range(n):
        for side in range(2):
            at = in_one[index] if side == 0 else in_other[index]
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
    for index in range(n):
        which = order[index]
        supports[index] = np.int64(arena.support[in_one[which]]) + arena.support[in_other[which]]
        term = arena.term[in_one[which]]
        for side in range(2):
            at = in_one[which] if side == 0 else in_other[which]
            node = one if side == 0 else other
            found = _place_of(term, node, nodes, arena)
            if found >= 0:
                in_conflict[index] = True
                group[index, 0] ^= arena.placed_word[found, 0]
                group[index, 1] ^= arena.placed_word[found, 1]
            for entry in range(arena.first[at], arena.first[at] + arena.pairs_of[at]):
                pair = arena.entries[entry]
                for posting in range(pairs.starts[pair], pairs.starts[pair + 1]):
                    row = row_of[pairs.postings[posting]]
                    bitmaps[index, row // WORD_BITS] |= ONE << np.uint64(row % WORD_BITS)
    chunk_of = np.empty(n, np.int64)
    n_chunks = greedy_chunks(bitmaps, supports, k, m, group, in_conflict, printed, budget, chunk_of)
    if n_chunks < 0:
        return -1

    new = used[0]
    used[0] += 1
    nodes.n_chunks[new] = n_chunks
    for index in range(n):
        which = order[index]
        for side in range(2):
            at = in_one[which] if side == 0 else in_other[which]
            for entry in range(arena.first[at], arena.first[at] + arena.pairs_of[at]):
                pair = arena.entries[entry]
                pairs.node[pair] = new
                pairs.chunk[pair] = chunk_of[index]
                if leaves.needs_term[pairs.leaf[pair]]:
                    leaves.terms_to_lose[pairs.leaf[pair]] -= 1
                for posting in range(pairs.starts[pair], pairs.starts[pair + 1]):
                    row_of[pairs.postings[posting]] = -1
    nodes.parent[one] = new
    nodes.parent[other] = new
    nodes.size[new] = nodes.size[one] + nodes.size[other]
    nodes.largest_leaf[new] = max(nodes.largest_leaf[one], nodes.largest_leaf[other])
    nodes.leaves_at[new] = used[5]
    nodes.leaves_len[new] = nodes.leaves_len[one] + nodes.leaves_len[other]
    for side in range(2):
        begin = nodes.leaves_at[one if side == 0 else other]
        for at in range(begin, begin + nodes.leaves_len[one if side == 0 else other]):
            arena.leaves[used[5]] = arena.leaves[at]
            used[5] += 1
    nodes.word[new, 0] = nodes.word[one, 0] ^ nodes.word[other, 0]
    nodes.word[new, 1] = nodes.word[one, 1] ^ nodes.word[other, 1]
    _merge_placed(new, one, other, in_one, nodes, arena, used)
    _merge_hidden(new, one, other, in_one, nodes, arena, used, shared_by)
    mark(new, nodes, arena, k)
    return new  # type: ignore[no-any-return]


@njit
def _place_of(term: int, node: int, nodes: Nodes, arena: Arena) -> int:
    """Where the arena keeps in which leaves of the node the term is placed, or -1."""
    end = nodes.placed_at[node] + nodes.placed_len[node]
    found = first_not_below(arena.placed_term, nodes.placed_at[node], end, term)
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
