"""The numbers of every plot, on data that are small enough to be worked out by hand."""

from __future__ import annotations

from datetime import date
from math import inf, sqrt

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crypsis
from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.microdata import Microdata, PublishedData
from crypsis.data.relational import NodeLeaves, PublishedTable, Table
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.drawing.bin_widths import MOST_BINS, numeric_bins
from crypsis.errors import BadParameter, NotApplicable, UnknownColumn
from crypsis.evaluate.plots import PLOTS, frame_of, to_csv
from crypsis.evaluate.plots.cluster_sizes import logarithmic_bins
from crypsis.evaluate.plots.phases import merged_order
from crypsis.evaluate.plots.tradeoff import non_dominated
from crypsis.metrics.pair_supports import re_loss
from tests.evaluate.plots.rows import cell, sweep


def table(**columns: list[object]) -> Table:
    return Table.from_frame(pl.DataFrame(columns), dict.fromkeys(columns, "quasi"))


def published(type: str = "int", hierarchy: NodeLeaves | None = None, **columns: list[str]) -> PublishedTable:
    return PublishedTable.from_frame(
        pl.DataFrame(columns),
        dict.fromkeys(columns, "quasi"),
        dict.fromkeys(columns, type),
        nodes=None if hierarchy is None else dict.fromkeys(columns, hierarchy.leaves),
        hierarchies={} if hierarchy is None else dict.fromkeys(columns, hierarchy),
    )


# histogram


def test_whole_numbers_fall_into_freedman_diaconis_bins_of_whole_width() -> None:
    # Quartiles 2.75 and 6.25, so the width is 2 * 3.5 / 8^(1/3) = 3.5; whole numbers need 4.
    frame = frame_of("histogram", original=table(age=[1, 2, 3, 4, 5, 6, 7, 8]), column="age")
    assert frame.data.rows() == [(1, 5, 4), (5, 9, 4)]


def test_other_numbers_fall_into_equal_bins_between_the_extremes() -> None:
    frame = frame_of("histogram", original=table(x=[0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5]), column="x")
    assert frame.data.rows() == [(0.5, 4.0, 4), (4.0, 7.5, 4)]


def test_dates_are_binned_as_days() -> None:
    days = ["2020-01-01", "2020-01-02", "2020-01-03", "2020-01-04"]
    frame = frame_of("histogram", original=table(day=days), column="day")
    # Quartiles 0.75 and 2.25 days after the first: 2 * 1.5 / 4^(1/3) = 1.89, so two whole days.
    assert frame.data.rows() == [(date(2020, 1, 1), date(2020, 1, 3), 2), (date(2020, 1, 3), date(2020, 1, 5), 2)]


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=200), st.booleans())
def test_bins_cover_every_value_and_are_at_most_a_hundred(values: list[float], whole: bool) -> None:
    numbers = np.floor(np.array(values)) if whole else np.array(values)
    edges = numeric_bins(numbers, whole)
    assert 2 <= len(edges) <= MOST_BINS + 1
    assert edges[0] <= numbers.min()
    assert numbers.max() <= edges[-1]
    assert int(np.histogram(numbers, edges)[0].sum()) == len(numbers)


def test_a_far_value_does_not_make_more_than_a_hundred_bins() -> None:
    frame = frame_of("histogram", original=table(x=[float(n) for n in range(1000)] + [1e9]), column="x")
    assert frame.data.height == MOST_BINS


def test_categories_are_ordered_by_frequency_then_by_name_and_missing_ones_are_told() -> None:
    frame = frame_of("histogram", original=table(race=["b", "a", "c", "c", None]), column="race")
    assert frame.data.select("value", "count").rows() == [("c", 2), ("a", 1), ("b", 1)]
    assert "1 record without a value" in frame.note


def test_items_are_ordered_by_support_and_those_after_fifty_are_together() -> None:
    # Item n occurs in the first 60 - n records; the supports of items 50 to 52 are 10, 9 and 8.
    records = [[f"i{item:02}" for item in range(53) if record < 60 - item] for record in range(60)]
    frame = frame_of("histogram", original=Transactions.from_lists(records))
    assert frame.data.height == 51
    assert frame.data.row(0) == ("i00", 60, 1)
    assert frame.data.row(50) == ("3 others", 27, 3)


def test_a_histogram_of_an_unknown_column_names_the_known_ones() -> None:
    with pytest.raises(UnknownColumn, match="Did you mean 'age'"):
        frame_of("histogram", original=table(age=[1]), column="agee")


def test_a_column_without_values_gives_a_sentence() -> None:
    frame = frame_of("histogram", original=table(age=pl.Series([None, None], dtype=pl.Int64)), column="age")
    assert frame.data.height == 0
    assert "age" in frame.empty


def test_locations_count_the_trajectories_that_visit_them() -> None:
    data = crypsis.Trajectories.from_lists([["a", "b", "a"], ["a"], ["c", "b"]])
    assert frame_of("histogram", original=data).data.select("value", "count").rows() == [("a", 2), ("b", 2), ("c", 1)]


# line, phases, trade-off


def test_a_line_has_means_sample_deviations_and_gaps() -> None:
    frame = frame_of("line", results=sweep(), x="k", y="ncp")
    assert frame.data.columns == ["configuration", "k", "mean", "deviation", "repeats", "absent"]
    assert frame.data.rows() == [
        ("generalize", 2, None, None, 0, "infeasible"),
        ("generalize", 5, 0.2, None, 1, None),
        ("generalize", 10, 0.4, None, 1, None),
        ("suppress", 2, 0.1, None, 1, None),
        ("suppress", 5, pytest.approx(0.4), pytest.approx(0.2 / sqrt(2)), 2, None),
    ]
    assert "infeasible" in frame.note


def test_parameters_that_are_not_on_the_axis_make_lines_of_their_own() -> None:
    rows = [cell("a", k=k, m=m, metrics={"are": k * m}) for m in (1, 2) for k in (5, 10)]
    frame = frame_of("line", results=rows, x="k", y="are")
    assert frame.data.select("configuration", "k", "mean").rows() == [
        ("a, m = 1", 5, 5.0), ("a, m = 1", 10, 10.0), ("a, m = 2", 5, 10.0), ("a, m = 2", 10, 20.0),
    ]  # fmt: skip


def test_cells_that_have_not_run_are_neither_points_nor_gaps() -> None:
    rows = [cell("a", "waiting", k=2), cell("a", "cancelled", k=3), cell("a", k=5, metrics={"are": 1.0})]
    assert frame_of("line", results=rows, x="k", y="are").data["k"].to_list() == [5]


def test_time_is_the_sum_of_the_phases_where_nothing_else_is_told() -> None:
    frame = frame_of("line", results=sweep(), x="k", y="runtime")
    assert frame.data.filter(configuration="generalize")["mean"].to_list() == [None, 1.5, 2.0]


def test_an_axis_may_be_made_of_names() -> None:
    rows = [cell("a", score=score, metrics={"are": 1.0}) for score in ("ul", "btd")]
    frame = frame_of("line", results=rows, x="score", y="are")
    assert frame.data["score"].to_list() == ["ul", "btd"]
    assert frame.panels[0].x.scale == "category"


@pytest.mark.parametrize(("x", "y", "words"), [("kk", "ncp", "'k'"), ("k", "npc", "'ncp'")])
def test_unknown_axes_are_refused_with_the_nearest_name(x: str, y: str, words: str) -> None:
    with pytest.raises(BadParameter, match=f"Did you mean {words}"):
        frame_of("line", results=sweep(), x=x, y=y)


def test_phases_are_stacked_in_their_order_and_named_by_cell() -> None:
    frame = frame_of("phases", results=sweep())
    assert frame.data.rows()[:2] == [
        ("generalize, k = 5", "prepare", 1.0, 1.5),
        ("generalize, k = 5", "publish", 0.5, 1.5),
    ]
    assert frame.data["cell"].to_list()[-1] == "suppress, k = 5, repeat 2"
    assert frame.series_of(frame.panels[0]) == ["prepare", "publish"]
    sums = frame.data.group_by("cell").agg(pl.col("seconds").sum(), pl.col("total").first())
    assert (sums["seconds"] == sums["total"]).all()


def test_phases_of_different_methods_are_stacked_in_the_order_of_each() -> None:
    rows = [
        cell("one", phases={"rank": 1.0, "publish": 1.0, "other": 1.0}),
        cell("two", phases={"read": 1.0, "publish": 1.0, "other": 1.0}),
    ]
    frame = frame_of("phases", results=rows)
    assert frame.series_of(frame.panels[0]) == ["rank", "read", "publish", "other"]


def test_phases_that_contradict_each_other_have_an_order_too() -> None:
    assert merged_order([["a", "b"], ["b", "a"]]) == ["a", "b"]
    assert merged_order([]) == []


def test_cells_that_are_not_beaten_are_efficient() -> None:
    frame = frame_of("tradeoff", results=sweep(), x="ncp", y="ul")
    found = dict(zip(frame.data["cell"], frame.data["efficient"], strict=True))
    assert found == {
        "generalize, k = 5": True,
        "generalize, k = 10": True,
        "suppress, k = 2, repeat 1": True,
        "suppress, k = 5, repeat 1": False,
        "suppress, k = 5, repeat 2": False,
    }


def test_figures_that_should_rise_are_compared_so() -> None:
    rows = [
        cell(name, metrics={"granularity_score": score, "ncp": loss})
        for name, score, loss in (("a", 0.9, 0.5), ("b", 0.5, 0.5), ("c", 0.2, 0.1))
    ]
    frame = frame_of("tradeoff", results=rows, x="granularity_score", y="ncp")
    assert frame.data["efficient"].to_list() == [True, False, True]


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=30))
def test_non_dominated_points_are_those_of_the_definition(points: list[tuple[int, int]]) -> None:
    x, y = (np.array([point[side] for point in points], np.float64) for side in (0, 1))
    expected = [not any(a <= c and b <= d and (a, b) != (c, d) for a, b in points) for c, d in points]
    assert non_dominated(x, y).tolist() == expected


# published values


def test_published_values_come_in_the_order_of_the_column_and_special_ones_last() -> None:
    cells = ["*", "[10:30]", "[9:12]", "[10:20]", "10", "[9:12]", "?"]
    frame = frame_of("generalized_frequency", published=published(age=cells), column="age")
    assert frame.data.rows() == [("[9:12]", 2), ("10", 1), ("[10:20]", 1), ("[10:30]", 1), ("*", 1), ("?", 1)]


def test_nodes_are_ordered_by_the_values_below_them() -> None:
    leaves = NodeLeaves({"old": ("70", "80"), "young": ("9", "20")}, 4)
    frame = frame_of("generalized_frequency", published=published(age=["old", "young"], hierarchy=leaves), column="age")
    assert frame.data["published"].to_list() == ["young", "old"]


def test_published_items_are_counted_by_symbol() -> None:
    data = PublishedTransactions.from_lists([["a", ["b", "c"]], [["b", "c"]]])
    assert frame_of("generalized_frequency", published=data).data.rows() == [("a", 1), ("(b,c)", 2)]


def test_ranges_are_spread_over_the_values_that_they_cover() -> None:
    frame = frame_of(
        "value_difference",
        original=table(age=[1, 1, 2, 3]),
        published=published(age=["[1:2]", "[1:2]", "[1:2]", "3"]),
        column="age",
    )
    # Three records over the values 1 and 2: one and a half each, where there were two and one.
    assert frame.data.rows() == [(1, 2, 1.5, -0.25), (2, 1, 1.5, 0.5), (3, 1, 1.0, 0.0)]


def test_nodes_are_spread_over_all_their_leaves_and_sets_over_their_members() -> None:
    leaves = NodeLeaves({"south": ("it", "es", "pt")}, 5)
    frame = frame_of(
        "value_difference",
        original=table(land=["it", "es", "se", "se"]),
        published=published("category", leaves, land=["south", "south", "{it|se}", "*"]),
        column="land",
    )
    # south: 2 records over 3 leaves, of which pt never occurs; the set: half each; *: a fifth for each of 5 leaves.
    found = dict(zip(frame.data["value"], frame.data["expected"], strict=True))
    assert found == {
        "es": pytest.approx(2 / 3 + 1 / 5),
        "it": pytest.approx(2 / 3 + 1 / 2 + 1 / 5),
        "se": pytest.approx(1 / 2 + 1 / 5),
    }


def test_suppressed_and_missing_cells_stand_for_no_value() -> None:
    frame = frame_of(
        "value_difference", original=table(age=[1, 1, 1]), published=published(age=["1", "?", "~"]), column="age"
    )
    assert frame.data.rows() == [(1, 3, 1.0, pytest.approx(-2 / 3))]


def test_nodes_that_are_not_told_cannot_be_spread() -> None:
    with pytest.raises(NotApplicable, match="stand for"):
        frame_of(
            "value_difference",
            original=table(land=["it", "se"]),
            published=PublishedTable.from_frame(
                pl.DataFrame({"land": ["Europe", "Europe"]}),
                {"land": "quasi"},
                {"land": "category"},
                nodes={"land": ["Europe"]},
            ),
            column="land",
        )


@given(st.lists(st.integers(0, 20), min_size=1, max_size=30), st.data())
def test_ranges_are_spread_as_by_counting_one_by_one(values: list[int], data: st.DataObject) -> None:
    ranges = [
        data.draw(st.tuples(st.integers(-2, value), st.integers(value, 22)), label="range around it")
        for value in values
    ]
    texts = [str(low) if low == high else f"[{low}:{high}]" for low, high in ranges]
    frame = frame_of("value_difference", original=table(x=values), published=published(x=texts), column="x")
    domain = sorted(set(values))
    expected = dict.fromkeys(domain, 0.0)
    for low, high in ranges:
        covered = [value for value in domain if low <= value <= high]
        for value in covered:
            expected[value] += 1 / len(covered)
    assert frame.data["value"].to_list() == domain
    assert frame.data["expected"].to_list() == pytest.approx(list(expected.values()))
    assert sum(frame.data["expected"]) == pytest.approx(len(values))


# items


def test_item_errors_are_sorted_by_support_with_the_share_of_items() -> None:
    original = Transactions.from_lists([["a"], ["a"], ["b"]])
    after = PublishedTransactions.from_lists([[["a", "b"]]] * 3)
    # A symbol of two items stands for either of them, each as likely: for a in half of 3 records.
    frame = frame_of("item_error", original=original, published=after)
    assert frame.data.select("rank", "item", "original", "expected", "error", "share").rows() == [
        (1, "a", 2, pytest.approx(1.5), pytest.approx(-0.25), 0.5),
        (2, "b", 1, pytest.approx(1.5), pytest.approx(0.5), 1.0),
    ]
    assert [panel.mark for panel in frame.panels] == ["stems", "steps"]


_ITEMS = "abcdef"


@given(st.lists(st.sets(st.sampled_from(_ITEMS), min_size=1), min_size=1, max_size=8), st.data())
def test_items_are_estimated_as_any_of_their_symbol_alike(records: list[set[str]], data: st.DataObject) -> None:
    groups: list[list[str]] = [[]]
    for item in _ITEMS:  # a partition of the items into symbols
        if groups[-1] and data.draw(st.booleans(), label="begin another symbol"):
            groups.append([])
        groups[-1].append(item)
    symbol = {item: group for group in groups for item in group}
    rows = [[list(group) for group in groups if record & set(group)] for record in records]
    original = Transactions.from_lists([sorted(record) for record in records])
    after = PublishedTransactions.from_lists([[one if len(one) > 1 else one[0] for one in row] for row in rows])
    frame = frame_of("item_error", original=original, published=after)
    for item, before, expected, error in frame.data.select("item", "original", "expected", "error").rows():
        group = symbol[item]
        slow = sum(group in row for row in rows) / len(group)
        assert before == sum(item in record for record in records)
        assert expected == pytest.approx(slow)
        assert error == pytest.approx((slow - before) / before)
    supports = frame.data["original"].to_list()
    assert supports == sorted(supports, reverse=True)


# sizes


def test_class_sizes_are_sorted() -> None:
    rows = ["[1:2]", "3", "[1:2]", "3", "3", "4"]
    frame = frame_of("class_sizes", published=published(age=rows))
    assert frame.data.rows() == [(1, 3), (2, 2), (3, 1)]


def test_equal_sets_of_items_are_one_class_and_empty_ones_too() -> None:
    data = PublishedTransactions.from_lists([["a", "b"], ["b", "a"], ["a"], [], [], []])
    assert frame_of("class_sizes", published=data).data["size"].to_list() == [3, 2, 1]


def test_cluster_sizes_are_binned_on_a_logarithmic_axis() -> None:
    frame = frame_of("cluster_sizes", published=published(age=["1"] * 2 + ["2"] * 2 + ["3"] * 4), k=2)
    assert frame.data.rows() == [(2, 3, 2), (3, 4, 0), (4, 5, 1)]
    assert frame.panels[0].x.scale == "log"
    assert frame.panels[0].limit is not None
    assert frame.panels[0].limit.value == 2


@given(st.lists(st.integers(1, 100_000), min_size=1, max_size=50))
def test_logarithmic_bins_cover_all_sizes_and_never_get_narrower(sizes: list[int]) -> None:
    edges = logarithmic_bins(np.array(sizes, np.int64))
    assert edges[0] == min(sizes)
    assert edges[-1] > max(sizes)
    assert (np.diff(np.diff(edges)) >= 0).all()
    assert len(edges) <= 70


def test_ul_is_told_before_the_first_union_and_after_each() -> None:
    frame = frame_of("ul_vs_merges", private={"ul_after_each_merge": [None, 0.5, 0.25], "merges": 2})
    assert frame.data.rows() == [(0, None), (1, 0.5), (2, 0.25)]


def test_runs_without_losses_after_merges_are_refused() -> None:
    with pytest.raises(NotApplicable, match="Tum-BOUND"):
        frame_of("ul_vs_merges", private={"merges": 2})


# disassociation

RECORDS = [["a", "b"], ["a", "b", "x"], ["a", "s"], ["a", "s"], ["s"], ["s", "y"]]
FOREST = {
    "k": 2,
    "m": 2,
    "empty_records": 0,
    "nodes": [
        {
            "type": "joint",
            "size": 6,
            "shared_chunks": [[{"items": ["s"], "count": 4}]],
            "children": [
                {
                    "type": "leaf",
                    "size": 4,
                    "record_chunks": [[{"items": ["a"], "count": 2}, {"items": ["a", "b"], "count": 2}]],
                    "term_chunk": ["x"],
                },
                {"type": "leaf", "size": 2, "record_chunks": [], "term_chunk": ["y"]},
            ],
        }
    ],
}


def forest() -> DisassociatedTransactions:
    return DisassociatedTransactions.from_canonical(FOREST)


def test_chunks_are_counted_by_kind_and_number() -> None:
    frame = frame_of("chunk_counts", published=forest())
    # Leaves have one and no record chunk, both a term chunk; the joint node has one shared chunk.
    assert frame.data.rows() == [
        (0, "record chunks", 1), (0, "shared chunks", 0), (0, "term chunks", 0),
        (1, "record chunks", 1), (1, "shared chunks", 1), (1, "term chunks", 2),
    ]  # fmt: skip
    assert frame.note == "In all 1 record chunk, 1 shared chunk, 2 term chunks."


def test_shares_of_occurrences_follow_the_rank_of_terms() -> None:
    frame = frame_of("chunk_shares", original=Transactions.from_lists(RECORDS), published=forest())
    # By support: a and s (4), b (2), x and y (1).
    shares = {
        (row["from"], row["kind"]): (row["occurrences"], row["share"]) for row in frame.data.iter_rows(named=True)
    }
    assert shares[1, "record chunks"] == (4.0, 1.0)
    assert shares[2, "shared chunks"] == (4.0, 1.0)
    assert shares[3, "record chunks"] == (2.0, 1.0)
    assert shares[4, "term chunks"] == shares[5, "term chunks"] == (1.0, 1.0)
    assert frame.data.group_by("from").agg(pl.col("share").sum())["share"].to_list() == [1.0] * 5


def test_pair_errors_by_rank_are_those_of_the_metric() -> None:
    original = Transactions.from_lists([[f"t{n:03}", f"t{n + 1:03}"] for n in range(130) for _ in range(140 - n)])
    after = PublishedTransactions.from_lists([list(record) for record in original.to_lists()])
    frame = frame_of("pair_error_by_rank", original=original, published=after)
    assert frame.data["ranks"].to_list() == ["0–20", "100–120"]
    assert frame.data["re"].to_list() == [0.0, 0.0]
    whole = PublishedTransactions.from_lists([[["t000", "t001"]] for _ in range(len(original))])
    measured = re_loss(original, whole, ranks=(0, 20))
    found = frame_of("pair_error_by_rank", original=original, published=whole).data.row(0, named=True)
    assert (found["re"], found["pairs"]) == (measured.errors["re_loss"], measured.pairs)


def test_pair_errors_of_a_forest_compare_one_possible_original() -> None:
    frame = frame_of("pair_error_by_rank", original=Transactions.from_lists(RECORDS), published=forest(), seed=3)
    again = frame_of("pair_error_by_rank", original=Transactions.from_lists(RECORDS), published=forest(), seed=3)
    assert frame.data["ranks"].to_list() == ["0–5"]
    assert frame.data.equals(again.data)
    assert 0 <= frame.data["re"][0] <= 2


# the table of plots


def test_a_plot_says_what_it_lacks_and_what_it_does_not_know() -> None:
    with pytest.raises(BadParameter, match="needs 'x'"):
        frame_of("line", results=sweep(), y="ncp")
    with pytest.raises(BadParameter, match="made from 'published'"):
        frame_of("class_sizes")
    with pytest.raises(BadParameter, match="not 'column'"):
        frame_of("phases", results=sweep(), column="age")
    with pytest.raises(BadParameter, match="Did you mean 'tradeoff'"):
        frame_of("trade-of", results=sweep())


@pytest.mark.parametrize("name", [name for name, plot in PLOTS.items() if plot.inputs[0] != "results"])
def test_plots_of_data_refuse_what_they_cannot_show(name: str) -> None:
    given = dict.fromkeys(PLOTS[name].needs, "age")
    with pytest.raises(NotApplicable):
        frame_of(name, original=Microdata(), published=PublishedData(), private={}, **given)


def test_numbers_are_exported_as_csv_with_quotes_where_needed() -> None:
    rows = [cell('a "b", c', k=2, metrics={"are": 0.5})]
    assert to_csv(frame_of("line", results=rows, x="k", y="are")) == (
        b'configuration,k,mean,deviation,repeats,absent\r\n"a ""b"", c",2,0.5,,1,\r\n'
    )


def test_figures_that_are_not_finite_are_gaps() -> None:
    rows = [cell("a", k=2, metrics={"are": inf}), cell("a", k=3, metrics={"are": 1.0})]
    frame = frame_of("line", results=rows, x="k", y="are")
    assert frame.data["mean"].to_list() == [None, 1.0]
    assert frame.data["absent"].to_list() == ["not defined", None]
