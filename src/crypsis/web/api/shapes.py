"""Shapes that several resources share: numbers in addresses, revisions, bodies, and answers that describe an error."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Annotated, Any, Protocol, TypedDict

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, Field

from crypsis.strict_json import parse_json
from crypsis.web.workspace import Entry

Number = Annotated[str, Path(pattern=r"^[0-9a-f]{12}$", description="The number of an entry.")]
Stale = Annotated[bool, Query(description="The result may be of data or settings that have changed.")]
Revision = Annotated[
    int | None, Query(ge=1, le=2**53, description="Change only if nobody has since this revision; 409 otherwise.")
]
Name = Annotated[str, Field(min_length=1, max_length=120)]


class Body(BaseModel):
    """A body without surprises: a key that is not known is refused, and `true` is no number."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Text(Body):
    """A file, as it is shown by the resource of the same name."""

    text: str = Field(max_length=1_000_000)


class ErrorContent(BaseModel):
    """What is wrong, for people and for programs."""

    model_config = ConfigDict(extra="allow")
    code: str
    message: str


class ErrorAnswer(BaseModel):
    """The answer to a request that failed."""

    error: ErrorContent


ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"model": ErrorAnswer, "description": "What was asked for is not right; the message says what would be."},
    403: {"model": ErrorAnswer, "description": "No token, or a request from elsewhere."},
    404: {"model": ErrorAnswer, "description": "There is nothing under this number."},
    409: {"model": ErrorAnswer, "description": "Somebody else changed it in the meantime."},
    413: {"model": ErrorAnswer, "description": "Too large."},
    422: {"model": ErrorAnswer, "description": "The request does not have its form, or what it asks cannot be done."},
}


class _StrictRequest(Request):
    async def json(self) -> Any:
        if not hasattr(self, "_json"):
            self._json = parse_json(await self.body())
        return self._json


class _StrictRoute(APIRoute):
    """A route that takes only JSON that can be given back as JSON."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        answer = super().get_route_handler()

        async def strictly(request: Request) -> Response:
            return await answer(_StrictRequest(request.scope, request.receive))

        return strictly


def resource(name: str) -> APIRouter:
    """An empty resource at `/api/<name>`."""
    return APIRouter(prefix=f"/{name}", tags=[name], responses=ERRORS, route_class=_StrictRoute)


class Entries(Protocol):
    """What the workspace keeps of one kind."""

    def entries(self) -> list[Entry]: ...

    def remove(self, number: str) -> None: ...


def collection(name: str, kept: Entries) -> APIRouter:
    """The resource of entries that can be listed and removed, described as the methods are that do so."""
    api = resource(name)

    @api.get("", name=f"list_{name}", description=first_line(kept.entries))
    def list_entries() -> list[dict[str, Any]]:
        return [entry.to_dict() for entry in kept.entries()]

    @api.delete("/{number}", name="remove", description=first_line(kept.remove), status_code=204)
    def remove(number: Number) -> None:
        kept.remove(number)

    return api


def first_line(method: Callable[..., Any]) -> str:
    """What a method does, as its docstring begins."""
    return (method.__doc__ or "").partition("\n")[0]


class FileAnswer(TypedDict):
    """How a route says that it answers with a file: as arguments of its decorator."""

    response_class: type[Response]
    responses: dict[int | str, dict[str, Any]]


def file_answer(*media_types: str) -> FileAnswer:
    """Describe an answer that is a file of these types."""
    return {"response_class": Response, "responses": {200: {"content": {media: {} for media in media_types}}}}
