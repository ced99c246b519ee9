"""Figure: one number that a metric computes, with all that people are told about it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import get_type_hints

LOWER = "lower is better"
HIGHER = "higher is better"
NEITHER = ""
SHARE = "share"


@dataclass(frozen=True)
class Figure:
    """One number: a `_loss` falls, a `_score` rises, and any other name describes without a direction."""

    name: str
    label: str
    meaning: str
    unit: str = ""  # "share" is shown in percent
    abbreviation: str = ""  # of the literature, such as NCP; in lower case it is the short name
    alternative_to: str = ""  # the figure that this one estimates in another way
    rank: int = 9  # lower ranks are shown first
    former_name: str = ""  # still understood in files that were written with it

    @property
    def title(self) -> str:
        """The label with its abbreviation."""
        return f"{self.label} ({self.abbreviation})" if self.abbreviation else self.label

    @property
    def short_name(self) -> str:
        """`ncp`: what command lines and experiments may call the figure; empty if the literature has no word for it."""
        return self.abbreviation.lower().replace("-", "_")

    @property
    def share(self) -> bool:
        return self.unit == SHARE

    def unit_in(self, crs: str | None) -> str:
        """The unit with distances in that of a projection: metres, where they are."""
        from crypsis.data.projection import unit_in

        return unit_in(self.unit, crs)

    @property
    def better(self) -> str:
        return direction_of(self.name)


def direction_of(name: str) -> str:
    """Which way a figure is better, as its name says; a figure of one column is named "… of column"."""
    first = name.partition(" of ")[0]
    return LOWER if first.endswith("_loss") else HIGHER if first.endswith("_score") else NEITHER


class Measured:
    """A result whose fields are figures: `mean: Annotated[float, Figure("class_size_loss", ...)]`."""

    def figures(self) -> dict[str, float | int]:
        """The figures by name, in the order of the fields; a field that is None has none."""
        values = {figure.name: getattr(self, field) for field, figure in figures_by_field(type(self)).items()}
        return {
            name: float(value) if isinstance(value, Fraction) else value
            for name, value in values.items()
            if value is not None
        }


def figures_of(result: type[Measured]) -> tuple[Figure, ...]:
    """The figures that the fields of a result are annotated with, in their order."""
    return tuple(figures_by_field(result).values())


def figures_by_field(result: type[Measured]) -> dict[str, Figure]:
    """The figure that each field of a result is annotated with; other fields are left out."""
    hints = get_type_hints(result, include_extras=True)
    annotations = {field: getattr(hint, "__metadata__", ()) for field, hint in hints.items()}
    return {field: mark for field, marks in annotations.items() for mark in marks if isinstance(mark, Figure)}
