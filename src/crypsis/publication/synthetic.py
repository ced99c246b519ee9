"""Synthetic trajectories in a release: rows with copies, the declared domains, and what was spent.

{"copies":6,"visits":[["a",1],["b",2]]}              JSON Lines
copies, locations (list of text), times (list)       Parquet
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Int64s, offsets_of
from crypsis.data.domains import LocationDomain, TimeDomain
from crypsis.data.synthetic import SyntheticTrajectories
from crypsis.publication.private_kind import DOMAINS, PrivateKind, read_json_rows, read_typed_rows

_COLUMNS = {"copies": pl.Int64(), "locations": pl.List(pl.String), "times": pl.List(pl.Int64)}


class SyntheticKind(PrivateKind):
    """Made-up trajectories with times."""

    name = "synthetic-trajectories"
    report_place = "synthetic_report.SYNTHETIC_REPORT"
    row_name = "synthetic"
    row_meaning = (
        "One made-up trajectory per row: how many copies of it there are, and its visits, each a location and a time."
    )
    domain_meaning = "The locations and times that there are, as the publisher declared them."
    empty_note = "nothing passed its threshold, so the release is empty; lower the height or coarsen the domains"

    def sorted_rows(self, published: SyntheticTrajectories) -> Int64s:
        keys = sorted(range(len(published)), key=_row_keys(published).__getitem__)
        return np.array(keys, np.int64)

    def lines(self, published: SyntheticTrajectories) -> Iterator[dict[str, Any]]:
        return ({"copies": copies, "visits": visits} for copies, visits in published.to_lists())

    def domains(self, published: SyntheticTrajectories) -> dict[str, Any]:
        return {"locations": published.locations.to_json(), "times": published.times.to_json()}

    def digests(self, published: SyntheticTrajectories, told: Mapping[str, Any]) -> dict[str, tuple[Any, str]]:
        return {name: (one.get("digest"), getattr(published, name).digest) for name, one in told.items()}

    def assemble(self, file: Path, domains: Mapping[str, Any], described: Mapping[str, Any]) -> SyntheticTrajectories:
        locations, times = LocationDomain.from_json(domains["locations"]), TimeDomain.from_json(domains["times"])
        frame = read_typed_rows(file, _COLUMNS) if described["format"] == "parquet" else _read_json_lines(file)
        lengths = [frame[name].list.len() for name in ("locations", "times")]
        places, moments = (frame[name].explode(empty_as_null=False) for name in ("locations", "times"))
        if any(column.null_count() for column in (frame["copies"], *lengths, places, moments)):
            raise ValueError("a cell is empty")
        if (lengths[0] != lengths[1]).any():
            raise ValueError("a row does not have one time for each place")
        return SyntheticTrajectories(
            offsets_of(lengths[0].to_numpy().astype(np.int64)),
            locations.vocabulary.encode(places),
            times.encode(moments.to_numpy().astype(np.int64)),
            frame["copies"].to_numpy().astype(np.int64),
            locations,
            times,
            described["rule"],
            described["height"],
            described["budget"],
        )

    def describe(self, published: SyntheticTrajectories) -> dict[str, Any]:
        return {
            "rows": len(published),
            "trajectories": published.trajectories,
            "visits": published.visits,
            "rule": published.order,
            "height": published.height,
            "domains": {
                name: {"size": len(domain), "digest": domain.digest, "declared": domain.declared, "file": DOMAINS}
                for name, domain in (("locations", published.locations), ("times", published.times))
            },
            "budget": dict(published.budget),
        }

    def is_sound(self, described: Mapping[str, Any]) -> bool:
        domains = described.get("domains") or {}
        return (
            super().is_sound(described)
            and isinstance(described.get("rule"), str)
            and isinstance(described.get("height"), int)
            and set(domains) == {"locations", "times"}
            and all(isinstance(told, dict) for told in domains.values())
        )


def _row_keys(published: SyntheticTrajectories) -> list[tuple[int, ...]]:
    """Rows in canonical order: by the times and locations of their visits."""
    pairs = published.time_codes.astype(np.int64) * len(published.locations) + published.location_codes
    listed, bounds = pairs.tolist(), published.offsets.tolist()
    return [tuple(listed[start:end]) for start, end in pairwise(bounds)]


def _read_json_lines(file: Path) -> pl.DataFrame:
    rows = read_json_rows(file)
    if not all(type(row["copies"]) is int and all(type(time) is int for _, time in row["visits"]) for row in rows):
        raise ValueError("copies and times are whole numbers")
    columns = {
        "copies": [row["copies"] for row in rows],
        "locations": [[label for label, _ in row["visits"]] for row in rows],
        "times": [[time for _, time in row["visits"]] for row in rows],
    }
    return pl.DataFrame(columns, schema=_COLUMNS)
