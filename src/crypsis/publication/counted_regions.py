"""Counted regions in a release: generalized records with noisy counts, the declared domains, and what was spent.

{"region":{"continent":"New World","born":[1930,1960]},"counts":{"yes":12,"no":0}}     JSON Lines
a column per attribute (label, or "low..high"), a column "count NAME" per class        Parquet
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from crypsis.arrays import Int64s
from crypsis.data.counted_regions import COUNT, CountedRegions, RegionAttribute
from crypsis.data.formats import parquet
from crypsis.publication.private_kind import DOMAINS, PrivateKind, read_json_rows
from crypsis.strict_json import parse_json

Rows = list[tuple[dict[str, Any], dict[str, int]]]


class CountedRegionsKind(PrivateKind):
    """Generalized records with counts."""

    name = "counted-regions"
    report_place = "regions_report.REGIONS_REPORT"
    row_name = "regions"
    row_meaning = (
        "One region of the domain per row: a category or an interval for each attribute, and a noisy count for each "
        "class. An interval holds its lower end and not its upper one."
    )
    domain_meaning = "The numbers, categories and classes that there are, as the publisher declared them."

    def sorted_rows(self, published: CountedRegions) -> Int64s:
        keys = np.concatenate([published.low, published.high], axis=1)
        return np.lexsort(keys.T[::-1]).astype(np.int64) if keys.size else np.arange(len(published))

    def lines(self, published: CountedRegions) -> Iterator[dict[str, Any]]:
        return ({"region": region, "counts": counts} for region, counts in published.to_lists())

    def domains(self, published: CountedRegions) -> dict[str, Any]:
        return published.domains_json() | {"declared": published.declared, "clamp": published.clamp}

    def digests(self, published: CountedRegions, told: Mapping[str, Any]) -> dict[str, tuple[Any, str]]:
        return {"domains": (told.get("digest"), published.digest)}

    def assemble(self, file: Path, domains: Mapping[str, Any], described: Mapping[str, Any]) -> CountedRegions:
        attributes = [RegionAttribute.from_json(entry) for entry in domains["attributes"]]
        classes = domains["class"]["values"]
        packed = described["format"] == "parquet"
        rows = _read_parquet(file, attributes, classes) if packed else _read_json_lines(file)
        regions = CountedRegions.from_lists(attributes, classes, rows, domains["class"]["name"])
        return replace(
            regions,
            declared=str(domains["declared"]),
            clamp=bool(domains["clamp"]),
            budget=described["budget"],
        )

    def describe(self, published: CountedRegions) -> dict[str, Any]:
        return {
            "rows": len(published),
            "records": published.records,
            "attributes": list(published.names),
            "class": published.class_name,
            "domains": {"digest": published.digest, "declared": published.declared, "file": DOMAINS},
            "budget": dict(published.budget),
        }


def _read_json_lines(file: Path) -> Rows:
    rows = read_json_rows(file)
    if not all(type(count) is int for row in rows for count in row["counts"].values()):
        raise ValueError("counts are whole numbers")
    return [(row["region"], row["counts"]) for row in rows]


def _read_parquet(file: Path, attributes: list[RegionAttribute], classes: list[str]) -> Rows:
    counts = [COUNT + label for label in classes]
    frame, _ = parquet.read_frame(file, columns=[*(attribute.name for attribute in attributes), *counts])
    rows: Rows = []
    for row in frame.iter_rows(named=True):
        region = {
            attribute.name: _interval(row[attribute.name]) if attribute.numeric else row[attribute.name]
            for attribute in attributes
        }
        rows.append((region, {label: row[COUNT + label] for label in classes}))
    return rows


def _interval(text: str) -> list[float]:
    low, _, high = text.partition("..")
    return [parse_json(low), parse_json(high)]
