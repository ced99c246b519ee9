"""The cover attack finds exactly the rare combinations that only one thing can explain, and `safe` leaves none."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from crypsis.attacks import attack_named
from crypsis.attacks.cover import CoverAttack
from crypsis.errors import NotApplicable
from crypsis.methods.transaction.disassociation import Disassociation
from crypsis.run_context import RunContext
from crypsis.samples.quest import quest
from tests.releases_of_sets import disassociated, published, random_records


def certain(obj: dict[str, Any], min_causes: int = 2) -> list[tuple[str, ...]]:
    """For each leaf, term and earlier chunk: all sets that could be the cause."""
    k, m = obj["k"], obj["m"]
    overall: dict[str, int] = {}
    leaves, waiting = [], list(obj["nodes"])
    while waiting:
        node = waiting.pop()
        for chunk in node.get("record_chunks", node.get("shared_chunks")):
            for entry in chunk:
                for term in entry["items"]:
                    overall[term] = overall.get(term, 0) + entry["count"]
        for term in node.get("term_chunk", ()):
            overall[term] = overall.get(term, 0) + 1
        waiting += node.get("children", [])
        if node["type"] == "leaf":
            leaves.append(node)
    found = []
    for leaf in leaves:
        support = {
            term: sum(entry["count"] for chunk in leaf["record_chunks"] for entry in chunk if term in entry["items"])
            for chunk in leaf["record_chunks"]
            for entry in chunk
            for term in entry["items"]
        }

        def order(term: str, support: dict[str, int] = support) -> tuple[int, int, str]:
            return (-support[term], -overall[term], term)

        domains = [sorted({t for entry in chunk for t in entry["items"]}, key=order) for chunk in leaf["record_chunks"]]
        placed = sorted(zip(domains, leaf["record_chunks"], strict=True), key=lambda pair: order(pair[0][0]))
        for later, (terms, _) in enumerate(placed):
            for term in terms:
                for domain, chunk in placed[:later]:
                    before = sorted(other for other in domain if order(other) < order(term))
                    causes = []
                    for size in range(1, m):
                        for some in combinations(before, size):
                            together = sum(entry["count"] for entry in chunk if set(some) <= set(entry["items"]))
                            if together and together + support[term] - leaf["size"] < k:
                                causes.append(some)
                    if 0 < len(causes) < min_causes:
                        found.append(tuple(sorted((*causes[0], term))))
    return sorted(found)


@pytest.mark.parametrize("m", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", range(8))
def test_what_is_certain_is_what_the_reasoning_says(seed: int, m: int) -> None:
    _, data = disassociated(random_records(seed, 40, "abcdefgh"), k=2, m=m, max_cluster_size=14)
    found = CoverAttack().run(data)
    assert sorted(found.certain) == certain(data.to_canonical())
    assert found.to_dict()["certain_combinations"] == len(found.certain)
    assert bool(found.certain) is (found.exposed_clusters > 0)


def test_one_term_before_it_makes_the_rare_pair_certain() -> None:
    leaf = {"type": "leaf", "size": 6, "term_chunk": ["t"]}
    leaf["record_chunks"] = [[{"items": ["a"], "count": 5}], [{"items": ["b"], "count": 3}]]
    found = CoverAttack().run(published(leaf, k=3))
    assert found.certain == (("a", "b"),)
    assert found.candidates.tolist() == [[2]]
    assert found.outcome.max_risk == 0.5


def test_two_terms_before_it_leave_a_doubt() -> None:
    leaf = {"type": "leaf", "size": 6, "term_chunk": ["t"]}
    leaf["record_chunks"] = [[{"items": ["a", "c"], "count": 4}], [{"items": ["b"], "count": 3}]]
    found = CoverAttack().run(published(leaf, k=3))
    assert found.certain == ()
    assert found.candidates.tolist() == [[6]]
    assert CoverAttack(min_causes=3).run(published(leaf, k=3)).certain == (("a", "b"),)


def test_counts_that_rule_rarity_out_are_no_cause() -> None:
    leaf = {"type": "leaf", "size": 6, "term_chunk": ["t"]}
    leaf["record_chunks"] = [[{"items": ["a"], "count": 6}], [{"items": ["b"], "count": 3}]]
    assert CoverAttack().run(published(leaf, k=3)).certain == ()


def test_safe_placement_leaves_nothing_certain() -> None:
    data = quest(3_000, terms=120)
    exposed = CoverAttack().run(Disassociation(k=4, m=2).anonymize(data, RunContext()))
    safe = CoverAttack().run(Disassociation(k=4, m=2, safe=True).anonymize(data, RunContext()))
    assert exposed.certain
    assert not safe.certain


def test_the_attack_is_known_by_name_and_only_for_disassociated_data() -> None:
    assert attack_named("cover") is CoverAttack
    with pytest.raises(NotApplicable):
        CoverAttack().run(object())  # type: ignore[arg-type]
