"""Data in parts: a folder of files larger than memory, what it holds, where it is worked on, and the release of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from nicegui import ui

from crypsis.data.relational import ROLES
from crypsis.data.sources import SOURCES
from crypsis.data.sources.data_source import InFilesOnly
from crypsis.errors import CrypsisError
from crypsis.evaluate.parts_run import KINDS
from crypsis.executors.choice import DASK, SERIAL
from crypsis.methods import METHODS
from crypsis.parameters import SideInput, marks_of
from crypsis.review import Review
from crypsis.translation import _, marked, translated
from crypsis.web import theme
from crypsis.web.actions import in_thread, notify_errors, number, percent, show_error_at
from crypsis.web.data_labels import kind_labels, role_labels, type_labels
from crypsis.web.lights_view import show_lights
from crypsis.web.pace import Pace
from crypsis.web.pages.evaluate import PHASES
from crypsis.web.parameter_form import ParameterForm
from crypsis.web.parts import PartsProgress, PartsRows
from crypsis.web.reading_form import reading_field, value_in
from crypsis.web.telling import note_words, verdict_words
from crypsis.web.widgets import confirm
from crypsis.web.workbench import Workbench
from crypsis.web.workspace import Entry

PATH = "/parts"
LEAD = marked("Anonymize a folder of files that need not fit in memory, here or on a cluster.")
CLUSTER = "cluster"  # of the choices where to run: an address is typed
_FIELD = "outlined dense options-dense hide-bottom-space"
_PLACES = {
    SERIAL: marked("In this process"),
    DASK: marked("Workers on this machine"),
    CLUSTER: marked("A cluster"),
}
_WHERE_LABELS = {
    "address": marked("Address of the scheduler"),
    "workers": marked("Workers"),
    "memory": marked("Memory per worker, e.g. 4GiB"),
    "block_rows": marked("Records worked on at once"),
    "scratch": marked("Folder for temporary files"),
    "tls_ca": marked("Certificate of the authority (path)"),
    "tls_cert": marked("Your certificate (path)"),
    "tls_key": marked("Your private key (path)"),
}
_OF_PLACE = {
    SERIAL: ("memory", "block_rows", "scratch"),
    DASK: ("workers", "memory", "block_rows", "scratch"),
    CLUSTER: ("address", "workers", "memory", "block_rows", "scratch", "tls_ca", "tls_cert", "tls_key"),
}
_TASKS = {  # while it goes on, and after it failed
    "look": (marked("Looking at the parts"), marked("These parts cannot be read")),
    "anonymize": (marked("Running"), marked("The run came to no release")),
    "verify": (marked("Verifying the release"), marked("The release cannot be verified")),
}


def register(workbench: Workbench) -> None:
    @ui.page(PATH, response_timeout=60)
    async def parts(parts: str | None = None) -> None:
        with theme.page_frame(_("Data in parts"), LEAD) as actions:
            if not workbench.allow_paths:
                words = _("They are named by their path, which is not possible while others are let in.")
                theme.message("info", _("Data in parts are opened on this machine alone"), words)
                return
            entries = workbench.parts.entries()
            entry = next((one for one in entries if one.number == parts), entries[0] if entries else None)
            if entry is None:
                with theme.empty_state(
                    "folder_open",
                    _("No data in parts yet"),
                    _("Name a folder of Parquet, CSV or JSON Lines files, or a pattern such as /data/visits-*.csv."),
                ):
                    open_field(workbench)
                return
            await PartsPage(workbench, entry).show(actions)


def open_field(workbench: Workbench) -> None:
    """The path of a folder or a pattern, and the button that opens it."""
    field = (
        ui.input(_("Folder or pattern on this machine")).props("outlined dense").style("min-width: min(420px, 70vw)")
    )

    async def go() -> None:
        try:
            entry = await in_thread(workbench.parts.open_path, str(field.value or "").strip())
        except CrypsisError as error:
            show_error_at(field, error)
            return
        ui.navigate.to(f"{PATH}?parts={entry.number}")

    field.on("keydown.enter", go)
    theme.primary(_("Open"), go, "folder_open")


class PartsPage:
    """The page with one folder of parts. `entry` is what was last seen of it."""

    def __init__(self, workbench: Workbench, entry: Entry) -> None:
        self.workbench, self.parts, self.entry = workbench, workbench.parts, entry
        self.shown: tuple[Any, ...] | None = None
        self.pace = Pace()
        self.where_fields: dict[str, Any] = {}
        self.elapsed: Any = None

    @property
    def _section(self) -> dict[str, Any]:
        return dict(self.entry.content["section"])

    @property
    def _run(self) -> dict[str, Any]:
        return dict(self.entry.content["run"])

    async def show(self, actions: Any) -> None:
        with actions:
            options = {entry.number: entry.name for entry in self.parts.entries()}
            chosen = ui.select(options, value=self.entry.number, label=_("Data in parts")).style("width: 200px")
            chosen.props("outlined dense options-dense").classes("one-line")
            chosen.on_value_change(lambda event: ui.navigate.to(f"{PATH}?parts={event.value}"))
            theme.secondary(_("Open others"), self._open_others, "add")
            theme.secondary(_("Remove …"), self._remove, "delete")
        self.tiles = ui.element("div").classes("tiles")
        with ui.element("div").classes("split left"):
            with ui.element("div").classes("stack"):
                with theme.section(_("How the files are read"), str(self._section["path"])):
                    self.reading = ui.column().style("width: 100%; gap: 8px")
                with theme.section(_("Method and settings")):
                    self._method_form()
                with theme.section(_("Where to run"), _("The release is the same everywhere")):
                    self.where_box = ui.column().style("width: 100%; gap: 8px")
                    self._where_form()
                with ui.row().classes("actions"):
                    self.start = theme.primary(_("Run"), notify_errors(self._start), "play_arrow")
                    self.stop = theme.secondary(_("Cancel"), notify_errors(self._cancel), "stop")
            self.right = ui.element("div").classes("stack")
        self.aloud = theme.Announcer()
        if self.parts.facts(self.entry.number) is None and not self.parts.progress(self.entry.number).running:
            await notify_errors(in_thread)(self.parts.look, self.entry.number)
        self._refresh()
        ui.timer(0.5, self._refresh)

    def _open_others(self) -> None:
        with theme.named_dialog(_("Open others")) as dialog:
            open_field(self.workbench)
        dialog.open()

    def _remove(self) -> None:
        async def remove() -> None:
            await in_thread(self.parts.remove, self.entry.number)
            ui.navigate.to(PATH)

        confirm(
            _("Remove {name}?", name=self.entry.name),
            _("The release of it leaves the workspace, too. The files stay where they are."),
            notify_errors(remove),
            _("Remove"),
        )

    # How the files are read

    def _show_reading(self) -> None:
        self.reading.clear()
        section = self._section
        with self.reading:
            if "kind" not in section:
                ui.skeleton(height="64px").style("width: 100%")
                return
            labels = kind_labels()
            kind = ui.select({one: labels[one] for one in KINDS}, value=section["kind"], label=_("Kind of data"))
            kind.props(_FIELD).style("width: 100%").on_value_change(notify_errors(self._set_kind))
            alone = ui.switch(_("Each row is another person"), value=bool(section.get("each_row_is_a_person")))
            alone.props("dense").on_value_change(notify_errors(self._set_alone))
            if section["kind"] == "table":
                for name, column in section.get("columns", {}).items():
                    self._role_field(name, column)
                return
            facts = self.parts.first_rows(self.entry.number)
            columns = [*(facts.columns if facts else ())]
            for option in SOURCES[section["kind"]].options().values():
                if value_in(section, option) is None or marks_of(option, InFilesOnly):
                    continue
                if not issubclass(option.type, SideInput) and option.name != "each_row_is_a_person":
                    reading_field(option, value_in(section, option), columns, self._set_option)

    def _role_field(self, name: str, column: Mapping[str, Any]) -> None:
        labels = role_labels()
        with ui.row().style("width: 100%; flex-wrap: nowrap; align-items: center; gap: 8px"):
            ui.label(name).classes("strong cut").style("flex: 1; min-width: 0")
            field = ui.select({role: labels[role] for role in ROLES}, value=column.get("role")).props(_FIELD)
            field.props(theme.attribute("aria-label", _("Role of {name}", name=name))).style("width: 60%")
            field.on_value_change(notify_errors(partial(self._set_role, name)))

    async def _set_role(self, name: str, event: Any) -> None:
        columns = {**self._section["columns"], name: {**self._section["columns"][name], "role": event.value}}
        await self._set_section({**self._section, "columns": columns})

    async def _set_alone(self, event: Any) -> None:
        await self._set_section({**self._section, "each_row_is_a_person": bool(event.value) or None})

    async def _set_option(self, option: Any, value: Any) -> None:
        await notify_errors(self._set_section)({**self._section, option.name: value})

    async def _set_kind(self, event: Any) -> None:
        names = ("path", "format", "each_row_is_a_person")
        kept: dict[str, Any] = {name: self._section[name] for name in names if name in self._section}
        if event.value == "table":
            rows = self.parts.first_rows(self.entry.number)
            kept["columns"] = {name: {"role": "quasi"} for name in (rows.columns if rows else ())}
        await self._set_section({**kept, "kind": event.value})
        await in_thread(self.parts.look, self.entry.number)
        self._method_options()

    async def _set_section(self, section: Mapping[str, Any]) -> None:
        self.entry = await in_thread(self.parts.set_section, self.entry.number, section)
        self.shown = None

    # Method, and where to run

    def _method_form(self) -> None:
        self.method = ui.select({}, label=_("Method")).props("outlined dense options-dense").style("width: 100%")
        self.summary = ui.label().classes("muted small")
        self.form_place = ui.column().style("width: 100%; gap: 12px")
        self._method_options()
        self.method.on_value_change(notify_errors(self._choose))

    def _method_options(self) -> None:
        possible = self.parts.methods(self.entry.number)
        chosen = self._run.get("method")
        if chosen not in possible:
            chosen = "mondrian" if "mondrian" in possible else next(iter(possible), None)
            self.values: dict[str, Any] = {}
            if chosen is not None:
                self._keep(method=chosen, params={})
        self.method.set_options({name: METHODS[name].__name__ for name in possible}, value=chosen)
        self._show_form()

    def _choose(self, event: Any) -> None:
        if event.value and event.value != self._run.get("method"):
            self._keep(method=event.value, params={})
            self._show_form()

    def _show_form(self) -> None:
        self.form_place.clear()
        method = str(self._run.get("method"))
        self.values = dict(self._run.get("params") or {})
        if method in METHODS:
            self.summary.set_text(translated(METHODS[method].summary()))
            with self.form_place:
                self.form = ParameterForm(method, self.values, lambda: self._keep(params=dict(self.values)))

    def _keep(self, **changed: Any) -> None:
        self.entry = self.parts.set_run(self.entry.number, {**self._run, **changed})
        self.shown = None

    @property
    def _where(self) -> dict[str, Any]:
        return dict(self._run.get("where") or {})

    @property
    def _place(self) -> str:
        executor = self._where.get("executor") or SERIAL
        return str(executor) if executor in (SERIAL, DASK) else CLUSTER

    def _where_form(self) -> None:
        self.where_box.clear()
        self.where_fields = {}
        place, where = self._place, self._where
        with self.where_box:
            choice = ui.select(
                {name: _(words) for name, words in _PLACES.items()}, value=place, label=_("Where to run")
            )
            choice.props(_FIELD).style("width: 100%").on_value_change(notify_errors(self._set_place))
            for name in _OF_PLACE[place]:
                label = _(_WHERE_LABELS[name])
                value = where.get("executor", "") if name == "address" else where.get(name)
                field: Any
                if name in ("workers", "block_rows"):
                    field = ui.number(label, value=value, min=1, precision=0)
                else:
                    field = ui.input(label, value=str(value or ""))
                field.props("outlined dense debounce=400").style("width: 100%")
                field.on_value_change(partial(self._set_where, name))
                self.where_fields[name] = field
            if place == CLUSTER:
                ui.label(_("Whoever can connect to a scheduler can run code as its workers; use tls://.")).classes(
                    "muted small"
                )

    def _set_place(self, event: Any) -> None:
        kept = {name: value for name, value in self._where.items() if name in _OF_PLACE[event.value]}
        self._keep(where={**kept, "executor": "tls://" if event.value == CLUSTER else event.value})
        self._where_form()

    def _set_where(self, name: str, event: Any) -> None:
        value = event.value
        if name in ("workers", "block_rows") and value is not None:
            value = int(value)
        key = "executor" if name == "address" else name
        where = {**self._where, key: value if value != "" else None}
        try:
            self._keep(where={one: told for one, told in where.items() if told is not None})
            self.where_fields[name].error = None
        except CrypsisError as error:
            show_error_at(self.where_fields[name], error)

    # Running

    async def _start(self) -> None:
        for field in self.where_fields.values():
            field.error = None
        try:
            await in_thread(self.parts.start, self.entry.number)
        except CrypsisError as error:
            if not self._show_at_field(error.details.get("parameter"), error):
                raise
            return
        self._refresh()
        theme.keep_focus(self.stop, self.start)

    def _show_at_field(self, name: object, error: CrypsisError) -> bool:
        """An error beside the control that mends it; False where there is none."""
        known = self.where_fields.get("address" if name == "executor" else str(name))
        if error.code in ("insecure-scheduler", "missing-extra"):
            known = self.where_fields.get("address")
        if known is not None:
            show_error_at(known, error)
            return True
        return self.form.show_problem(str(name), error.sentence)

    async def _cancel(self) -> None:
        await in_thread(self.parts.cancel, self.entry.number)
        self._refresh()

    async def _verify(self) -> None:
        await in_thread(self.parts.verify, self.entry.number)
        self._refresh()

    # What is seen

    def _refresh(self) -> None:
        seen = self.parts.progress(self.entry.number)
        self.start.set_enabled(not seen.running and bool(self._run.get("method")))
        self.stop.set_enabled(seen.running)
        if seen.running and self.elapsed is not None:
            self.elapsed.set_text(f"{seen.seconds:.0f} s")
        outdated = not seen.running and self.parts.is_outdated(self.entry.number)
        told = (
            seen.running,
            outdated,
            seen.task,
            seen.stage,
            seen.share,
            seen.rounds,
            seen.workers,
            str(seen.error),
            seen.cancelled,
        )
        if told == self.shown:
            return
        before, self.shown = self.shown, told
        if before is None or before[0] != seen.running:
            self.entry = self.parts.entry(self.entry.number)
            self._show_tiles()
            self._show_reading()
            if before is not None:
                self._method_options()
        self.right.clear()
        self.right.classes(add="outdated" if outdated else "", remove="" if outdated else "outdated")
        self.elapsed = None
        with self.right:
            if seen.running:
                self._show_progress(seen)
            elif seen.error is not None:
                self._show_error(seen)
            elif seen.cancelled:
                theme.message("info", _("Cancelled"), _("Nothing was kept of it. Press Run to begin again."))
            if not seen.running:
                self._show_result(outdated=outdated)
            rows = self.parts.first_rows(self.entry.number)
            if rows is not None:
                with theme.section(_("First rows"), _("Unchanged, from the first file")):
                    rows_table(rows, _("First rows"))

    def _show_tiles(self) -> None:
        facts = self.parts.facts(self.entry.number)
        self.tiles.clear()
        if facts is None:
            return
        with self.tiles:
            theme.tile(_("Files"), number(facts["files"]), kind_labels()[facts["kind"]])
            theme.tile(_("Records"), number(facts["records"]))
            if facts["kind"] == "table":
                types = type_labels()
                columns = facts.get("columns", ())
                words = ", ".join(
                    f"{column['name']}: {types.get(column['type'], column['type'])}" for column in columns[:4]
                )
                theme.tile(_("Columns"), number(len(columns)), words)
                theme.tile(_("Missing values"), number(sum(column["missing"] for column in columns)))
                if facts.get("distinct_rows") is not None:
                    theme.tile(_("Combinations of quasi-identifiers"), number(facts["distinct_rows"]))
            elif facts["kind"] == "tracks":
                theme.tile(_("Fixes"), number(facts["values"]))
                theme.tile(_("Longest record"), number(facts["longest"]))
            else:
                theme.tile(_("Different labels"), number(facts["labels"]))
                theme.tile(_("Longest record"), number(facts["longest"]))
                theme.tile(_("Empty records"), number(facts["empty"]))

    def _show_progress(self, seen: PartsProgress) -> None:
        phase = translated(PHASES.get(seen.stage, seen.stage or PHASES["read"]))
        with theme.section(
            _(_TASKS[seen.task][0]), _("It goes on when you leave this page; the result waits for you here")
        ):
            bar = ui.linear_progress(value=seen.share or 0, show_value=False, size="8px")
            if seen.share is None:
                bar.props("indeterminate")
            bar.props(theme.attribute("aria-label", _("Progress")))
            with ui.row().style("width: 100%; justify-content: space-between; flex-wrap: nowrap"):
                ui.label(phase[:1].upper() + phase[1:]).classes("strong")
                self.elapsed = ui.label(f"{seen.seconds:.0f} s").classes("muted number")
            words = [] if seen.share is None else [_("{share} of this stage", share=percent(round(seen.share, 2)))]
            words.append(_("rounds: {rounds}", rounds=number(seen.rounds)))
            words.append(_("workers: {workers}", workers=number(seen.workers)))
            ui.label(" · ".join(words)).classes("muted small number")
        self.aloud.say(_("Running: {phase}", phase=phase))

    def _show_error(self, seen: PartsProgress) -> None:
        """What went wrong, with the control that mends it."""
        error = dict(seen.error or {})
        code = error.get("code")
        with theme.fault(_(_TASKS[seen.task][1]), note_words(str(error.get("message", "")))):
            if code in ("unconfirmed-column", "direct-identifier"):
                columns = [*map(str, error.get("columns") or ())]
                words = _("Publish {columns} all the same", columns=", ".join(columns))
                theme.secondary(words, notify_errors(partial(self._run_with, confirm=columns)), "check")
            elif code == "block-too-large" and error.get("block_rows"):
                rows = int(error["block_rows"])
                where = {**self._where, "block_rows": rows}
                words = _("Work on {rows} records at once", rows=number(rows))
                theme.secondary(words, notify_errors(partial(self._run_with, where=where)), "build")
            elif code in ("worker-failed", "workers-differ", "insecure-scheduler", "missing-extra"):
                words = _("Run in this process instead")
                kept = {name: self._where[name] for name in _OF_PLACE[SERIAL] if name in self._where}
                where = {**kept, "executor": SERIAL}
                theme.secondary(words, notify_errors(partial(self._run_with, where=where)), "computer")
            elif code in ("too-large", "worker-lost") and seen.task != "verify":
                where = {**self._where, "memory": "8GiB"}
                words = _("Give each worker {memory}", memory="8 GiB")
                theme.secondary(words, notify_errors(partial(self._run_with, where=where)), "memory")
            again = {"look": self.parts.look, "verify": self.parts.verify}.get(seen.task)
            if again is None:
                theme.secondary(_("Run again"), notify_errors(self._start), "play_arrow")
            else:
                theme.secondary(_("Try again"), notify_errors(partial(in_thread, again, self.entry.number)), "refresh")
        self.aloud.say(_(_TASKS[seen.task][1]))

    async def _run_with(self, **changed: Any) -> None:
        self._keep(**changed)
        self._where_form()
        await self._start()

    def _show_result(self, *, outdated: bool) -> None:
        result = self.entry.content.get("result")
        if result is None:
            return
        at = f"/api/parts/{self.entry.number}"
        if outdated:
            changes = self.parts.changes(self.entry.number)
            words = _("{changes} What is below came of the former ones.", changes=changes).strip()
            with theme.inside(theme.message("info", _("Result of a former run"), words)):
                theme.secondary(_("Run again"), notify_errors(self._start), "play_arrow")
        else:
            state, title = ("good", _("Verified")) if result["holds"] else ("bad", _("Not safe"))
            checked = _("Counted again from the files of the release.") if result.get("checked") else ""
            words = "\n".join(part for part in (verdict_words(result["verdict"]), checked) if part)
            theme.message(state, title, words)
            if result.get("review"):
                with theme.section(
                    _("Three lights"), _("Does the guarantee hold, what is disclosed beside it, what is left")
                ):
                    show_lights(Review.from_dict(result["review"]))
        words = _(
            "{records} records, {rounds} rounds, workers: {workers}",
            records=number(result["records"]),
            rounds=number(result["rounds"]),
            workers=number(result["workers"]),
        )
        with theme.section(_("Release"), words) as actions:
            with actions:
                if result["holds"]:
                    _download_button(f"{at}/release.zip", outdated)
                theme.secondary(_("Verify again"), notify_errors(self._verify), "verified_user")
                report = f"{at}/report.html"
                theme.secondary(_("Report"), lambda: ui.navigate.to(report, new_tab=True), "description")
            ui.label(_("It lies in {folder}", folder=str(self.parts.release_folder(self.entry.number)))).classes(
                "muted small"
            ).style("overflow-wrap: anywhere")
            published = self.parts.release_rows(self.entry.number)
            if published is not None:
                rows_table(published, _("Published rows"))


def _download_button(address: str, outdated: bool) -> None:
    """For the release; of one that is out of date only after a question."""
    if not outdated:
        theme.primary(_("Download release"), lambda: ui.navigate.to(address), "download")
        return

    def ask() -> None:
        confirm(
            _("Download a stale result?"),
            _("The data or the settings have changed since. What you get is of the former ones."),
            lambda: ui.navigate.to(f"{address}?stale=true"),
            _("Download the stale result"),
        )

    theme.secondary(_("Download stale release"), ask, "download")


def rows_table(shown: PartsRows, label: str) -> None:
    """Some rows as a table that scrolls by itself."""
    heads = "".join(f'<th scope="col">{theme.escaped(name)}</th>' for name in shown.columns)
    body = "".join("<tr>" + "".join(f"<td>{theme.escaped(cell)}</td>" for cell in row) + "</tr>" for row in shown.rows)
    named = theme.markup_attribute("aria-label", label)
    table = f'<table class="plain" {named}><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>'
    box = ui.html(table, sanitize=False).classes("scroll")
    box.props(f"tabindex=0 role=region {theme.attribute('aria-label', label)}")
