"""A release beside its original in pictures: groups, one column before and after, movement as two maps."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from crypsis.review import Review
from crypsis.translation import _
from crypsis.web import theme
from crypsis.web.actions import in_thread, notify_errors
from crypsis.web.comparison import Comparison
from crypsis.web.drawings import map_size, show_plot


class ComparisonView:
    """The pictures on a page; the chosen column stays chosen while the page is open."""

    def __init__(self, comparison: Comparison, review: Review | None = None, chosen: str | None = None) -> None:
        self.comparison, self.review, self.chosen = comparison, review, chosen

    async def show(self) -> None:
        comparison = self.comparison
        columns = await in_thread(lambda: comparison.columns)
        sizes = await in_thread(comparison.sizes)
        maps = await in_thread(comparison.maps, map_size())
        risk = await in_thread(comparison.risk, self.review)
        if risk is not None:
            with theme.section(_("Risk"), _("How likely people are found, before and after")):
                show_plot(risk)
                ui.label(risk.note).classes("muted small")
        with ui.element("div").classes("halves"):
            if sizes is not None:
                with theme.section(_("Groups"), _("How many records look the same")):
                    show_plot(sizes)
                    ui.label(sizes.note).classes("muted small")
            if columns:
                with theme.section(_("Before and after"), _("Not for release: it shows the original")) as actions:
                    self._columns(actions, columns)
                await self._show_column(self.chosen)
        if maps is not None:
            with ui.element("div").classes("halves close"):
                for title, shown in zip((_("Map before"), _("Map after")), maps, strict=True):
                    with theme.section(title):
                        theme.picture(shown.picture)
                        ui.html(shown.legend, sanitize=False).classes("legend")

    def _columns(self, actions: Any, columns: list[str]) -> None:
        self.chosen = self.chosen if self.chosen in columns else columns[0]
        with actions:
            field = ui.select(
                columns,
                value=self.chosen,
                label=_("Column"),
                on_change=lambda event: notify_errors(self._show_column)(event.value),
            )
            field.props("outlined dense options-dense").classes("one-line").style("width: 180px")
        self.place = ui.column().style("width: 100%; gap: 8px")

    async def _show_column(self, name: str | None) -> None:
        assert name is not None
        frame = await in_thread(self.comparison.column, name)
        self.chosen = name
        self.place.clear()
        with self.place:
            show_plot(frame)
            ui.label(frame.note).classes("muted small")
