"""Recount k-anonymity of a published table: the records of every combination of quasi-identifiers."""

from __future__ import annotations

from typing import Any

import numpy as np

from crypsis.data.relational import PublishedTable, Table
from crypsis.errors import NoQuasiIdentifiers
from crypsis.guarantees import Guarantee, KAnonymity, Verdict, Witness
from crypsis.verifiers.table_classes import TableClasses, cells_of
from crypsis.verifiers.table_recoding import untruthful

COUNTED = "the records of every combination of published quasi-identifiers were counted"


def verify_k_anonymity(
    published: PublishedTable, promised: KAnonymity, original: Table | None = None, classes: TableClasses | None = None
) -> Verdict:
    """The smallest class decides. With the original, first that every cell contains the value it was made from."""
    require_quasi_identifiers(published, promised)
    known = classes is not None
    classes = classes or TableClasses.of(published)
    broken = None if known else unsound(published, promised, promised.k, classes, original)
    if broken is not None:
        return broken
    figures: dict[str, Any] = classes.figures
    if not len(classes.sizes):
        return Verdict(promised, True, None, promised.k, COUNTED, figures=figures)
    smallest = int(np.argmin(classes.sizes))
    size = int(classes.sizes[smallest])
    if size >= promised.k:
        return Verdict(promised, True, size, promised.k, COUNTED, figures=figures)
    too_small = int(np.count_nonzero(classes.sizes < promised.k))
    witness = Witness(cells_of(published, int(classes.first[smallest])), size, too_small)
    problem = f"{witness} belongs to {size} record{'s' if size > 1 else ''}, {promised.k} are required."
    return Verdict(promised, False, size, promised.k, COUNTED, witness, problem, figures)


def require_quasi_identifiers(published: PublishedTable, promised: Guarantee) -> None:
    """Without them all records are one class, and the promise would hold of any table."""
    if not published.quasi:
        raise NoQuasiIdentifiers(
            f"{promised.model} is a promise about the columns that others may know, and the table has none of them; "
            "name the quasi-identifiers."
        )


def unsound(
    published: PublishedTable, promised: Guarantee, required: float, classes: TableClasses, original: Table | None
) -> Verdict | None:
    """The verdict on a table that is no honest recoding, whatever it promises; None where it is one."""
    problem = classes.problem
    how = COUNTED
    if problem is None and original is not None:
        problem, how = untruthful(published, original), "compared with the original"
    return None if problem is None else Verdict(promised, False, None, required, how, problem=problem + ".")
