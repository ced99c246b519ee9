"""What goes with a dataset: hierarchies of its columns, policies on its items, and a workload of queries.

Each is an entry of the workspace that names its dataset: a recipe (`equi_width:12`, `all:2`) or a file of its own in
the formats that the command line reads. Together they are the tables [hierarchy], [policy] and [queries].
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict

from crypsis.data.constraints import UtilityConstraints
from crypsis.data.count_query import CountQuery, parse_query, read_queries
from crypsis.data.formats.compression import read_bytes
from crypsis.data.microdata import LOCATIONS
from crypsis.data.privacy_policy import PrivacyPolicy
from crypsis.data.trajectory import Trajectories
from crypsis.data.transaction import Transactions
from crypsis.errors import (
    BadExperiment,
    BadParameter,
    BadPolicy,
    BadRow,
    ChangedElsewhere,
    CrypsisError,
    HierarchyError,
    NotApplicable,
)
from crypsis.evaluate import Experiment
from crypsis.evaluate.export import export_inputs, label_lists
from crypsis.evaluate.inputs import recipe_text
from crypsis.hierarchy import Hierarchy, ItemHierarchy, Taxonomy, UtilityPolicy
from crypsis.hierarchy.files import file_text, hierarchy_text, parse_hierarchy
from crypsis.hierarchy.hierarchies import RECIPES, built
from crypsis.translation import marked
from crypsis.web.datasets import Datasets, whole_table
from crypsis.web.own_names import rename_in_errors
from crypsis.web.packing import pack_folder
from crypsis.web.telling import error_sentence
from crypsis.web.tree_history import FILE, MOST_UNDONE, UNDO, copy_states, former_states, state_of
from crypsis.web.workspace import Entry, Workspace, safe_suffix

_RECIPE = re.compile(r"[A-Za-z_][A-Za-z_-]*(:[0-9]+(\.[0-9]+)?)*")
HIERARCHIES, POLICIES, WORKLOADS = "hierarchies", "policies", "workloads"
POLICY_FILE = "policy.json"
POLICY_KINDS: dict[str, Any] = {"privacy": PrivacyPolicy, "utility": UtilityPolicy, "constraints": UtilityConstraints}
_MOST_QUERIES = 2_000
_LARGEST_TREE = 20_000  # nodes that are sent to a page


class SideInputs:
    """Hierarchies, policies and workloads of a workspace."""

    def __init__(self, workspace: Workspace, datasets: Datasets) -> None:
        self.workspace, self.datasets = workspace, datasets

    def of(self, kind: str, dataset: str) -> list[Entry]:
        return [entry for entry in self.workspace.entries(kind) if entry.content["dataset"] == dataset]

    def columns(self, dataset: str) -> list[str]:
        """What can have a hierarchy: columns of a table, items, locations."""
        return list(self.datasets.load(dataset).hierarchy_columns)

    # Hierarchies

    def hierarchy(self, dataset: str, column: str) -> Entry | None:
        return next((entry for entry in self.of(HIERARCHIES, dataset) if entry.content["column"] == column), None)

    def made(self, dataset: str, column: str, recipe: str) -> Hierarchy:
        """The hierarchy that a recipe gives; nothing is kept."""
        data = self.datasets.load(dataset)
        text = recipe_text(recipe)
        table, items = data.table_part, data.set_part
        if table is not None and column in table.names:
            if text.split(":")[0] not in RECIPES:
                known = ", ".join(RECIPES)
                raise BadParameter(f"There is no recipe {text!r}; known are {known}.", parameter="auto")
            return built(text, table.column(column))
        if not _is_recipe(text):
            raise BadParameter(f"There is no recipe {text!r}; upload a file for its tree.", parameter="auto")
        if items is not None:
            return Hierarchy.from_taxonomy(_carried_out(ItemHierarchy.from_text(_automatic(text)), items))
        if LOCATIONS in data.hierarchy_columns:
            return Hierarchy.from_taxonomy(_carried_out(Taxonomy.from_text(_automatic(text)), data))
        raise NotApplicable(f"There is no hierarchy for {column!r}.")

    def tree(self, entry: Entry) -> Hierarchy:
        """The hierarchy of an entry."""
        file = entry.folder / FILE
        if file.is_file():
            return Hierarchy.from_file(file)
        return self.made(entry.content["dataset"], entry.content["column"], entry.content["auto"])

    def keep_recipe(self, dataset: str, column: str, recipe: str) -> Entry:
        """A column's hierarchy is this recipe from now on."""
        self.made(dataset, column, recipe)
        return self._keep(dataset, column, recipe_text(recipe), None)

    def keep_tree(self, dataset: str, column: str, tree: Hierarchy) -> Entry:
        return self._keep(dataset, column, None, tree)

    def keep_upload(self, dataset: str, column: str, upload: str) -> Entry:
        """A hierarchy from a file: paths from leaf to root, or pairs child and parent."""
        return self._keep(dataset, column, None, self._fitting(dataset, column, self.text_of_upload(upload)))

    def text_of_upload(self, upload: str) -> str:
        """What stands in an upload, to be looked at and mended where it is no hierarchy."""
        path = self.workspace.upload(upload)
        name = f"upload{safe_suffix(path.name)}"
        with rename_in_errors(path, name):
            return file_text(read_bytes(path, 5.0), name)

    def keep_text(self, dataset: str, column: str, text: str) -> Entry:
        """A hierarchy from the lines of a file as somebody typed them; nothing is kept unless they are one tree."""
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise BadRow(f"The text holds half a character at place {error.start + 1}; type it again.") from error
        return self._keep(dataset, column, None, self._fitting(dataset, column, text))

    def _fitting(self, dataset: str, column: str, text: str) -> Hierarchy:
        """The tree of these lines; one that is of other values altogether is refused, and the old one stays."""
        tree = parse_hierarchy(text)
        covered, total = self.coverage(dataset, column, tree)
        if total and not covered:
            raise HierarchyError(
                f"This hierarchy covers none of the {total:,} values of {column!r}, so it is of another column; its "
                f"values begin with {tree.leaf_labels[0]!r}. Nothing was replaced."
            )
        return tree

    def coverage(self, dataset: str, column: str, tree: Hierarchy) -> tuple[int, int]:
        """How many values of a column the tree has, and how many there are; 0 of 0 where there is no such column."""
        data = self.datasets.load(dataset)
        table, items = data.table_part, data.set_part
        if table is not None and column in table.names:
            told = table.column(column)
            try:
                tree.leaves_of(told.domain, told.type, column)
            except HierarchyError as error:
                uncovered = error.details.get("uncovered")
                missing = len(uncovered) if isinstance(uncovered, list) else len(told.domain)
                return len(told.domain) - missing, len(told.domain)
            return len(told.domain), len(told.domain)
        if column not in data.hierarchy_columns:
            return 0, 0
        leaves = set(tree.leaf_labels)
        labels = set((data.locations if items is None else items).vocabulary.series)
        if items is None and data.locations.base is not None and not labels & leaves:
            labels = set(data.locations.base.labels)  # a tree of places, whatever the time
        return len(labels & leaves), len(labels)

    def tree_text(self, dataset: str, column: str) -> str:
        """The lines of a column's hierarchy, child;parent; of the automatic one where nothing else is said."""
        entry = self.hierarchy(dataset, column)
        return hierarchy_text(self.made(dataset, column, "auto") if entry is None else self.tree(entry), form="edges")

    def _keep(
        self, dataset: str, column: str, recipe: str | None, tree: Hierarchy | None, changed: Entry | None = None
    ) -> Entry:
        """In place of the one that the column has, or, for a changed tree, of the very one that was changed."""
        if column not in self.columns(dataset):
            raise BadParameter(f"There is no column {column!r} that could have a hierarchy.", parameter="column")
        if changed is not None:
            return self._replace_tree(changed, dataset, column, recipe, tree)
        while True:
            try:
                return self._replace_tree(self.hierarchy(dataset, column), dataset, column, recipe, tree)
            except ChangedElsewhere:
                continue  # somebody else had a word in the meantime

    def _replace_tree(
        self, before: Entry | None, dataset: str, column: str, recipe: str | None, tree: Hierarchy | None
    ) -> Entry:
        """A new entry that remembers the one before; `ChangedElsewhere` where that is not there any more."""
        undo = [*former_states(before), state_of(before)][-MOST_UNDONE:]
        content = {"dataset": dataset, "column": column, "auto": recipe, UNDO: undo}

        def fill(folder: Path) -> None:
            copy_states(before, undo, folder)
            if tree is not None:
                tree.write(folder / FILE)

        known = [one.number for one in self.of(HIERARCHIES, dataset) if one.content["column"] == column]
        replaced = known if before is None else list(dict.fromkeys([before.number, *known]))
        return self.workspace.create(HIERARCHIES, column, content, fill, instead_of=replaced)

    def undo_tree(self, number: str) -> Entry | None:
        """The hierarchy as it was before the last change; None where the automatic one counts again."""
        entry = self.workspace.entry(HIERARCHIES, number)
        undo = former_states(entry)
        if not undo:
            raise NotApplicable("There is nothing to undo.")
        last, undo = undo[-1], undo[:-1]
        if last["auto"] is None and last["file"] is None:
            self.workspace.remove(HIERARCHIES, number)
            return None
        content = {**entry.content, "auto": last["auto"], UNDO: undo}

        def fill(folder: Path) -> None:
            copy_states(entry, undo, folder)
            if last["file"] is not None:
                shutil.copyfile(entry.folder / last["file"], folder / FILE)

        return self.workspace.create(HIERARCHIES, entry.name, content, fill, instead_of=[number])

    def _replacing(
        self, kind: str, dataset: str, key: str, name: str, content: Mapping[str, Any], fill: Callable[[Path], None]
    ) -> Entry:
        """A new entry in place of all that a dataset has under this name: the last word counts."""
        while True:
            known = [one.number for one in self.of(kind, dataset) if one.content[key] == name]
            try:
                return self.workspace.create(kind, name, content, fill, instead_of=known)
            except ChangedElsewhere:
                continue  # somebody else had a word in the meantime

    def edit_tree(self, number: str, change: Mapping[str, Any]) -> Entry:
        """One change, checked like a tree that is read; the error names the node."""
        entry = self.workspace.entry(HIERARCHIES, number)
        tree = self.tree(entry)
        edits: dict[str, Any] = {
            "rename": lambda: tree.renamed(str(change["node"]), str(change["to"])),
            "move": lambda: tree.moved(str(change["node"]), str(change["parent"])),
            "add": lambda: tree.added(str(change["node"]), str(change["parent"])),
            "remove": lambda: tree.removed(str(change["node"])),
            "group": lambda: tree.grouped([str(node) for node in change["nodes"]], str(change["to"])),
            "merge": lambda: tree.merged([str(node) for node in change["nodes"]], str(change["to"])),
        }
        if not isinstance(change.get("edit"), str) or change["edit"] not in edits:
            raise BadParameter(f"An edit of a hierarchy is one of {', '.join(edits)}.", parameter="edit")
        try:
            changed = edits[str(change["edit"])]()
        except (KeyError, TypeError) as error:
            raise BadParameter(f"The edit {change['edit']!r} lacks {error}.", parameter="edit") from error
        return self._keep(entry.content["dataset"], entry.content["column"], None, changed, entry)

    def problems_of_tree(self, entry: Entry) -> list[str]:
        """What keeps the tree from being used with the data, in words."""
        table = self.datasets.load(entry.content["dataset"]).table_part
        if table is None or entry.content["column"] not in table.names:
            return []
        column = table.column(entry.content["column"])
        try:
            self.tree(entry).leaves_of(column.domain, column.type, column.name)
        except CrypsisError as error:
            return [error_sentence(error)]
        return []

    # Policies

    def policy(self, dataset: str, name: str) -> Entry | None:
        return next((entry for entry in self.of(POLICIES, dataset) if entry.content["policy"] == name), None)

    def keep_policy(
        self, dataset: str, name: str, *, auto: str | None = None, sets: Sequence[Sequence[str]] | None = None
    ) -> Entry:
        """A policy as a recipe or as sets of labels; overlaps are refused, unknown labels are not."""
        if name not in POLICY_KINDS:
            raise BadParameter(f"A policy is one of {', '.join(POLICY_KINDS)}.", parameter="policy")
        self.datasets.entry(dataset)
        if (auto is None) == (sets is None):
            raise BadPolicy("A policy is a recipe or a list of sets.")
        kind = POLICY_KINDS[name]
        if auto is not None:
            auto = recipe_text(auto)
            if not _is_recipe(auto):
                raise BadPolicy("A recipe is meant here, such as all:2; upload a file for its sets.")
            kind.from_text(auto)
        elif name == "constraints":
            kind([tuple(one) for one in sets or ()])
        else:
            kind([list(one) for one in sets or ()])
        content = {
            "dataset": dataset,
            "policy": name,
            "auto": auto,
            "sets": None if sets is None else [list(one) for one in sets],
        }

        def fill(folder: Path) -> None:
            if sets is not None:
                (folder / POLICY_FILE).write_text(json.dumps(sets, ensure_ascii=False), encoding="utf-8")

        return self._replacing(POLICIES, dataset, "policy", name, content, fill)

    def policy_of_upload(self, name: str, upload: str) -> list[list[str]]:
        """The sets of a file: labels with semicolons on each line, or JSON. Nothing is kept."""
        if name not in POLICY_KINDS:
            raise BadParameter(f"A policy is one of {', '.join(POLICY_KINDS)}.", parameter="policy")
        path = self.workspace.upload(upload)
        with rename_in_errors(path, marked("the file")):
            return [list(one) for one in label_lists(POLICY_KINDS[name].from_file(path))]

    def policy_sets(self, entry: Entry) -> list[list[str]]:
        """The sets of a policy, derived where it is a recipe."""
        if entry.content["sets"] is not None:
            return [list(one) for one in entry.content["sets"]]
        data, name = self.datasets.load(entry.content["dataset"]), entry.content["policy"]
        wanted = Trajectories if name == "constraints" else Transactions
        if wanted not in data.views():
            raise NotApplicable(f"A policy of {name} cannot be derived from data of this kind.")
        policy = POLICY_KINDS[name].from_text(entry.content["auto"])
        resolved = policy.make(data.views()[wanted](data)) if hasattr(policy, "make") else policy
        labels = getattr(resolved, "itemsets", None) or getattr(resolved, "sets", None) or ()
        return sorted([sorted(one) for one in labels], key=lambda one: (len(one), one))

    def labels(self, dataset: str) -> list[str]:
        """The items or places of a dataset, to choose from."""
        vocabulary = self.datasets.load(dataset).label_vocabulary
        return [] if vocabulary is None else sorted(vocabulary.labels)

    def unknown_labels(self, dataset: str, sets: Sequence[Sequence[str]]) -> list[str]:
        """Labels of a policy that the data do not have."""
        vocabulary = self.datasets.load(dataset).label_vocabulary
        if vocabulary is None:
            return []
        known = set(vocabulary.labels)
        return sorted({label for one in sets for label in one if label not in known})

    # Queries

    def workload(self, dataset: str) -> Entry | None:
        return next(iter(self.of(WORKLOADS, dataset)), None)

    def keep_queries(self, dataset: str, queries: Sequence[str], revision: int | None = None) -> Entry:
        """The workload of a dataset; every query is parsed first."""
        if len(queries) > _MOST_QUERIES:
            raise BadParameter(f"A workload has up to {_MOST_QUERIES:,} queries here.", parameter="queries")
        parsed = (str(parse_query(text, where=f"query {index}")) for index, text in enumerate(queries, 1))
        written = [*dict.fromkeys(parsed)]  # asked once, each
        known = self.workload(dataset)
        if known is None:
            self.datasets.entry(dataset)
            return self.workspace.create(WORKLOADS, "workload", {"dataset": dataset, "queries": written})
        return self.workspace.change(
            WORKLOADS, known.number, lambda content: content.update(queries=written), revision=revision
        )

    def queries_text(self, queries: Sequence[str]) -> str:
        """Queries as the file that is loaded again: one on each line."""
        parsed = [parse_query(text, where=f"query {index}") for index, text in enumerate(queries, 1)]
        return "".join(f"{query}\n" for query in parsed)

    def counts(self, dataset: str, queries: Sequence[str]) -> list[int]:
        """How many records of the original each query counts."""
        from crypsis.metrics.query_answers import actual_counts

        data = self.datasets.load(dataset)
        if data.table_part is None:
            raise NotApplicable("Counting queries are asked of tables and mixed data.")
        parsed: list[CountQuery] = [parse_query(text) for text in queries]
        return [int(count) for count in actual_counts(data, parsed)]

    def drawn(self, dataset: str, *, count: int, relational: int, items: int, share: float, seed: int) -> list[str]:
        """Queries drawn from the data."""
        from crypsis.metrics.query_workload import drawn_queries

        data = self.datasets.load(dataset)
        if data.table_part is None:
            raise NotApplicable("Counting queries are asked of tables and mixed data.")
        given: dict[str, Any] = {"n_queries": count, "relational": relational, "share": share, "seed": seed}
        if data.set_part is not None:
            given["items"] = items
        return [str(query) for query in drawn_queries(data, **given)]

    # As files

    def write_inputs(self, dataset: str) -> Path:
        """An archive with the edited data and everything that goes with them, each as the file it is loaded from."""
        entry = self.datasets.entry(dataset)
        content = {"name": entry.name, "dataset": whole_table(entry), **self.sections(dataset)}
        folder = self.workspace.unfinished()
        folder.mkdir(mode=0o700)
        try:
            export_inputs(Experiment.parse(content, folder=entry.folder), folder / "inputs")
            return pack_folder(folder / "inputs", folder.with_name(f"{folder.name}.zip"))
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    # As tables of an experiment file

    def sections(self, dataset: str) -> InputSections:
        """What goes with a dataset as tables of an experiment file; nothing for what nobody said."""
        found: InputSections = {}
        hierarchy = {}
        for entry in reversed(self.of(HIERARCHIES, dataset)):  # of two for one column the newest counts
            file = entry.folder / FILE
            hierarchy[entry.content["column"]] = (
                {"path": str(file)} if file.is_file() else {"auto": entry.content["auto"]}
            )
        policy = {
            entry.content["policy"]: (
                {"auto": entry.content["auto"]}
                if entry.content["auto"] is not None
                else {"path": str(entry.folder / POLICY_FILE)}
            )
            for entry in reversed(self.of(POLICIES, dataset))
        }
        workload = self.workload(dataset)
        if hierarchy:
            found["hierarchy"] = dict(sorted(hierarchy.items()))
        if policy:
            found["policy"] = dict(sorted(policy.items()))
        if workload is not None and workload.content["queries"]:
            found["queries"] = {"list": list(workload.content["queries"])}
        return found

    def take_sections(self, dataset: str, content: Mapping[str, Any]) -> None:
        """Keep what an experiment file says in its tables; a table that is given as None or {} says: none of these.

        Files of our own are left as they are, others are read once and kept.
        """
        current = self.sections(dataset)
        for table, known, take in (
            ("hierarchy", current.get("hierarchy", {}), self._take_hierarchy),
            ("policy", current.get("policy", {}), self._take_policy),
        ):
            if table not in content:
                continue
            section = dict(content[table] or {})
            for name, source in section.items():
                if source != known.get(name):
                    if not isinstance(source, Mapping) or not ("auto" in source or "path" in source):
                        raise BadExperiment(f"[{table}.{name}] needs auto or path.")
                    take(dataset, str(name), source)
            for name in known.keys() - section.keys():
                entry = (self.hierarchy if table == "hierarchy" else self.policy)(dataset, name)
                if entry is not None:
                    self.workspace.remove(entry.kind, entry.number)
        if "queries" in content:
            self._take_queries(dataset, content["queries"] or {}, current.get("queries", {}).get("list", []))

    def _take_hierarchy(self, dataset: str, column: str, source: Mapping[str, Any]) -> None:
        if "auto" in source:
            self.keep_recipe(dataset, column, str(source["auto"]))
        else:
            self.keep_tree(dataset, column, Hierarchy.from_file(self.datasets.named_file(str(source["path"]))))

    def _take_policy(self, dataset: str, name: str, source: Mapping[str, Any]) -> None:
        if "auto" in source:
            self.keep_policy(dataset, name, auto=str(source["auto"]))
        elif name not in POLICY_KINDS:
            raise BadParameter(f"A policy is one of {', '.join(POLICY_KINDS)}.", parameter="policy")
        else:
            read = POLICY_KINDS[name].from_file(self.datasets.named_file(str(source["path"])))
            self.keep_policy(dataset, name, sets=label_lists(read))

    def _take_queries(self, dataset: str, told: Mapping[str, Any], known: list[str]) -> None:
        listed = [str(one) for one in told.get("list") or ()]
        if "path" in told:
            listed = [str(query) for query in read_queries(self.datasets.named_file(str(told["path"])))]
        if listed != known:
            self.keep_queries(dataset, listed)


class InputSections(TypedDict, total=False):
    """Tables of an experiment file."""

    hierarchy: dict[str, dict[str, str]]
    policy: dict[str, dict[str, str]]
    queries: dict[str, list[str]]


class TreeNode(TypedDict):
    """A node of a hierarchy as a page shows it."""

    id: str
    label: str
    leaves: int
    children: list[TreeNode]


def nested(tree: Hierarchy) -> TreeNode:
    """The tree as nodes with children, for a page."""
    if len(tree.names) > _LARGEST_TREE:
        raise NotApplicable(f"A tree of {len(tree.names):,} nodes is too large to show; {_LARGEST_TREE:,} are shown.")
    nodes = [
        TreeNode(id=name, label=name, leaves=int(tree.leaf_count[index]), children=[])
        for index, name in enumerate(tree.names)
    ]
    for index in range(1, len(nodes)):
        nodes[int(tree.parent[index])]["children"].append(nodes[index])
    return nodes[0]


def _is_recipe(text: str) -> bool:
    """A word and numbers. Anything else would be taken for the name of a file, and read."""
    return _RECIPE.fullmatch(text) is not None and not Path(text).exists()


def _automatic(text: str) -> str:
    name, _, rest = text.partition(":")
    return f"auto:{rest or 5}" if name in ("auto", "balanced") else text


def _carried_out(made: Any, data: Any) -> Any:
    return made.make(data) if hasattr(made, "make") else made
