"""The API: one file per resource. What a page can do, a program can do here."""

from __future__ import annotations

from fastapi import APIRouter

from crypsis.web.api import (
    datasets,
    experiments,
    hierarchies,
    methods,
    parts,
    policies,
    queries,
    streams,
    tessellations,
    uploads,
    verification,
    warehouses,
    workspace,
)
from crypsis.web.workbench import Workbench


def router(workbench: Workbench) -> APIRouter:
    """All resources below `/api`."""
    api = APIRouter(prefix="/api")
    for resource in (
        uploads,
        datasets,
        hierarchies,
        policies,
        queries,
        experiments,
        tessellations,
        streams,
        warehouses,
        parts,
        verification,
        methods,
        workspace,
    ):
        api.include_router(resource.router(workbench))
    return api
