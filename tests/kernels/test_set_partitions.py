"""Kernels of partitions of sets against the slow and obvious way."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crypsis.kernels.set_partitions import child_masks, expanded_cuts, widest_inner
from crypsis.methods.transaction.item_tree import ItemTree
from tests.reference import diff_part as slow


@st.composite
def cuts(draw):
    """A tree and some cuts of it: nodes none of which lies below another."""
    size, fan_out = draw(st.integers(1, 12)), draw(st.integers(2, 4))
    tree = ItemTree.balanced(size, fan_out)
    found = []
    for _ in range(draw(st.integers(1, 4))):
        cut = [0]
        for _ in range(draw(st.integers(0, 4))):
            inner = [node for node in cut if tree.n_children[node]]
            if not inner:
                break
            node = draw(st.sampled_from(inner))
            below = list(range(tree.first_child[node], tree.first_child[node] + tree.n_children[node]))
            chosen = draw(st.lists(st.sampled_from(below), min_size=1, unique=True))
            at = cut.index(node)
            cut[at : at + 1] = sorted(chosen)
        found.append(cut)
    return size, fan_out, tree, found


def flat(lists, dtype):
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in lists])]).astype(np.int64)
    return offsets, np.array([value for one in lists for value in one], dtype)


@given(cuts())
def test_the_widest_inner_node_the_steps_left_and_the_height(drawn):
    _, fan_out, tree, found = drawn
    offsets, nodes = flat(found, np.int32)
    place, left, height = widest_inner(offsets, nodes, tree.low, tree.high, tree.inner, tree.heights)
    for number, cut in enumerate(found):
        ranges = [(int(tree.low[node]), int(tree.high[node])) for node in cut]
        assert left[number] == sum(slow.inner_below(*one, fan_out) for one in ranges)
        assert height[number] == max(slow.height_of(*one, fan_out) for one in ranges)
        widths = [high - low for low, high in ranges]
        assert place[number] == (-1 if max(widths) == 1 else offsets[number] + widths.index(max(widths)))


@given(cuts(), st.data())
def test_masks_say_which_children_a_record_touches_and_cuts_follow_them(drawn, data):
    size, _, tree, found = drawn
    offsets, nodes = flat(found, np.int32)
    place, _, _ = widest_inner(offsets, nodes, tree.low, tree.high, tree.inner, tree.heights)
    records = data.draw(st.lists(st.sets(st.integers(0, size - 1), min_size=1).map(sorted), max_size=8))
    owner = sorted(data.draw(st.integers(0, len(found) - 1)) for _ in records)
    item_offsets, items = flat(records, np.int32)
    starts = np.searchsorted(owner, np.arange(len(found) + 1)).astype(np.int64)
    chosen = np.where(place >= 0, nodes[np.maximum(place, 0)], -1).astype(np.int64)
    masks = child_masks(
        item_offsets, items, np.arange(len(records)), starts, chosen, tree.low, tree.high, tree.first_child
    )
    for record, number, mask in zip(records, owner, masks.tolist(), strict=True):
        node = chosen[number]
        below = [] if node < 0 else range(tree.first_child[node], tree.first_child[node] + tree.n_children[node])
        ranges = [(int(tree.low[child]), int(tree.high[child])) for child in below]
        touched = slow.touched(record, ranges)
        assert [one for bit, one in enumerate(ranges) if mask >> bit & 1] == list(touched)
    moved = [(number, mask) for number, mask in zip(owner, masks.tolist(), strict=True) if mask]
    parents, wanted = (np.array([pair[side] for pair in moved], np.int64) for side in (0, 1))
    new_offsets, new_cut = expanded_cuts(offsets, nodes, place, parents, wanted, tree.first_child)
    for number, (parent, mask) in enumerate(moved):
        cut = list(found[parent])
        at = place[parent] - offsets[parent]
        first = tree.first_child[cut[at]]
        cut[at : at + 1] = [first + bit for bit in range(int(tree.n_children[cut[at]])) if mask >> bit & 1]
        assert new_cut[new_offsets[number] : new_offsets[number + 1]].tolist() == cut
