"""Counted regions as files: a region per line with its counts, and the declared domains beside them.

{"region":{"continent":"New World","born":[1930,1960]},"counts":{"yes":12,"no":0}}     JSON Lines
a column per attribute (label, or "low..high"), a column "count NAME" per class        Parquet
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from crypsis.data.counted_regions import COUNT, CountedRegions, RegionAttribute
from crypsis.data.formats import parquet
from crypsis.data.formats.compression import existing_file
from crypsis.errors import BadDomain, BadRelease, BadTaxonomy, InputError, WriteFailed
from crypsis.strict_json import parse_json, read_json

DOMAINS = "domains.json"


def write_regions(data: CountedRegions, folder: Path, file: str, format: str) -> None:
    """Write the regions and the domains."""
    try:
        if format == "parquet":
            data.to_frame().write_parquet(folder / file, compression="zstd", statistics=False)
        else:
            with (folder / file).open("w", encoding="utf-8") as stream:
                for region, counts in data.to_lists():
                    line = {"region": region, "counts": counts}
                    stream.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
        content = data.domains_json() | {"declared": data.declared, "clamp": data.clamp}
        (folder / DOMAINS).write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    except (OSError, pl.exceptions.ComputeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise WriteFailed(f"{file} cannot be written: {reason}. Free some space or choose another place.") from error


def read_regions(folder: Path, described: Mapping[str, Any]) -> CountedRegions:
    """The regions of a release folder, as its manifest describes them."""
    file = existing_file(folder / described["file"])
    try:
        domains = read_json(folder / DOMAINS)
        attributes = [RegionAttribute.from_json(entry) for entry in domains["attributes"]]
        classes = domains["class"]["values"]
        read = _read_parquet if described["format"] == "parquet" else _read_json_lines
        found = CountedRegions.from_lists(
            attributes, classes, read(file, attributes, classes), domains["class"]["name"]
        )
        return CountedRegions(
            found.attributes,
            found.classes,
            found.low,
            found.high,
            found.node,
            found.counts,
            found.class_name,
            str(domains["declared"]),
            bool(domains["clamp"]),
            described["budget"],
        )
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        OverflowError,
        OSError,
        BadDomain,
        BadTaxonomy,
        InputError,
        pl.exceptions.PolarsError,
    ) as error:
        raise BadRelease(f"{file.name} does not hold counted regions: {error}.", where=str(file)) from error


Rows = list[tuple[dict[str, Any], dict[str, int]]]


def _read_json_lines(file: Path, attributes: list[RegionAttribute], classes: list[str]) -> Rows:
    rows = [parse_json(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
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
