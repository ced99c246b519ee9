"""Results of an experiment as plots read them: one cell per row, with its configuration, parameters and figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from crypsis.errors import BadParameter, NotApplicable, did_you_mean
from crypsis.metrics import all_figures, figure_named, short_names
from crypsis.metrics.figure import HIGHER
from crypsis.reports.figure_titles import figure_title
from crypsis.translation import ENGLISH, _, language
from crypsis.translation.wording import shown

if TYPE_CHECKING:
    from crypsis.evaluate.cells import Cell
    from crypsis.evaluate.store import Store
    from crypsis.review import Review

DONE = "done"
RUNTIME = "runtime"


@dataclass(frozen=True)
class CellResult:
    """One cell: the run's label, the parameters that were used, and what came of it."""

    label: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    repeat: int = 0
    state: str = DONE
    metrics: Mapping[str, float | int | None] = field(default_factory=dict)
    phases: Mapping[str, float] = field(default_factory=dict)
    runtime: float | None = None
    method: str = ""
    guarantee: str = ""
    verified: bool | None = None
    verdict: str = ""
    message: str = ""
    id: str = ""
    review: Review | None = None

    @classmethod
    def of(cls, row: CellResult | Mapping[str, Any]) -> CellResult:
        """From a plain mapping with these names."""
        if isinstance(row, CellResult):
            return row
        known = {name: row[name] for name in cls.__dataclass_fields__ if row.get(name) is not None}
        return cls(**known)

    @property
    def seconds(self) -> float | None:
        """Wall time of all phases."""
        if self.runtime is not None:
            return self.runtime
        if RUNTIME in self.metrics:
            return self.metrics[RUNTIME]
        return sum(self.phases.values()) if self.phases else None

    def value(self, name: str) -> Any:
        """A parameter or a figure by its name; None where the cell has none."""
        if name in self.parameters:
            return self.parameters[name]
        if name == RUNTIME:
            return self.seconds
        return self.metrics.get(name)


class Results(Sequence[CellResult]):
    """The cells of an experiment, in their order."""

    def __init__(self, rows: Iterable[CellResult | Mapping[str, Any]]) -> None:
        self.cells = tuple(CellResult.of(row) for row in rows)

    @classmethod
    def of_store(cls, store: Store) -> Results:
        """The cells of the experiment as it was run last; stale ones are left out."""
        return cls(_stored(store, cell) for cell in store.cells())

    def __len__(self) -> int:
        return len(self.cells)

    def __getitem__(self, index: Any) -> Any:
        return self.cells[index]

    @property
    def parameters(self) -> list[str]:
        """Every parameter of any cell, in the order in which they come."""
        return list(dict.fromkeys(name for cell in self.cells for name in cell.parameters))

    @property
    def metrics(self) -> list[str]:
        """Every figure of any cell; the time is the last."""
        names = dict.fromkeys(name for cell in self.cells for name in cell.metrics if name != RUNTIME)
        timed = any(cell.seconds is not None for cell in self.cells)
        return [*names, *([RUNTIME] if timed else [])]

    @property
    def varying(self) -> list[str]:
        """Parameters that differ between cells of one label."""
        names: dict[str, None] = {}
        by_label: dict[str, list[CellResult]] = {}
        for cell in self.cells:
            by_label.setdefault(cell.label, []).append(cell)
        for cells in by_label.values():
            for name in dict.fromkeys(name for cell in cells for name in cell.parameters):
                if len({shown(cell.parameters.get(name)) for cell in cells}) > 1:
                    names[name] = None
        return [name for name in self.parameters if name in names]

    def figure_named(self, name: str) -> str:
        """The figure of that name; a short name stands for the one figure that it begins."""
        known = self.metrics
        if name in known:
            return name
        longer = [metric for metric in known if metric in (f"{name}_loss", f"{name}_score", figure_named(name).name)]
        if len(longer) == 1:
            return longer[0]
        if not known:
            raise NotApplicable("No cell of these results has a figure yet; run the experiment first.")
        raise BadParameter(
            f"The results have no figure '{name}'; they have {', '.join(known)}.{did_you_mean(name, known)}",
            parameter="y",
        )

    def axis_named(self, name: str) -> str:
        """The parameter or figure of that name."""
        return name if name in self.parameters else self.figure_named(name)

    def series_name(self, cell: CellResult, without: Iterable[str]) -> str:
        """The label, and the varying parameters that are not on the axis: one line per configuration."""
        left_out = set(without)
        words = [
            f"{name} = {shown(cell.parameters[name])}"
            for name in self.varying
            if name not in left_out and name in cell.parameters and self._varies_within(cell.label, name)
        ]
        return ", ".join([cell.label, *words])

    def cell_name(self, cell: CellResult) -> str:
        """What tells a cell from all others."""
        repeated = len({other.repeat for other in self.cells if other.label == cell.label}) > 1
        repeat = f", repeat {cell.repeat + 1}" if repeated else ""
        return self.series_name(cell, ()) + repeat

    def _varies_within(self, label: str, name: str) -> bool:
        return len({shown(cell.parameters.get(name)) for cell in self.cells if cell.label == label}) > 1


def _stored(store: Store, cell: Cell) -> CellResult:
    stored = store.cell(cell.id)
    times, proof = stored.times, stored.proof
    return CellResult(
        label=cell.label,
        parameters=cell.params,
        repeat=cell.repeat,
        state=stored.state,
        metrics=stored.figures,
        phases={} if times is None else {phase.name: phase.seconds for phase in times.phases},
        runtime=None if times is None else times.runtime,
        method=cell.method,
        guarantee="" if proof is None else proof.guarantee,
        verified=None if proof is None else proof.verified,
        verdict="" if proof is None else proof.words,
        message=stored.end.message or "",
        id=cell.id,
        review=stored.review,
    )


def axis_label(name: str) -> str:
    """The label of a figure; a parameter is called by its name."""
    if name == RUNTIME:
        return _("Wall time (seconds)")
    return figure_title(name) if is_figure(name) else name


def is_figure(name: str) -> bool:
    """Whether a metric states such a figure, or the name ends as those of figures do."""
    figure = figure_named(name)
    return figure.name in all_figures() or name in short_names() or name.endswith(("_loss", "_score"))


def higher_is_better(name: str) -> bool:
    """Which way a figure is better; times and what is not known should fall."""
    return figure_named(name).better == HIGHER


def within(words: str) -> str:
    """Words inside a title; abbreviations stay as they are, and so does everything in languages with other rules."""
    return words[:1].lower() + words[1:] if words[1:2].islower() and language() == ENGLISH else words
