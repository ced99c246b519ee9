"""What methods are given beside the data: hierarchies, policies, constraints and queries, as an experiment tells them.

Which section belongs to which parameter is told by the type of the parameter, so a method that is new needs nothing
here: what is typed into `params` is read by the type itself, and files are looked for beside the experiment file.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from crypsis.data.constraints import UtilityConstraints
from crypsis.data.formats.compression import names_file
from crypsis.data.microdata import ITEMS, LOCATIONS
from crypsis.data.privacy_policy import PrivacyPolicy
from crypsis.errors import BadExperiment, BadRow, CrypsisError, did_you_mean
from crypsis.evaluate.dataset import file_digest, resolved
from crypsis.hierarchy import (
    FANOUT_FIVE,
    Hierarchies,
    Hierarchy,
    HierarchyPlan,
    ItemHierarchy,
    Taxonomy,
    UtilityPolicy,
)
from crypsis.parameters import Checked, Deferred, Parameter, SideInput, parameters_of

SOURCE_KEYS = ("path", "auto")
POLICIES = ("privacy", "utility", "constraints")
RECIPES = {  # of policies, and of trees of items and locations, that are derived
    "privacy": ("all", "items", "rare", "random"),
    "tree": ("auto", "balanced"),
    "utility": ("single", "frequency", "cooccurrence", "hierarchy", "none", "fixed"),
}
QUERY_KEYS = ("path", "list", "generate")
GENERATE_KEYS = ("count", "relational", "items", "range_share", "seed", "columns")
_CALL = re.compile(r"\s*([A-Za-z_]\w*)\s*\(([^()]*)\)\s*")


def recipe_text(auto: str) -> str:
    """`equi_width(12)` is another way to write `equi_width:12`; an argument may have its name, as in `order=label`."""
    called = _CALL.fullmatch(auto)
    if called is None:
        return auto.strip()
    arguments = [part.rpartition("=")[2].strip() for part in called[2].split(",") if part.strip()]
    return ":".join([called[1], *arguments])


@dataclass(frozen=True, eq=False)
class Inputs:
    """The sections [hierarchy], [policy] and [queries] of an experiment."""

    hierarchy: Mapping[str, Mapping[str, Any]]
    policy: Mapping[str, Mapping[str, Any]]
    queries: Mapping[str, Any]
    folder: Path
    item_columns: tuple[str, ...] = ()

    @cached_property
    def digest(self) -> str:
        """Of what the hierarchies and policies hold; of recipes, of how they are written."""
        parts = [f"{name}={held}" for section in self.held.values() for name, held in section.items()]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    @cached_property
    def held(self) -> dict[str, dict[str, str]]:
        """By section and name: the digest of a file, or a recipe."""
        return {
            section: {
                name: file_digest(resolved(str(told["path"]), self.folder))
                if "path" in told
                else recipe_text(str(told.get("auto")))
                for name, told in sorted(sources.items())
            }
            for section, sources in (("hierarchy", self.hierarchy), ("policy", self.policy))
        }

    @cached_property
    def queries_digest(self) -> str:
        told = repr(sorted(self.queries.items(), key=lambda item: item[0]))
        if "path" in self.queries:
            told += file_digest(resolved(str(self.queries["path"]), self.folder))
        return hashlib.sha256(told.encode()).hexdigest()

    def for_method(self, method: type[Checked], data: Any) -> dict[str, SideInput | Deferred]:
        """What the sections say about the parameters of a method; nothing for those that they do not mention."""
        found: dict[str, SideInput | Deferred] = {}
        for parameter in parameters_of(method):
            read = FROM_SECTIONS.get(parameter.type)
            made = None if read is None else read(self, data)
            if made is not None:
                found[parameter.name] = made
        return found

    def value(self, parameter: Parameter, given: Any, owner: str) -> Any:
        """A value of `params`: a side input is read from the text, with its files beside the experiment file."""
        if issubclass(parameter.type, SideInput):
            if isinstance(given, Mapping):
                given = ",".join(f"{name}={value}" for name, value in given.items())
            if isinstance(given, str):
                return parameter.parse(self._with_files(recipe_text(given)), owner)
        return parameter.check(given, owner)

    def identity(self, method: type[Checked], params: Mapping[str, Any]) -> dict[str, object]:
        """What the parameters of a method come to: defaults and numbers alike, files by what they hold."""
        told: dict[str, object] = {}
        for parameter in parameters_of(method):
            value = params.get(parameter.name, parameter.to_dict().get("default"))
            if isinstance(value, Mapping):
                value = ",".join(f"{name}={one}" for name, one in value.items())
            if issubclass(parameter.type, SideInput):
                value = self._with_files(recipe_text(value), file_digest) if isinstance(value, str) else str(value)
            elif parameter.name in params:
                with suppress(CrypsisError):  # told by the check of the experiment
                    value = parameter.check(value, method.__name__)
            told[parameter.name] = value
        return told

    def _with_files(self, text: str, shown: Callable[[Path], str] = str) -> str:
        """The text with the names of files that exist beside the experiment file in full, or as `shown` has them."""
        if names_file(self.folder / text):
            return shown(self.folder / text)
        parts = re.split(r"([=,:\n])", text)
        return "".join(shown(self.folder / part) if part and names_file(self.folder / part) else part for part in parts)

    def hierarchies(self, data: Any) -> Hierarchies | HierarchyPlan | None:
        """Those of the columns of a table."""
        table = data.table_part
        if table is None:
            return None
        entries: dict[str, Hierarchy | str] = {}
        for name, told in self.hierarchy.items():
            if name in table.names:
                entries[name] = (
                    Hierarchy.from_file(resolved(str(told["path"]), self.folder))
                    if "path" in told
                    else recipe_text(str(told["auto"]))
                )
        return HierarchyPlan(entries).made_already() if entries else None

    def column_types(self) -> dict[str, str]:
        """The types of columns whose hierarchies are files: labels are read as they are written there."""
        skipped = (*self.item_columns, ITEMS, LOCATIONS)
        trees = {
            name: Hierarchy.from_file(resolved(str(told["path"]), self.folder))
            for name, told in self.hierarchy.items()
            if "path" in told and name not in skipped
        }
        return Hierarchies(trees).column_types()

    def item_hierarchy(self, data: Any) -> Any:
        """That of the items: of their column, or called `items`."""
        return self._tree(ItemHierarchy, self.hierarchy_of_items(data))

    def taxonomy(self, data: Any) -> Any:
        return self._tree(Taxonomy, LOCATIONS)

    def privacy(self, data: Any) -> Any:
        return self._policy(PrivacyPolicy, "privacy")

    def utility(self, data: Any) -> Any:
        told = self.policy.get("utility")
        if told is not None and "auto" in told:
            text = recipe_text(str(told["auto"]))
            _refuse_unknown_recipe("utility", text)
            tree = self.hierarchy.get(self.hierarchy_of_items(data))
            if re.fullmatch(r"hierarchy:\d+", text) and tree is not None and "path" in tree:
                text += f":{resolved(str(tree['path']), self.folder)}"
            return UtilityPolicy.from_text(text)
        return self._policy(UtilityPolicy, "utility")

    def constraints(self, data: Any) -> Any:
        return self._policy(UtilityConstraints, "constraints")

    def hierarchy_of_items(self, data: Any) -> str:
        """Under which name [hierarchy] speaks of the items: that of their column, `items`, or the only one there is."""
        named = [name for name in self.hierarchy if name in (*self.item_columns, ITEMS, getattr(data, "column", ITEMS))]
        if not named and not self.item_columns and data.hierarchy_columns == (ITEMS,):
            named = [name for name in self.hierarchy if name != LOCATIONS]
        return named[0] if named else ITEMS

    def _tree(self, kind: Any, name: str) -> Any:
        told = self.hierarchy.get(name)
        if told is None:
            return None
        if "path" in told:
            path = resolved(str(told["path"]), self.folder)
            try:
                return kind.from_file(path)
            except BadRow:  # paths of different lengths, as hierarchies of columns may have
                tree = Hierarchy.from_file(path)
                return kind(tree.to_pairs(), origin=tree.origin)
        text = recipe_text(str(told["auto"]))
        _refuse_unknown_recipe("tree", text)
        return kind.from_text(re.sub(r"^balanced\b", "auto", text) if text != "auto" else f"auto:{FANOUT_FIVE.fanout}")

    def _policy(self, kind: Any, name: str) -> Any:
        told = self.policy.get(name)
        if told is None:
            return None
        if "path" in told:
            return kind.from_file(resolved(str(told["path"]), self.folder))
        text = recipe_text(str(told["auto"]))
        _refuse_unknown_recipe(name, text)
        return kind.from_text(text)

    def workload(self, data: Any) -> tuple[Any, ...] | None:
        """The counting queries for a table or mixed data; None where nothing is said or data of a kind has no such."""
        from crypsis.data.count_query import as_queries, read_queries
        from crypsis.metrics.query_workload import drawn_queries

        if not self.queries or data.table_part is None:
            return None
        if "path" in self.queries:
            return read_queries(resolved(str(self.queries["path"]), self.folder))
        if "list" in self.queries:
            return as_queries(list(self.queries["list"]))
        told = dict(self.queries.get("generate", {}))
        names = {"count": "n_queries", "relational": "relational", "items": "items", "range_share": "share"}
        given = {option: told[name] for name, option in names.items() if name in told}
        if data.set_part is None:
            given.pop("items", None)
        return drawn_queries(data, seed=int(told.get("seed") or 0), columns=told.get("columns"), **given)


def _refuse_unknown_recipe(what: str, text: str) -> None:
    """Other words would be read as the name of a file, which is what `path` is for."""
    known, asked = RECIPES.get(what), text.partition(":")[0]
    if known is not None and asked not in known:
        raise BadExperiment(f"there is no recipe {asked!r}; known are {', '.join(known)}.{did_you_mean(asked, known)}")


FROM_SECTIONS: dict[type, Callable[[Inputs, Any], Any]] = {
    Hierarchies: Inputs.hierarchies,
    ItemHierarchy: Inputs.item_hierarchy,
    Taxonomy: Inputs.taxonomy,
    PrivacyPolicy: Inputs.privacy,
    UtilityPolicy: Inputs.utility,
    UtilityConstraints: Inputs.constraints,
}


def method_with(
    method: type[Checked], inputs: Inputs, data: Any, params: Mapping[str, Any], seed: int | None = None
) -> Any:
    """The method of a cell: what the sections say, then what the run says, then the seed of the repeat."""
    given: dict[str, Any] = dict(inputs.for_method(method, data))
    known = {parameter.name: parameter for parameter in parameters_of(method)}
    for name, value in params.items():
        if name not in known:
            raise BadExperiment(f"{method.__name__} has no parameter {name!r}.")
        given[name] = inputs.value(known[name], value, method.__name__)
    if seed is not None and "seed" in known:
        given["seed"] = seed
    return method(**given)


__all__ = ["FROM_SECTIONS", "Inputs", "method_with", "recipe_text"]
