"""Recipes typed on the command line: an unknown one is refused with a list, not taken for the name of a file."""

from __future__ import annotations

from crypsis.errors import BadParameter, did_you_mean


def known_recipe(what: str, typed: str) -> str:
    """The recipe of a `privacy` or `utility` policy, or of a `tree` of items or locations, as its maker reads it."""
    from crypsis.evaluate.inputs import RECIPES, recipe_text

    text = recipe_text(typed)
    asked, known = text.partition(":")[0], RECIPES[what]
    if asked not in known:
        place = "items or locations" if what == "tree" else f"a {what} policy"
        raise BadParameter(
            f"There is no recipe {asked!r} for {place}; known are {', '.join(known)}.{did_you_mean(asked, known)}",
            parameter="recipe",
        )
    return text
