"""The plots of an experiment from its store: those that the file asks for, or those that say most without asking."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crypsis.atomic import write_file
from crypsis.drawing.frame import Frame
from crypsis.errors import BadParameter, CrypsisError, NotApplicable, OutputExists, did_you_mean
from crypsis.evaluate.plot_requests import PlotRequest
from crypsis.evaluate.plots import draw, frame_of, to_csv
from crypsis.evaluate.plots.results import DONE, RUNTIME, CellResult, Results

if TYPE_CHECKING:
    from crypsis.evaluate.store import Store

_MOST_LINES = 4


def suggested_plots(results: Results) -> list[PlotRequest]:
    """Plots for an experiment that asks for none: lines for what was varied, times, and the trade-off."""
    figures = [name for name in results.metrics if name != RUNTIME and _varies(results, name)]
    figures = figures or [name for name in results.metrics if name != RUNTIME]
    plots: list[PlotRequest] = []
    for parameter in results.varying:
        if parameter == "seed":
            continue
        plots += [PlotRequest(kind="line", x=parameter, y=name) for name in figures[:_MOST_LINES]]
        if RUNTIME in results.metrics:
            plots.append(PlotRequest(kind="line", x=parameter, y=RUNTIME))
    if any(cell.phases for cell in results):
        plots.append(PlotRequest(kind="phases"))
    if len(figures) >= 2:
        plots.append(PlotRequest(kind="tradeoff", x=figures[0], y=figures[1]))
    return plots


def requested_frames(store: Store, request: PlotRequest, results: Results | None = None) -> list[Frame]:
    """The frames of one plot: one of all cells, or one per run where it is about published data.

    `run` names the run and `cell` the cell that is shown; otherwise it is the first cell of every run that is done.
    """
    plot = request.plot
    cells = Results.of_store(store) if results is None else results
    if plot.of_results:
        return [_titled(frame_of(plot.name, results=cells, **request.options), request, "")]
    if plot.inputs == ("original",):
        return [
            _titled(frame_of(plot.name, original=store.experiment().dataset.load(), **request.options), request, "")
        ]
    frames = []
    refused: CrypsisError | None = None
    for cell in _shown_cells(cells, request):
        try:
            frame = frame_of(plot.name, **_inputs(store, cell, plot.inputs), **_with_k(request, cell, plot.takes))
        except NotApplicable as error:
            refused = refused or error
            continue
        frames.append(_titled(frame, request, cells.series_name(cell, ())))
    if not frames and refused is not None:
        raise refused
    if not frames:
        raise NotApplicable(f"The plot {plot.name} shows published data, and no cell is done yet.")
    return frames


def frames_of_experiment(
    store: Store, *, refused: Callable[[PlotRequest, CrypsisError], None] | None = None
) -> list[tuple[PlotRequest, Frame]]:
    """Every plot that the experiment asks for, or the suggested ones; what cannot be drawn yet is left out.

    `refused` gets each plot that was left out, and why.
    """
    cells = Results.of_store(store)
    drawn = []
    for request in store.experiment().plots or suggested_plots(cells):
        try:
            drawn += [(request, frame) for frame in requested_frames(store, request, cells)]
        except (NotApplicable, BadParameter) as error:
            if refused is not None:
                refused(request, error)
    return drawn


def write_plots(frames: Iterable[tuple[Frame, Sequence[str]]], folder: Path, *, overwrite: bool = True) -> list[Path]:
    """Every picture in its formats, and its numbers beside it; names are made from kind and title."""
    written: list[Path] = []
    taken: set[str] = set()
    for frame, formats in frames:
        name = file_name(frame)
        number = 2
        while name in taken:
            name = f"{file_name(frame)}-{number}"
            number += 1
        taken.add(name)
        files = [(folder / f"{name}.{format}", draw(frame, format)) for format in formats]
        files.append((folder / f"{name}.csv", to_csv(frame)))
        for path, _ in files:
            if path.exists() and not overwrite:
                raise OutputExists(f"{path.name} exists already; choose another place or allow it (overwrite=True).")
        for path, content in files:
            write_file(path, content)
            written.append(path)
    return written


def file_name(frame: Frame) -> str:
    """A name for files: letters, digits and hyphens, whatever the columns are called."""
    words = re.sub(r"[^a-z0-9]+", "-", f"{frame.kind} {frame.title}".lower()).strip("-")
    return words[:80].rstrip("-")


def _varies(results: Results, name: str) -> bool:
    return len({cell.metrics.get(name) for cell in results if cell.state == DONE} - {None}) > 1


def _shown_cells(results: Results, request: PlotRequest) -> list[CellResult]:
    done = [cell for cell in results if cell.state == DONE]
    if request.cell is not None:
        chosen = [cell for cell in done if cell.id.startswith(request.cell)]
        if not chosen:
            raise BadParameter(f"No cell that is done has the id '{request.cell}'.", parameter="cell")
        return chosen[:1]
    labels = list(dict.fromkeys(cell.label for cell in results))
    if request.run is not None:
        if request.run not in labels:
            raise BadParameter(
                f"There is no run '{request.run}'; the runs are {', '.join(labels)}."
                f"{did_you_mean(request.run, labels)}",
                parameter="run",
            )
        labels = [request.run]
    first = (next((cell for cell in done if cell.label == label), None) for label in labels)
    return [cell for cell in first if cell is not None]


def _inputs(store: Store, cell: CellResult, wanted: Sequence[str]) -> dict[str, Any]:
    """What a plot is made from, read where it lies."""
    given: dict[str, Any] = {}
    if "published" in wanted:
        given["published"] = store.release(cell.id).data
    if "original" in wanted:
        if cell.id in store.outdated():
            raise NotApplicable("The data have changed since the cell was run, so it cannot be compared with them.")
        from crypsis.evaluate.dataset import view_of
        from crypsis.methods import METHODS

        columns = next((one.columns for one in store.cells() if one.id == cell.id), ())
        given["original"] = view_of(store.experiment().dataset.load(), METHODS[cell.method].accepts, columns)
    if "private" in wanted:
        given["private"] = store.cell(cell.id).facts
    return given


def _with_k(request: PlotRequest, cell: CellResult, takes: Sequence[str]) -> dict[str, Any]:
    """The k of the cell is the size that is required, where nothing else is said."""
    options = dict(request.options)
    if "k" in takes and options["k"] is None and isinstance(cell.parameters.get("k"), int):
        options["k"] = cell.parameters["k"]
    return options


def _titled(frame: Frame, request: PlotRequest, whose: str) -> Frame:
    title = request.title or frame.title
    return replace(frame, title=f"{title} · {whose}" if whose else title)
