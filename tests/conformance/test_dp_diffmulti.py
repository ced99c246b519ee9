"""Golden vectors of DiffMulti: accounting, split points, shares, the noise-free run of Table 6.1, published regions."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

from crypsis.data.attribute_domains import AttributeDomains, CategoryDomain, NumericDomain
from crypsis.data.category_trees import CategoryTree, CategoryTrees
from crypsis.data.counted_regions import CountedRegions, RegionAttribute
from crypsis.data.relational import Table
from crypsis.kernels.regions import GRID, GroupedRecords, shares_of, split_blocks
from crypsis.methods import DiffMulti
from crypsis.methods.relational.region_scores import KINDS
from crypsis.methods.relational.specialization_budgets import budget_of_call, operations
from crypsis.metrics.region_penalties import discernibility_of_regions, ncp_of_regions
from crypsis.noise.blocks import Blocks
from crypsis.run_context import RunContext
from crypsis.verifiers.counted_regions import _problem_with_regions
from tests.conformance.vectors import case, load
from tests.noise.providers import NoNoise
from tests.reference.diff_multi import printed_specializations, worst_path

ACCOUNTING = "dp/diffmulti_accounting.json"
INTERVALS = "dp/diffmulti_intervals.json"
MOST = "dp/diffmulti_max_specializations.json"
REGIONS = "dp/diffmulti_regions.json"
SHARES = "dp/diffmulti_shares.json"
TABLE = "dp/diffmulti_table_6_1.json"
SCORES = {"dm": "discernibility", "dm_sqrt": "discernibility"}


def cases(file: str, key: str = "cases") -> list[Any]:
    return [case(file, entry, name=f"{key} {number}") for number, entry in enumerate(load(file)[key])]


@pytest.mark.parametrize("given", cases(ACCOUNTING))
def test_printed_accounting_and_the_true_worst_case(given: Any) -> None:
    attributes, depth = given["numeric_attributes"], given["max_depth"]
    calls = operations(attributes, depth, 7, "printed")
    assert calls == given["printed_operations"]
    assert str(budget_of_call(Fraction(given["epsilon"]), calls)) == given["printed_epsilon_prime"]
    unlimited = depth + 1
    assert worst_path(attributes, depth, unlimited) == given["worst_case_operations"]
    assert operations(attributes, depth, unlimited) == given["worst_case_operations"]


@pytest.mark.parametrize("given", cases(ACCOUNTING, "default_formula"))
def test_accounting(given: Any) -> None:
    calls = operations(given["numeric_attributes"], given["depth"], given["num_cap"])
    assert calls == given["operations"]
    assert calls >= worst_path(given["numeric_attributes"], given["depth"], given["num_cap"])
    assert str(budget_of_call(Fraction(1), calls)) == given["epsilon_prime_for_epsilon_1"]


def blocks_of(vector: Any, score: str) -> Blocks:
    low, high = vector["domain"]
    rows = np.array([[value - low] for value in vector["values"]], np.int32)
    classes = np.array(["YN".index(label) for label in vector["classes"]], np.int32)
    offsets, found = split_blocks(
        GroupedRecords(rows, classes, np.array([0, len(rows)]), 2),
        np.zeros(1, np.int64),
        np.zeros(1, np.int64),
        np.zeros((1, 1), np.int32),
        np.array([[high - low]], np.int32),
        KINDS[score],
    )
    return Blocks(offsets, *(np.ascontiguousarray(found[:, place]) for place in range(4)))


@pytest.mark.parametrize("vector", [case(INTERVALS, load(INTERVALS), name="blocks")])
def test_blocks_of_split_points(vector: Any) -> None:
    low = vector["domain"][0]
    blocks = blocks_of(vector, "max")
    assert [[first + low, last + low] for first, last in zip(blocks.first, blocks.last, strict=True)] == vector[
        "blocks"
    ]


@pytest.mark.parametrize("law", cases(INTERVALS, "laws"))
def test_law_of_split_points(law: Any) -> None:
    """The scores that the sampler is given, so normalized, are the probabilities of the exponential mechanism."""
    vector = load(INTERVALS)
    low, high = vector["domain"]
    name = SCORES.get(law["score"], law["score"])
    unit = {"max": 1, "discernibility": GRID, "ncp": high - low}[name]
    first, scores = blocks_of(vector, name).scores(0)
    assert (first + low, len(scores)) == (low + 1, high - low - 1)
    tolerance = vector["tolerance"] if name != "discernibility" else 2 / GRID
    weights = np.exp(law["epsilon"] * (scores - scores.max()) / unit)
    for block in law["blocks"]:
        inside = slice(block["from"] - low - 1, block["to"] - low)
        assert scores[inside][0] / unit == pytest.approx(block["score_at_first"], abs=max(tolerance, 1e-9))
        assert weights[inside].sum() / weights.sum() == pytest.approx(block["probability"], rel=max(tolerance, 1e-9))


@pytest.mark.parametrize("given", cases(SHARES, "fair"))
def test_shares(given: Any) -> None:
    noisy = np.array(given["noisy_counts"], np.int64)
    assert shares_of(noisy, np.array([0, len(noisy)]), np.array([given["h"] - 1])).tolist() == given["shares"]


@pytest.mark.parametrize("given", cases(SHARES, "even"))
def test_even_shares(given: Any) -> None:
    noisy = np.full(given["children"], 7)
    assert shares_of(noisy, np.array([0, len(noisy)]), np.array([given["h"] - 1])).tolist() == given["shares"]


@pytest.mark.parametrize("given", cases(MOST))
def test_printed_number_of_specializations(given: Any) -> None:
    """Depends on the order of the trees, so it is no maximum and nothing uses it."""
    assert printed_specializations(given["trees"]) == given["h"]


class Trace:
    """Every specialization of a run, by its region."""

    def __init__(self, attributes: list[RegionAttribute], width: dict[str, int]) -> None:
        self.attributes, self.width = attributes, width
        self.found: dict[str, Any] = {}

    def __call__(self, regions, chosen, candidates, scores, attributes, fan, noisy, shares) -> None:
        child = 0
        for number, region in enumerate(chosen.tolist()):
            shown = [
                one.shown(regions.low[region, place], regions.high[region, place], regions.node[region, place])
                for place, one in enumerate(self.attributes)
            ]
            below = slice(child, child + int(fan[number]))
            child = below.stop
            self.found[str(shown)] = {
                "attribute": self.attributes[attributes[number]].name,
                "scores": {
                    one.name: int(scores[number, place])
                    for place, one in enumerate(self.attributes)
                    if candidates[number, place]
                },
                "splits": {
                    one.name: int(regions.split[region, place]) + 1930
                    for place, one in enumerate(self.attributes)
                    if one.numeric and candidates[number, place]
                },
                "counts": noisy[below].tolist(),
                "h": int(regions.left[region]),
                "shares": shares[below].tolist(),
            }


@pytest.mark.parametrize("given", cases(TABLE))
def test_table_6_1(given: Any) -> None:
    vector = load(TABLE)
    table = Table.from_frame(
        pl.DataFrame(vector["records"]), {"Continent": "quasi", "YoB": "quasi", vector["class"]["name"]: "label"}
    )
    low, high = vector["numeric_domain"]["YoB"]
    method = DiffMulti(
        specializations=given["h"],
        max_depth=given["max_depth"],
        score=SCORES.get(given["score"], given["score"]),
        trees=CategoryTrees({"Continent": vector["taxonomy"]}),
        domains=AttributeDomains(
            {"YoB": NumericDomain(low, high), "Class": CategoryDomain(tuple(vector["class"]["domain"]))}
        ),
    )
    attributes = [
        RegionAttribute("Continent", CategoryTree(vector["taxonomy"])),
        RegionAttribute("YoB", NumericDomain(low, high)),
    ]
    trace = Trace(attributes, {"Continent": 6, "YoB": high - low})
    made = method.generalized(table, RunContext(), NoNoise(), trace)
    assert len(trace.found) == len(given["trace"])
    for step in given["trace"]:
        found = trace.found[str([step["region"][one.name] for one in attributes])]
        for key in ("attribute", "splits", "counts", "h", "shares"):
            assert found[key] == step[key], key
        for name, score in step["scores"].items():
            assert true_score(given["score"], found["scores"][name]) == Fraction(score)
    found_leaves = sorted((str(region), counts) for region, counts in made.to_lists())
    assert found_leaves == sorted((str(leaf["region"]), leaf["counts"]) for leaf in given["leaves"])


def true_score(name: str, units: int) -> Fraction:
    if name == "max":
        return Fraction(units)
    if name == "dm":  # the vector writes minus the sum of squares
        return Fraction(-round((units / GRID) ** 2))
    return Fraction(units, math.lcm(6, 69))


@pytest.mark.parametrize("vector", [case(REGIONS, load(REGIONS), name="regions")])
def test_regions(vector: Any) -> None:
    taxonomy = load(TABLE)["taxonomy"]
    attributes = [
        RegionAttribute("Continent", CategoryTree(taxonomy)),
        RegionAttribute("YoB", NumericDomain(1930, 1999)),
    ]
    regions = CountedRegions.from_lists(
        attributes, ["Y", "N"], [(entry["region"], entry["counts"]) for entry in vector["regions"]]
    )
    assert _problem_with_regions(regions) is None
    asked = pl.DataFrame([entry["record"] for entry in vector["lookup"]])
    cells, inside = regions.cells_of(Table.from_frame(asked, {"Continent": "quasi", "YoB": "quasi"}))
    assert inside.all()
    assert regions.regions_of(cells).tolist() == [entry["region_index"] for entry in vector["lookup"]]
    assert discernibility_of_regions(regions) == vector["dm"]
    assert ncp_of_regions(regions) == Fraction(vector["ncp"])
