"""Utility constraints: which locations an analyst can bear to see merged. A partition of the locations.

A file has one constraint per line, its labels separated by a tab, `;`, `|`, `,` or blanks (the first of these that
occurs in the file, or the one that is given); or it is JSON: lists of labels, in one list or one per line.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Int32s
from crypsis.data.formats.source import place
from crypsis.data.label_lists import LabelLists
from crypsis.data.spatial_packing import packed, parts_needed
from crypsis.data.trajectory import Locations, Trajectories
from crypsis.errors import BadConstraints, BadParameter, UnknownLocation, did_you_mean
from crypsis.parameters import FromCoordinates


class UtilityConstraints(LabelLists):
    """Disjoint groups of locations; a published symbol must lie inside one of them.

    Poulis, Skiadopoulos, Loukides, Gkoulalas-Divanis. Apriori-based algorithms for
    k^m-anonymizing trajectory data. Transactions on Data Privacy 7, 2014, 165-194: Definition 9.
    """

    in_words = "utility constraints (a file, or auto:SIZE to group near locations)"
    error = BadConstraints

    def __init__(self, groups: Iterable[Iterable[str]], *, source: str | None = None, origin: str = "") -> None:
        self.groups: tuple[tuple[str, ...], ...] = tuple(tuple(group) for group in groups)
        self.source = source
        self.origin = origin
        self._group_of: dict[str, int] = {}
        for index, group in enumerate(self.groups):
            if not group:
                raise BadConstraints("A constraint names no location; leave it out.", **self._place(index))
            for label in group:
                self._add(label, index)

    def _add(self, label: object, number: int) -> None:
        if not isinstance(label, str) or not label.strip():
            raise BadConstraints(f"A constraint lists locations by their labels, got {label!r}.", **self._place(number))
        if label in self._group_of:
            other = self._group_of[label]
            words = (
                "twice in one constraint" if other == number else f"in two constraints, {other + 1} and {number + 1}"
            )
            raise BadConstraints(
                f"Location {label!r} is listed {words}; constraints must not overlap.",
                **self._place(number),
                location=label,
            )
        self._group_of[label] = number

    def _place(self, number: int) -> dict[str, Any]:
        if self.source is None:
            return {"where": f"constraint {number + 1}", "constraint": number + 1}
        return place(self.source, number)

    @classmethod
    def from_text(cls, text: str) -> UtilityConstraints | AutomaticConstraints:
        name, _, number = text.partition(":")
        if name != "auto":
            return cls.from_file(text)
        if not number.isdecimal():
            raise BadParameter(f"constraints: auto:SIZE needs a whole number of locations, got {text!r}.")
        return AutomaticConstraints(size=int(number))

    @classmethod
    def near(cls, locations: Locations, size: int) -> UtilityConstraints:
        """Constraints of at most `size` locations that lie near each other, from the coordinates alone."""
        x, y = locations.coordinates("AutomaticConstraints")
        everywhere = np.arange(len(locations))
        parts = packed(x, y, everywhere, parts_needed(len(everywhere), size)) if len(everywhere) else []
        return cls(([locations.labels[code] for code in part.tolist()] for part in parts), origin=f"auto:{size}")

    def groups_of(self, data: Trajectories) -> Int32s:
        """By location: the number of its constraint; -1 for a location in none, which must not occur."""
        numbers = np.full(len(data.locations), -1, np.int32)
        codes = data.locations.vocabulary.encode(pl.Series(list(self._group_of), dtype=pl.String))
        if data.locations.base is not None and (codes < 0).all():  # constraints on places, whatever the time
            places = data.locations.place_codes
            at_places = replace(data, codes=places[data.codes], locations=data.locations.base, times=None)
            return self.groups_of(at_places)[places]
        for label, code in zip(self._group_of, codes.tolist(), strict=True):
            if code < 0:
                raise UnknownLocation(
                    f"Constraint {self._group_of[label] + 1} names {label!r}, which is not in the location table."
                    f"{did_you_mean(label, data.locations.labels)}",
                    **self._place(self._group_of[label]),
                    location=label,
                )
            numbers[code] = self._group_of[label]
        open_to_all = np.flatnonzero(data.occurring & (numbers < 0))
        if len(open_to_all):
            label = data.locations.labels[int(open_to_all[0])]
            raise BadConstraints(
                f"Location {label!r} is visited but lies in no constraint; {len(open_to_all)} such locations in all. "
                "Give every visited location a constraint, if only one of its own.",
                where=None if self.source is None else str(self.source),
                location=label,
            )
        return numbers

    def group_of(self, label: str) -> int | None:
        """The number of the constraint that holds a location."""
        return self._group_of.get(label)

    @property
    def known(self) -> bool:
        """The groups are known; of constraints that were made from the data a release tells only the recipe."""
        return bool(self.groups) or not self.origin

    def on(self, original: Trajectories | None) -> UtilityConstraints | None:
        """The constraints; made again from the original where only the recipe is known. None where that cannot be."""
        if self.known:
            return self
        if original is None or not self.origin.startswith("auto:"):
            return None
        deferred = UtilityConstraints.from_text(self.origin)
        return deferred.make(original) if isinstance(deferred, AutomaticConstraints) else None

    def to_json(self) -> Any:
        """All groups that the publisher gave; of those made from the data the recipe, for they tell what was there."""
        if self.origin:
            return {"recipe": self.origin}
        return self._listed()

    def _listed(self) -> list[list[str]]:
        return sorted(sorted(group) for group in self.groups)

    @classmethod
    def from_json(cls, content: Any) -> UtilityConstraints:
        if isinstance(content, dict) and isinstance(content.get("recipe"), str):
            return cls((), origin=content["recipe"])
        if not isinstance(content, list) or not all(isinstance(group, list) for group in content):
            raise BadConstraints(f"Constraints must be lists of labels, got {content!r}.")
        return cls(content)

    def show(self) -> str:
        """One line per constraint."""
        return "\n".join(f"{number}  {', '.join(group)}" for number, group in enumerate(self.groups, 1))

    def __len__(self) -> int:
        return len(self.groups)

    @property
    def identity(self) -> Hashable:
        return frozenset(map(frozenset, self.groups))

    def __str__(self) -> str:
        return f"{len(self)} constraints on {len(self._group_of)} locations{self.origin_words}"


@dataclass(frozen=True)
class AutomaticConstraints(FromCoordinates):
    """Groups of at most `size` locations that lie near each other, made from the location table."""

    makes = UtilityConstraints
    number_name, least = "size", 1

    size: int = 10

    def make(self, data: Trajectories) -> UtilityConstraints:
        return UtilityConstraints.near(data.locations, self.size)


TENS_OF_NEAR = AutomaticConstraints(size=10)
