"""The noisy regions of DiffMulti: specialized level by level, all regions of a level at once.

A record lies in one region of each level, so the calls of one level cost epsilon once. How much a region has spent
depends on how often split points were drawn above it; regions with the same history share a branch of the ledger.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s, offsets_of
from crypsis.kernels.regions import Spans, shares_of
from crypsis.ledger.scopes import InParallel, InSequence
from crypsis.methods.relational.region_records import RegionRecords
from crypsis.methods.relational.region_schema import RegionSchema
from crypsis.methods.relational.region_scores import Score
from crypsis.noise import MeteredNoise
from crypsis.noise.blocks import Blocks
from crypsis.noise.metered import DISJOINT_REGIONS


@dataclass(frozen=True, eq=False)
class Regions:
    """Regions of one level. `cuts` counts numeric specializations, `left` is how many specializations it may use."""

    low: Int32s
    high: Int32s
    node: Int32s
    split: Int32s
    cuts: Int32s
    left: Int64s
    last: Int64s  # the attribute that was specialized to get here, -1 at the root
    branch: Int64s

    def __len__(self) -> int:
        return len(self.left)

    @classmethod
    def root(cls, schema: RegionSchema, specializations: int) -> Regions:
        n = len(schema.attributes.width)
        return cls(
            np.zeros((1, n), np.int32),
            schema.attributes.width.astype(np.int32).reshape(1, n),
            schema.root.reshape(1, n).copy(),
            np.full((1, n), -1, np.int32),
            np.zeros((1, n), np.int32),
            np.array([specializations], np.int64),
            np.array([-1], np.int64),
            np.zeros(1, np.int64),
        )

    @property
    def spans(self) -> Spans:
        return Spans(self.low, self.high, self.split, self.node)

    def valid(self, schema: RegionSchema, cap: int) -> Bools:
        """Which attributes can be specialized in which regions."""
        splittable = (self.high - self.low >= 2) & (self.cuts < cap)
        divisible = np.zeros_like(splittable)
        if len(schema.attributes.n_children):
            divisible = schema.attributes.n_children[np.maximum(self.node, 0)] > 0
        return np.where(schema.attributes.numeric, splittable, divisible)


@dataclass(frozen=True, eq=False)
class Branch:
    """Regions with one history: the scope of the ledger in which they spend, and how many calls they have met."""

    scope: InSequence
    calls: int


@dataclass
class Grown:
    """The leaves: their regions, true class counts, the calls met on the way, and the branch that pays for counts."""

    low: Int32s
    high: Int32s
    node: Int32s
    counts: Int64s
    calls: Int64s
    branch: Int64s
    scopes: list[InSequence]
    specializations: int
    deepest: int


@dataclass
class _Growth:
    schema: RegionSchema
    score: Score
    cap: int
    budget: Fraction
    noise: MeteredNoise
    trace: Callable[..., None] | None
    leaves: list[tuple[Any, ...]] = field(default_factory=list)
    scopes: list[InSequence] = field(default_factory=list)


def grow(
    records: RegionRecords,
    schema: RegionSchema,
    score: Score,
    *,
    specializations: int,
    depth: int,
    cap: int,
    budget: Fraction,
    noise: MeteredNoise,
    trace: Callable[..., None] | None = None,
) -> Grown:
    """Specialize until nothing is left to specialize; leaf counts are true ones and wait for their noise."""
    run = _Growth(schema, score, cap, budget, noise, trace)
    regions = Regions.root(schema, specializations)
    branches = [Branch(noise.root, 0)]
    made, level = 0, 0
    while len(regions):
        valid = regions.valid(schema, cap)
        goes_on = (regions.left > 0) & valid.any(axis=1) if level < depth else np.zeros(len(regions), np.bool_)
        branches, branch = _divided_branches(run, regions, branches, valid, goes_on)
        chosen = np.flatnonzero(goes_on)
        _keep_leaves(run, records, regions, np.flatnonzero(~goes_on), branch, branches)
        if not len(chosen):
            break
        made += len(chosen)
        regions = _specialized(run, _Step(records, regions, chosen, valid, branch, branches))
        level += 1
    low, high, node, counts, calls, branch = (np.concatenate(parts) for parts in zip(*run.leaves, strict=True))
    return Grown(low, high, node, counts, calls, branch, run.scopes, made, level)


def _fresh(run: _Growth, regions: Regions, valid: Bools) -> Bools:
    """Which regions need a new split point before they are specialized: those that a numeric specialization made."""
    at = np.arange(len(regions))
    fresh: Bools = (regions.last >= 0) & run.schema.attributes.numeric[regions.last] & valid[at, regions.last]
    return fresh


def _divided_branches(
    run: _Growth, regions: Regions, branches: list[Branch], valid: Bools, goes_on: Bools
) -> tuple[list[Branch], Int64s]:
    """The branches of this level, and that of each region: leaves, regions with a new split point, and others."""
    fresh = _fresh(run, regions, valid)
    state = np.where(goes_on, 1 + fresh, 0)
    keys, branch = np.unique(regions.branch * 3 + state, return_inverse=True)
    divided: list[Branch] = []
    parallel: dict[int, InParallel] = {}
    for key in keys.tolist():
        above, what = divmod(key, 3)
        if above not in parallel:
            parallel[above] = InParallel([], DISJOINT_REGIONS)
            branches[above].scope.members.append(parallel[above])
        scope = InSequence([], ("leaves", "kept split points", "new split points")[what])
        parallel[above].members.append(scope)
        divided.append(Branch(scope, branches[above].calls))
    return divided, branch.astype(np.int64)


def _keep_leaves(
    run: _Growth, records: RegionRecords, regions: Regions, chosen: Int64s, branch: Int64s, branches: list[Branch]
) -> None:
    counts = records.class_counts(chosen)
    calls = np.array([one.calls for one in branches], np.int64)
    first = len(run.scopes)
    run.scopes.extend(one.scope for one in branches)
    run.leaves.append(
        (
            regions.low[chosen],
            regions.high[chosen],
            regions.node[chosen],
            counts,
            calls[branch[chosen]],
            branch[chosen] + first,
        )
    )


def _shares(branch: Int64s, branches: list[Branch], counts: Int64s | None = None) -> list[tuple[InSequence, int]]:
    totals = np.bincount(branch, weights=counts, minlength=len(branches)).astype(np.int64).tolist()
    return [(one.scope, total) for one, total in zip(branches, totals, strict=True)]


def _counted(branch: Int64s) -> list[tuple[int, int]]:
    numbers, counts = np.unique(branch, return_counts=True)
    return list(zip(numbers.tolist(), counts.tolist(), strict=True))


class _Step(NamedTuple):
    """The regions of a level: which are specialized, in what they can be, and to which branch each belongs."""

    records: RegionRecords
    regions: Regions
    chosen: Int64s
    valid: Bools
    branch: Int64s
    branches: list[Branch]


def _specialized(run: _Growth, step: _Step) -> Regions:
    records, regions, chosen, valid, branch, branches = step
    schema, noise, score = run.schema, run.noise, run.score
    drawn = _with_split_points(run, step)
    scores = records.scores(chosen, valid, regions.spans, score)
    candidates = valid[chosen]
    sizes = candidates.sum(axis=1)
    places = noise.select_each(
        scores[candidates],
        offsets_of(sizes),
        run.budget,
        score.sensitivity,
        shares=_shares(branch[chosen], branches),
        node="attribute to specialize",
    )
    attributes = np.nonzero(candidates)[1][offsets_of(sizes)[:-1] + places]
    fan = np.full(len(chosen), 2, np.int64)
    categories = ~schema.attributes.numeric[attributes]
    fan[categories] = schema.attributes.n_children[regions.node[chosen[categories], attributes[categories]]]
    sizes_of_children = records.divide(chosen, attributes, fan, regions.spans)
    noisy = noise.shared_counts(
        sizes_of_children, run.budget, shares=_shares(branch[chosen], branches, fan), node="records of each child"
    )
    shares = shares_of(noisy, offsets_of(fan), regions.left[chosen] - 1)
    if run.trace is not None:
        run.trace(regions, chosen, candidates, scores, attributes, fan, noisy, shares)
    for index, one in enumerate(branches):
        branches[index] = Branch(one.scope, one.calls + int(drawn[index]) + 2)
    return _children(schema, regions, chosen, attributes, fan, shares, branch)


def _with_split_points(run: _Growth, step: _Step) -> Int64s:
    """Draw the split points that are missing, into `regions.split`; returns how many calls each branch met thereby."""
    records, regions, chosen, valid, branch, branches = step
    schema = run.schema
    drawn = np.zeros(len(branches), np.int64)
    at_root = bool((regions.last < 0).all())
    scopes: dict[int, InSequence | InParallel] = {0: branches[0].scope}
    if at_root:
        attributes = np.flatnonzero(schema.attributes.numeric & valid[0])
        wanted = [(chosen, attribute) for attribute in attributes.tolist()]
        drawn[0] = len(wanted)
    else:
        which = chosen[_fresh(run, regions, valid)[chosen]]
        wanted = [
            (which[regions.last[which] == attribute], attribute)
            for attribute in np.unique(regions.last[which]).tolist()
        ]
        for slot in np.unique(branch[which]).tolist():  # a region draws for one attribute only
            scopes[slot] = InParallel([], DISJOINT_REGIONS)
            branches[slot].scope.members.append(scopes[slot])
            drawn[slot] = 1
    for which, attribute in wanted:
        spread = np.full(len(which), attribute, np.int64)
        offsets, blocks = records.blocks(which, attribute, regions.spans, run.score.kind)
        first, last, score, slope = (np.ascontiguousarray(blocks[:, index]) for index in range(4))
        regions.split[which, spread] = run.noise.points(
            Blocks(offsets, first, last, score, slope),
            run.budget,
            run.score.sensitivity_of_points(int(schema.attributes.width[attribute])),
            shares=[(scopes[slot], count) for slot, count in _counted(branch[which])],
            node="split point",
        )
    return drawn


def _children(
    schema: RegionSchema,
    regions: Regions,
    chosen: Int64s,
    attributes: Int64s,
    fan: Int64s,
    shares: Int64s,
    branch: Int64s,
) -> Regions:
    above = np.repeat(chosen, fan)
    attribute = np.repeat(attributes, fan)
    number = np.arange(len(above)) - np.repeat(np.cumsum(fan) - fan, fan)
    low, high, node = regions.low[above], regions.high[above], regions.node[above]
    split, cuts = regions.split[above], regions.cuts[above]
    at = np.arange(len(above))
    numeric = schema.attributes.numeric[attribute]
    left, right = at[numeric & (number == 0)], at[numeric & (number == 1)]
    high[left, attribute[left]] = split[left, attribute[left]]
    low[right, attribute[right]] = split[right, attribute[right]]
    cut = at[numeric]
    split[cut, attribute[cut]] = -1
    cuts[cut, attribute[cut]] += 1
    kind = at[~numeric]
    if len(kind):
        inner = schema.attributes.first_child[node[kind, attribute[kind]]] + number[kind]
        node[kind, attribute[kind]] = inner
        low[kind, attribute[kind]] = schema.attributes.node_low[inner]
        high[kind, attribute[kind]] = schema.attributes.node_high[inner]
    return Regions(low, high, node, split, cuts, shares, attribute.astype(np.int64), branch[above])
