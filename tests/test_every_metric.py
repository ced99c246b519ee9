"""What holds for every metric: it computes the figures that it states, and a worse release never looks better."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl
import pytest

from crypsis import (
    ITSA,
    CategoryTree,
    CountedRegions,
    Events,
    LocationDomain,
    Mixed,
    NumericDomain,
    RegionAttribute,
    RFirst,
    SyntheticTrajectories,
    Table,
    Taxonomy,
    TimeDomain,
    Tracks,
    Trajectories,
    Transactions,
)
from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.relational import PublishedTable
from crypsis.data.trajectory import Locations, PublishedTrajectories
from crypsis.data.transaction import PublishedTransactions
from crypsis.errors import NotApplicable
from crypsis.metrics import _MEMBERS, METRICS
from crypsis.metrics.figure import HIGHER, LOWER
from crypsis.run_context import RunContext


@dataclass
class Case:
    """Data, the best release of them, and worse ones; a metric may not apply to some of the worse ones."""

    original: Any
    best: Any
    worse: Sequence[Any]
    side_inputs: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)


def trajectories() -> Case:
    rows = [["a", "b", "c"], ["a", "b", "c"], ["a", "b"], ["c", "d"], ["c", "d", "e"], ["d", "e"]] * 2
    places = {"a": (0, 0), "b": (1, 0), "c": (0, 2), "d": (9, 9), "e": (9, 8)}
    taxonomy = Taxonomy([("a", "x"), ("b", "x"), ("c", "y"), ("d", "y"), ("e", "y"), ("x", "all"), ("y", "all")])
    everywhere = [[list("abcde") for _ in row] for row in rows]
    generalized = [[["a", "d"] if label in "ad" else label for label in row] for row in rows]
    half = [[list("abcde") for _ in row] if number % 2 else row for number, row in enumerate(rows)]
    shortened = [row[:1] for row in rows]
    renamed = [[{"a": "e", "b": "d"}.get(label, label) for label in row] for row in rows]
    worse = [PublishedTrajectories.from_lists(one) for one in (everywhere, generalized, half, shortened, renamed)]
    original = Trajectories.from_lists(rows, locations=places)
    return Case(original, PublishedTrajectories.from_lists(rows), worse, {"taxonomy": taxonomy})


def tracks() -> Case:
    original = Tracks.from_lists([[(0, 0, 0), (60, 80, 1)], [(0, 0, 0), (60, 80, 1), (0, 0, 2)], [(0, 0, 0)]])
    rows = [["c0", "c1"], ["c0", "c1", "c0"], ["c0"]]
    exact = Locations.of({"c0": (0.0, 0.0), "c1": (60.0, 80.0)})
    moved = Locations.of({"c0": (30.0, 40.0), "c1": (31.0, 40.0)})
    best = replace(PublishedTrajectories.from_lists(rows), places=exact, generators=exact)
    return Case(original, best, [replace(best, places=moved)])


def table() -> Case:
    roles = {"age": "quasi", "town": "quasi", "rich": "label"}
    types = {"age": "int", "town": "category", "rich": "category"}
    ages, towns = [20, 21, 40, 41] * 25, ["Bari", "Oslo", "Riga", "Rome"] * 25
    rich = ["yes" if age > 30 else "no" for age in ages]
    original = Table.from_frame(pl.DataFrame({"age": ages, "town": towns, "rich": rich}), roles)

    def released(ages: list[Any], towns: list[str], rich: list[str] = rich) -> PublishedTable:
        frame = pl.DataFrame({"age": list(map(str, ages)), "town": towns, "rich": rich})
        return PublishedTable.from_frame(frame, roles, types)

    ranges = released(["[20:41]"] * 100, ["*"] * 100)
    suppressed = released([*ages[:50], *["~"] * 50], [*towns[:50], *["~"] * 50], [*rich[:50], *["~"] * 50])
    return Case(original, released(ages, towns), [ranges, suppressed])


def mixed() -> Case:
    frame = pl.DataFrame({"age": [20, 22, 25, 38, 41, 45]})
    items = Transactions.from_lists([["a", "b"], ["c", "d"], ["a"], ["b", "d"], ["a", "c"], ["d"]])
    original = Mixed(Table.from_frame(frame, {"age": "quasi"}), items, "bought", ("bought",))
    queries = {"queries": ["items all {a}", "age in [20:25] and items all {b}"]}
    best, worse = (RFirst(k=k, m=2, seeds="first").anonymize(original, RunContext()) for k in (1, 6))
    return Case(original, best, [worse], queries)


def disassociated() -> Case:
    records = [["a", "b", "c"], ["a", "b", "c"], ["a", "b", "d", "c"], ["b", "c"], ["b"]]
    shown = [
        [
            {"items": ["a", "b", "c"], "count": 2},
            {"items": ["a", "b", "c", "d"], "count": 1},
            {"items": ["b", "c"], "count": 1},
            {"items": ["b"], "count": 1},
        ]
    ]
    taxonomy = Taxonomy([("a", "x"), ("b", "x"), ("c", "y"), ("d", "y"), ("x", "all"), ("y", "all")])

    def released(chunks: list[Any], terms: list[str]) -> DisassociatedTransactions:
        leaf = {"type": "leaf", "size": 5, "record_chunks": chunks, "term_chunk": terms}
        return DisassociatedTransactions.from_canonical({"k": 1, "m": 2, "empty_records": 0, "nodes": [leaf]})

    apart = [[{"items": [item], "count": count}] for item, count in (("a", 3), ("b", 5), ("c", 4))]
    worse = [released(apart, ["d"]), released([], ["a", "b", "c", "d"])]
    return Case(Transactions.from_lists(records), released(shown, []), worse, {"hierarchy": taxonomy})


def generalized_sets() -> Case:
    records = [["a", "b"], ["a", "b"], ["c", "d"], ["c"], ["a", "d"]]
    merged = [[["a", "b", "c", "d"]] for _ in records]
    worse = [PublishedTransactions.from_lists(merged), PublishedTransactions.from_lists([[] for _ in records])]
    return Case(Transactions.from_lists(records), PublishedTransactions.from_lists(records), worse)


def windows() -> Case:
    seen = [("2", "a", 1), ("4", "a", 1), ("5", "f", 1), ("1", "b", 2), ("2", "f", 2), ("3", "b", 2), ("4", "f", 2)]
    original = Events.from_lists(seen)
    best, worse = (ITSA(K=k, N=2, lateness=2).anonymize(original, RunContext()) for k in (1, 3))
    return Case(original, best, [worse])


def trips() -> Case:
    places, times = LocationDomain(["a", "b", "c"]), TimeDomain(0, 4)

    def made(*rows: tuple[int, str]) -> SyntheticTrajectories:
        visits = [(copies, [(place, time) for time, place in enumerate(text)]) for copies, text in rows]
        return SyntheticTrajectories.from_lists(visits, places, times)

    people = ["abc", "ab", "ab", "c"]
    seen = [(str(person), place, time) for person, text in enumerate(people) for time, place in enumerate(text)]
    return Case(Events.from_lists(seen), made((1, "abc"), (2, "ab"), (1, "c")), [made((3, "cba")), made()])


def regions() -> Case:
    ages = list(range(100)) * 3
    frame = pl.DataFrame(
        {"age": ages, "town": ["n", "s"] * 150, "pays": ["yes" if age >= 40 else "no" for age in ages]}
    )
    original = Table.from_frame(frame, {"age": "quasi", "town": "quasi", "pays": "label"})
    attributes = [
        RegionAttribute("age", NumericDomain(0, 100)),
        RegionAttribute("town", CategoryTree({"all": ["n", "s"]})),
    ]

    def counted(*rows: tuple[list[int], int, int]) -> CountedRegions:
        listed = [({"age": age, "town": "all"}, {"no": no, "yes": yes}) for age, no, yes in rows]
        return CountedRegions.from_lists(attributes, ["no", "yes"], listed, "pays")

    return Case(original, counted(([0, 40], 120, 0), ([40, 100], 0, 180)), [counted(([0, 100], 180, 120))])


CASES = {
    trajectories: (
        "distance_loss", "normalized_distance_loss", "combined_distance_loss", "semantic_penalty_loss",
        "location_statistics", "visit_query_loss", "kl_divergence_loss", "pattern_preservation", "pattern_similarity",
        "clustering_comparison",
    ),
    tracks: ("track_lengths", "displacement"),
    table: ("ncp_loss", "class_sizes", "granularity_score", "classification_score", "table_kl_divergence_loss"),
    mixed: ("count_query_loss",),
    disassociated: ("tkd_loss", "tkd_ml2_loss", "re_loss", "tlost_loss", "cluster_structure"),
    generalized_sets: (
        "item_frequency_loss", "itemset_query_loss", "item_ncp_loss", "utility_loss", "bound_gap_loss",
    ),
    windows: ("suppression_loss",),
    trips: ("trip_query_loss", "trip_patterns", "trip_lengths", "origin_destination_loss"),
    regions: ("region_classification", "region_penalties"),
}  # fmt: skip
OPTIONS = {
    "re_loss": {"ranks": (0, 3)},
    "pattern_preservation": {"projections": 5},
    "clustering_comparison": {"max_distance": 3.0, "min_neighbours": 2},
}


def test_every_metric_has_a_case() -> None:
    assert sorted(name for names in CASES.values() for name in names) == sorted(METRICS)


def test_the_table_of_metrics_says_what_they_say():
    told = {name: (METRICS[name].name, *(kind.__name__ for kind in METRICS[name].accepts)) for name in _MEMBERS}
    assert told == {name: (name, *kinds) for name, (_, *kinds) in _MEMBERS.items()}


@pytest.mark.parametrize(("make", "name"), [(make, name) for make, names in CASES.items() for name in names])
def test_a_metric_computes_what_it_states_and_worse_releases_look_worse(make: Any, name: str) -> None:
    case, metric = make(), METRICS[name]
    best, *others = (computed(metric, case, published) for published in (case.best, *case.worse))
    stated = {figure.name: figure for figure in metric.figures}
    seen = {figure.partition(" of ")[0] for figures in (best, *others) for figure in figures}
    assert seen == set(stated)
    for figure in stated.values():
        of_worse = others[:1] if figure.name == "class_size_loss" else others  # suppression makes classes smaller
        compared = [other[figure.name] for other in of_worse if figure.name in other and figure.name in best]
        if figure.better == LOWER and compared:
            assert min(compared) >= best[figure.name], figure.name
            assert max(compared) > best[figure.name], figure.name
        if figure.better == HIGHER and compared:
            assert max(compared) <= best[figure.name], figure.name
            assert min(compared) < best[figure.name], figure.name


def computed(metric: Any, case: Case, published: Any) -> dict[str, float]:
    """The figures, all of them finite; none where the metric cannot read the release."""
    try:
        figures = metric.compute(
            case.original, published, seed=1, side_inputs=case.side_inputs, **OPTIONS.get(metric.name, {})
        )
    except NotApplicable:
        assert published is not case.best
        return {}
    assert all(math.isfinite(value) for value in figures.values()), figures
    return dict(figures)
