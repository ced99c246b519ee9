"""How many rows can contain a part of a sequence s, counted among few others side by side. Sequences as in `lcs`.

A part of s with l items is contained only in sequences that have at least l items in common with s. Where these are
few, looking through all of them shows sooner than the tree of all patterns that a part is rare.

Members of a block have the same number of words. The places of an item in member j, of those whose item s has, are the
bits of masks[slot, w, j] over its words w. Those behind the leftmost embedding of what was read so far are rest[w, j].
The next item takes the lowest bit of both and leaves what is above it: with v = masks & rest, that is ~(v ^ (v - 1)).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.compilation import njit
from crypsis.kernels.lcs import Words

MOST_MEMBERS = 2048  # with more, a part is looked up in the tree of patterns
_LONGEST = 256  # what is longer counts as if it contained everything
_NONE = -1
_ONE = np.uint64(1)
_ZERO = np.uint64(0)
_FULL = np.uint64(0xFFFFFFFFFFFFFFFF)


class Block(NamedTuple):
    """Members side by side and how many rows each has; taken[j] is not 0 where member j has the last item read.

    used: how many members, and all their rows.
    """

    masks: Words
    rest: Words
    taken: Words
    rows: Int64s
    used: Int64s


class Supporters(NamedTuple):
    """The members so far by their words (1, 2, 4), the rows of longer ones, and the slot of each item that s has."""

    slot_of: Int64s
    one: Block
    two: Block
    four: Block
    longer: Int64s


@njit
def no_supporters(sequence: Int32s, lengths: Int32s, others: Int32s, n_codes: int) -> Supporters:
    """Room for all of these others as members."""
    slot_of = np.full(n_codes, _NONE, np.int64)
    n_slots = 0
    for item in sequence:
        if slot_of[item] == _NONE:
            slot_of[item] = n_slots
            n_slots += 1
    n_one, n_two, n_four = 0, 0, 0
    for other in others:
        n_one += lengths[other] <= 64
        n_two += 64 < lengths[other] <= 128
        n_four += 128 < lengths[other] <= _LONGEST
    return Supporters(
        slot_of, _block(n_slots, 1, n_one), _block(n_slots, 2, n_two), _block(n_slots, 4, n_four), np.zeros(1, np.int64)
    )


@njit
def _block(n_slots: int, n_words: int, room: int) -> Block:
    """A block without members."""
    return Block(
        np.zeros((n_slots, n_words, room), np.uint64),
        np.empty((n_words, room), np.uint64),
        np.empty(room, np.uint64),
        np.empty(room, np.int64),
        np.zeros(2, np.int64),
    )


@njit
def add_supporter(supporters: Supporters, other: Int32s, rows: int) -> None:
    """Make a sequence of so many rows a member."""
    if len(other) > _LONGEST:
        supporters.longer[0] += rows
        return
    block = supporters.one if len(other) <= 64 else supporters.two if len(other) <= 128 else supporters.four
    member = block.used[0]
    block.rows[member] = rows
    block.used[0] += 1
    block.used[1] += rows
    place = 0
    for item in other:
        slot = supporters.slot_of[item]
        if slot != _NONE:
            block.masks[slot, place >> 6, member] |= _ONE << np.uint64(place & 63)
            place += 1


@njit
def can_be_contained(supporters: Supporters, part: Int32s, enough: int) -> bool:
    """Whether members with `enough` rows may contain a part of s. False is certain."""
    rows = supporters.longer[0] + supporters.one.used[1] + supporters.two.used[1] + supporters.four.used[1]
    for block in (supporters.one, supporters.two, supporters.four):
        if rows < enough:
            return False
        rows -= block.used[1] - _rows_with(block, supporters.slot_of, part)
    return bool(rows >= enough)


@njit
def _rows_with(block: Block, slot_of: Int64s, part: Int32s) -> np.int64:
    """Rows of the members of a block that contain a part."""
    n_members = block.used[0]
    rest, taken = block.rest, block.taken
    for word in range(len(rest)):
        for member in range(n_members):
            rest[word, member] = _FULL
    for item in part:
        masks = block.masks[slot_of[item]]
        # In the first word an item takes its lowest bit, if it has any.
        mask, left = masks[0], rest[0]
        for member in range(n_members):
            coming = mask[member] & left[member]
            left[member] = ~(coming ^ (coming - _ONE))
            taken[member] = coming
        # In a further word only where no word before it had any; otherwise all of it is left.
        for word in range(1, len(masks)):
            mask, left = masks[word], rest[word]
            for member in range(n_members):
                coming = mask[member] & left[member]
                first = _ONE if taken[member] == _ZERO else _ZERO
                left[member] = ~(coming ^ (coming - first))
                taken[member] |= coming
    rows = np.int64(0)
    for member in range(n_members):
        rows += block.rows[member] if taken[member] != _ZERO else np.int64(0)
    return rows
