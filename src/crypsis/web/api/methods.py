"""`/api/methods`: what can be done, generated from the methods themselves."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path

from crypsis.errors import NoSuchEntry
from crypsis.web.api.shapes import resource
from crypsis.web.workbench import Workbench


def router(workbench: Workbench) -> APIRouter:
    api = resource("methods")

    @api.get("")
    def list_methods() -> list[dict[str, Any]]:
        """Every method: what it accepts, guarantees and needs, and its parameters with their ranges."""
        from crypsis.evaluate.registry import Registered
        from crypsis.methods import METHODS

        return [Registered(method).to_dict() for method in METHODS.values()]

    @api.get("/{name}")
    def show_method(name: Annotated[str, Path(max_length=60)]) -> dict[str, Any]:
        """One method."""
        from crypsis.evaluate.registry import Registered
        from crypsis.methods import METHODS

        if name not in METHODS:
            raise NoSuchEntry(f"There is no method {name!r}.")
        return Registered(METHODS[name]).to_dict()

    return api
