"""Releases of tables: written sorted and whole, read back as they were, honest about what was suppressed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crypsis
from crypsis.data.relational import PublishedTable, Table
from crypsis.errors import (
    BadParameter,
    BadPublication,
    Infeasible,
    OriginalRequired,
    TooLarge,
    VerificationFailed,
)
from crypsis.hierarchy import Hierarchies, Hierarchy, HierarchyPlan, Weights
from crypsis.methods import BottomUp, Cluster, Incognito, Mondrian, TopDown
from crypsis.publication.relational import TableKind
from crypsis.run_context import RunContext
from tests.strategies import tables

PEOPLE = pl.DataFrame(
    {
        "name": ["Ann", "Bob", "Cid", "Dan", "Eve", "Fay"],
        "age": [34, 20, 22, 36, 70, 21],
        "city": ["Rome", "Oslo", "Riga", "Rome", "Oslo", "Oslo"],
        "ill": ["flu", "cold", "flu", "cold", "gout", "flu"],
    }
)
ROLES = {"name": "identifier", "age": "quasi", "city": "quasi", "ill": "sensitive"}
CITIES = Hierarchy({"Oslo": "North", "Riga": "North", "Rome": "South", "North": "Any", "South": "Any"})
TREES = Hierarchies({"city": CITIES})


def people(frame: pl.DataFrame = PEOPLE, roles: dict[str, str] = ROLES) -> Table:
    return Table.from_frame(frame, roles)


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_a_written_release_is_read_back_and_verified(tmp_path: Path, format: str) -> None:
    release = crypsis.anonymize(people(), TopDown(k=2, max_suppressed=0.2, hierarchy=TREES))
    folder = release.write(tmp_path / "r", format=format)
    again = crypsis.read_release(folder)
    assert again.verify().holds
    assert again.verify(people()).holds
    texts = sorted(again.data.to_frame().rows())
    assert texts == sorted(release.data.to_frame().rows())
    assert again.data.to_frame().rows() == texts  # sorted by published values
    assert "name" not in again.data.names


def test_input_order_is_kept_in_memory_and_on_request_on_disk(tmp_path: Path) -> None:
    release = crypsis.anonymize(people(), Mondrian(k=2, hierarchy=TREES))
    assert release.data.to_frame()["ill"].to_list() == PEOPLE["ill"].to_list()
    folder = release.write(tmp_path / "r", order="input")
    assert crypsis.read_release(folder).data.to_frame().rows() == release.data.to_frame().rows()


def test_the_private_report_gives_the_order_of_the_input_back(tmp_path: Path) -> None:
    release = crypsis.anonymize(people(), Mondrian(k=2, hierarchy=TREES))
    folder = release.write(tmp_path / "r", private_report=tmp_path / "private.json")
    assert crypsis.read_release(folder).data != release.data
    assert crypsis.read_release(folder, private_report=tmp_path / "private.json").data == release.data


def test_a_pandas_table_comes_back_with_its_rows_order_and_index() -> None:
    given = PEOPLE.to_pandas().set_index(pd.Index([f"p{number}" for number in range(len(PEOPLE), 0, -1)], name="id"))
    table = Table.from_frame(given, ROLES)
    shown = crypsis.anonymize(table, Incognito(k=2, max_suppressed=0.2, hierarchy=TREES)).to_pandas()
    assert shown.index.equals(given.index)
    assert list(shown.columns) == [name for name in given.columns if ROLES[name] != "identifier"]
    kept = shown["ill"].notna()
    assert shown["ill"][kept].tolist() == given["ill"][kept].tolist()
    assert Table.from_frame(given, ROLES).take(np.array([2, 0])).index.tolist() == [given.index[2], given.index[0]]
    assert crypsis.anonymize(people(), Mondrian(k=2)).to_pandas().index.tolist() == list(range(len(PEOPLE)))


def test_a_suppressed_record_shows_nothing_at_all(tmp_path: Path) -> None:
    ills = [f"disease{number}" for number in range(6)]
    table = people(PEOPLE.with_columns(pl.Series("ill", ills)))
    release = crypsis.anonymize(table, Incognito(k=2, max_suppressed=0.2, hierarchy=TREES))
    (gone,) = np.flatnonzero(release.data.suppressed).tolist()
    assert release.data.to_frame().row(gone) == ("~", "~", "~")
    folder = release.write(tmp_path / "r")
    content = "".join(path.read_text(errors="ignore") for path in folder.iterdir())
    assert [ill for ill in ills if ill not in content] == [ills[gone]]
    assert "Fay" not in content


def test_the_manifest_says_what_nodes_stand_for(tmp_path: Path) -> None:
    folder = crypsis.anonymize(people(), Cluster(k=3, hierarchy=TREES)).write(tmp_path / "r")
    columns = {c["name"]: c for c in json.loads((folder / "release.json").read_text())["data"]["columns"]}
    assert columns["city"]["hierarchy"]["total"] == 3
    assert set(columns["city"]["hierarchy"]["leaves"]) <= {"North", "Any"}


def test_the_private_report_holds_the_applied_mapping(tmp_path: Path) -> None:
    release = crypsis.anonymize(people(), Mondrian(k=3, hierarchy=TREES))
    release.write(tmp_path / "r", private_report=tmp_path / "p.json")
    mapping = json.loads((tmp_path / "p.json").read_text())["applied_mapping"]
    assert sum(mapping["city"]["Oslo"].values()) == 3
    assert set(mapping) == {"age", "city"}


@pytest.mark.parametrize("method", [Mondrian, Cluster, TopDown])
def test_nodes_made_from_the_data_are_compared_with_the_private_report_only(method: type, tmp_path: Path) -> None:
    release = crypsis.anonymize(people(), method(k=6, hierarchy=HierarchyPlan({"city": "balanced:2"})))
    release.write(tmp_path / "r", private_report=tmp_path / "p.json")
    with pytest.raises(OriginalRequired, match="'city' shows nodes .* private report"):
        crypsis.read_release(tmp_path / "r").verify(original=people())
    read = crypsis.read_release(tmp_path / "r", private_report=tmp_path / "p.json")
    assert read.verify(original=people()).holds
    others = PEOPLE.with_columns(city=pl.lit("Bonn"))
    assert not read.verify(original=people(others)).holds


@given(table=tables(), k=st.integers(1, 3))
def test_a_published_table_survives_its_texts(table: Table, k: int) -> None:
    if len(table) < k:
        return
    published = Mondrian(k=k, hierarchy=HierarchyPlan({"city": "balanced:2"})).anonymize(table, RunContext())
    kind = TableKind()
    described = {column["name"]: column for column in kind.describe(published)["columns"]}
    assert kind.is_sound({**kind.describe(published), "file": "table.csv"})
    hierarchies = {name: column["hierarchy"] for name, column in described.items() if column["hierarchy"]}
    again = PublishedTable.from_frame(
        published.to_frame(),
        published.roles,
        published.types,
        nodes={name: one["nodes"] for name, one in hierarchies.items()},
    )
    assert again == published
    rows = kind.sorted_rows(published)
    assert sorted(rows.tolist()) == list(range(len(table)))


def test_the_same_data_give_the_same_release_whatever_their_order() -> None:
    shuffled = PEOPLE[[3, 1, 5, 0, 2, 4]]
    for method in (Incognito(k=2, hierarchy=TREES), TopDown(k=2, hierarchy=TREES), BottomUp(k=2, hierarchy=TREES)):
        one = method.anonymize(people(), RunContext()).to_frame().rows()
        assert sorted(one) == sorted(method.anonymize(people(shuffled), RunContext()).to_frame().rows())


def test_random_seeds_repeat_with_the_seed() -> None:
    one, same = (Cluster(k=2, seed=7).anonymize(people(), RunContext()).to_frame() for _ in range(2))
    assert one.equals(same)


def test_weights_shift_the_loss_to_the_lighter_column() -> None:
    spread = pl.DataFrame({"a": [0, 0, 9, 9], "b": [0, 9, 0, 9]})
    table = people(spread, {"a": "quasi", "b": "quasi"})
    heavy_a = Mondrian(k=2, weights=Weights({"a": 3})).anonymize(table, RunContext()).to_frame()
    heavy_b = Mondrian(k=2, weights=Weights({"b": 3})).anonymize(table, RunContext()).to_frame()
    assert heavy_a["a"].to_list() == ["0", "0", "9", "9"]
    assert heavy_b["b"].to_list() == ["0", "9", "0", "9"]


@pytest.mark.parametrize("method", [Incognito, TopDown, BottomUp, Cluster, Mondrian])
def test_bad_input_is_refused_in_words(method: type) -> None:
    with pytest.raises(Infeasible, match="there are 6 records"):
        method(k=7).anonymize(people(), RunContext())
    with pytest.raises(BadParameter, match="no quasi-identifier"):
        method(k=2).anonymize(people(roles=dict.fromkeys(ROLES, "other")), RunContext())
    with pytest.raises(BadParameter, match="needs a sensitive column"):
        method(k=2, l=2).anonymize(people(roles={**ROLES, "ill": "other"}), RunContext())
    with pytest.raises(Infeasible, match="all records together"):
        method(k=2, l=4).anonymize(people(), RunContext())
    with pytest.raises(BadParameter, match="Did you mean 'age'"):
        method(k=2, weights=Weights({"agee": 1})).anonymize(people(), RunContext())
    with pytest.raises(BadParameter, match="recursive"):
        method(k=2, l=2, diversity="recursive")


@pytest.mark.parametrize("options", [{"diversity": "entropy"}, {"diversity": "recursive"}, {"distance": "ordered"}])
def test_a_form_of_what_is_not_asked_for_is_refused(options: dict[str, str]) -> None:
    """Who names the entropy of sensitive values and forgets l would get k-anonymity alone."""
    with pytest.raises(BadParameter, match="give [lt], too") as refused:
        crypsis.Mondrian(k=2, **options)
    assert refused.value.details["parameter"] == next(iter(options))


@pytest.mark.parametrize("weights", [{"age": -1}, {"age": "x"}, {"age": float("nan")}])
def test_wrong_weights_are_refused(weights: dict[str, float]) -> None:
    with pytest.raises(BadParameter, match="at least 0"):
        Weights(weights)


def test_weights_that_are_all_zero_are_refused() -> None:
    with pytest.raises(BadParameter, match="above 0"):
        Mondrian(k=2, weights=Weights({"age": 0, "city": 0})).anonymize(people(), RunContext())


def test_a_lattice_that_is_too_large_is_refused_before_work_starts() -> None:
    frame = pl.DataFrame({f"q{number}": [f"{value:04d}" for value in range(20)] for number in range(12)})
    columns = dict.fromkeys(frame.columns, "quasi"), dict.fromkeys(frame.columns, "category")
    table = Table.from_frame(frame, *columns)
    plan = HierarchyPlan(dict.fromkeys(frame.columns, "prefix"))
    with pytest.raises(TooLarge, match="244,140,625 nodes"):
        Incognito(k=2, hierarchy=plan).anonymize(table, RunContext())


def test_a_constant_column_and_one_that_is_missing_everywhere_cost_nothing() -> None:
    frame = pl.DataFrame({"a": [7, 7, 7], "b": pl.Series([None] * 3, dtype=pl.Int64), "c": [1, 2, 3]})
    table = people(frame, dict.fromkeys("abc", "quasi"))
    for method in (Mondrian(k=3), Cluster(k=3), Incognito(k=3), TopDown(k=3), BottomUp(k=3)):
        shown = method.anonymize(table, RunContext()).to_frame()
        assert shown["a"].to_list() == ["7"] * 3
        assert shown["c"].to_list() == ["[1:3]"] * 3
        assert set(shown["b"].to_list()) <= {"?", "*"}


def test_costs_too_fine_for_64_bits_are_rounded_and_still_anonymous() -> None:
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({f"q{place}": rng.integers(0, 10**12 + place, 60) for place in range(6)})
    table = people(frame, dict.fromkeys(frame.columns, "quasi"))
    context = RunContext()
    published = Cluster(k=4).anonymize(table, context)
    assert context.private["exact_costs"] is False
    assert crypsis.verify(published, crypsis.KAnonymity(k=4), table).holds


def test_the_seed_of_a_method_stays_with_the_publisher(tmp_path: Path) -> None:
    release = crypsis.anonymize(people(), Cluster(k=2, seeds="random", seed=987654, hierarchy=TREES))
    folder = release.write(tmp_path / "r", private_report=tmp_path / "private.json")
    assert "seed" not in json.loads((folder / "release.json").read_text())["method"]["parameters"]
    assert not any(b"987654" in file.read_bytes() for file in folder.iterdir())
    assert json.loads((tmp_path / "private.json").read_text())["method"]["seed"] == 987654


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_what_is_measured_beside_the_writing_is_what_is_measured_after_it(
    tmp_path: Path, format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def written(name: str) -> tuple[dict[str, bytes], str]:
        release = crypsis.anonymize(people(), Mondrian(k=2, hierarchy=TREES))
        folder = release.write(tmp_path / name, format=format, private_report=tmp_path / f"{name}.json")
        private = (tmp_path / f"{name}.json").read_text()
        return {path.name: path.read_bytes() for path in folder.iterdir()}, private.partition('"timings"')[0]

    after = written("after")
    monkeypatch.setattr("crypsis.release._RECORDS_BESIDE", 0)
    assert written("beside") == after


def test_the_release_is_there_when_measuring_beside_it_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*data: object, **options: object) -> None:
        raise MemoryError("too much")

    monkeypatch.setattr("crypsis.release._RECORDS_BESIDE", 0)
    release = crypsis.anonymize(people(), Mondrian(k=2, hierarchy=TREES))
    monkeypatch.setattr("crypsis.release.measure", broken)
    with pytest.raises(MemoryError, match="too much"):
        release.write(tmp_path / "r", private_report=tmp_path / "p.json")
    assert crypsis.read_release(tmp_path / "r").verify().holds
    assert not (tmp_path / "p.json").exists()


def test_a_release_that_is_refused_is_not_measured_beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crypsis.release._RECORDS_BESIDE", 0)
    release = crypsis.anonymize(people(), Mondrian(k=2, hierarchy=TREES))
    monkeypatch.setattr(TableKind, "read_back", lambda *asked: (release.data.take(np.array([0])), None))
    with pytest.raises(VerificationFailed, match="read back"):
        release.write(tmp_path / "r", private_report=tmp_path / "p.json")
    assert not list(tmp_path.iterdir())


def test_the_first_column_that_cannot_be_read_back_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crypsis.data.encoded_column.CELLS_AT_ONCE", 0)  # so columns are read at once
    wrong = pl.DataFrame({"age": ["1", "2"], "born": ["1990-01-01", "1990"], "left": ["2000", "2001-01-01"]})
    types = {"age": "int", "born": "date", "left": "date"}
    for _ in range(5):
        with pytest.raises(BadPublication, match="'1990'") as refusal:
            PublishedTable.from_frame(wrong, dict.fromkeys(types, "quasi"), types, nodes={})
        assert "born" in str(refusal.value)


@pytest.mark.parametrize("wrong", [None, "mondrian", 5, crypsis.Mondrian])
def test_what_is_no_method_and_no_guarantee_is_refused_in_words(wrong: Any) -> None:
    with pytest.raises(BadParameter, match="such as crypsis.Mondrian"):
        crypsis.anonymize(people(), wrong)
    with pytest.raises(BadParameter, match="such as crypsis.Mondrian"):
        crypsis.anonymize(people(), wrong, executor="serial")
    if not isinstance(wrong, type):
        with pytest.raises(BadParameter, match="such as crypsis.KAnonymity"):
            crypsis.verify(people(), wrong)
