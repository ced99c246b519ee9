"""Disassociation makes what its definition says, keeps Guarantee 1 by the exact test, and refuses in words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crypsis
from crypsis.data.transaction import Transactions
from crypsis.errors import BadParameter, Cancelled, Infeasible, InfeasibleDiversity, NotApplicable, TooFewRecords
from crypsis.methods import Disassociation
from crypsis.run_context import Progress, RunContext
from crypsis.verifiers import verify
from tests.methods.transaction.sets_of_terms import Case, drawn
from tests.reference import disassociation as reference
from tests.reference.possible_originals import violations

seeds = st.integers(0, 10**6)


def made(case: Case, **other: Any) -> Any:
    return case.method(**other).anonymize(case.data(), RunContext())


@pytest.mark.long
@settings(max_examples=300)
@given(seeds)
def test_the_release_is_the_one_of_the_definition(seed: int) -> None:
    case = drawn(seed, most_records=150)
    try:
        expected = case.expected()
    except reference.Impossible:
        with pytest.raises(Infeasible):
            made(case)
    else:
        assert made(case).to_canonical() == expected


def test_the_drawn_cases_join_share_and_conflict() -> None:
    joints = sum(
        node["type"] == "joint" for seed in range(200) if (object_ := _expected(seed)) for node in object_["nodes"]
    )
    assert joints > 30


def _expected(seed: int) -> dict[str, Any] | None:
    try:
        return drawn(seed).expected()
    except reference.Impossible:
        return None


@settings(max_examples=150)
@given(seeds, st.sampled_from([0.0, 0.0, 0.3]))
def test_every_release_satisfies_its_verifier(seed: int, demote_probability: float) -> None:
    case = replace(drawn(seed), refine="uniform")
    try:
        published = made(case, demote_probability=demote_probability)
    except Infeasible:
        return
    method = case.method()
    verdict = verify(published, method.guarantee_of(case.data(), published), original=case.data())
    assert verdict.holds, verdict


@pytest.mark.long
@pytest.mark.parametrize("part", range(16))
def test_guarantee_1_holds_by_the_exact_test(part: int) -> None:
    """On two thousand random datasets, which differ in everything but that they are small."""
    proven = 0
    for seed in range(250 * part, 250 * (part + 1)):
        case = replace(drawn(seed, most_records=12), refine="uniform", max_passes=None)
        case = replace(case, k=max(case.k, 2), m=min(case.m, 2), max_cluster_size=2 * max(case.k, 2))
        if len({term for record in case.records for term in record}) > 8:
            continue  # too many pairs to prove one by one
        try:
            published = made(case).to_canonical()
        except Infeasible:
            continue
        assert violations(published) == [], seed
        proven += 1
    assert proven > 100


@settings(max_examples=40)
@given(seeds)
def test_threads_do_not_show_in_the_result(seed: int) -> None:
    case = drawn(seed)
    try:
        alone = made(case, workers=1)
    except Infeasible:
        return
    assert made(case, workers=3) == alone


def test_threads_do_not_show_in_the_result_of_larger_data() -> None:
    data = larger()
    alone, together = (
        Disassociation(k=3, max_cluster_size=12, workers=workers).anonymize(data, RunContext()) for workers in (1, 4)
    )
    for name in ("parent", "size", "chunk_node", "counts", "items", "terms", "leaf_of_record"):
        assert np.array_equal(getattr(alone, name), getattr(together, name)), name
    assert verify(alone, Disassociation(k=3).guarantee, original=data).holds


def larger(n: int = 6000, terms: int = 300, seed: int = 3) -> Transactions:
    random = np.random.default_rng(seed)
    patterns = [random.choice(terms, random.integers(1, 7)) for _ in range(120)]
    rows = [
        {*patterns[random.integers(120)].tolist(), *random.zipf(1.5, 4).clip(max=terms - 1).tolist()} for _ in range(n)
    ]
    return Transactions.from_lists([[f"i{item}" for item in row] for row in rows])


@settings(max_examples=40)
@given(seeds, st.randoms())
def test_the_order_of_records_does_not_show_where_nothing_is_pooled(seed: int, random: Any) -> None:
    case = replace(drawn(seed), max_cluster_size=None, sensitive=[], l=1)  # one cluster: no record breaks a tie
    shuffled = list(case.records)
    random.shuffle(shuffled)
    if sum(map(bool, case.records)) >= case.k:
        assert made(case) == made(replace(case, records=shuffled))


def test_it_makes_a_release_that_proves_itself_and_keeps_every_term() -> None:
    data = larger(400, 40)
    release = crypsis.anonymize(data, Disassociation(k=4, m=2))
    assert release.verify().holds
    published = release.data
    named = np.union1d(published.items, published.terms)
    assert len(named) == np.count_nonzero(data.supports)
    assert published.records + published.empty_records == len(data)


def test_sharing_chunks_hides_fewer_terms() -> None:
    data = larger(2000, 100)
    refined, plain = (
        Disassociation(k=4, refine=refine, max_cluster_size=12).anonymize(data, RunContext())
        for refine in ("uniform", "none")
    )
    assert len(refined.terms) < len(plain.terms)
    assert refined.is_shared.any()
    assert not plain.is_shared.any()


def test_the_article_as_printed_warns_and_promises_only_what_the_article_checks() -> None:
    method = Disassociation(k=2, refine="property1")
    context = RunContext()
    method.anonymize(Transactions.from_lists([["a"], ["a"], ["b"], ["b"]]), context)
    assert any("Lemma 3 is false" in warning for warning in context.warnings)
    assert not method.assured
    assert Disassociation().assured
    assert method.guarantee.level == "paper"
    assert Disassociation().guarantee.level == "strict"


def test_one_cluster_is_said_to_be_one() -> None:
    context = RunContext()
    Disassociation(k=3).anonymize(Transactions.from_lists([["a"], ["b"], ["a", "b"]]), context)
    assert context.warnings == ["All 3 records are in one cluster: with k=3 there are too few records for more."]
    context = RunContext()
    Disassociation(k=1, max_cluster_size=2).anonymize(Transactions.from_lists([["a"], ["b"], ["c"]]), context)
    assert context.warnings == []


def test_each_term_may_be_hidden_at_random() -> None:
    data = Transactions.from_lists([[f"t{number}" for number in range(200)]] * 4)
    nothing, half, all_ = (
        len(Disassociation(k=2, demote_probability=share).anonymize(data, RunContext()).terms)
        for share in (0.0, 0.5, 1.0)
    )
    assert nothing == 0
    assert 50 < half < 150  # beyond it with probability below 10^-12
    assert all_ == 200
    two = [Disassociation(k=2, demote_probability=0.5).anonymize(data, RunContext()).terms.tolist() for _ in range(2)]
    assert two[0] != two[1]


def test_empty_records_are_set_aside_and_counted() -> None:
    data = Transactions.from_lists([[], ["a"], [], ["a"]])
    published = Disassociation(k=2).anonymize(data, RunContext())
    assert published.empty_records == 2
    assert published.records == 2
    assert published.leaf_of_record is not None
    assert published.leaf_of_record.tolist() == [0, 0]


@pytest.mark.parametrize("records", [[], [[], []]])
@pytest.mark.parametrize("k", [1, 5])
def test_without_records_there_is_nothing_to_publish(records: list[list[str]], k: int) -> None:
    with pytest.raises(TooFewRecords, match="no non-empty record"):
        Disassociation(k=k).anonymize(Transactions.from_lists(records), RunContext())


def test_too_few_records_are_refused_with_both_numbers() -> None:
    with pytest.raises(TooFewRecords, match=r"k=4 exists: only 3 records are not empty") as raised:
        Disassociation(k=4).anonymize(Transactions.from_lists([["a"], [], ["b"], ["a"]]), RunContext())
    assert raised.value.details == {"records": 3, "k": 4}


def test_a_sensitive_term_that_is_too_frequent_is_named() -> None:
    data = Transactions.from_lists([["hiv"], ["hiv", "a"], ["a"]], sensitive=["hiv"])
    with pytest.raises(InfeasibleDiversity, match=r"'hiv' is in 2 of 3 records, more than one in 2"):
        Disassociation(k=1, l=2).anonymize(data, RunContext())


def test_diversity_needs_sensitive_terms() -> None:
    with pytest.raises(NotApplicable, match="l=2 needs data with sensitive terms"):
        Disassociation(l=2).anonymize(Transactions.from_lists([["a"]] * 10), RunContext())


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"k": 0}, "k"),
        ({"k": 2.5}, "k"),
        ({"m": 0}, "m"),
        ({"m": 9}, "m"),
        ({"k": 5, "max_cluster_size": 9}, "max_cluster_size"),
        ({"refine": "some"}, "refine"),
        ({"demote_probability": 1.5}, "demote_probability"),
        ({"min_causes": 0}, "min_causes"),
        ({"l": 0}, "l"),
        ({"workers": 0}, "workers"),
    ],
)
def test_parameters_out_of_bounds_are_refused_by_name(parameters: dict[str, Any], named: str) -> None:
    with pytest.raises(BadParameter, match=f"Disassociation: {named} must be") as raised:
        Disassociation(**parameters)
    assert raised.value.details["parameter"] == named


@pytest.mark.parametrize(
    ("clusters", "words"),
    [
        ([[0, 1], [2]], "each of the 4 records"),
        ([[0, 1], [2, 3, 3]], "each of the 4 records"),
        ([[0, 1], [2, 4]], "each of the 4 records"),
        ([[0], [1, 2, 3]], "at least 2 records, one has 1"),
    ],
)
def test_clusters_of_the_caller_must_be_whole_and_large_enough(clusters: list[list[int]], words: str) -> None:
    data = Transactions.from_lists([["a"], ["b"], ["a"], [], ["b"]])
    with pytest.raises(BadParameter, match=words):
        Disassociation(k=2).anonymize(data, RunContext(), clusters)


def test_clusters_of_the_caller_must_be_diverse() -> None:
    data = Transactions.from_lists([["a", "z"], ["b", "z"], ["a"], ["b"]], sensitive=["z"])
    method = Disassociation(k=2, l=2)
    assert method.anonymize(data, RunContext(), [[0, 2], [1, 3]]).records == 4
    with pytest.raises(BadParameter, match="more than one in 2 records of a cluster"):
        method.anonymize(data, RunContext(), [[0, 1], [2, 3]])


def test_stages_are_told_and_a_listener_may_stop_the_run() -> None:
    data, told = larger(600, 50), list[str]()
    Disassociation(k=3, max_cluster_size=10).anonymize(data, RunContext(lambda progress: told.append(progress.stage)))
    assert list(dict.fromkeys(told)) == list(Disassociation.stages)

    for stage in Disassociation.stages:

        def stop(progress: Progress, stage: str = stage) -> None:
            if progress.stage == stage:
                raise Cancelled("stopped")

        with pytest.raises(Cancelled):
            Disassociation(k=3, max_cluster_size=10, workers=2).anonymize(data, RunContext(stop))


def test_records_of_very_many_terms_cost_no_combinations_when_they_are_alike() -> None:
    record = [f"t{number:05d}" for number in range(20_000)]
    published = Disassociation(k=2, m=3).anonymize(Transactions.from_lists([record] * 3), RunContext())
    assert published.counts.tolist() == [3]
    assert len(published.items) == 20_000


def test_too_many_combinations_are_refused_before_they_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    from crypsis.methods.transaction import refinement, vertical_partition

    random = np.random.default_rng(1)
    rows = [[f"t{item}" for item in np.flatnonzero(random.random(60) < 0.8)] for _ in range(40)]
    data = Transactions.from_lists(rows)
    monkeypatch.setattr(vertical_partition, "COMBINATIONS", 1000)
    with pytest.raises(crypsis.errors.TooLarge, match=r"A cluster of 40 records .* Lower m, or max_cluster_size"):
        Disassociation(k=2, m=3).anonymize(data, RunContext())
    monkeypatch.undo()
    monkeypatch.setattr(refinement, "COMBINATIONS", 0)
    with pytest.raises(crypsis.errors.TooLarge, match="refine='none'"):
        Disassociation(k=4, max_cluster_size=8).anonymize(larger(600, 50), RunContext())


def test_the_private_facts_count_clusters_and_joins() -> None:
    data, context = larger(600, 50), RunContext()
    published = Disassociation(k=3, max_cluster_size=10).anonymize(data, context)
    facts = context.private
    assert facts["accounting"] == {"input": 600, "published": 600, "empty": 0}
    assert facts["clusters"]["number"] == len(published.leaves)
    assert facts["clusters"]["smallest"] >= 3
    assert facts["refinement"]["joins"] == published.n_nodes - len(published.leaves) > 0
    assert facts["refinement"]["hidden_before"] - facts["refinement"]["shared"] == len(published.terms)
