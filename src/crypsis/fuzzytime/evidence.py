"""Fuzzy intervals from what is known of a period: observations, termini, other descriptions, and groups of periods."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce

from crypsis.errors import BadInterval, InconsistentEvidence
from crypsis.fuzzytime.interval import FuzzyInterval, Number


@dataclass(frozen=True)
class _Stretch:
    start: Number
    end: Number

    def __post_init__(self) -> None:
        _check(self.start, self.end)


@dataclass(frozen=True)
class Extent(_Stretch):
    """The state held, or did not hold, throughout [start, end]."""


@dataclass(frozen=True)
class Dated(_Stretch):
    """The state held, or did not hold, at one unknown instant of [start, end]."""


Observation = Extent | Dated


@dataclass(frozen=True)
class Construction:
    """The interval that evidence leads to, and the negative observations that told nothing."""

    interval: FuzzyInterval
    ignored: tuple[Observation, ...] = ()


def from_evidence(
    positive: Sequence[Observation] = (),
    negative: Sequence[Observation] = (),
    *,
    start_not_before: Number = -math.inf,
    start_not_after: Number = math.inf,
    end_not_before: Number = -math.inf,
    end_not_after: Number = math.inf,
) -> Construction:
    """The tightest fuzzy interval that fits the evidence; gaps between positive observations count as filled.

    >>> from_evidence([Extent(10, 20)], [Extent(0, 5), Extent(30, 40)]).interval.bounds
    (5, 10, 20, 30)
    """
    inner_start, inner_end = start_not_after, end_not_before
    for seen in positive:
        begun, held = (seen.start, seen.end) if isinstance(seen, Extent) else (seen.end, seen.start)
        inner_start, inner_end = min(inner_start, begun), max(inner_end, held)
    outer_start, outer_end = start_not_before, end_not_after
    ignored = []
    for absent in negative:
        if isinstance(absent, Extent):
            before, after = absent.end <= inner_start, absent.start >= inner_end
            if before:
                outer_start = max(outer_start, absent.end)
            elif after:
                outer_end = min(outer_end, absent.start)
        else:
            before, after = absent.start <= inner_start, absent.end >= inner_end
            if before and after:
                ignored.append(absent)
            elif before:
                outer_start = max(outer_start, absent.start)
            elif after:
                outer_end = min(outer_end, absent.end)
        if not (before or after):
            raise InconsistentEvidence(
                f"The state did not hold in [{absent.start}, {absent.end}], which lies in the time in which it held, "
                f"[{inner_start}, {inner_end}]."
            )
    return Construction(_join(outer_start, inner_start, inner_end, outer_end), tuple(ignored))


def refine(a: FuzzyInterval, b: FuzzyInterval) -> FuzzyInterval:
    """The interval of a period that is described twice; it is never wider than either."""
    return _join(
        max(a.outer_start, b.outer_start),
        min(a.inner_start, b.inner_start),
        max(a.inner_end, b.inner_end),
        min(a.outer_end, b.outer_end),
    )


def refine_all(descriptions: Iterable[FuzzyInterval]) -> FuzzyInterval:
    """The interval of a period with any number of descriptions; at least one."""
    return reduce(refine, descriptions)


def group_hull(members: Iterable[FuzzyInterval | tuple[Number, Number]]) -> FuzzyInterval:
    """The tightest fuzzy interval that every member can be a realization of."""
    intervals = [member if isinstance(member, FuzzyInterval) else FuzzyInterval.crisp(*member) for member in members]
    if not intervals:
        raise BadInterval("A hull needs at least one period.")
    return FuzzyInterval(
        min(member.outer_start for member in intervals),
        max(member.inner_start for member in intervals),
        min(member.inner_end for member in intervals),
        max(member.outer_end for member in intervals),
    )


def bin_visit(enter: Number, exit: Number, width: Number, origin: Number = 0) -> FuzzyInterval:
    """A visit known up to the bins of a grid; a value on the grid stays as it is."""
    if not width > 0 or math.isinf(width):
        raise BadInterval(f"The width of a bin must be positive and finite, got {width!r}.")
    if enter > exit:
        raise BadInterval(f"A visit ends at {exit!r}, before it begins at {enter!r}.")
    first, last = ((value - origin) // width for value in (enter, exit))
    after_first, after_last = (-((origin - value) // width) for value in (enter, exit))
    return FuzzyInterval(*(origin + step * width for step in (first, after_first, last, after_last)))


def _check(start: Number, end: Number) -> None:
    if math.isnan(start) or math.isnan(end) or start > end:
        raise BadInterval(f"An observation lasts from an earlier to a later instant, got [{start}, {end}].")


def _join(outer_start: Number, inner_start: Number, inner_end: Number, outer_end: Number) -> FuzzyInterval:
    bounds = (outer_start, inner_start, inner_end, outer_end)
    if outer_start > inner_start or inner_end > outer_end or outer_start > outer_end:
        raise InconsistentEvidence(f"The evidence contradicts itself: its bounds cross, {bounds!r}.")
    return FuzzyInterval.normalize(*bounds)
