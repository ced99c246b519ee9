"""The first splits of Mondrian over shards: histograms are added up, the driver decides as the kernel would.

A node's split depends on the multiset of its rows only, through one histogram per attribute, so it does not show how
the rows are divided. Workers route their rows from the root in every round and keep nothing between rounds.

LeFevre, DeWitt, Ramakrishnan. IEEE ICDE 2006.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from crypsis.arrays import Bools, Float64s, Int32s, Int64s
from crypsis.executors.executor import Executor
from crypsis.kernels.attribute_costs import NUMBERS, TREE, VALUES, Attributes, common_node, span_cost
from crypsis.kernels.class_diversity import EQUAL, ORDERED, Constraints, People, is_close, is_diverse
from crypsis.kernels.row_routing import count_codes, count_secrets, route_rows
from crypsis.run_context import RunContext
from crypsis.shards.people import in_turn, shares_of
from crypsis.shards.table_shard import TableShard

MOST_COUNTS = 4_000_000
Trial = tuple[int, int, Int64s]  # a node, an attribute to split it by, and the part of each code (at code + 1)


@dataclass(frozen=True, eq=False)
class ShardLayout:
    """How the codes of a shard become those of the kernels: places of columns, and the leaf of each value of a tree."""

    quasi: tuple[int, ...]
    sensitive: tuple[int, ...]
    leaves: tuple[Int32s | None, ...]
    widths: tuple[int, ...]  # above every code, by attribute

    def quasi_codes(self, codes: Int32s) -> Int32s:
        """One column per quasi-identifier."""
        chosen = np.empty((len(codes), len(self.quasi)), np.int32)
        for index, (column, leaves) in enumerate(zip(self.quasi, self.leaves, strict=True)):
            own = codes[:, column]
            chosen[:, index] = own if leaves is None else np.append(leaves, np.int32(-1))[own]
        return chosen

    def sensitive_codes(self, codes: Int32s) -> Int32s:
        return np.ascontiguousarray(codes[:, list(self.sensitive)])

    @property
    def start(self) -> Int64s:
        """Where the counts of each attribute lie: one for a missing value, then one for each code."""
        return np.concatenate([[0], np.cumsum(np.array(self.widths, np.int64) + 1)]).astype(np.int64)


@dataclass
class SplitTree:
    """Nodes in the order in which they were made. `lookups[v]` gives the child by code + 1, where v is split."""

    sizes: list[int] = field(default_factory=list)
    attribute_of: list[int] = field(default_factory=list)
    lookups: list[Int32s] = field(default_factory=list)
    final: list[bool] = field(default_factory=list)  # looked at, and not split: one class
    histograms: dict[int, Int64s] = field(default_factory=dict)  # of final nodes

    def add(self, size: int) -> int:
        self.sizes.append(size)
        self.attribute_of.append(-1)
        self.lookups.append(np.zeros(0, np.int32))
        self.final.append(False)
        return len(self.sizes) - 1

    def flat(self) -> tuple[Int64s, Int64s, Int32s]:
        """As `row_routing` takes it."""
        lengths = [len(lookup) for lookup in self.lookups]
        start = np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64)
        lookup = np.concatenate(self.lookups).astype(np.int32) if self.lookups else np.zeros(0, np.int32)
        return np.array(self.attribute_of, np.int64), start, np.append(lookup, np.int32(0))

    @property
    def leaves(self) -> list[int]:
        """The nodes in which rows stay."""
        return [node for node, attribute in enumerate(self.attribute_of) if attribute < 0]


@dataclass(frozen=True, eq=False)
class Division:
    """One way to split a node: the part of each code, and the size of each part."""

    attribute: int
    part_of_code: Int64s  # by code + 1; -1 where no row has it
    sizes: Int64s


def grow_split_tree(
    shards: Sequence[TableShard],
    n_records: int,
    layout: ShardLayout,
    attributes: Attributes,
    constraints: Constraints,
    secret_widths: Sequence[int],
    k: int,
    largest: int,
    in_halves: bool,
    executor: Executor,
    context: RunContext,
    people: People | None = None,
    least_people: int = 0,
) -> SplitTree:
    """Split while a node has more than `largest` rows and a split leaves every part k rows and diverse.

    Where `people` are counted every part must have `least_people` of them; of `people` only the table is looked at, and
    persons are whole in the shards.
    """
    tree = SplitTree()
    active = [tree.add(n_records)] if n_records > largest else []
    if not active:
        tree.add(n_records)
    rounds = 0
    while active:
        rounds += 1
        divisions = _divisions(tree, active, shards, layout, attributes, k, in_halves, executor)
        if people is None:
            chosen = _diverse_ones(tree, divisions, shards, layout, constraints, secret_widths, executor)
        else:
            chosen = _diverse_people(
                tree, divisions, shards, layout, constraints, secret_widths, least_people, people, executor
            )
        upcoming = []
        for node in active:
            division = chosen.get(node)
            if division is None:
                tree.final[node] = True
                continue
            tree.histograms.pop(node, None)
            children = np.array([tree.add(int(size)) for size in division.sizes], np.int32)
            part = division.part_of_code
            tree.attribute_of[node] = division.attribute
            tree.lookups[node] = np.where(part < 0, np.int32(0), children[part]).astype(np.int32)
            upcoming += [child for child in children.tolist() if tree.sizes[child] > largest]
        active = upcoming
        context.report_progress(None)
    context.private["rounds"] = rounds
    return tree


def _divisions(
    tree: SplitTree,
    active: Sequence[int],
    shards: Sequence[TableShard],
    layout: ShardLayout,
    attributes: Attributes,
    k: int,
    in_halves: bool,
    executor: Executor,
) -> dict[int, list[Division]]:
    """The possible splits of each node, the best first."""
    start = layout.start
    at_once = max(1, MOST_COUNTS // int(start[-1]))
    found: dict[int, list[Division]] = {}
    for first in range(0, len(active), at_once):
        nodes = list(active[first : first + at_once])
        counts = executor.fold(histograms_of_shard, add_counts, shards, layout, tree.flat(), nodes)
        for node, histogram in zip(nodes, counts, strict=True):
            found[node] = list(divisions_of(histogram, start, attributes, k, in_halves))
            tree.histograms[node] = histogram.copy()
    return found


def add_counts(one: Int64s, other: Int64s) -> Int64s:
    """Counts of two shards together."""
    both: Int64s = one + other
    return both


def histograms_of_shard(
    shard: TableShard, layout: ShardLayout, flat: tuple[Int64s, Int64s, Int32s], nodes: Sequence[int]
) -> Int64s:
    """How often each code occurs in each of the nodes."""
    codes = layout.quasi_codes(shard.codes())
    slot = np.full(len(flat[0]), -1, np.int64)
    slot[list(nodes)] = np.arange(len(nodes))
    return count_codes(codes, slot[route_rows(codes, *flat)], len(nodes), layout.start)


def divisions_of(histogram: Int64s, start: Int64s, attributes: Attributes, k: int, in_halves: bool) -> list[Division]:
    """The splits that leave every part k rows, by falling cost of the attribute, then by its position."""
    n_attributes = len(attributes.kind)
    size = int(histogram[: start[1]].sum())
    if size < 2 * k:
        return []
    own = [histogram[start[index] : start[index + 1]] for index in range(n_attributes)]
    costs = [_cost(counts, attributes, index) for index, counts in enumerate(own)]
    divisions = []
    for attribute in sorted(range(n_attributes), key=lambda place: (-costs[place], place)):
        part = _parts(own[attribute], attributes, attribute, in_halves)
        n_parts = int(part.max()) + 1
        if n_parts < 2:
            continue
        present = part >= 0
        sizes = np.zeros(n_parts, np.int64)
        np.add.at(sizes, part[present], own[attribute][present])
        if sizes.min() >= k:
            divisions.append(Division(attribute, part, sizes))
    return divisions


def _cost(counts: Int64s, attributes: Attributes, attribute: int) -> int:
    """What the cell of a node costs, as the kernel counts it."""
    codes = np.flatnonzero(counts[1:])
    if not len(codes):
        return 0
    if counts[0]:
        return int(attributes.full[attribute])
    if attributes.kind[attribute] == VALUES:
        return int(attributes.unit[attribute]) * len(codes) if len(codes) > 1 else 0
    return int(span_cost(attributes, attribute, int(codes[0]), int(codes[-1])))


def _parts(counts: Int64s, attributes: Attributes, attribute: int, in_halves: bool) -> Int64s:
    """The part of each code (at code + 1); missing values are the last part, -1 where nothing is."""
    part = np.full(len(counts), -1, np.int64)
    own = counts[1:]
    codes = np.flatnonzero(own)
    if not len(codes):
        part[0] = 0
        return part
    low, high = int(codes[0]), int(codes[-1])
    kind = attributes.kind[attribute]
    if low == high:
        part[low + 1] = 0
        n_parts = 1
    elif kind == NUMBERS or (kind == VALUES and in_halves):
        reached = np.cumsum(own[codes])
        total = int(reached[-1])
        if kind == NUMBERS:
            cut = int(codes[np.searchsorted(reached, (total - 1) // 2, side="right")])
        else:
            cut = int(codes[int(np.argmin(np.abs(total - 2 * reached[:-1])))])
        part[codes + 1] = np.where(codes <= cut, 0, 1)
        n_parts = 2 if cut < high else 1
    elif kind == TREE:
        first = int(attributes.node_start[attribute])
        ends = attributes.end[first:]
        node = int(common_node(attributes, attribute, low, high))
        child, n_parts = node + 1, 0
        while child < ends[node]:
            below = codes[(codes >= child) & (codes < ends[child])]
            part[below + 1] = n_parts
            n_parts += bool(len(below))
            child = int(ends[child])
    else:
        part[codes + 1] = np.arange(len(codes))
        n_parts = len(codes)
    if counts[0]:
        part[0] = n_parts
    return part


def _diverse_ones(
    tree: SplitTree,
    divisions: dict[int, list[Division]],
    shards: Sequence[TableShard],
    layout: ShardLayout,
    constraints: Constraints,
    secret_widths: Sequence[int],
    executor: Executor,
) -> dict[int, Division]:
    """The first split of each node whose parts are all diverse."""
    if not len(constraints.kind):
        return {node: found[0] for node, found in divisions.items() if found}
    start = _starts(secret_widths)

    def judge(tried: Sequence[Trial]) -> list[bool]:
        counts = executor.fold(secrets_of_shard, add_counts, shards, layout, tree.flat(), tried, start)
        return [_is_diverse(constraints, own, start) for own in counts]

    return _first_good(divisions, int(start[-1]), judge)


def _diverse_people(
    tree: SplitTree,
    divisions: dict[int, list[Division]],
    shards: Sequence[TableShard],
    layout: ShardLayout,
    constraints: Constraints,
    secret_widths: Sequence[int],
    least: int,
    people: People,
    executor: Executor,
) -> dict[int, Division]:
    """The first split of each node whose parts all have as many people as asked and are diverse, counted in people."""
    start = _starts(secret_widths)
    by_shares = bool(np.isin(constraints.kind, (EQUAL, ORDERED)).any())

    def judge(tried: Sequence[Trial]) -> list[bool]:
        counts = executor.fold(people_of_shard, add_counts, shards, layout, tree.flat(), tried, start)
        good = [int(own[0]) >= least and _is_diverse(constraints, own[1:], start, by_shares) for own in counts]
        if not by_shares or not any(good):
            return good
        none = np.zeros((len(counts), int(start[-1])))
        shares = in_turn(executor, add_shares_of_shard, shards, none, layout, tree.flat(), tried, start)
        return [one and _is_close(constraints, own, start, people) for one, own in zip(good, shares, strict=True)]

    return _first_good(divisions, int(start[-1]) + 1, judge)


def _starts(secret_widths: Sequence[int]) -> Int64s:
    """Where the counts of each sensitive column lie: one for a missing value, then one for each code."""
    return np.concatenate([[0], np.cumsum(np.array(secret_widths, np.int64) + 1)]).astype(np.int64)


def _first_good(
    divisions: dict[int, list[Division]], width: int, judge: Callable[[Sequence[Trial]], list[bool]]
) -> dict[int, Division]:
    """The first split of each node all of whose parts are good; `width` numbers are counted of a part."""
    chosen: dict[int, Division] = {}
    asked = {node: 0 for node, found in divisions.items() if found}
    while asked:
        candidates = {node: divisions[node][index] for node, index in asked.items()}
        for group in _groups(candidates, width):
            first = np.concatenate([[0], np.cumsum([len(candidates[node].sizes) for node in group])])
            good = judge([(node, candidates[node].attribute, candidates[node].part_of_code) for node in group])
            for node, begin, end in zip(group, first[:-1].tolist(), first[1:].tolist(), strict=True):
                if all(good[begin:end]):
                    chosen[node] = candidates[node]
        asked = {
            node: index + 1 for node, index in asked.items() if node not in chosen and index + 1 < len(divisions[node])
        }
    return chosen


def _groups(candidates: dict[int, Division], width: int) -> list[list[int]]:
    """Nodes whose parts are counted together."""
    groups: list[list[int]] = []
    room = 0
    for node, division in candidates.items():
        needed = len(division.sizes) * width
        if not groups or needed > room:
            groups.append([])
            room = MOST_COUNTS
        groups[-1].append(node)
        room -= needed
    return groups


def secrets_of_shard(
    shard: TableShard,
    layout: ShardLayout,
    flat: tuple[Int64s, Int64s, Int32s],
    tried: Sequence[Trial],
    start: Int64s,
) -> Int64s:
    """How often each sensitive value occurs in each part of the splits that are tried."""
    whole = shard.codes()
    part_of_row, n_parts = _parts_of_rows(layout.quasi_codes(whole), flat, tried)
    return count_secrets(layout.sensitive_codes(whole), part_of_row, n_parts, start)


def people_of_shard(
    shard: TableShard,
    layout: ShardLayout,
    flat: tuple[Int64s, Int64s, Int32s],
    tried: Sequence[Trial],
    start: Int64s,
) -> Int64s:
    """How many people each part has that is tried, and behind that how many have each sensitive value in it."""
    whole, persons = shard.codes(), shard.persons()
    assert persons is not None
    part_of_row, n_parts = _parts_of_rows(layout.quasi_codes(whole), flat, tried)
    rows = np.flatnonzero(part_of_row >= 0)
    part, person = part_of_row[rows], persons[rows] - persons[:1]
    counts = np.zeros((n_parts, int(start[-1]) + 1), np.int64)
    counts[:, 0] = _people_of(part, person, n_parts)
    sensitive = layout.sensitive_codes(whole)[rows]
    for column, (first, end) in enumerate(pairwise(start.tolist())):
        entry = part * (end - first) + sensitive[:, column] + 1
        people = _people_of(entry, person, n_parts * (end - first))
        counts[:, 1 + first : 1 + end] = people.reshape(n_parts, end - first)
    return counts


def _people_of(entry: Int64s, person: Int64s, n_entries: int) -> Int64s:
    """How many different people each entry has."""
    pairs = np.unique(person * max(n_entries, 1) + entry)
    return np.bincount(pairs % max(n_entries, 1), minlength=n_entries).astype(np.int64)


def add_shares_of_shard(
    work: tuple[TableShard, Float64s],
    layout: ShardLayout,
    flat: tuple[Int64s, Int64s, Int32s],
    tried: Sequence[Trial],
    start: Int64s,
) -> Float64s:
    """What the rows with each sensitive value are of all rows of their persons, part by part, added up row by row."""
    shard, reached = work
    whole, persons = shard.codes(), shard.persons()
    assert persons is not None
    shares = shares_of(persons)
    part_of_row, _ = _parts_of_rows(layout.quasi_codes(whole), flat, tried)
    sensitive = layout.sensitive_codes(whole)
    total = reached.copy()
    for column, first in enumerate(start[:-1].tolist()):
        rows = np.flatnonzero((part_of_row >= 0) & (sensitive[:, column] >= 0))
        np.add.at(total, (part_of_row[rows], first + 1 + sensitive[rows, column]), shares[rows])
    return total


def _parts_of_rows(codes: Int32s, flat: tuple[Int64s, Int64s, Int32s], tried: Sequence[Trial]) -> tuple[Int64s, int]:
    """The part of each row among those of all splits that are tried, -1 where it is in none; and how many there are."""
    node_of_row = route_rows(codes, *flat)
    part_of_row = np.full(len(codes), -1, np.int64)
    n_parts = 0
    for node, attribute, part_of_code in tried:
        rows = np.flatnonzero(node_of_row == node)
        part_of_row[rows] = n_parts + part_of_code[codes[rows, attribute] + 1]
        n_parts += int(part_of_code.max()) + 1
    return part_of_row, n_parts


def _is_diverse(constraints: Constraints, counts: Int64s, start: Int64s, without_shares: bool = False) -> bool:
    for which in range(len(constraints.kind)):
        if without_shares and constraints.kind[which] in (EQUAL, ORDERED):
            continue
        column = int(constraints.column[which])
        own = np.ascontiguousarray(counts[start[column] + 1 : start[column + 1]])
        if not is_diverse(constraints, which, own):
            return False
    return True


def _is_close(constraints: Constraints, shares: Float64s, start: Int64s, people: People) -> bool:
    for which in range(len(constraints.kind)):
        if constraints.kind[which] in (EQUAL, ORDERED):
            column = int(constraints.column[which])
            own = np.ascontiguousarray(shares[start[column] + 1 : start[column + 1]])
            if not is_close(constraints, which, own, people):
                return False
    return True


def cells_of_node(
    histogram: Int64s, start: Int64s, none: int, bit_start: Int64s
) -> tuple[Int32s, Int32s, Bools, np.ndarray[tuple[int], np.dtype[np.uint64]]]:
    """The tightest cell of a node in every attribute, as `class_cells` gives it for a class."""
    n_attributes = len(start) - 1
    low, high = np.full(n_attributes, none, np.int32), np.full(n_attributes, -1, np.int32)
    absent = np.zeros(n_attributes, np.bool_)
    bits = np.zeros(int(bit_start[-1]), np.uint64)
    for index in range(n_attributes):
        own = histogram[start[index] : start[index + 1]]
        absent[index] = own[0] > 0
        codes = np.flatnonzero(own[1:])
        if len(codes):
            low[index], high[index] = codes[0], codes[-1]
            if bit_start[index + 1] > bit_start[index]:
                words = bits[bit_start[index] : bit_start[index + 1]]
                np.bitwise_or.at(words, codes >> 6, np.uint64(1) << (codes.astype(np.uint64) & np.uint64(63)))
    return low, high, absent, bits
