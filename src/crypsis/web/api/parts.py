"""`/api/parts`: data in parts of this machine: look at them, anonymize them where there is room, verify the release."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from fastapi.responses import FileResponse, HTMLResponse
from pydantic import Field

from crypsis.web.api.shapes import Body, Number, Revision, Stale, collection, file_answer
from crypsis.web.api.snapshot import release_archive
from crypsis.web.workbench import Workbench


class NewParts(Body):
    """A folder of parts and how it is read."""

    path: str = Field(
        max_length=4096, description="A folder or a pattern of this machine; not where others are let in."
    )


class Section(Body):
    """One section of the file of parts."""

    section: dict[str, Any] = Field(max_length=60, description="Keys of [dataset]: kind, columns, options of reading.")


class RunOfParts(Body):
    """What is to be done, and where."""

    method: str = Field(max_length=60)
    params: dict[str, Any] = Field({}, max_length=60)
    where: dict[str, Any] = Field({}, max_length=12, description="Keys of [executor] in an experiment.")
    confirm: list[str] = Field([], max_length=100, description="Columns that may be published all the same.")


def router(workbench: Workbench) -> APIRouter:
    parts = workbench.parts
    api = collection("parts", parts)

    @api.post("", status_code=201)
    def open_parts(new: NewParts) -> dict[str, Any]:
        """Open a folder or a pattern, and begin to look at it."""
        entry = parts.open_path(new.path)
        parts.look(entry.number)
        return entry.to_dict()

    @api.get("/{number}")
    def show_parts(number: Number) -> dict[str, Any]:
        """How they are read, what they hold once somebody has looked, and the methods that work on them."""
        rows = parts.first_rows(number)
        return {
            **parts.entry(number).to_dict(),
            "facts": parts.facts(number),
            "first_rows": None if rows is None else {"columns": rows.columns, "rows": rows.rows},
            "methods": parts.methods(number),
            "outdated": parts.is_outdated(number),
        }

    @api.put("/{number}/section")
    def set_section(number: Number, new: Section, revision: Revision = None) -> dict[str, Any]:
        """Other roles or options of reading."""
        return parts.set_section(number, new.section, revision).to_dict()

    @api.post("/{number}/look", status_code=202)
    def look(number: Number) -> dict[str, Any]:
        """Count what the parts hold, in bounded memory."""
        return parts.look(number).to_dict()

    @api.post("/{number}/run", status_code=202)
    def start(number: Number, run: RunOfParts) -> dict[str, Any]:
        """Anonymize the parts, verify the release and write it."""
        parts.set_run(number, run.model_dump())
        return parts.start(number).to_dict()

    @api.get("/{number}/run")
    def progress(number: Number) -> dict[str, Any]:
        """Stage, share, rounds and workers of what is under way, or how the last task ended."""
        return parts.progress(number).to_dict()

    @api.delete("/{number}/run")
    def cancel(number: Number) -> dict[str, Any]:
        """End what is under way at once; a release of before stays."""
        return parts.cancel(number).to_dict()

    @api.post("/{number}/verification", status_code=202)
    def verify(number: Number) -> dict[str, Any]:
        """Recount the release from its files alone; the verdict is the result of the entry."""
        return parts.verify(number).to_dict()

    @api.get("/{number}/rows")
    def rows(number: Number) -> dict[str, Any] | None:
        """The first published rows; null where the records do not lie in parts."""
        published = parts.release_rows(number)
        return None if published is None else {"columns": published.columns, "rows": published.rows}

    @api.get("/{number}/report.html", response_class=HTMLResponse)
    def report(number: Number) -> HTMLResponse:
        """The report of the release."""
        return HTMLResponse(parts.report(number))

    @api.get("/{number}/private.json", **file_answer("application/json"))
    def private(number: Number) -> FileResponse:
        """What only the publisher may see of the release."""
        return FileResponse(parts.private_report(number), media_type="application/json", filename="private.json")

    @api.get("/{number}/release.zip", **file_answer("application/zip"))
    def release(number: Number, stale: Stale = False) -> FileResponse:
        """The verified release."""
        archive = parts.archive(number, stale=stale)
        return release_archive(archive)

    return api
