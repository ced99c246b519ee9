"""The application: the API, the pages and our own files, all behind the gate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
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
    app.add_exception_handler(RequestValidationError, _not_understood)
    app.include_router(api.router(workbench))
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    if with_pages:
        pages.register(app, workbench)
    return Gate(app, workbench.access)


def status_of(error: CrypsisError) -> int:
    """400 for what somebody asked wrongly, 422 for what cannot be done, others as they are."""
    known = next((status for kind, status in _STATUS if isinstance(error, kind)), None)
    return known or (400 if error.exit_code == 2 else 422)


class PlainJson(JSONResponse):
    """An answer that can always be sent, also where it quotes half a character of what was asked."""

    def render(self, content: Any) -> bytes:
        return json.dumps(content, ensure_ascii=True, allow_nan=False).encode("ascii")


async def _told(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, CrypsisError)
    content: dict[str, Any] = {name: _plain(value) for name, value in error.to_dict().items()}
    return PlainJson({"error": content}, status_code=status_of(error))


async def _not_understood(request: Request, error: Exception) -> JSONResponse:
    """A body of another shape: what is wrong and where, without what was sent."""
    assert isinstance(error, RequestValidationError)
    told = [{"type": one["type"], "loc": list(one["loc"]), "msg": one["msg"]} for one in error.errors()]
    return PlainJson({"detail": told}, status_code=422)


def _plain(value: object) -> object:
    return value if isinstance(value, (str, int, bool, type(None))) else str(value)
