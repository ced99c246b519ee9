"""Figure: one number that a metric computes, with all that people are told about it."""

from __future__ import annotations

from dataclasses import dataclass

LOWER = "lower is better"
HIGHER = "higher is better"
NEITHER = ""
SHARE = "share"
MAP_UNITS = "units of the map"


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
        from crypsis.data.projection import is_metric

        return "metres" if self.unit == MAP_UNITS and is_metric(crs) else self.unit

    @property
    def better(self) -> str:
        return direction_of(self.name)


def direction_of(name: str) -> str:
    """Which way a figure is better, as its name says; a figure of one column is named "… of column"."""
    first = name.partition(" of ")[0]
    return LOWER if first.endswith("_loss") else HIGHER if first.endswith("_score") else NEITHER
