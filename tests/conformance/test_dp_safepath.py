"""Golden vectors of SafePath, of the noise of empty nodes, of the ledger and of count queries."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from crypsis.data.domains import LocationDomain, TimeDomain
from crypsis.data.stream import Events
from crypsis.data.synthetic import SyntheticTrajectories
from crypsis.errors import BudgetScheme
from crypsis.ledger import Call, InParallel, InSequence
from crypsis.methods import SafePath
from crypsis.methods.noise_thresholds import deviations_threshold, flat_threshold
from crypsis.methods.trajectory.noisy_prefix_tree import TreeLevel
from crypsis.methods.trajectory.prefix_consistency import consistent_counts, projected, terminating, whole_counts
from crypsis.methods.trajectory.safe_path_budgets import printed_shares, uniform_shares
from crypsis.methods.trajectory.value_ranges import ValueRanges
from crypsis.metrics.count_queries import _Pairs, relative_error
from crypsis.noise import pass_probability
from crypsis.run_context import RunContext
from crypsis.verifiers.run_ledger import check_run_ledger
from tests.conformance.vectors import case, load
from tests.noise.providers import NoNoise

COUNT_QUERY = "dp/count_query_error.json"
EMPTY_NODES = "dp/empty_node_law.json"
LEDGER = "dp/ledger.json"
BUDGETS = "dp/safepath_budgets.json"
CONSISTENCY = "dp/safepath_consistency.json"
ZEROS = "dp/safepath_structural_zeros.json"
TABLE = "dp/safepath_table_5_1.json"
TAXONOMY = "dp/safepath_taxonomy.json"
UNIFORM = "dp/safepath_uniform_budgets.json"


def cases(file: str, key: str = "cases") -> list[Any]:
    return [case(file, entry, name=f"{key} {number}") for number, entry in enumerate(load(file)[key])]


def pair(text: str) -> tuple[str, int]:
    place, _, time = text.partition(".")
    return place, int(time)


@pytest.mark.parametrize("given", cases(BUDGETS))
def test_printed_budgets(given: Any) -> None:
    level = Fraction(given["epsilon"]) / given["h"]
    if not given["valid"]:
        with pytest.raises(BudgetScheme, match="of height"):
            printed_shares(level / 2, given["U"], given["taxonomy_height"])
        return
    general, leaf = printed_shares(level / 2, given["U"], given["taxonomy_height"])
    assert level == Fraction(given["level"])
    assert [str(share) for share in general] == given["general"]
    assert str(leaf) == given["leaf"]
    assert sum(general, leaf) == Fraction(given["sum"])
    if general:
        assert general[0] == Fraction(given["unit"])


@pytest.mark.parametrize("given", cases(UNIFORM))
def test_uniform_budgets_and_thresholds(given: Any) -> None:
    general, leaf = uniform_shares(Fraction(given["epsilon"]) / (2 * given["h"]), given["taxonomy_height"])
    assert [str(share) for share in general] == given["general"]
    assert str(leaf) == given["leaf"]
    assert [deviations_threshold(4, share) for share in general] == given["theta_general"]
    assert deviations_threshold(2, leaf) == given["theta_leaf"]


@pytest.mark.parametrize("given", cases(UNIFORM, "flat"))
def test_flat_thresholds(given: Any) -> None:
    epsilon = Fraction(str(given["epsilon"])) / given["h"]
    size = given["locations"] * given["timestamps"]
    assert flat_threshold(epsilon, size, Fraction(str(given["expected_false_children"]))) == given["theta"]


@pytest.mark.parametrize("given", cases(TAXONOMY))
def test_default_taxonomy(given: Any) -> None:
    ranges = ValueRanges.balanced(given["n"], given["fanout"], given["height"])
    found = [
        [list(ends) for ends in zip(level.low.tolist(), level.high.tolist(), strict=True)] for level in ranges.levels
    ]
    assert found == given["levels"]


@pytest.mark.parametrize("given", cases(CONSISTENCY, "families"))
def test_projection_of_a_family(given: Any) -> None:
    assert [str(value) for value in projected(given["noisy_children"], given["parent"])] == given["projection"]


@pytest.mark.parametrize("vector", [case(CONSISTENCY, load(CONSISTENCY), name="tree")])
def test_consistency_and_publication_of_a_tree(vector: Any) -> None:
    by_prefix = {tuple(map(pair, node["prefix"])): node for node in vector["tree"]}
    levels, prefixes, above = [], [], {(): 0}
    for depth in range(1, 4):
        here = sorted(
            (prefix for prefix in by_prefix if len(prefix) == depth),
            key=lambda prefix: (above[prefix[:-1]], prefix[-1][1], prefix[-1][0]),
        )
        levels.append(
            TreeLevel(
                np.array([above[prefix[:-1]] for prefix in here]),
                np.array(["abc".index(prefix[-1][0]) for prefix in here], np.int32),
                np.array([prefix[-1][1] for prefix in here], np.int32),
                np.array([by_prefix[prefix]["noisy"] for prefix in here]),
            )
        )
        prefixes.append(here)
        above = {prefix: number for number, prefix in enumerate(here)}
    consistent = consistent_counts(levels)
    counts = whole_counts(levels, consistent)
    ending = terminating(levels, counts)
    for depth, here in enumerate(prefixes):
        for number, prefix in enumerate(here):
            assert str(consistent[depth][number]) == by_prefix[prefix]["consistent"]
            assert counts[depth][number] == by_prefix[prefix]["integer"]
            assert ending[depth][number] == by_prefix[prefix]["terminating"]
    copies = {prefix: int(ending[len(prefix) - 1][prefixes[len(prefix) - 1].index(prefix)]) for prefix in by_prefix}
    published = {tuple(map(pair, row["trajectory"])): row["copies"] for row in vector["published"]}
    assert {prefix: count for prefix, count in copies.items() if count} == published
    assert sum(copies.values()) == vector["total_published"]
    assert sum(count for prefix, count in copies.items() if ("a", 1) in prefix) == vector["query_a1"]


class AllPassAfter(NoNoise):
    """Without noise for so many steps, of which only what is there passes; from then on everything passes."""

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.sizes: list[int] = []

    def passing_zeros(self, total: int, epsilon: Fraction, threshold: int) -> Any:
        self.sizes.append(self.calls + total - sum(self.sizes))
        super().passing_zeros(total, epsilon, threshold)
        passing = np.arange(total if len(self.sizes) > self.steps else 0)
        return passing, np.full(len(passing), threshold)


@pytest.mark.parametrize("given", cases(ZEROS))
def test_structural_zeros(given: Any) -> None:
    """In a tree where at most the parent is real, and all else passes, the last step counts what is possible."""
    place, time = given["parent"] or (0, 0)
    data = Events.from_lists([("x", f"p{place}", time)] * (given["parent"] is not None))
    for order in ("canonical", "nondecreasing", "strict"):
        for scheme, steps_per_level in (("uniform", 2), ("flat", 1)):
            levels = 1 if given["parent"] is None else 2
            method = SafePath(
                height=levels,
                scheme=scheme,
                location_height=0,
                time_height=0,
                order=order,
                threshold=1,
                location_domain=LocationDomain(f"p{number}" for number in range(given["locations"])),
                time_domain=TimeDomain(0, given["timestamps"]),
            )
            noise = AllPassAfter((levels - 1) * steps_per_level)
            method.synthesized(data, RunContext(), noise)
            assert len(noise.sizes) == levels * steps_per_level
            assert noise.sizes[-1] == given[order]


@pytest.mark.parametrize("given", cases(TABLE))
def test_table_5_1(given: Any) -> None:
    vector = load(TABLE)
    events = [(row, *pair(text)) for row, trajectory in enumerate(vector["trajectories"]) for text in trajectory]
    method = SafePath(
        height=given["h"],
        location_height=given["location_height"],
        time_height=given["time_height"],
        fan_out=given["fanout"],
        order=given["order"],
        threshold=given["threshold_override"],
        location_domain=LocationDomain(vector["locations"]),
        time_domain=TimeDomain(vector["timestamps"][0], vector["timestamps"][-1] + 1),
    )
    noise = NoNoise()
    made = method.synthesized(Events.from_lists(events), RunContext(), noise)
    assert noise.calls == given["noisy_counts_requested"]
    assert made.prefix_counts() == {tuple(map(pair, node["prefix"])): node["count"] for node in given["nodes"]}
    assert sorted((visits, copies) for copies, visits in made.to_lists()) == sorted(
        ([*map(pair, row["trajectory"])], row["copies"]) for row in given["published"]
    )


@pytest.mark.parametrize("given", cases(EMPTY_NODES))
def test_law_of_empty_nodes(given: Any) -> None:
    tolerance = load(EMPTY_NODES)["tolerance"]
    epsilon = Fraction(given["epsilon"])
    low, high = pass_probability(epsilon, given["k"]).bounds()
    assert high - low < Fraction(1, 10**30)
    assert float(low) == pytest.approx(given["pass_probability"], rel=tolerance)
    decay = np.exp(-given["epsilon"])
    assert given["k"] + decay / (1 - decay) == pytest.approx(given["tail_mean"], rel=tolerance)


@pytest.mark.parametrize("given", cases(LEDGER))
def test_ledger(given: Any) -> None:
    found = check_run_ledger(given["ledger"])
    assert found.holds == given["ok"]
    assert found.spent == (Fraction(given["spent"]) if "spent" in given else None)
    if "error" in given:
        assert found.error == given["error"]
    else:
        assert recorded(given["ledger"]["root"]).total() == Fraction(given["spent"])


def recorded(scope: Any) -> Call | InSequence | InParallel:
    if "call" in scope:
        call = scope["call"]
        return Call(call["mechanism"], Fraction(call["epsilon"]), Fraction(call["sensitivity"]), "", "")
    if "seq" in scope:
        return InSequence([recorded(member) for member in scope["seq"]])
    return InParallel([recorded(member) for member in scope["par"]], scope["disjoint_by"])


@pytest.mark.parametrize("given", cases(COUNT_QUERY))
def test_relative_error(given: Any) -> None:
    error = relative_error(given["true"], given["noisy"], given["records"], Fraction(given["sanity_fraction"]))
    assert str(error) == given["relative_error"]


@pytest.mark.parametrize("given", [case(COUNT_QUERY, load(COUNT_QUERY)["subset_semantics"], name="subset semantics")])
def test_a_query_asks_for_a_subset(given: Any) -> None:
    rows = [(1, [*map(pair, row)]) for row in given["data"]]
    places = LocationDomain(["loc1", "loc2", "loc5"])
    data = SyntheticTrajectories.from_lists(rows, places, TimeDomain(0, 24))
    asked = [time * len(places) + places.vocabulary.code(place) for place, time in map(pair, given["query"])]
    assert _Pairs.of_synthetic(data).supports(np.array([asked])).tolist() == [given["answer"]]
