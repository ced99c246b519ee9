"""`crypsis hierarchy`: build generalization hierarchies, check them, look at them, and change them."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from crypsis.cli.command import Command, Group
from crypsis.cli.loading import items_of, loaded
from crypsis.cli.output import show
from crypsis.cli.reading import Reader, ReadingCommand
from crypsis.cli.recipes import known_recipe
from crypsis.cli.settings import EVERY_COMMAND, in_order
from crypsis.errors import BadParameter, HierarchyError, OutputExists

hierarchy_app = Group("Generalization hierarchies of columns, items and locations.")
_EDITS = ("--rename", "--move", "--add", "--remove", "--group", "--merge", "--split")


def make(
    *,
    read: Reader,
    input: Annotated[Path, typer.Argument(help="The data.")],
    out: Annotated[Path, typer.Option("--out", help="File to write, child;parent on each line.")],
    column: Annotated[
        str | None, typer.Option("--column", help="Column of a table; without one, the items or the locations.")
    ] = None,
    recipe: Annotated[
        str, typer.Option("--recipe", help="How to build it, such as equi_depth:8, prefix, balanced:4; items: auto:5.")
    ] = "auto",
) -> None:
    """Build a hierarchy from the data."""
    from crypsis.cli.reading.column_options import pairs, separators
    from crypsis.data.relational import Table
    from crypsis.evaluate.inputs import recipe_text
    from crypsis.hierarchy import HierarchyPlan, ItemHierarchy, Taxonomy
    from crypsis.parameters import Deferred

    if os.path.lexists(out):
        raise OutputExists(f"{out} exists already; choose another name or remove it.")
    text = recipe_text(recipe)
    if column is not None and read.typed["items"] and column in separators(read.typed["items"]):
        column = None  # the items, not the texts that list them
    if column is not None:
        frame, source = read.typed.frame(input)
        types = pairs(read.typed["types"], "--types")
        if column not in frame.columns:
            from crypsis.data.formats.columns import unknown_column

            raise unknown_column(column, frame.columns, source)
        table = Table.from_frame(
            frame.select(column), {column: "quasi"}, {name: kind for name, kind in types.items() if name == column}
        )
        tree: Any = HierarchyPlan({column: text}).make(table)[column]
        tree.write(out, form="edges")
        nodes, leaves = len(tree.names), tree.n_leaves
    else:
        data = loaded(input, read, rest="other")
        if data.table_part is not None and data.set_part is None:
            raise BadParameter(
                f"--column must say which column of the table the hierarchy is for: {', '.join(data.names)}; or "
                "--items which holds sets of items.",
                parameter="column",
            )
        text = "auto:5" if text == "auto" else known_recipe("tree", recipe)
        places = "locations" in data.hierarchy_columns
        made: Any = (Taxonomy if places else ItemHierarchy).from_text(text.replace("balanced:", "auto:", 1))
        tree = made.make(data if places else items_of(data)) if isinstance(made, Deferred) else made
        tree.write(out)
        nodes, leaves = len(tree.names), tree.n_leaves
    show({"file": str(out), "values": leaves, "nodes": nodes}, f"wrote {out}: {leaves:,} values, {nodes:,} nodes")


hierarchy_app.command("make", cls=ReadingCommand, epilog=EVERY_COMMAND)(make)


@hierarchy_app.command("from-vocabulary", epilog=EVERY_COMMAND)
def from_vocabulary(
    vocabulary: Annotated[Path, typer.Argument(help="SKOS, RDFS or OWL vocabulary in any RDF syntax.")],
    out: Annotated[Path, "File to write, child;parent on each line."],
    via: Annotated[list[str] | None, "Property from a concept to its parent; skos:broader if empty."] = None,
    lang: Annotated[str | None, "Language of the labels."] = None,
    polyhierarchy: Annotated[
        str,
        "Which parent to keep where a concept has several: the deepest, the shallowest, or error.",
    ] = "deepest",
    cycles: Annotated[str, "What a cycle does: collapse or error."] = "collapse",
) -> None:
    """Make a hierarchy of a vocabulary; concepts are named by their labels."""
    from crypsis.hierarchy.files import write_hierarchy
    from crypsis.warehouse.hierarchies import build_hierarchy
    from crypsis.warehouse.sources.rdf import read_rdf

    if os.path.lexists(out):
        raise OutputExists(f"{out} exists already; choose another name or remove it.")
    tree = build_hierarchy(
        read_rdf(vocabulary, "vocabulary"), via or "skos:broader", lang=lang, polyhierarchy=polyhierarchy, cycles=cycles
    )
    if not tree.parent:
        raise HierarchyError(f"{vocabulary.name} has no concepts that {', '.join(via or ['skos:broader'])} joins.")
    write_hierarchy(tree.to_hierarchy(), out)
    dropped = f"; {len(tree.dropped)} edges dropped" if tree.dropped else ""
    facts = {"file": str(out), "leaves": len(tree.leaves), "height": tree.height, "dropped": [*tree.dropped]}
    show(facts, f"{len(tree.leaves):,} leaves in {tree.height} levels{dropped}: {out}")


@hierarchy_app.command(epilog=EVERY_COMMAND)
def check(
    file: Annotated[Path, typer.Argument(help="The hierarchy: leaf;…;root or child;parent on each line.")],
    data: Annotated[Path | None, "Also check that every value of this table is there."] = (None),
    column: Annotated[str | None, "The column of the table."] = None,
    type: Annotated[str | None, "Type of the column, where it is guessed wrongly."] = None,
) -> None:
    """Check that a file is one tree; with data, that every value has its place. Problems name node and line."""
    from crypsis.hierarchy import Hierarchy

    tree = Hierarchy.from_file(file)
    content = {"file": str(file), "values": tree.n_leaves, "nodes": len(tree.names), "height": tree.height}
    if data is not None:
        if column is None:
            raise BadParameter("--column must say which column of the data the hierarchy is for.", parameter="column")
        content["missing"] = 0
        _check_values(tree, data, column, type)
    words = f"✓ {file.name}: {tree.n_leaves:,} values in {len(tree.names):,} nodes, {tree.height} levels high"
    show(content, words + (f"; it has every value of {column}" if data is not None else ""))


@hierarchy_app.command("show", epilog=EVERY_COMMAND)
def show_tree(file: Annotated[Path, typer.Argument(help="The hierarchy.")]) -> None:
    """Show a hierarchy as an indented tree."""
    from crypsis.hierarchy import Hierarchy

    tree = Hierarchy.from_file(file)
    show({"file": str(file), "pairs": tree.to_pairs(), "root": tree.root}, tree.show())


@hierarchy_app.command(epilog=EVERY_COMMAND)
@dataclass(frozen=True, kw_only=True)
class Edit(Command):
    """Change a hierarchy; every change is checked, in the order in which it is typed, and all or none are written."""

    file: Annotated[Path, typer.Argument(help="The hierarchy.")]
    rename: Annotated[list[str] | None, "Rename a node, old=new."] = None
    move: Annotated[list[str] | None, "Move a node below another, node=parent."] = None
    add: Annotated[list[str] | None, "Add a value below a node, value=parent."] = None
    remove: Annotated[list[str] | None, "Remove a node. Its children move up."] = None
    group: Annotated[list[str] | None, "Add a level: a node above siblings, a,b=new."] = None
    merge: Annotated[list[str] | None, "Merge siblings, a,b=new."] = None
    split: Annotated[list[str] | None, "Split a node, node=group:child|child,group:child."] = None
    text: Annotated[Path | None, "First replace all its lines by those of this file, or of - (stdin)."] = None
    out: Annotated[Path | None, "File to write (default: the same file)."] = None
    overwrite: Annotated[bool, "Replace an existing file."] = False

    def execute(self) -> None:
        from crypsis.hierarchy import Hierarchy

        target = self.out or self.file
        if os.path.lexists(target) and not self.overwrite:
            raise OutputExists(f"{target} exists already; choose another name (--out) or add --overwrite.")
        tree = Hierarchy.from_file(self.file) if self.text is None else _typed(self.text)
        changes = in_order(*_EDITS)
        for option, change in changes:
            tree = _changed(tree, option, change)
        tree.write(target, form="edges")
        words = f"{len(changes)} changes" if self.text is None else f"{tree.n_leaves:,} values"
        show({"file": str(target), "changes": len(changes)}, f"wrote {target} with {words}")


def _typed(text: Path) -> Any:
    """The hierarchy that is typed or piped in, or that of another file."""
    from crypsis.hierarchy import Hierarchy
    from crypsis.hierarchy.files import parse_hierarchy

    return parse_hierarchy(sys.stdin.read(), source="standard input") if str(text) == "-" else Hierarchy.from_file(text)


def _changed(tree: Any, option: str, text: str) -> Any:
    left, equals, right = text.rpartition("=")
    if option == "--remove":
        return tree.removed(text)
    if not equals or not left or not right:
        raise HierarchyError(f"{option} takes two names with = between them, got {text!r}.")
    if option == "--rename":
        return tree.renamed(left, right)
    if option == "--move":
        return tree.moved(left, right)
    if option == "--add":
        return tree.added(left, right)
    if option == "--group":
        return tree.grouped(left.split(","), right)
    if option == "--merge":
        return tree.merged(left.split(","), right)
    groups = {}
    for part in right.split(","):
        name, colon, members = part.partition(":")
        if not colon:
            raise HierarchyError(f"--split takes node=group:child|child,group:child, got {text!r}.")
        groups[name] = members.split("|")
    return tree.split(left, groups)


def _check_values(tree: Any, path: Path, column: str, type: str | None) -> None:
    from crypsis.data.formats.columns import unknown_column
    from crypsis.data.formats.tabular import read_table_file
    from crypsis.data.relational import Table

    frame, source = read_table_file(path)
    if column not in frame.columns:
        raise unknown_column(column, frame.columns, source)
    table = Table.from_frame(frame.select(column), {column: "quasi"}, {} if type is None else {column: type})
    column_of = table.column(column)
    tree.leaves_of(column_of.domain, column_of.type, column)
