"""`/api/hierarchies`: of the columns of a dataset; made, uploaded, edited, exported."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from fastapi.responses import PlainTextResponse
from pydantic import Field

from crypsis.errors import BadParameter
from crypsis.hierarchy.files import hierarchy_text
from crypsis.web.api.shapes import Body, Number, resource
from crypsis.web.side_inputs import HIERARCHIES, nested
from crypsis.web.workbench import Workbench

Dataset = Annotated[str, Query(pattern="^[0-9a-f]{12}$")]
Column = Annotated[str, Query(max_length=400)]


class NewHierarchy(Body):
    """Made by a recipe, an upload, or the lines of a file."""

    dataset: str = Field(pattern="^[0-9a-f]{12}$")
    column: str = Field(max_length=400)
    auto: str | None = Field(None, max_length=100, description="A recipe such as equi_depth:16.")
    upload: str | None = Field(None, pattern="^[0-9a-f]{12}$")
    text: str | None = Field(None, max_length=10_000_000, description="value;…;root or child;parent on each line.")


class TreeEdit(Body):
    """rename (node, to), move and add (node, parent), remove (node), group and merge (nodes, to)."""

    edit: dict[str, Any]


def router(workbench: Workbench) -> APIRouter:
    api = resource("hierarchies")
    side_inputs = workbench.side_inputs

    @api.get("")
    def list_hierarchies(dataset: Dataset) -> list[dict[str, Any]]:
        """The hierarchies that were kept for columns of a dataset."""
        return [entry.to_dict() for entry in side_inputs.of(HIERARCHIES, dataset)]

    @api.get("/columns")
    def columns(dataset: Dataset) -> list[str]:
        """What can have a hierarchy."""
        return side_inputs.columns(dataset)

    @api.get("/preview")
    def preview(dataset: Dataset, column: Column, auto: Annotated[str, Query(max_length=100)]) -> dict[str, Any]:
        """The tree that a recipe would give; nothing is kept."""
        return dict(nested(side_inputs.made(dataset, column, auto)))

    @api.post("", status_code=201)
    def keep(new: NewHierarchy) -> dict[str, Any]:
        """Keep a hierarchy for a column; what is no tree is refused with nodes and lines, and the old one stays."""
        if sum(one is not None for one in (new.auto, new.upload, new.text)) != 1:
            raise BadParameter("Give one of auto, upload and text.", parameter="auto")
        if new.auto is not None:
            return side_inputs.keep_recipe(new.dataset, new.column, new.auto).to_dict()
        if new.text is not None:
            return side_inputs.keep_text(new.dataset, new.column, new.text).to_dict()
        return side_inputs.keep_upload(new.dataset, new.column, str(new.upload)).to_dict()

    @api.get("/{number}/tree")
    def tree(number: Number) -> dict[str, Any]:
        """The tree as nodes with children."""
        return dict(nested(side_inputs.tree(workbench.workspace.entry(HIERARCHIES, number))))

    @api.get("/{number}/problems")
    def problems(number: Number) -> list[str]:
        """What keeps the tree from being used with the data; empty if nothing does."""
        return side_inputs.problems_of_tree(workbench.workspace.entry(HIERARCHIES, number))

    @api.get("/{number}/hierarchy.csv", response_class=PlainTextResponse)
    def export(number: Number, form: Literal["paths", "edges"] = "paths") -> str:
        """value;…;root on each line, or child;parent."""
        return hierarchy_text(side_inputs.tree(workbench.workspace.entry(HIERARCHIES, number)), form=form)

    @api.post("/{number}/edits")
    def edit(number: Number, change: TreeEdit) -> dict[str, Any]:
        """One change; the entry gets a new number, because a changed tree is another one."""
        return side_inputs.edit_tree(number, change.edit).to_dict()

    @api.post("/{number}/undo")
    def undo(number: Number) -> dict[str, Any]:
        """Take back the last change; empty where the automatic hierarchy counts again."""
        entry = side_inputs.undo_tree(number)
        return {} if entry is None else entry.to_dict()

    @api.delete("/{number}", status_code=204)
    def remove(number: Number) -> None:
        """Remove a hierarchy; the automatic one counts again."""
        workbench.workspace.remove(HIERARCHIES, number)

    return api
