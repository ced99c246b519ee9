"""Longest common subsequences, bit-parallel: one addition moves 64 cells of the table.

Sequence q is codes[starts[q]:starts[q] + lengths[q]]; starts int64, lengths int32, codes int32. Against a fixed
sequence s, the state after some text is a word with one bit for each position of s; a bit is 0 where one more position
of s lengthens the common subsequence. The next item c of the text, whose positions in s are the mask M, takes the word
V to (V + U) | (V - U) with U = V & M, and the common subsequence grows by the carry that leaves the top of V + U.
(Hyyroe. Bit-parallel LCS-length computation revisited. AWOCA 2004.)

The state depends on the text alone, so it is carried down a prefix tree: one step for each node, however many texts
pass through it. Short sequences share a word, each in a lane whose top bit catches the carry.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crypsis.arrays import Bools, Int32s, Int64s
from crypsis.arrays.record_bits import ones_in
from crypsis.compilation import njit
from crypsis.kernels.prefix_tree import ROOT, Nodes

Words = NDArray[np.uint64]

WORDS = 16  # words of a batch: the inner loop of a walk
NARROW = 63  # longest sequence that fits in a lane, together with its carry
_ONE = np.uint64(1)
_ZERO = np.uint64(0)
_FULL = np.uint64(0xFFFFFFFFFFFFFFFF)
_TOP = np.uint64(63)


class Sequences(NamedTuple):
    """Sequences inside a column of codes."""

    codes: Int32s
    starts: Int64s
    lengths: Int32s


@njit
def closest_paths(sequences: Sequences, nodes: Nodes, height: Int32s, n_codes: int) -> tuple[Int32s, Int32s]:
    """By sequence: the node whose path has the longest subsequence in common with it, and the length of that.

    Among several nodes the least deep, then the smallest path. The root and 0 where no path shares an item.
    """
    n_sequences = len(sequences.lengths)
    best_node = np.zeros(n_sequences, np.int32)
    best_length = np.zeros(n_sequences, np.int32)
    deepest = height[ROOT] + 1
    mask = np.zeros(n_codes, np.uint64)
    state = np.zeros(deepest + 1, np.uint64)
    common = np.zeros(deepest + 1, np.int32)
    keep = ~(_ONE << _TOP)
    for sequence in range(n_sequences):
        start, length = sequences.starts[sequence], sequences.lengths[sequence]
        if length > NARROW:
            best_node[sequence], best_length[sequence] = _closest_path_of_long(
                sequences.codes[start : start + length], nodes, height, n_codes
            )
            continue
        for position in range(length):
            mask[sequences.codes[start + position]] |= _ONE << np.uint64(position)
        state[0] = keep
        common[0] = 0
        best, found, found_depth = 0, ROOT, 0
        node = 1
        while node < len(nodes.item):
            depth = nodes.depth[node]
            word = state[depth - 1]
            length_here = common[depth - 1]
            matched = word & mask[nodes.item[node]]
            if matched != _ZERO:
                total = word + matched
                if total >> _TOP != _ZERO:
                    length_here += 1
                word = (total | (word - matched)) & keep
                if length_here > best or (length_here == best and depth < found_depth):
                    best, found, found_depth = length_here, node, depth
            state[depth] = word
            common[depth] = length_here
            node = _next_worth_seeing(nodes, height, node, depth, length_here, length, best, found_depth)
        best_node[sequence], best_length[sequence] = found, best
        for position in range(length):
            mask[sequences.codes[start + position]] = _ZERO
    return best_node, best_length


@njit
def _next_worth_seeing(
    nodes: Nodes, height: Int32s, node: int, depth: int, common: int, length: int, best: int, found_depth: int
) -> int:
    """The next node of the walk, past the subtree if nothing in it can be longer, or as long and less deep."""
    reach = min(common + height[node], length)
    if reach > best or (reach == best and depth + max(1, best - common) < found_depth):
        return node + 1
    return int(nodes.end[node])


@njit
def masks_of_long(sequence: Int32s, n_codes: int, backwards: bool) -> Words:
    """Mark the positions of each item in a sequence of any length, from its start or from its end."""
    n_words = (len(sequence) + 63) // 64
    masks = np.zeros((n_codes, n_words), np.uint64)
    for position in range(len(sequence)):
        bit = len(sequence) - 1 - position if backwards else position
        masks[sequence[position], bit >> 6] |= _ONE << np.uint64(bit & 63)
    return masks


@njit
def _step_of_long(before: Words, after: Words, mask: Words) -> int:
    """One item further over several words; 1 if the common subsequence grows."""
    carry = _ZERO
    for word in range(len(mask)):
        value = before[word]
        matched = value & mask[word]
        first = value + matched
        total = first + carry
        carry = _ONE if first < value or total < first else _ZERO
        after[word] = total | (value - matched)
    return 1 if carry != _ZERO else 0


@njit
def _closest_path_of_long(sequence: Int32s, nodes: Nodes, height: Int32s, n_codes: int) -> tuple[int, int]:
    """Find the node whose path has most in common with a sequence of more than 64 items."""
    masks = masks_of_long(sequence, n_codes, False)
    state = np.full((height[ROOT] + 2, masks.shape[1]), _FULL)
    common = np.zeros(height[ROOT] + 2, np.int32)
    best, found, found_depth = 0, ROOT, 0
    node = 1
    while node < len(nodes.item):
        depth = nodes.depth[node]
        length_here = common[depth - 1] + _step_of_long(state[depth - 1], state[depth], masks[nodes.item[node]])
        common[depth] = length_here
        if length_here > best or (length_here == best and best > 0 and depth < found_depth):
            best, found, found_depth = length_here, node, depth
        node = _next_worth_seeing(nodes, height, node, depth, length_here, len(sequence), best, found_depth)
    return found, best


@njit
def common_lengths_of_long(
    sequence: Int32s, nodes: Nodes, height: Int32s, chosen: Bools, n_codes: int, least: int
) -> tuple[Int32s, Int32s]:
    """The chosen nodes whose paths share at least `least` items in order with a sequence of any length; how many."""
    masks = masks_of_long(sequence, n_codes, False)
    state = np.full((height[ROOT] + 2, masks.shape[1]), _FULL)
    common = np.zeros(height[ROOT] + 2, np.int32)
    found = np.empty(1024, np.int32)
    lengths = np.empty(1024, np.int32)
    n_found = 0
    node = 1
    while node < len(nodes.item):
        depth = nodes.depth[node]
        length_here = common[depth - 1] + _step_of_long(state[depth - 1], state[depth], masks[nodes.item[node]])
        common[depth] = length_here
        if chosen[node] and length_here >= least:
            if n_found == len(found):
                found = np.append(found, np.empty(n_found, np.int32))
                lengths = np.append(lengths, np.empty(n_found, np.int32))
            found[n_found], lengths[n_found] = node, length_here
            n_found += 1
        node = node + 1 if length_here + height[node] >= least else nodes.end[node]
    return found[:n_found].copy(), lengths[:n_found].copy()


@njit
def common_lengths(
    sequences: Sequences,
    members: Int64s,
    least: Int32s,
    lane: int,
    nodes: Nodes,
    height: Int32s,
    chosen: Bools,
    masks: Words,
) -> Int64s:
    """Chosen nodes whose paths share at least least[q] items in order with the sequences q, up to a batch at once.

    Sequence members[i] lies in lane i; a lane has `lane` bits, one more than the longest sequence at least. Each result
    packs lane number, common length and node: (i << 48) | (length << 32) | node. `masks` (n_codes x WORDS) comes and
    leaves empty.
    """
    lanes = 64 // lane
    ones = _lowest_bits(lane)
    top = np.uint64(lane - 1)
    tops = ones << top
    keep = ~tops
    wanted, used = _laid_in_lanes(sequences, members, least, 0, lane, masks)

    state = np.empty((height[ROOT] + 2, WORDS), np.uint64)
    common = np.zeros((height[ROOT] + 2, WORDS), np.uint64)
    row = np.zeros(height[ROOT] + 2, np.int32)  # where the state of each depth lies
    some_reached = np.zeros(height[ROOT] + 2, np.bool_)
    state[0, :] = keep
    found = np.empty(1024, np.int64)
    n_found = 0
    node = 1
    while node < len(nodes.item):
        depth, item = nodes.depth[node], nodes.item[node]
        if used[item]:
            mask = masks[item]
            before, after = state[row[depth - 1]], state[depth]
            shorter, longer = common[row[depth - 1]], common[depth]
            rest = np.uint64(min(height[node], lane - 1)) * ones
            hopeful, reached = _ZERO, _ZERO
            for word in range(WORDS):
                value = before[word]
                matched = value & mask[word]
                total = value + matched
                after[word] = (total | (value - matched)) & keep
                length = shorter[word] + ((total >> top) & ones)
                longer[word] = length
                reached |= (length | tops) - wanted[word]
                hopeful |= ((length + rest) | tops) - wanted[word]
            if hopeful & tops == _ZERO:
                node = nodes.end[node]
                continue
            row[depth] = depth
            some_reached[depth] = reached & tops != _ZERO
        else:
            row[depth] = row[depth - 1]
            some_reached[depth] = some_reached[depth - 1]
        if chosen[node] and some_reached[depth]:
            longer = common[row[depth]]
            for word in range(WORDS):
                reached = ((longer[word] | tops) - wanted[word]) & tops
                if reached == _ZERO:
                    continue
                for index in range(lanes):
                    low = np.uint64(index * lane)
                    if (reached >> low) >> top & _ONE != _ZERO:
                        if n_found == len(found):
                            found = np.append(found, np.empty(n_found, np.int64))
                        shared = np.int64((longer[word] >> low) & ((_ONE << top) - _ONE))
                        found[n_found] = ((word * lanes + index) << 48) | (shared << 32) | node
                        n_found += 1
        node += 1

    _empty_lanes(sequences, members, lane, masks)
    return found[:n_found]


@njit
def longest_common_lengths(
    sequences: Sequences, members: Int64s, least: Int32s, lane: int, nodes: Nodes, height: Int32s, masks: Words
) -> Int32s:
    """For the sequences of a batch: the most items that any path shares in order with them, least[q] if that is more.

    Lanes and `masks` as in `common_lengths`. What a lane wants is always one more than it has seen.
    """
    lanes = 64 // lane
    ones = _lowest_bits(lane)
    top = np.uint64(lane - 1)
    tops = ones << top
    keep = ~tops
    wanted, used = _laid_in_lanes(sequences, members, least, 1, lane, masks)
    state = np.empty((height[ROOT] + 2, WORDS), np.uint64)
    common = np.zeros((height[ROOT] + 2, WORDS), np.uint64)
    row = np.zeros(height[ROOT] + 2, np.int32)  # where the state of each depth lies
    state[0, :] = keep
    node = 1
    while node < len(nodes.item):
        depth, item = nodes.depth[node], nodes.item[node]
        if not used[item]:
            row[depth] = row[depth - 1]
            node += 1
            continue
        mask = masks[item]
        before, after = state[row[depth - 1]], state[depth]
        shorter, longer = common[row[depth - 1]], common[depth]
        rest = np.uint64(min(height[node], lane - 1)) * ones
        hopeful = _ZERO
        for word in range(WORDS):
            value = before[word]
            matched = value & mask[word]
            total = value + matched
            after[word] = (total | (value - matched)) & keep
            length = shorter[word] + ((total >> top) & ones)
            longer[word] = length
            wanted[word] += (((length | tops) - wanted[word]) & tops) >> top
            hopeful |= ((length + rest) | tops) - wanted[word]
        row[depth] = depth
        node = node + 1 if hopeful & tops != _ZERO else int(nodes.end[node])
    _empty_lanes(sequences, members, lane, masks)
    longest = np.empty(len(members), np.int32)
    for index in range(len(members)):
        in_lane = wanted[index // lanes] >> np.uint64((index % lanes) * lane)
        longest[index] = np.int64(in_lane & ((_ONE << top) - _ONE)) - 1
    return longest


@njit
def _lowest_bits(lane: int) -> np.uint64:
    """The lowest bit of every lane."""
    ones = _ZERO
    for index in range(64 // lane):
        ones |= _ONE << np.uint64(index * lane)
    return ones


@njit
def _laid_in_lanes(
    sequences: Sequences, members: Int64s, least: Int32s, more: int, lane: int, masks: Words
) -> tuple[Words, Bools]:
    """Fill `masks`; what each lane wants, least[q] + more, and which items occur: others leave the state as it is."""
    lanes = 64 // lane
    wanted = np.full(WORDS, ~(_lowest_bits(lane) << np.uint64(lane - 1)), np.uint64)  # what no lane can reach
    used = np.zeros(len(masks), np.bool_)
    for index in range(len(members)):
        sequence = members[index]
        word, shift = index // lanes, (index % lanes) * lane
        lane_mask = ((_ONE << np.uint64(lane - 1)) - _ONE) << np.uint64(shift)
        wanted[word] = (wanted[word] & ~lane_mask) | (np.uint64(least[sequence] + more) << np.uint64(shift))
        start = sequences.starts[sequence]
        for position in range(sequences.lengths[sequence]):
            code = sequences.codes[start + position]
            masks[code, word] |= _ONE << np.uint64(shift + position)
            used[code] = True
    return wanted, used


@njit
def _empty_lanes(sequences: Sequences, members: Int64s, lane: int, masks: Words) -> None:
    """Clear the masks of the items of all members."""
    for index in range(len(members)):
        start = sequences.starts[members[index]]
        for position in range(sequences.lengths[members[index]]):
            masks[sequences.codes[start + position], index // (64 // lane)] = _ZERO


@njit
def common_from(masks: Words, other: Int32s, states: Words) -> int:
    """Length of the longest common subsequence of a sequence and `other`, which is read from its end.

    `masks[c]` holds the positions of item c in the sequence counted from its end. states[j] becomes the state after
    other[j:]: the zeros among its lowest b bits are what the last b items of the sequence have in common with that.
    """
    last, n_words = len(other), masks.shape[1]
    states[last, :] = _FULL
    common = 0
    if n_words == 1:
        value = _FULL
        for index in range(last - 1, -1, -1):
            matched = value & masks[other[index], 0]
            total = value + matched
            common += 1 if total < value else 0
            value = total | (value - matched)
            states[index, 0] = value
        return common
    for index in range(last - 1, -1, -1):
        common += _step_of_long(states[index + 1], states[index], masks[other[index]])
    return common


@njit
def zeros_below(words: Words, bits: int) -> int:
    """Zeros among the lowest bits."""
    zeros = 0
    for word in range(bits >> 6):
        zeros += 64 - ones_in(words[word])
    rest = bits & 63
    if rest:
        zeros += rest - ones_in(words[bits >> 6] & ((_ONE << np.uint64(rest)) - _ONE))
    return zeros
