"""Pairs of nodes whose join does not pay, in an open-addressing table, so that none is tried twice."""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int64s
from crypsis.compilation import njit
from crypsis.kernels.joint_nodes import Nodes

EMPTY_SLOT = -1


@njit
def slot_of_pair(failed: Int64s, key: int) -> int:
    """Where in the table the pair is or would be; the length of the table is a power of two."""
    mask = len(failed) - 1
    mixed = (np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20)
    slot = np.int64(mixed) & mask
    while failed[slot] != EMPTY_SLOT and failed[slot] != key:
        slot = (slot + 1) & mask
    return slot  # type: ignore[return-value]


@njit
def remember(failed: Int64s, used: Int64s, one: int, other: int) -> None:
    """Note that two nodes failed to join."""
    failed[slot_of_pair(failed, (one << 32) | other)] = (one << 32) | other
    used[4] += 1


@njit
def roomier(failed: Int64s, n_slots: int, nodes: Nodes) -> Int64s:
    """The table of failed pairs with more slots; pairs of nodes that were joined since are forgotten."""
    table = np.full(n_slots, EMPTY_SLOT, np.int64)
    for slot in range(len(failed)):
        key = failed[slot]
        if key != EMPTY_SLOT and nodes.parent[key >> 32] < 0 and nodes.parent[key & 0xFFFFFFFF] < 0:
            table[slot_of_pair(table, key)] = key
    return table
