"""The application: the API, the pages and our own files, all behind the gate."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from fastapi.staticfiles import StaticFiles

from crypsis.errors import (
    ChangedElsewhere,
    CrypsisError,
    InternalError,
    NoSuchEntry,
    OutputExists,
    TooLarge,
    WriteFailed,
)
from crypsis.version import VERSION
from crypsis.web import api, pages
from crypsis.web.security import Application, Gate
from crypsis.web.workbench import Workbench

STATIC = Path(__file__).parent / "static"
_STATUS: tuple[tuple[type[CrypsisError], int], ...] = (
    (NoSuchEntry, 404),
    (ChangedElsewhere, 409),
    (OutputExists, 409),
    (TooLarge, 413),
    (InternalError, 500),
    (WriteFailed, 507),
)


def build_app(workbench: Workbench, *, with_pages: bool = True) -> Application:
    """Everything on one application. Pages can be made for one workbench per process, so tests may leave them out."""
    app = FastAPI(
        title="Crypsis",
        version=VERSION,
        description="Everything that the pages do. Send the token as `Authorization: Bearer`.",
        openapi_url="/api/openapi.json",
        docs_url=None,  # the usual pages load scripts from another host
        redoc_url=None,
    )
    app.add_exception_handler(CrypsisError, _told)
    app.include_router(api.router(workbench))
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    if with_pages:
        pages.register(app, workbench)
    return Gate(app, workbench.access)


def status_of(error: CrypsisError) -> int:
    """400 for what somebody asked wrongly, 422 for what cannot be done, others as they are."""
    known = next((status for kind, status in _STATUS if isinstance(error, kind)), None)
    return known or (400 if error.exit_code == 2 else 422)


async def _told(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, CrypsisError)
    content: dict[str, Any] = {name: _plain(value) for name, value in error.to_dict().items()}
    return JSONResponse({"error": content}, status_code=status_of(error))


def _plain(value: object) -> object:
    """What JSON can hold; everything else in words."""
    if isinstance(value, float):
        return value if isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return value if isinstance(value, (str, int, bool, type(None))) else str(value)
