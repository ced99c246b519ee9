"""`/api/uploads`: files that arrive. The body is the file as it is, and nothing of its name becomes a path."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request

from crypsis.web.api.shapes import ERRORS
from crypsis.web.workbench import Workbench


def router(workbench: Workbench) -> APIRouter:
    api = APIRouter(tags=["uploads"], responses=ERRORS)

    @api.post(
        "/uploads",
        status_code=201,
        openapi_extra={
            "requestBody": {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}
        },
    )
    async def send_file(
        request: Request,
        name: Annotated[str, Query(max_length=400, description="Its ending tells the format.")] = "",
    ) -> dict[str, str]:
        """Send a file; the answer holds the number to make a dataset, a hierarchy or a verification of it."""
        limit = workbench.access.upload_limit
        return {"id": await workbench.workspace.receive(request.stream(), name, limit)}

    return api
