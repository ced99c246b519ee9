"""Hierarchies built from the data: bins, calendars, prefixes, balanced trees."""

from __future__ import annotations

from datetime import date, datetime
from itertools import pairwise
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data.relational import Column, Table
from crypsis.errors import BadParameter, HierarchyError, NotApplicable
from crypsis.hierarchy import Hierarchy, HierarchyPlan
from crypsis.hierarchy.adaptive import adaptive
from crypsis.hierarchy.balanced_values import balanced
from crypsis.hierarchy.dates import dates
from crypsis.hierarchy.equi_depth import equal_depth_bins, equi_depth
from crypsis.hierarchy.equi_width import equi_width
from crypsis.hierarchy.hierarchies import automatic, built
from crypsis.hierarchy.order_groups import order_groups
from crypsis.hierarchy.prefix import prefix


def column(values: list[Any], type: str | None = None) -> Column:
    types = None if type is None else {"q": type}
    return Table.from_frame(pl.DataFrame({"q": values}), {"q": "quasi"}, types).column("q")


def ranges(tree: Hierarchy, level: int) -> list[str]:
    return list(dict.fromkeys(tree.names[node] for node in tree.level_maps[level].tolist()))


numbers = st.lists(st.integers(0, 60), min_size=1, max_size=40)


@pytest.mark.parametrize("build", [equi_width, equi_depth, adaptive])
@given(values=numbers, bins=st.integers(1, 9), fanout=st.integers(2, 4))
def test_levels_nest_cover_every_value_and_end_at_one_root(
    build: Any, values: list[int], bins: int, fanout: int
) -> None:
    tree = build(column(values), bins, fanout)
    assert tree.values.to_list() == sorted(set(values))
    assert len(set(tree.level_maps[-1].tolist())) == 1
    maps = tree.level_maps.tolist()
    for lower, upper in pairwise(maps):
        assert len(set(zip(lower, upper, strict=True))) == len(set(lower))  # a node has one parent
        assert len(set(upper)) < len(set(lower)) or len(set(lower)) == 1  # no level says the same as the one below
    assert len(set(maps[min(1, tree.height)])) <= max(bins, 1) or tree.height == 1


@given(values=numbers, bins=st.integers(1, 9))
def test_a_bin_closes_where_its_share_is_reached(values: list[int], bins: int) -> None:
    counts = [values.count(value) for value in sorted(set(values))]
    places = equal_depth_bins(counts, bins)
    reached, wanted, expected, current = 0, 1, [], 0
    for count in counts:
        expected.append(current)
        reached += count
        if reached * bins >= len(values) * wanted:
            current += 1
            while reached * bins >= len(values) * wanted:
                wanted += 1
    assert places == expected


def test_bins_of_equal_width_are_half_open_and_the_last_is_closed() -> None:
    tree = equi_width(column([0, 1, 2, 5, 9, 10]), 2, 2)
    assert ranges(tree, 1) == ["[0:2]", "[5:10]"]


def test_dates_follow_the_calendar_and_weeks_stand_alone() -> None:
    days = [date(2019, 12, 30), date(2019, 12, 31), date(2020, 1, 1), date(2020, 2, 3), date(2031, 5, 5)]
    tree = dates(column(days))
    assert ranges(tree, 1) == ["[2019-12-30:2019-12-31]", "2020-01-01", "2020-02-03", "2031-05-05"]
    assert ranges(tree, 2) == ["[2019-12-30:2019-12-31]", "[2020-01-01:2020-02-03]", "2031-05-05"]
    assert ranges(tree, tree.height) == ["[2019-12-30:2031-05-05]"]
    assert ranges(dates(column(days), "weeks"), 1)[0] == "[2019-12-30:2020-01-01]"


def test_timestamps_begin_with_hours() -> None:
    moments = [datetime(2020, 1, 1, 5, 10), datetime(2020, 1, 1, 5, 50), datetime(2020, 1, 1, 7), datetime(2020, 1, 2)]
    tree = dates(column(moments))
    assert [len(ranges(tree, level)) for level in range(tree.height + 1)] == [4, 3, 2, 1]


def test_prefixes_mask_from_the_right_and_padding_is_visible() -> None:
    tree = prefix(["14122", "14110", "141"])
    assert tree.ancestors("14122") == ("14122", "1412*", "141*", "14*", "1*", "*")
    assert tree.ancestors("141") == ("141", "141_*", "141*", "14*", "1*", "*")
    with pytest.raises(HierarchyError, match="look like masked"):
        prefix(["12", "1*"])


def test_balanced_trees_have_named_groups_and_a_last_one_joins_its_neighbour() -> None:
    tree = balanced(column(list("abcdefg")), 3)
    assert tree.ancestors("g") == ("g", "#1.1", "#root")
    assert tree.leaves_below("#1.1") == ("d", "e", "f", "g")
    by_count = balanced(column(["b", "b", "c", "a", "c", "c"]), 2, "frequency")
    assert by_count.leaves_below("#root") == ("a", "b", "c")
    with pytest.raises(HierarchyError, match="#root"):
        balanced(column(["#root", "x"]), 2)


def test_ordered_categories_join_their_neighbours() -> None:
    tree = order_groups(["low", "mid", "high", "top", "max"], [2, 2])
    assert tree.ancestors("mid") == ("mid", "low - mid", "low - top", "*")
    assert tree.ancestors("max") == ("max", "*")


@pytest.mark.parametrize(
    ("recipe", "words"),
    [
        ("equidepth:8", "Did you mean 'equi_depth'"),
        ("equi_depth:x", "whole number"),
        ("equi_depth:0", "whole number"),
        ("dates:moons", "months, weeks"),
        ("prefix:3", "0 arguments"),
    ],
)
def test_wrong_recipes_are_refused_in_words(recipe: str, words: str) -> None:
    with pytest.raises(BadParameter, match=words):
        HierarchyPlan({"q": recipe})


def test_ranges_over_categories_are_refused() -> None:
    with pytest.raises(NotApplicable, match="have no order"):
        built("equi_depth:3", column(["a", "b"]))


def test_a_column_that_nothing_is_said_about_gets_what_fits_its_type() -> None:
    assert automatic(column([1, 2, 3])).origin.startswith("equi_depth")
    assert automatic(column(["a", "b"])).origin == "flat"
    assert automatic(column([date(2020, 1, 1)])).origin == "dates:months"
    assert automatic(column([None, None], "int")).n_leaves == 1


def test_a_tree_that_was_made_from_data_says_so_in_its_file(tmp_path) -> None:
    """Saved and read again it is still no public one: its leaves are values of people."""
    from crypsis.hierarchy import Hierarchy, ItemHierarchy, Taxonomy

    made = prefix(["14122", "14110"])
    for form in ("paths", "edges"):
        read = Hierarchy.from_file(made.write(tmp_path / f"{form}.csv", form=form))
        assert read == made
        assert (read.origin, read.declared) == ("prefix", False)
    edited = read.renamed("141*", "north")
    assert not Hierarchy.from_file(edited.write(tmp_path / "edited.csv")).declared
    for kind in (Taxonomy, ItemHierarchy):
        tree = kind([("a", "x"), ("b", "x")], origin="auto:2")
        assert kind.from_file(tree.write(tmp_path / "tree.csv")).origin == "auto:2"
        assert kind.from_file(kind([("a", "x"), ("b", "x")]).write(tmp_path / "given.csv")).origin == ""
    given = Hierarchy({"a": "x", "b": "x"})
    assert Hierarchy.from_file(given.write(tmp_path / "given.csv")).declared
    with pytest.raises(HierarchyError, match="line 3"):
        (tmp_path / "bad.csv").write_text("# made from the data: prefix\nchild;parent\na\n")
        Hierarchy.from_file(tmp_path / "bad.csv")
