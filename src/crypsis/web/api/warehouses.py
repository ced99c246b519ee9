"""`/api/warehouses`: integrate several sources, ask the result, decide on pairs that may be one."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field

from crypsis.web.api.shapes import Body, Number, collection
from crypsis.web.workbench import Workbench


class NewWarehouse(Body):
    """The configuration of a warehouse."""

    path: str = Field(max_length=4096, description="A configuration of this machine; not where others are let in.")


class Building(Body):
    """How a warehouse is built."""

    source: str | None = Field(None, max_length=200, description="Read this source alone again; all if left out.")


class Question(Body):
    """A query to a warehouse."""

    query: str = Field(max_length=100_000, description="A SPARQL query; it can change nothing and reach nobody else.")
    provenance: bool = Field(False, description="Also give the sources that suffice for each row.")


class Decision(Body):
    """What somebody decided about a pair of entities."""

    left: str = Field(max_length=2000)
    right: str = Field(max_length=2000)
    accept: bool | None = Field(description="The two are one, are not, or null to take a decision back.")


def router(workbench: Workbench) -> APIRouter:
    warehouses = workbench.warehouses
    api = collection("warehouses", warehouses)

    @api.post("", status_code=201)
    def open_warehouse(new: NewWarehouse) -> dict[str, Any]:
        """Open a configuration; nothing is fetched."""
        return warehouses.open_path(new.path).to_dict()

    @api.get("/{number}")
    def show_warehouse(number: Number) -> dict[str, Any]:
        """Its sources, the report of the active build with metrics and competence queries, and a build under way."""
        return warehouses.shown(number).to_dict()

    @api.post("/{number}/build", status_code=202)
    def build(number: Number, which: Building) -> dict[str, Any]:
        """Build everything, or read one source again; it becomes active if its competence queries pass."""
        return warehouses.start(number, which.source).to_dict()

    @api.get("/{number}/build")
    def progress(number: Number) -> dict[str, Any]:
        """The stages of the build under way, or how the last one ended."""
        return warehouses.building(number).to_dict()

    @api.delete("/{number}/build")
    def cancel(number: Number) -> dict[str, Any]:
        """End the build; the active warehouse stays as it was."""
        return warehouses.cancel(number).to_dict()

    @api.post("/{number}/query")
    def ask(number: Number, question: Question) -> dict[str, Any]:
        """Ask the active warehouse a question in SPARQL."""
        return asdict(warehouses.ask(number, question.query, provenance=question.provenance))

    @api.get("/{number}/entities")
    def search(number: Number, text: Annotated[str, Query(min_length=1, max_length=200)]) -> list[dict[str, str]]:
        """Entities whose name contains a text."""
        return warehouses.search(number, text)

    @api.get("/{number}/card")
    def card(number: Number, entity: Annotated[str, Query(min_length=1, max_length=2000)]) -> dict[str, Any]:
        """What every source says of one entity."""
        return dict(warehouses.card(number, entity).to_dict())

    @api.get("/{number}/candidates")
    def candidates(number: Number) -> list[dict[str, Any]]:
        """Pairs that may be one, and wait for a decision."""
        return [asdict(pair) for pair in warehouses.candidates(number)]

    @api.put("/{number}/candidates")
    def decide(number: Number, decision: Decision) -> list[dict[str, Any]]:
        """Decide on a pair; it counts from the next build on. What still waits is the answer."""
        warehouses.decide(number, decision.left, decision.right, accept=decision.accept)
        return [asdict(pair) for pair in warehouses.candidates(number)]

    return api
