"""`/api/verification`: the verdict on a release or any published file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import Field

from crypsis.errors import BadParameter, NotApplicable, OptionWithoutEffect
from crypsis.web.api.shapes import Body, resource
from crypsis.web.verification import Verification, promises
from crypsis.web.workbench import Workbench


class Question(Body):
    """What to check: an upload (a file, or the archive of a release) or a path; and, for a file, against what."""

    upload: str | None = Field(None, pattern="^[0-9a-f]{12}$")
    path: str | None = Field(None, max_length=4096)
    original: str | None = Field(
        None, pattern="^[0-9a-f]{12}$", description="For the archive of a release: the dataset that it was made of."
    )
    original_upload: str | None = Field(
        None,
        pattern="^[0-9a-f]{12}$",
        description="The same as an upload; of tables, read with the roles that the release tells.",
    )
    person: str | None = Field(
        None,
        max_length=400,
        description="Beside original_upload: the column that names the person, where one has several.",
    )
    private_report: str | None = Field(
        None, pattern="^[0-9a-f]{12}$", description="Beside the original: an upload of what only the publisher has."
    )
    trusted: list[Annotated[str, Field(pattern="^[0-9a-f]{12}$")]] = Field(
        [], max_length=20, description="Uploads of public keys: the release should be signed with one of them."
    )
    promise: dict[str, Any] | None = Field(None, description="model and its parameters; for tables also quasi.")


class AttackQuestion(Body):
    """The archive of a release as an upload, the dataset that it was made of, and who attacks it."""

    upload: str = Field(pattern="^[0-9a-f]{12}$")
    original: str = Field(pattern="^[0-9a-f]{12}$")
    private_report: str | None = Field(None, pattern="^[0-9a-f]{12}$")
    attack: str = Field(max_length=40)
    params: dict[str, Any] = Field({}, max_length=20)


def router(workbench: Workbench) -> APIRouter:
    api = resource("verification")
    verification = Verification(workbench.workspace)

    @api.get("/promises")
    def list_promises() -> list[dict[str, Any]]:
        """What can be checked, and with which parameters."""
        return [promise.to_dict() for promise in promises()]

    @api.post("/attacks")
    def attack(question: AttackQuestion) -> dict[str, Any]:
        """What an adversary who knows pieces of the original finds in a release: aggregates only."""
        original = workbench.datasets.load(question.original)
        answer = verification.attack(
            question.upload, original, question.attack, question.params, question.private_report
        )
        return answer.to_dict()

    @api.post("")
    def verify(question: Question) -> dict[str, Any]:
        """The verdict: whether the guarantee holds, the level that was reached, and what decides it."""
        if (question.upload is None) == (question.path is None):
            raise BadParameter("Give one of upload and path.", parameter="upload")
        if question.upload is not None:
            original = None if question.original is None else workbench.datasets.load(question.original)
            if original is not None and question.original_upload is not None:
                raise BadParameter("Give one of original and original_upload.", parameter="original_upload")
            if question.person is not None and question.original_upload is None:
                raise OptionWithoutEffect("person says whose the rows of original_upload are; give that, too.")
            return verification.of_upload(
                question.upload,
                question.promise,
                original,
                question.private_report,
                question.original_upload,
                question.person,
                question.trusted,
            ).to_dict()
        if question.trusted:
            raise NotApplicable("Public keys go with an uploaded release; on this machine use `crypsis verify`.")
        if any(one is not None for one in (question.original, question.original_upload, question.private_report)):
            raise NotApplicable("The original goes with an uploaded release; on this machine use `crypsis verify`.")
        path = Path(str(question.path))
        if not workbench.allow_paths:
            raise NotApplicable("Files of this machine cannot be named while others are let in; upload the file.")
        if "\0" in str(question.path) or not path.is_absolute():
            raise BadParameter("Give the whole path, from the root on.", parameter="path")
        return verification.of_path(path, question.promise).to_dict()

    return api
