"""Private methods on parts: the draws, the ledger and the release of data in memory; no task draws or charges."""

from __future__ import annotations

import json
import os
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import crypsis
from crypsis.data.sources import read_as
from crypsis.errors import NotScalable, PartsDiffer, PersonNotSupported, TooLarge
from crypsis.executors.serial import Serial
from crypsis.ledger import BudgetLedger
from crypsis.methods import METHODS, summed_counts
from crypsis.methods.private_method import PrivateMethod
from crypsis.methods.relational import region_records
from tests.shards.cut_private import NAMES, compare_private, drawn, outcome


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(4))
def test_a_run_on_parts_draws_what_one_in_memory_does(name: str, seed: int) -> None:
    with Serial() as executor:
        compare_private(name, seed, executor)


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_many_datasets_are_released_alike_however_they_are_cut(name: str) -> None:
    with Serial() as executor:
        for seed in range(100, 100 + int(os.environ.get("CRYPSIS_TABLES", "60"))):
            compare_private(name, seed, executor)


def test_every_private_method_is_tried() -> None:
    assert sorted(method.name() for method in METHODS.values() if issubclass(method, PrivateMethod)) == NAMES


def test_many_counts_are_asked_for_in_several_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(region_records, "COUNTS_AT_ONCE", 40)
    monkeypatch.setattr(region_records, "_LARGEST_KEY", 900)
    with Serial() as executor:
        for seed in range(6):
            compare_private("diff-multi", seed, executor)


def test_more_counts_than_the_driver_adds_up_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summed_counts, "MOST_NUMBERS", 3)
    data, options = drawn("diff-multi", np.random.default_rng([2, 8]))
    method = crypsis.DiffMulti(**{**options, "specializations": 3, "max_depth": 2})
    with Serial() as executor, pytest.raises(TooLarge, match="3 can be added up"):
        outcome(method, method.in_parts(data, executor), 1, [])


def test_records_that_workers_cannot_hold_are_refused_before_the_charge(monkeypatch: pytest.MonkeyPatch) -> None:
    data, options = drawn("diff-multi", np.random.default_rng([2, 8]))
    log: list[object] = []
    with Serial() as executor:
        monkeypatch.setattr(executor, "memory", 64)
        method = crypsis.DiffMulti(**options)
        with pytest.raises(TooLarge, match="hold what is counted"):
            outcome(method, method.in_parts(data, executor), 1, log)
    assert not log


DOMAINS = crypsis.AttributeDomains(
    {"age": crypsis.NumericDomain(18, 66), "town": crypsis.CategoryDomain(("t0", "t1", "t2"))}
)
TABLES = {
    "parquet": lambda frame, file: frame.write_parquet(file),
    "csv": lambda frame, file: frame.write_csv(file),
    "jsonl": lambda frame, file: frame.write_ndjson(file),
}


@pytest.mark.parametrize("format", TABLES)
@pytest.mark.parametrize("public", [False, True])
def test_scanned_tables_are_read_a_record_at_a_time(format: str, public: bool, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    for number, rows in enumerate((30, 0, 17)):
        ages = [None if one > 70 else one for one in rng.integers(10, 75, rows).tolist()]
        towns = [f"t{one}" for one in rng.integers(0, 5, rows)]
        frame = pl.DataFrame({"age": pl.Series(ages, dtype=pl.Int64), "town": pl.Series(towns, dtype=pl.String)})
        if rows or format != "jsonl":
            TABLES[format](frame, tmp_path / f"{number}.{format}")
    if format == "csv":  # lines that are no records
        with (tmp_path / "0.csv").open("a") as stream:
            stream.write("1,2,3\n")
    domains = crypsis.AttributeDomains.from_text("public-in-data") if public else DOMAINS
    method = crypsis.DiffMulti(epsilon=3, domains=domains, specializations=9)
    roles = {"age": "quasi", "town": "quasi"}
    table = crypsis.read_table(tmp_path, roles, each_row_is_a_person=True, for_method=method)
    scanned = crypsis.scan_table(tmp_path, roles, each_row_is_a_person=True)
    with Serial(scratch=tmp_path.parent) as executor:
        parts = method.in_parts(scanned, executor)
        ready = method.resolve(parts.known()) if public else method
        logs: list[list[object]] = [[], []]
        expected = outcome(method.resolve(table), table, 5, logs[0])
        assert outcome(ready, parts, 5, logs[1]) == expected
        assert logs[0] == logs[1]
        assert expected["facts"]["lines_left_out_when_reading"] == (1 if format == "csv" else 0)
    release = crypsis.anonymize(scanned, method)
    assert release.verify().holds
    assert release.guarantee == crypsis.anonymize(table, method).guarantee
    assert release.original is None
    folder = release.write(tmp_path.parent / f"{tmp_path.name}-release")
    assert crypsis.read_release(folder).verify().holds


BASKETS = [["milk", "beer"], ["milk", "wine"], ["milk", "beer", "bread"], ["beer"], [], ["zq"]] * 12


@pytest.mark.parametrize("form", ["lists", "rows", "column"])
@pytest.mark.parametrize("public", [False, True])
def test_scanned_sets_are_read_a_record_at_a_time(form: str, public: bool, tmp_path: Path) -> None:
    given: dict[str, object] = {}
    for number, rows in enumerate((BASKETS[:30], BASKETS[30:])):
        if form == "lists":
            text = "".join(json.dumps(row) + "\n" for row in rows) + "no record\n"
            (tmp_path / f"{number}.jsonl").write_text(text)
        elif form == "rows":
            pairs = [(f"{number}-{index}", item) for index, row in enumerate(rows) for item in row]
            pl.DataFrame(pairs, schema=["id", "item"], orient="row").write_csv(tmp_path / f"{number}.csv")
            given = {"id": "id", "each_row_is_a_person": True}
        else:
            pl.DataFrame({"bought": [" ".join(row) for row in rows]}).write_csv(tmp_path / f"{number}.csv")
            given = {"columns": {"bought": {"type": "items"}}, "each_row_is_a_person": True}
    items = ["milk", "beer", "wine", "bread", "tea"]
    domain = crypsis.ItemDomain.from_text("public-in-data") if public else crypsis.ItemDomain(items)
    method = crypsis.DiffPart(epsilon=6, fan_out=2, item_domain=domain)
    whole = tmp_path
    if form == "lists":  # of which one file is read at a time
        whole = tmp_path.parent / f"{tmp_path.name}-all.jsonl"
        whole.write_text("".join(part.read_text() for part in sorted(tmp_path.iterdir())))
    sets = read_as("transactions", whole, given, {}, method)
    scanned = crypsis.scan_transactions(tmp_path, **given)
    with Serial() as executor:
        parts = method.in_parts(scanned, executor)
        ready = method.resolve(parts.known()) if public else method
        logs: list[list[object]] = [[], []]
        expected = outcome(method.resolve(sets), sets, 5, logs[0])
        assert outcome(ready, parts, 5, logs[1]) == expected
        assert logs[0] == logs[1]
        assert expected["facts"]["lines_left_out_when_reading"] == (2 if form == "lists" else 0)
    release = crypsis.anonymize(scanned, method)
    assert release.verify().holds
    assert release.guarantee == crypsis.anonymize(sets, method).guarantee


EVENTS = {
    "parquet": lambda frame, file: frame.write_parquet(file),
    "csv": lambda frame, file: frame.write_csv(file, datetime_format="%d/%m/%Y %H:%M"),
    "jsonl": lambda frame, file: frame.with_columns(pl.col("when").dt.strftime("%d/%m/%Y %H:%M")).write_ndjson(file),
}


@pytest.mark.parametrize("format", EVENTS)
@pytest.mark.parametrize("name", ["safe-path", "seq-pt", "n-grams"])
@pytest.mark.parametrize("public", [False, True])
def test_scanned_events_of_a_person_come_together_from_all_parts(
    format: str, name: str, public: bool, tmp_path: Path
) -> None:
    rng = np.random.default_rng(8)
    start = datetime(2026, 3, 1)
    for number in range(4):
        n = 200 if number != 2 else 0
        columns = {
            "who": [f"u{one}" for one in rng.integers(0, 60, n)],
            "where": [f"p{one}" for one in rng.integers(0, 5, n)],
            "when": pl.Series([start + timedelta(hours=int(one)) for one in rng.integers(0, 8, n)], dtype=pl.Datetime),
        }
        if n or format != "jsonl":
            EVENTS[format](pl.DataFrame(columns), tmp_path / f"{number}.{format}")
    if format == "csv":
        with (tmp_path / "0.csv").open("a") as stream:
            stream.write("no event\n,p1,01/03/2026 02:00\nu1,p9,01/03/2026 02:00\n")
    hours = int(start.timestamp()) // 3600
    places = crypsis.LocationDomain([f"p{one}" for one in range(4)])
    known = {"location_domain": places, "time_domain": crypsis.TimeDomain(hours, hours + 6)}
    if public:
        both = ((key, type(value).from_text("public-in-data")) for key, value in known.items())
        known = dict(both)
    method = METHODS[name](epsilon=9, **known)
    table = {f"p{one}": (0.0, float(one)) for one in range(5)}
    given = {"id": "who", "location": "where", "t": "when", "unit": "h", "locations": table}
    if format != "parquet":
        given["time_format"] = "%d/%m/%Y %H:%M"
    events = crypsis.read_events(tmp_path, **given, for_method=method)
    scanned = crypsis.scan_events(tmp_path, **given)
    assert "of events" in repr(scanned)
    with Serial() as executor:
        parts = method.in_parts(scanned, executor)
        ready = method.resolve(parts.known()) if public else method
        logs: list[list[object]] = [[], []]
        expected = outcome(method.resolve(events), events, 5, logs[0])
        assert outcome(ready, parts, 5, logs[1]) == expected
        assert logs[0] == logs[1]
        assert expected["facts"]["lines_left_out_when_reading"] == (3 if format == "csv" else 0)
    release = crypsis.anonymize(scanned, method)
    assert release.verify().holds
    assert release.guarantee == crypsis.anonymize(events, method).guarantee


def test_a_stream_of_windows_is_not_worked_on_in_parts(tmp_path: Path) -> None:
    (tmp_path / "0.csv").write_text("id,location,t\nu,p,1\n")
    with pytest.raises(NotScalable, match="crypsis stream"):
        crypsis.anonymize(crypsis.scan_events(tmp_path), crypsis.ITSA())


def test_rows_of_one_set_in_two_files_are_refused(tmp_path: Path) -> None:
    for number in range(2):
        (tmp_path / f"{number}.csv").write_text("id,item\nu,milk\n")
    scanned = crypsis.scan_transactions(tmp_path, id="id", each_row_is_a_person=True)
    with pytest.raises(PartsDiffer):
        crypsis.anonymize(scanned, crypsis.DiffPart(item_domain=crypsis.ItemDomain(["milk"])))


def test_a_large_file_is_read_in_slices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crypsis.data.scanned.PART_OF_MEMORY", 1 << 20)
    frame = pl.DataFrame({"age": [20 + row % 40 for row in range(300)], "town": ["t1"] * 300})
    frame.write_parquet(tmp_path / "all.parquet")
    scanned = crypsis.scan_table(tmp_path, quasi=["age", "town"])
    method = crypsis.DiffMulti(epsilon=3, domains=DOMAINS, specializations=9)
    with Serial(memory="64MiB") as executor:
        parts = method.in_parts(scanned, executor)
        assert len(parts.parts) > 2
        table = crypsis.read_table(tmp_path, {"age": "quasi", "town": "quasi"}, for_method=method)
        assert outcome(method, parts, 2, []) == outcome(method, table, 2, [])


def test_people_with_several_records_are_refused_in_files(tmp_path: Path) -> None:
    pl.DataFrame({"uid": [1, 1], "age": [20, 30]}).write_parquet(tmp_path / "0.parquet")
    scanned = crypsis.scan_table(tmp_path, quasi="age", person="uid")
    with pytest.raises(PersonNotSupported):
        crypsis.anonymize(scanned, crypsis.DiffGen(domains=DOMAINS))


def test_a_ledger_is_charged_once_by_a_run_on_parts(tmp_path: Path) -> None:
    pl.DataFrame({"age": [20, 30, 40] * 20}).write_parquet(tmp_path / "0.parquet")
    ledger = BudgetLedger(tmp_path / "people.ledger")
    method = crypsis.DiffMulti(epsilon=1, domains=DOMAINS, specializations=3, ledger=ledger)
    crypsis.anonymize(crypsis.scan_table(tmp_path / "*.parquet", quasi="age"), method)
    assert [charge.epsilon for charge in ledger.state().charges] == [1]
