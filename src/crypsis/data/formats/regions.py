"""Counted regions as files: a region per line with its counts, and the declared domains beside them.

{"region":{"continent":"New World","born":[1930,1960]},"counts":{"yes":12,"no":0}}     JSON Lines
a column per attribute (label, or "low..high"), a column "count NAME" per class        Parquet
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from crypsis.data.counted_regions import COUNT, CountedRegions, RegionAttribute
from crypsis.data.formats import parquet
from crypsis.data.formats.private_rows import DOMAINS, read_json_rows, reading_rows, write_rows
from crypsis.strict_json import parse_json, read_json


def write_regions(data: CountedRegions, file: Path, format: str) -> None:
    """Write the regions and the domains."""
    lines = ({"region": region, "counts": counts} for region, counts in data.to_lists())
    domains = data.domains_json() | {"declared": data.declared, "clamp": data.clamp}
    write_rows(file, data.to_frame() if format == "parquet" else lines, domains)


def read_regions(folder: Path, described: Mapping[str, Any]) -> CountedRegions:
    """The regions of a release folder, as its manifest describes them."""
    with reading_rows(folder, described, "counted regions") as file:
        domains = read_json(folder / DOMAINS)
        attributes = [RegionAttribute.from_json(entry) for entry in domains["attributes"]]
        classes = domains["class"]["values"]
        read = _read_parquet if described["format"] == "parquet" else _read_json_lines
        regions = CountedRegions.from_lists(
            attributes, classes, read(file, attributes, classes), domains["class"]["name"]
        )
        return replace(
            regions,
            declared=str(domains["declared"]),
            clamp=bool(domains["clamp"]),
            budget=described["budget"],
        )


Rows = list[tuple[dict[str, Any], dict[str, int]]]


def _read_json_lines(file: Path, attributes: list[RegionAttribute], classes: list[str]) -> Rows:
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
