"""`/api/experiments`: make, check, run, follow, cancel; results, plots, published data and releases."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import FileResponse, HTMLResponse, PlainTextResponse, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from crypsis.drawing.svg import standalone
from crypsis.evaluate.plot_requests import PlotRequest
from crypsis.query.questions import Question
from crypsis.translation import reading
from crypsis.web.api.asked_rows import AskedRows
from crypsis.web.api.shapes import Body, Name, Number, Revision, Stale, Text, collection, file_answer
from crypsis.web.api.snapshot import file_snapshot, release_archive
from crypsis.web.workbench import Workbench

CellId = Annotated[str, Path(pattern=r"^[0-9A-Za-z]{6,64}$")]
Private = Annotated[bool, Query(description="The private one, which shows the original beside the release.")]
Language = Annotated[Literal["en", "de"], Query(description="The language of the report.")]
DeclaredOr = Annotated[
    Literal["en", "de"] | None, Query(description="The language of the report; without it the one that is declared.")
]
_PAUSE = 0.25


class NewExperiment(Body):
    """On a dataset of the workspace, or the text of an experiment file."""

    dataset: str | None = Field(None, pattern="^[0-9a-f]{12}$")
    mode: Literal["evaluate", "compare"] = "evaluate"
    name: Name | None = None
    tables: dict[str, Any] | None = Field(
        None, description="run, metrics, plot, seed, workers; a suggestion if left out."
    )
    text: str | None = Field(None, max_length=1_000_000, description="A whole experiment file.")


class Tables(Body):
    """Sections of an experiment file, as JSON."""

    tables: dict[str, Any]


class Adversary(Body):
    """Who attacks, and what is known: `{"attack": "linkage", "params": {}}`."""

    attack: str = Field(max_length=40)
    params: dict[str, Any] = Field({}, max_length=20)


Places = list[Annotated[str, Field(max_length=400)]]


class Asking(Body):
    """A question: its kind, and what this kind needs, e.g. `{"kind": "count", "conditions": ["age in [20:30]"]}`."""

    kind: str = Field(max_length=40)
    region: Places = Field([], max_length=100_000)
    period: str = Field("", max_length=200)
    mode: str = Field("", max_length=40)
    relation: str = Field("", max_length=40)
    origin: Places = Field([], max_length=100_000)
    destination: Places = Field([], max_length=100_000)
    conditions: list[Annotated[str, Field(max_length=4000)]] = Field([], max_length=100)


class Start(Body):
    """What is run."""

    workers: int | None = Field(None, ge=1, le=64)
    fresh: bool = False


class ReportWish(BaseModel):
    """Which report of a release, and in which language; what an address says is text and becomes true or false."""

    model_config = ConfigDict(extra="forbid")

    private: Private = False
    stale: Stale = False
    language: DeclaredOr = None


def router(workbench: Workbench) -> APIRouter:
    experiments = workbench.experiments
    api = collection("experiments", experiments)

    @api.post("", status_code=201)
    def create(new: NewExperiment) -> dict[str, Any]:
        """Make an experiment; without tables or text, with the method that is suggested for such data."""
        if new.text is not None:
            return experiments.create_from_text(new.text, new.mode).to_dict()
        from crypsis.errors import BadParameter

        if new.dataset is None:
            raise BadParameter("Give a dataset, or the text of an experiment file.", parameter="dataset")
        return experiments.create(new.dataset, new.mode, new.tables, new.name).to_dict()

    @api.get("/{number}")
    def show(number: Number) -> dict[str, Any]:
        """One experiment: its dataset, its runs, metrics and plots."""
        return experiments.entry(number).to_dict()

    @api.put("/{number}/tables")
    def set_tables(number: Number, tables: Tables, revision: Revision = None) -> dict[str, Any]:
        """Set runs, metrics, plots, seed, workers and limits. `problems` says what is wrong with them."""
        return experiments.set_tables(number, tables.tables, revision).to_dict()

    @api.get("/{number}/experiment.toml", response_class=PlainTextResponse)
    def as_file(number: Number) -> str:
        """The experiment file that does the same on the command line."""
        return experiments.experiment(number).to_toml()

    @api.put("/{number}/experiment.toml")
    def take_file(number: Number, told: Text, revision: Revision = None) -> dict[str, Any]:
        """Set everything as an experiment file says; its dataset is found here, or opened by its path."""
        return experiments.take_text(number, told.text, revision).to_dict()

    @api.get("/{number}/problems")
    def problems(number: Number) -> list[dict[str, str]]:
        """Everything that is wrong with it, at once."""
        return [problem.to_dict() for problem in experiments.problems(number)]

    @api.post("/{number}/start", status_code=202)
    def start(number: Number, how: Start) -> dict[str, Any]:
        """Run the cells that are not done yet."""
        experiments.start(number, workers=how.workers, fresh=how.fresh)
        return asdict(experiments.progress(number))

    @api.post("/{number}/cancel")
    def cancel(number: Number) -> dict[str, Any]:
        """Stop a run. Cells that were running are cancelled; the next start runs them."""
        experiments.entry(number)
        experiments.cancel(number)
        return asdict(experiments.progress(number))

    @api.get("/{number}/progress")
    def progress(number: Number) -> dict[str, Any]:
        """The state of every cell, live while the experiment runs."""
        return asdict(experiments.progress(number))

    @api.get("/{number}/events", **file_answer("text/event-stream"))
    async def events(number: Number) -> StreamingResponse:
        """What happens, as server-sent events, until the run ends."""
        experiments.entry(number)

        async def told() -> AsyncIterator[str]:
            at = 0
            while True:
                job = experiments.job(number)
                if job is None:
                    break
                running = job.running
                for event in job.events[at:]:
                    yield f"event: {event.get('event', 'message')}\ndata: {json.dumps(event, default=str)}\n\n"
                at = len(job.events)
                if not running:
                    break
                await asyncio.sleep(_PAUSE)
            yield "event: end\ndata: {}\n\n"

        return StreamingResponse(told(), media_type="text/event-stream")

    @api.get("/{number}/results")
    def results(number: Number, stale: bool = False) -> list[dict[str, Any]]:
        """One row for each cell: settings, state, verdict, figures, seconds."""
        return experiments.results(number, stale=stale)

    @api.get("/{number}/results.csv", **file_answer("text/csv"))
    def results_csv(number: Number) -> Response:
        """The same as a CSV file."""
        return Response(
            experiments.csv(number),
            media_type="text/csv; charset=utf-8",
            headers={"content-disposition": 'attachment; filename="results.csv"'},
        )

    @api.get("/{number}/report.html", response_class=HTMLResponse)
    def report(number: Number, language: Language = "en") -> str:
        """Summary, cells, plots and trade-off as one page."""
        with reading(language):
            return experiments.report(number)

    @api.get(
        "/{number}/plots/{kind}",
        **file_answer("image/svg+xml", "image/png", "application/pdf", "image/jpeg", "image/bmp", "text/csv"),
    )
    def plot(
        number: Number,
        kind: Annotated[str, Path(max_length=40)],
        x: Annotated[str | None, Query(max_length=100)] = None,
        y: Annotated[str | None, Query(max_length=100)] = None,
        column: Annotated[str | None, Query(max_length=400)] = None,
        run: Annotated[str | None, Query(max_length=400, description="Label of the run that is shown.")] = None,
        cell: Annotated[str | None, Query(max_length=64, description="The cell that is shown.")] = None,
        format: Literal["svg", "png", "pdf", "jpg", "bmp", "csv"] = "svg",
    ) -> Response:
        """Any plot, of the results or of the published data of a cell, as a picture or as its numbers."""
        from crypsis.evaluate.plots import draw, to_csv

        frame = experiments.plot(number, PlotRequest(kind=kind, x=x, y=y, column=column, run=run, cell=cell))
        media = {
            "svg": "image/svg+xml",
            "pdf": "application/pdf",
            "csv": "text/csv; charset=utf-8",
            "jpg": "image/jpeg",
        }
        content = to_csv(frame) if format == "csv" else draw(frame, format)
        return Response(content, media_type=media.get(format, f"image/{format}"))

    @api.get("/{number}/cells/{cell}/rows")
    def published_rows(number: Number, cell: CellId, asked: AskedRows) -> dict[str, Any]:
        """A page of the published data in the order of the input; `changed` lists the columns that differ."""
        output = experiments.output(number, cell)
        page = asked.of(output.grid)
        return {**vars(page), "changed": output.marks(page.places)}

    @api.get("/{number}/cells/{cell}/map.svg", **file_answer("image/svg+xml"))
    def picture(number: Number, cell: CellId) -> Response:
        """Published trajectories on a map, in the view of the original."""
        return Response(standalone(experiments.picture(number, cell)), media_type="image/svg+xml")

    @api.get("/{number}/cells/{cell}/private.json", **file_answer("application/json"))
    def private_report(number: Number, cell: CellId) -> StreamingResponse:
        """What verifying a release of tracks beside its original needs; for the publisher, never to be published."""
        file = experiments.private_file(number, cell)
        return file_snapshot(file, media_type="application/json", filename="private.json")

    @api.get("/{number}/cells/{cell}/review")
    def review(number: Number, cell: CellId) -> dict[str, Any]:
        """The three lights: guarantee, disclosure, usefulness, each with its colour and findings."""
        return experiments.review(number, cell).to_dict()

    @api.get("/{number}/cells/{cell}/attacks")
    def list_attacks(number: Number, cell: CellId) -> list[dict[str, Any]]:
        """The adversaries who could attack the published data of a cell, with their parameters."""
        return [kind.describe() for kind in experiments.fitting_attacks(number, cell).values()]

    @api.post("/{number}/cells/{cell}/attacks")
    def attack(number: Number, cell: CellId, question: Adversary) -> dict[str, Any]:
        """What an adversary who knows pieces of the original finds in the published data of a cell: aggregates."""
        return experiments.attack(number, cell, question.attack, question.params).to_dict()

    @api.get("/{number}/cells/{cell}/report.html", response_class=HTMLResponse)
    def release_report(number: Number, cell: CellId, wish: Annotated[ReportWish, Query()]) -> str:
        """The report of a release as a page, with what the workspace declares."""
        return experiments.release_report(number, cell, **wish.model_dump()).html

    @api.get("/{number}/cells/{cell}/report.pdf", **file_answer("application/pdf"))
    def release_report_pdf(number: Number, cell: CellId, wish: Annotated[ReportWish, Query()]) -> Response:
        """The same as a PDF to sign."""
        report = experiments.release_report(number, cell, **wish.model_dump())
        name = "private-report-not-for-release.pdf" if wish.private else "report.pdf"
        return Response(
            report.to_pdf(),
            media_type="application/pdf",
            headers={"content-disposition": f'attachment; filename="{name}"'},
        )

    @api.post("/{number}/cells/{cell}/query")
    def query(number: Number, cell: CellId, asking: Asking) -> dict[str, Any]:
        """At least and at most so many: presence, relation, od, dwell, copresence, count or places, and its words."""
        told: dict[str, Any] = asking.model_dump()
        listed = {name: tuple(value) for name, value in told.items() if isinstance(value, list)}
        answer = experiments.ask(number, cell, Question(**{**told, **listed}))
        return {**answer.content, "words": answer.words}

    @api.get("/{number}/cells/{cell}/release.zip", **file_answer("application/zip"))
    def release(
        number: Number,
        cell: CellId,
        confirm: Annotated[
            list[Annotated[str, Query(max_length=400)]] | None,
            Query(
                max_length=100, description="Columns of identifiers, free text or exact dates that may be published."
            ),
        ] = None,
        stale: Stale = False,
        strict: Annotated[bool, Query(description="Refuse unless all lights are green.")] = False,
        publish_figures: Annotated[
            list[Annotated[str, Query(max_length=400)]] | None,
            Query(max_length=100, description="Figures against the original to put into the release; not covered."),
        ] = None,
    ) -> FileResponse:
        """The verified release of a cell: data, manifest and report."""
        archive = experiments.write_release(
            number, cell, confirm=confirm or (), stale=stale, strict=strict, publish_figures=publish_figures or ()
        )
        return release_archive(archive)

    return api
