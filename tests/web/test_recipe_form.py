"""The wizard of hierarchies offers ways that exist, and says what each level costs."""

from __future__ import annotations

import pytest

from crypsis.hierarchy import Hierarchy
from crypsis.hierarchy.hierarchies import RECIPES
from crypsis.web.level_losses import level_losses, losses_table
from crypsis.web.recipe_form import WAYS


def test_every_way_is_a_recipe_that_every_road_knows() -> None:
    assert {*WAYS} <= {*RECIPES}
    for name, way in WAYS.items():
        usual = [str(setting.usual) for setting in way.settings if setting.usual != ""]
        assert RECIPES[name].arguments("age", usual) is not None


def test_a_level_costs_what_its_groups_leave_open() -> None:
    tree = Hierarchy.from_paths([("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*")])
    levels = level_losses(tree)
    assert [(one.groups, pytest.approx(one.loss)) for one in levels] == [(2, pytest.approx(1 / 3)), (1, 1.0)]
    assert "100 %" in losses_table(levels)
