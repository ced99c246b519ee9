"""Hierarchies of a table: which column has which, read from files or built from the data.

On the command line `--hierarchy age=ages.csv --hierarchy zip=prefix`; several may stand in one text, separated by
commas. What follows the `=` is a file, or one of these recipes:

    equi_width:8:4   equi_depth:8:4   adaptive:8:4   bins and fanout, for numbers and dates; both may be left out
    cuts:18:30:65    cuts:2020-07-01                 ranges between chosen cuts, of numbers and dates
    dates:months     dates:weeks                     the calendar
    prefix                                           codes masked from the right
    balanced:4:label balanced:4:frequency            a tree over categories, fanout and order
    flat                                             every value directly below *
    auto                                             what a column gets that nothing is said about

Further sources, such as SKOS concept schemes, add one line to `SOURCES`: the ending of a file and who reads it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crypsis.data.declarations import type_of_labels
from crypsis.data.relational import Column, Table
from crypsis.data.values import write_value
from crypsis.errors import BadParameter, HierarchyError, did_you_mean
from crypsis.hierarchy.adaptive import adaptive
from crypsis.hierarchy.balanced_values import ORDERS, balanced
from crypsis.hierarchy.cuts import cuts
from crypsis.hierarchy.dates import CALENDARS, dates
from crypsis.hierarchy.equi_depth import equi_depth
from crypsis.hierarchy.equi_width import equi_width
from crypsis.hierarchy.hierarchy import TOP, Hierarchy, unknown_hierarchy_columns
from crypsis.hierarchy.prefix import prefix
from crypsis.parameters import Deferred, SideInput
from crypsis.translation import _, marked

SOURCES: dict[str, Callable[[str], Hierarchy]] = {}  # ending of a file name: who reads it; anything else is CSV

_NEXT_ENTRY = re.compile(r"\n+|,(?=[^,=:\n]+=)")


class Hierarchies(SideInput):
    """A hierarchy for some columns of a table, by name. Immutable."""

    in_words = "hierarchies (column=FILE or column=RECIPE, e.g. age=ages.csv,zip=prefix)"
    repeatable = True

    def __init__(self, trees: Mapping[str, Hierarchy]) -> None:
        self._trees = dict(trees)
        for name, tree in self._trees.items():
            if not isinstance(tree, Hierarchy):
                raise BadParameter(
                    f"The hierarchy of column '{name}' must be a Hierarchy, got {type(tree).__name__}; recipes such as "
                    "'equi_depth:8' go into HierarchyPlan.",
                    parameter="hierarchy",
                )

    @classmethod
    def from_text(cls, text: str) -> Hierarchies | HierarchyPlan:
        """What somebody typed: `age=ages.csv,zip=prefix`."""
        entries: dict[str, Hierarchy | str] = {}
        for entry in _NEXT_ENTRY.split(text):
            name, equals, source = entry.strip().partition("=")
            if not equals or not name or not source:
                raise BadParameter(
                    f"hierarchy: column=FILE or column=RECIPE is expected, got {entry!r}.", parameter="hierarchy"
                )
            if name in entries:
                raise BadParameter(f"hierarchy: column '{name}' is given two hierarchies.", parameter="hierarchy")
            entries[name] = source if source.partition(":")[0] in RECIPES else _read(source)
        return HierarchyPlan(entries).made_already()

    def column_types(self) -> dict[str, str]:
        """The type in which the leaves of each hierarchy stay as they are written."""
        return {name: type_of_labels(tree.leaf_labels) for name, tree in self._trees.items() if not tree.of_values}

    def get(self, name: str) -> Hierarchy | None:
        return self._trees.get(name)

    def __getitem__(self, name: str) -> Hierarchy:
        return self._trees[name]

    def __contains__(self, name: object) -> bool:
        return name in self._trees

    def items(self) -> list[tuple[str, Hierarchy]]:
        return list(self._trees.items())

    @property
    def identity(self) -> Hashable:
        return frozenset(self._trees.items())

    def __str__(self) -> str:
        return "; ".join(f"{name}: {tree}" for name, tree in self._trees.items())

    @property
    def public_text(self) -> str:
        return "; ".join(f"{name}: {tree.public_text}" for name, tree in self._trees.items())


@dataclass(frozen=True, eq=False)
class HierarchyPlan(Deferred):
    """Hierarchies, some of them still to be built from the data: `HierarchyPlan({"age": "equi_depth:8"})`."""

    makes = Hierarchies

    entries: Mapping[str, Hierarchy | str]

    def __post_init__(self) -> None:
        for name, entry in self.entries.items():
            if isinstance(entry, str):
                _check_recipe(name, entry)

    def made_already(self) -> Hierarchies | HierarchyPlan:
        """The hierarchies themselves where nothing is left to build."""
        trees = {name: entry for name, entry in self.entries.items() if isinstance(entry, Hierarchy)}
        return Hierarchies(trees) if len(trees) == len(self.entries) else self

    def column_types(self) -> dict[str, str]:
        return Hierarchies(
            {name: tree for name, tree in self.entries.items() if isinstance(tree, Hierarchy)}
        ).column_types()

    def make(self, data: Table) -> Hierarchies:
        unknown_hierarchy_columns(self.entries, data.names)
        return Hierarchies(
            {
                name: entry if isinstance(entry, Hierarchy) else built(entry, data.column(name))
                for name, entry in self.entries.items()
            }
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HierarchyPlan) and dict(self.entries) == dict(other.entries)

    def __hash__(self) -> int:
        return hash(frozenset(self.entries.items()))

    @property
    def public_text(self) -> str:
        texts = (entry if isinstance(entry, str) else entry.public_text for entry in self.entries.values())
        return "; ".join(f"{name}: {words}" for name, words in zip(self.entries, texts, strict=True))

    def __str__(self) -> str:
        return ",".join(f"{name}={entry}" for name, entry in self.entries.items())


def automatic(column: Column) -> Hierarchy:
    """The hierarchy of a column that nothing is said about: bins of equal depth, the calendar, or `flat`."""
    if not len(column.domain):
        return Hierarchy({"?": TOP}, origin="empty")
    if column.type in ("date", "timestamp"):
        return dates(column)
    return equi_depth(column) if column.type in ("int", "float") else _flat(column)


def built(recipe: str, column: Column) -> Hierarchy:
    """Carry out a recipe such as `equi_depth:8` on a column."""
    name, *given = recipe.split(":")
    if not len(column.domain):
        return automatic(column)
    return RECIPES[name].build(column, *RECIPES[name].arguments(column.name, given))


@dataclass(frozen=True)
class _Known:
    """A recipe: how it is carried out, what it makes in words, and what its arguments are."""

    build: Callable[..., Hierarchy]
    words: str
    with_number: str = ""  # the same where the first argument was given
    takes: tuple[Any, ...] = ()  # int for a whole number of at least 1, or the words that are allowed
    any_number: bool = False  # arguments are read by the builder itself, as many as there are
    with_word: Mapping[str, str] = field(default_factory=dict)  # the same where the first argument is one of these

    def arguments(self, column: str, given: list[str]) -> list[Any]:
        if self.any_number:
            return given
        if len(given) > len(self.takes):
            raise BadParameter(f"hierarchy of '{column}': {len(self.takes)} arguments at most, got {len(given)}.")
        return [self._argument(column, text, kind) for text, kind in zip(given, self.takes, strict=False)]

    @staticmethod
    def _argument(column: str, text: str, kind: Any) -> Any:
        if kind is int:
            if not text.isdecimal() or int(text) < 1:
                raise BadParameter(f"hierarchy of '{column}': a whole number of at least 1 is needed, got {text!r}.")
            return int(text)
        if text not in kind:
            raise BadParameter(f"hierarchy of '{column}': one of {', '.join(kind)} is needed, got {text!r}.")
        return text


def _flat(column: Column) -> Hierarchy:
    return Hierarchy.flat(write_value(value) for value in column.domain.to_list())


def _prefix(column: Column) -> Hierarchy:
    return prefix(write_value(value) for value in column.domain.to_list())


RECIPES: dict[str, _Known] = {
    "equi_width": _Known(
        equi_width, marked("ranges of equal width"), marked("{number} ranges of equal width"), (int, int)
    ),
    "equi_depth": _Known(
        equi_depth,
        marked("ranges with equally many records"),
        marked("{number} ranges with equally many records"),
        (int, int),
    ),
    "adaptive": _Known(
        adaptive, marked("ranges that fit the values"), marked("{number} ranges that fit the values"), (int, int)
    ),
    "cuts": _Known(cuts, marked("ranges between chosen cuts"), any_number=True),
    "dates": _Known(
        dates,
        marked("by the calendar"),
        takes=(CALENDARS,),
        with_word={"months": marked("by month, quarter, year and decade"), "weeks": marked("by week")},
    ),
    "prefix": _Known(_prefix, marked("by the beginning of the value")),
    "balanced": _Known(balanced, marked("groups of equal size"), marked("{number} children per node"), (int, ORDERS)),
    "flat": _Known(_flat, marked("every value, then any value")),
    "auto": _Known(automatic, marked("made automatically")),
}


def recipe_words(recipe: str) -> str:
    """What a recipe makes, in the reader's language; one that is not known as it is."""
    name, *given = recipe.split(":")
    known = RECIPES.get(name)
    if known is None or (given and not known.takes and not known.any_number):
        return recipe
    if given and known.any_number:
        return f"{_(known.words)} {', '.join(given)}"
    if given and given[0] in known.with_word:
        return _(known.with_word[given[0]])
    return _(known.with_number, number=given[0]) if given and known.with_number else _(known.words)


def _check_recipe(column: str, recipe: str) -> None:
    name, *given = recipe.split(":")
    if name not in RECIPES:
        raise BadParameter(
            f"hierarchy of '{column}': there is no recipe {name!r}; known are {', '.join(RECIPES)}."
            f"{did_you_mean(name, RECIPES)}",
            parameter="hierarchy",
        )
    RECIPES[name].arguments(column, given)


def _read(source: str) -> Hierarchy:
    reader = SOURCES.get(Path(source).suffix)
    if reader is not None:
        return reader(source)
    if not Path(source).exists() and not Path(source).suffix:
        raise HierarchyError(
            f"{source!r} is neither a file nor a recipe; recipes are {', '.join(RECIPES)}."
            f"{did_you_mean(source, RECIPES)}"
        )
    return Hierarchy.from_file(source)
