"""`/api/verification`: the verdict on a release or any published file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import APIRouter
from pydantic import Field

from crypsis.errors import BadParameter, NotApplicable
from crypsis.web.api.shapes import Body, resource
from crypsis.web.verification import Verification, promises
from crypsis.web.workbench import Workbench


class Question(Body):
    """What to check: an upload (a file, or the archive of a release) or a path; and, for a file, against what."""

    upload: str | None = Field(None, pattern="^[0-9a-f]{12}$")
    path: str | None = Field(None, max_length=4096)
    promise: dict[str, Any] | None = Field(None, description="model and its parameters; for tables also quasi.")


def router(workbench: Workbench) -> APIRouter:
    api = resource("verification")
    verification = Verification(workbench.workspace)

    @api.get("/promises")
    def list_promises() -> list[dict[str, Any]]:
        """What can be checked, and with which parameters."""
        return promises()

    @api.post("")
    def verify(question: Question) -> dict[str, Any]:
        if (question.upload is None) == (question.path is None):
            raise BadParameter("Give one of upload and path.", parameter="upload")
        if question.upload is not None:
            return verification.of_upload(question.upload, question.promise)
        path = Path(str(question.path))
        if not workbench.allow_paths:
            raise NotApplicable("Files of this machine cannot be named while others are let in; upload the file.")
        if "\0" in str(question.path) or not path.is_absolute():
            raise BadParameter("Give the whole path, from the root on.", parameter="path")
        return verification.of_path(path, question.promise)

    return api
