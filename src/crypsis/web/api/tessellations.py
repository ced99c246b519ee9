"""`/api/tessellations`: tracks made coarser step by step."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Response
from fastapi.responses import PlainTextResponse
from pydantic import Field

from crypsis.web.api.shapes import Body, Number, Text, file_answer, resource
from crypsis.web.explorations import tessellation_map
from crypsis.web.workbench import Workbench


class NewTessellation(Body):
    """The tracks that a tessellation begins with."""

    dataset: str = Field(pattern="^[0-9a-f]{12}$")
    radius: float = Field(500.0, gt=0, le=1e9, description="Points of a group lie within this distance.")
    k: int = Field(5, ge=1, le=10**9)
    unit: Literal["trajectory", "owner"] | None = Field(
        None, description="What counts as one individual where owners have several tracks; then it must be chosen."
    )


class Steps(Body):
    """How many steps are taken."""

    steps: int | None = Field(1, ge=1, le=10_000, description="None: until nothing is left to merge.")


class Rules(Body):
    """The rules of a tessellation."""

    k: int | None = Field(None, ge=1, le=10**9)
    max_displacement: float | None = Field(None, gt=0, le=1e12)


def router(workbench: Workbench) -> APIRouter:
    api = resource("tessellations")
    explorations = workbench.explorations

    @api.post("", status_code=201)
    def begin(new: NewTessellation) -> dict[str, Any]:
        """Divide the map of tracks as finely as the radius says. It is kept while the server runs."""
        return explorations.begin(new.dataset, radius=new.radius, k=new.k, unit=new.unit).to_dict()

    @api.get("/{number}")
    def show(number: Number) -> dict[str, Any]:
        """How many areas there are, which are marked, and how far points were moved."""
        return explorations.get(number).to_dict()

    @api.get("/{number}/map.svg", **file_answer("image/svg+xml"))
    def picture(number: Number) -> Response:
        """The areas on a map."""
        from crypsis.drawing.svg import standalone

        return Response(standalone(tessellation_map(explorations.get(number))), media_type="image/svg+xml")

    @api.get("/{number}/experiment.toml", response_class=PlainTextResponse)
    def as_file(number: Number) -> str:
        """The experiment file of the release that these rules lead to."""
        return explorations.text(number)

    @api.put("/{number}/experiment.toml")
    def take_file(number: Number, told: Text) -> dict[str, Any]:
        """A tessellation with the settings and after the steps of a file."""
        return explorations.take_text(number, told.text).to_dict()

    @api.post("/{number}/steps")
    def step(number: Number, steps: Steps) -> dict[str, Any]:
        """Merge areas between which fewer than k people move."""
        return explorations.step(number, steps.steps).to_dict()

    @api.post("/{number}/undo")
    def undo(number: Number) -> dict[str, Any]:
        """Take the last step back."""
        return explorations.undo(number).to_dict()

    @api.put("/{number}/rules")
    def rules(number: Number, told: Rules) -> dict[str, Any]:
        """Set k and the limit for how far a point may be moved; a limit that is left out is none."""
        given = {"max_displacement": told.max_displacement}
        if told.k is not None:
            given["k"] = told.k
        return explorations.set_rules(number, **given).to_dict()

    @api.post("/{number}/marks/{cell}")
    def mark(number: Number, cell: Annotated[int, Path(ge=0, le=2**31)]) -> dict[str, Any]:
        """Mark an area, or unmark it."""
        return explorations.mark(number, cell).to_dict()

    @api.get("/{number}/suggestion")
    def suggestion(number: Number) -> dict[str, float]:
        """The limit that would have spared the marked areas."""
        return {"max_displacement": explorations.suggest(number)}

    return api
