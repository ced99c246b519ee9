"""What methods are given beside the data: hierarchies, policies, constraints and queries, as an experiment states them.

The type of a parameter decides which section belongs to it, so a new method needs nothing
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
from typing import Annotated, Any

from crypsis.data.constraints import UtilityConstraints
from crypsis.data.formats.compression import names_file
from crypsis.data.microdata import ITEMS, LOCATIONS
from crypsis.data.privacy_policy import PrivacyPolicy
from crypsis.errors import BadExperiment, BadRow, CrypsisError, did_you_mean
from crypsis.evaluate.dataset import file_digest, resolved
from crypsis.evaluate.problems import Findings
from crypsis.hierarchy import FANOUT_FIVE, Hierarchies, Hierarchy, HierarchyPlan, ItemHierarchy, Taxonomy, UtilityPolicy
from crypsis.parameters import AtLeast, Between, Checked, Deferred, Parameter, SideInput, parameters_of

POLICIES = ("privacy", "utility", "constraints")
RECIPES = {  # of policies, and of trees of items and locations, that are derived
    "privacy": ("all", "items", "rare", "random"),
    "tree": ("auto", "balanced"),
    "utility": ("single", "frequency", "cooccurrence", "hierarchy", "none", "fixed"),
}
_MOST_QUERIES = 1_000_000
_CALL = re.compile(r"\s*([A-Za-z_]\w*)\s*\(([^()]*)\)\s*")


def recipe_text(auto: str) -> str:
    """`equi_width(12)` is another way to write `equi_width:12`; an argument may have its name, as in `order=label`."""
    called = _CALL.fullmatch(auto)
    if called is None:
        return auto.strip()
    arguments = [part.rpartition("=")[2].strip() for part in called[2].split(",") if part.strip()]
    return ":".join([called[1], *arguments])


@dataclass(frozen=True, kw_only=True)
class Source(Checked):
    """Where a hierarchy or a policy comes from."""

    path: Annotated[str | None, "A file."] = None
    auto: Annotated[str | None, "A recipe by which it is made from the data."] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.path is None) == (self.auto is None):
            raise BadExperiment("give either path, a file, or auto, a recipe such as auto = 'equi_depth(8)'")

    @property
    def recipe(self) -> str:
        return recipe_text(str(self.auto))


@dataclass(frozen=True, kw_only=True)
class DrawnQueries(Checked):
    """Queries that are drawn at random."""

    count: Annotated[int | None, Between(1, _MOST_QUERIES), "How many."] = None
    relational: Annotated[int | None, Between(0, _MOST_QUERIES), "How many columns each asks about."] = None
    items: Annotated[int | None, Between(0, _MOST_QUERIES), "How many items each asks about."] = None
    range_share: Annotated[float | None, "The share of a domain that a range covers."] = None
    seed: Annotated[int | None, AtLeast(0), "For the draws."] = None
    columns: Annotated[tuple[str, ...] | None, "The columns that they ask about."] = None


@dataclass(frozen=True, kw_only=True)
class _QueriesTable(Checked):
    path: Annotated[str | None, "A file of queries."] = None
    list: Annotated[tuple[str, ...] | None, "The queries."] = None
    generate: Annotated[dict[str, Any] | None, "How they are drawn."] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if sum(value is not None for value in self.parameters().values()) > 1:
            raise BadExperiment("give one of path, list and generate")


@dataclass(frozen=True)
class Queries:
    """The section [queries]: a file, the queries themselves, or how they are drawn; of these at most one."""

    path: str | None = None
    listed: tuple[str, ...] | None = None
    drawn: DrawnQueries | None = None
    written: str = "[]"  # as the section stands in the file, which decides whether results are still those of it

    @classmethod
    def read(cls, found: Findings, content: Mapping[str, Any]) -> Queries:
        """The queries of an experiment file, and what is wrong with them."""
        table = found.section(_QueriesTable, content.get("queries"), "queries") or _QueriesTable()
        drawn = None
        if table.generate is not None:
            drawn = found.section(DrawnQueries, table.generate, "queries.generate") or DrawnQueries()
        section = content.get("queries")
        written = repr(sorted(section.items(), key=lambda item: str(item[0]))) if isinstance(section, Mapping) else "[]"
        return cls(table.path, table.list, drawn, written)

    def __bool__(self) -> bool:
        return (self.path, self.listed, self.drawn) != (None, None, None)


@dataclass(frozen=True, eq=False)
class Inputs:
    """The sections [hierarchy], [policy] and [queries] of an experiment."""

    hierarchy: Mapping[str, Source]
    policy: Mapping[str, Source]
    queries: Queries
    folder: Path
    item_columns: tuple[str, ...] = ()

    @classmethod
    def read(
        cls, found: Findings, content: Mapping[str, Any], folder: Path, item_columns: tuple[str, ...] = ()
    ) -> Inputs:
        """What an experiment file says, and what is wrong with it; a source that cannot be understood is left out."""
        sources: dict[str, dict[str, Source]] = {}
        for section, known in (("hierarchy", None), ("policy", POLICIES)):
            tables = found.table(content.get(section), section, known).items()
            read = {name: found.section(Source, source_table, f"{section}.{name}") for name, source_table in tables}
            sources[section] = {name: source for name, source in read.items() if source is not None}
        return cls(sources["hierarchy"], sources["policy"], Queries.read(found, content), folder, item_columns)

    def file_of(self, source: Source) -> Path | None:
        """The file of a hierarchy or a policy; None where a recipe makes it."""
        return None if source.path is None else resolved(source.path, self.folder)

    @property
    def query_file(self) -> Path | None:
        return None if self.queries.path is None else resolved(self.queries.path, self.folder)

    @cached_property
    def digest(self) -> str:
        """Return the digest of what hierarchies and policies hold; recipes count as they are written."""
        parts = [f"{name}={held}" for section in self.held.values() for name, held in section.items()]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    @cached_property
    def held(self) -> dict[str, dict[str, str]]:
        """By section and name: the digest of a file, or a recipe."""
        return {
            section: {
                name: source.recipe if (file := self.file_of(source)) is None else file_digest(file)
                for name, source in sorted(sources.items())
            }
            for section, sources in (("hierarchy", self.hierarchy), ("policy", self.policy))
        }

    @cached_property
    def queries_digest(self) -> str:
        file = self.query_file
        return hashlib.sha256((self.queries.written + (file_digest(file) if file else "")).encode()).hexdigest()

    def for_method(self, method: type[Checked], data: Any) -> dict[str, SideInput | Deferred]:
        """What the sections say about the parameters of a method; nothing for those that they do not mention."""
        given: dict[str, SideInput | Deferred] = {}
        for parameter in parameters_of(method):
            read = FROM_SECTIONS.get(parameter.type)
            value = None if read is None else read(self, data)
            if value is not None:
                given[parameter.name] = value
        return given

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
        identity: dict[str, object] = {}
        for parameter in parameters_of(method):
            value = params.get(parameter.name, parameter.to_dict().get("default"))
            if isinstance(value, Mapping):
                value = ",".join(f"{name}={one}" for name, one in value.items())
            if issubclass(parameter.type, SideInput):
                value = self._with_files(recipe_text(value), file_digest) if isinstance(value, str) else str(value)
            elif parameter.name in params:
                with suppress(CrypsisError):  # told by the check of the experiment
                    value = parameter.check(value, method.__name__)
            identity[parameter.name] = value
        return identity

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
        for name, source in self.hierarchy.items():
            if name in table.names:
                file = self.file_of(source)
                entries[name] = source.recipe if file is None else Hierarchy.from_file(file)
        return HierarchyPlan(entries).made_already() if entries else None

    def column_types(self) -> dict[str, str]:
        """The types of columns whose hierarchies are files: labels are read as they are written there."""
        skipped = (*self.item_columns, ITEMS, LOCATIONS)
        trees = {
            name: Hierarchy.from_file(file)
            for name, source in self.hierarchy.items()
            if (file := self.file_of(source)) is not None and name not in skipped
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
        source = self.policy.get("utility")
        if source is None or source.auto is None:
            return self._policy(UtilityPolicy, "utility")
        text = source.recipe
        _refuse_unknown_recipe("utility", text)
        tree = self.hierarchy.get(self.hierarchy_of_items(data))
        file = None if tree is None else self.file_of(tree)
        if re.fullmatch(r"hierarchy:\d+", text) and file is not None:
            text += f":{file}"
        return UtilityPolicy.from_text(text)

    def constraints(self, data: Any) -> Any:
        return self._policy(UtilityConstraints, "constraints")

    def hierarchy_of_items(self, data: Any) -> str:
        """Under which name [hierarchy] speaks of the items: that of their column, `items`, or the only one there is."""
        named = [name for name in self.hierarchy if name in (*self.item_columns, ITEMS, getattr(data, "column", ITEMS))]
        if not named and not self.item_columns and data.hierarchy_columns == (ITEMS,):
            named = [name for name in self.hierarchy if name != LOCATIONS]
        return named[0] if named else ITEMS

    def _tree(self, kind: Any, name: str) -> Any:
        source = self.hierarchy.get(name)
        if source is None:
            return None
        file = self.file_of(source)
        if file is not None:
            try:
                return kind.from_file(file)
            except BadRow:  # paths of different lengths, as hierarchies of columns may have
                tree = Hierarchy.from_file(file)
                return kind(tree.to_pairs(), origin=tree.origin)
        text = source.recipe
        _refuse_unknown_recipe("tree", text)
        return kind.from_text(re.sub(r"^balanced\b", "auto", text) if text != "auto" else f"auto:{FANOUT_FIVE.fanout}")

    def _policy(self, kind: Any, name: str) -> Any:
        source = self.policy.get(name)
        if source is None:
            return None
        file = self.file_of(source)
        if file is not None:
            return kind.from_file(file)
        _refuse_unknown_recipe(name, source.recipe)
        return kind.from_text(source.recipe)

    def workload(self, data: Any) -> tuple[Any, ...] | None:
        """The counting queries for a table or mixed data; None where nothing is said or data of a kind has no such."""
        from crypsis.data.count_query import as_queries, read_queries
        from crypsis.metrics.query_workload import drawn_queries

        if not self.queries or data.table_part is None:
            return None
        if self.query_file is not None:
            return read_queries(self.query_file)
        drawn = self.queries.drawn
        if drawn is None:
            return as_queries([*(self.queries.listed or ())])
        options = {
            "n_queries": drawn.count,
            "relational": drawn.relational,
            "items": None if data.set_part is None else drawn.items,
            "share": drawn.range_share,
        }
        given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
        return drawn_queries(data, seed=drawn.seed or 0, columns=drawn.columns, **given)


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


__all__ = ["FROM_SECTIONS", "Inputs", "Queries", "Source", "method_with", "recipe_text"]
