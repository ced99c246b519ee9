"""Counting queries on a release: bounds and an estimate where it is truthful, an estimate and the reason where not."""

from __future__ import annotations

import polars as pl
import pytest

from crypsis import (
    COAT,
    CategoryTree,
    CountedRegions,
    Incognito,
    NumericDomain,
    RegionAttribute,
    Table,
    Transactions,
    anonymize,
)
from crypsis.data.item_domain import ItemDomain
from crypsis.data.relational import PublishedTable
from crypsis.data.synthetic_sets import SyntheticTransactions
from crypsis.data.trajectory import PublishedTrajectories
from crypsis.errors import BadQuery, NotApplicable
from crypsis.query import count_records


def people() -> Table:
    frame = pl.DataFrame({"age": [20, 21, 22, 40, 41, 42], "city": ["Rome", "Oslo", "Rome", "Bari", "Bari", "Oslo"]})
    return Table.from_frame(frame, {"age": "quasi", "city": "other"}, {"age": "int", "city": "category"})


def test_a_release_answers_with_bounds_and_an_estimate() -> None:
    published = PublishedTable.from_frame(
        pl.DataFrame({"age": ["[20:22]"] * 3 + ["[40:42]"] * 3}), {"age": "quasi"}, {"age": "int"}
    )
    found = count_records(published, "age in [21:42]", truthful=True)
    assert str(found) == "at least 3, at most 6 records; about 5.0 if values are spread evenly"
    assert found.to_json()["at_most"] == 6


def test_the_release_knows_whether_it_is_truthful_and_complete() -> None:
    release = anonymize(people(), Incognito(k=3))
    assert (release.truthful, release.complete) == (True, True)
    found = release.count("city in {Rome}")
    assert found.bounds is not None
    assert (found.bounds.definite, found.bounds.at_most) == (2, 2)


def test_items_left_out_without_a_mark_are_said() -> None:
    sets = Transactions.from_lists([["a"], ["a", "b"], ["c"]])
    assert COAT(k=2).complete
    assert not COAT(k=2, max_suppressed=0.5).complete
    release = anonymize(sets, COAT(k=2, max_suppressed=0.5))
    found = release.count("items all {a}")
    assert found.bounds is not None
    assert found.bounds.holds(2)


def test_synthetic_sets_give_an_estimate_and_the_reason() -> None:
    drawn = SyntheticTransactions.from_lists([(3, ["a", "b"]), (2, ["a"])], ItemDomain(["a", "b", "c"]))
    found = count_records(drawn, "items all {a, b}", truthful=False)
    assert (found.bounds, found.estimate) == (None, 3.0)
    assert "an estimate without bounds: the published records are drawn" in str(found)
    assert found.to_json()["truthful"] is False


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("age in [0:39]", 120.0),
        ("age in [0:19]", 60.0),
        ("age in {0, 1}", 6.0),
        ("town in {n}", 150.0),
        ("town in {all} and pays in {yes}", 180.0),
    ],
)
def test_noisy_regions_give_an_estimate(text: str, expected: float) -> None:
    attributes = [
        RegionAttribute("age", NumericDomain(0, 100)),
        RegionAttribute("town", CategoryTree({"all": ["n", "s"]})),
    ]
    rows = [
        ({"age": [0, 40], "town": "all"}, {"no": 120, "yes": 0}),
        ({"age": [40, 100], "town": "all"}, {"no": 0, "yes": 180}),
    ]
    regions = CountedRegions.from_lists(attributes, ["no", "yes"], rows, "pays")
    assert count_records(regions, text, truthful=False).estimate == pytest.approx(expected)
    for wrong in ("age in [9:2]", "age in {old}", "aged in {1}", "town in [a:b]", "pays in [a:b]", "items all {x}"):
        with pytest.raises(BadQuery):
            count_records(regions, wrong, truthful=False)


def test_a_misspelt_value_or_item_is_refused_where_nobody_can_have_it() -> None:
    release = anonymize(people(), Incognito(k=3))
    with pytest.raises(BadQuery, match=r"no value 'Rom'.*Did you mean 'Rome'"):
        release.count("city in {Rom}")
    sets = anonymize(Transactions.from_lists([["beer", "chips"]] * 3), COAT(k=2))
    with pytest.raises(BadQuery, match=r"can hold the item 'beet'.*Did you mean 'beer'"):
        sets.count("items all {beet}")


def test_trajectories_are_asked_otherwise() -> None:
    with pytest.raises(NotApplicable, match="put to tables and sets of items"):
        count_records(PublishedTrajectories.from_lists([["a"]]), "age in {1}", truthful=True)
