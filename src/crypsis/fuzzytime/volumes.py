"""Volumes of space and time: for every cell, the period in which something was there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, reduce
from itertools import product
from math import prod
from operator import or_

from crypsis.errors import BadInterval
from crypsis.fuzzytime.array import FuzzyArray
from crypsis.fuzzytime.interval import FuzzyInterval
from crypsis.fuzzytime.relations import CODES, RELATIONS, invert

MOST_CHOICES = 4096  # combinations of local relations that are tried one by one

_OVERLAPS, _EQUALS, _MEETS = CODES["overlaps"], CODES["equals"], CODES["meets"]
_STARTS, _FINISHES, _DURING = CODES["starts"], CODES["finishes"], CODES["during"]


@dataclass(frozen=True)
class Resolution:
    """The relation that prevails among local ones, in which direction, and how it came about."""

    relation: str
    direction: str  # forward, inverse, both, symmetric or none
    mode: str  # universal, existential, causal, incidental, derived or none


@dataclass(frozen=True)
class VolumeRelation:
    """How two volumes stand to each other. The prevailing relation is a summary; `local` is the evidence."""

    basis: str  # "local" where they share cells, else "total"
    relation: str | None
    direction: str | None
    mode: str
    total: str | None
    local: Counter[str] = field(default_factory=Counter)
    undefined: int = 0  # shared cells without a relation, because a period there has no core
    conflict: bool = False  # A is ahead in one shared cell and B in another


@dataclass(frozen=True)
class PossibleRelations:
    """Every relation that two volumes may have. `exact` is false where a superset was computed."""

    outcomes: frozenset[tuple[str, str | None]]
    exact: bool

    @property
    def definite(self) -> bool:
        """Only one outcome is left."""
        return len(self.outcomes) == 1


class Volume(Mapping[str, FuzzyInterval]):
    """One period per cell.

    >>> army = Volume({"north": FuzzyInterval.crisp(0, 2), "south": FuzzyInterval.crisp(0, 4)})
    >>> settlers = Volume({"north": FuzzyInterval.crisp(3, 9), "south": FuzzyInterval.crisp(5, 9)})
    >>> army.relation(settlers).relation
    'before'
    """

    def __init__(self, periods: Mapping[str, FuzzyInterval]) -> None:
        if not periods:
            raise BadInterval("A volume needs at least one cell.")
        self._periods = dict(periods)

    def __getitem__(self, cell: str) -> FuzzyInterval:
        return self._periods[cell]

    def __iter__(self) -> Iterator[str]:
        return iter(self._periods)

    def __len__(self) -> int:
        return len(self._periods)

    def __repr__(self) -> str:
        return f"Volume({self._periods!r})"

    @property
    def total(self) -> FuzzyInterval:
        """The period of the whole volume: its core is the hull of the cores."""
        periods = self._periods.values()
        return FuzzyInterval(
            min(period.outer_start for period in periods),
            min(period.inner_start for period in periods),
            max(period.inner_end for period in periods),
            max(period.outer_end for period in periods),
        )

    def relation(self, other: Volume) -> VolumeRelation:
        """The prevailing relation over the cells that both volumes have, or of their totals if they share none."""
        total = self.total.relation(other.total)
        codes = self._local_codes(other)
        if codes is None:
            return VolumeRelation("total", total, None, "total", total)
        defined = [code for code in codes if code >= 0]
        undefined = len(codes) - len(defined)
        if not defined:
            return VolumeRelation("local", None, None, "none", total, undefined=undefined)
        volume = resolve(defined)
        return VolumeRelation(
            "local",
            volume.relation,
            volume.direction,
            volume.mode,
            total,
            Counter(RELATIONS[code] for code in sorted(defined)),
            undefined,
            conflict=any(code < _EQUALS for code in defined) and any(code > _EQUALS for code in defined),
        )

    def _shared(self, other: Volume) -> tuple[FuzzyArray, FuzzyArray] | None:
        cells = sorted(self._periods.keys() & other._periods.keys())
        if not cells:
            return None
        return FuzzyArray.of(self[cell] for cell in cells), FuzzyArray.of(other[cell] for cell in cells)

    def _local_codes(self, other: Volume) -> list[int] | None:
        shared = self._shared(other)
        return None if shared is None else [int(code) for code in shared[0].relate(shared[1])]


@dataclass(frozen=True)
class PhasedVolume:
    """A volume that returns to cells it had left: its phases in order, each a volume."""

    phases: Sequence[Volume]

    def relations(self, other: PhasedVolume | Volume) -> list[list[VolumeRelation]]:
        """The relation of every phase to every phase of the other."""
        others = other.phases if isinstance(other, PhasedVolume) else [other]
        return [[phase.relation(each) for each in others] for phase in self.phases]


def resolve(local: Sequence[int] | Sequence[str]) -> Resolution:
    """The relation that prevails among local ones: overlaps, equals, starts and finishes, meets, before and during.

    >>> resolve(["starts", "finished_by"])
    Resolution(relation='equals', direction='symmetric', mode='derived')
    """
    codes = {CODES[one] if isinstance(one, str) else one for one in local}
    return _resolve_mask(sum(1 << code for code in codes))


@cache
def _resolve_mask(mask: int) -> Resolution:
    codes = {code for code in range(13) if mask >> code & 1}
    if not codes:
        raise BadInterval("At least one local relation is needed.")
    alone = len(codes) == 1
    mode = "universal" if alone else "existential"
    if direction := _direction(codes, _OVERLAPS):
        return Resolution("overlaps", direction, mode)
    if _EQUALS in codes:
        return Resolution("equals", "symmetric", mode)
    started, finished = _direction(codes, _STARTS), _direction(codes, _FINISHES)
    if started and finished:  # they begin together somewhere and end together somewhere
        return Resolution("equals", "symmetric", "derived")
    if started or finished:
        return Resolution("starts" if started else "finishes", started or finished, "causal" if alone else "incidental")
    met, included = _direction(codes, _MEETS), _direction(codes, _DURING)
    if met and not included:
        return Resolution("meets", met, mode)
    if alone:
        name = "during" if included else "before"
        return Resolution(name, _direction(codes, CODES[name]), mode)
    return Resolution("mixed", "none", "none")


def _direction(codes: set[int], code: int) -> str:
    """Whether a relation occurs forward, inverse or both; empty if it does not."""
    forward, inverse = code in codes, invert(code) in codes
    if forward and inverse:
        return "both"
    return "forward" if forward else "inverse" if inverse else ""


def possible_volume_relations(a: Volume, b: Volume) -> PossibleRelations:
    """Every outcome that some choice of a possible relation in each shared cell leads to.

    Beyond 4,096 choices it is a superset: all sets of relations that take one of the possible ones in every cell.
    """
    shared = a._shared(b)
    if shared is None:
        return PossibleRelations(frozenset((name, None) for name in a.total.possible(b.total)), exact=True)
    masks = [int(mask) for mask in shared[0].possible_mask(shared[1])]
    if 0 in masks:
        raise BadInterval("A period of length zero has no relation to others.")
    if prod(mask.bit_count() for mask in masks) <= MOST_CHOICES:
        bits = [[1 << code for code in range(13) if mask >> code & 1] for mask in masks]
        return PossibleRelations(_outcomes({reduce(or_, choice) for choice in product(*bits)}), exact=True)
    hit = {subset for subset in _submasks(reduce(or_, masks)) if all(subset & mask for mask in set(masks))}
    return PossibleRelations(_outcomes(hit), exact=False)


def _outcomes(sets: set[int]) -> frozenset[tuple[str, str | None]]:
    return frozenset((found.relation, found.direction) for found in map(_resolve_mask, sets))


def _submasks(mask: int) -> Iterator[int]:
    subset = mask
    while subset:
        yield subset
        subset = (subset - 1) & mask
