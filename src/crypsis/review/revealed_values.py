"""Disclosure: sensitive values that a class gives away, because all or nearly all of its people share one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s
from crypsis.arrays.row_ranks import count_keys, rank_rows
from crypsis.data.cells import CellKind
from crypsis.data.relational import PublishedColumn, PublishedTable
from crypsis.guarantees import KLmDiversity, LDiversity, TCloseness
from crypsis.review.check import TableCheck, colour_of
from crypsis.review.lights import Colour, Finding, Remedy
from crypsis.review.subject import Subject
from crypsis.review.thresholds import ReviewThresholds


class RevealedValuesCheck(TableCheck):
    """People in classes with a single sensitive value, and people whose value can be told with high confidence.

    Counted in every sensitive column. Whoever is known to be in such a class has this value. The colour follows the
    larger of both shares; where l-diversity or t-closeness is promised the numbers are told and stay green, because
    then the publisher has said how much a class may give away.
    """

    code = "revealed-values"
    label = "Sensitive values that can be inferred"

    def findings_in(self, table: PublishedTable, subject: Subject, limits: ReviewThresholds) -> Iterator[Finding]:
        bounded = any(
            isinstance(promise, (LDiversity, TCloseness, KLmDiversity)) and not promise.trivial
            for promise in subject.promises
        )
        total = subject.people(subject.shown)
        for column in table.with_role("sensitive"):
            single, told = _counts(subject, column, limits.confidence)
            if not told:
                continue
            share = told / total
            colour = Colour.GREEN if bounded else colour_of(share, limits.revealed_amber, limits.revealed_red)
            words = (
                f"'{column.name}' is revealed for {subject.of(single, total)}: their whole class has one value. It can "
                f"be told with a confidence above {limits.confidence:.0%} for {subject.of(told, total)}."
            )
            yield Finding(self.code, colour, words, single, total, single / total, _remedy(subject), column.name)


def _remedy(subject: Subject) -> Remedy:
    if "l" in subject.settings:
        return Remedy("Ask for two sensitive values in every class", "l", 2)
    return Remedy("Choose a method that provides l-diversity, or leave the column out")


def _counts(subject: Subject, column: PublishedColumn, confidence: float) -> tuple[int, int]:
    """People in classes with one value, and people who have the value that their class tells."""
    known = subject.shown & ~column.is_kind(CellKind.MISSING)
    if not known.any():
        return 0, 0
    if subject.table is not None and subject.person is None and subject.weights is None:
        return subject.table.count_once(
            (RevealedValuesCheck.code, column.name, confidence),
            lambda: _record_counts(*_known(subject.classes, column.codes, known), confidence),
        )
    classes, values = _known(subject.classes, column.codes, known)
    pairs = rank_rows([classes, values], len(values))
    # by class: people with a value of this column; by pair: people with this value in this class
    in_class = _people(subject, classes, known)
    in_pair = _people(subject, pairs, known)
    pair_of_row = in_pair[pairs]
    telling = pair_of_row > confidence * in_class[classes]
    class_of_pair = np.empty(len(in_pair), np.int64)
    class_of_pair[pairs] = classes
    distinct = np.bincount(class_of_pair, minlength=len(in_class))
    alone = distinct[classes] == 1
    return _count(subject, alone, known), _count(subject, telling | alone, known)


def _known(classes: Int64s, codes: Int32s, known: Bools) -> tuple[Int64s, Int64s]:
    """The classes and values of the records that are known."""
    if known.all():
        return classes, codes.astype(np.int64)
    return classes[known], codes[known].astype(np.int64)


def _record_counts(classes: Int64s, values: Int64s, confidence: float) -> tuple[int, int]:
    """The same where each row is one person: counted by pairs of a class and a value, which are fewer than rows."""
    width = int(values.max()) + 1
    pairs, in_pair = count_keys(classes * width + values)
    class_of_pair = pairs // width
    in_class = np.bincount(classes)
    telling = in_pair > confidence * in_class[class_of_pair]
    alone = np.bincount(class_of_pair, minlength=len(in_class))[class_of_pair] == 1
    return int(in_pair[alone].sum()), int(in_pair[telling | alone].sum())


def _people(subject: Subject, keys: Int64s, known: np.ndarray) -> Int64s:
    if subject.person is None:
        return np.bincount(keys).astype(np.int64)
    person = subject.person[known]
    width = int(person.max()) + 1
    return np.bincount(np.unique(keys * width + person) // width, minlength=int(keys.max()) + 1).astype(np.int64)


def _count(subject: Subject, chosen: np.ndarray, known: np.ndarray) -> int:
    rows = np.zeros(len(known), np.bool_)
    rows[np.flatnonzero(known)[chosen]] = True
    return subject.people(rows)
