"""In each step of time the true number lies between both bounds."""

from __future__ import annotations

import numpy as np
import pytest

import crypsis
from crypsis.query import visits_of
from crypsis.query.presence_over_time import MOST_STEPS, presence_over_time
from tests.query.true_answers import was_there
from tests.timed_movements import MARCH, PLACES, timed_movements

DAY = 86_400


@pytest.mark.parametrize("cycle", ["none", "day", "week"])
def test_the_truth_lies_between_the_bounds_of_every_step(cycle: str) -> None:
    data, paths = timed_movements(np.random.default_rng(5))
    release = crypsis.anonymize(data.bind_times(width=15, cycle=cycle), crypsis.SeqAnon(k=2, m=1))
    visits = visits_of(release.data, truthful=True, complete=True)
    told = presence_over_time(visits, release.data.timed)
    assert told is not None
    assert len(told.definite) == {"day": 24, "week": 28}.get(cycle, len(told.edges) - 1) <= MOST_STEPS
    base = {"none": 0, "day": MARCH // DAY * DAY, "week": MARCH // DAY * DAY - 4 * DAY}[cycle]  # a Friday
    for step, (first, last) in enumerate(zip(told.edges[:-1], told.edges[1:], strict=True)):
        period = (base + int(first), base + int(last))
        true = sum(was_there(path, PLACES, period, "sometime", joined=False) for path in paths)
        assert told.definite[step] <= true <= told.possible[step]
    assert told.possible.max() > 0


def test_a_release_that_is_not_truthful_has_no_bounds_over_time() -> None:
    data, _ = timed_movements(np.random.default_rng(5))
    release = crypsis.anonymize(data.bind_times(width=60), crypsis.SeqAnon(k=1, m=1))
    visits = visits_of(release.data, truthful=False, complete=True)
    assert presence_over_time(visits, release.data.timed) is None
