"""What a guarantee means for one dataset, as the page Evaluate says it."""

from __future__ import annotations

import pytest

from crypsis.guarantees import GUARANTEES, KAnonymity, KmAnonymity, LDiversity
from crypsis.guarantees.all_of import AllOf
from crypsis.guarantees.guarantee import Guarantee
from crypsis.guarantees.itemset_km_anonymity import ItemsetKmAnonymity
from crypsis.guarantees.kkm_anonymity import KKmAnonymity

PEOPLE = "Somebody who knows a person's age, town and sex is left with at least 5 people"


@pytest.mark.parametrize(
    ("promise", "known", "words"),
    [
        (KAnonymity(k=5, unit="person"), ["age", "town", "sex"], f"{PEOPLE}."),
        (KAnonymity(k=5), ["age", "town", "sex"], f"{PEOPLE}, if no two records are of one person."),
        (
            KKmAnonymity(k=5, m=2, unit="person"),
            ["age", "diagnoses"],
            "Somebody who knows a person's age and up to 2 of their diagnoses is left with at least 5 people.",
        ),
        (
            ItemsetKmAnonymity(k=4, m=3, unit="person"),
            [],
            "Somebody who knows up to 3 items of a person is left with at least 4 people.",
        ),
        (
            KmAnonymity(k=5, m=1, unit="owner"),
            [],
            "Somebody who knows one place that a person visited is left with at least 5 people.",
        ),
        (
            LDiversity(l=3),
            ["age"],
            "Somebody who knows a person's age is left with at least 3 different values of every sensitive column.",
        ),
    ],
)
def test_a_guarantee_is_told_with_the_columns_of_the_data(promise: Guarantee, known: list[str], words: str) -> None:
    assert promise.meaning_for(known) == words


def test_several_guarantees_are_told_one_after_the_other() -> None:
    both = AllOf.of(KAnonymity(k=5), LDiversity(l=2))
    assert both.meaning_for(["age"]) == f"{KAnonymity(k=5).meaning_for(['age'])} {LDiversity(l=2).meaning_for(['age'])}"


@pytest.mark.parametrize("promise", [KAnonymity(k=3), KKmAnonymity(k=3, m=1), LDiversity(l=2)], ids=str)
def test_without_known_columns_the_promise_itself_is_told(promise: Guarantee) -> None:
    assert promise.meaning_for([]) == promise.scope


def test_every_guarantee_can_be_told() -> None:
    assert all(callable(kind.meaning_for) for kind in GUARANTEES.values())
