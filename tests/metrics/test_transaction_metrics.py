"""Metrics of releases of sets, against plain counts and at their ends: nothing lost, nothing left, nothing to say."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.errors import BadParameter, BadTaxonomy, NotApplicable
from crypsis.hierarchy import Taxonomy
from crypsis.metrics import METRICS, measure
from crypsis.metrics.cluster_structure import cluster_structure
from crypsis.metrics.item_frequencies import item_frequency_error
from crypsis.metrics.itemset_queries import draw_itemsets, estimated_counts, exact_counts, itemset_query_error
from crypsis.metrics.itemsets import tkd_loss, tkd_ml2_loss, top_labels
from crypsis.metrics.lost_terms import lost_terms
from crypsis.metrics.pair_supports import re_loss, terms_by_support
from crypsis.samples.quest import quest
from tests.releases_of_sets import JOINT, LEAF, disassociated, published, random_records

ORIGINAL = Transactions.from_lists([["a", "b", "c"], ["a", "b", "c"], ["a", "b", "d", "c"], ["b", "c"], ["b"]])
UNCHANGED = {
    "type": "leaf",
    "size": 5,
    "term_chunk": [],
    "record_chunks": [
        [
            {"items": ["a", "b", "c"], "count": 2},
            {"items": ["a", "b", "c", "d"], "count": 1},
            {"items": ["b", "c"], "count": 1},
            {"items": ["b"], "count": 1},
        ]
    ],
}


def test_a_release_that_shows_everything_loses_nothing() -> None:
    release = published(UNCHANGED, k=1)
    figures = measure(ORIGINAL, release)
    for name in ("tkd_loss", "tkd_a_loss", "tlost_loss", "tlost_occurrences_loss", "item_frequency_loss"):
        assert figures[name] == 0
    assert figures["itemset_query_loss"] == pytest.approx(0)
    assert re_loss(ORIGINAL, release, ranks=(0, 4)).errors == {
        "re_loss": 0, "re_r2_loss": 0, "re_r5_loss": 0, "re_r10_loss": 0, "re_a_loss": 0,
    }  # fmt: skip


def test_top_itemsets_do_not_depend_on_how_items_are_numbered() -> None:
    data = Transactions.from_lists(random_records(4))
    order = np.argsort(data.vocabulary.labels)[::-1]
    other = Transactions(data.offsets, data.items, data.vocabulary)
    recoded = Transactions.from_lists(other.to_lists())
    assert top_labels(recoded, 50) == top_labels(data, 50)
    backwards = type(data.vocabulary)([data.vocabulary[int(code)] for code in order])
    number = np.argsort(order).astype(np.int32)
    items = np.concatenate(
        [np.sort(number[data.items[s:e]]) for s, e in zip(data.offsets[:-1], data.offsets[1:], strict=True)]
    ).astype(np.int32)
    assert top_labels(Transactions(data.offsets, items, backwards), 50) == top_labels(data, 50)


def test_generalized_data_show_only_itemsets_of_intact_items() -> None:
    original = Transactions.from_lists([["a", "b"], ["a", "b"], ["a", "c"]])
    release = PublishedTransactions.from_lists([["a", ["b", "c"]]] * 3)
    found = tkd_loss(original, release, most=3)  # a, b, and one of c and ab
    assert found.tkd_loss == pytest.approx(2 / 3)
    assert "tkd_a_loss" not in found.figures()
    assert found.last_support == 2


def test_across_levels_a_generalized_item_still_counts_as_its_node() -> None:
    taxonomy = Taxonomy([("a", "one"), ("b", "two"), ("c", "two"), ("one", "all"), ("two", "all")])
    original = Transactions.from_lists([["a", "b"], ["a", "b"], ["a", "c"]])
    release = PublishedTransactions.from_lists([["a", ["b", "c"]]] * 3)
    assert tkd_ml2_loss(original, original, hierarchy=taxonomy) == 0
    # Before: a, one, two, (a, two), (one, two) three times; b, (a, b), (b, one) twice; c, (a, c), (c, one) once.
    assert tkd_ml2_loss(original, release, hierarchy=taxonomy) == pytest.approx(6 / 11)
    with pytest.raises(BadTaxonomy):
        tkd_ml2_loss(Transactions.from_lists([["x"]]), release, hierarchy=taxonomy)


def test_the_error_of_pairs_is_that_of_the_formula() -> None:
    data, release = disassociated(random_records(2, 24), k=2, m=2, max_cluster_size=6)
    found = re_loss(data, release, ranks=(0, 5), seed=4, reconstructions=(1, 3))
    terms = terms_by_support(data)[:5]

    def support(records: list[list[str]], pair: tuple[str, ...]) -> int:
        return sum(set(pair) <= set(record) for record in records)

    drawn = [one.to_lists() for one in release.reconstruct(3, 4)]
    for name, count in (("re_loss", 1), ("re_r3_loss", 3)):
        errors = []
        for pair in combinations(terms, 2):
            before = support(data.to_lists(), pair)
            after = np.mean([support(records, pair) for records in drawn[:count]])
            if before or after:
                errors.append(abs(before - after) / ((before + after) / 2))
        assert found.errors[name] == pytest.approx(np.mean(errors))


def test_a_generalized_pair_inside_one_item_is_divided_twice() -> None:
    original = Transactions.from_lists([["a", "b"]] * 4)
    release = PublishedTransactions.from_lists([[["a", "b"]]] * 4)
    found = re_loss(original, release, ranks=(0, 2))
    assert found.errors == {"re_loss": pytest.approx((4 - 1) / 2.5)}
    assert found.pairs == 1


def test_ranks_beyond_the_terms_give_no_error_but_say_which_were_used() -> None:
    found = re_loss(ORIGINAL, published(UNCHANGED, k=1))
    assert found.figures() == {"re_pairs": 0, "re_first_rank": 200, "re_end_rank": 200}
    with pytest.raises(BadParameter):
        re_loss(ORIGINAL, published(UNCHANGED, k=1), ranks=(5, 5))


def test_lost_terms_are_frequent_ones_that_no_chunk_shows() -> None:
    original = Transactions.from_lists([["a", "d"]] * 4 + [["b", "d"]] * 4 + [["a", "e"]])
    one = {"type": "leaf", "size": 5, "record_chunks": [[{"items": ["a"], "count": 5}]], "term_chunk": ["d", "e"]}
    two = {"type": "leaf", "size": 4, "record_chunks": [[{"items": ["b"], "count": 4}]], "term_chunk": ["d"]}
    found = lost_terms(original, published(one, two, k=3))
    assert found.terms == pytest.approx(1 / 3)
    assert found.occurrences == pytest.approx(8 / 17)
    assert lost_terms(original, published(one, two, k=30)).figures() == {}


def test_item_frequencies_count_hidden_terms_once_and_divide_generalized_ones() -> None:
    errors = item_frequency_error(ORIGINAL, published(LEAF)).errors
    assert errors.tolist() == [0, 0, 0, 0]  # b, c, a, d: d is hidden and occurs once indeed
    original = Transactions.from_lists([["a", "b"], ["a"], ["b"]])
    release = PublishedTransactions.from_lists([[["a", "b"]]] * 3)
    found = item_frequency_error(original, release)
    assert found.errors == pytest.approx([1 / 4, 1 / 4])  # 3 / 2 of each
    assert found.subset == pytest.approx([0, 0])  # 3 * 2/3 of each
    assert found.figures()["item_frequency_subset_loss"] == pytest.approx(0)


@pytest.mark.parametrize("estimator", ["subset", "uniform"])
def test_generalized_items_are_estimated_record_by_record(estimator: str) -> None:
    rows = [[["a", "b", "c"], "d"], ["a", ["d", "e"]], [["a", "b"], ["a", "b", "c"]], ["d"]]
    release = PublishedTransactions.from_lists(rows)
    for query in (["a"], ["a", "d"], ["a", "b"], ["a", "b", "c"], ["d", "e"], ["c", "d"], ["x"]):
        expected = 0.0
        for row in rows:
            sets = [{symbol} if isinstance(symbol, str) else set(symbol) for symbol in row]
            holding = [min((one for one in sets if item in one), key=len, default=None) for item in query]
            if None in holding:
                continue
            chance = 1.0
            for one in {frozenset(held) for held in holding if held is not None}:
                n, j = len(one), sum(held == one for held in holding)
                chance *= 2 ** (n - j) / (2**n - 1) if estimator == "subset" else n**-j
            expected += chance
        assert estimated_counts(release, [query], estimator)[0] == pytest.approx(expected)


def test_very_large_generalized_items_do_not_overflow() -> None:
    labels = [f"i{number:04}" for number in range(5_000)]
    release = PublishedTransactions.from_lists([[labels]] * 3)
    assert estimated_counts(release, [[labels[0]], labels[:2]], "subset") == pytest.approx([1.5, 0.75])
    assert estimated_counts(release, [[labels[0]], labels[:2]]) == pytest.approx([3 / 5_000, 3 / 5_000**2])
    assert np.isfinite(item_frequency_error(Transactions.from_lists([labels]), release).errors).all()


def test_queries_are_answered_exactly_on_the_original_and_drawn_from_it() -> None:
    data = Transactions.from_lists([*random_records(7), []])
    queries = draw_itemsets(data, count=60, items=3, seed=5)
    assert queries == draw_itemsets(data, count=60, items=3, seed=5)
    answers = exact_counts(data, queries)
    assert (answers > 0).all()
    assert answers.tolist() == [sum(set(query) <= set(record) for record in data.to_lists()) for query in queries]
    assert exact_counts(data, [["nowhere"], []]).tolist() == [0, len(data)]
    with pytest.raises(BadParameter):
        draw_itemsets(data, items=0)
    with pytest.raises(BadParameter):
        estimated_counts(PublishedTransactions.from_lists([["a"]]), [["a"]], "guess")


def test_a_query_without_an_answer_is_counted_and_its_error_bounded_by_sanity() -> None:
    original = Transactions.from_lists([["a"], ["b"], ["a"], ["b"]])
    release = PublishedTransactions.from_lists([[["a", "b"]]] * 4)
    found = itemset_query_error(original, release, queries=[["a", "b"], ["a"]])
    assert found.zero == 1
    assert found.errors == pytest.approx([1, 0])
    assert found.subset == pytest.approx([4 / 3, (8 / 3 - 2) / 2])


def test_disassociated_queries_use_the_expected_supports() -> None:
    data, release = disassociated(random_records(2), k=2, m=2, max_cluster_size=6)
    queries = draw_itemsets(data, seed=1)
    found = itemset_query_error(data, release, queries=queries)
    actual = exact_counts(data, queries)
    assert found.errors == pytest.approx(np.abs(release.expected_supports(queries) - actual) / actual)


def test_the_structure_of_a_release_is_counted() -> None:
    found = cluster_structure(ORIGINAL, published(JOINT)).figures()
    assert found == {
        "clusters": 2,
        "smallest_cluster": 4,
        "mean_cluster": 4.5,
        "largest_cluster": 5,
        "record_chunks_per_cluster": 1.5,
        "terms_per_term_chunk": 1.0,
        "shared_chunks": 1,
        "joint_depth": 1,
    }


@pytest.mark.parametrize(
    "name", [name for name, metric in METRICS.items() if metric.accepts == (Transactions,) and not metric.needs]
)
def test_every_metric_of_sets_refuses_other_releases(name: str) -> None:
    with pytest.raises(NotApplicable):
        measure(ORIGINAL, object(), [name])  # type: ignore[arg-type]


def test_unasked_every_quick_metric_is_measured_on_a_real_release() -> None:
    from crypsis.methods.transaction.disassociation import Disassociation
    from crypsis.run_context import RunContext

    data = quest(2_000, terms=300)
    release = Disassociation(k=5, m=2).anonymize(data, RunContext())
    figures = measure(data, release)
    assert {"tkd_loss", "tkd_a_loss", "re_loss", "re_a_loss", "re_r10_loss", "tlost_loss", "clusters"} <= figures.keys()
    assert 0 < figures["re_r10_loss"] < figures["re_a_loss"] <= 2
    assert measure(data, release) == figures
