"""Warehouse: sources and their state, what they share, competence queries, entity cards, pairs to decide on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from nicegui import ui

from crypsis.errors import CrypsisError
from crypsis.translation import _, marked, translated
from crypsis.translation.wording import counted
from crypsis.warehouse.configuration import SourceConfiguration
from crypsis.warehouse.report import heat_map
from crypsis.warehouse.terms import local_name, text_of
from crypsis.web import theme
from crypsis.web.actions import in_thread, notify_errors, number
from crypsis.web.telling import error_words
from crypsis.web.warehouses import BuildState, ShownWarehouse, WaitingPair
from crypsis.web.widgets import confirm
from crypsis.web.workbench import Workbench
from crypsis.web.workspace import Entry

PATH = "/warehouse"
LEAD = marked("Integrate several sources about the same people or things before you anonymize them.")
_MOST_PAIRS = 50


def register(workbench: Workbench) -> None:
    @ui.page(PATH, response_timeout=60)
    async def warehouse(warehouse: str | None = None) -> None:
        with theme.page_frame(_("Warehouse"), LEAD) as actions:
            entries = workbench.warehouses.entries()
            entry = next((one for one in entries if one.number == warehouse), next(iter(entries), None))
            if entry is None:
                with theme.empty_state(
                    "hub",
                    _("No warehouse yet"),
                    _("A configuration file describes it: its sources, and which values make two entities one."),
                ):
                    _open_field(workbench)
                return
            await WarehousePage(workbench, entry).show(actions)


def _open_field(workbench: Workbench) -> None:
    """A field for the path of a configuration."""
    if not workbench.allow_paths:
        ui.label(_("Files of this machine cannot be named while others are let in.")).classes("muted")
        return
    with ui.row().style("width: 100%; flex-wrap: wrap; align-items: flex-start"):
        field = (
            ui.input(_("Path of a configuration, TOML or JSON"))
            .props("outlined dense")
            .style("flex: 1 1 20rem; min-width: 0")
        )

        async def open_path() -> None:
            try:
                entry = await in_thread(workbench.warehouses.open_path, str(field.value or "").strip())
            except CrypsisError as error:
                field.error = error_words(error)
                return
            ui.navigate.to(f"{PATH}?warehouse={entry.number}")

        field.on("keydown.enter", open_path)
        theme.secondary(_("Open"), open_path, "folder_open").style("height: 40px")


class WarehousePage:
    """The page of one warehouse; it looks every second while a build is under way."""

    def __init__(self, workbench: Workbench, entry: Entry) -> None:
        self.workbench, self.entry = workbench, entry
        self.warehouses = workbench.warehouses
        self.was_running = False

    async def show(self, actions: Any) -> None:
        with actions:
            self._choose()
            self.build_button = theme.primary(_("Build"), notify_errors(partial(self._start, None)), "build")
            self.cancel_button = theme.secondary(_("Cancel"), notify_errors(self._cancel), "close")
        with theme.named_dialog(_("Open another …")) as self.opening:
            _open_field(self.workbench)
        self.state = ui.column().style("width: 100%; gap: 10px")
        self.tiles = ui.element("div").classes("tiles")
        with ui.element("div").classes("split"):
            with ui.element("div").classes("stack"):
                with theme.section(_("Sources")):
                    self.sources = _scrolled(ui.element("div"), _("Sources"))
                with theme.section(
                    _("What the sources share"), _("Entities in common after matching; darker is a larger share")
                ):
                    self.shared = _scrolled(ui.html("", sanitize=False), _("What the sources share"))
                with theme.section(_("Competence queries"), _("A build becomes active only if all of them pass")):
                    self.competence = _scrolled(ui.html("", sanitize=False), _("Competence queries"))
            with ui.element("div").classes("stack"):
                with theme.section(_("Look up"), _("What every source says of one entity")):
                    self._search_box()
                with theme.section(_("Pairs to decide on"), _("Decisions count from the next build on")):
                    self.pairs = ui.column().style("width: 100%; gap: 8px")
        self.announcer = theme.Announcer()
        await self._refresh()
        ui.timer(1.0, self._look)

    def _choose(self) -> None:
        options = {entry.number: entry.name for entry in self.warehouses.entries()}
        field = ui.select(
            options,
            value=self.entry.number,
            label=_("Warehouse"),
            on_change=lambda event: ui.navigate.to(f"{PATH}?warehouse={event.value}"),
        )
        field.props("outlined dense options-dense").classes("one-line").style("width: 200px")
        with (
            ui.button(icon="more_vert").props(f"flat round dense {theme.attribute('aria-label', _('More'))}"),
            ui.menu(),
        ):
            ui.menu_item(_("Open another …"), lambda: self.opening.open()).props("role=menuitem")
            ui.menu_item(_("Close …"), self._forget).props("role=menuitem")

    # What is shown

    async def _refresh(self) -> None:
        shown = await in_thread(self.warehouses.shown, self.entry.number)
        self._show_build(shown.building)
        self._show_report(shown)
        await self._show_pairs(shown.active)

    async def _look(self) -> None:
        """While a build is under way: its stages; after it: what it made."""
        building = self.warehouses.building(self.entry.number)
        if building.running:
            self._show_build(building)
        elif self.was_running:
            await self._refresh()
            self.announcer.say(_("The build has ended."))

    def _show_build(self, building: BuildState) -> None:
        running = building.running
        self.was_running = running
        self.build_button.set_enabled(not running)
        self.cancel_button.set_visibility(running)
        self.state.clear()
        with self.state:
            if running:
                stage = translated(building.stages[-1]) if building.stages else _("starting")
                with theme.message(
                    "info",
                    _("Building: {stage}", stage=stage),
                    _("{stages} so far", stages=counted(len(building.stages), "stage")),
                ):
                    ui.spinner(size="sm").style("margin-left: auto")
                self.announcer.say(_("Building: {stage}", stage=stage))
            elif building.cancelled:
                theme.message("caution", _("The build was cancelled"), _("The active warehouse is as it was."))
            elif building.error:
                words = _("{error} The active warehouse is as it was.", error=translated(str(building.error)))
                with theme.fault(_("The build failed"), words):
                    self._offer_build()

    def _offer_build(self) -> None:
        theme.secondary(_("Build again"), notify_errors(partial(self._start, None)), "build")
        theme.secondary(_("Open another …"), lambda: self.opening.open(), "folder_open")

    def _show_report(self, shown: ShownWarehouse) -> None:
        report, rejected, sources = shown.report, shown.rejected, shown.configuration.sources
        with self.state:
            if rejected is not None:
                failed = [one["title"] or one["id"] for one in rejected["competence"] if not one["passed"]]
                words = _(
                    "These competence queries failed: {failed}. The active warehouse is as it was.",
                    failed=", ".join(failed),
                )
                with theme.fault(_("The last build was not activated"), words):
                    self._offer_build()
            for alarm in (report or {}).get("alarms", ()):
                theme.message("caution", translated(alarm))
        self.tiles.clear()
        with self.tiles:
            state = _("active") if shown.active else _("not built")
            theme.tile(_("State"), state, shown.configuration.title or "")
            theme.tile(_("Sources"), number(len(sources)))
            if report is not None:
                theme.tile(_("Triples"), number(report["metrics"]["triples"]))
                theme.tile(_("Entities in several sources"), number(report["clusters"]))
                theme.tile(
                    _("Conflicts"), number(len(report["conflicts"])), state="caution" if report["conflicts"] else ""
                )
        self._list_sources(sources, report)
        names = [source.id for source in sources]
        self.shared.set_content(
            f"<p class='muted'>{theme.escaped(_('Build the warehouse first.'))}</p>"
            if report is None
            else heat_map(names, report["metrics"]["common_iris"])
        )
        asked = [] if report is None else (rejected or report)["competence"]
        self.competence.set_content(_competence(asked))

    def _list_sources(self, sources: Sequence[SourceConfiguration], report: Mapping[str, Any] | None) -> None:
        self.sources.clear()
        with self.sources, ui.element("table").classes("plain"):
            with ui.element("thead"), ui.element("tr"):
                for heading in (_("Source"), _("Kind"), _("Triples"), _("Only here"), _("Facts per entity")):
                    with ui.element("th").props("scope=col"):
                        ui.label(heading)
                ui.element("td")  # above the buttons
            with ui.element("tbody"):
                for source in sources:
                    figures = (report or {"metrics": {"sources": {}}})["metrics"]["sources"].get(source.id)
                    cells = [source.id, translated(source.kind)]
                    cells += ["–"] * 3 if figures is None else [
                        number(figures["triples"]), number(figures["unique"]),
                        f"{number(figures['degree_in_source'])} → {number(figures['degree_in_warehouse'])}",
                    ]  # fmt: skip
                    with ui.element("tr"):
                        for cell in cells:
                            with ui.element("td"):
                                ui.label(str(cell))
                        with ui.element("td"):
                            read = theme.quiet(
                                "refresh",
                                _("Read {id} again", id=source.id),
                                notify_errors(partial(self._start, source.id)),
                            )
                            read.set_enabled(report is not None)

    async def _show_pairs(self, active: bool) -> None:
        waiting = await in_thread(self.warehouses.candidates, self.entry.number) if active else []
        self.pairs.clear()
        with self.pairs:
            if not waiting:
                ui.label(_("No pair waits for a decision.")).classes("muted small")
            for pair in waiting[:_MOST_PAIRS]:
                spoken = _(
                    "{local_name} and {local_name2}",
                    local_name=local_name(pair.left),
                    local_name2=local_name(pair.right),
                )
                with ui.row().style("width: 100%; flex-wrap: nowrap; align-items: center; gap: 8px"):
                    with ui.column().classes("names").style("flex: 1; min-width: 0; gap: 0"):
                        ui.label(pair.left).classes("cut").tooltip(pair.left)
                        ui.label(pair.right).classes("cut").tooltip(pair.right)
                        ui.label(f"{pair.rule}, {translated(pair.status)}").classes("muted small")
                    theme.quiet(
                        "check", _("{spoken} are one", spoken=spoken), notify_errors(partial(self._decide, pair, True))
                    )
                    theme.quiet(
                        "close",
                        _("{spoken} are not one", spoken=spoken),
                        notify_errors(partial(self._decide, pair, False)),
                    )
            if len(waiting) > _MOST_PAIRS:
                ui.label(_("{waiting:,} more wait.", waiting=len(waiting) - _MOST_PAIRS)).classes("muted small")

    # Looking up

    def _search_box(self) -> None:
        self.search = (
            ui.input(_("Name of an entity")).props("outlined dense debounce=400 hide-bottom-space").style("width: 100%")
        )
        self.search.on_value_change(notify_errors(self._find))
        self.found = ui.column().style("width: 100%; gap: 4px; max-height: 240px; overflow: auto")
        self.card = ui.column().style("width: 100%; gap: 8px; overflow-wrap: anywhere")  # long addresses

    async def _find(self, event: Any) -> None:
        text = str(event.value or "").strip()
        entities = await in_thread(self.warehouses.search, self.entry.number, text) if len(text) > 1 else []
        self.found.clear()
        self.card.clear()
        with self.found:
            for one in entities:
                button = ui.button(one["label"], on_click=notify_errors(partial(self._show_card, one["entity"])))
                button.props("flat dense no-caps align=left").tooltip(one["entity"])
            if len(text) > 1 and not entities:
                ui.label(_("Nothing has such a name.")).classes("muted small")

    async def _show_card(self, entity: str) -> None:
        card = await in_thread(self.warehouses.card, self.entry.number, entity)
        self.card.clear()
        with self.card:
            ui.html(f"<h3>{theme.escaped(card.labels[0] if card.labels else entity)}</h3>", sanitize=False)
            ui.label(entity).classes("muted small")
            for source, properties in card.groups:
                ui.label(source).classes("strong")
                lines = "".join(
                    f"<dt>{theme.escaped(_property(name))}</dt>"
                    + "".join(f"<dd>{theme.escaped(text_of(value))}</dd>" for value in values)
                    for name, values in properties.items()
                )
                ui.html(f"<dl class='says'>{lines}</dl>", sanitize=False)

    # What is done

    async def _start(self, source: str | None) -> None:
        self._show_build(await in_thread(self.warehouses.start, self.entry.number, source))

    async def _cancel(self) -> None:
        self._show_build(await in_thread(self.warehouses.cancel, self.entry.number))

    async def _decide(self, pair: WaitingPair, accept: bool) -> None:
        await in_thread(self.warehouses.decide, self.entry.number, pair.left, pair.right, accept=accept)
        await self._show_pairs(True)

    def _forget(self) -> None:
        async def forget() -> None:
            await in_thread(self.warehouses.remove, self.entry.number)
            ui.navigate.to(PATH)

        confirm(
            _("Close this warehouse?"),
            _("Its configuration and its files stay where they are."),
            notify_errors(forget),
            _("Close"),
        )


def _scrolled(box: Any, name: str) -> Any:
    """A table that scrolls inside its box, by keyboard too."""
    return box.classes("scroll").props(f"tabindex=0 role=region {theme.attribute('aria-label', name)}")


def _property(name: str) -> str:
    """A property as people read it; one that leads here from another entity begins with `is`."""
    words = local_name(name.lstrip("^")).replace("_", " ")
    return _("is {property}", property=words) if name.startswith("^") else words


def _competence(asked: list[dict[str, Any]]) -> str:
    if not asked:
        return f"<p class='muted'>{theme.escaped(_('No question was asked yet.'))}</p>"
    alone = [", ".join(name for name, found in one["rows_per_source"].items() if found) or _("none") for one in asked]
    rows = "".join(
        f"<tr><td>{theme.escaped(one['title'] or one['id'])}</td><td class=number>{number(one['rows'])}</td>"
        f"<td class=number>{number(one['minimum_rows'])}</td>"
        f"<td>{theme.escaped(sources)}</td>"
        f"<td class='{'good' if one['passed'] else 'bad'}'>{_('passed') if one['passed'] else _('failed')}</td></tr>"
        for one, sources in zip(asked, alone, strict=True)
    )
    return (
        f"<table class='plain'><thead><tr><th scope=col>{_('Question')}</th><th scope=col class=number>{_('Rows')}</th>"
        f"<th scope=col class=number>{_('Needed')}</th><th scope=col>{_('Sources that answer alone')}</th>"
        f"<th scope=col>{_('Result')}</th></tr></thead><tbody>{rows}</tbody></table>"
    )
