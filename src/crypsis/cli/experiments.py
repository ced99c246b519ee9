"""What the commands that run experiments have in common: problems, progress on standard error, and the summary."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from crypsis.cli.output import figure_lines, note, note_compilation, review_words, show, show_table, shown_value
from crypsis.cli.printing import printable
from crypsis.cli.settings import SETTINGS
from crypsis.cli.where_to_run import WhereToRun, refuse_without_parts
from crypsis.errors import CrypsisError
from crypsis.executors.choice import PATHS, SERIAL
from crypsis.wording import counted

if TYPE_CHECKING:
    from crypsis.evaluate import Experiment, Outcome, Problem
    from crypsis.evaluate.plot_requests import PlotRequest
    from crypsis.evaluate.stored_cell import StoredCell

SIGNS = {
    "done": "✓", "infeasible": "–", "failed": "✗", "unsafe": "✗", "cancelled": "○", "too_slow": "✗", "waiting": "·",
}  # fmt: skip
FIGURES_SHOWN = 6
CELL_DIGITS = 8  # which tell cells apart


def refuse_problems(problems: Sequence[Problem]) -> None:
    """Every problem on a line of its own, then exit with 2."""
    if not problems:
        return
    for problem in problems:
        print(printable(str(problem)), file=sys.stderr)
    if SETTINGS.get().json:
        content = {"code": "bad-experiment", "problems": [problem.to_dict() for problem in problems]}
        print(json.dumps({"error": content, "exit_code": 2}))
    raise typer.Exit(code=2)


def carry_out(
    experiment: Experiment,
    out: Path,
    *,
    where: WhereToRun,
    fresh: bool,
    seconds: float | None,
    memory: float | None,
    strict: bool = False,
) -> None:
    """Check, run, show, and exit with the code of the outcome, or, if `strict`, of its lights."""
    from crypsis.evaluate import Store, run

    experiment, workers = sent_to(experiment, where)
    refuse_problems(experiment.check())
    note_compilation()
    outcome = run(
        experiment,
        out,
        workers=workers,
        fresh=fresh,
        limits={"seconds": seconds, "memory_mb": memory},
        on_event=Told(),
    )
    written = write_pictures(out)
    show_outcome(outcome, written)
    raise typer.Exit(code=outcome.exit_code or (strict_code(Store(out).results(stale=False)) if strict else 0))


def sent_to(experiment: Experiment, where: WhereToRun) -> tuple[Experiment, int | None]:
    """The experiment with what was typed about where to run, and the number of processes that run cells."""
    typed = where.given()
    workers = typed.pop("workers", None)
    section = {**(experiment.content.get("executor") or {}), **typed}
    if not section:
        return experiment, workers
    if "executor" not in section:
        refuse_without_parts(replace(where, workers=None))
    if workers is not None and section.get("executor") != SERIAL:
        section["workers"], workers = workers, None
    here = {name: str(Path(section[name]).absolute()) for name in PATHS if name in typed}
    return replace(experiment, content={**experiment.content, "executor": {**section, **here}}), workers


def strict_code(rows: Sequence[Mapping[str, Any]]) -> int:
    """The exit code of the worst light of any result: 0, 6 or 7."""
    from crypsis.evaluate.results import LIGHTS

    colours = {row.get(name) for row in rows for name in LIGHTS}
    return 7 if "red" in colours else 6 if "amber" in colours else 0


def write_pictures(folder: Path) -> list[Path]:
    """The plots that the experiment asks for, and its report; a picture that cannot be had is no failure of the run."""
    from crypsis.evaluate import Store, report
    from crypsis.evaluate.plots.of_store import frames_of_experiment, write_plots

    store = Store(folder)
    written: list[Path] = []
    try:
        if store.experiment().plots and any(row["state"] == "done" for row in store.results(stale=False)):
            drawn = [(frame, plot.formats) for plot, frame in frames_of_experiment(store, refused=_not_drawn)]
            written += write_plots(drawn, folder / "plots", overwrite=True)
        written += report.write_report(store)
    except CrypsisError as error:
        note(f"{error.code}: {error}")
    return written


def _not_drawn(plot: PlotRequest, error: CrypsisError) -> None:
    note(f"the plot {plot.kind} is not drawn: {error}")


class Told:
    """Events as lines on standard error: words, or JSON with --json."""

    def __init__(self) -> None:
        self.total = self.ended = 0
        self.names: dict[str, str] = {}
        self.phases: set[tuple[str, str]] = set()

    def __call__(self, event: dict[str, Any]) -> None:
        settings = SETTINGS.get()
        if settings.quiet:
            return
        if settings.json:
            print(json.dumps(event, default=str), file=sys.stderr, flush=True)
            return
        words = self.words(event)
        if words:
            note(words)

    def words(self, event: Mapping[str, Any]) -> str | None:
        kind = event["event"]
        if kind == "experiment":
            self.total = int(event["waiting"])
            reused = f", {event['reused']} finished before" if event["reused"] else ""
            cells, workers = counted(event["cells"], "cell"), counted(event["workers"], "worker")
            return f"{event['name']}: {cells}{reused}, {workers}"
        if kind == "phase":
            known = (event["cell"], event["phase"])
            if known in self.phases:  # how far it is goes to the browser; a line tells what begins
                return None
            self.phases.add(known)
            return f"    {event['phase']}  {self.names.get(event['cell'], event['cell'])}"
        if kind == "cell" and event["state"] == "running":
            self.names[event["cell"]] = cell_words(event)
            return f"  ▸ running  {cell_words(event)}"
        if kind == "cell":
            self.ended += 1
            reason = f": {event['message']}" if event.get("message") else ""
            return f"{self.ended}/{self.total} {SIGNS[event['state']]} {event['state']}  {cell_words(event)}{reason}"
        if kind == "done":
            return f"done in {event['seconds']:,.1f} s"
        return None


def cell_words(cell: Mapping[str, Any]) -> str:
    """`cluster+pcta delta=0.65, repeat 2`."""
    words = [f"{name}={cell['params'][name]}" for name in cell.get("swept", ())]
    words += [f"repeat {cell['repeat'] + 1}"] if cell.get("repeat") else []
    return f"{cell['label']} {', '.join(words)}".strip()


def show_outcome(outcome: Outcome, written: Sequence[Path]) -> None:
    """The summary box of one cell, or a table with a line for each setting."""
    from crypsis.evaluate import Store

    store = Store(outcome.folder)
    rows = store.results(stale=False)
    if SETTINGS.get().json:
        show({**outcome.to_dict(), "results": rows, "written": [str(path) for path in written]}, "")
        return
    if len(rows) == 1:
        show_cell(store.cell(str(rows[0]["cell"])), rows[0])
    else:
        show_rows(rows)
    counted = ", ".join(f"{number} {state}" for state, number in outcome.counts.items())
    print(printable(f"{counted}; {outcome.seconds:,.1f} s\nresults  {outcome.folder / 'results.csv'}"))
    for path in written:
        print(printable(f"wrote    {path}"))


def show_rows(rows: Sequence[Mapping[str, Any]], title: str = "", *, cells: bool = False) -> None:
    """Settings with the mean of their repeats; with `cells` by which digits each is asked for, the first of repeats."""
    from crypsis.evaluate.results import figure_columns, parameter_columns, summaries
    from crypsis.metrics import short_names

    columns, short = figure_columns(rows), short_names()
    hidden = {figure for name in columns if name in short for figure in short[name].values()}  # by its short name
    figures = [name for name in columns if name not in hidden][:FIGURES_SHOWN]
    varied = [
        name
        for name in parameter_columns(rows)
        if len({(row["label"], row[name]) for row in rows}) > len({row["label"] for row in rows})
    ]
    repeated = any(row["repeat"] for row in rows)
    table = []
    for summary in summaries(rows, figures):
        line = [str(summary["cell"])[:CELL_DIGITS]] if cells else []
        line += [
            str(summary["label"]),
            *(shown_value(summary[name]) for name in varied),
            str(summary["state"]),
            _lights(summary),
        ]
        for name in figures:
            spread = f" ± {shown_value(summary[f'{name} deviation'])}" if repeated and summary[name] is not None else ""
            line.append(shown_value(summary[name]) + spread)
        table.append([*line, shown_value(summary["runtime"])])
    show_table([*(["cell"] if cells else []), "run", *varied, "state", "lights", *figures, "seconds"], table, title)


def _lights(one: Mapping[str, Any]) -> str:
    """`green red green`: guarantee, disclosure, usefulness; of repeats the worst."""
    from crypsis.evaluate.results import LIGHTS

    return " ".join(one[name] or "–" for name in LIGHTS)


def show_cell(stored: StoredCell, row: Mapping[str, Any]) -> None:
    """Status, verdict, parameters, losses and times of one cell."""
    from crypsis.evaluate.results import figure_columns

    end, times = stored.end, stored.times
    lines = [f"{SIGNS[end.state]} {end.state}: {row['label']} ({row['method']})"]
    if stored.proof is not None:
        lines.append(f"  {stored.proof.words}")
    if end.message and end.state != "unsafe":
        lines.append(f"  {end.code}: {end.message}")
    if stored.review is not None:
        lines += [f"  {line}" for line in review_words(stored.review).splitlines()]
    params = ", ".join(f"{name}={value}" for name, value in (stored.cell.params if stored.cell else {}).items())
    lines.append(f"  parameters  {params or 'as they are by default'}")
    lines += figure_lines({name: row[name] for name in figure_columns([row]) if row[name] is not None})
    phases = times.phases if times is not None else ()
    lines += [f"  seconds {phase.name:<30}{shown_value(phase.seconds)}" for phase in phases]
    print(printable("\n".join(lines)))


def usual_folder(file: Path) -> Path:
    """Where the results of an experiment file go unless told otherwise."""
    return file.with_name(f"{file.stem}.results")


def is_experiment(path: Path) -> bool:
    """Whether a file is an experiment by its name: everything else is data."""
    return path.suffix.lower() in (".toml", ".json")
