"""Persons as dense numbers: whose each record is, where one person may have several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Int64s
from crypsis.errors import BadParameter, BadRow, InputError, OptionWithoutEffect


def person_codes(names: pl.Series | Sequence[Any]) -> Int64s:
    """A number per record, from 0 in the order of the names: it does not depend on the order of the records."""
    given = pl.Series(list(names)) if not isinstance(names, pl.Series) else names
    if given.is_null().any():
        raise BadRow("A record names no person; name one for every record, or leave the persons out.")
    texts = given.cast(pl.String)
    refuse_lookalikes(texts.unique())
    return np.asarray(np.unique(texts.to_list(), return_inverse=True)[1], np.int64)


def refuse_lookalikes(names: pl.Series, column: str | None = None) -> None:
    """Refuse different names of which some differ only by blanks around them: one person would be counted twice."""
    if names.dtype != pl.String:
        return
    if names.str.strip_chars().n_unique() < len(names):
        raise BadRow(
            "Persons have names that differ only by blanks around them, so they would be counted twice; write each "
            "name alike everywhere.",
            where=None if column is None else f"column {column!r}",
        )


def refuse_both(person: str | None, each_row_is_a_person: bool) -> None:
    """A column names the person, or each record is one: not both."""
    if person is not None and each_row_is_a_person:
        raise BadParameter(
            f"Column '{person}' names the person, so records are not persons of their own; give one of `person` and "
            "`each_row_is_a_person`.",
            parameter="each_row_is_a_person",
        )


def refuse_uniting(unite: str | None, person: str | None) -> None:
    """`unite` is 'person', and then a column names the person."""
    if unite is None:
        return
    if unite != "person":
        raise BadParameter(f"unite must be 'person', got {unite!r}.", parameter="unite")
    if person is None:
        raise OptionWithoutEffect(
            "unite='person' makes one record of all records of a person; say whose they are too (person='COLUMN').",
            parameter="unite",
        )


def dense_persons(person: Int64s | None, n_records: int) -> Int64s | None:
    """Checked persons without gaps in their numbers."""
    if person is None:
        return None
    if len(person) != n_records:
        raise InputError(f"There are {len(person)} persons for {n_records} records.")
    if not len(person):
        return np.zeros(0, np.int64)
    return np.unique(person, return_inverse=True)[1].astype(np.int64)


def persons_by_first_record(person: Int64s, n_records: int) -> Int64s | None:
    """Persons numbered from 0 in the order of their first records; None where each record is a person of its own."""
    if len(person) != n_records:
        raise InputError(f"There must be one person per record, got {len(person)} for {n_records} records.")
    _, first, codes = np.unique(person, return_index=True, return_inverse=True)
    if len(first) == n_records:
        return None
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(len(first))
    return rank[codes.reshape(-1)]
