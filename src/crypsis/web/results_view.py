"""Results of an experiment as they come in: a table of cells, a line plot, and the trade-off of two losses."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from crypsis.errors import CrypsisError
from crypsis.evaluate.plots import frame_of, interactive_svg
from crypsis.reports.wording import counted
from crypsis.web import theme
from crypsis.web.actions import number
from crypsis.web.experiments import metric_names
from crypsis.web.result_words import figure_words
from crypsis.web.workbench import Workbench

_MOST_COLUMNS = 5
_FIRST = ("are", "ncp_loss", "ul", "normalized_distance_loss", "distance_loss", "ncp")


class ResultsView:
    """Shows what is in the store of one experiment; `refresh` looks again and says whether it runs."""

    def __init__(self, workbench: Workbench, experiment: str) -> None:
        self.workbench, self.number = workbench, experiment
        self.experiments = workbench.experiments
        self.seen: Any = None
        self.metrics: list[str] = []
        self.x = self.y = self.other = self.wanted = ""

    def show(self) -> None:
        self.place = ui.element("div").classes("stack")

    def refresh(self) -> bool:
        progress = self.experiments.progress(self.number)
        told = (
            progress["running"],
            [(cell["cell"], cell["state"]) for cell in progress["cells"]],
            str(progress["error"]),
            [cell["cell"] for cell in (*progress["cells"], *progress["stale"]) if cell["stale"]],
        )
        if told != self.seen:
            self.seen = told
            self._draw(progress)
        return bool(progress["running"])

    def _draw(self, progress: dict[str, Any]) -> None:
        rows = self.experiments.plot_rows(self.number)
        self.metrics = metric_names(rows) if any(row["metrics"] for row in rows) else []
        self.place.clear()
        with self.place:
            if progress["error"]:
                theme.message("bad", "The run could not go on", str(progress["error"]["message"]))
            if not progress["cells"]:
                with theme.empty_state(
                    "stacked_line_chart",
                    "No results yet",
                    "Press Run all; every cell appears here as soon as it is finished and verified.",
                ):
                    pass
                return
            self._stale(progress)
            if any(row["metrics"] for row in rows):
                self._plots(rows)
            self._table(progress)

    def _stale(self, progress: dict[str, Any]) -> None:
        """Results that are kept and no longer say anything about the data as they are."""
        stale = sum(bool(cell["stale"]) for cell in progress["cells"])
        if stale:
            theme.message(
                "caution",
                f"{counted(stale, 'result is', 'results are')} stale",
                "The data or the settings have changed since. Run again to have results of what is there now.",
            )

    def _plots(self, rows: list[dict[str, Any]]) -> None:
        preferred = [name for name in _FIRST if name in self.metrics] + [
            name for name in self.metrics if name not in _FIRST
        ]
        self.y = self.y if self.y in self.metrics else preferred[0]
        self.other = (
            self.other
            if self.other in self.metrics
            else next((name for name in preferred if name != self.y), "runtime")
        )
        varied = _varied(rows)
        self.x = self.x if self.x in varied else next(iter(varied), "")
        options = {name: figure_words(name) for name in preferred}
        with ui.element("div").classes("halves"):
            with theme.section("What protection costs") as head:
                with head:
                    self._export("line", x=self.x, y=self.y)
                with ui.row().style("width: 100%; flex-wrap: nowrap; gap: 8px"):
                    self._select("Figure", options, self.y, "y")
                    self._select("Over", {name: name for name in varied} or {"": "nothing varies"}, self.x, "x")
                self._picture("line", rows, x=self.x or None, y=self.y)
            with theme.section("Trade-off") as head:
                with head:
                    self._export("tradeoff", x=self.y, y=self.other)
                with ui.row().style("width: 100%; flex-wrap: nowrap; gap: 8px"):
                    self._select("Across", options, self.y, "y")
                    self._select("Up", options, self.other, "other")
                self._picture("tradeoff", rows, x=self.y, y=self.other)

    def _select(self, label: str, options: dict[str, str], value: str, attribute: str) -> None:
        def chosen(event: Any) -> None:
            setattr(self, attribute, event.value)
            self.seen = None
            self.refresh()

        field = ui.select(options, value=value if value in options else None, label=label, on_change=chosen)
        field.props("outlined dense options-dense").style("flex: 1; min-width: 0")

    def _picture(self, kind: str, rows: list[dict[str, Any]], **options: Any) -> None:
        if options.get("x") is None:
            ui.label("Vary a parameter in a configuration to see a curve.").classes("muted")
            return
        try:
            theme.picture(interactive_svg(frame_of(kind, results=rows, **options), title=False, alone=False))
        except CrypsisError as error:
            ui.label(str(error)).classes("muted")

    def _export(self, kind: str, *, x: str, y: str) -> None:
        if not x:
            return
        with ui.button(icon="download").props('flat dense round aria-label="Export this plot"'), ui.menu():
            for format in ("svg", "pdf", "png", "jpg", "bmp", "csv"):
                address = f"/api/experiments/{self.number}/plots/{kind}?x={x}&y={y}&format={format}"
                with ui.menu_item(auto_close=True), ui.link(format.upper(), address).props("download"):
                    pass

    def _table(self, progress: dict[str, Any]) -> None:
        cells = [*progress["cells"], *progress["stale"]]
        finished = progress["finished"]
        with theme.section("Cells", f"{finished} of {len(progress['cells'])} finished") as head:
            with head:
                if finished:
                    ui.link("results.csv", f"/api/experiments/{self.number}/results.csv").classes("small")
            if progress["running"]:
                ui.linear_progress(value=finished / max(1, len(progress["cells"])), show_value=False, size="6px").props(
                    'aria-label="Progress"'
                )
            field = ui.input("Filter by configuration, value or state", value=self.wanted)
            field.props("outlined dense clearable debounce=200").style("width: 100%")
            table = ui.html(self._table_text(self._fitting(cells)), sanitize=False).classes("scroll")
            table.style("max-height: 420px")

            def narrow(event: Any) -> None:
                self.wanted = str(event.value or "")
                table.set_content(self._table_text(self._fitting(cells)))

            field.on_value_change(narrow)

    def _fitting(self, cells: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The cells in which every word that was typed occurs; `k=5` asks for a value."""
        words = self.wanted.lower().split()
        texts = [
            " ".join(
                [f"{name}={value}" for name, value in cell.items()] + [theme.STATES.get(cell["state"], ("", ""))[1]]
            )
            for cell in cells
        ]
        return [cell for cell, text in zip(cells, texts, strict=True) if all(word in text.lower() for word in words)]

    def _table_text(self, cells: list[dict[str, Any]]) -> str:
        shown = [name for name in _FIRST if name in self.metrics] + [
            name for name in self.metrics if name not in _FIRST and name != "runtime"
        ]
        shown = shown[:_MOST_COLUMNS]
        params = _varied([{"parameters": _parameters(cell)} for cell in cells])
        heads = "".join(f"<th scope=col class=number>{theme.escaped(name)}</th>" for name in params)
        heads += "".join(f"<th scope=col class=number>{theme.escaped(figure_words(name))}</th>" for name in shown)
        body = []
        for cell in cells:
            icon, words, kind = theme.STATES.get(cell["state"], ("help", cell["state"], ""))
            sign = f'<span class="material-icons q-icon" aria-hidden=true>{icon}</span>'
            chip = f'<span class="chip {kind}">{sign}{theme.escaped(words)}</span>'
            if cell["stale"]:
                old = '<span class="material-icons q-icon" aria-hidden=true>history</span>'
                chip += f' <span class="chip caution">{old}stale</span>'
            values = "".join(
                f"<td class=number>{theme.escaped(_shown(cell.get(name)))}</td>" for name in (*params, *shown)
            )
            link = ""
            if cell["state"] == "done":
                address = f"/api/experiments/{self.number}/cells/{theme.escaped(cell['cell'])}/release.zip"
                link = f'<a href="{address}">release</a>'
            elif cell.get("message"):
                link = f'<span class="muted small">{theme.escaped(str(cell["message"])[:160])}</span>'
            runtime = next((cell[name] for name in ("runtime", "seconds") if cell.get(name) is not None), None)
            body.append(
                f"<tr><td>{theme.escaped(str(cell['label']))}</td>{values}<td class=number>{_shown(runtime)}</td>"
                f"<td>{chip}</td><td>{link}</td></tr>"
            )
        return (
            f"<table class=plain><thead><tr><th scope=col>Configuration</th>{heads}"
            f"<th scope=col class=number>Seconds</th><th scope=col>State</th>"
            f"<th scope=col>Release</th></tr></thead><tbody>{''.join(body)}</tbody></table>"
        )


def _parameters(cell: dict[str, Any]) -> dict[str, Any]:
    """The parameters stand between the seed and the guarantee in a row of results."""
    names = list(cell)
    start, end = names.index("seed") + 1, names.index("guarantee")
    return {name: cell[name] for name in names[start:end]}


def _varied(rows: list[dict[str, Any]]) -> list[str]:
    """Parameters with more than one value."""
    values: dict[str, set[str]] = {}
    for row in rows:
        for name, value in row["parameters"].items():
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                values.setdefault(name, set()).add(str(value))
    return [name for name, found in values.items() if len(found) > 1]


def _shown(value: Any) -> str:
    if value is None:
        return "–"
    return number(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)
