"""Risks of tables: by hand on small ones, against plain counting on drawn ones."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crypsis
from crypsis.attacks import ATTACKS, LinkageAttack, attack
from crypsis.attacks.linkage import fitting_records
from crypsis.attacks.table_risk import expected_inverse, table_risk
from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.data.relational import PublishedTable, Table
from crypsis.data.trajectory import Trajectories
from crypsis.data.transaction import PublishedTransactions
from crypsis.errors import BadParameter, NotApplicable, UnknownColumn
from tests.generalized import LEAVES, TYPES, Generalized, generalized


def people(ages: list[int | None], towns: list[str]) -> Table:
    return Table.from_frame(pl.DataFrame({"age": ages, "town": towns}), {"age": "quasi", "town": "quasi"})


PEOPLE = people([31, 31, 31, 47, 52, None, None], ["Oslo", "Oslo", "Oslo", "Oslo", "Rome", "Rome", "Rome"])


def test_risks_by_hand() -> None:
    found = table_risk(PEOPLE, limit=0.5)
    assert (found.records, found.classes, found.smallest_class) == (7, 4, 1)
    assert found.prosecutor.highest == 1.0
    assert found.prosecutor.mean == pytest.approx(4 / 7)
    assert found.prosecutor.share_above == pytest.approx(2 / 7)  # one half is not above one half
    assert found.journalist == found.prosecutor
    assert found.marketer == pytest.approx(4 / 7)
    assert found.unique_share == pytest.approx(2 / 7)
    assert sorted(found.sizes.tolist()) == [1, 1, 2, 2, 3, 3, 3]
    age, town = found.attributes
    assert (age.columns, age.distinct, age.distinction) == (("age",), 4, pytest.approx(4 / 7))
    assert age.separation == pytest.approx(1 - (3 * 2 + 2 * 1) / (7 * 6))
    assert town.separation == pytest.approx(1 - (4 * 3 + 3 * 2) / (7 * 6))
    assert found.isolated().rows() == [("47", "Oslo", 1), ("52", "Rome", 1)]
    assert found.isolated(below=3).rows()[-1] == ("?", "Rome", 2)
    assert found.class_sizes()["2"] == {"classes": 1, "records": 2}


@given(generalized(), st.sampled_from([None, ["age"], ["town", "job"]]))
def test_classes_are_the_rows_that_are_equal(data: Generalized, quasi: list[str] | None) -> None:
    names = list(TYPES) if quasi is None else quasi
    shown = [tuple(row[name] for name in names) for row in data.cells if ("suppressed",) not in row.values()]
    for rows, table in (
        ([tuple(row[name] for name in names) for row in data.values], data.original),
        (shown, data.published),
    ):
        counts = Counter(rows)
        found = table_risk(table, quasi=quasi, sets=2)
        assert sorted(found.sizes.tolist()) == sorted(counts[row] for row in rows)
        assert found.suppressed == len(data.values) - len(rows)
        assert sum(size["records"] for size in found.class_sizes().values()) == len(rows)
        for attribute in found.attributes:
            places = [names.index(name) for name in attribute.columns]
            parts = Counter(tuple(row[place] for place in places) for row in rows)
            assert attribute.distinct == len(parts)
            pairs = len(rows) * (len(rows) - 1)
            alike = sum(count * (count - 1) for count in parts.values())
            assert attribute.separation == pytest.approx(1 - alike / pairs if pairs else 0)
        if rows:
            assert found.prosecutor.mean == pytest.approx(len(counts) / len(rows))
            assert found.prosecutor.highest == 1 / min(counts.values())


@pytest.mark.parametrize("share", [0.9, 0.5, 0.3, 0.05])
def test_the_expected_risk_in_the_population_is_the_sum_of_its_definition(share: float) -> None:
    sizes = [1, 2, 5, 49, 50, 51, 200]
    for size, found in zip(sizes, expected_inverse(np.array(sizes), share).tolist(), strict=True):
        term, total, people_there = share**size, 0.0, size
        while term > 1e-300 and (people_there < 20 * size / share or term > 1e-20):
            total += term / people_there
            term *= (1 - share) * people_there / (people_there - size + 1)
            people_there += 1
        assert found == pytest.approx(total, rel=1e-9)


def test_a_sample_and_a_population_lower_the_journalists_risk() -> None:
    sampled = table_risk(PEOPLE, share=0.1)
    assert sampled.journalist.highest == pytest.approx(np.log(10) / 9)  # E[1 / F] for one in the sample
    assert sampled.journalist.highest < sampled.prosecutor.highest
    assert sampled.population_unique_share == pytest.approx(0.1 * 2 / 7)
    everybody = people([31] * 6 + [47, 47, 52], ["Oslo"] * 8 + ["Rome"])
    known = table_risk(PEOPLE, population=everybody)
    # Classes of 6, 2, 1 in the population; the two of unknown age are not in it and count as they are.
    assert known.journalist.mean == pytest.approx((3 / 6 + 1 / 2 + 1 / 1 + 2 / 2) / 7)
    assert known.prosecutor == table_risk(PEOPLE).prosecutor


def test_only_aggregates_are_told() -> None:
    told = str(table_risk(PEOPLE).to_dict())
    for value in ("Oslo", "Rome", "'47'", "'52'"):
        assert value not in told


def test_nothing_shown_is_nothing_at_risk() -> None:
    hidden = PublishedTable.from_texts(pl.DataFrame({"age": ["~", "~"]}), {"age": "quasi"})
    found = table_risk(hidden)
    assert (found.suppressed, found.smallest_class, found.prosecutor.highest) == (2, None, 0.0)
    assert found.unique_share == 0.0


def test_bad_requests_are_refused() -> None:
    with pytest.raises(UnknownColumn):
        table_risk(PEOPLE, quasi=["agee"])
    with pytest.raises(BadParameter, match="twice"):
        table_risk(PEOPLE, quasi=["age", "age"])
    with pytest.raises(BadParameter, match="has none"):
        table_risk(PEOPLE, quasi=[])
    with pytest.raises(BadParameter, match="share must be"):
        table_risk(PEOPLE, share=0)
    with pytest.raises(BadParameter, match="limit must be"):
        table_risk(PEOPLE, limit=2)
    with pytest.raises(NotApplicable, match="got Trajectories"):
        table_risk(Trajectories.from_lists([["a"]]))


@given(generalized())
def test_linkage_finds_the_records_that_contain_every_value(data: Generalized) -> None:
    found = attack(data.published, data.original, LinkageAttack())
    by_hand = [
        sum(all(_contains(cells[name], row[name]) for name in TYPES) for cells in data.cells) for row in data.values
    ]
    assert found.candidates[:, 0].tolist() == by_hand
    assert found.first_size == len(TYPES)


def _contains(cell, value) -> bool:
    kind = cell[0]
    if kind in ("any", "missing", "suppressed") or value is None:
        return kind == "any" or (kind == "missing" and value is None)
    if kind == "range":
        return cell[1] <= value <= cell[2]
    members = {"value": cell[1:], "set": cell[1], "node": LEAVES.get(cell[1], ())}[kind]
    return value in members


def test_linkage_without_an_index_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    from crypsis.attacks import linkage

    published = PublishedTable.from_frame(
        pl.DataFrame({"age": ["[31:47]"] * 4 + ["*"] * 3, "town": ["Oslo"] * 4 + ["Rome"] * 3}),
        {"age": "quasi", "town": "quasi"},
        {"age": "int", "town": "category"},
    )
    columns = [PEOPLE.column("age"), PEOPLE.column("town")]
    expected = [4, 4, 4, 4, 3, 3, 3]
    assert fitting_records(columns, published).tolist() == expected
    monkeypatch.setattr(linkage, "LARGEST_INDEX", -1)
    assert fitting_records(columns, published).tolist() == expected


def test_linkage_is_for_tables() -> None:
    assert ATTACKS["linkage"] is LinkageAttack
    with pytest.raises(NotApplicable, match="a release of the same kind"):
        LinkageAttack().run(PEOPLE, PEOPLE)
    unmarked = PublishedTable.from_texts(pl.DataFrame({"age": ["1"] * 7}), {"age": "other"})
    with pytest.raises(NotApplicable, match="no quasi-identifiers"):
        LinkageAttack().run(unmarked, PEOPLE)
    unknown = PublishedTable.from_texts(pl.DataFrame({"zip": ["1"] * 7}), {"zip": "quasi"})
    with pytest.raises(NotApplicable, match="lacks the published columns zip"):
        LinkageAttack().run(unknown, PEOPLE)


@settings(max_examples=30)
@given(data=st.data())
def test_linkage_with_known_items_leaves_the_records_that_may_hold_them(data: st.DataObject) -> None:
    n_records = data.draw(st.integers(1, 8))
    record = st.sets(st.sampled_from("abcd"), max_size=3)
    people = pl.DataFrame(
        {
            "age": data.draw(st.lists(st.integers(1, 3), min_size=n_records, max_size=n_records)),
            "codes": [sorted(data.draw(record)) for _ in range(n_records)],
        }
    )
    original = Mixed.from_frame(people, {"age": "quasi"}, {"codes": None})
    spans = {"1": {1}, "[1:2]": {1, 2}, "[2:3]": {2, 3}, "*": {1, 2, 3}, "~": set()}
    cells, shown = [], []
    for age, items in people.rows():
        cells.append(data.draw(st.sampled_from([cell for cell in spans if cell == "~" or age in spans[cell]])))
        symbol_of = data.draw(st.sampled_from([{"a": "ab", "b": "ab"}, {"b": "bc", "c": "bc"}]))
        symbols = sorted({symbol_of.get(item, item) for item in items})
        shown.append([] if cells[-1] == "~" else [list(symbol) for symbol in symbols])
    released = PublishedMixed(
        PublishedTable.from_frame(pl.DataFrame({"age": cells}), {"age": "quasi"}, {"age": "int"}),
        PublishedTransactions.from_lists(shown),
        "codes",
    )
    found = attack(released, original, LinkageAttack(known_items=2)).candidates
    held = [{item for symbol in row for item in symbol} for row in shown]
    occurring = set().union(*held)
    for person, (age, items) in enumerate(people.rows()):
        if cells[person] == "~":  # may fit nobody, and who is looked for then is somebody else
            continue
        known = [item for item in items if item in occurring]  # what nobody shows fits nobody
        for size in range(3):
            sets = [one for length in range(size + 1) for one in combinations(known, length)]
            fewest = min(
                sum(age in spans[cell] and set(one) <= row for cell, row in zip(cells, held, strict=True))
                for one in sets
            )
            assert found[person, size] == fewest


def test_nobody_is_closer_than_k_with_as_many_items_as_were_promised() -> None:
    people = pl.DataFrame({"age": [*range(20, 44)], "codes": [["ab"[n % 2], f"c{n % 3}"] for n in range(24)]})
    original = Mixed.from_frame(people, {"age": "quasi"}, {"codes": None})
    release = crypsis.anonymize(original, crypsis.RumBound(k=4, m=2, delta=0.5, merge="rt"))
    result = attack(release.data, original, LinkageAttack(known_items=2))
    assert [step.knowledge for step in result.curve] == [1, 2, 3]
    assert result.outcome.fewest_candidates >= 4
    with pytest.raises(NotApplicable, match="no items to know"):
        LinkageAttack(known_items=1).run(release.data.table, original.table)
