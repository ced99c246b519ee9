"""Apriori anonymization in rounds: shards count, and the cut through the hierarchy is raised here from the sums.

Records are whole in a shard, so supports of sets of nodes add up, and so do the sets that shards list. Bad sets, their
order, every choice among ancestors and every tie are those of the kernel `raise_cut`, which works on data in memory.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import islice, product
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Bools, Int32s, Int64s, offsets_of
from crypsis.errors import TooLarge
from crypsis.executors.executor import Executor, Resident
from crypsis.executors.near import resident_nearby
from crypsis.hierarchy import ItemTree
from crypsis.kernels.itemsets import EACH_RECORD, NO_ITEMS, NO_OFFSETS, itemsets
from crypsis.shards.ragged import RaggedShard

ASKED_AT_ONCE = 64
DRIVER_ROWS = 20_000_000
BYTES_OF_BITS = 256 << 20  # of the nodes that were asked for last, in each shard
DELETED = -2
EVERY = np.iinfo(np.int64).max

Nodes = tuple[int, ...]


class CutShard:
    """The records of a shard over the tree: which leaves each holds, and its sensitive items apart."""

    def __init__(self, shard: RaggedShard, node_of_item: Int32s, number_of_secret: Int32s) -> None:
        """`number_of_secret` is -1 for items that are not sensitive; a record without any other item is left out."""
        offsets, items = shard.read()
        rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        secret = number_of_secret[items] >= 0
        filled = np.bincount(rows[~secret], minlength=len(offsets) - 1) > 0
        row_of = np.cumsum(filled) - 1
        nodes = node_of_item[items[~secret]].astype(np.int64)
        own = row_of[rows[~secret]]
        order = np.lexsort((nodes, own))
        self.n_records = int(np.count_nonzero(filled))
        persons = shard.persons()
        self._person = EACH_RECORD if persons is None else persons[filled]
        self._all_rows, self._all_leaves = own[order], nodes[order].astype(np.int32)
        kept = secret & filled[rows]
        self._secret_rows, self._secrets = row_of[rows[kept]], number_of_secret[items[kept]]
        self.begin(np.ones(int(node_of_item.max(initial=-1)) + 1, np.bool_))

    def lengths(self) -> Int64s:
        """By length: how many records have so many items that are not sensitive."""
        return np.bincount(np.bincount(self._all_rows, minlength=self.n_records), minlength=1).astype(np.int64)

    def people(self) -> int:
        """How many people these records belong to."""
        return len(np.unique(self._person)) if len(self._person) else self.n_records

    def begin(self, leaves: Bools) -> None:
        """Look at these leaves only, none of which is deleted."""
        self._stays = leaves[self._all_leaves]
        self._settle()

    def delete(self, leaves: Int32s) -> None:
        """Take leaves out of the records."""
        self._stays &= ~np.isin(self._all_leaves, leaves)
        self._settle()

    def _settle(self) -> None:
        self._rows, self._leaves = self._all_rows[self._stays], self._all_leaves[self._stays]
        by_leaf = np.argsort(self._leaves, kind="stable")
        self._sorted_leaves, self._postings = self._leaves[by_leaf], self._rows[by_leaf]
        self._bits: OrderedDict[int, Any] = OrderedDict()

    def supports(self, vectors: Sequence[Nodes], ends: Sequence[Nodes], secrets: int) -> Int64s:
        """Records, or people with one, that hold a leaf below every node of a vector; then those that also hold each
        sensitive item.

        `ends` are the last nodes below those of `vectors`.
        """
        counts = np.zeros((len(vectors), 1 + secrets), np.int64)
        for index, (vector, last) in enumerate(zip(vectors, ends, strict=True)):
            together = self._bits_of(vector[0], last[0])
            for node, end in zip(vector[1:], last[1:], strict=True):
                together = together & self._bits_of(node, end)
            counts[index, 0] = self._count(together)
            for secret in range(secrets):
                counts[index, 1 + secret] = self._count(together & self._bits_of_secret(secret))
        return counts

    def _count(self, bits: Any) -> int:
        """Records, or people, as bits of records."""
        if not len(self._person):
            return int(np.bitwise_count(bits).sum())
        persons = self._person[self._members(bits)]
        return int(np.count_nonzero(persons[1:] != persons[:-1])) + bool(len(persons))

    def sets_of(self, size: int, image: Int32s, secret: int) -> tuple[Int32s, Int64s]:
        """Sets of published nodes with their supports; among the holders of a sensitive item where one is given."""
        return self._listed(self._selected(secret), size, image, -1)

    def sets_with(self, node: int, end: int, size: int, image: Int32s, secret: int) -> tuple[Int32s, Int64s]:
        """Sets of other published nodes beside this one, with their supports."""
        holders = self._members(self._bits_of(node, end))
        return self._listed(holders & self._selected(secret), size, image, node)

    def _listed(self, selected: Bools, size: int, image: Int32s, without: int) -> tuple[Int32s, Int64s]:
        nodes = image[self._leaves]
        stays = selected[self._rows] & (nodes >= 0) & (nodes != without)
        rows, nodes = self._rows[stays], nodes[stays]
        # Leaves ascend in each record, so their images do: equal ones are neighbours.
        new = np.ones(len(rows), np.bool_)
        new[1:] = (rows[1:] != rows[:-1]) | (nodes[1:] != nodes[:-1])
        offsets = offsets_of(np.bincount(rows[new], minlength=self.n_records))
        published = nodes[new].astype(np.int32)
        return itemsets(offsets, published, len(image), size, EVERY, NO_OFFSETS, NO_ITEMS, 0, 1, self._person)

    def _selected(self, secret: int) -> Bools:
        return np.ones(self.n_records, np.bool_) if secret < 0 else self._members(self._bits_of_secret(secret))

    def _bits_of(self, node: int, end: int) -> Any:
        first, last = np.searchsorted(self._sorted_leaves, [node, end + 1])
        return self._kept_bits(node, self._postings[first:last])

    def _bits_of_secret(self, secret: int) -> Any:
        return self._kept_bits(-1 - secret, self._secret_rows[self._secrets == secret])

    def _kept_bits(self, key: int, rows: Int64s) -> Any:
        """Records as bits; those that were asked for last are kept."""
        if key not in self._bits:
            inside = np.zeros(self.n_records, np.bool_)
            inside[rows] = True
            packed = np.packbits(inside)
            self._bits[key] = np.pad(packed, (0, -len(packed) % 8)).view(np.uint64)
            if len(self._bits) * (self.n_records // 8 + 1) > BYTES_OF_BITS and len(self._bits) > ASKED_AT_ONCE:
                self._bits.popitem(last=False)
        self._bits.move_to_end(key)
        return self._bits[key]

    def _members(self, bits: Any) -> Bools:
        return np.unpackbits(bits.view(np.uint8), count=self.n_records).astype(np.bool_)


@dataclass(eq=False)
class CutRounds:
    """The cut through a hierarchy, raised from counts of all shards."""

    tree: ItemTree
    occurrences_of_leaf: Int64s  # by node; nothing above leaves
    resident: Resident
    n_secrets: int = 0
    _image: Int32s = field(init=False, repr=False)
    _occurrences: Int64s = field(init=False, repr=False)
    _cost: Int64s = field(init=False, repr=False)

    @classmethod
    def of(
        cls, shards: Sequence[RaggedShard], tree: ItemTree, supports: Int64s, secret_codes: Int32s, executor: Executor
    ) -> CutRounds:
        """`supports` is by item: in how many records it is; `secret_codes` are the sensitive items that occur."""
        number = np.full(len(supports), -1, np.int32)
        number[secret_codes] = np.arange(len(secret_codes))
        resident = resident_nearby(executor, CutShard, shards, tree.node_of_item, number)
        open_items = np.flatnonzero((number < 0) & (tree.node_of_item >= 0))
        leaves = np.bincount(tree.node_of_item[open_items], supports[open_items], len(tree)).astype(np.int64)
        return cls(tree, leaves, resident, len(secret_codes))

    def lengths(self) -> Int64s:
        """By length: how many records have so many items that are not sensitive; those without any are left out."""
        answers = self.resident.call("lengths")
        longest = max((len(own) for own in answers), default=1)
        total: Int64s = np.sum([np.pad(own, (0, longest - len(own))) for own in answers], axis=0)
        return total

    def people(self) -> int:
        """How many people, or records where each is one, have an item that is not sensitive."""
        return sum(self.resident.call("people"))

    def raise_cut(
        self,
        start: Int32s,
        k: int,
        m: int,
        *,
        l: int = 1,  # noqa: E741
        allowed: Bools | None = None,
        most_deleted: int = 0,
    ) -> tuple[bool, Int32s, list[tuple[list[int], bool]]]:
        """Whether it ended well, the cut, and the steps: bad sets, with whether they were deleted.

        Only `allowed` nodes may be raised to, and only leaves among them take part; bad sets that these cannot mend
        are left as they are.
        """
        skip_hopeless = allowed is not None
        self._allowed = np.ones(len(self.tree), np.bool_) if allowed is None else allowed
        self._k, self._l, self._secrets = k, l, 0 if skip_hopeless or l <= 1 else self.n_secrets
        self._image = start.copy()
        self._settle_costs()
        self.resident.snapshot()
        self.resident.call("begin", self._allowed)
        steps: list[tuple[list[int], bool]] = []
        deleted = 0
        changed = True
        while changed:
            changed = False
            for size in range(1, m + 1):
                for chosen, heap in self._bad_sets(size):
                    raised, growth = self._choose(chosen, anything=not skip_hopeless)
                    if not raised and skip_hopeless:
                        continue
                    if not raised:
                        return False, self._image, [*steps, (list(chosen), False)]
                    changed = True
                    lost = sum(int(self._occurrences[node]) for node in chosen)
                    to_root = 0 in raised and growth > int(self.tree.leaf_count[0]) * lost
                    steps.append((list(chosen), to_root and deleted + lost <= most_deleted))
                    if steps[-1][1]:
                        deleted += lost
                        self._delete(chosen)
                        continue
                    self._raise(raised)
                    for node in raised:
                        for bad in self._bad_with(node, size):
                            heappush(heap, bad)
            changed = changed and self._secrets > 0  # shares, unlike supports, may fall again when a cut rises
        return True, self._image, steps

    def close(self) -> None:
        """Let the shards go."""
        self.resident.close()

    def _settle_costs(self) -> None:
        """Occurrences below each node, and what they cost: nothing for a leaf, else the leaves of what it became."""
        parent, last = self.tree.parent, self.tree.last
        self._occurrences = np.where(self._allowed, self.occurrences_of_leaf, 0)
        image = self._image
        above = (image >= 0) & (last[image] != image)
        self._cost = self._occurrences * np.where(above, self.tree.leaf_count[image], 0)
        for node in range(len(parent) - 1, 0, -1):
            self._occurrences[parent[node]] += self._occurrences[node]
            self._cost[parent[node]] += self._cost[node]

    def _bad_sets(self, size: int) -> Iterator[tuple[Nodes, list[Nodes]]]:
        """Bad sets that are published, in order, while the cut is raised; new ones are pushed to the heap beside."""
        listed = self._sets("sets_of", size)
        heap: list[Nodes] = []
        index = 0
        while True:
            while index < len(listed) and not self._is_published(listed[index]):
                index += 1
            while heap and not self._is_published(heap[0]):
                heappop(heap)
            if index < len(listed) and (not heap or not heap[0] < listed[index]):
                index += 1
                yield listed[index - 1], heap
            elif heap:
                yield heappop(heap), heap
            else:
                return

    def _is_published(self, nodes: Nodes) -> bool:
        return all(self._image[node] == node for node in nodes)

    def _bad_with(self, node: int, size: int) -> list[Nodes]:
        """Bad sets of this size that hold a new node."""
        if size == 1:
            support = self._supports([(node,)])[0]
            return [(node,)] if support[0] and not self._is_good(support) else []
        others = self._sets("sets_with", size - 1, node, int(self.tree.last[node]))
        return [tuple(sorted((*other, node))) for other in others]

    def _sets(self, question: str, size: int, *about: int) -> list[Nodes]:
        """Bad sets that the shards list, in the order of their nodes."""
        counts = self._summed(question, size, about, -1)
        bad = pl.col("support") < self._k
        for secret in range(self._secrets):
            own = self._summed(question, size, about, secret).rename({"support": f"of {secret}"})
            counts = counts.join(own, on=counts.columns[:size], how="left")
            bad = bad | (pl.col(f"of {secret}").fill_null(0) * self._l > pl.col("support"))
        nodes = counts.columns[:size]
        return counts.filter(bad).select(nodes).sort(nodes).rows()

    def _summed(self, question: str, size: int, about: Sequence[int], secret: int) -> pl.DataFrame:
        """Sets and their supports over all shards."""
        names = [f"node {index}" for index in range(size)]
        answers = self.resident.call(question, *about, size, self._image, secret)
        if sum(len(supports) for _, supports in answers) > DRIVER_ROWS:
            raise TooLarge(
                f"The records hold more than {DRIVER_ROWS:,} sets of {size} published items, which is too many to add "
                "up; lower m, or use LRA or Disassociation."
            )
        frames = [
            pl.DataFrame({name: sets[:, index] for index, name in enumerate(names)} | {"support": supports})
            for sets, supports in answers
        ]
        return pl.concat(frames).group_by(names).agg(pl.col("support").sum())

    def _supports(self, vectors: Sequence[Nodes]) -> Int64s:
        """By vector of nodes: its records, and how many of them hold each sensitive item."""
        last = self.tree.last
        ends = [tuple(int(last[node]) for node in vector) for vector in vectors]
        total: Int64s = np.sum(self.resident.call("supports", vectors, ends, self._secrets), axis=0)
        return total

    def _is_good(self, support: Int64s) -> bool:
        return bool(support[0] >= self._k and (support[1:] * self._l <= support[0]).all())

    def _choose(self, chosen: Nodes, *, anything: bool) -> tuple[list[int], int]:
        """The nodes that the cheapest mending of a bad set raises, and what they cost.

        All vectors of ancestors are possible. If none mends the set and `anything` may be taken where there are
        sensitive items, the cheapest is.
        """
        ways = sorted(self._ways(chosen))
        waiting = iter(ways)
        while asked := list(islice(waiting, ASKED_AT_ONCE)):
            supports = self._supports([images for *_, images in asked])
            for (growth, _, _, images), support in zip(asked, supports, strict=True):
                if self._is_good(support):
                    return self._raised(chosen, images), growth
        if anything and self._secrets and ways:
            growth, _, _, images = ways[0]
            return self._raised(chosen, images), growth
        return [], 0

    def _ways(self, chosen: Nodes) -> Iterator[tuple[int, int, Nodes, Nodes]]:
        """Every other vector of ancestors: its cost, its levels, the vector, and what it makes of each node."""
        last = self.tree.last
        for steps in product(*(enumerate(self._ancestors(node)) for node in chosen)):
            levels = sum(level for level, _ in steps)
            if not levels:
                continue
            vector = tuple(node for _, node in steps)
            # A cut has one node above each leaf: the highest of the replacements.
            images = tuple(min(above for above in vector if above <= node <= last[above]) for node in vector)
            growth = sum(self._growth(node) for node in self._raised(chosen, images))
            yield growth, levels, vector, images

    def _ancestors(self, node: int) -> list[int]:
        """The node and what it may be raised to."""
        chain = [node]
        while (above := int(self.tree.parent[chain[-1]])) >= 0 and self._allowed[above]:
            chain.append(above)
        return chain

    @staticmethod
    def _raised(chosen: Nodes, images: Nodes) -> list[int]:
        return [image for index, image in enumerate(images) if image not in images[:index] and image != chosen[index]]

    def _growth(self, node: int) -> int:
        return int(self._occurrences[node]) * int(self.tree.leaf_count[node]) - int(self._cost[node])

    def _raise(self, nodes: Sequence[int]) -> None:
        for node in nodes:
            more = self._growth(node)
            below = slice(node, int(self.tree.last[node]) + 1)
            self._image[below] = np.where(self._image[below] == DELETED, DELETED, node)
            self._add_above(node, 0, more)

    def _delete(self, nodes: Nodes) -> None:
        """Take all leaves below published nodes out of the data."""
        for node in nodes:
            self._add_above(node, -int(self._occurrences[node]), -int(self._cost[node]))
            below = slice(node, int(self.tree.last[node]) + 1)
            self._image[below] = DELETED
            self._occurrences[below] = self._cost[below] = 0
        gone = np.flatnonzero(self._image == DELETED).astype(np.int32)
        self.resident.call("delete", gone)

    def _add_above(self, node: int, occurrences: int, cost: int) -> None:
        while node >= 0:
            self._occurrences[node] += occurrences
            self._cost[node] += cost
            node = int(self.tree.parent[node])
