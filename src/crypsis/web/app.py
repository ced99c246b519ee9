"""The application: the API, the pages and our own files, all behind the gate."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from math import isfinite
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
    StateInUse,
    TooLarge,
    WriteFailed,
)
from crypsis.places import REQUEST
from crypsis.version import VERSION
from crypsis.web import api, pages
from crypsis.web.api.description import OnlyDescribed, describe
from crypsis.web.security import FAILED, Application, Gate
from crypsis.web.workbench import Workbench

STATIC = Path(__file__).parent / "static"
_STATUS: tuple[tuple[type[CrypsisError], int], ...] = (
    (NoSuchEntry, 404),
    (ChangedElsewhere, 409),
    (OutputExists, 409),
    (StateInUse, 409),
    (TooLarge, 413),
    (InternalError, 500),
    (WriteFailed, 507),
)
_PROBLEMS_TOLD = 20


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
    app.add_exception_handler(CrypsisError, _told_without(workbench.workspace.folder))
    app.add_exception_handler(RequestValidationError, _misunderstood)
    app.add_exception_handler(Exception, _failed)
    app.include_router(api.router(workbench))
    describe(app, workbench.access.cookie)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    if with_pages:
        pages.register(app, workbench)
    return Gate(OnlyDescribed(app, app), workbench.access)


def status_of(error: CrypsisError) -> int:
    """400 for what somebody asked wrongly, 422 for what cannot be done, others as they are."""
    known = next((status for kind, status in _STATUS if isinstance(error, kind)), None)
    return known or (400 if error.exit_code == 2 else 422)


def _told_without(workspace: Path) -> Callable[[Request, Exception], Awaitable[JSONResponse]]:
    """An error as an answer. Of our own files only the name is given, not where they lie."""
    ours = re.compile(re.escape(f"{workspace}/") + r"(?:[\w.-]+/)*")

    async def told(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, CrypsisError)
        content: dict[str, Any] = {
            name: _plain(value, ours) for name, value in error.in_words_of(REQUEST).to_dict().items()
        }
        return JSONResponse({"error": content}, status_code=status_of(error))

    return told


async def _misunderstood(request: Request, error: Exception) -> JSONResponse:
    """A request that does not have its form. What was sent is not sent back: it may be what JSON cannot hold."""
    assert isinstance(error, RequestValidationError)
    problems = [
        {"where": _plain(".".join(map(str, one["loc"])))[:200], "message": _plain(_reason(one))[:400]}
        for one in error.errors()[:_PROBLEMS_TOLD]
    ]
    message = "; ".join(f"{problem['where']}: {problem['message']}" for problem in problems)
    return JSONResponse(
        {"error": {"code": "bad-request", "message": f"{message}.", "problems": problems}}, status_code=422
    )


async def _failed(request: Request, error: Exception) -> JSONResponse:
    """A bug of ours; the gate writes down where it is."""
    code, message = FAILED
    return JSONResponse({"error": {"code": code, "message": message}}, status_code=500)


def _reason(problem: Mapping[str, Any]) -> str:
    return f"no JSON: {problem['ctx']['error']}" if problem["type"] == "json_invalid" else str(problem["msg"])


def _plain(value: object, left_out: re.Pattern[str] | None = None) -> Any:
    """What JSON can hold; everything else in words. Names of files may hold halves of characters."""
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float) and isfinite(value):
        return value
    if isinstance(value, Mapping):
        return {_plain(str(name)): _plain(one, left_out) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one, left_out) for one in value]
    text = str(value) if left_out is None else left_out.sub("", str(value))
    return text.encode(errors="replace").decode()
