"""Synthetic transactions in a release: sets with copies, the declared items, and what was spent.

{"copies":6,"items":["bread","milk"]}                JSON Lines
copies, items (list of text)                         Parquet
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Int64s, offsets_of
from crypsis.data.item_domain import ItemDomain
from crypsis.data.synthetic_sets import SyntheticTransactions
from crypsis.errors import BadRelease
from crypsis.publication.private_kind import DOMAINS, PrivateKind, read_json_rows, read_typed_rows

_COLUMNS = {"copies": pl.Int64(), "items": pl.List(pl.String)}


class SyntheticSetsKind(PrivateKind):
    """Made-up sets of items."""

    name = "synthetic-transactions"
    report_place = "synthetic_sets_report.SYNTHETIC_SETS_REPORT"
    row_name = "synthetic"
    row_meaning = "One made-up set of items per row, and how many copies of it there are."
    domain_meaning = "The items that there are, as the publisher declared them."
    empty_note = "nothing passed its threshold, so the release is empty; raise epsilon or take fewer items"

    def sorted_rows(self, published: SyntheticTransactions) -> Int64s:
        items, bounds = published.items.tolist(), published.offsets.tolist()
        keys = [items[start:end] for start, end in pairwise(bounds)]
        return np.array(sorted(range(len(published)), key=keys.__getitem__), np.int64)

    def lines(self, published: SyntheticTransactions) -> Iterator[dict[str, Any]]:
        return ({"copies": copies, "items": items} for copies, items in published.to_lists())

    def domains(self, published: SyntheticTransactions) -> dict[str, Any]:
        return {"items": published.domain.to_json()}

    def digests(self, published: SyntheticTransactions, told: Mapping[str, Any]) -> dict[str, tuple[Any, str]]:
        return {"items": (told["items"].get("digest"), published.domain.digest)}

    def assemble(self, file: Path, domains: Mapping[str, Any], described: Mapping[str, Any]) -> SyntheticTransactions:
        domain = ItemDomain.from_json(domains["items"])
        frame = read_typed_rows(file, _COLUMNS) if described["format"] == "parquet" else _read_json_lines(file)
        if frame["items"].null_count() or frame["copies"].null_count():
            raise BadRelease("A row lacks its items or its number of copies.", where=str(file))
        return SyntheticTransactions(
            offsets_of(frame["items"].list.len().to_numpy().astype(np.int64)),
            domain.vocabulary.encode(frame["items"].explode(empty_as_null=False)),
            frame["copies"].to_numpy().astype(np.int64),
            domain,
            described["budget"],
        )

    def describe(self, published: SyntheticTransactions) -> dict[str, Any]:
        domain = published.domain
        description = {"size": len(domain), "digest": domain.digest, "declared": domain.declared, "file": DOMAINS}
        return {
            "rows": len(published),
            "records": published.records,
            "occurrences": published.occurrences,
            "domains": {"items": description},
            "budget": dict(published.budget),
        }

    def is_sound(self, described: Mapping[str, Any]) -> bool:
        domains = described.get("domains") or {}
        return super().is_sound(described) and isinstance(domains.get("items"), dict)


def _read_json_lines(file: Path) -> pl.DataFrame:
    rows = read_json_rows(file)
    if not all(type(row["copies"]) is int and all(type(item) is str for item in row["items"]) for row in rows):
        raise ValueError("copies are whole numbers and items are labels")
    return pl.DataFrame({name: [row[name] for row in rows] for name in _COLUMNS}, schema=_COLUMNS)
