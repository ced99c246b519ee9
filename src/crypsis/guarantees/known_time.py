"""What the adversary of a promise about movement knows beside places: their order, or also when visits began and ended.

The promise with times is about locations that are places with times. `knows` is told in manifests only where it is
`time`: a manifest that says nothing speaks of the weaker adversary.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from crypsis.guarantees.guarantee import Guarantee
from crypsis.parameters import OneOf

ORDER, TIME = "order", "time"
TIMES_NOT_COVERED = "Times, durations and the absence of a visit."
_ABSENCE = "The absence of a visit, and times of sensitive visits, which are not published."
_KNOWN = (
    "The adversary also knows when the victim entered and left these places, however precisely; what is published of "
    "it is the step of time that each instant falls into."
)


@dataclass(frozen=True, kw_only=True)
class OrderOrTime(Guarantee):
    """A promise about sequences of locations; with `knows="time"` a location is a place with times."""

    told_where_given = ("knows",)

    knows: Annotated[
        str,
        OneOf(order="the order of visits", time="the order, and when visits began and ended"),
        "What the adversary knows of visits beside their places.",
    ] = ORDER

    def stated(self, name: str) -> tuple[str, ...]:
        sentences = super().stated(name)
        if self.knows == ORDER:
            return sentences
        if name == "assumptions":
            return (*sentences, _KNOWN)
        return tuple(_ABSENCE if sentence == TIMES_NOT_COVERED else sentence for sentence in sentences)

    @property
    def time_words(self) -> str:
        """The sentence that the scope ends with."""
        return "" if self.knows == ORDER else " A location is a place with the times of entering and leaving it."
