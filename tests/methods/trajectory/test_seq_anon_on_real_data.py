"""SeqAnon on check-ins of real people: a guarantee that the verifier confirms with the original in hand."""

from __future__ import annotations

from typing import Any

import pytest

from crypsis.data.checkins import read_checkins
from crypsis.methods import SeqAnon
from crypsis.run_context import RunContext
from crypsis.verifiers import verify
from tests.shared_data import dataset


@pytest.mark.real_data("gowalla_nyc")
@pytest.mark.parametrize(
    ("one_per", "method"),
    [("user", SeqAnon(k=5, m=2)), ("day", SeqAnon(k=5, m=3, unit="owner"))],
    ids=["a trajectory per person", "a trajectory per day, people counted"],
)
def test_check_ins_in_new_york_are_released_with_a_promise_that_holds(one_per: Any, method: SeqAnon) -> None:
    original = read_checkins(dataset("gowalla_nyc") / "gowalla_nyc_checkins.csv.xz", one_per=one_per, cell=1000.0)
    assert len(original) > 7000
    published = method.anonymize(original, RunContext())
    verdict = verify(published, method.guarantee, original=original)
    assert verdict.holds, verdict
    assert len(verdict.figures["min_support_by_size"]) == method.m
    assert 1 < len(published.symbols) < len(original.locations)
