"""`/api/workspace`: how much there is, and what of it cannot be read."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from crypsis.web.api.shapes import resource
from crypsis.web.workbench import Workbench
from crypsis.web.workspace import KINDS


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

    return api
