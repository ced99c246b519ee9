"""Queries: a workload of counting queries, each with its count on the original as it is typed."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from crypsis.data.sources import OF_RECORDS
from crypsis.errors import CrypsisError
from crypsis.translation import _, marked
from crypsis.translation.wording import counted
from crypsis.web import theme
from crypsis.web.actions import done, in_thread, notify_errors, number
from crypsis.web.dataset_page import DatasetPage, show_dataset_page
from crypsis.web.files import side_inputs_text, take_text
from crypsis.web.sample_offer import offer_checkins
from crypsis.web.telling import error_sentence, error_words
from crypsis.web.unsaved import Unsaved
from crypsis.web.widgets import (
    choose_file_button,
    confirm,
    drop_place,
    show_as_file,
)
from crypsis.web.workbench import Workbench
from crypsis.web.workspace import Entry

PATH = "/queries"
LEAD = marked("Questions that the published data should still answer; the error of their answers is a measure of loss.")
KINDS = OF_RECORDS
EXAMPLE = "age in [20:30] and sex in {female}"
_SHOWN = 200


def register(workbench: Workbench) -> None:
    page = DatasetPage(PATH, marked("Queries"), LEAD, KINDS, _empty)

    async def show(entry: Entry, actions: Any, _loaded: None) -> None:
        QueriesPage(workbench, entry).show(actions)

    @ui.page(PATH, response_timeout=60)
    async def queries(dataset: str | None = None) -> None:
        await show_dataset_page(workbench, page, dataset, show)


def _empty(workbench: Workbench) -> None:
    if not workbench.datasets.entries():
        offer_checkins(workbench, PATH)
        return
    with theme.empty_state(
        "manage_search",
        _("Queries are asked of tables"),
        _("Load a table, with or without sets of items, on the page Data."),
    ):
        theme.primary(_("Go to Data"), lambda: ui.navigate.to("/data"), "table_chart")


class QueriesPage:
    """The page of a workload of queries."""

    def __init__(self, workbench: Workbench, dataset: Entry) -> None:
        self.workbench, self.dataset = workbench, dataset
        self.side_inputs = workbench.side_inputs
        known = self.side_inputs.workload(dataset.number)
        self.texts: list[str] = [] if known is None else list(known.content["queries"])
        self.kept = list(self.texts)
        self.past: list[list[str]] = []  # the queries before each change, the last at the end

    def show(self, actions: Any) -> None:
        with actions:
            theme.secondary(_("Show as file"), self._as_file, "code")
        with ui.element("div").classes("split"):
            with theme.section(_("Workload"), _("Beside each: how many records of the original fit")) as head:
                with head:
                    self.unsaved = Unsaved()
                    theme.secondary(_("Add a query"), self._add, "add")
                    self.back = theme.quiet("undo", _("Undo the last change of the queries"), self._undo)
                    self.back.set_enabled(False)
                    theme.quiet("download", _("Export the queries"), notify_errors(self._export))
                    theme.primary(_("Save"), notify_errors(self._save), "save")
                self.list = ui.column().style("width: 100%; gap: 8px")
            with ui.element("div").classes("stack"):
                with theme.section(_("Draw queries from the data")):
                    self._drawing()
                with theme.section(_("Load a workload")):
                    self.dropped = drop_place(
                        self.workbench, _("Drop a file with one query on each line"), _("text or JSON"), self._received
                    )
                    self.refused = ui.column().style("width: 100%")
                with theme.section(_("How a query is written")):
                    ui.html(f'<div class="code">{theme.escaped(EXAMPLE)}</div>', sanitize=False)
                    ui.label(
                        _("A range for numbers and dates, a list for any column, and for sets: items all {A, B}.")
                    ).classes("muted small")
        self._show_list()

    def _show_list(self) -> None:
        self.list.clear()
        self.rows: list[tuple[Any, Any]] = []
        with self.list:
            if not self.texts:
                with theme.empty_state(
                    "manage_search", _("No queries yet"), _("Add one by hand, draw some from the data, or load a file.")
                ):
                    theme.primary(_("Add a query"), self._add, "add")
                self.unsaved.tell(self.texts != self.kept)
                return
            for index in range(min(len(self.texts), _SHOWN)):
                self._row(index)
            if len(self.texts) > _SHOWN:
                ui.label(_("and {texts:,} more", texts=len(self.texts) - _SHOWN)).classes("muted")
        self.unsaved.tell(self.texts != self.kept)
        ui.timer(0.05, self._count_all, once=True)

    def _row(self, place: int) -> None:
        with ui.row().classes("query-row"):
            field = ui.input(_("Query {place}", place=place + 1), value=self.texts[place]).props(
                "outlined dense debounce=250"
            )
            count = ui.label("…").classes("tile-value number")
            count.props(f"role=status {theme.attribute('aria-label', _('Count of query {place}', place=place + 1))}")
            theme.quiet("close", _("Remove query {place}", place=place + 1), lambda: self._remove(place))
        field.on_value_change(lambda event: notify_errors(self._typed)(place, str(event.value or "")))
        self.rows.append((field, count))

    def _remember(self) -> None:
        """The queries as they are can be brought back, as long as the page is open."""
        self.past.append(list(self.texts))
        self.back.set_enabled(True)

    def _undo(self) -> None:
        if self.past:
            self.texts = self.past.pop()
        self.back.set_enabled(bool(self.past))
        self._show_list()

    async def _typed(self, place: int, text: str) -> None:
        if text == self.texts[place]:
            return
        self._remember()
        self.texts[place] = text
        self.unsaved.tell(self.texts != self.kept)
        await self._count(place)

    async def _count(self, place: int) -> None:
        field, count = self.rows[place]
        try:
            (found,) = await in_thread(self.side_inputs.counts, self.dataset.number, [self.texts[place]])
        except CrypsisError as error:
            field.error, text = error_words(error), "–"
        else:
            field.error, text = None, number(found)
        count.set_text(text)

    async def _count_all(self) -> None:
        for index in range(len(self.rows)):
            await self._count(index)

    def _add(self) -> None:
        self._remember()
        self.texts.insert(0, self._example())
        self._show_list()

    def _example(self) -> str:
        columns = self.dataset.content["section"].get("columns", {})
        name = next(
            (name for name, one in columns.items() if one.get("role") == "quasi" and one.get("type") == "int"), None
        )
        return f"{name} in [20:40]" if name else EXAMPLE

    def _remove(self, place: int) -> None:
        self._remember()
        del self.texts[place]
        self._show_list()

    async def _save(self) -> None:
        await in_thread(self.side_inputs.keep_queries, self.dataset.number, self.texts)
        self.kept = list(self.texts)
        self.unsaved.tell(False)
        done(_("{queries} saved", queries=counted(len(self.texts), "query", "queries")))

    def _drawing(self) -> None:
        with_sets = self.dataset.content["section"]["kind"] == "mixed"
        fields = {
            "count": ui.number(_("How many"), value=20, min=1, max=2000, precision=0),
            "relational": ui.number(_("Columns of each"), value=1, min=0, precision=0),
            "items": ui.number(_("Items of each"), value=int(with_sets), min=0, precision=0),
            "share": ui.number(_("Width of ranges, share of the domain"), value=0.2, min=0.01, max=1, step=0.05),
            "seed": ui.number(_("Seed"), value=1, min=0, precision=0),
        }
        for field in fields.values():
            field.props("outlined dense").style("width: 100%")
        fields["items"].set_visibility(with_sets)

        async def draw() -> None:
            values = {name: field.value or 0 for name, field in fields.items()}
            whole = {name: int(values[name]) for name in ("count", "relational", "items", "seed")}
            drawn = await in_thread(self.side_inputs.drawn, self.dataset.number, share=float(values["share"]), **whole)
            self._remember()
            self.texts = drawn
            self._show_list()

        def draw_or_ask() -> Any:
            if not self.unsaved.changed:
                return notify_errors(draw)()
            words = _("What is not saved is lost.")
            return confirm(_("Replace the queries?"), words, notify_errors(draw), _("Replace"))

        theme.secondary(_("Draw"), draw_or_ask, "casino")

    async def _received(self, upload: str, name: str) -> None:
        from crypsis.data.count_query import read_queries

        self.refused.clear()
        try:
            read = await in_thread(read_queries, self.workbench.workspace.upload(upload))
        except CrypsisError as error:
            place = str(error.where or "").rpartition("/")[2].partition(", ")[2]  # the upload has no name of its own
            words = f"{error_sentence(error)} ({place})" if place else error_sentence(error)
            with self.refused, theme.fault(_("{name} was not loaded", name=name), words):
                choose_file_button(self.dropped, _("Choose another file"))
                theme.secondary(_("Add a query"), self._add, "add")
            return
        self._remember()
        self.texts = [str(query) for query in read]
        self._show_list()
        done(_("{queries} loaded; press Save to keep them", queries=counted(len(read), "query", "queries")))

    async def _export(self) -> None:
        """What is typed, saved or not, as a file."""
        text = await in_thread(self.side_inputs.queries_text, self.texts)
        ui.download.content(text, "queries.txt")

    def _as_file(self) -> None:
        """With the queries as they are typed, saved or not."""

        async def take(text: str) -> None:
            entry = await in_thread(take_text, self.workbench.datasets, self.side_inputs, self.dataset.number, text)
            ui.navigate.to(f"{PATH}?dataset={entry.number}")

        typed = {"list": list(self.texts)} if self.texts else {}
        show_as_file(lambda: side_inputs_text(self.side_inputs, self.dataset, queries=typed), take)
