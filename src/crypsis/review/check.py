"""Check: looks for one finding."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from crypsis.data.relational import PublishedTable
from crypsis.review.lights import Colour, Finding
from crypsis.review.subject import Subject
from crypsis.review.thresholds import ReviewThresholds


class Check(ABC):
    """One finding of one light. `refuses`: an unconfirmed finding stands against publishing."""

    code: ClassVar[str]
    light: ClassVar[str]
    label: ClassVar[str]
    refuses: ClassVar[bool] = False

    @abstractmethod
    def findings(self, subject: Subject, limits: ReviewThresholds) -> Iterator[Finding]:
        """What was found; nothing where there is nothing to say."""


class TableCheck(Check):
    """A finding about what the columns of a published table disclose; other data, and tables of no rows, have none."""

    light = "disclosure"

    def findings(self, subject: Subject, limits: ReviewThresholds) -> Iterator[Finding]:
        if subject.table is not None and subject.shown.any():
            yield from self.findings_in(subject.table, subject, limits)

    @abstractmethod
    def findings_in(self, table: PublishedTable, subject: Subject, limits: ReviewThresholds) -> Iterator[Finding]:
        """What was found in the table of the subject, some rows of which are shown."""


def colour_of(share: float, amber: float, red: float) -> Colour:
    """The colour of a share that should be low; a share of 0 is green whatever the limits."""
    if share <= 0:
        return Colour.GREEN
    return Colour.RED if share >= red else Colour.AMBER if share >= amber else Colour.GREEN
