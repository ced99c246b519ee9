"""People with a record in each part are asked about, as they are where the same files are read into memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import crypsis
from crypsis.shards.suspected_people import named_records

PARTS, PEOPLE = 3, 8
Call = Callable[..., Any]


def write(folder: Path, header: str, row: Call, steps: int) -> None:
    for part in range(PARTS):
        rows = "".join(row(part, person, step) for person in range(PEOPLE) for step in range(steps))
        (folder / f"{part}.csv").write_text(f"{header}\n{rows}")


def visits(folder: Path, named: str) -> tuple[Call, Call, crypsis.Method]:
    def row(part: int, person: int, step: int) -> str:
        return f"t{part}_{person},{step},{'ab'[step]},c{person}\n"

    write(folder, f"trajectory_id,position,location,{named}", row, 2)
    return crypsis.read_trajectories, crypsis.scan_trajectories, crypsis.KAMCut(k=2)


def baskets(folder: Path, named: str) -> tuple[Call, Call, crypsis.Method]:
    write(folder, f"id,item,{named}", lambda part, person, step: f"t{part}_{person},{'ab'[step]},c{person}\n", 2)
    return crypsis.read_transactions, crypsis.scan_transactions, crypsis.VPA(k=2, m=1)


def tracks(folder: Path, named: str) -> tuple[Call, Call, crypsis.Method]:
    def row(part: int, person: int, step: int) -> str:
        return f"t{part}_{person},{100 * step + person},{person},{60 * step},c{person}\n"

    write(folder, f"track_id,x,y,t,{named}", row, 3)
    return crypsis.read_tracks, crypsis.scan_tracks, crypsis.PPSG(radius=200, k=4)


each_kind = pytest.mark.parametrize("make", [visits, baskets, tracks])


@each_kind
def test_somebody_with_a_record_in_each_part_is_asked_about(make: Call, tmp_path: Path) -> None:
    read, scan, method = make(tmp_path, "customer_id")
    asked = []
    for data in (read, scan):
        with pytest.raises(crypsis.errors.PersonUndecided) as refused:
            crypsis.anonymize(data(tmp_path), method)
        asked.append((refused.value.sentence, refused.value.details))
    assert asked[0] == asked[1]


@each_kind
def test_who_says_that_each_record_is_a_person_is_believed(make: Call, tmp_path: Path) -> None:
    _, scan, method = make(tmp_path, "customer_id")
    assert crypsis.anonymize(scan(tmp_path, each_row_is_a_person=True), method).verify().holds


@each_kind
def test_a_column_that_names_nobody_is_not_asked_about(make: Call, tmp_path: Path) -> None:
    _, scan, method = make(tmp_path, "weather")
    assert crypsis.anonymize(scan(tmp_path), method).verify().holds


def test_a_record_that_lies_in_two_parts_is_one_record(tmp_path: Path) -> None:
    for part, item in enumerate("ab"):
        rows = "".join(f"t{person},{item},c{person}\n" for person in range(PEOPLE))
        (tmp_path / f"{part}.csv").write_text("id,item,customer_id\n" + rows)
    assert crypsis.anonymize(crypsis.scan_transactions(tmp_path), crypsis.VPA(k=2, m=1)).verify().holds


def test_an_empty_cell_names_nobody() -> None:
    named = named_records(pl.Series(["a", "b", "c", "d"]), pl.Series(["x", "", " ", None]))
    assert (len(named.values), len(named.pairs), named.shown.to_list()) == (1, 1, ["x"])
