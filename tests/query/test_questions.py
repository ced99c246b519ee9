"""A question says what it needs, and nothing that it says is ignored."""

from __future__ import annotations

import polars as pl
import pytest

from crypsis import Incognito, SeqAnon, Table, Trajectories, anonymize
from crypsis.errors import BadQuery, CrypsisError, NotApplicable, OptionWithoutEffect
from crypsis.query.questions import KINDS, Question, ask


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
