"""Vectors of scale-out for tables: releases of parts, and why t-closeness looks at the whole column."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

import crypsis
from crypsis.data.relational import PublishedTable, Table
from crypsis.executors.serial import Serial
from crypsis.guarantees import TCloseness
from crypsis.verifiers import verify
from tests.conformance import vectors
from tests.shards.cut_tables import release_cut

METHODS = {"mondrian": crypsis.Mondrian, "incognito": crypsis.Incognito}
UNION = "scale_out/t_closeness_union.json"
CASES = [
    vectors.case(f"scale_out/{name}.json", name, case, name=number)
    for name in METHODS
    for number, case in enumerate(vectors.load(f"scale_out/{name}.json")["cases"])
]


@pytest.mark.parametrize(("name", "case"), CASES)
def test_parts_are_published_like_the_whole(name: str, case: dict[str, Any]) -> None:
    compare(name, case, [3], [30])


@pytest.mark.long
@pytest.mark.parametrize(("name", "case"), CASES)
def test_every_way_to_cut_publishes_the_whole(name: str, case: dict[str, Any]) -> None:
    compare(name, case, case["parts"], case["block_rows"])


def compare(name: str, case: dict[str, Any], numbers_of_parts: list[int], sizes_of_blocks: list[int]) -> None:
    names = list(case["roles"])
    columns = {one: [row[place] for row in case["input"]] for place, one in enumerate(names)}
    table = Table.from_frame(pl.DataFrame(columns), case["roles"])
    method = METHODS[name](**case["parameters"])
    for parts in numbers_of_parts:
        cuts = [len(table) * number // parts for number in range(1, parts)]
        for block_rows in sizes_of_blocks:
            with Serial() as executor:
                release = release_cut(table, method, cuts, block_rows, executor)
                rows = [list(row) for row in release.in_memory().data.to_frame().rows()]
                if "max_suppressed" in case["parameters"]:  # ranges are narrower: they span published rows alone
                    assert _classes(rows) == _classes(case["published"])
                    rows, expected = _without_ranges(rows), _without_ranges(case["published"])
                else:
                    expected = case["published"]
                assert rows == expected
                assert release.verify().holds


@pytest.mark.parametrize(
    "case", [vectors.case(UNION, case, name=number) for number, case in enumerate(vectors.load(UNION)["cases"])]
)
def test_distances_to_the_own_block_say_nothing_about_the_whole(case: dict[str, Any]) -> None:
    blocks = case["class_counts_by_block"]
    whole = np.sum([np.sum(block, axis=0) for block in blocks], axis=0)
    for number, block in enumerate(blocks):
        own = np.sum(block, axis=0)
        assert [_distance(counts, own) for counts in block] == [*map(Fraction, case["distance_to_own_block"][number])]
        assert [_distance(counts, whole) for counts in block] == [*map(Fraction, case["distance_to_whole"][number])]
    farthest = max(Fraction(one) for block in case["distance_to_whole"] for one in block)
    assert verify(_published(blocks), TCloseness(t=float(farthest) + 1e-6)).holds
    assert not verify(_published(blocks), TCloseness(t=float(farthest) * 0.99)).holds


def _classes(rows: list[list[str]]) -> list[int]:
    """The first row that looks like each, by its quasi-identifiers."""
    first: dict[tuple[str, ...], int] = {}
    return [first.setdefault(tuple(row[:-1]), number) for number, row in enumerate(rows)]


def _without_ranges(rows: list[list[str]]) -> list[list[str]]:
    return [["[]" if text.startswith("[") else text for text in row] for row in rows]


def _distance(counts: Any, whole: Any) -> Fraction:
    size, total = int(sum(counts)), int(sum(whole))
    differences = (abs(Fraction(int(a), size) - Fraction(int(b), total)) for a, b in zip(counts, whole, strict=True))
    return sum(differences, Fraction(0)) / 2


def _published(blocks: Any) -> PublishedTable:
    """Every class of every block as one class of a table."""
    classes = [counts for block in blocks for counts in block]
    rows = [
        (f"c{number}", f"v{value}")
        for number, counts in enumerate(classes)
        for value, count in enumerate(counts)
        for _ in range(count)
    ]
    frame = pl.DataFrame(rows, schema=["class", "secret"], orient="row")
    roles, types = {"class": "quasi", "secret": "sensitive"}, {"class": "category", "secret": "category"}
    return PublishedTable.from_frame(frame, roles, types)
