"""Crowds, their domains and the law of counts, for tests of private movement."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import strategies as st
from scipy.stats import chi2

from crypsis import (
    Events,
    LocationDomain,
    SafePath,
    SeqPT,
    TimeDomain,
)
from crypsis.methods.trajectory.noisy_prefix_tree import VisitSpace, grow
from crypsis.methods.trajectory.walking_records import Visits, WalkersHere
from crypsis.noise import MeteredNoise
from tests.reference import safe_path as reference

BY_CHANCE = 1e-9


ORDERS = st.sampled_from(["canonical", "nondecreasing", "strict"])


def events(people) -> Events:
    """From pairs (location, time) of each person; people without any are not in a log."""
    return Events.from_lists([(who, f"p{place}", time) for who, pairs in enumerate(people) for place, time in pairs])


def domains(n_locations: int, n_times: int) -> dict[str, object]:
    return {
        "location_domain": LocationDomain(f"p{number}" for number in range(n_locations)),
        "time_domain": TimeDomain(0, n_times),
    }


@st.composite
def populations(draw):
    """People over a small domain, some of whose visits lie outside it, some of whom visit nothing or repeat."""
    n_locations, n_times = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    pair = st.tuples(st.integers(0, n_locations), st.integers(-1, n_times))
    return draw(st.lists(st.lists(pair, max_size=5), max_size=12)), n_locations, n_times


def labelled(copies):
    return {tuple((f"p{place}", time) for place, time in prefix): count for prefix, count in copies.items()}


def forest(method: SafePath | SeqPT, people, runs: int, noise) -> list[tuple]:
    """The noisy trees of so many independent runs, each as something that can be compared."""
    locations, times = method.location_domain, method.time_domain
    each = isinstance(method, SeqPT)  # which draws every child by itself
    sublevels = method._plan().sublevels if each else method._sublevels(locations, times)[1]
    records = [reference.prepared(pairs, len(locations), len(times), method.order, method.height) for pairs in people]
    records = [record for record in records if record]
    flat = [pair for record in records for pair in record]
    lengths = np.tile([len(record) for record in records], runs).astype(np.int64)
    visits = Visits(
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        np.tile([place for place, _ in flat], runs).astype(np.int32),
        np.tile([time for _, time in flat], runs).astype(np.int32),
        len(locations),
        len(times),
        method.order,
    )
    roots = np.repeat(np.arange(runs), len(records))
    metered = MeteredNoise(noise, method.epsilon, one_by_one=each)
    space = VisitSpace(len(locations), len(times), method.order)
    levels = grow(WalkersHere(visits, roots), space, method.height, sublevels, metered, n_roots=runs)
    outcomes: list[list[tuple]] = [[] for _ in range(runs)]
    prefixes = [()] * runs
    trees = range(runs)
    for level in levels:
        rows = zip(*(part.tolist() for part in (level.parents, level.locations, level.times, level.noisy)), strict=True)
        here, owners = [], []
        for parent, place, time, noisy in rows:
            prefix = (*prefixes[parent], (place, time))
            outcomes[trees[parent]].append((prefix, noisy))
            here.append(prefix)
            owners.append(trees[parent])
        prefixes, trees = here, owners
    return [tuple(outcome) for outcome in outcomes]


CROWD = [[(0, 0), (1, 1)], [(0, 0)], [(2, 1)], [(0, 0), (1, 1)]]


def same_law(one, other) -> tuple[bool, int]:
    """Two-sample chi-square on outcomes that are hit often enough; how many there are."""
    counts = Counter(one), Counter(other)
    often = [outcome for outcome in counts[0] | counts[1] if counts[0][outcome] + counts[1][outcome] >= 40]
    table = np.array([[side[outcome] for outcome in often] for side in counts], float)
    rest = np.array([[len(one)], [len(other)]]) - table.sum(axis=1, keepdims=True)
    table = np.hstack([table, rest]) if rest.sum() else table
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / table.sum()
    statistic = ((table - expected) ** 2 / expected).sum()
    return bool(chi2.sf(statistic, table.shape[1] - 1) > BY_CHANCE), len(often)
