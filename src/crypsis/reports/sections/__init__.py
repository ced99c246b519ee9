"""The sections of a release report, one file each, in the order of `SECTIONS`."""

from __future__ import annotations

from collections.abc import Callable

from crypsis.drawing.markup import Markup
from crypsis.reports.facts import ReleaseFacts
from crypsis.reports.sections.generalized import generalized
from crypsis.reports.sections.movement import movement
from crypsis.reports.sections.places import places
from crypsis.reports.sections.promise import promise
from crypsis.reports.sections.provenance import provenance
from crypsis.reports.sections.sizes import sizes
from crypsis.reports.sections.summary import summary
from crypsis.reports.sections.supports import supports
from crypsis.reports.sections.times import times
from crypsis.reports.sections.utility import utility
from crypsis.reports.sections.verdict import verdict

SECTIONS: tuple[Callable[[ReleaseFacts], Markup], ...] = (
    verdict,
    summary,
    promise,
    places,
    movement,
    supports,
    generalized,
    sizes,
    times,
    utility,
    provenance,
)

__all__ = ["SECTIONS"]
