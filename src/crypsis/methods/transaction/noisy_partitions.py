"""The noisy partitions of DiffPart: all partitions take one step down the tree of items at a time.

A partition holds the records that have items of exactly the nodes of its cut. A step replaces one inner node of the cut
by a set of its children, so the new partitions are as many as there are such sets; those that pass a threshold after
noise live on. A record lies in one partition only. What a partition may still spend follows from what was spent on its
way, and partitions with one such history share a branch of the ledger.

Budgets are whole numbers of units, of which epsilon has `UNITS`: the first half for steps, the rest for counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from crypsis.arrays import Int32s, Int64s, offsets_of
from crypsis.errors import TooLarge
from crypsis.kernels.set_partitions import expanded_cuts, widest_inner
from crypsis.ledger.scopes import InParallel, InSequence
from crypsis.methods.transaction.item_tree import ItemTree
from crypsis.methods.transaction.partitioned_sets import PartitionedSets
from crypsis.noise import MeteredNoise

UNITS = 1 << 24
MOST_CANDIDATES = 1 << 40
MOST_PARTITIONS = 1 << 24
DISJOINT = "a record lies in one partition only"

Threshold = Callable[[Fraction, int, int], int]  # of budget, height of the cut, number of siblings


@dataclass(frozen=True, eq=False)
class Partitions:
    """Partitions by their cuts, as `kernels.set_partitions` reads them: how many records each has, the branch that pays
    for it, and the run that it belongs to."""

    cut_offsets: Int64s
    cut: Int32s
    counts: Int64s
    branch: Int64s
    root: Int64s

    def __len__(self) -> int:
        return len(self.branch)


@dataclass(frozen=True, eq=False)
class Branch:
    """One history: the scope in which its partitions spend, and the units that are left for steps."""

    scope: InSequence
    left: int


@dataclass(frozen=True, eq=False)
class ItemsetCounts:
    """Itemsets that were reached, with their noisy counts and budgets; `items` are their items, one after another."""

    offsets: Int64s
    items: Int32s
    noisy: Int64s
    units: Int64s
    root: Int64s


def counted_itemsets(
    sets: PartitionedSets, tree: ItemTree, epsilon: Fraction, threshold: Threshold, noise: MeteredNoise
) -> ItemsetCounts:
    """Divide the records down to itemsets, and count those. Records without items are not looked at."""
    n_roots = len(sets.sizes)
    partitions = Partitions(
        np.arange(n_roots + 1),
        np.zeros(n_roots, np.int32),
        sets.sizes,
        np.zeros(n_roots, np.int64),
        np.arange(n_roots),
    )
    branches = [Branch(noise.root, UNITS // 2)]
    reached: list[tuple[Int64s, Int32s, Int64s, Int64s, Int64s]] = []
    while len(partitions):
        index, left, height = widest_inner(
            partitions.cut_offsets, partitions.cut, tree.low, tree.high, tree.inner, tree.heights
        )
        units = _shares(np.array([branch.left for branch in branches], np.int64)[partitions.branch], left)
        parallel = [InParallel([], DISJOINT) for _ in branches]
        for branch, below in zip(branches, parallel, strict=True):
            branch.scope.members.append(below)
        reached.append(_counted(partitions, np.flatnonzero(index < 0), tree, branches, parallel, epsilon, noise))
        partitions, branches = _expanded(
            partitions, np.flatnonzero(index >= 0), index, units, height, sets, tree,
            branches, parallel, epsilon, threshold, noise,
        )  # fmt: skip
    lengths = np.concatenate([np.diff(part[0]) for part in reached])
    return ItemsetCounts(
        offsets_of(lengths), *(np.concatenate([part[index] for part in reached]) for index in (1, 2, 3, 4))
    )


def _shares(left: Int64s, steps: Int64s) -> Int64s:
    """What a step may spend: an equal part for each that may still come, rounded down so that few numbers occur."""
    share = left // np.maximum(steps, 1)
    bits = np.maximum(np.floor(np.log2(np.maximum(share, 1))).astype(np.int64) - 5, 0)
    return (share >> bits) << bits


def _counted(
    partitions: Partitions,
    leaves: Int64s,
    tree: ItemTree,
    branches: list[Branch],
    parallel: list[InParallel],
    epsilon: Fraction,
    noise: MeteredNoise,
) -> tuple[Int64s, Int32s, Int64s, Int64s, Int64s]:
    """Partitions that are itemsets get a noisy count with all that their way has not spent."""
    sizes = np.diff(partitions.cut_offsets)[leaves]
    offsets = offsets_of(sizes)
    positions = np.repeat(partitions.cut_offsets[leaves] - offsets[:-1], sizes) + np.arange(int(offsets[-1]))
    itemsets = tree.low[partitions.cut[positions]]
    units = UNITS // 2 + np.array([branch.left for branch in branches], np.int64)[partitions.branch[leaves]]
    counts, noisy = partitions.counts[leaves], np.zeros(len(leaves), np.int64)
    for budget in np.unique(units).tolist():
        chosen = np.flatnonzero(units == budget)
        shares = []
        for index, count in _tallied(partitions.branch[leaves[chosen]]):
            scope = InSequence([], "itemsets")
            parallel[index].members.append(scope)
            shares.append((scope, count))
        noisy[chosen] = noise.shared_counts(
            counts[chosen], epsilon * budget / UNITS, shares=shares, node="records of an itemset"
        )
    return offsets, itemsets, noisy, units, partitions.root[leaves]


def _expanded(
    partitions: Partitions,
    chosen: Int64s,
    place: Int64s,
    units: Int64s,
    height: Int64s,
    sets: PartitionedSets,
    tree: ItemTree,
    branches: list[Branch],
    parallel: list[InParallel],
    epsilon: Fraction,
    threshold: Threshold,
    noise: MeteredNoise,
) -> tuple[Partitions, list[Branch]]:
    """Every other partition divided by the children of one node of its cut; what passes lives on."""
    nodes = np.full(len(partitions), -1, np.int64)
    nodes[chosen] = partitions.cut[place[chosen]]
    siblings = np.zeros(len(partitions), np.int64)
    siblings[chosen] = (np.int64(1) << tree.n_children[nodes[chosen]].astype(np.int64)) - 1

    # Branches go on by what their partitions spend; draws are made together for equal budgets and thresholds.
    keys, to_branch = np.unique(partitions.branch[chosen] * (UNITS + 1) + units[chosen], return_inverse=True)
    above, spent = np.divmod(keys, UNITS + 1)
    grown = [
        Branch(InSequence([], "step"), branches[index].left - used)
        for index, used in zip(above.tolist(), spent.tolist(), strict=True)
    ]
    steps = [InParallel([], DISJOINT) for _ in grown]  # one history, partitions of several kinds: disjoint all the same
    for index, branch, step in zip(above.tolist(), grown, steps, strict=True):
        branch.scope.members.append(step)
        parallel[index].members.append(branch.scope)
    kinds = np.stack([units[chosen], height[chosen], siblings[chosen]], axis=1)
    distinct, kind = np.unique(kinds, axis=0, return_inverse=True)
    kind = kind.ravel()
    order = np.argsort(kind, kind="stable")
    start = np.zeros(len(partitions), np.int64)
    ends = np.cumsum(siblings[chosen][order])
    start[chosen[order]] = ends - siblings[chosen][order]
    total = int(ends[-1]) if len(ends) else 0
    if total > MOST_CANDIDATES:
        raise TooLarge(
            f"{len(chosen):,} partitions live, and {total:,} counts would come next (at most {MOST_CANDIDATES:,}). "
            "Most of them are noise: raise the thresholds or epsilon, or lower the fan-out."
        )
    occupied, counts = sets.occupied(nodes, start)

    survivors = []
    first_of_kind = np.searchsorted(kind[order], np.arange(len(distinct) + 1))
    edges = np.concatenate([[0], ends])[first_of_kind]
    for index, (budget, cut_height, fan) in enumerate(distinct.tolist()):
        low, high = int(edges[index]), int(edges[index + 1])
        begin, end = np.searchsorted(occupied, [low, high]).tolist()
        here = occupied[begin:end]
        least = threshold(epsilon * budget / UNITS, cut_height, fan)
        shares = [(steps[branch], count * fan) for branch, count in _tallied(to_branch[kind == index])]
        noisy, empty, _ = noise.shared_disjoint_counts(
            counts[begin:end].astype(np.int64),
            high - low - len(here),
            epsilon * budget / UNITS,
            least,
            shares=shares,
            node="records with items of some children",
        )
        empty = empty + np.searchsorted(here - low - np.arange(len(here)), empty, side="right") + low
        survivors.append(np.sort(np.concatenate([here[noisy >= least], empty])))
    alive = np.concatenate([np.zeros(0, np.int64), *survivors])
    if len(alive) > MOST_PARTITIONS:
        raise TooLarge(
            f"{len(alive):,} partitions passed their thresholds (at most {MOST_PARTITIONS:,}). Most of them are noise: "
            "raise the thresholds or epsilon, or lower the fan-out."
        )
    in_order = np.searchsorted(ends, alive, side="right")
    parents = chosen[order][in_order]
    new_offsets, new_cut = expanded_cuts(
        partitions.cut_offsets, partitions.cut, place, parents, alive - start[parents] + 1, tree.first_child
    )
    sets.follow(alive)
    slot = np.searchsorted(occupied, alive)
    slot[slot == len(occupied)] = 0
    held = np.zeros(len(alive), np.int64)
    if len(occupied):
        held = np.where(occupied[slot] == alive, counts[slot], 0)
    branch = to_branch[order][in_order].astype(np.int64)
    return Partitions(new_offsets, new_cut, held, branch, partitions.root[parents]), grown


def _tallied(numbers: Int64s) -> list[tuple[int, int]]:
    found, counts = np.unique(numbers, return_counts=True)
    return list(zip(found.tolist(), counts.tolist(), strict=True))
