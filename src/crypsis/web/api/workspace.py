"""`/api/workspace`: how much there is, what of it cannot be read, and who answers for releases."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import Field

from crypsis.reports.about import LONGEST
from crypsis.web.api.shapes import Body, resource
from crypsis.web.workbench import Workbench
from crypsis.web.workspace import KINDS


class Told(Body):
    """What is declared, by name."""

    about: dict[Annotated[str, Field(max_length=40)], Annotated[str, Field(max_length=LONGEST)]] = Field(max_length=40)


def router(workbench: Workbench) -> APIRouter:
    api = resource("workspace")

    @api.get("")
    def show() -> dict[str, Any]:
        """How many entries of each kind there are, and those that are damaged, each with the reason.

        A damaged entry is in no list; it is removed like any other, by its kind and number.
        """
        workspace = workbench.workspace
        return {
            "entries": {kind: len(workspace.entries(kind)) for kind in KINDS},
            "damaged": workspace.damaged(),
            "upload_limit": workbench.access.upload_limit,
            "paths": workbench.allow_paths,
        }

    @api.get("/about")
    def show_about() -> dict[str, str]:
        """What is declared about releases; empty where nobody has."""
        about = workbench.declaration.about
        return {} if about is None else about.to_dict()

    @api.put("/about")
    def declare(told: Told) -> dict[str, str]:
        """Declare who answers for releases, by title, controller, purpose, recipient and so on."""
        return workbench.declaration.declare(told.about).to_dict()

    @api.delete("/about", status_code=204)
    def forget() -> None:
        """Declare nothing any more."""
        workbench.declaration.forget()

    return api
