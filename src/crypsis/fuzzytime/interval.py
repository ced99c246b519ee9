"""A period whose beginning and end are known up to bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

from crypsis.errors import BadInterval
from crypsis.fuzzytime.relations import ANSWERS, CODES, RELATIONS, names_of

if TYPE_CHECKING:
    from crypsis.fuzzytime.array import FuzzyArray

Number: TypeAlias = int | float
Kind = Literal["proper", "instant_core", "coreless"]
Answer = Literal["no", "possibly", "definitely"]


@dataclass(frozen=True, order=False)
class FuzzyInterval:
    """The true period is some [s, e] with outer_start <= s <= inner_start and inner_end <= e <= outer_end.

    `inner_start < inner_end` leaves a core in which the state certainly held. Otherwise there is no such instant, and
    the single relation of the paper is undefined; possible relations and presence are defined all the same.
    Infinite outer bounds mean that nothing is known on that side.

    >>> morning = FuzzyInterval(8, 9, 11, 12)
    >>> morning.relation(FuzzyInterval(11, 13, 15, 16))
    'meets'
    >>> sorted(morning.possible(FuzzyInterval(13, 13, 15, 16)))
    ['before']
    """

    outer_start: Number
    inner_start: Number
    inner_end: Number
    outer_end: Number

    def __post_init__(self) -> None:
        bounds = self.bounds
        if any(isinstance(bound, bool) or not isinstance(bound, (int, float)) for bound in bounds):
            raise BadInterval(f"A fuzzy interval has four numbers, got {bounds!r}.")
        if any(math.isnan(bound) for bound in bounds):
            raise BadInterval(f"A bound of a fuzzy interval is not a number: {bounds!r}.")
        for low, high in (
            ("outer_start", "inner_start"),
            ("inner_end", "outer_end"),
            ("outer_start", "outer_end"),
            ("outer_start", "inner_end"),
            ("inner_start", "outer_end"),
        ):
            if getattr(self, low) > getattr(self, high):
                raise BadInterval(f"{low} must not be after {high}, got {bounds!r}.")
        if self.outer_start == math.inf or self.outer_end == -math.inf:
            raise BadInterval(f"A fuzzy interval must have a finite realization, got {bounds!r}.")
        if self.inner_start == -math.inf or self.inner_end == math.inf:
            raise BadInterval(f"The inner bounds must be finite where there is positive evidence, got {bounds!r}.")

    @classmethod
    def crisp(cls, start: Number, end: Number) -> FuzzyInterval:
        """A period whose beginning and end are known exactly."""
        return cls(start, start, end, end)

    @classmethod
    def normalize(cls, outer_start: Number, inner_start: Number, inner_end: Number, outer_end: Number) -> FuzzyInterval:
        """The interval with the same realizations whose bounds can all be reached."""
        return cls(outer_start, min(inner_start, outer_end), max(inner_end, outer_start), outer_end)

    @property
    def bounds(self) -> tuple[Number, Number, Number, Number]:
        """Outer start, inner start, inner end, outer end."""
        return self.outer_start, self.inner_start, self.inner_end, self.outer_end

    @property
    def kind(self) -> Kind:
        """Whether there is a core, an instant for one, or none."""
        if self.inner_start < self.inner_end:
            return "proper"
        return "instant_core" if self.inner_start == self.inner_end else "coreless"

    @property
    def core(self) -> Number:
        """Length of the time in which the state certainly held."""
        return max(0, self.inner_end - self.inner_start)

    @property
    def extent(self) -> Number:
        """Length of the time in which it may have held."""
        return self.outer_end - self.outer_start

    @property
    def fuzziness(self) -> float:
        """Share of the extent that is uncertain: 0 for a crisp interval, 1 without a core."""
        if self.extent == 0:
            return 0.0
        return 1.0 if math.isinf(self.extent) else 1 - self.core / self.extent

    @property
    def thickness(self) -> Number:
        """Length of both boundaries together."""
        return (self.inner_start - self.outer_start) + (self.outer_end - self.inner_end)

    @property
    def latest_start(self) -> Number:
        """The state held from here on, or had ended."""
        return min(self.inner_start, self.outer_end)

    @property
    def earliest_end(self) -> Number:
        """The state held up to here, or had not begun."""
        return max(self.inner_end, self.outer_start)

    def relation(self, other: FuzzyInterval) -> str | None:
        """The relation of the paper: Allen's, where endpoints are equal if their boundaries intersect."""
        code = int(self._array.relate(other._array)[0])
        return None if code < 0 else RELATIONS[code]

    def possible(self, other: FuzzyInterval) -> frozenset[str]:
        """The relations that some pair of realizations with positive length has."""
        return names_of(int(self._array.possible_mask(other._array)[0]))

    def definite(self, other: FuzzyInterval) -> str | None:
        """The one relation that is possible, if there is only one."""
        possible = self.possible(other)
        return next(iter(possible)) if len(possible) == 1 else None

    def answer(self, other: FuzzyInterval, relation: str) -> Answer:
        """Whether a relation holds: definitely, possibly or not."""
        if relation not in CODES:
            raise BadInterval(f"There is no relation {relation!r}; the relations are {', '.join(RELATIONS)}.")
        possible = self.possible(other)
        if relation not in possible:
            return "no"
        return "definitely" if len(possible) == 1 else "possibly"

    def presence(self, period: FuzzyInterval, mode: str = "sometime") -> Answer:
        """Whether the state held sometime in a period, throughout it, or within it only."""
        answer: Answer = ANSWERS[int(self._array.presence(period._array, mode)[0])]
        return answer

    @cached_property
    def _array(self) -> FuzzyArray:
        from crypsis.fuzzytime.array import FuzzyArray

        return FuzzyArray.of([self])


def transitive_event(a: FuzzyInterval, b: FuzzyInterval) -> tuple[Number, Number] | None:
    """Within which bounds one period ended as the other began, if they meet; else None.

    The boundaries may intersect elsewhere too; the event lies between the cores. The instant itself is not known.
    """
    relation = a.relation(b)
    if relation == "met_by":
        a, b = b, a
    elif relation != "meets":
        return None
    return max(a.inner_end, b.outer_start), min(a.outer_end, b.inner_start)
