"""The plots of an experiment from its store: those that the file asks for, or those that say most without asking."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Required, TypedDict

from crypsis.atomic import write_file
from crypsis.drawing.frame import Frame
from crypsis.errors import BadParameter, CrypsisError, NotApplicable, OutputExists, did_you_mean
from crypsis.evaluate.plots import FORMATS, PLOTS, draw, frame_of, plot_named, to_csv
from crypsis.evaluate.plots.results import DONE, RUNTIME, CellResult, Results
from crypsis.translation import marked

if TYPE_CHECKING:
    from crypsis.evaluate.store import Store

SECTION_KEYS = ("kind", "x", "y", "column", "k", "seed", "run", "cell", "format", "title")
_OPTIONS = ("x", "y", "column", "k", "seed")
_MOST_LINES = 4


def section_problems(section: Any) -> list[str]:
    """What is wrong with a `[[plot]]` of an experiment file, before anything is run; all problems at once."""
    if not isinstance(section, Mapping):
        return [marked("a plot is a table with a kind")]
    problems = [
        marked(
            f"a plot has no key '{key}'; its keys are {', '.join(SECTION_KEYS)}.{did_you_mean(str(key), SECTION_KEYS)}"
        )
        for key in section
        if key not in SECTION_KEYS
    ]
    kind = str(section.get("kind", ""))
    name = kind.replace("-", "_")
    if name not in PLOTS:
        problems.append(
            marked(f"there is no plot '{kind}'; the plots are {', '.join(PLOTS)}.{did_you_mean(name, PLOTS)}")
        )
    else:
        plot = PLOTS[name]
        problems += [marked(f"the plot {name} needs '{need}'") for need in plot.needs if section.get(need) is None]
        known = (*plot.needs, *plot.takes)
        unused = [key for key in _OPTIONS if key in section and key not in known]
        problems += [marked(f"the plot {name} takes no '{key}'") for key in unused]
    told = section.get("format")
    if told is not None and not isinstance(told, (str, list)):
        problems.append(marked(f"format must be a text or a list of texts, got {told!r}"))
        told = None
    for format in formats_of(told):
        if format not in FORMATS:
            problems.append(
                marked(
                    f"there is no picture format '{format}'; there are {', '.join(FORMATS)}."
                    f"{did_you_mean(format, FORMATS)}"
                )
            )
    return problems


def formats_of(given: Any) -> list[str]:
    """The formats of `"svg,png"` or `["svg", "png"]`; svg where nothing is said."""
    if given is None:
        return ["svg"]
    listed = given.split(",") if isinstance(given, str) else [str(one) for one in given]
    return [one.strip().lower().replace("jpeg", "jpg") for one in listed if one.strip()]


class PlotSection(TypedDict, total=False):
    """One `[[plot]]` of an experiment file that is about the figures of all cells."""

    kind: Required[str]
    x: str
    y: str


def suggested_sections(results: Results) -> list[PlotSection]:
    """Plots for an experiment that asks for none: lines for what was varied, times, and the trade-off."""
    figures = [name for name in results.metrics if name != RUNTIME and _varies(results, name)]
    figures = figures or [name for name in results.metrics if name != RUNTIME]
    sections: list[PlotSection] = []
    for parameter in results.varying:
        if parameter == "seed":
            continue
        sections += [{"kind": "line", "x": parameter, "y": name} for name in figures[:_MOST_LINES]]
        if RUNTIME in results.metrics:
            sections.append({"kind": "line", "x": parameter, "y": RUNTIME})
    if any(cell.phases for cell in results):
        sections.append({"kind": "phases"})
    if len(figures) >= 2:
        sections.append({"kind": "tradeoff", "x": figures[0], "y": figures[1]})
    return sections


def frames_of_section(store: Store, section: Mapping[str, Any], results: Results | None = None) -> list[Frame]:
    """The frames of one `[[plot]]`: one of all cells, or one per run where it is about published data.

    `run` names the run and `cell` the cell that is shown; otherwise it is the first cell of every run that is done.
    """
    plot = plot_named(str(section.get("kind", "")))
    cells = Results.of_store(store) if results is None else results
    options = {name: section.get(name) for name in _OPTIONS}
    if plot.of_results:
        return [_titled(frame_of(plot.name, results=cells, **options), section, "")]
    if plot.inputs == ("original",):
        return [_titled(frame_of(plot.name, original=store.experiment().dataset.load(), **options), section, "")]
    frames = []
    refused: CrypsisError | None = None
    for cell in _shown_cells(cells, section):
        try:
            made = frame_of(plot.name, **_inputs(store, cell, plot.inputs), **_with_k(options, cell, plot.takes))
        except NotApplicable as error:
            refused = refused or error
            continue
        frames.append(_titled(made, section, cells.series_name(cell, ())))
    if not frames and refused is not None:
        raise refused
    if not frames:
        raise NotApplicable(f"The plot {plot.name} shows published data, and no cell is done yet.")
    return frames


def frames_of_experiment(
    store: Store, *, refused: Callable[[Mapping[str, Any], CrypsisError], None] | None = None
) -> list[tuple[Mapping[str, Any], Frame]]:
    """Every plot that the experiment asks for, or the suggested ones; what cannot be drawn yet is left out.

    `refused` is told what was left out and why.
    """
    cells = Results.of_store(store)
    sections: Sequence[Mapping[str, Any]] = store.experiment().plots or suggested_sections(cells)
    found = []
    for section in sections:
        try:
            found += [(section, frame) for frame in frames_of_section(store, section, cells)]
        except (NotApplicable, BadParameter) as error:
            if refused is not None:
                refused(section, error)
    return found


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


def _shown_cells(results: Results, section: Mapping[str, Any]) -> list[CellResult]:
    done = [cell for cell in results if cell.state == DONE]
    if section.get("cell") is not None:
        chosen = [cell for cell in done if cell.id.startswith(str(section["cell"]))]
        if not chosen:
            raise BadParameter(f"No cell that is done has the id '{section['cell']}'.", parameter="cell")
        return chosen[:1]
    labels = list(dict.fromkeys(cell.label for cell in results))
    if section.get("run") is not None:
        if section["run"] not in labels:
            raise BadParameter(
                f"There is no run '{section['run']}'; the runs are {', '.join(labels)}."
                f"{did_you_mean(str(section['run']), labels)}",
                parameter="run",
            )
        labels = [str(section["run"])]
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


def _with_k(options: Mapping[str, Any], cell: CellResult, takes: Sequence[str]) -> dict[str, Any]:
    """The k of the cell is the size that is required, where nothing else is said."""
    known = dict(options)
    if "k" in takes and known.get("k") is None and isinstance(cell.parameters.get("k"), int):
        known["k"] = cell.parameters["k"]
    return known


def _titled(frame: Frame, section: Mapping[str, Any], whose: str) -> Frame:
    title = str(section["title"]) if section.get("title") else frame.title
    return replace(frame, title=f"{title} · {whose}" if whose else title)
