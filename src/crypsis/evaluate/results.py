"""The results of an experiment as a table: one row per cell, columns in one order, times at the end."""

from __future__ import annotations

import io
import statistics
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from crypsis import notebook
from crypsis.atomic import write_file

if TYPE_CHECKING:
    import polars as pl

    from crypsis.evaluate.cells import Cell
    from crypsis.evaluate.store import Store
    from crypsis.evaluate.stored_cell import StoredCell

Value: TypeAlias = str | int | float | bool | None
ResultRow: TypeAlias = dict[str, Value]  # one cell, by column

FIRST = ("cell", "label", "method", "state", "stale", "repeat", "seed")
LIGHTS = ("guarantee_light", "disclosure_light", "usefulness_light")
OUTCOME = ("guarantee", "verified", "achieved", "required", *LIGHTS)
TIMES = ("runtime", "seconds_verify", "seconds_measure", "seconds_write", "cpu_seconds", "peak_memory_mb")
LAST = ("code", "message")


def is_time_column(name: str) -> bool:
    """Whether a column may differ between two runs of one experiment."""
    return name in TIMES or name.startswith("seconds_")


def rows_of(store: Store, *, stale: bool = True, outdated: Collection[str] = ()) -> list[ResultRow]:
    """The rows of a store; parameters, figures and phases as the cells have them, in order of first appearance.

    Figures that the experiment asks for come first and have their column even where no cell has them.
    """
    from crypsis.metrics import short_names

    entries = [(store.cell(cell.id), cell, cell.id in outdated) for cell in store.cells()]
    if stale:
        kept = [(stored, stored.cell, True) for stored in map(store.cell, store.stale()) if stored.cell is not None]
        entries += sorted(kept, key=lambda entry: _setting(entry[1]))
    params = _in_order(cell.params for _, cell, _ in entries)
    asked = dict.fromkeys(name for name in store.metrics() if name in short_names())
    figures = _in_order([asked, *(stored.figures for stored, _, _ in entries)])
    phases = _in_order(_phases(stored) for stored, _, _ in entries)
    taken = {*FIRST, *OUTCOME, *TIMES, *LAST}
    names = {name: name if name not in taken and name not in figures else f"param {name}" for name in params}
    return [
        _row(stored, cell, names) | {"stale": old} | _figures_and_times(stored, figures, phases)
        for stored, cell, old in entries
    ]


def _setting(cell: Cell) -> tuple[Any, ...]:
    """By label and parameters, numbers as numbers."""
    values = [
        (name, 0, value, "") if isinstance(value, (int, float)) else (name, 1, 0, str(value))
        for name, value in cell.params.items()
    ]
    return cell.label, values, cell.repeat, cell.id


def _row(stored: StoredCell, cell: Cell, params: Mapping[str, str]) -> ResultRow:
    """What was run and how it ended."""
    row: ResultRow = dict.fromkeys(FIRST)
    row |= {"cell": cell.id, "label": cell.label, "method": cell.method, "state": stored.state}
    row |= {"repeat": cell.repeat, "seed": cell.seed}
    row |= {column: _plain(cell.params.get(name)) for name, column in params.items()}
    row |= {name: getattr(stored.proof, name, None) for name in OUTCOME}
    colours = {} if stored.review is None else {name: str(light.colour) for name, light in stored.review.lights()}
    return row | {name: colours.get(name.removesuffix("_light")) for name in LIGHTS}


def _figures_and_times(stored: StoredCell, figures: Sequence[str], phases: Sequence[str]) -> ResultRow:
    row: ResultRow = {name: stored.figures.get(name) for name in figures}
    row |= {"code": stored.end.code, "message": stored.end.message}
    row |= {name: getattr(stored.times, name, None) for name in TIMES}
    seconds = _phases(stored)
    return row | {name: seconds.get(name) for name in phases}


def _phases(stored: StoredCell) -> dict[str, float]:
    listed = stored.times.phases if stored.times is not None else ()
    return {f"seconds_{phase.name.replace(' ', '_')}": phase.seconds for phase in listed}


def _in_order(tables: Iterable[Mapping[str, Any]]) -> list[str]:
    columns: dict[str, None] = {}
    for table in tables:
        columns |= dict.fromkeys(table)
    return list(columns)


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def frame_of(rows: Sequence[Mapping[str, Value]]) -> pl.DataFrame:
    """The rows as a frame; a column of mixed types is text."""
    import polars as pl

    if not rows:
        return pl.DataFrame({name: [] for name in (*FIRST, *OUTCOME, *LAST, *TIMES)})
    columns = []
    for name in rows[0]:
        values = [row[name] for row in rows]
        kinds = {type(value) for value in values if value is not None}
        if kinds <= {int, float} and len(kinds) == 2:
            values = [None if value is None else float(value) for value in values]
        elif len(kinds) > 1:
            values = [None if value is None else str(value) for value in values]
        columns.append(pl.Series(name, values))
    return pl.DataFrame(columns)


def write_results(store: Store) -> None:
    """results.csv and results.parquet, whole or as they were."""
    frame = frame_of(store.results())
    write_file(store.folder / "results.csv", frame.write_csv().encode(), mode=0o600)
    packed = io.BytesIO()
    frame.write_parquet(packed)
    write_file(store.folder / "results.parquet", packed.getvalue(), mode=0o600)


def summaries(rows: Sequence[Mapping[str, Value]], figures: Sequence[str]) -> list[ResultRow]:
    """Repeats put together: mean and standard deviation of each figure over the cells that are done, median times."""
    groups: dict[tuple[Any, ...], list[Mapping[str, Value]]] = {}
    params = parameter_columns(rows)
    for row in rows:
        if not row.get("stale"):
            groups.setdefault((row["label"], *(row[name] for name in params)), []).append(row)
    lines = []
    for members in groups.values():
        first = members[0]
        done = [row for row in members if row["state"] == "done"]
        one: ResultRow = {"cell": first.get("cell"), "label": first["label"], "method": first["method"]}
        one |= {name: first[name] for name in params}
        one |= {"repeats": len(members), "done": len(done), "state": _state_of(members)}
        one |= {name: _worst(row.get(name) for row in done) for name in LIGHTS}
        for name in figures:
            values = _numbers(row.get(name) for row in done)
            one[name] = statistics.fmean(values) if values else None
            one[f"{name} deviation"] = statistics.stdev(values) if len(values) > 1 else 0.0 if values else None
        times = _numbers(row.get("runtime") for row in done)
        one["runtime"] = statistics.median(times) if times else None
        lines.append(one)
    return lines


def _numbers(values: Iterable[Value]) -> list[float]:
    return [float(value) for value in values if isinstance(value, (int, float))]


def _worst(colours: Iterable[Value]) -> str | None:
    """Red before amber before green; None where there is none."""
    known = set(colours)
    return next((colour for colour in ("red", "amber", "green") if colour in known), None)


def parameter_columns(rows: Sequence[Mapping[str, Value]]) -> list[str]:
    """The columns that hold parameters."""
    if not rows:
        return []
    names = list(rows[0])
    return names[len(FIRST) : names.index(OUTCOME[0])]


def figure_columns(rows: Sequence[Mapping[str, Value]]) -> list[str]:
    """The columns that hold figures of metrics, short names first."""
    from crypsis.metrics import short_names

    if not rows:
        return []
    names = list(rows[0])
    figures = names[names.index(OUTCOME[-1]) + 1 : names.index(LAST[0])]
    short = short_names()
    return sorted(figures, key=lambda name: name not in short)


def comparison_html(title: str, rows: Sequence[Mapping[str, Value]]) -> str:
    """A comparison in a notebook: one line a setting, and a bar for the first figure that has a direction."""
    from crypsis.metrics import figure_named

    names = [name for name in figure_columns(rows) if figure_named(name).better][:6]
    shown = summaries(rows, names)
    varied = [name for name in parameter_columns(rows) if len({str(one[name]) for one in shown}) > 1]
    heads = ["run", *varied, "state", *LIGHTS, *(f"{name} ({figure_named(name).better})" for name in names)]
    lines = [
        [one["label"], *(one[name] for name in varied), one["state"], *(one[name] for name in LIGHTS)]
        + [None if one[name] is None else f"{one[name]:.4g}" for name in names]
        for one in shown
    ]
    parts = [notebook.heading("Comparison", title), notebook.rows(heads, lines, f"{len(lines)} settings")]
    drawn = [(str(one["label"]), value) for one in shown if names for value in _numbers([one[names[0]]])]
    if drawn:
        parts.append(notebook.bars(drawn, f"{names[0]} ({figure_named(names[0]).better})"))
    return notebook.framed(*parts)


def _state_of(members: Sequence[Mapping[str, Value]]) -> str:
    states = [str(row["state"]) for row in members]
    return states[0] if len(set(states)) == 1 else "mixed"
