"""Data: load a file or a sample, see what is in it and what is risky, set roles, edit, undo, export."""

from __future__ import annotations

from functools import partial
from typing import Any

from nicegui import ui

from crypsis.data.relational import ROLES
from crypsis.data.sources import OF_RECORDS, SOURCES, every_key
from crypsis.drawing.frame import Frame
from crypsis.errors import CrypsisError, NotApplicable
from crypsis.evaluate.dataset_table import DatasetTable
from crypsis.evaluate.first_look import checkin_columns, usual_columns
from crypsis.evaluate.plots import frame_of
from crypsis.parameters import Parameter
from crypsis.translation import _, marked
from crypsis.translation.wording import counted
from crypsis.web import theme
from crypsis.web.actions import done, in_thread, notify_errors, number, percent, show_error_at
from crypsis.web.adding import ways_to_add
from crypsis.web.data_labels import POLICY_LABELS, ROLE_LABELS, kind_labels, role_labels, type_labels
from crypsis.web.datasets import table_of
from crypsis.web.drawings import show_plot
from crypsis.web.files import dataset_text, take_text
from crypsis.web.reading_form import names_column, options_used, reading_field, value_in, words_of
from crypsis.web.side_inputs import HIERARCHIES, POLICIES
from crypsis.web.telling import error_words, note_words
from crypsis.web.widgets import (
    choose_dataset,
    chosen_dataset,
    confirm,
    file_menu,
    rows_grid,
    show_as_file,
    tell_damage,
    unreadable,
)
from crypsis.web.workbench import Workbench
from crypsis.web.workspace import Entry

PATH = "/data"
LEAD = marked("Load data, describe its columns, see how many people are unique.")

_USUAL_SIDE = 2000  # metres


def register(workbench: Workbench) -> None:
    @ui.page(PATH, response_timeout=60)
    async def data(dataset: str | None = None) -> None:
        entry = chosen_dataset(workbench, dataset)
        with theme.page_frame(_("Data"), LEAD, dataset=entry.number if entry else None) as actions:
            tell_damage(workbench)
            if entry is None:
                with theme.section(_("Begin with data")):
                    ways_to_add(workbench)
                return
            await DataPage(workbench, entry).show(actions)


class DataPage:
    """The page with a dataset. `entry` is what was last seen of it."""

    def __init__(self, workbench: Workbench, entry: Entry) -> None:
        self.workbench, self.entry = workbench, entry
        self.datasets = workbench.datasets
        self.column: str | None = None

    @property
    def section(self) -> DatasetTable:
        return table_of(self.entry)

    async def show(self, actions: Any) -> None:
        with actions:
            choose_dataset(self.workbench, self.entry, PATH).style("min-width: 168px; width: 168px")
            theme.secondary(_("Add data"), self._add, "add")
            theme.secondary(_("Show as file"), self._as_file, "code")
            self._export_menu()
            with (
                ui.button(icon="more_vert").props(f"flat round dense {theme.attribute('aria-label', _('More'))}"),
                ui.menu(),
            ):
                for text, action in (
                    (_("Rename …"), self._rename),
                    (_("Save as a new dataset …"), self._save_as),
                    (_("Overwrite the file …"), self._overwrite),
                    (_("Remove …"), self._remove),
                ):
                    ui.menu_item(text, action).props("role=menuitem")
        self.tiles = ui.element("div").classes("tiles")
        with ui.element("div").classes("split"):
            with ui.element("div").classes("stack"):
                await self._grid_box()
                self._histogram_box()
            with ui.element("div").classes("stack"):
                self.people = ui.column().style("width: 100%; gap: 10px")
                self._risk_box()
                self._next_box()
                self._columns_box()
        self._show_tiles()
        ui.timer(0.1, self._fill, once=True)

    # At a glance

    def _show_tiles(self) -> None:
        inspection = self.entry.content["inspection"]
        missing = sum(column["missing"] for column in inspection["columns"])
        self.tiles.clear()
        with self.tiles:
            theme.tile(_("Rows"), number(self.total), inspection["file"])
            theme.tile(_("Columns"), number(len(self.grid_columns)), self._roles_in_words())
            kind = self.section["kind"]
            suggested = inspection["kind"] == kind or (inspection["kind"] in OF_RECORDS and kind in OF_RECORDS)
            theme.tile(_("Kind"), kind_labels()[kind], note_words(inspection["reason"]) if suggested else "")
            theme.tile(_("Missing values"), number(missing))
            theme.tile(_("Edits"), number(len(self.section.get("edits", ()))), _("the file itself is never changed"))

    def _roles_in_words(self) -> str:
        """How many columns have each role, for instance 2 identifier, 5 quasi-identifier."""
        roles = [ROLE_LABELS[one["role"]] for one in self.section.get("columns", {}).values() if "role" in one]
        counts = {words.partition(" · ")[0]: roles.count(words) for words in ROLE_LABELS.values() if words in roles}
        nouns = ("identifier", "quasi-identifier", "label")
        return ", ".join(
            counted(count, words) if words in nouns else f"{count} {_(words)}" for words, count in counts.items()
        )

    def _risk_box(self) -> None:
        with theme.section(_("Risk at a glance"), _("If the data were published as they are")):
            self.risk = ui.column().style("width: 100%; gap: 10px")
            with self.risk:
                ui.skeleton(height="64px").style("width: 100%")

    async def _fill(self) -> None:
        await self._ask_about_people()
        await self._show_risk()
        await self._show_histogram()

    async def _ask_about_people(self) -> None:
        """Who is one person, where a column seems to name people and nobody said whether it does."""
        try:
            like = await in_thread(self.datasets.person_question, self.entry.number)
        except CrypsisError:
            like = None  # why the data cannot be read is said elsewhere
        self.people.clear()
        if like is None or "person" not in SOURCES[self.section["kind"]].names():
            return
        title, _mark, reason = like.question.partition("? ")
        with self.people:
            theme.message("caution", f"{title}?", _("{reason} Nothing is anonymized before you answer.", reason=reason))
            with ui.row().classes("actions"):
                theme.secondary(
                    _("Yes, {column} names the person", column=like.column),
                    notify_errors(partial(self._say_person, like.column)),
                )
                alone = _("No, each of the {records} is another person", records=like.records)
                theme.secondary(alone, notify_errors(partial(self._say_person, None)))

    async def _say_person(self, column: str | None) -> None:
        self.entry = await in_thread(self.datasets.say_person, self.entry.number, column, self.entry.revision)
        self._list_columns()
        self._show_tiles()
        await self._fill()

    async def _show_risk(self) -> None:
        try:
            risk = await in_thread(self.datasets.risk, self.entry.number)
        except CrypsisError as error:
            self.risk.clear()
            with self.risk:
                if not isinstance(error, NotApplicable):
                    unreadable(self.workbench, self.entry, error, PATH)
                else:
                    theme.message("caution", _("No figures yet"), error_words(error))
            return
        self.risk.clear()
        with self.risk:
            share = risk.unique_share
            state = "bad" if share > 0.05 else "caution" if share > 0 else "good"
            words = {
                "table": _(
                    "of the {ending} are the only ones with their quasi-identifiers",
                    ending=_("people") if risk.people else _("records"),
                ),
                "items": _("of records can be singled out by two of their items"),
                "visits": _("of people can be singled out by two places they visited"),
                "tracks": _("of people can be singled out by their track"),
            }[risk.model]
            with ui.element("div").classes("tiles"):
                theme.tile(_("Unique records"), percent(share), words, state=state)
                theme.tile(
                    _("Smallest group"),
                    number(risk.smallest_class),
                    _("highest risk {highest}", highest=percent(risk.highest)),
                )
            if risk.looked_at is not None and risk.looked_at < risk.records:
                ui.label(_("Counted in the first {looked_at:,}.", looked_at=risk.looked_at)).classes("muted small")

    # The grid

    async def _grid_box(self) -> None:
        grid = await in_thread(self.datasets.grid, self.entry.number)
        self.total, self.grid_columns = grid.frame.height, grid.columns
        editable = self.datasets.dataset(self.entry).is_table_file()
        with theme.section(_("Rows"), _("Double-click or press Enter to edit a cell") if editable else "") as actions:
            with actions:
                self.undo_button = theme.quiet("undo", _("Undo (Ctrl+Z)"), notify_errors(self._undo))
                self.redo_button = theme.quiet("redo", _("Redo (Ctrl+Y)"), notify_errors(self._redo))
                theme.quiet("playlist_add", _("Add a row"), notify_errors(self._add_row)).set_visibility(editable)
                theme.quiet(
                    "playlist_remove", _("Delete the selected row"), notify_errors(self._delete_row)
                ).set_visibility(editable)
                theme.quiet("add_box", _("Add a column"), self._add_column).set_visibility(editable)
                jump = ui.number(_("Go to row"), min=1, precision=0, format="%d").props(
                    "outlined dense hide-bottom-space"
                )
                jump.style("width: 110px")
                jump.on("keydown.enter", lambda: self._jump(jump.value))
            self.grid_holder = ui.column().style("width: 100%")
        self._draw_grid(grid)
        ui.keyboard(self._key, ignore=["input", "textarea", "select"])
        self._buttons()

    def _draw_grid(self, grid: Any) -> None:
        self.grid_holder.clear()
        with self.grid_holder:
            self.grid = rows_grid(
                f"/api/datasets/{self.entry.number}/rows",
                self.grid_columns,
                numeric=grid.numeric,
                total=self.total,
                editable=self.datasets.dataset(self.entry).is_table_file(),
                height="438px",
                label=_("Rows of {name}", name=self.entry.name),
            )
            self.grid.on("cellValueChanged", notify_errors(self._cell_changed))

    async def _key(self, event: Any) -> None:
        if event.action.keydown and (event.modifiers.ctrl or event.modifiers.meta):
            if event.key == "z" and not event.modifiers.shift:
                await notify_errors(self._undo)()
            elif event.key == "y" or event.key == "Z":
                await notify_errors(self._redo)()

    def _jump(self, value: Any) -> None:
        if value:
            place = max(0, min(int(value), self.total) - 1)
            self.grid.run_grid_method("ensureIndexVisible", place, "top")

    def _buttons(self) -> None:
        self.undo_button.set_enabled(bool(self.section.get("edits")))
        self.redo_button.set_enabled(bool(self.entry.content["undone"]))

    async def _cell_changed(self, event: Any) -> None:
        place = int(str(event.args["colId"])[1:])
        value = event.args.get("newValue")
        change = {
            "edit": "set",
            "row": int(event.args["data"]["_row"]),
            "column": self.grid_columns[place],
            "value": "" if value is None else str(value),
        }
        await self._edit(change, again=False)

    async def _edit(self, change: dict[str, Any], *, again: bool = True) -> None:
        try:
            self.entry = await in_thread(self.datasets.edit, self.entry.number, change, self.entry.revision)
        except CrypsisError:
            await self._seen(again=True)
            raise
        await self._seen(again=again)

    async def _seen(self, *, again: bool = True) -> None:
        """Show what is on disk now."""
        self.entry = self.datasets.entry(self.entry.number)
        grid = await in_thread(self.datasets.grid, self.entry.number)
        shape_changed = grid.columns != self.grid_columns
        self.total, self.grid_columns = grid.frame.height, grid.columns
        if shape_changed:
            self._draw_grid(grid)
            self._list_columns()
        elif again:
            self.grid.run_grid_method("refreshInfiniteCache")
        self._buttons()
        self._show_tiles()
        await self._fill()

    async def _undo(self) -> None:
        self.entry = await in_thread(self.datasets.undo, self.entry.number, self.entry.revision)
        await self._seen()

    async def _redo(self) -> None:
        self.entry = await in_thread(self.datasets.redo, self.entry.number, self.entry.revision)
        await self._seen()

    async def _add_row(self) -> None:
        await self._edit({"edit": "add_row", "values": {}, "at": 0})
        self._jump(1)

    async def _delete_row(self) -> None:
        row = await self.grid.get_selected_row()
        if row is None:
            ui.notify(_("Click a row first; it is then the selected one."), position="bottom-right")
            return
        await self._edit({"edit": "delete_row", "row": int(row["_row"])})

    def _add_column(self) -> None:
        self._ask(
            _("Add a column"),
            _("Name of the column"),
            "",
            _("Add"),
            lambda name: self._edit({"edit": "add_column", "column": name, "value": ""}),
        )

    # Columns

    def _columns_box(self) -> None:
        with theme.section(_("Columns"), _("Suggested from names and counts; change what is wrong")):
            self.kind = ui.select(kind_labels(), value=self.section["kind"], label=_("Kind of data"))
            self.kind.props("outlined dense options-dense").style("width: 100%")
            self.kind.on_value_change(notify_errors(self._set_kind))
            self.columns = ui.column().classes("column-list")
        self._list_columns()

    def _list_columns(self) -> None:
        self.columns.clear()
        reasons = self.entry.content["inspection"].get("reasons", {})
        with self.columns:
            if self.section["kind"] not in OF_RECORDS:
                if self.section["kind"] == "tracks" and checkin_columns(self.grid_columns):
                    self._offer_squares()
                self._reading_fields(())
                return
            self._person_field()
            for name, column in self._declared_columns().items():
                self._column_fields(name, column, reasons.get(name, ""))
            self._reading_fields(("person", "each_row_is_a_person"))

    def _reading_fields(self, apart: tuple[str, ...]) -> None:
        """How the data are read: which column serves as what, and below what is rarely said."""
        options = [one for one in options_used(self.datasets.dataset(self.entry)) if one.name not in apart]
        on_globe = checkin_columns(self.grid_columns) is not None
        options = [one for one in options if not (on_globe and one.name in ("x", "y"))]  # on the globe or on a plane
        options = [one for one in options if one.name != "unite" or self.section.get("person")]
        shown = [one for one in options if names_column(one) or one.name == "unite" or self._said(one) is not None]
        for option in shown:
            self._reading_field(option)
        if len(shown) < len(options):
            with ui.expansion(_("More on how the data are read")).props("dense").style("width: 100%"):
                for option in options:
                    if option not in shown:
                        self._reading_field(option)

    def _said(self, option: Parameter) -> Any:
        return value_in(self.section, option)

    def _reading_field(self, option: Parameter) -> None:
        value = self._said(option)
        if value is None and names_column(option):
            kind = self.section["kind"]
            usual = option.default or (
                "trajectory_id" if (kind, option.name) == ("trajectories", "id") else option.name
            )
            value = usual if usual in self.grid_columns else None
            if value is None and kind == "tracks":  # found by their usual names when they are read
                found = checkin_columns(self.grid_columns) or {}
                value = found.get({"id": "user", "t": "time"}.get(option.name, option.name))
        reading_field(option, value, self.grid_columns, notify_errors(self._set_option))
        if option.name == "unite":
            ui.label(_("Disassociation counts records: it needs this where a person has several.")).classes(
                "muted small"
            )

    def _person_field(self) -> None:
        """Which column names the person; it can be answered and changed at any time."""
        each = "\0each row"  # no column can be called so
        choices = {"": _("not said"), each: _("each row is another person")} | {
            name: name for name in self.grid_columns
        }
        chosen = each if self.section.get("each_row_is_a_person") else str(self.section.get("person") or "")

        async def choose(event: Any) -> None:
            if event.value:
                await self._say_person(None if event.value == each else event.value)
            else:
                kept = {
                    key: value for key, value in self.section.items() if key not in ("person", "each_row_is_a_person")
                }
                await self._set_section(kept)
                await self._ask_about_people()

        field = ui.select(
            choices, value=chosen if chosen in choices else "", label=_("Person, where one has several rows")
        )
        field.props("outlined dense options-dense").style("width: 100%")
        field.on_value_change(notify_errors(choose))

    def _declared_columns(self) -> dict[str, dict[str, Any]]:
        """What is said of each column; where nothing is said, as carefully as can be: it may give people away."""
        declared = self.section.get("columns")
        if declared is None:
            return {name: {"type": "category", "role": "quasi"} for name in self.grid_columns}
        return {name: dict(column) for name, column in declared.items()}

    def _offer_squares(self) -> None:
        """Check-ins have coordinates as tracks do, but nobody was between two of them."""

        async def divide() -> None:
            columns = checkin_columns(self.grid_columns) or {}
            kept = {name: value for name, value in self._kept_as("trajectories").items() if name != "sort"}
            await self._set_section({**kept, "grid": _USUAL_SIDE, **columns})  # visits on a grid are sorted anyway
            self.kind.set_value("trajectories")
            self._list_columns()
            await self._show_histogram()

        ui.label(
            _(
                "Are these check-ins rather than fixes of a device? Then read them as visits to squares of "
                "{usual_side} km of the map; the size can be changed.",
                usual_side=_USUAL_SIDE // 1000,
            )
        ).classes("muted small")
        theme.secondary(_("Read as visits to squares"), notify_errors(divide), "grid_on")

    def _column_fields(self, name: str, column: dict[str, Any], reason: str) -> None:
        with ui.element("div").style("display: grid; grid-template-columns: 1fr 148px; gap: 4px 8px; width: 100%"):
            with ui.row().style("gap: 4px; align-items: center; flex-wrap: nowrap; min-width: 0"):
                picked = ui.button(name, on_click=lambda: notify_errors(self._pick)(name)).props(
                    "flat dense no-caps align=left"
                )
                picked.style("overflow: hidden; min-width: 0").tooltip(_("Histogram of {name}", name=name))
                theme.quiet("edit", _("Rename {name}", name=name), lambda: self._rename_column(name)).props("size=sm")
            kind = ui.select(type_labels(), value=column.get("type"), label=_("Type"))
            kind.props(f"outlined dense options-dense {theme.attribute('aria-label', _('Type of {name}', name=name))}")
            kind.on_value_change(lambda event: notify_errors(self._set_column)(name, type=event.value))
        if column.get("type") == "items":
            ui.label(_("A set of items in every record")).classes("muted small")
            return
        labels = role_labels()
        role = ui.select({role: labels[role] for role in ROLES}, value=column.get("role"), label=_("Role"))
        role.props(
            f"outlined dense options-dense {theme.attribute('aria-label', _('Role of {name}', name=name))}"
        ).style("width: 100%")
        role.on_value_change(lambda event: notify_errors(self._set_column)(name, role=event.value))
        if reason:
            role.props(theme.attribute("hint", note_words(reason)))

    async def _set_section(self, section: dict[str, Any]) -> None:
        told_section = {key: value for key, value in section.items() if key not in ("path", "edits")}
        self.entry = await in_thread(self.datasets.set_section, self.entry.number, told_section, self.entry.revision)
        self._show_tiles()
        await self._ask_about_people()
        await self._show_risk()

    async def _set_kind(self, event: Any) -> None:
        if event.value == self.section["kind"]:
            return
        section = self._kept_as(event.value)
        if event.value in OF_RECORDS:
            section["columns"] = self._declared_columns()
        else:
            section.pop("columns", None)
            section |= usual_columns(event.value, self.grid_columns)
        await self._set_section(section)
        self._list_columns()
        await self._show_histogram()

    def _kept_as(self, kind: str) -> dict[str, Any]:
        """The settings of the dataset as one of another kind: what only other kinds have is left out."""
        of_kinds = {*every_key()} - {*SOURCES[kind].names()}
        return {**{key: value for key, value in self.section.items() if key not in of_kinds}, "kind": kind}

    async def _set_option(self, option: Parameter, value: Any) -> None:
        name = option.name
        section = {key: kept for key, kept in self.section.items() if key not in words_of(option)}
        if value is not None:
            section[name] = value
        if name == "person":  # it answers the question, and only with it records can be united
            section.pop("each_row_is_a_person" if value else "unite", None)
        elif name == "each_row_is_a_person" and value:
            section = {key: kept for key, kept in section.items() if key not in ("person", "owner", "user", "unite")}
        await self._set_section(section)
        if name in ("person", "each_row_is_a_person"):
            self._list_columns()

    async def _set_column(self, name: str, **change: str) -> None:
        columns = self._declared_columns()
        columns[name] |= change
        if columns[name].get("type") == "items":
            columns[name] = {"type": "items", "item_separator": columns[name].get("item_separator", " ")}
        elif "role" not in columns[name]:
            columns[name] = {"type": columns[name]["type"], "role": "quasi"}
        kind = "mixed" if any(column.get("type") == "items" for column in columns.values()) else "table"
        await self._set_section({**self.section, "columns": columns, "kind": kind})
        self.kind.set_value(kind)
        if "type" in change:
            self._list_columns()

    async def _pick(self, name: str) -> None:
        self.column = name
        await self._show_histogram()

    def _rename_column(self, name: str) -> None:
        self._ask(
            _("Rename {name}", name=name),
            _("New name of the column"),
            name,
            _("Rename"),
            lambda new: self._edit({"edit": "rename", "column": name, "to": new}),
        )

    # Histogram

    def _histogram_box(self) -> None:
        with theme.section(_("Histogram"), _("Click the name of a column to see its values")):
            self.histogram = ui.column().style("width: 100%")

    async def _show_histogram(self) -> None:
        names = list(self.section.get("columns") or {})
        if self.column not in names:
            shown = [name for name, one in (self.section.get("columns") or {}).items() if one.get("role") == "quasi"]
            self.column = next(iter(shown or names), None)
        try:
            frame = await in_thread(self._histogram)
        except CrypsisError as error:
            self.histogram.clear()
            with self.histogram:
                readable = isinstance(error, NotApplicable)
                words = error_words(error) if readable else _("It appears here once the data can be read.")
                theme.message("caution", _("No histogram"), words)
            return
        self.histogram.clear()
        with self.histogram:
            show_plot(frame, title=True)

    def _histogram(self) -> Frame:
        """How the values of the column are distributed."""
        return frame_of("histogram", original=self.datasets.load(self.entry.number), column=self.column)

    # What to do next, and the menu

    def _next_box(self) -> None:
        with theme.section(_("What next?")), ui.row().classes("actions"):
            number_ = self.entry.number
            theme.primary(_("Try a method"), lambda: ui.navigate.to(f"/evaluate?dataset={number_}"), "science")
            theme.secondary(
                _("Compare methods"), lambda: ui.navigate.to(f"/compare?dataset={number_}"), "stacked_line_chart"
            )
            if self.section["kind"] in ("tracks", "trajectories"):
                theme.secondary(_("See the map"), lambda: ui.navigate.to(f"/trajectories?dataset={number_}"), "route")
            if self.section["kind"] == "events":
                theme.secondary(_("Watch it live"), lambda: ui.navigate.to(f"/streams?dataset={number_}"), "stream")

    def _add(self) -> None:
        with theme.named_dialog(_("Add data"), width=760) as dialog:
            ways_to_add(self.workbench)
            ui.button(_("Close"), on_click=dialog.close).props("flat no-caps")
        dialog.open()

    def _as_file(self) -> None:
        async def take(text: str) -> None:
            self.entry = await in_thread(
                take_text,
                self.datasets,
                self.workbench.side_inputs,
                self.entry.number,
                text,
                sections=(),
                revision=self.entry.revision,
            )
            ui.navigate.to(f"{PATH}?dataset={self.entry.number}")

        show_as_file(lambda: dataset_text(self.entry), take)

    def _rename(self) -> None:
        async def rename(name: str) -> None:
            await in_thread(self.datasets.rename, self.entry.number, name, self.entry.revision)
            ui.navigate.to(f"{PATH}?dataset={self.entry.number}")

        self._ask(_("Rename"), _("Name of the dataset"), self.entry.name, _("Rename"), rename)

    def _export_menu(self) -> None:
        """The data and everything that goes with them, each as the file that it is loaded from."""
        side_inputs = self.workbench.side_inputs
        number_, name = self.entry.number, self.entry.name
        files = {_("Data as CSV"): (f"/api/datasets/{number_}/file.csv", f"{name}.csv")}
        for one in side_inputs.of(HIERARCHIES, number_):
            column = str(one.content["column"])
            files[_("Hierarchy of {column}", column=column)] = (
                f"/api/hierarchies/{one.number}/hierarchy.csv",
                f"{column}.csv",
            )
        for one in side_inputs.of(POLICIES, number_):
            policy = str(one.content["policy"])
            files[_(POLICY_LABELS[policy])] = (f"/api/policies/{one.number}/policy.txt", f"{policy}.txt")
        workload = side_inputs.workload(number_)
        if workload is not None and workload.content["queries"]:
            files[_("Queries")] = (f"/api/queries/queries.txt?dataset={number_}", "queries.txt")
        files[_("Everything, as an archive")] = (f"/api/datasets/{number_}/inputs.zip", f"{name}.zip")
        with theme.secondary(_("Export"), lambda: None, "download"):
            file_menu(files)

    def _save_as(self) -> None:
        async def save(name: str) -> None:
            entry = await in_thread(self.datasets.save_as, self.entry.number, name)
            ui.navigate.to(f"{PATH}?dataset={entry.number}")

        self._ask(
            _("Save as a new dataset"),
            _("Name of the dataset"),
            _("{name} edited", name=self.entry.name),
            _("Save"),
            save,
        )

    def _overwrite(self) -> None:
        async def overwrite() -> None:
            self.entry = await in_thread(self.datasets.overwrite, self.entry.number, self.entry.revision)
            await self._seen()
            done(_("The file was overwritten"))

        confirm(
            _("Overwrite the file?"),
            _(
                "{name} gets the edited table; the edits cannot be undone then.",
                name=self.datasets.dataset(self.entry).file.name,
            ),
            notify_errors(overwrite),
            _("Overwrite"),
        )

    def _remove(self) -> None:
        async def remove() -> None:
            await in_thread(self.datasets.remove, self.entry.number)
            ui.navigate.to(PATH)

        confirm(
            _("Remove {name}?", name=self.entry.name),
            _("The dataset and its edits leave the workspace. A file that was opened by its path stays where it is."),
            notify_errors(remove),
            _("Remove"),
        )

    def _ask(self, title: str, label: str, value: str, button: str, action: Any) -> None:
        with theme.named_dialog(title, width=420) as dialog:
            field = ui.input(label, value=value).props("outlined dense autofocus").style("width: 100%")

            async def go() -> None:
                try:
                    await action(str(field.value or ""))
                except CrypsisError as error:
                    show_error_at(field, error)
                    return
                dialog.close()
                done(_("Done"))

            field.on("keydown.enter", go)
            with ui.row().classes("actions"):
                theme.primary(button, go)
                ui.button(_("Cancel"), on_click=dialog.close).props("flat no-caps")
        dialog.open()
