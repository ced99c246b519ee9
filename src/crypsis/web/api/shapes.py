"""Shapes that several resources share: numbers in addresses, revisions, and answers that describe an error."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict, Field

Number = Annotated[str, Path(pattern=r"^[0-9a-f]{12}$", description="The number of an entry.")]
Revision = Annotated[
    int | None, Query(ge=1, le=2**53, description="Change only if nobody has since this revision; 409 otherwise.")
]
Name = Annotated[str, Field(min_length=1, max_length=120)]


class Body(BaseModel):
    """A body without surprises: a key that is not known is refused."""

    model_config = ConfigDict(extra="forbid")


class Text(Body):
    """A file, as it is shown by the resource of the same name."""

    text: str = Field(max_length=1_000_000)


class ErrorContent(BaseModel):
    model_config = ConfigDict(extra="allow")
    code: str
    message: str


class ErrorAnswer(BaseModel):
    error: ErrorContent


ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"model": ErrorAnswer, "description": "What was asked for is not right; the message says what would be."},
    403: {"model": ErrorAnswer, "description": "No token, or a request from elsewhere."},
    404: {"model": ErrorAnswer, "description": "There is nothing under this number."},
    409: {"model": ErrorAnswer, "description": "Somebody else changed it in the meantime."},
    413: {"model": ErrorAnswer, "description": "Too large."},
}
