"""A column that seems to name people with several records, where these lie in different parts.

A reader that sees one part sees one record of each person there. So the parts tell which values stand in which of their
records, as hashes, and the driver looks whether a value stands in several.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from crypsis.data.person_detection import PersonLike, first_person_like
from crypsis.data.person_of_records import may_name_people
from crypsis.data.scanned import Part
from crypsis.data.scanned_records import ScannedRecords
from crypsis.data.usual_columns import item_column
from crypsis.executors.executor import Executor
from crypsis.executors.scratch import Scratch, load
from crypsis.shards.gathered_rows import hash_ids

_SHOWN = 1000  # values of a part that tell what all are


class NamedRecords(NamedTuple):
    """What a column of one part names: hashes of its values, of each value with its record, and some values."""

    values: NDArray[np.uint64]
    pairs: NDArray[np.uint64]
    shown: pl.Series


def person_like_of_parts(
    scanned: ScannedRecords, parts: Sequence[Part], used: Collection[str], n_records: int, executor: Executor
) -> PersonLike | None:
    """The column that seems to name people with several records; `used` columns say something else."""
    settings = scanned.source.parameters()
    told = settings.get("person") is not None and (not scanned.on_grid or settings.get("id") is not None)
    if len(parts) < 2 or settings.get("each_row_is_a_person") or told:
        return None
    folder = str(executor.scratch.below("people").folder)
    files = executor.map(note_named_records, list(enumerate(parts)), folder, scanned, frozenset(used))
    noted: list[dict[str, NamedRecords]] = [load(file) for file in files]
    looked_at, named = [], {}
    for name in dict.fromkeys(name for note in noted for name in note):
        hashes = [note[name] for note in noted if name in note]
        named[name] = len(np.unique(np.concatenate([one.values for one in hashes])))
        present = len(np.unique(np.concatenate([one.pairs for one in hashes])))
        if present > named[name]:
            shown = pl.concat([one.shown.cast(pl.String) for one in hashes]).unique()
            looked_at.append((name, shown, present, False))
    records = "records" if scanned.source.kind == "transactions" else scanned.source.plural
    like = first_person_like(looked_at, n_records, records)
    return None if like is None else replace(like, values=named[like.column])


def note_named_records(numbered: tuple[int, Part], folder: str, scanned: ScannedRecords, used: frozenset[str]) -> str:
    """A file with what the columns of a part name that may name people."""
    number, part = numbered
    frame = scanned.read_rows(part)
    settings = {value for value in scanned.source.parameters().values() if isinstance(value, str)}
    used |= settings | {scanned.id_column, item_column(frame.columns) or ""}
    candidates = {}
    if scanned.id_column in frame.columns:
        candidates = {
            name: named_records(frame[scanned.id_column], frame[name])
            for name in frame.columns
            if name not in used and not frame[name].dtype.is_nested() and may_name_people(name, frame[name])
        }
    return Scratch.at(folder).save(f"people-{number:06d}", candidates)


def named_records(ids: pl.Series, cells: pl.Series) -> NamedRecords:
    """What cells name, of records whose ids stand beside them. An empty cell names nobody."""
    filled = (cells.is_not_null() & (cells.cast(pl.String).str.strip_chars() != "")).fill_null(False)
    known, own = cells.filter(filled), hash_ids(ids.filter(filled))
    hashes = hash_ids(known)
    pairs = pl.DataFrame({"record": own, "value": hashes}).hash_rows(seed=7)
    return NamedRecords(hashes.unique().to_numpy(), pairs.unique().to_numpy(), known.unique().head(_SHOWN))
