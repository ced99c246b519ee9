"""An attack on parts has the figures of the same attack on all records in memory, however they are cut."""

from __future__ import annotations

import pickle
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crypsis
from crypsis.attacks import (
    ContainmentAttack,
    HomeWorkAttack,
    ItemsetAttack,
    LinkageAttack,
    LocationAttack,
    LocationSequenceAttack,
    UniqueLocationAttack,
    table_risk,
)
from crypsis.attacks.attack import Attack
from crypsis.attacks.pieces_in_parts import KnownShards, PublishedFiles
from crypsis.attacks.tables_in_parts import table_risk_of_parts
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.errors import CrypsisError, NotApplicable, OriginalRequired, TooLarge, UnknownColumn
from crypsis.executors.scratch import load
from crypsis.executors.serial import Serial
from crypsis.parts_attack import attack_release_parts, attacks_on_parts, risk_of_release_parts
from crypsis.publication.published_parts import PublishedParts
from crypsis.publication.relational import TableKind
from crypsis.shards.ragged import cut_ragged, save_ragged
from crypsis.shards.table import shard_table
from tests.attacks.releases import TABLE, Release, clustered, overlapping
from tests.generalized import Generalized, generalized

LITTLE = st.sampled_from([2_000, 20_000, 1 << 30])  # bytes: many ranges, some, one
ORDERED = [LocationSequenceAttack(knowledge=3), ContainmentAttack(knowledge=2, beyond=1)]
UNORDERED = [LocationAttack(knowledge=3), UniqueLocationAttack(knowledge=3)]


def bounds_of(data: st.DataObject, rows: int) -> list[int]:
    inner = data.draw(st.lists(st.integers(0, rows), max_size=3))
    return [0, *sorted(inner), rows]


def parts_of(published: Any, bounds: list[int], executor: Serial) -> PublishedFiles:
    """The published rows in files."""
    folder = executor.scratch.below("parts")
    pieces = [published.take(np.arange(first, last)) for first, last in pairwise(bounds)]
    files = [folder.save(f"{number}", piece) for number, piece in enumerate(pieces)]
    return PublishedFiles(tuple(files), load, {})


def shards_of(original: Any, codes: Any, bounds: list[int], executor: Serial) -> KnownShards:
    every = np.unique(codes).astype(np.int32)
    offsets = np.array([0, len(every)])
    one: Any
    if isinstance(original, Transactions):
        one = Transactions(offsets, every, original.vocabulary, original.sensitive)
    else:
        one = crypsis.Trajectories(offsets, every, original.locations)
    shards = save_ragged(executor.scratch.below("shards"), cut_ragged(original.offsets, codes, bounds))
    return KnownShards(shards, one)


def told(attack: Attack, *data: Any, on_parts: bool = False) -> Any:
    try:
        found = attack.run_on_parts(*data) if on_parts else attack.run(*data)
    except TooLarge:
        return "too large"
    except CrypsisError as error:
        return type(error)
    return found.to_dict()


def check_walks(data: st.DataObject, release: Release, attack: Attack) -> None:
    original = crypsis.Trajectories.from_lists(release.paths, TABLE)
    published = replace(release.published, owners=None)
    with Serial() as executor:
        executor.memory = data.draw(LITTLE)
        parts = parts_of(published, bounds_of(data, len(published)), executor)
        shards = shards_of(original, original.codes, bounds_of(data, len(original)), executor)
        on_parts = told(attack, parts, shards, executor, on_parts=True)
    if on_parts == "too large" and executor.memory < 1 << 30:
        return
    assert on_parts == told(attack, published, original)


@pytest.mark.parametrize("attack", [*ORDERED, *UNORDERED], ids=lambda one: one.name)
@given(st.data())
def test_known_visits_leave_as_many_candidates_on_parts(attack: Attack, data: st.DataObject) -> None:
    check_walks(data, data.draw(clustered()), attack)


@pytest.mark.parametrize("attack", [*ORDERED, UNORDERED[0]], ids=lambda one: one.name)
@given(st.data())
def test_symbols_that_overlap_leave_as_many_candidates_on_parts(attack: Attack, data: st.DataObject) -> None:
    check_walks(data, data.draw(overlapping()), attack)


@st.composite
def published_sets(draw: st.DrawFn) -> tuple[list[list[str]], list[list[Any]]]:
    """Sets, and what is published of them: symbols that may hold the items, or not, and overlap."""
    items = st.sampled_from("abcdef")
    rows = draw(st.lists(st.lists(items, max_size=4, unique=True), min_size=1, max_size=9))
    shown = []
    for row in rows:
        symbols: list[Any] = []
        for item in row:
            width = draw(st.integers(0, 3))
            if width:
                symbol = sorted({item, *draw(st.lists(items, max_size=width - 1))})
                symbols.append(symbol[0] if len(symbol) == 1 else symbol)
        shown.append([one for index, one in enumerate(symbols) if one not in symbols[:index]])
    return rows, shown


@pytest.mark.parametrize("rarest", [1, 2, 20])
@given(st.data())
def test_known_items_leave_as_many_candidates_on_parts(rarest: int, data: st.DataObject) -> None:
    rows, shown = data.draw(published_sets())
    held = {item for row in rows for item in row}
    original = Transactions.from_lists(rows, sensitive=sorted(held & {"a"}) if data.draw(st.booleans()) else ())
    published = PublishedTransactions.from_lists(shown)
    attack = ItemsetAttack(knowledge=2, beyond=1, rarest=rarest)
    with Serial() as executor:
        executor.memory = data.draw(LITTLE)
        parts = parts_of(published, bounds_of(data, len(published)), executor)
        shards = shards_of(original, original.items, bounds_of(data, len(original)), executor)
        assert told(attack, parts, shards, executor, on_parts=True) == told(attack, published, original)


@given(st.data())
def test_known_values_of_a_table_leave_as_many_candidates_on_parts(data: st.DataObject) -> None:
    release: Generalized = data.draw(generalized())
    original, published = release.original.table, release.published.table
    with Serial() as executor:
        executor.memory = data.draw(LITTLE)
        files = write_table(published, bounds_of(data, len(published)), executor)
        shards = shard_table(original, executor, bounds_of(data, len(original)))
        found = told(LinkageAttack(), files, shards, executor, on_parts=True)
        assert found == told(LinkageAttack(), published, original)
        quasi = data.draw(st.sampled_from([None, ["age"], ["town", "age"]]))
        settings = {
            "quasi": quasi,
            "share": data.draw(st.sampled_from([1.0, 0.3])),
            "sets": data.draw(st.integers(1, 3)),
        }
        assert table_risk_of_parts(files, executor, **settings).to_dict() == table_risk(published, **settings).to_dict()


def write_table(published: Any, bounds: list[int], executor: Serial) -> PublishedParts:
    folder = executor.scratch.below("parts").folder
    frame = published.to_frame()
    files = []
    for number, (first, last) in enumerate(pairwise(bounds)):
        files.append(str(folder / f"{number}.parquet"))
        frame[first:last].write_parquet(files[-1])
    return PublishedParts.described(tuple(files), TableKind().describe(published) | {"rows": len(published)})


@pytest.fixture
def people(tmp_path: Path) -> Path:
    rng = np.random.default_rng(11)
    for number, rows in enumerate((90, 0, 140)):
        pl.DataFrame(
            {
                "age": rng.integers(0, 40, rows),
                "zip": [f"z{one}" for one in rng.integers(0, 9, rows)],
                "ill": [f"i{one}" for one in rng.integers(0, 4, rows)],
            },
            schema={"age": pl.Int64, "zip": pl.String, "ill": pl.String},
        ).write_parquet(tmp_path / f"{number}.parquet")
    return tmp_path / "*.parquet"


ROLES = {"age": "quasi", "zip": "quasi", "ill": "sensitive"}


@pytest.mark.parametrize(
    "method",
    [crypsis.Mondrian(k=3), crypsis.Incognito(k=3, max_suppressed=0.1), crypsis.Cluster(k=3)],
    ids=lambda one: one.name(),
)
def test_a_table_is_attacked_as_one_in_memory(method: crypsis.Method, people: Path, tmp_path: Path) -> None:
    with crypsis.anonymize(crypsis.scan_table(people, ROLES), method, block_rows=100) as release:
        folder = release.write(tmp_path / "release")
    published, original = crypsis.read_release(folder).data, crypsis.read_table(people, ROLES)
    assert list(attacks_on_parts(folder)) == ["linkage"]
    for memory in (1 << 30, 20_000):
        with Serial() as executor:
            executor.memory = memory
            scanned = crypsis.scan_table(people, ROLES)
            found = attack_release_parts(folder, scanned, LinkageAttack(), executor)
            risk = risk_of_release_parts(folder, executor, sets=2)
        assert found.to_dict() == LinkageAttack().run(published, original).to_dict()
        assert found.outcome.fewest_candidates >= 3
        assert risk.to_dict() == table_risk(published, sets=2).to_dict()
        assert sorted(risk.sizes.tolist()) == sorted(table_risk(published).sizes.tolist())
        with pytest.raises(NotApplicable, match="not measured on parts"):
            risk.isolated()


def test_what_is_not_counted_on_parts_is_refused(people: Path, tmp_path: Path) -> None:
    scanned = crypsis.scan_table(people, ROLES)
    with crypsis.anonymize(scanned, crypsis.Mondrian(k=3)) as release:
        folder = release.write(tmp_path / "release")
    with Serial() as executor:
        with pytest.raises(NotApplicable, match="not measured on parts"):
            HomeWorkAttack().run_on_parts(None, None, executor)
        with pytest.raises(NotApplicable, match="knows pieces of Transactions"):
            attack_release_parts(folder, scanned, ItemsetAttack(), executor)
        with pytest.raises(NotApplicable, match="Known items are not measured on parts"):
            attack_release_parts(folder, scanned, LinkageAttack(known_items=1), executor)
        with pytest.raises(UnknownColumn, match="'agee' is not in this table"):
            risk_of_release_parts(folder, executor, quasi=["agee"])
        executor.memory = 500
        walks = crypsis.Trajectories.from_lists([["a", "b", "c"]] * 20, TABLE)
        published = crypsis.anonymize(walks, crypsis.SeqAnon(k=2)).data
        parts = parts_of(published, [0, 20], executor)
        with pytest.raises(TooLarge, match="Give more"):
            LocationSequenceAttack().run_on_parts(parts, shards_of(walks, walks.codes, [0, 20], executor), executor)


def test_people_with_several_records_are_not_counted_as_records(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    frame = pl.DataFrame({"who": rng.integers(0, 30, 90), "age": rng.integers(0, 9, 90)})
    frame.write_parquet(tmp_path / "0.parquet")
    scanned = crypsis.scan_table(tmp_path / "*.parquet", {"age": "quasi", "who": "identifier"}, person="who")
    with crypsis.anonymize(scanned, crypsis.Mondrian(k=3)) as release:
        folder = release.write(tmp_path / "release")
    with Serial() as executor, pytest.raises(OriginalRequired, match="do not say whose they are"):
        attack_release_parts(folder, scanned, LinkageAttack(), executor)


def test_aggregates_alone_are_kept(people: Path, tmp_path: Path) -> None:
    with crypsis.anonymize(crypsis.scan_table(people, ROLES), crypsis.Mondrian(k=3)) as release:
        folder = release.write(tmp_path / "release")
    with Serial() as executor:
        found = attack_release_parts(folder, crypsis.scan_table(people, ROLES), LinkageAttack(), executor)
    assert found.individuals == 230
    assert len(pickle.dumps(found)) < 2_000
