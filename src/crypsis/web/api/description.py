"""The description of the API at `/api/openapi.json`, and that nothing else is answered below `/api`.

The description is what FastAPI derives, with the ways to prove oneself, and with errors as they are sent: always JSON.
"""

from __future__ import annotations

from functools import cached_property
from re import Pattern
from typing import Any

from fastapi import FastAPI
from fastapi.responses import JSONResponse, Response
from starlette.routing import compile_path

from crypsis.web.security import Application, Receive, Scope, Send

_ERROR = {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorAnswer"}}}


def describe(app: FastAPI, cookie: str) -> None:
    """Put the finishing touches to what the application says about itself."""
    derived = app.openapi

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            content = derived()
            content["components"]["securitySchemes"] = {
                "token": {"type": "http", "scheme": "bearer", "description": "The token that `crypsis serve` printed."},
                "cookie": {"type": "apiKey", "in": "cookie", "name": cookie, "description": "What a browser has."},
            }
            content["security"] = [{"token": []}, {"cookie": []}]
            for methods in content["paths"].values():
                for operation in methods.values():
                    _tell_errors(operation["responses"])
            app.openapi_schema = content
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]  # as FastAPI tells to do it


def _tell_errors(responses: dict[str, Any]) -> None:
    """Errors are JSON, also of what answers with a file otherwise."""
    for status, answer in responses.items():
        if status.startswith(("4", "5")):
            answer["content"] = _ERROR


class OnlyDescribed:
    """The application, where an address below `/api` that is not described, or not with this method, is told so.

    Otherwise the pages would answer, with a page; and `/samples` would pass as the number of an entry.
    """

    def __init__(self, app: FastAPI, behind: Application) -> None:
        self.app, self.behind = app, behind

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = str(scope.get("path", ""))
        if scope["type"] != "http" or not f"{path}/".startswith("/api/"):
            await self.behind(scope, receive, send)
            return
        known = self._methods_at(path)
        if scope["method"] in known:
            await self.behind(scope, receive, send)
            return
        if not known:
            answer = _error("no-such-address", "The API has nothing at this address.", 404)
        elif scope["method"] == "OPTIONS":
            answer = Response(status_code=204, headers={"allow": ", ".join(known)})
        else:
            message = f"At this address there is {' and '.join(known)}, not {str(scope['method'])[:20]}."
            answer = _error("no-such-method", message, 405, {"allow": ", ".join(known)})
        await answer(scope, receive, send)

    def _methods_at(self, path: str) -> list[str]:
        if path in self._described:
            return self._described[path]
        return sorted({method for pattern, methods in self._patterns if pattern.match(path) for method in methods})

    @cached_property
    def _described(self) -> dict[str, list[str]]:
        paths: dict[str, Any] = {**self.app.openapi()["paths"], str(self.app.openapi_url): {"get": {}}}
        return {path: sorted(name.upper() for name in methods) for path, methods in paths.items()}

    @cached_property
    def _patterns(self) -> list[tuple[Pattern[str], list[str]]]:
        return [(compile_path(path)[0], methods) for path, methods in self._described.items() if "{" in path]


def _error(code: str, message: str, status: int, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse({"error": {"code": code, "message": message}}, status_code=status, headers=headers)
