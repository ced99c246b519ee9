"""Disclosure: people who can be singled out by columns that are published as they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from crypsis.arrays import Bools
from crypsis.arrays.row_ranks import count_single_rows, rank_rows
from crypsis.data.cells import CellKind
from crypsis.data.person_detection import holds_ids, identifies_by_name, tells_of_people
from crypsis.data.relational import PublishedColumn, PublishedTable
from crypsis.review.check import TableCheck, colour_of
from crypsis.review.lights import Finding, Remedy
from crypsis.review.subject import Subject, percent
from crypsis.review.thresholds import ReviewThresholds


class UnchangedColumnsCheck(TableCheck):
    """Columns of the role other: who is unique by them alone, and together with the classes.

    A column whose name says that it identifies people and that is published exactly, whatever its role, singles out
    everybody who has an exact value there: all rows with this value belong together.
    """

    code = "unique-by-unchanged-columns"
    label = "People singled out by unchanged columns"

    def findings_in(self, table: PublishedTable, subject: Subject, limits: ReviewThresholds) -> Iterator[Finding]:
        total = subject.people(subject.shown)
        named = [column for column in table.columns if names_people(column, subject.shown)]
        for column in named:
            exact = subject.shown & column.is_kind(CellKind.VALUE)
            number = subject.people(exact)
            words = (
                f"'{column.name}' stands unchanged in {number:,} of {total:,} records ({percent(number / total)}) and "
                "names people: all records with one value belong to one person."
            )
            remedy = Remedy("Say whose records these are", "person", column.name)
            colour = colour_of(number / total, limits.unique_amber, limits.unique_red)
            yield Finding(self.code, colour, words, number, total, number / total, remedy, column.name)
        others = [column for column in table.with_role("other") if column not in named]
        if not others:
            return
        alone, together = _alone_and_together(subject, others)
        if not together:
            return
        names = ", ".join(f"'{column.name}'" for column in others)
        words = (
            f"Published unchanged: {names}. {subject.of(alone, total)} are unique by this alone, "
            f"{subject.of(together, total)} together with their class."
        )
        remedy = Remedy("Give columns that others may know the role quasi, or leave them out")
        colour = colour_of(together / total, limits.unique_amber, limits.unique_red)
        yield Finding(self.code, colour, words, together, total, together / total, remedy)


def names_people(column: PublishedColumn, shown: Bools) -> bool:
    """The name says that it identifies people, and some exact value of it stands in several records."""
    if not identifies_by_name(column.name) or not holds_ids(column.cells.values):
        return False
    exact = column.codes[shown & column.is_kind(CellKind.VALUE)]
    distinct = len(np.unique(exact))
    return distinct < len(exact) and not tells_of_people(column.name, distinct)


def _alone_and_together(subject: Subject, columns: Sequence[PublishedColumn]) -> tuple[int, int]:
    """People who are unique by these columns, and by these together with their class."""
    assert subject.table is not None
    codes = [column.codes for column in columns]

    def count() -> tuple[int, int]:
        return _people_alone(subject, codes), _people_alone(subject, [*codes, subject.classes])

    if subject.person is not None:
        return count()
    asked = UnchangedColumnsCheck.code, tuple(column.name for column in columns)
    return subject.table.count_once(asked, count)


def _people_alone(subject: Subject, columns: Sequence[np.ndarray[Any, Any]]) -> int:
    """People with a row that nobody else looks like."""
    shown = np.flatnonzero(subject.shown)
    kept = columns if len(shown) == len(subject.shown) else [codes[shown] for codes in columns]
    if subject.person is None:
        return count_single_rows(kept, len(shown))
    chosen = rank_rows(kept, len(shown))
    person = subject.person[shown]
    width = int(person.max()) + 1
    pairs = np.unique(chosen * width + person)
    counts = np.bincount(pairs // width)
    return len(np.unique(pairs[counts[pairs // width] == 1] % width))
