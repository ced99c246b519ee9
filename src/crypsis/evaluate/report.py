"""The report of an experiment: one page for people (report.html), the same for programs (report.json).

The page is self-contained: it loads nothing, and may run only the script that makes its plots interactive. It can be
made at any time; cells that have not run yet are shown as such.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

from crypsis.atomic import write_file
from crypsis.drawing.frame import Frame
from crypsis.drawing.markup import Markup, element, join
from crypsis.evaluate.machine_paths import machine_folders, without_folders
from crypsis.evaluate.plot_requests import PlotRequest
from crypsis.evaluate.plots import PLOT_SCRIPT, PLOT_STYLE, interactive_svg
from crypsis.evaluate.plots.of_store import frames_of_experiment
from crypsis.evaluate.plots.results import DONE, RUNTIME, CellResult, Results, axis_label, higher_is_better, within
from crypsis.evaluate.results import FIRST, OUTCOME
from crypsis.metrics import all_figures, figure_named, short_names
from crypsis.reports.page import exact, items, page, paragraph, section
from crypsis.reports.sections.lights import TITLES, lights
from crypsis.reports.stylesheet import PAGE_STYLE
from crypsis.translation import _, marked, translated
from crypsis.translation.wording import counted, figure, shown
from crypsis.version import VERSION
from crypsis.wording import capital

if TYPE_CHECKING:
    from crypsis.evaluate.experiment import Experiment
    from crypsis.evaluate.store import Store

MOST_FIGURES = 7
MOST_FINDINGS = 20
_SIGNS = {
    "done": "✓",
    "infeasible": "∅",
    "failed": "✗",
    "unsafe": "⚠",
    "too_slow": "⏱",
    "cancelled": "■",
    "waiting": "…",
    "running": "▸",
}
_MEANING = {
    "done": marked("published and verified"),
    "infeasible": marked("no release with this guarantee exists, or the method cannot make one"),
    "failed": marked("ended with an error"),
    "unsafe": marked("the verifier found that the guarantee does not hold; nothing of it may be published"),
    "too_slow": marked("stopped at the limit for one cell"),
    "cancelled": marked("stopped by hand"),
    "waiting": marked("not run yet"),
    "running": marked("running while this was written"),
}
_STYLE = """
main, footer { max-width: 1180px; }
.cells { font-size: 14px; }
.cells th, .cells td { padding: 7px 16px 7px 0; overflow-wrap: normal; }
.cells tbody th { font-size: 14px; }
.cells thead th.numeric { text-align: right; }
.cells td.state { white-space: nowrap; }
.cells .best { font-weight: 700; }
.state-done { color: var(--good); }
.state-infeasible, .state-waiting, .state-running, .state-cancelled { color: var(--caution); }
.state-failed, .state-unsafe, .state-too_slow { color: var(--bad); }
.plots { display: grid; grid-template-columns: 1fr 1fr; gap: 44px 40px; align-items: start; }
.plots > figure { min-width: 0; }
pre { max-height: 420px; overflow: auto; }
details summary { cursor: pointer; color: var(--muted); }
@media screen and (max-width: 900px) { .plots { grid-template-columns: 1fr; } }
""".strip()


@dataclass(frozen=True)
class Best:
    """The setting that is best in one figure, with its mean and its cells."""

    figure: str
    setting: str
    value: float
    cells: tuple[str, ...]


class Estimates(NamedTuple):
    """A figure of a cell by both estimates of counts over generalized items."""

    cell: str
    label: str
    figure: str
    uniform: float
    subset: float


@dataclass(frozen=True, eq=False)
class ExperimentReport:
    """What is known about an experiment at one moment."""

    name: str
    results: Results
    plots: Sequence[tuple[PlotRequest, Frame]]
    file: str = ""
    data: str = ""
    folders: tuple[str, ...] = ()  # of this machine, which are not told
    stale: Sequence[Mapping[str, Any]] = ()  # rows of results that are of data or settings that have changed since

    @classmethod
    def of_store(cls, store: Store, now: Experiment | None = None) -> ExperimentReport:
        """Read from the folder of an experiment; `now` is the experiment as it would be run now."""
        experiment = store.experiment()
        dataset = experiment.content.get("dataset", {})
        return cls(
            name=experiment.name or store.folder.name,
            results=Results.of_store(store),
            plots=frames_of_experiment(store),
            file=experiment.to_toml(),
            data=Path(str(dataset.get("path", ""))).name,
            folders=machine_folders(experiment.content, experiment.folder, store.folder, Path.cwd()),
            stale=[row for row in store.results(outdated=store.outdated(now)) if row["stale"]],
        )

    @property
    def counts(self) -> dict[str, int]:
        """Cells by state, those that occur."""
        counts = Counter(cell.state for cell in self.results)
        return {state: counts[state] for state in _SIGNS if counts[state]}

    @property
    def figures(self) -> list[str]:
        """The figures that the table of cells shows: the first ones that some cell has, and the time."""
        names = [
            name for name in self.results.metrics if name != RUNTIME and name not in alternative_estimates().values()
        ]
        timed = [RUNTIME] if RUNTIME in self.results.metrics else []
        return names[:MOST_FIGURES] + timed

    @property
    def estimates(self) -> list[Estimates]:
        """Both estimates of counts over generalized items, of the cells that have them; uniform is the headline."""
        estimates, short = alternative_estimates(), short_names()
        return [
            Estimates(cell.id, cell.label, name, uniform, subset)
            for cell in self.results
            for name, other in estimates.items()
            if name not in short or not any(figure in cell.metrics for figure in estimates if figure not in short)
            if (uniform := _number(cell.metrics.get(name))) is not None
            if (subset := _number(cell.metrics.get(other))) is not None
        ]

    def best(self) -> list[Best]:
        """For every figure with a direction: the setting that is best on average over repeats, the first of equals."""
        winners = []
        for name in self.figures:
            settings: dict[str, list[CellResult]] = {}
            for cell in self.results:
                if cell.state == DONE and _number(cell.value(name)) is not None:
                    settings.setdefault(self.results.series_name(cell, ()), []).append(cell)
            means = {setting: fmean(float(one.value(name)) for one in cells) for setting, cells in settings.items()}
            if len(set(means.values())) > 1 and _has_direction(name):
                chosen = (max if higher_is_better(name) else min)(means, key=means.__getitem__)
                winners.append(Best(name, chosen, means[chosen], tuple(cell.id for cell in settings[chosen])))
        return winners

    def to_dict(self) -> dict[str, Any]:
        """The report for programs."""
        return {
            "schema": "crypsis-experiment-report/1",
            "software": {"name": "crypsis", "version": VERSION},
            "name": self.name,
            "counts": self.counts,
            "cells": [
                {
                    "id": cell.id,
                    "label": cell.label,
                    "method": cell.method,
                    "parameters": dict(cell.parameters),
                    "repeat": cell.repeat,
                    "state": cell.state,
                    "guarantee": cell.guarantee or None,
                    "verified": cell.verified,
                    "verdict": cell.verdict or None,
                    "message": cell.message or None,
                    "review": None if cell.review is None else cell.review.to_dict(),
                    "metrics": dict(cell.metrics),
                    "phases": dict(cell.phases),
                    "runtime": cell.seconds,
                }
                for cell in self.results
            ],
            "best": [
                {"figure": one.figure, "setting": one.setting, "cells": list(one.cells), "value": one.value}
                for one in self.best()
            ],
            "estimates": [estimate._asdict() for estimate in self.estimates],
            "stale": [{name: row[name] for name in ("cell", "label", "method", "state")} for row in self.stale],
            "plots": [
                {"kind": frame.kind, "title": frame.title, "note": frame.note, "data": frame.data.to_dicts()}
                for _kind, frame in self.plots
            ],
        }

    def to_json(self) -> str:
        text = json.dumps(self.to_dict(), ensure_ascii=False, indent=1, default=str) + "\n"
        return without_folders(text, self.folders)

    def to_html(self) -> str:
        """The page."""
        main = element(
            "main",
            self._header(),
            self._glance(),
            self._lights(),
            self._summary(),
            self._plots(),
            self._cells(),
            self._estimates(),
            self._problems(),
            self._stale(),
            self._making(),
        )
        footer = element(
            "footer",
            _(
                "Made with Crypsis. This page loads nothing from anywhere; its only script shows values and switches "
                "lines and axes."
            ),
        )
        style = f"{PAGE_STYLE}\n{_STYLE}\n{PLOT_STYLE}"
        whole = page(_("{name} · experiment report", name=self.name), style, main, footer, script=PLOT_SCRIPT)
        return without_folders(whole, self.folders)

    # Parts of the page, in their order

    def _header(self) -> Markup:
        counts = self.counts
        total = len(self.results)
        proven = sum(cell.state == DONE and cell.verified is True for cell in self.results)
        unproven = counts.get(DONE, 0) - proven
        bad = sum(counts.get(state, 0) for state in ("unsafe", "failed", "too_slow"))
        open_ = sum(counts.get(state, 0) for state in ("waiting", "running", "cancelled"))
        if counts.get("unsafe"):
            kind, words = "broken", _("{cells} violated the guarantee", cells=counted(counts["unsafe"], "cell"))
        elif bad:
            kind, words = "broken", _("{cells} of {total:,} did not end well", cells=counted(bad, "cell"), total=total)
        elif open_ or not total:
            kind, words = "idle", _("{cells} of {total:,} have not been run", cells=counted(open_, "cell"), total=total)
        elif unproven:
            cells = counted(unproven, "cell")
            kind, words = "idle", _("{cells} of {total:,} are done without a verdict", cells=cells, total=total)
        else:
            cells = counted(total, "cell")
            kind, words = "holds", _("{proven:,} of {cells} are done and verified", proven=proven, cells=cells)
        parts = [f"{exact(count)} {_state_words(state)}" for state, count in counts.items()]
        detail = ", ".join(parts) + "." if parts else _("There is no cell.")
        if counts.get("infeasible"):
            detail += " " + _("Infeasible is a result: no release with that guarantee can be had there.")
        verdict = element(
            "div",
            _emblem(kind),
            element("strong", words),
            element("p", detail),
            class_=f"verdict {kind}",
        )
        return element(
            "header", element("p", _("Experiment report"), class_="eyebrow"), element("h1", self.name), verdict
        )

    def _glance(self) -> Markup:
        cells = self.results
        methods = list(dict.fromkeys(cell.method for cell in cells if cell.method))
        labels = list(dict.fromkeys(cell.label for cell in cells))
        seconds = sum(cell.seconds or 0.0 for cell in cells)
        varied = ", ".join(name for name in cells.varying if name != "seed") or _("nothing")
        tiles = [
            _tile(_("Configurations"), len(labels), ", ".join(labels[:3]) + (" …" if len(labels) > 3 else "")),
            _tile(_("Cells"), len(cells), _("varied: {varied}", varied=varied)),
            _tile(_("Methods"), len(methods), ", ".join(methods[:3]) + (" …" if len(methods) > 3 else "")),
            _tile(
                _("Seconds in methods"),
                round(seconds, 2),
                _("data: {data}", data=self.data) if self.data else _("all cells together"),
            ),
        ]
        return section(_("At a glance"), element("dl", *tiles, class_="tiles"), class_="glance")

    def _lights(self) -> Markup:
        """All findings of a single result; of several, those that are not green."""
        reviewed = [(cell, cell.review) for cell in self.results if cell.review is not None]
        if not reviewed:
            return Markup("")
        if len(self.results) == 1:
            return lights(reviewed[0][1])
        reasons: dict[tuple[str, str], list[str]] = {}
        for cell, review in reviewed:
            for name, light in review.lights():
                for finding in light.findings:
                    if str(finding.colour) != "green":
                        words = (f"{_(TITLES[name])}: {_(str(finding.colour))}", translated(finding.sentence))
                        reasons.setdefault(words, []).append(self.results.cell_name(cell))
        lines: list[str] = [
            join([element("strong", sign), f" · {', '.join(names[:4])}{' …' if len(names) > 4 else ''}: {sentence}"])
            for (sign, sentence), names in list(reasons.items())[:MOST_FINDINGS]
        ]
        left = len(reasons) - len(lines)
        lines += [_("and {findings} more; report.json lists them", findings=counted(left, "finding"))] if left else []
        return section(
            _("Three lights"), items(lines) if lines else paragraph(_("All lights of all results are green."))
        )

    def _summary(self) -> Markup:
        sentences: list[str] = []
        for cell in self.best():
            label = within(axis_label(cell.figure))
            highest = higher_is_better(cell.figure)
            way = _("Highest {figure}: ", figure=label) if highest else _("Lowest {figure}: ", figure=label)
            often = _(", on average over {repeats} repeats", repeats=len(cell.cells)) if len(cell.cells) > 1 else ""
            sentence = join(
                [
                    way,
                    element("strong", figure(cell.value)),
                    _(" by {setting}{often}.", setting=cell.setting, often=often),
                ]
            )
            sentences.append(sentence)
        if not sentences:
            sentences = [_("There are no two finished cells yet that differ in a figure.")]
        return section(_("What came out best"), items(sentences))

    def _plots(self) -> Markup:
        drawn = [
            element(
                "figure",
                element("h3", frame.title),
                interactive_svg(frame, title=False, alone=False),
                element("figcaption", frame.note) if frame.note else "",
            )
            for _kind, frame in self.plots
        ]
        if not drawn:
            return section(_("Plots"), paragraph(_("There is nothing to draw yet.")))
        hint = paragraph(
            _(
                "Point at a mark, or move through the marks with the arrow keys, to read its values. "
                "The names above a plot switch its lines on and off."
            ),
            class_="muted small",
        )
        return section(_("Plots"), hint, element("div", *drawn, class_="plots"))

    def _cells(self) -> Markup:
        results, names = self.results, self.figures
        varying = results.varying
        best = {(one.figure, id) for one in self.best() for id in one.cells if id}
        repeated = any(cell.repeat for cell in results)
        heads = [element("th", _("Configuration"), scope="col")]
        heads += [element("th", name, scope="col", class_="numeric") for name in varying]
        heads += [element("th", _("Repeat"), scope="col", class_="numeric")] if repeated else []
        heads += [element("th", _("State"), scope="col"), element("th", _("Guarantee"), scope="col")]
        heads += [element("th", _("Lights"), scope="col", title=_("Guarantee, disclosure, usefulness"))]
        heads += [element("th", _head(name), scope="col", class_="numeric", title=axis_label(name)) for name in names]
        rows = []
        for cell in results:
            parts = [element("th", cell.label, scope="row")]
            parts += [
                element("td", shown(cell.parameters[name]) if name in cell.parameters else "", class_="numeric")
                for name in varying
            ]
            parts += [element("td", str(cell.repeat + 1), class_="numeric")] if repeated else []
            parts += [_state(cell), element("td", translated(cell.guarantee)), element("td", _colours(cell))]
            for name in names:
                value = _number(cell.value(name))
                sign = " best" if (name, cell.id) in best else ""
                parts.append(element("td", exact(value) if value is not None else "–", class_=f"numeric{sign}"))
            rows.append(element("tr", *parts))
        table = element("table", element("thead", element("tr", *heads)), element("tbody", *rows), class_="cells")
        states = [f"{_SIGNS[state]} {_state_words(state)}: {_(_MEANING[state])}" for state in self.counts]
        note = paragraph("; ".join(states) + ". " + _("The best value of a column is bold."), class_="muted small note")
        return section(_("Cells"), element("div", table, class_="scroll"), note)

    def _estimates(self) -> Markup:
        """Counts over generalized items by both estimates, side by side."""
        if not self.estimates:
            return Markup("")
        heads = [element("th", _("Configuration"), scope="col"), element("th", _("Figure"), scope="col")]
        heads += [element("th", name, scope="col", class_="numeric") for name in (_("uniform"), _("subset"))]
        rows = [
            element(
                "tr",
                element("th", estimate.label, scope="row"),
                element("td", capital(axis_label(estimate.figure))),
                element("td", exact(estimate.uniform), class_="numeric"),
                element("td", exact(estimate.subset), class_="numeric"),
            )
            for estimate in self.estimates
        ]
        table = element("table", element("thead", element("tr", *heads)), element("tbody", *rows), class_="cells")
        note = paragraph(
            _(
                "Uniform: a generalized item is one of its items, each as likely; all other tables show this. Subset: "
                "it is any non-empty subset of them, so that every item of a large one is held to be there half of the "
                "time."
            ),
            class_="muted small note",
        )
        return section(_("Counts over generalized items"), element("div", table, class_="scroll"), note)

    def _problems(self) -> Markup:
        groups: dict[tuple[str, str], list[CellResult]] = {}
        for cell in self.results:
            if cell.state in ("infeasible", "failed", "unsafe", "too_slow") and (cell.message or cell.verdict):
                groups.setdefault((cell.state, cell.message or cell.verdict), []).append(cell)
        if not groups:
            return Markup("")
        lines = []
        for (state, words), cells in groups.items():
            names = ", ".join(self.results.cell_name(cell) for cell in cells[:4])
            more = _(" and {more:,} more", more=len(cells) - 4) if len(cells) > 4 else ""
            lines.append(
                join(
                    [
                        element("strong", f"{_SIGNS[state]} {_state_words(state)}"),
                        f" · {names}{more}: {translated(words)}",
                    ]
                )
            )
        return section(_("Cells without a release"), items(lines))

    def _stale(self) -> Markup:
        if not self.stale:
            return Markup("")
        lines = []
        for row in self.stale:
            names = list(row)
            params = {name: row[name] for name in names[len(FIRST) : names.index(OUTCOME[0])] if row[name] is not None}
            settings = ", ".join(f"{name} = {shown(value)}" for name, value in params.items())
            sign = f"{_SIGNS[row['state']]} {_state_words(row['state'])}"
            lines.append(join([element("strong", sign), f" · {row['label']}{', ' if settings else ''}{settings}"]))
        words = _("These results are kept and are stale: they are of data or settings that have changed since.")
        return section(_("Stale results"), paragraph(words), items(lines))

    def _making(self) -> Markup:
        if not self.file:
            return Markup("")
        return section(
            _("How to repeat it"),
            paragraph(_("This file, run with the command below, makes all of it again.")),
            paragraph(element("code", "crypsis run FILE")),
            element("details", element("summary", _("Experiment file")), element("pre", element("code", self.file))),
        )


def write_report(store: Store) -> tuple[Path, Path]:
    """report.html and report.json in the folder of the experiment, each whole or as it was."""
    report = ExperimentReport.of_store(store)
    paths = store.folder / "report.html", store.folder / "report.json"
    for path, text in zip(paths, (report.to_html(), report.to_json()), strict=True):
        write_file(path, text.encode(), mode=0o600)
    return paths


def _colours(cell: CellResult) -> str:
    """`green, red, green`: guarantee, disclosure, usefulness."""
    return ", ".join(_(str(light.colour)) for _name, light in cell.review.lights()) if cell.review else "–"


def _tile(name: str, value: float, detail: str) -> Markup:
    return element(
        "div", element("dt", name), element("dd", exact(value), class_="figure"), element("dd", detail, class_="detail")
    )


def _state(cell: CellResult) -> Markup:
    words, title = _state_words(cell.state), translated(cell.verdict or cell.message)
    return element("td", f"{_SIGNS.get(cell.state, '')} {words}", class_=f"state state-{cell.state}", title=title)


def _state_words(state: str) -> str:
    return translated(state.replace("_", " "))


def _emblem(kind: str) -> Markup:
    """A tick, a clock or a cross in a circle."""
    inside = {"holds": "M14 23l6 6 11-13", "idle": "M22 13v10l7 4", "broken": "M15 15l14 14m0-14l-14 14"}[kind]
    circle = element("circle", cx=22, cy=22, r=18, class_="sign")
    return element("svg", circle, element("path", d=inside, class_="sign"), viewBox="0 0 44 44", aria_hidden="true")


def alternative_estimates() -> dict[str, str]:
    """Figures over generalized items, read as one of their items, with those that read them as any subset."""
    figures = all_figures()
    pairs = [(figures[other.alternative_to], other) for other in figures.values() if other.alternative_to]
    short = {figure.short_name: other.short_name for figure, other in pairs if other.short_name}
    return {figure.name: other.name for figure, other in pairs} | short


def _has_direction(name: str) -> bool:
    return name == RUNTIME or bool(figure_named(name).better)


def _head(name: str) -> str:
    """A figure at the head of its column: short names as the literature writes them."""
    if name == RUNTIME:
        return _("seconds")
    return figure_named(name).abbreviation if name in short_names() else capital(name)


def _number(value: Any) -> float | int | None:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None
