"""Recount k-anonymity of a published table: the records or people of every combination of quasi-identifiers."""

from __future__ import annotations

from typing import Any

import numpy as np

from crypsis.data.relational import PublishedTable, Table
from crypsis.errors import NoQuasiIdentifiers
from crypsis.guarantees import Guarantee, KAnonymity, LDiversity, TCloseness, Verdict, Witness
from crypsis.verifiers.counted_people import EACH_RECORD, counted_persons, refuse_uncounted
from crypsis.verifiers.table_classes import TableClasses, cells_of
from crypsis.verifiers.table_recoding import untruthful

COUNTED = "the records of every combination of published quasi-identifiers were counted"
COUNTED_PEOPLE = "the people of every combination of published quasi-identifiers were counted"


def verify_k_anonymity(
    published: PublishedTable, promised: KAnonymity, original: Table | None = None, classes: TableClasses | None = None
) -> Verdict:
    """The smallest class decides. With the original, first that every cell contains the value it was made from."""
    classes, broken = classes_to_judge(published, promised, promised.k, original, classes)
    if broken is not None:
        return broken
    by_person = promised.unit == "person"
    counted = COUNTED_PEOPLE if by_person else f"{COUNTED}{EACH_RECORD}"
    figures: dict[str, Any] = classes.figures
    individuals = classes.individuals
    if not len(individuals):
        return Verdict(promised, True, None, promised.k, counted, figures=figures)
    smallest = int(np.argmin(individuals))
    size = int(individuals[smallest])
    if size >= promised.k:
        if by_person and classes.people is None:
            refuse_uncounted(size)
        return Verdict(promised, True, size, promised.k, counted, figures=figures)
    too_small = int(np.count_nonzero(individuals < promised.k))
    witness = Witness(cells_of(published, int(classes.first[smallest])), size, too_small)
    one, many = ("person", "people") if classes.people is not None else ("record", "records")
    problem = f"{witness} belongs to {size} {one if size == 1 else many}, {promised.k} are required."
    return Verdict(promised, False, size, promised.k, counted, witness, problem, figures)


def require_quasi_identifiers(published: PublishedTable, promised: Guarantee) -> None:
    """Without them all records are one class, and the promise would hold of any table."""
    if not published.quasi:
        raise NoQuasiIdentifiers(
            f"{promised.model} is a guarantee about the columns that others may know, and the table has none of them; "
            "name the quasi-identifiers."
        )


def classes_to_judge(
    published: PublishedTable,
    promised: KAnonymity | LDiversity | TCloseness,
    required: float,
    original: Table | None,
    counted: TableClasses | None,
) -> tuple[TableClasses, Verdict | None]:
    """The sound classes of a table that has quasi-identifiers; those that were counted already are sound."""
    require_quasi_identifiers(published, promised)
    if counted is not None:
        return counted, None
    return sound_classes(published, promised, promised.unit, required, original)


def sound_classes(
    published: PublishedTable, promised: Guarantee, unit: str, required: float, original: Table | None
) -> tuple[TableClasses, Verdict | None]:
    """The classes, and the verdict on a table that is no honest recoding, whatever it promises, where it is none."""
    person, problem = counted_persons(published, unit, original)
    classes = TableClasses.of(published, person)
    how = COUNTED
    if classes.problem is not None:
        problem = classes.problem
    elif problem is None and original is not None:
        # whose a row is is told by its place
        problem = untruthful(published, original, in_order=person is not None)
        how = "compared with the original"
    if problem is None:
        return classes, None
    return classes, Verdict(promised, False, None, required, how, problem=problem + ".")
