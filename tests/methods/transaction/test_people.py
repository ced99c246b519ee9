"""Methods for sets where one person owns most records: people are counted, by the definition, or the method refuses."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import crypsis
from crypsis import COAT, LRA, PCTA, VPA, Apriori, PrivacyPolicy, Transactions
from crypsis.errors import CrypsisError, Infeasible, NotApplicable, OriginalRequired
from crypsis.run_context import RunContext
from tests.methods.transaction.people import ITEMS, most_of_one_person, people_of


def rarest(rows: list[list[Any]], person: list[int], m: int) -> int:
    """The fewest people that any set of up to m items leaves, by the definition."""
    counts = [len(people_of(rows, person, known)) for size in range(1, m + 1) for known in combinations(ITEMS, size)]
    return min(count for count in counts if count)


METHODS = [
    Apriori(k=3, m=2),
    LRA(k=3, m=2, partition_size=8),
    VPA(k=3, m=2, parts=3),
    COAT(k=3, m=2),
    PCTA(k=3, m=2),
    PCTA(k=3, m=2, objective="dataset"),
    PCTA(k=3, m=3),
    Apriori(k=4, m=3),
]


@pytest.mark.parametrize("method", METHODS, ids=lambda one: f"{one.name()}-{one.k}-{one.m}")
@pytest.mark.parametrize("seed", range(6))
def test_every_set_belongs_to_k_people_by_definition(method: Any, seed: int) -> None:
    rows, person = most_of_one_person(seed)
    data = Transactions.from_lists(rows, person=person)
    release = crypsis.anonymize(data, method)
    shown = release.data.to_lists()
    assert release.guarantee.unit == "person"
    reached = rarest(shown, person, method.m)
    assert reached >= method.k
    verdict = release.verify()
    assert verdict.holds
    assert verdict.achieved == reached


def test_counting_records_instead_would_have_left_somebody_alone() -> None:
    """The data of these tests tell the two ways of counting apart, and the verifier does."""
    told_apart = 0
    for seed in range(6):
        rows, person = most_of_one_person(seed)
        release = crypsis.anonymize(Transactions.from_lists(rows), PCTA(k=3, m=2))
        assert release.verify().holds
        verdict = release.verify(Transactions.from_lists(rows, person=person))
        assert verdict.holds is (rarest(release.data.to_lists(), person, 2) >= 3)
        told_apart += not verdict.holds
    assert told_apart >= 3


@pytest.mark.parametrize("method", METHODS[:5], ids=lambda one: one.name())
def test_people_with_one_record_each_change_nothing(method: Any) -> None:
    rows, _ = most_of_one_person(1)
    plain = crypsis.anonymize(Transactions.from_lists(rows), method)
    named = crypsis.anonymize(Transactions.from_lists(rows, person=[f"p{row}" for row in range(len(rows))]), method)
    assert named.data == plain.data
    assert named.guarantee == plain.guarantee


@pytest.mark.parametrize("method", [Apriori(k=3, m=2), LRA(k=3, m=2), COAT(k=3, m=2), PCTA(k=3, m=2)])
def test_the_order_of_records_does_not_matter(method: Any) -> None:
    rows, person = most_of_one_person(2)
    order = np.random.default_rng(0).permutation(len(rows)).tolist()
    one = crypsis.anonymize(Transactions.from_lists(rows, person=person), method)
    shuffled = Transactions.from_lists([rows[at] for at in order], person=[person[at] for at in order])
    other = crypsis.anonymize(shuffled, method)
    assert sorted(map(repr, one.data.to_lists())) == sorted(map(repr, other.data.to_lists()))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("method", [COAT, PCTA])
def test_policies_ask_for_people(method: Any, seed: int) -> None:
    rows, person = most_of_one_person(seed)
    policy = PrivacyPolicy([["a", "b", "c"], ["c", "d"], ["e"]])
    release = crypsis.anonymize(Transactions.from_lists(rows, person=person), method(k=3, privacy=policy))
    shown = release.data.to_lists()
    for listed in (("a", "b", "c"), ("c", "d"), ("e",)):
        for size in range(1, len(listed) + 1):
            for known in combinations(listed, size):
                assert len(people_of(shown, person, known)) not in (1, 2)
    assert release.verify().holds
    assert release.guarantee.unit == "person"


@given(st.integers(0, 400), st.integers(2, 3), st.sampled_from([2, 3]))
def test_secrets_are_shared_by_few_people(seed: int, k: int, l: int) -> None:  # noqa: E741
    rows, person = most_of_one_person(seed)
    data = Transactions.from_lists(rows, ["g"] if any("g" in row for row in rows) else (), person=person)
    assume(data.sensitive is not None)
    try:
        release = crypsis.anonymize(data, Apriori(k=k, m=2, l=l))
    except Infeasible:
        return
    assert release.guarantee.unit == "person"
    assert release.verify().holds
    shown = release.data.to_lists()
    with_secret = [row for row in range(len(shown)) if "g" in shown[row]]
    for size in range(3):
        for known in combinations(ITEMS[:-1], size):
            group = people_of(shown, person, known)
            held = people_of([shown[row] for row in with_secret], [person[row] for row in with_secret], known)
            assert not group or len(group) >= k
            assert len(held) * l <= len(group)


def test_fewer_than_k_people_have_no_release() -> None:
    data = Transactions.from_lists([["a"]] * 20, person=["p"] * 15 + ["q"] * 5)
    for method in (Apriori(k=3), LRA(k=3), VPA(k=3), COAT(k=3), PCTA(k=3)):
        with pytest.raises(Infeasible, match="2 people"):
            crypsis.anonymize(data, method)


def test_from_a_folder_people_are_counted_with_the_original_only(tmp_path: Any) -> None:
    rows, person = most_of_one_person(3)
    data = Transactions.from_lists(rows, person=person)
    release = crypsis.anonymize(data, PCTA(k=3, m=2))
    folder = release.write(tmp_path / "release")
    assert not any("person" in path.name for path in folder.iterdir())
    read = crypsis.read_release(folder)
    assert read.guarantee.unit == "person"
    assert read.data.person is None
    with pytest.raises(OriginalRequired) as refused:
        read.verify()
    assert refused.value.code == "original-required"
    with pytest.raises(NotApplicable):
        read.verify(Transactions.from_lists(rows))
    verdict = read.verify(data)
    assert verdict.holds
    assert verdict.achieved == rarest(release.data.to_lists(), person, 2)


def test_sorted_records_with_several_images_need_the_private_report(tmp_path: Any) -> None:
    rows, person = most_of_one_person(4, records=80)
    data = Transactions.from_lists(rows, person=person)
    release = crypsis.anonymize(data, LRA(k=2, m=1, partition_size=8))
    assert any(isinstance(symbol, list) for row in release.data.to_lists() for symbol in row)
    assert any(row == ["a"] for row in release.data.to_lists())
    private = tmp_path / "private.json"
    folder = release.write(tmp_path / "release", private_report=private)
    read = crypsis.read_release(folder)
    with pytest.raises(OriginalRequired, match="private report"):
        read.verify(data)
    verdict = crypsis.read_release(folder, private_report=private).verify(data)
    assert verdict.holds
    assert verdict.achieved == release.verify().achieved


def test_a_release_whose_unit_was_changed_is_found_out(tmp_path: Any) -> None:
    """Whoever writes `record` for `person` into a manifest promises less; with the original, people are counted."""
    from dataclasses import replace

    rows, person = most_of_one_person(0)
    data = Transactions.from_lists(rows, person=person)
    by_records = crypsis.anonymize(Transactions.from_lists(rows), PCTA(k=3, m=2))
    lying = replace(by_records, guarantee=replace(by_records.guarantee, unit="person"), original=None, _verified=None)
    assert not lying.verify(data).holds
    assert not by_records.verify(data).holds


def test_all_items_of_a_person_can_be_united() -> None:
    data = Transactions.from_lists([["a", "b"], ["b", "c"], [], ["d"]], person=["q", "q", "p", "r"])
    united = data.unite_by_person()
    assert united.to_lists() == [[], ["a", "b", "c"], ["d"]]
    assert united.person is None
    assert united.collapsed == 1


def test_a_record_of_two_people_is_refused() -> None:
    import polars as pl

    table = pl.DataFrame({"basket": [1, 1, 2], "item": ["a", "b", "c"], "customer": ["p", "q", "p"]})
    with pytest.raises(CrypsisError, match="two persons for one id"):
        Transactions.from_frame(table, id="basket", person="customer")
    sound = Transactions.from_frame(table.head(1).vstack(table.tail(1)), id="basket", person="customer")
    assert sound.people == 1
    assert sound.person_repeats


def test_run_contexts_keep_no_persons() -> None:
    rows, person = most_of_one_person(5)
    context = RunContext()
    Apriori(k=3, m=2).anonymize(Transactions.from_lists(rows, person=person), context)
    assert "person" not in context.private
