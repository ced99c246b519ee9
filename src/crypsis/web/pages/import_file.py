"""Import: the first rows of a file as they are understood, what was detected, and every setting that changes it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from nicegui import ui

from crypsis.data.formats import FORMATS, format_options
from crypsis.data.relational import ROLES
from crypsis.data.sources import OF_RECORDS
from crypsis.data.steps import STEP, STEPS, step_of
from crypsis.errors import BadRow, CrypsisError
from crypsis.evaluate.trips import settings_of_trips
from crypsis.parameters import Parameter, parameters_of
from crypsis.translation import _, marked, translated
from crypsis.translation.wording import counted
from crypsis.web import theme
from crypsis.web.actions import in_thread, notify_errors, number
from crypsis.web.data_labels import kind_labels, role_labels, type_labels
from crypsis.web.importing import Preview, Staged, checked_settings
from crypsis.web.reading_form import reading_field, value_in, words_of
from crypsis.web.telling import error_words, note_words
from crypsis.web.widgets import drop_place
from crypsis.web.workbench import Workbench

PATH = "/import"
LEAD = marked("Check how the file is understood, change what is wrong, then load it.")
_FIELD = "outlined dense options-dense"
_TIME_FORMAT, _MISSING = re.compile(r"time_format='([^']+)'"), re.compile(r"missing_tokens=\['([^']+)'\]$")
_STEP = re.compile(r"say step='([^']+)'")
_CODES = re.compile(r"(.+?) in '(.+)' may be codes for a missing value; if so, say missing_tokens=.*")
_EXAMPLE = datetime(2008, 12, 31, 23, 59, 58)  # of a form of dates: no two parts look alike
_EACH_ROW = "\0each row"  # no column can be called so


def register(workbench: Workbench) -> None:
    @ui.page(PATH, response_timeout=60)
    async def import_file(file: str = "") -> None:
        with theme.page_frame(_("Import"), LEAD) as actions:
            await ImportPage(workbench, workbench.imports.staged(file)).show(actions)


class ImportPage:
    """The page of a file that is not loaded yet. `settings` are the keys of `[dataset]` that somebody chose."""

    def __init__(self, workbench: Workbench, staged: Staged) -> None:
        self.workbench, self.imports, self.staged = workbench, workbench.imports, staged
        self.settings: dict[str, Any] = {}
        self.shown: Preview | None = None
        self.shown_with: dict[str, Any] = {}
        self.names_beside: dict[str, str] = {}  # files that are joined, by the name of their set

    async def show(self, actions: Any) -> None:
        with actions:
            theme.secondary(_("Discard"), notify_errors(self._discard), "delete")
            self.load_button = theme.secondary(_("Load"), notify_errors(partial(self._load, "/data")), "check")
            self.go_button = theme.primary(
                _("Load and anonymize"), notify_errors(partial(self._load, "/evaluate")), "science"
            )
        self.problems = ui.column().style("width: 100%; gap: 10px")
        self.tiles = ui.element("div").classes("tiles")
        with ui.element("div").classes("split"):
            with ui.element("div").classes("stack"):
                with theme.section(_("First rows"), _("As they are understood with the settings beside them")):
                    self.rows = ui.html("", sanitize=False).classes("scroll")
                    self.rows.props(f"tabindex=0 role=region {theme.attribute('aria-label', _('Rows of the file'))}")
                self.notes = ui.column().style("width: 100%; gap: 10px")
                with (
                    ui.element("div").style("width: 100%") as self.columns_box,
                    theme.section(_("Columns"), _("Suggested from names and counts; change what is wrong")),
                ):
                    self.columns = ui.element("div").classes("columns")
                with theme.section(_("As a command"), _("Reads the file in the same way, with a method that suits it")):
                    self.commands = ui.column().style("width: 100%; gap: 6px")
            with ui.element("div").classes("stack"):
                with theme.section(_("File"), _("Detected where a field is empty")):
                    self._file_fields()
                with theme.section(_("Data"), _("Detected where a field is empty")):
                    self.data_fields = ui.column().style("width: 100%; gap: 8px")
                with (
                    ui.element("div").style("width: 100%") as self.beside_box,
                    theme.section(_("Another file"), _("With several rows for a record, such as its diagnoses")),
                ):
                    drop_place(
                        self.workbench,
                        _("Drop a file that belongs to these records"),
                        _("joined by the column that both have"),
                        notify_errors(self._join_sets),
                    )
                    self.joined = ui.column().style("width: 100%; gap: 8px")
                with theme.section(_("Steps"), _("Shape the table before it is read, in this order")):
                    self.steps = ui.column().style("width: 100%; gap: 8px")
                    self._step_fields()
        self.announcer = theme.Announcer()
        await self._refresh()

    # What is shown

    async def _refresh(self) -> None:
        """Read the file again with the settings at hand, and show what comes of it."""
        asked = dict(self.settings)
        try:
            shown = await in_thread(self.imports.preview, self.staged, checked_settings(asked))
        except CrypsisError as error:
            if asked == self.settings:
                self._show_problem(error)
            return
        if asked != self.settings:  # something was changed meanwhile; its own preview is under way
            return
        self.shown, self.shown_with = shown, asked
        self._show_preview(shown)

    def _show_problem(self, error: CrypsisError) -> None:
        """Why the file cannot be read, with the control that mends it; the fields stay for another try."""
        self._let_load(False)
        self.problems.clear()
        with self.problems:
            separator = error.details.get("separator") if isinstance(error, BadRow) else None
            with theme.fault(_("This file cannot be read with these settings"), error_words(error)):
                if separator and self.settings.get("format") != "fimi":
                    sets = {"format": "fimi", "separator": str(separator)}
                    theme.secondary(
                        _("Each line is a set of items"), notify_errors(partial(self._change, sets)), "shopping_basket"
                    )
                self._offer_answers(error.sentence)
                self._offer_to_begin_again()
        self.announcer.say(_("The file cannot be read with these settings."))

    def _offer_to_begin_again(self) -> None:
        if self.settings:
            theme.secondary(_("Use the settings that were detected"), ui.navigate.reload, "auto_fix_high")
        theme.secondary(_("Choose another file"), notify_errors(self._discard), "upload_file")

    def _show_preview(self, shown: Preview) -> None:
        self._let_load(shown.problem is None)
        self.problems.clear()
        with self.problems:
            if shown.problem is not None:
                words = error_words(shown.problem)
                with theme.fault(_("These rows cannot be loaded with these settings"), words):
                    self._offer_answers(shown.problem.sentence)
                    self._offer_to_begin_again()
            if shown.person is not None:
                self._ask_about_people(shown)
            self._offer_trips(shown)
        self.tiles.clear()
        with self.tiles:
            inspection = shown.inspection
            theme.tile(
                _("File"), str(inspection["file"]), translated(FORMATS[inspection["format"]].label).partition(":")[0]
            )
            theme.tile(_("Kind"), kind_labels()[shown.section["kind"]], note_words(inspection["reason"]))
            theme.tile(_("Records"), number(shown.records))
        self.rows.set_content(_table(shown))
        self._show_commands(shown)
        self._show_detected(inspection["format"], inspection.get("understood") or {})
        self._data_fields(shown)
        self._show_steps(shown.section.get(STEP) or ())
        self.beside_box.set_visibility(shown.section["kind"] in OF_RECORDS)
        self._show_joined(shown.section.get("sets") or {})
        self.announcer.say(
            _("{records} can be loaded.", records=counted(shown.records, "record")) if shown.problem is None else ""
        )

    def _let_load(self, ready: bool) -> None:
        for button in (self.load_button, self.go_button):
            button.set_enabled(ready)

    def _offer_trips(self, shown: Preview) -> None:
        """Rows that are trips, as journeys between places; a table of them hides nobody's two ends."""
        settings = settings_of_trips([str(column["name"]) for column in shown.inspection["columns"]])
        if settings is None or shown.section["kind"] not in OF_RECORDS or shown.section.get(STEP):
            return
        reason = note_words(str(shown.inspection["reason"]))
        side = settings.get("grid")
        words = (
            _("as visits to squares of {side} m of the map", side=side)
            if side
            else _("as visits to the places that are named")
        )
        box = theme.message("info", f"{reason[0].upper()}{reason[1:]}", _("Trips can be read {words}.", words=words))
        with box:
            theme.secondary(_("Read as trips between places"), notify_errors(partial(self._change, settings)), "route")

    async def _join_sets(self, upload: str, name: str) -> None:
        """Rows of another file as sets beside these records."""
        self.settings = dict(await in_thread(self.imports.sets_beside, self.staged, self.settings, upload))
        self.names_beside[str(next(reversed(self.settings["sets"])))] = name
        await self._refresh()

    def _show_joined(self, sets: Mapping[str, Mapping[str, Any]]) -> None:
        """What is joined from other files, each with a button that takes it away."""
        self.joined.clear()
        with self.joined:
            for item, one in sets.items():
                missing = one.get("missing") or ()
                file = self.names_beside.get(item, _("another file"))
                words = _("{item} of {file}, by {id}", item=item, file=file, id=one["id"])
                words += _("; {missing} mean that there is none", missing=", ".join(missing)) if missing else ""
                rest = {name: other for name, other in sets.items() if name != item}
                change = {"sets": rest} if rest else {"kind": ""}
                with ui.row().style("width: 100%; flex-wrap: nowrap; align-items: center"):
                    ui.label(words).style("flex: 1; min-width: 0; overflow-wrap: anywhere")
                    theme.quiet("close", _("Take {item} away", item=item), notify_errors(partial(self._change, change)))

    def _show_commands(self, shown: Preview) -> None:
        self.commands.clear()
        with self.commands:
            for words, command in shown.commands.items():
                ui.label(translated(words)).classes("muted small")
                with ui.row().style("width: 100%; flex-wrap: nowrap; align-items: flex-start"):
                    label = theme.escaped(_("Command: {words}", words=translated(words)))
                    code = (
                        f'<div class="code" tabindex=0 role=region aria-label="{label}">{theme.escaped(command)}</div>'
                    )
                    ui.html(code, sanitize=False).style("flex: 1; min-width: 0")
                    theme.quiet("content_copy", _("Copy the command"), partial(ui.clipboard.write, command))

    def _ask_about_people(self, shown: Preview) -> None:
        assert shown.person is not None
        title, _mark, reason = translated(shown.person.question).partition("? ")
        words = _("{reason} Nothing is anonymized before you answer.", reason=reason)
        with theme.inside(theme.message("caution", f"{title}?", words)):
            column = shown.person.column
            theme.secondary(
                _("Yes, {column} names the person", column=column),
                notify_errors(partial(self._change, _person(column))),
            )
            alone = _("No, each of the {records} is another person", records=translated(shown.person.records))
            theme.secondary(alone, notify_errors(partial(self._change, _person(_EACH_ROW))))

    def _show_detected(self, format: str, understood: Mapping[str, Any]) -> None:
        """What was detected, below the field that would change it; notes and questions beside the rows."""
        detected: Mapping[str, str] = understood.get("read_as") or {}
        options = ("format", *(option.name for option in parameters_of(FORMATS[format])))
        for name, field in self.file_fields.items():
            field.props(remove="hint")
            if name in detected and not self.settings.get(name):
                field.props["hint"] = _("Detected: {detected}", detected=note_words(detected[name]))
            field.set_visibility(name in options)
        self.notes.clear()
        with self.notes:
            for question in understood.get("questions") or ():
                with theme.inside(theme.message("caution", _question_words(question))):
                    self._offer_answers(question)
            if understood.get("notes"):
                notes = "\n".join(map(note_words, understood["notes"]))
                theme.message("info", _("How the file is understood"), notes)

    def _offer_answers(self, asked: str) -> None:
        """A button for each answer that a question or a refusal names."""
        answers: dict[str, Mapping[str, Any]] = {
            _("Dates like {form}", form=_EXAMPLE.strftime(form)): {"time_format": form}
            for form in _TIME_FORMAT.findall(asked)
        }
        steps = self.settings.get(STEP, [])
        answers |= {str(typed): {STEP: [*steps, step_of(typed).to_dict()]} for typed in _STEP.findall(asked)}
        known = self.shown.section.get("missing") if self.shown is not None else None
        for marker in _MISSING.findall(asked):
            column, _equals, codes = marker.rpartition("=")
            words = _("Read {codes} in '{column}' as missing", codes=codes.replace("|", ", "), column=column)
            answers[words] = {"missing": [*(known or ("?",)), marker]}
        for words, change in answers.items():
            theme.secondary(words, notify_errors(partial(self._change, change)))

    # What can be changed

    def _file_fields(self) -> None:
        self.file_fields: dict[str, Any] = {
            "format": ui.select(known_formats(), label=_("Format"), value="").props(_FIELD)
        }
        self.file_fields |= {name: _option_field(option) for name, option in format_options().items()}
        for name, field in self.file_fields.items():
            field.style("width: 100%").on_value_change(notify_errors(partial(self._field_changed, name)))

    async def _field_changed(self, name: str, event: Any) -> None:
        await self._change({name: event.value})

    def _data_fields(self, shown: Preview) -> None:
        section, kind = shown.section, str(shown.section["kind"])
        names = [str(column["name"]) for column in shown.inspection["columns"]]
        self.data_fields.clear()
        self.columns.clear()
        self.columns_box.set_visibility(kind in OF_RECORDS)
        with self.data_fields:
            self._choice(_("Kind of data"), kind_labels(), kind, "kind")
            if kind in OF_RECORDS:
                self._person_field(names, section)
            for option in shown.options:
                if kind not in OF_RECORDS or option.name not in ("person", "each_row_is_a_person"):
                    reading_field(
                        option, value_in(section, option), names, notify_errors(self._option_changed), "detected"
                    )
        with self.columns:
            for name, column in (section["columns"] if kind in OF_RECORDS else {}).items():
                self._column_fields(name, column, shown.inspection["reasons"].get(name, ""))

    def _show_steps(self, told_steps: Sequence[Mapping[str, Any]]) -> None:
        """The steps so far, each as it is typed, with a button that takes it away."""
        self.steps.clear()
        with self.steps:
            for index, step in enumerate(told_steps):
                rest = [one for other, one in enumerate(told_steps) if other != index]
                with ui.row().style("width: 100%; flex-wrap: nowrap; align-items: center"):
                    ui.label(str(step_of(step))).classes("code").style("flex: 1; min-width: 0")
                    theme.quiet("close", _("Take this step away"), notify_errors(partial(self._change, {STEP: rest})))

    def _step_fields(self) -> None:
        """A step to add: what it does, and a field for each of its parameters."""
        chosen = ui.select({name: translated(step.label) for name, step in STEPS.items()}, label=_("Step")).props(
            _FIELD
        )
        chosen.style("width: 100%")
        fields = ui.column().style("width: 100%; gap: 8px")
        given: dict[str, Any] = {}

        def keep(option: Parameter, value: Any) -> None:
            given[option.name] = value

        def show(event: Any) -> None:
            given.clear()
            fields.clear()
            with fields:
                for option in parameters_of(STEPS[event.value]):
                    reading_field(option, None, (), keep)

        async def add() -> None:
            step = step_of({STEP: chosen.value, **given})
            await self._change({STEP: [*self.settings.get(STEP, []), step.to_dict()]})

        chosen.on_value_change(show)
        theme.secondary(_("Add step"), notify_errors(add), "add")

    async def _option_changed(self, option: Parameter, value: Any) -> None:
        await self._change({**dict.fromkeys(words_of(option)), option.name: value})

    def _choice(self, label: str, choices: Mapping[str, str], value: str, key: str) -> None:
        field = ui.select(dict(choices), value=value if value in choices else "", label=label)
        field.props(_FIELD).style("width: 100%").on_value_change(notify_errors(partial(self._field_changed, key)))

    def _person_field(self, names: list[str], section: Mapping[str, Any]) -> None:
        known = {"": _("not said"), _EACH_ROW: _("each row is another person"), **{name: name for name in names}}
        chosen = _EACH_ROW if section.get("each_row_is_a_person") else section.get("person") or ""
        field = ui.select(known, value=chosen, label=_("Person, where one has several rows")).props(_FIELD)
        field.style("width: 100%").on_value_change(notify_errors(self._person_changed))

    async def _person_changed(self, event: Any) -> None:
        await self._change(_person(event.value))

    def _column_fields(self, name: str, column: Mapping[str, Any], reason: str) -> None:
        """Type and role of a column of a table, and why they were suggested."""
        with ui.column().classes("column-name"):
            ui.label(name).classes("strong cut")
            ui.label(note_words(reason)).classes("muted small")
        type = ui.select(type_labels(), value=column.get("type", "category"))
        type.props(f"{_FIELD} {theme.attribute('aria-label', _('Type of {name}', name=name))}")
        type.on_value_change(notify_errors(partial(self._column_changed, name, "type")))
        if column.get("type") == "items":
            ui.label(_("Items that others may know"))
            return
        labels = role_labels()
        role = ui.select({role: labels[role] for role in ROLES}, value=column.get("role"))
        role.props(f"{_FIELD} {theme.attribute('aria-label', _('Role of {name}', name=name))}")
        role.on_value_change(notify_errors(partial(self._column_changed, name, "role")))

    async def _column_changed(self, name: str, key: str, event: Any) -> None:
        assert self.shown is not None
        column = {**self.shown.section["columns"][name], key: event.value}
        if column["type"] == "items":
            column = {"type": "items", "item_separator": column.get("item_separator", " ")}
        else:
            column = {"type": column["type"], "role": column.get("role", "quasi")}
        await self._change({"columns": {**self.settings.get("columns", {}), name: column}})

    async def _change(self, changed: Mapping[str, Any]) -> None:
        """Other settings: fields show them, and the file is read again. Another kind begins from its suggestions."""
        if "kind" in changed or "format" in changed:
            kept = ("format", *format_options())
            self.settings = {name: value for name, value in self.settings.items() if name in (*kept, STEP)}
        self.settings |= changed
        for name, value in changed.items():
            if name in self.file_fields and self.file_fields[name].value != value:
                self.file_fields[name].value = value
        await self._refresh()

    # What is done

    async def _load(self, then: str) -> None:
        shown = self.shown if self.shown_with == self.settings else None
        entry = await in_thread(self.imports.load, self.staged, checked_settings(self.settings), shown)
        ui.navigate.to(f"{then}?dataset={entry.number}")

    async def _discard(self) -> None:
        await in_thread(self.imports.discard, self.staged)
        ui.navigate.to("/data")


def known_formats() -> dict[str, str]:
    """The formats to choose from, by name, as people call them."""
    return {"": _("detected"), **{name: translated(format.label) for name, format in FORMATS.items()}}


def _person(column: str) -> dict[str, Any]:
    """The settings that say who a person is."""
    return {"person": "" if column == _EACH_ROW else column, "each_row_is_a_person": column == _EACH_ROW or None}


def _option_field(option: Parameter) -> Any:
    """An option of a format: a choice, or a text; empty where nothing is said."""
    choices = option.choices or (("yes", "no") if option.type is bool else ())
    label = option.name.capitalize()
    if choices:
        known = {
            "": _("detected") if option.optional else _("as usual"),
            **{choice: translated(choice) for choice in choices},
        }
        return ui.select(known, label=label, value="").props(_FIELD).tooltip(note_words(option.help))
    return ui.input(label).props(f"{_FIELD} debounce=500 maxlength=1000").tooltip(note_words(option.help))


def _table(shown: Preview) -> str:
    """The first rows with the type of each column."""
    columns = shown.section.get("columns") or {}
    types = {str(column["name"]): str(column["type"]) for column in shown.inspection["columns"]}
    types |= {name: str(column.get("type", "")) for name, column in columns.items()}
    labels = type_labels()
    heads = "".join(
        f'<th scope="col">{theme.escaped(name)}<br><span class="muted small">'
        f"{theme.escaped(labels.get(types.get(name, ''), ''))}</span></th>"
        for name in shown.columns
    )
    body = "".join("<tr>" + "".join(f"<td>{theme.escaped(cell)}</td>" for cell in row) + "</tr>" for row in shown.rows)
    named = theme.markup_attribute("aria-label", _("First rows"))
    return f'<table class="plain" {named}><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>'


def _question_words(question: str) -> str:
    """What is asked about a file; the answer that a button gives is not asked for in words."""
    asked = _CODES.fullmatch(question)
    if asked is None:
        return note_words(question)
    return _("{codes} in '{column}' may be codes for a missing value.", codes=asked[1], column=asked[2])
