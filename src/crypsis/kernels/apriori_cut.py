"""Apriori anonymization: raise a cut through an item hierarchy until no itemset of up to m published items is bad.

Nodes are numbered in preorder: the nodes below n are n + 1 to last[n]. Record r is items[offsets[r]:offsets[r + 1]],
leaves in ascending order. `image[n]` is the node that n is published as, itself where the cut passes through n, -1
above the cut. The records of a node are kept as bits, so the support of any set of nodes is an intersection; what makes
a set bad never changes, only which sets are published does. Each raise therefore looks only at sets with a new node.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Bools, Int8s, Int32s, Int64s
from crypsis.compilation import njit
from crypsis.kernels.itemsets import itemsets
from crypsis.kernels.record_bitmaps import Words, add_record, bits_of, has_record, members, people, people_of_word

DONE = 0
STUCK = 1
RAISED = 0
DELETED = 1


@njit
def raise_cut(
    offsets: Int64s,
    items: Int32s,
    parent: Int32s,
    last: Int32s,
    leaf_count: Int64s,
    start: Int32s,
    allowed: Bools,
    skip_hopeless: bool,
    k: int,
    m: int,
    l: int,  # noqa: E741
    sensitive_offsets: Int64s,
    sensitive_items: Int32s,
    n_sensitive: int,
    most_deleted: int,
    person: Int64s,
) -> tuple[int, Int32s, Int32s, Int8s]:
    """Whether it ended well, the image of each node (-2 if deleted), the bad set of each step, and what was done.

    Bad sets are rows of m + 1 numbers: how many nodes, then the nodes. Only `allowed` nodes may be raised to; where
    none of them mends a bad set it is left as it is if `skip_hopeless`. `person` tells whose each record is, in
    ascending order, where people are to be counted; it is empty where each record is a person.
    """
    n_nodes, n_records = len(parent), len(offsets) - 1
    image = start.copy()
    bits = np.zeros((n_nodes, (n_records + 63) // 64), np.uint64)
    occurrences = np.zeros(n_nodes, np.int64)
    cost = np.zeros(n_nodes, np.int64)
    for record in range(n_records):
        for index in range(offsets[record], offsets[record + 1]):
            node = np.int64(items[index])
            charge = _charge(np.int64(image[node]), last, leaf_count)
            while node >= 0:
                add_record(bits[node], record)
                occurrences[node] += 1
                cost[node] += charge
                node = np.int64(parent[node])
    sensitive_bits = np.zeros((max(n_sensitive, 1), bits.shape[1]), np.uint64)
    if n_sensitive > 0:
        for record in range(n_records):
            for index in range(sensitive_offsets[record], sensitive_offsets[record + 1]):
                add_record(sensitive_bits[sensitive_items[index]], record)

    steps = np.zeros((16, m + 1), np.int32)
    done = np.zeros(16, np.int8)
    n_steps = 0
    deleted = 0
    state = np.empty(len(items), np.int32)
    raised = np.empty(m, np.int64)
    changed = True
    while changed:
        changed = False
        for size in range(1, m + 1):
            published_offsets = _published(offsets, items, image, state)
            bad, _ = itemsets(
                published_offsets,
                state[: published_offsets[n_records]],
                n_nodes,
                size,
                k,
                sensitive_offsets,
                sensitive_items,
                n_sensitive,
                l,
                person,
            )
            at = 0
            heap = np.empty((16, size), np.int32)
            waiting = 0
            while True:
                while at < len(bad) and not _is_published(bad[at], image):
                    at += 1
                while waiting > 0 and not _is_published(heap[0], image):
                    waiting = _pop(heap, waiting)
                if at == len(bad) and waiting == 0:
                    break
                if waiting > 0 and (at == len(bad) or _precedes(heap[0], bad[at])):
                    chosen = heap[0].copy()
                    waiting = _pop(heap, waiting)
                else:
                    chosen = bad[at].copy()
                    at += 1
                n_raised, growth = _choose(
                    chosen,
                    raised,
                    parent,
                    last,
                    leaf_count,
                    allowed,
                    bits,
                    occurrences,
                    cost,
                    k,
                    l,
                    sensitive_bits,
                    n_sensitive,
                    not skip_hopeless and n_sensitive > 0,
                    person,
                )
                if n_raised == 0 and skip_hopeless:
                    continue
                if n_steps == len(steps):
                    steps, done = _wider_steps(steps, done)
                steps[n_steps, 0] = size
                steps[n_steps, 1 : size + 1] = chosen
                if n_raised == 0:
                    return STUCK, image, steps[: n_steps + 1], done[: n_steps + 1]
                changed = True
                lost = 0
                to_root = False
                for node in chosen:
                    lost += occurrences[node]
                for element in range(n_raised):
                    to_root = to_root or raised[element] == 0
                if to_root and deleted + lost <= most_deleted and growth > leaf_count[0] * lost:
                    deleted += lost
                    done[n_steps] = DELETED
                    n_steps += 1
                    for node in chosen:
                        _delete(np.int64(node), image, parent, last, bits, occurrences, cost)
                    continue
                n_steps += 1
                for element in range(n_raised):
                    node = raised[element]
                    more = occurrences[node] * leaf_count[node] - cost[node]
                    for below in range(node, last[node] + 1):
                        if image[below] != -2:
                            image[below] = node
                    while node >= 0:
                        cost[node] += more
                        node = np.int64(parent[node])
                for element in range(n_raised):
                    heap, waiting = _add_bad_with(
                        raised[element],
                        heap,
                        waiting,
                        size,
                        offsets,
                        items,
                        image,
                        bits,
                        k,
                        l,
                        sensitive_offsets,
                        sensitive_items,
                        sensitive_bits,
                        n_sensitive,
                        person,
                    )
        changed = changed and n_sensitive > 0  # shares, unlike supports, may fall again when a cut rises
    return DONE, image, steps[:n_steps], done[:n_steps]


@njit
def _charge(node: np.int64, last: Int32s, leaf_count: Int64s) -> int:
    """What an occurrence costs when it is published as this node: nothing for a leaf."""
    return 0 if node < 0 or last[node] == node else leaf_count[node]


@njit
def _published(offsets: Int64s, items: Int32s, image: Int32s, written: Int32s) -> Int64s:
    """Write every record under the cut, without what was deleted; ascending leaves have ascending images."""
    starts = np.zeros(len(offsets), np.int64)
    n_written = 0
    for record in range(len(offsets) - 1):
        for index in range(offsets[record], offsets[record + 1]):
            node = image[items[index]]
            if node >= 0 and (n_written == starts[record] or written[n_written - 1] != node):
                written[n_written] = node
                n_written += 1
        starts[record + 1] = n_written
    return starts


@njit
def _is_published(nodes: Int32s, image: Int32s) -> bool:
    """Return whether every node is published as itself."""
    for node in nodes:  # noqa: SIM110 (compiled)
        if image[node] != node:
            return False
    return True


@njit
def _precedes(one: Int32s | Int64s, other: Int32s | Int64s) -> bool:
    """Return whether a set of nodes, or a vector of as many numbers, stands before another."""
    for element in range(len(one)):
        if one[element] != other[element]:
            return bool(one[element] < other[element])
    return False


@njit
def _choose(
    chosen: Int32s,
    raised: Int64s,
    parent: Int32s,
    last: Int32s,
    leaf_count: Int64s,
    allowed: Bools,
    bits: Words,
    occurrences: Int64s,
    cost: Int64s,
    k: int,
    l: int,  # noqa: E741
    sensitive_bits: Words,
    n_sensitive: int,
    anything: bool,
    person: Int64s,
) -> tuple[int, int]:
    """Write the nodes that the cheapest mending of a bad set raises; how many, and what they cost.

    All vectors of ancestors are tried. If none mends the set and `anything` may be taken, the cheapest is.
    """
    size = len(chosen)
    vector = chosen.astype(np.int64)
    images = np.empty(size, np.int64)
    best = np.empty(size, np.int64)
    cheapest = np.empty(size, np.int64)
    best_growth, best_levels, has_best = 0, 0, False
    cheapest_growth, cheapest_levels, has_cheapest = 0, 0, False
    levels = 0
    while True:
        index = size - 1  # the next vector: the last node goes up first
        while index >= 0:
            above = np.int64(parent[vector[index]])
            if above >= 0 and allowed[above]:
                vector[index] = above
                levels += 1
                break
            while vector[index] != chosen[index]:
                levels -= 1
                vector[index] = _step_down(vector[index], np.int64(chosen[index]), parent)
            index -= 1
        if index < 0:
            break
        _images(vector, images, last)
        growth = 0
        for element in range(size):
            node = images[element]
            if _first_of(images, element) and node != chosen[element]:
                growth += occurrences[node] * leaf_count[node] - cost[node]
        if anything and (
            not has_cheapest or _is_less(growth, levels, vector, cheapest_growth, cheapest_levels, cheapest)
        ):
            cheapest_growth, cheapest_levels, has_cheapest = growth, levels, True
            cheapest[:] = vector
        if has_best and not _is_less(growth, levels, vector, best_growth, best_levels, best):
            continue
        if _is_good(images, bits, k, l, sensitive_bits, n_sensitive, person):
            best_growth, best_levels, has_best = growth, levels, True
            best[:] = vector
    if not has_best:
        if not has_cheapest:
            return 0, 0
        best_growth = cheapest_growth
        best[:] = cheapest
    _images(best, images, last)
    n_raised = 0
    for element in range(size):
        if _first_of(images, element) and images[element] != chosen[element]:
            raised[n_raised] = images[element]
            n_raised += 1
    return n_raised, best_growth


@njit
def _step_down(node: np.int64, target: np.int64, parent: Int32s) -> np.int64:
    """The node below this one on the way to the target."""
    while parent[target] != node:
        target = np.int64(parent[target])
    return target


@njit
def _images(vector: Int64s, images: Int64s, last: Int32s) -> None:
    """The highest replacement above each replacement: a cut has one node above each leaf."""
    for element in range(len(vector)):
        images[element] = vector[element]
        for other in range(len(vector)):
            if vector[other] < images[element] and images[element] <= last[vector[other]]:
                images[element] = vector[other]


@njit
def _first_of(images: Int64s, element: int) -> bool:
    """Return whether no earlier element has the same image."""
    for before in range(element):  # noqa: SIM110 (compiled)
        if images[before] == images[element]:
            return False
    return True


@njit
def _is_less(
    growth: int, levels: int, vector: Int64s, other_growth: int, other_levels: int, other_vector: Int64s
) -> bool:
    """Return whether a step comes first: by its growth, its levels and then its vector."""
    if growth != other_growth:
        return growth < other_growth
    if levels != other_levels:
        return levels < other_levels
    return bool(_precedes(vector, other_vector))


@njit
def _is_good(
    images: Int64s,
    bits: Words,
    k: int,
    l: int,  # noqa: E741
    sensitive_bits: Words,
    n_sensitive: int,
    person: Int64s,
) -> bool:
    """Return whether k records, or people, hold the images, and at most one in l of them the same sensitive item."""
    support = 0
    if n_sensitive == 0 and len(person) > 0:
        last = -1
        for word in range(bits.shape[1]):
            both = bits[images[0], word]
            for element in range(1, len(images)):
                both &= bits[images[element], word]
            new, last = people_of_word(both, word, person, last)
            support += new
            if support >= k:
                return True
        return False
    if n_sensitive == 0:
        for word in range(bits.shape[1]):
            both = bits[images[0], word]
            for element in range(1, len(images)):
                both &= bits[images[element], word]
            support += bits_of(both)
            if support >= k:
                return True
        return False
    together = bits[images[0]].copy()
    for element in range(1, len(images)):
        together &= bits[images[element]]
    support = _counted(together, person)
    if support < k:
        return False
    for item in range(n_sensitive):  # noqa: SIM110 (compiled)
        if _counted(together & sensitive_bits[item], person) * l > support:
            return False
    return True


@njit
def _counted(records: Words, person: Int64s) -> int:
    """The people of a set of records, or the records where each is a person."""
    return people(records, person) if len(person) > 0 else members(records)


@njit
def _delete(
    node: np.int64, image: Int32s, parent: Int32s, last: Int32s, bits: Words, occurrences: Int64s, cost: Int64s
) -> None:
    """Take all leaves below a published node out of the data."""
    gone, charge = occurrences[node], cost[node]
    for below in range(node, last[node] + 1):
        image[below] = -2
        bits[below] = 0
        occurrences[below] = 0
        cost[below] = 0
    above = np.int64(parent[node])
    while above >= 0:
        occurrences[above] -= gone
        cost[above] -= charge
        bits[above] = 0
        child = above + 1
        while child <= last[above]:
            bits[above] |= bits[child]
            child = np.int64(last[child]) + 1
        above = np.int64(parent[above])


@njit
def _add_bad_with(
    node: int,
    heap: Int32s,
    waiting: int,
    size: int,
    offsets: Int64s,
    items: Int32s,
    image: Int32s,
    bits: Words,
    k: int,
    l: int,  # noqa: E741
    sensitive_offsets: Int64s,
    sensitive_items: Int32s,
    sensitive_bits: Words,
    n_sensitive: int,
    person: Int64s,
) -> tuple[Int32s, int]:
    """Put the bad sets that hold a new node into the heap."""
    if size == 1:
        alone = np.full(1, node, np.int64)
        if members(bits[node]) > 0 and not _is_good(alone, bits, k, l, sensitive_bits, n_sensitive, person):
            heap, waiting = _push(heap, waiting, alone.astype(np.int32))
        return heap, waiting
    n_inside, n_items, n_secret = 0, 0, 0
    for record in range(len(offsets) - 1):
        if has_record(bits[node], record):
            n_inside += 1
            n_items += offsets[record + 1] - offsets[record]
            if n_sensitive > 0:
                n_secret += sensitive_offsets[record + 1] - sensitive_offsets[record]
    starts = np.zeros(n_inside + 1, np.int64)
    written = np.empty(n_items, np.int32)
    secret_starts = np.zeros(n_inside + 1, np.int64)
    secrets = np.empty(n_secret, np.int32)
    person_inside = np.empty(n_inside if len(person) > 0 else 0, np.int64)
    inside, n_written, n_secret = 0, 0, 0
    for record in range(len(offsets) - 1):
        if not has_record(bits[node], record):
            continue
        for index in range(offsets[record], offsets[record + 1]):
            other = image[items[index]]
            if other >= 0 and other != node and (n_written == starts[inside] or written[n_written - 1] != other):
                written[n_written] = other
                n_written += 1
        if n_sensitive > 0:
            for index in range(sensitive_offsets[record], sensitive_offsets[record + 1]):
                secrets[n_secret] = sensitive_items[index]
                n_secret += 1
        if len(person) > 0:
            person_inside[inside] = person[record]
        inside += 1
        starts[inside] = n_written
        secret_starts[inside] = n_secret
    bad, _ = itemsets(
        starts,
        written[:n_written],
        len(image),
        size - 1,
        k,
        secret_starts,
        secrets[:n_secret],
        n_sensitive,
        l,
        person_inside,
    )
    row = np.empty(size, np.int32)
    for found in range(len(bad)):
        slot = 0
        while slot < size - 1 and bad[found, slot] < node:
            row[slot] = bad[found, slot]
            slot += 1
        row[slot] = node
        for after in range(slot, size - 1):
            row[after + 1] = bad[found, after]
        heap, waiting = _push(heap, waiting, row)
    return heap, waiting


@njit
def _push(heap: Int32s, waiting: int, row: Int32s) -> tuple[Int32s, int]:
    """Add a row to a heap whose first entry comes first, and return the heap, longer where it was full."""
    if waiting == len(heap):
        wider = np.empty((2 * waiting, heap.shape[1]), np.int32)
        wider[:waiting] = heap
        heap = wider
    index = waiting
    while index > 0 and _precedes(row, heap[(index - 1) // 2]):
        heap[index] = heap[(index - 1) // 2]
        index = (index - 1) // 2
    heap[index] = row
    return heap, waiting + 1


@njit
def _pop(heap: Int32s, waiting: int) -> int:
    """Take the first row away; how many are left."""
    waiting -= 1
    row = heap[waiting].copy()
    index = 0
    while 2 * index + 1 < waiting:
        child = 2 * index + 1
        if child + 1 < waiting and _precedes(heap[child + 1], heap[child]):
            child += 1
        if not _precedes(heap[child], row):
            break
        heap[index] = heap[child]
        index = child
    heap[index] = row
    return waiting


@njit
def _wider_steps(steps: Int32s, done: Int8s) -> tuple[Int32s, Int8s]:
    """Return the table of steps with twice the room."""
    wider = np.zeros((2 * len(steps), steps.shape[1]), np.int32)
    wider[: len(steps)] = steps
    more = np.zeros(2 * len(done), np.int8)
    more[: len(done)] = done
    return wider, more
