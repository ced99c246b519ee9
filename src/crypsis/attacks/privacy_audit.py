"""Audit of differential privacy: an empirical lower bound of epsilon from many runs on two neighbouring datasets.

Whoever sees a release bets on which of two neighbouring datasets it was made from. If some event is much more likely
under one of them than exp(epsilon) allows, the promise is broken. Half of the runs choose the event, the other half
estimate it, so the choice does not flatter the estimate. Bounds of probabilities are those of Clopper and Pearson.

An audit can convict and never acquit: a low bound says that no violation was found with these data and runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from crypsis.errors import BadParameter

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class PrivacyAudit:
    """What was found. `lower_bound` exceeds the true epsilon with a probability of at most `false_alarm`."""

    claimed: Fraction
    lower_bound: float
    runs: int
    false_alarm: float
    event: frozenset[Hashable]

    @property
    def convicted(self) -> bool:
        """The bound is above what is claimed."""
        return self.lower_bound > float(self.claimed)

    def __str__(self) -> str:
        if self.convicted:
            return (
                f"broken: epsilon is at least {self.lower_bound:.3f}, {self.claimed} is claimed "
                f"(wrong with probability {self.false_alarm:g} at most)"
            )
        return f"no violation found with these data and {self.runs:,} runs: epsilon is at least {self.lower_bound:.3f}"


def audit_privacy(
    runs_on: Callable[[Any, int], Sequence[Hashable]],
    data: Any,
    neighbour: Any,
    epsilon: Fraction | float | str,
    *,
    runs: int = 40_000,
    false_alarm: float = 1e-3,
) -> PrivacyAudit:
    """Bound epsilon from `runs` releases of each of two neighbouring datasets.

    `runs_on(data, count)` returns the outcomes of so many independent releases, each something that can be compared.
    """
    if runs < 4:
        raise BadParameter(f"audit_privacy: runs must be an int of at least 4, got {runs!r}.", parameter="runs")
    if not 0 < false_alarm < 1:
        raise BadParameter(f"audit_privacy: false_alarm must be between 0 and 1, got {false_alarm!r}.")
    outcomes = list(runs_on(data, runs)), list(runs_on(neighbour, runs))
    if any(len(bound) != runs for bound in outcomes):
        raise BadParameter("audit_privacy: runs_on must return as many outcomes as it is asked for.")
    half = runs // 2
    choosing = [Counter(bound[:half]) for bound in outcomes]
    estimating = [Counter(bound[half:]) for bound in outcomes]
    best, event = 0.0, frozenset[Hashable]()
    for likely, rare in ((0, 1), (1, 0)):  # two directions, two bounds each
        chosen = _best_event(choosing[likely], choosing[rare], half, false_alarm / 4)
        hits, misses = (
            np.array([sum(estimating[side][outcome] for outcome in chosen)], np.int64) for side in (likely, rare)
        )
        bound = float(_log_ratio_bounds(hits, misses, runs - half, false_alarm / 4)[0])
        if bound > best:
            best, event = bound, chosen
    return PrivacyAudit(Fraction(epsilon), best, runs, false_alarm, event)


def _best_event(
    likely: Counter[Hashable], rare: Counter[Hashable], runs: int, false_alarm: float
) -> frozenset[Hashable]:
    """Outcomes of highest likelihood ratio, as many of them as give the best bound."""
    by_ratio = sorted(likely, key=lambda outcome: (rare[outcome] + 0.5) / (likely[outcome] + 0.5))
    hits = np.cumsum([likely[outcome] for outcome in by_ratio])
    misses = np.cumsum([rare[outcome] for outcome in by_ratio])
    best = int(np.argmax(_log_ratio_bounds(hits, misses, runs, false_alarm)))
    return frozenset(by_ratio[: best + 1])


def _log_ratio_bounds(hits: Integers, misses: Integers, runs: int, false_alarm: float) -> Floats:
    """Lower bounds of log(p / q), where p was hit `hits` times and q `misses` times in as many runs."""
    from scipy.special import betainccinv, betaincinv

    bounds = np.full(len(hits), -np.inf)
    some = hits > 0
    lower = betaincinv(hits[some], runs - hits[some] + 1, false_alarm)
    upper = np.ones(len(lower))
    not_all = misses[some] < runs
    upper[not_all] = betainccinv(misses[some][not_all] + 1, runs - misses[some][not_all], false_alarm)
    seen = lower > 0
    bounds[np.flatnonzero(some)[seen]] = np.log(lower[seen] / upper[seen])
    return bounds
