"""A question says what it needs, and nothing that it says is ignored."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from crypsis import BFP2kA, Incognito, KAMCut, Release, SeqAnon, Table, Trajectories, anonymize
from crypsis.errors import BadQuery, CrypsisError, NotApplicable, OptionWithoutEffect
from crypsis.query.questions import KINDS, Question, ask
from tests.timed_movements import timed_movements


def test_a_count_and_its_words() -> None:
    data = Table.from_frame(pl.DataFrame({"age": [20, 21, 22]}), {"age": "quasi"}, {"age": "int"})
    found = ask(anonymize(data, Incognito(k=3)), Question(kind="count", conditions=("age in [0:99]",)))
    assert (found.content["definite"], found.content["at_most"]) == (3, 3)
    assert found.words.startswith("at least 3, at most 3 records")


def test_visits_without_times_tell_places_and_order() -> None:
    release = anonymize(
        Trajectories.from_lists([["a", "b"]] * 3, locations={"a": (0, 0), "b": (1, 0)}), SeqAnon(k=2, m=1)
    )
    assert ask(release, Question(kind="places")).content["places"][0] == {"place": "a", "definite": 3, "possible": 3}
    found = ask(release, Question(kind="od", origin=("a",), destination=("b",)))
    assert (found.content["definite"], found.content["possible"]) == (3, 3)
    with pytest.raises(NotApplicable, match="no times"):
        ask(release, Question(kind="presence", region=("a",), period="2024-03-01T08:00/10:00"))
    with pytest.raises(NotApplicable, match="tables and sets"):
        ask(release, Question(kind="count", conditions=("age in {1}",)))


def test_an_upper_bound_says_where_something_may_be_suppressed_and_never_how_much() -> None:
    """How many were left out is a number of the original; that some may be follows from the method."""
    data = Trajectories.from_lists([["a", "b"]] * 3 + [["c"]])
    release = anonymize(data, KAMCut(k=2))
    found = ask(release, Question(kind="od", origin=("a",), destination=("b",)))
    assert found.content["complete"] is False
    assert "at most 3 trajectories, not counting what was suppressed" in found.words
    assert 3 <= found.content["possible"] + 1, "the truth, and one that was suppressed"
    told = release.describe()["method"]
    assert (told["truthful"], told["complete"]) == (True, False)
    assert "suppressed" not in json.dumps(release.describe()["data"])


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_question_needs_must_be_there(kind: str) -> None:
    needed, others, _ = KINDS[kind]
    if needed:
        with pytest.raises(BadQuery):
            Question(kind=kind)
    if "relation" not in (*needed, *others):
        with pytest.raises(CrypsisError):
            Question(kind=kind, relation="before")


def test_what_a_question_does_not_use_is_refused() -> None:
    with pytest.raises(OptionWithoutEffect, match="does not use mode"):
        Question(kind="places", mode="within")
    with pytest.raises(BadQuery, match="There is no question 'presents'"):
        Question(kind="presents")


MORNING = "2024-03-01T08:00/09:00"


@pytest.fixture(scope="module")
def timed() -> Release:
    data, _ = timed_movements(np.random.default_rng(3))
    return anonymize(data.bind_times(width=60), SeqAnon(k=2, m=1))


def test_what_is_expected_lies_between_the_bounds(timed: Release) -> None:
    told = ask(timed, Question(kind="presence", region=("home", "park"), period=MORNING)).content
    assert told["definite"] <= told["estimate"] <= told["possible"]


@pytest.mark.parametrize(
    ("region", "period", "words"),
    [
        ("hom", MORNING, "Did you mean 'home'"),
        ("home", "2024-03-01T09:00/08:00", "must not fall"),
        ("home", "tomorrow", "two or four instants"),
        ("home", "2024-03-01T08:00/2024-03-01T25:00", "no instant"),
    ],
)
@pytest.mark.parametrize("kind", ["presence", "relation", "dwell"])
def test_bad_periods_and_unknown_regions_are_refused_in_words(
    timed: Release, kind: str, region: str, period: str, words: str
) -> None:
    more = {"relation": "before"} if kind == "relation" else {}
    with pytest.raises(BadQuery, match=words):
        ask(timed, Question(kind=kind, region=(region,), period=period, **more))


def test_instants_without_a_zone_are_utc(timed: Release) -> None:
    asked = [
        ask(timed, Question(kind="presence", region=("home",), period=period)).content
        for period in (MORNING, "2024-03-01T08:00Z/2024-03-01T09:00Z", "2024-03-01T09:00+01:00/2024-03-01T10:00+01:00")
    ]
    assert asked[0] == asked[1] == asked[2]


@pytest.mark.parametrize("kind", ["dwell", "relation", "od", "copresence", "places"])
def test_replaced_records_give_no_bounds_and_the_reason(kind: str) -> None:
    data, _ = timed_movements(np.random.default_rng(3))
    release = anonymize(data.bind_times(width=360), BFP2kA(k=2))
    needed, _, _ = KINDS[kind]
    given = {"period": MORNING, "relation": "before"} | dict.fromkeys(("region", "origin", "destination"), ("home",))
    with pytest.raises(NotApplicable, match="gives no bounds: its records are drawn, replaced or noisy"):
        ask(release, Question(kind=kind, **{name: given[name] for name in needed}))
