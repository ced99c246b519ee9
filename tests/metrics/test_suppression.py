"""What windows lose, counted by hand and against the method's own account."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given

from crypsis import ITSA, Events
from crypsis.metrics import measure
from crypsis.metrics.suppression import distortion_ratio, information_distortion, suppression_loss
from crypsis.run_context import RunContext
from tests.methods.stream.streams import Case, cases

SEEN = [("2", "a", 1), ("4", "a", 1), ("5", "f", 1), ("1", "b", 2), ("2", "f", 2), ("3", "b", 2), ("4", "f", 2)]


def test_one_of_seven_doublets_is_lost() -> None:
    log = Events.from_lists([*SEEN, SEEN[0]])
    method = ITSA(K=2, N=2, lateness=2)
    published = method.anonymize(log, RunContext())
    expected = {
        "suppression_loss": 1 / 7,
        "suppression_pooled_loss": 1 / 7,
        "suppression_worst_loss": 1 / 7,
        "regressed_doublets": 0,
    }
    assert measure(log, published) == pytest.approx(expected, rel=1e-11)


def test_an_empty_window_is_not_distorted_and_costs_nothing() -> None:
    assert distortion_ratio(0, 0) == 0
    assert information_distortion(4, Fraction(25, 2)) == 50


@pytest.mark.parametrize("mode", ["itsa", "cumulative", "static"])
@given(case=cases(erasures=False))
def test_figures_agree_with_what_the_method_says_of_itself(mode: str, case: Case) -> None:
    events = sorted(case.events, key=lambda one: one[2])
    log = Events.from_lists([(person, "abcd"[place], t) for person, place, t in events])
    context = RunContext()
    method = ITSA(
        L=2, K=case.settings["K"], N=case.settings["N"], mode=mode, t0=0 if case.settings["t0"] >= 0 else None
    )
    published = method.anonymize(log, context)
    loss = suppression_loss(log, published)
    told = context.private["windows"]
    instances = sum(window["instances"] for window in told)
    assert loss.pooled == pytest.approx(
        sum(window["suppressed_instances"] for window in told) / instances if instances else 0
    )
    assert loss.regressed == sum(window["regressed"] for window in told)
