"""Ranges between chosen cuts."""

from __future__ import annotations

import polars as pl
import pytest

from crypsis import Table
from crypsis.errors import BadParameter, NotApplicable
from crypsis.hierarchy.hierarchies import built

FRAME = pl.DataFrame(
    {"age": [17, 18, 29, 30, 64, 65, 80], "day": [f"2020-0{n}-01" for n in range(1, 8)], "town": list("abcdefg")}
)
TABLE = Table.from_frame(FRAME, {"age": "quasi", "day": "quasi", "town": "quasi"}, types={"day": "date"})


def test_a_cut_begins_the_range_above_it() -> None:
    tree = built("cuts:30:18:65", TABLE.column("age"))
    level = tree.level_maps[1]
    assert [*map(level.tolist().count, dict.fromkeys(level.tolist()))] == [1, 2, 2, 2]
    assert tree.root != tree.names[level[0]]


def test_dates_are_cut_at_days() -> None:
    tree = built("cuts:2020-04-01", TABLE.column("day"))
    assert len({*tree.level_maps[1].tolist()}) == 2
    assert tree.leaf_count[tree.level_maps[1][0]] == 3


@pytest.mark.parametrize("recipe", ["cuts", "cuts:x", "cuts:1/0"])
def test_what_is_no_cut_is_refused(recipe: str) -> None:
    with pytest.raises(BadParameter, match="cut"):
        built(recipe, TABLE.column("age"))


def test_categories_have_no_order_to_cut() -> None:
    with pytest.raises(NotApplicable):
        built("cuts:3", TABLE.column("town"))
