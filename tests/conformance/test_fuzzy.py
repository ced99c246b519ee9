"""Golden vectors of fuzzy time: intervals, evidence, relations, events and volumes."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest

from crypsis.errors import InconsistentEvidence
from crypsis.fuzzytime import (
    RELATIONS,
    Dated,
    Extent,
    FuzzyArray,
    FuzzyInterval,
    Volume,
    bin_visit,
    from_evidence,
    group_hull,
    possible_volume_relations,
    refine,
    resolve,
    transitive_event,
)
from crypsis.fuzzytime.relations import names_of
from crypsis.query import (
    PublishedVisits,
    copresence_bounds,
    dwell_bounds,
    estimate_presence,
    od_bounds,
    presence_bounds,
    relation_bounds,
)
from tests.conformance import vectors
from tests.reference import fuzzytime as reference

OBSERVATIONS = {"extent": Extent, "dated": Dated}
TERMINI = {
    "start_nb": "start_not_before",
    "start_na": "start_not_after",
    "end_nb": "end_not_before",
    "end_na": "end_not_after",
}


def cases(file: str, key: str = "cases") -> list[Any]:
    return [vectors.case(file, case, name=f"{key} {number}") for number, case in enumerate(vectors.load(file)[key])]


def interval(bounds: list[Any]) -> FuzzyInterval:
    return FuzzyInterval.normalize(*(float(bound) if isinstance(bound, str) else bound for bound in bounds))


def volume(cells: dict[str, list[Any]]) -> Volume:
    return Volume({cell: interval(bounds) for cell, bounds in cells.items()})


@pytest.mark.parametrize("case", cases("fuzzy/relations.json"))
def test_relations(case: dict[str, Any]) -> None:
    a, b = interval(case["A"]), interval(case["B"])
    assert a.relation(b) == case["relation"]
    assert a.possible(b) == frozenset(case["possible"])
    assert a.definite(b) == case["definite"]


@pytest.mark.parametrize("case", cases("fuzzy/evidence.json"))
def test_evidence(case: dict[str, Any]) -> None:
    positive = [OBSERVATIONS[kind](start, end) for kind, start, end in case["positive"]]
    negative = [OBSERVATIONS[kind](start, end) for kind, start, end in case["negative"]]
    termini = {TERMINI[name]: case[name] for name in TERMINI if name in case}
    if "error" in case:
        with pytest.raises(InconsistentEvidence):
            from_evidence(positive, negative, **termini)
        return
    built = from_evidence(positive, negative, **termini)
    assert built.interval == interval(case["interval"])
    assert built.interval.kind == case["kind"]
    assert built.ignored == tuple(OBSERVATIONS[kind](start, end) for kind, start, end in case["ignored"])


@pytest.mark.parametrize("case", cases("fuzzy/evidence.json", "refine"))
def test_refinement(case: dict[str, Any]) -> None:
    if "error" in case:
        with pytest.raises(InconsistentEvidence):
            refine(interval(case["A"]), interval(case["B"]))
        return
    assert refine(interval(case["A"]), interval(case["B"])) == interval(case["result"])


@pytest.mark.parametrize("case", cases("fuzzy/evidence.json", "group_hull"))
def test_hulls(case: dict[str, Any]) -> None:
    assert group_hull(tuple(member) for member in case["members"]) == interval(case["result"])


@pytest.mark.parametrize("case", cases("fuzzy/evidence.json", "binning"))
def test_binning(case: dict[str, Any]) -> None:
    binned = bin_visit(case["enter"], case["exit"], case["width"])
    assert binned == interval(case["result"])
    assert binned.kind == case["kind"]


@pytest.mark.parametrize("case", cases("fuzzy/transitive_event.json"))
def test_transitive_events(case: dict[str, Any]) -> None:
    a, b = interval(case["A"]), interval(case["B"])
    assert a.relation(b) == case["relation"]
    assert transitive_event(a, b) == (None if case["event"] is None else tuple(case["event"]))


@pytest.mark.parametrize("case", cases("fuzzy/volumes.json"))
def test_volumes(case: dict[str, Any]) -> None:
    found = volume(case["A"]).relation(volume(case["B"]))
    assert {name: getattr(found, name) for name in case["result"]} == case["result"]


@pytest.mark.parametrize("case", cases("fuzzy/volumes.json", "resolve"))
def test_resolution(case: dict[str, Any]) -> None:
    found = resolve(case["local"])
    assert (found.relation, found.direction, found.mode) == (case["relation"], case["direction"], case["mode"])


@pytest.mark.parametrize("case", cases("fuzzy/volume_possible.json"))
def test_possible_volume_relations(case: dict[str, Any]) -> None:
    found = possible_volume_relations(volume(case["A"]), volume(case["B"]))
    assert sorted([name, str(direction)] for name, direction in found.outcomes) == case["possible"]
    assert (found.exact, found.definite) == (case["kind"] == "exact", case["definite"])
    assert volume(case["A"]).relation(volume(case["B"])).relation == case["prevailing"]


def published(**facts: Any) -> PublishedVisits:
    return PublishedVisits.of(vectors.load("fuzzy/presence.json")["visits"], **facts)


@pytest.mark.parametrize("query", cases("fuzzy/presence.json", "queries"))
def test_presence(query: dict[str, Any]) -> None:
    asked = (published(), query["region"], query["period"], query["mode"])
    plain, stitched = presence_bounds(*asked, stitch=False), presence_bounds(*asked)
    assert (plain.definite, plain.possible) == (query["definite"], query["possible"])
    assert list(plain.definite_people) == query["definite_persons"]
    assert list(plain.possible_people) == query["possible_persons"]
    assert (stitched.definite, stitched.possible) == (query["definite_stitched"], query["possible_stitched"])
    assert plain.possible + 2 == query["possible_with_2_suppressed"]


@pytest.mark.parametrize("query", cases("fuzzy/presence.json", "dwell"))
def test_dwell(query: dict[str, Any]) -> None:
    found = dwell_bounds(published(), query["region"], *query["period"]).to_dict()
    assert {person: list(bounds) for person, bounds in found.items()} == query["bounds"]


@pytest.mark.parametrize(
    "listed",
    [vectors.case("fuzzy/presence.json", vectors.load("fuzzy/presence.json")["copresence"], name="copresence")],
)
def test_copresence(listed: list[dict[str, Any]]) -> None:
    found = copresence_bounds(published())
    assert list(found.possible) == [tuple(entry["pair"]) for entry in listed]
    assert list(found.definite) == [tuple(entry["pair"]) for entry in listed if entry["answer"] == "definitely"]


@pytest.mark.parametrize("query", cases("fuzzy/presence.json", "estimate"))
def test_estimates(query: dict[str, Any]) -> None:
    expected = estimate_presence(published(), query["region"], *query["period"], query["mode"])
    assert expected == pytest.approx(query["expected"], abs=1e-9)


@pytest.mark.parametrize("query", cases("fuzzy/presence.json", "relation_to_period"))
def test_relations_to_a_period(query: dict[str, Any]) -> None:
    found = relation_bounds(published(), query["region"], query["period"], query["relation"])
    assert (found.definite, found.possible) == (query["definite"], query["possible"])


@pytest.mark.parametrize("case", cases("fuzzy/generalisation.json", "cluster"))
def test_hulls_of_clusters(case: dict[str, Any]) -> None:
    hull = group_hull(tuple(member) for member in case["members"])
    assert (hull, hull.kind) == (interval(case["hull"]), case["kind"])
    assert hull.fuzziness == pytest.approx(case["fuzziness"], abs=1e-9)
    assert hull.thickness == case["thickness"]


@pytest.mark.parametrize("case", cases("fuzzy/generalisation.json", "order"))
def test_order(case: dict[str, Any]) -> None:
    visits = PublishedVisits.of([("p", ["a"], interval(case["V"])), ("p", ["b"], interval(case["W"]))], ordered=False)
    found = od_bounds(visits, ["a"], ["b"])
    answer = "definitely" if found.definite else "possibly" if found.possible else "no"
    assert answer == case["answer"]


@pytest.mark.parametrize("vector", [vectors.case("fuzzy/enumeration.json", vectors.load("fuzzy/enumeration.json"))])
def test_enumeration(vector: dict[str, Any]) -> None:
    """All ordered pairs with bounds 0..8, by the definitions on sets and by what is implemented."""
    by_definition = reference.enumerate_relations()
    for reading in ("corrected", "printed_overlaps_read_as_conjunction", "printed_overlaps_read_as_biconditional"):
        assert by_definition[reading] == vector[reading]
    assert by_definition["integer_point_reading"] == vector["integer_point_reading"]

    every = reference.quadruples()
    pairs = list(product(range(len(every)), repeat=2))
    assert (len(every), len(pairs)) == (vector["quadruples"], vector["pairs"])
    intervals = FuzzyArray.of(every)
    first, second = (intervals.take(np.array(column)) for column in zip(*pairs, strict=True))
    codes, masks = first.relate(second), first.possible_mask(second)
    names = [RELATIONS[code] for code in codes]
    assert names == [by_definition["relations"][every[a], every[b]][0] for a, b in pairs]
    assert Counter(names) == vector["distribution"]
    assert Counter(str(int(mask).bit_count()) for mask in masks) == vector["possible_set_sizes"]
    definite = Counter(name for name, mask in zip(names, masks, strict=True) if int(mask).bit_count() == 1)
    assert definite == vector["definite_by_relation"]
    assert all(int(mask) >> int(code) & 1 for code, mask in zip(codes, masks, strict=True))

    crisp = [index for index, q in enumerate(every) if q[0] == q[1] and q[2] == q[3]]
    assert (len(crisp), len(crisp) ** 2) == (vector["crisp"]["intervals"], vector["crisp"]["pairs"])
    for a, b in product(crisp, repeat=2):
        relation = reference.allen(every[a][0], every[a][3], every[b][0], every[b][3])
        assert names[a * len(every) + b] == relation
        assert masks[a * len(every) + b] == 1 << RELATIONS.index(relation)

    table = compositions(codes.reshape(len(every), -1))
    assert sum(int(mask).bit_count() for mask in table.ravel()) == vector["composition_set_sizes"]["fuzzy_N8"]
    assert names_of(int(table[6, 6])) == frozenset(vector["composition_equals_equals"])
    allen = compositions(codes.reshape(len(every), -1)[np.ix_(crisp, crisp)])
    assert sum(int(mask).bit_count() for mask in allen.ravel()) == vector["composition_set_sizes"]["allen"]

    resolved = Counter(resolve([code for code in range(13) if mask >> code & 1]).relation for mask in range(1, 1 << 13))
    assert resolved == vector["spatial"]["resolved"]


def compositions(codes: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """For every two relations r, s the relations of A to C that occur where A r B and B s C, as bits."""
    masks = np.zeros((13, 13), np.int64)
    holds = [(codes == code).astype(np.float32) for code in range(13)]
    for first, second in product(range(13), repeat=2):
        together = holds[first] @ holds[second] > 0
        masks[first, second] = np.bitwise_or.reduce(1 << codes[together].astype(np.int64), initial=0)
    return masks
