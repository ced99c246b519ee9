"""`/api/datasets`: add, look, page through, edit, undo, export; histograms and the risk at a glance."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response
from fastapi.responses import FileResponse, PlainTextResponse
from pydantic import Field, create_model
from starlette.background import BackgroundTask

from crypsis.data.formats import format_options
from crypsis.data.sources import SOURCES, every_key, option_named
from crypsis.drawing.svg import standalone
from crypsis.errors import BadParameter
from crypsis.parameters import Parameter
from crypsis.samples import SAMPLES
from crypsis.web.api.asked_rows import AskedRows
from crypsis.web.api.shapes import Body, Name, Number, Revision, Text, collection, file_answer
from crypsis.web.datasets import Datasets
from crypsis.web.files import side_inputs_text, take_text
from crypsis.web.importing import Staged, checked_settings
from crypsis.web.maps import original_map
from crypsis.web.workbench import Workbench

_LONGEST_OPTION = 400


class NewDataset(Body):
    """One of upload, path and sample says where the data come from."""

    upload: str | None = Field(None, pattern="^[0-9a-f]{12}$", description="Number of an upload.")
    path: str | None = Field(None, max_length=4096, description="A file of this machine; not where others are let in.")
    sample: str | None = Field(None, max_length=40, description="Name of sample data.")
    size: int | None = Field(None, ge=1, le=1_000_000, description="How many records of the sample.")
    name: Name | None = None
    format: str | None = Field(None, max_length=20)
    kind: str | None = None
    step: list[dict[str, Any] | str] | None = Field(None, max_length=100, description="Steps that shape the table.")


class Previewed(NewDataset):
    """A file that is not loaded yet; `section` holds keys of `[dataset]` that say how to read it."""

    section: dict[str, Any] = Field(default_factory=dict)


class Settings(Body):
    """The table `[dataset]` of an experiment file without path and edits."""

    section: dict[str, Any]


class NewName(Body):
    """The name that an entry gets."""

    name: Name


class Sure(Body):
    """The confirmation that a file may be overwritten."""

    yes: bool


class Person(Body):
    """Who a person is: `column` names the person; null if each row is another person."""

    column: str | None = Field(max_length=400)


class Change(Body):
    """One edit, as in `[[dataset.edits]]`."""

    edit: dict[str, Any]


def router(workbench: Workbench) -> APIRouter:
    datasets = workbench.datasets
    api = collection("datasets", datasets)

    @api.get("/samples")
    def list_samples() -> list[dict[str, str]]:
        """The sample data that `add_dataset` can make."""
        return [{"name": name, "kind": one.kind, "description": one.description} for name, one in SAMPLES.items()]

    def add_dataset(new: NewDataset) -> dict[str, Any]:
        """Add an upload, a file of this machine, or a sample."""
        return _added(datasets, new)

    add_dataset.__annotations__["new"] = _with_options(NewDataset)
    api.post("", status_code=201)(add_dataset)

    @api.post("/preview")
    def preview_file(new: Previewed) -> dict[str, Any]:
        """How an upload or a file of this machine is understood: first rows, what was detected, what to ask."""
        if (new.upload is None) == (new.path is None):
            raise BadParameter("Give one of upload and path.", parameter="upload")
        staged = Staged(new.upload or "", new.path or "", new.name or "dataset")
        beside = {"format": new.format, "kind": new.kind}
        return workbench.imports.preview(staged, checked_settings({**new.section, **beside})).to_dict()

    @api.get("/{number}")
    def show_dataset(number: Number) -> dict[str, Any]:
        """One dataset: its table `[dataset]`, its revision, and counts of what its file holds."""
        return datasets.entry(number).to_dict()

    @api.put("/{number}/name")
    def rename_dataset(number: Number, new: NewName, revision: Revision = None) -> dict[str, Any]:
        """Call a dataset by another name."""
        return datasets.rename(number, new.name, revision).to_dict()

    @api.put("/{number}/section")
    def set_roles(number: Number, settings: Settings, revision: Revision = None) -> dict[str, Any]:
        """Set kind, roles, types and reading options."""
        return datasets.set_section(number, settings.section, revision).to_dict()

    @api.get("/{number}/experiment.toml", response_class=PlainTextResponse)
    def as_file(number: Number) -> str:
        """The dataset with its roles, edits, hierarchies, policies and queries, as tables of an experiment file."""
        return side_inputs_text(workbench.side_inputs, datasets.entry(number))

    @api.put("/{number}/experiment.toml")
    def take_file(number: Number, told: Text, revision: Revision = None) -> dict[str, Any]:
        """Roles and what goes with the dataset as a file says; other edits make a dataset of their own."""
        return take_text(datasets, workbench.side_inputs, number, told.text, revision=revision).to_dict()

    @api.get("/{number}/rows")
    def page_of_rows(number: Number, asked: AskedRows) -> dict[str, Any]:
        """A page of the edited table, sorted and filtered here. Columns are c0, c1, … in order, or by name."""
        return vars(asked.of(datasets.grid(number)))

    @api.post("/{number}/edits")
    def edit_dataset(number: Number, change: Change, revision: Revision = None) -> dict[str, Any]:
        """Rename a column, set a cell, add or delete a row or column; tried first, and the file stays as it is."""
        return datasets.edit(number, change.edit, revision).to_dict()

    @api.post("/{number}/undo")
    def undo(number: Number, revision: Revision = None) -> dict[str, Any]:
        """Take the last edit back."""
        return datasets.undo(number, revision).to_dict()

    @api.post("/{number}/redo")
    def redo(number: Number, revision: Revision = None) -> dict[str, Any]:
        """Carry out again what was taken back last."""
        return datasets.redo(number, revision).to_dict()

    @api.post("/{number}/copies", status_code=201)
    def save_as(number: Number, new: NewName) -> dict[str, Any]:
        """Save the edited table as a dataset of its own."""
        return datasets.save_as(number, new.name).to_dict()

    @api.post("/{number}/overwrite")
    def overwrite(number: Number, sure: Sure, revision: Revision = None) -> dict[str, Any]:
        """Write the edited table over the file that was read; `yes` must be true."""
        if not sure.yes:
            raise BadParameter("Overwriting cannot be taken back; say yes.", parameter="yes")
        return datasets.overwrite(number, revision).to_dict()

    @api.get("/{number}/file.csv", **file_answer("text/csv"))
    def export(number: Number, separator: Annotated[str, Query(pattern=r"^[,;|\t]$")] = ",") -> Response:
        """The edited table as CSV."""
        return Response(
            datasets.csv(number, separator),
            media_type="text/csv; charset=utf-8",
            headers={"content-disposition": 'attachment; filename="dataset.csv"'},
        )

    @api.get("/{number}/inputs.zip")
    def export_everything(number: Number) -> FileResponse:
        """The edited data, hierarchies, policies and queries as files, and the experiment file that names them."""
        archive = workbench.side_inputs.write_inputs(number)
        return FileResponse(
            archive,
            media_type="application/zip",
            filename="inputs.zip",
            background=BackgroundTask(archive.unlink, missing_ok=True),
        )

    @api.get("/{number}/person")
    def ask_about_persons(number: Number) -> dict[str, Any]:
        """Does one person have several rows? The column that seems to say so, as long as nobody answered."""
        like = datasets.person_question(number)
        section = datasets.entry(number).content["section"]
        return {
            "person": section.get("person"),
            "each_row_is_a_person": bool(section.get("each_row_is_a_person")),
            "question": None if like is None else {**asdict(like), "question": like.question},
        }

    @api.put("/{number}/person")
    def answer_about_persons(number: Number, answer: Person, revision: Revision = None) -> dict[str, Any]:
        """Say which column names the person, or, with none, that each row is another person."""
        return datasets.say_person(number, answer.column, revision).to_dict()

    @api.get("/{number}/risk")
    def risk(number: Number) -> dict[str, Any]:
        """How surely people can be picked out of the data as they are; aggregates only."""
        return datasets.risk(number).to_dict()

    @api.get("/{number}/map.svg", **file_answer("image/svg+xml"))
    def picture(number: Number) -> Response:
        """Trajectories with coordinates, or tracks, on a map as they were collected."""
        return Response(standalone(original_map(datasets.load(number))), media_type="image/svg+xml")

    @api.get("/{number}/histogram")
    def histogram(number: Number, column: Annotated[str | None, Query(max_length=400)] = None) -> dict[str, Any]:
        """The numbers of a histogram: of a column, of items, or of locations."""
        from crypsis.evaluate.plots.histogram import histogram as histogram_of

        frame = histogram_of(datasets.load(number), column)
        return {"kind": frame.kind, "title": frame.title, "rows": json.loads(frame.data.write_json())}

    return api


def _with_options(body: type[NewDataset]) -> type[NewDataset]:
    """The body with the options of reading, as kinds of data and formats declare them."""
    fields: dict[str, Any] = {
        name: (_TYPES.get(option.type, str) | None, _field(option)) for name, option in _options().items()
    }
    fields["kind"] = (Literal[tuple(SOURCES)] | None, Field(None, description="Kind of data; detected if left out."))
    return create_model(body.__name__, __base__=body, __doc__=body.__doc__, **fields)


def _options() -> dict[str, Parameter]:
    """The options that say how a file is read, of all kinds of data and formats."""
    return {key: option_named(key) for key in every_key()} | format_options()


_TYPES: dict[type, Any] = {int: int, float: float, bool: bool, tuple: list[str], dict: dict[str, Any]}


def _field(option: Parameter) -> Any:
    if option.type not in _TYPES:
        return Field(None, description=option.help, max_length=_LONGEST_OPTION)
    return Field(None, description=option.help)


def _added(datasets: Datasets, new: NewDataset) -> dict[str, Any]:
    given = [source for source in (new.upload, new.path, new.sample) if source is not None]
    if len(given) != 1:
        raise BadParameter("Give one of upload, path and sample.", parameter="upload")
    told = {key: getattr(new, key) for key in ("format", "kind", "step", *_options())}
    settings = {key: value for key, value in told.items() if value not in (None, "")}
    if new.upload is not None:
        entry = datasets.add_upload(new.upload, new.name or "dataset", settings)
    elif new.path is not None:
        entry = datasets.add_path(new.path, settings)
    else:
        entry = datasets.add_sample(str(new.sample), new.size)
    if new.name is not None and entry.name != new.name:
        entry = datasets.rename(entry.number, new.name)
    return entry.to_dict()
