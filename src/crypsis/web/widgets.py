"""Widgets that several pages use: a place to drop a file, a grid over many rows, a dataset to choose, a file shown."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlencode

from nicegui import ui

from crypsis.data.sources import SOURCES
from crypsis.errors import CrypsisError
from crypsis.translation import _, marked, translated
from crypsis.web.actions import in_thread, notify_errors
from crypsis.web.data_labels import kind_labels
from crypsis.web.reader import on_a_phone
from crypsis.web.telling import error_words
from crypsis.web.theme import attribute, escaped, fault, go_button, message, named_dialog, primary, secondary
from crypsis.web.workbench import Workbench
from crypsis.web.workspace import Entry

Received = Callable[[str, str], Awaitable[None]]
_WIDE = 150  # pixels of a column of text on a phone, where a grid scrolls


def drop_place(workbench: Workbench, what: str, hint: str, received: Received, *, accept: str = "") -> str:
    """A place for a file, by mouse or keyboard; `received` gets its number and its name. The id of the place."""
    with ui.element("div").style("width: 100%") as holder:
        place = f"drop-{holder.id}"
        accepted = f' accept="{escaped(accept)}"' if accept else ""
        ui.html(
            f'<label class="drop" id="{place}"><span class="material-icons" aria-hidden="true">upload_file</span>'
            f'<span class="strong">{escaped(what)}</span><span class="muted small">{escaped(hint)}</span>'
            f'<input type="file" aria-label="{escaped(what)}"{accepted}><progress hidden></progress>'
            '<span class="drop-status" role="status"></span></label>',
            sanitize=False,
        )

    async def arrived(event: Any) -> None:
        await received(str(event.args["id"]), str(event.args["name"]))

    ui.on(f"upload-{place}", arrived)
    limit = workbench.access.upload_limit
    ui.timer(0.05, lambda: ui.run_javascript(f"crypsis.drop('{place}', {limit})"), once=True)
    return place


def choose_file_button(place: str, words: str) -> Any:
    """A button that asks for the file of a drop place, so that an error can offer it."""
    button = ui.button(words, icon="upload_file").props("outline no-caps color=primary")
    return button.on("click", js_handler=f"() => document.querySelector('#{place} input').click()")


def rows_grid(
    address: str,
    columns: Sequence[str],
    *,
    numeric: frozenset[str] = frozenset(),
    total: int,
    editable: bool = False,
    height: str = "420px",
    filters: bool = True,
    label: str = marked("Rows"),
) -> Any:
    """A grid that asks for rows as they come into view; sorting and filtering happen on the server."""
    definitions: list[dict[str, Any]] = [
        {
            "headerName": "#",
            "colId": "place",
            ":valueGetter": "p => p.data ? p.data._row + 1 : ''",
            "pinned": "left",
            "width": 30 + 8 * max(3, len(f"{total:,}")),
            "minWidth": 48,
            "sortable": False,
            "filter": False,
            "editable": False,
            "cellClass": "row-number",
            "resizable": False,
            "suppressMovable": True,
        }
    ]
    number_column = {"type": "rightAligned", **({"flex": 0.5} if len(columns) <= 7 else {})}  # they need less room
    word_column = {"minWidth": _WIDE} if on_a_phone() else {}
    for index, name in enumerate(columns):
        definitions.append(
            {
                "headerName": name,
                "field": f"c{index}",
                "colId": f"c{index}",
                "tooltipField": f"c{index}",  # the whole of a value that is cut
                "filter": "agNumberColumnFilter" if name in numeric else "agTextColumnFilter",
                "cellClassRules": {"changed": f"data && data._changed && data._changed.includes({index})"},
                **(number_column if name in numeric else word_column),
            }
        )
    options = {
        "columnDefs": definitions,
        "defaultColDef": {
            "sortable": filters,
            "filter": filters,
            "floatingFilter": filters,
            "suppressHeaderMenuButton": True,
            "resizable": True,
            "editable": editable,
            "minWidth": 96,
            "width": max(110, min(220, 900 // max(1, len(columns)))),
            "filterParams": {"maxNumConditions": 1, "debounceMs": 300},
            **({"flex": 1} if len(columns) <= 7 else {}),
        },
        "rowModelType": "infinite",
        "cacheBlockSize": 200,
        "maxBlocksInCache": 20,
        "maxConcurrentDatasourceRequests": 2,
        "infiniteInitialRowCount": min(max(total, 1), 1000) if total else 0,
        "rowHeight": 28,
        "headerHeight": 32,
        "floatingFiltersHeight": 34,
        "suppressFieldDotNotation": True,
        "stopEditingWhenCellsLoseFocus": True,
        "enableCellTextSelection": not editable,
        "enableBrowserTooltips": True,
        "rowSelection": {"mode": "singleRow", "checkboxes": False, "enableClickSelection": True},
        ":datasource": f"crypsis.rows({json.dumps(address)})",
        "overlayNoRowsTemplate": f"<span class='muted'>{escaped(_('No rows'))}</span>",
        "localeText": grid_words(),
    }
    grid = ui.aggrid(options, auto_size_columns=False).classes("grid").style(f"height: {height}")
    return grid.props(attribute("aria-label", _(label)))


def grid_words() -> dict[str, str]:
    """What a grid says by itself."""
    return {name: _(words) for name, words in _GRID_WORDS.items()}


_GRID_WORDS = {
    "ariaFilterInput": marked("Filter"),
    "ariaFilterMenuOpen": marked("Open the filter"),
    "ariaFilterValue": marked("Value of the filter"),
    "ariaFilteringOperator": marked("Comparison"),
    "ariaInputEditor": marked("Edit the cell"),
    "ariaRowSelect": marked("Press Space to select the row"),
    "ariaRowDeselect": marked("Press Space to deselect the row"),
    "ariaSkeletonCellLoadingFailed": marked("The row could not be loaded"),
    "loadingOoo": marked("Loading …"),
    "loadingError": marked("The rows cannot be read."),
    "noRowsToShow": marked("No rows"),
    "equals": marked("Equals"),
    "notEqual": marked("Does not equal"),
    "contains": marked("Contains"),
    "notContains": marked("Does not contain"),
    "startsWith": marked("Begins with"),
    "endsWith": marked("Ends with"),
    "lessThan": marked("Less than"),
    "lessThanOrEqual": marked("At most"),
    "greaterThan": marked("Greater than"),
    "greaterThanOrEqual": marked("At least"),
    "inRange": marked("Between"),
    "inRangeStart": marked("From"),
    "inRangeEnd": marked("To"),
    "blank": marked("Empty"),
    "notBlank": marked("Not empty"),
    "filterOoo": marked("Filter …"),
    "page": marked("Page"),
    "to": marked("to"),
    "of": marked("of"),
    "more": marked("more"),
    "firstPage": marked("First page"),
    "previousPage": marked("Previous page"),
    "nextPage": marked("Next page"),
    "lastPage": marked("Last page"),
}


def choose_dataset(
    workbench: Workbench, chosen: Entry | None, path: str, *, kinds: Sequence[str] = (), label: str = marked("Dataset")
) -> Any:
    """The datasets to work on; choosing one opens the page with it."""
    entries = [
        entry for entry in workbench.datasets.entries() if not kinds or entry.content["section"]["kind"] in kinds
    ]
    options = {entry.number: entry.name for entry in entries}
    field = ui.select(
        options,
        value=chosen.number if chosen is not None and chosen.number in options else None,
        label=_(label),
        on_change=lambda event: ui.navigate.to(f"{path}?dataset={event.value}"),
    )
    return field.props("outlined dense options-dense").classes("one-line").style("width: 220px")


def chosen_dataset(workbench: Workbench, number: str | None, kinds: Sequence[str] = ()) -> Entry | None:
    """The dataset in the address, or the newest that fits."""
    if number:
        try:
            entry = workbench.datasets.entry(number)
            if not kinds or entry.content["section"]["kind"] in kinds:
                return entry
        except CrypsisError:
            pass
    fitting = (one for one in workbench.datasets.entries() if not kinds or one.content["section"]["kind"] in kinds)
    return next(fitting, None)


_DAMAGE_SHOWN = 3  # entries that are told one by one


def tell_damage(workbench: Workbench) -> None:
    """What of the workspace cannot be read, each with a way to be rid of it; everything else is shown as ever."""
    damaged = workbench.workspace.damaged()
    for place, one in enumerate(damaged[:_DAMAGE_SHOWN], 1):
        kind, number = one["kind"], one["id"]
        left = len(damaged) - place if place == _DAMAGE_SHOWN else 0
        more = _(" There are {left:,} more of these.", left=left) if left else ""
        with ui.element("div").style("width: 100%") as box:

            def remove(kind: str = kind, number: str = number, box: Any = box) -> None:
                workbench.workspace.remove(kind, number)
                box.set_visibility(False)

            with fault(_("Something in the workspace cannot be read"), translated(one["message"]) + more):
                secondary(
                    _("Remove it"),
                    partial(
                        confirm,
                        _("Remove what cannot be read?"),
                        _("Its files are deleted."),
                        notify_errors(remove),
                        _("Remove"),
                    ),
                    "delete",
                )


def say_if_another(workbench: Workbench, number: str | None, shown: Entry) -> None:
    """Where the address asks for a dataset that does not fit the page: that another one is shown."""
    if number in (None, "", shown.number):
        return
    try:
        asked = workbench.datasets.entry(str(number))
    except CrypsisError:
        message("caution", _("There is no such dataset any more"), _("{name} is shown instead.", name=shown.name))
        return
    kind = kind_labels()[asked.content["section"]["kind"]]
    message(
        "info",
        _("{name} is shown, not {name2}", name=shown.name, name2=asked.name),
        _("This page is not for data of the kind {kind}.", kind=kind),
    )


@dataclass(frozen=True)
class _Remedy:
    """A setting that makes data readable whose error has these words."""

    words: str
    key: str
    value: Any
    button: str
    icon: str


_REMEDIES = (
    _Remedy("sort=True", "sort", True, marked("Put the rows in order"), "sort"),
    _Remedy("occurs twice in one id", "repeated", "first", marked("Keep the first of such rows"), "filter_1"),
)


def unreadable(workbench: Workbench, entry: Entry, error: CrypsisError, path: str) -> None:
    """Why data do not match the column settings, and what to do about it."""
    section = dict(entry.content["section"])
    remedies = [one for one in _REMEDIES if one.words in error.sentence and one.key in SOURCES[section["kind"]].names()]

    async def mend(remedy: _Remedy) -> None:
        kept = {key: value for key, value in section.items() if key not in ("path", "edits")}
        settings = {**kept, remedy.key: remedy.value}
        await in_thread(workbench.datasets.set_section, entry.number, settings, entry.revision)
        ui.navigate.to(f"{path}?dataset={entry.number}")

    async def detect_again() -> None:
        await in_thread(workbench.datasets.detect_again, entry.number, entry.revision)
        ui.navigate.to(f"{path}?dataset={entry.number}")

    with fault(_("The data do not match the column settings"), error_words(error)):
        for remedy in remedies:
            primary(_(remedy.button), notify_errors(partial(mend, remedy)), remedy.icon)
        if path != "/data":
            go_button(_("Set roles and types on the page Data"), f"/data?dataset={entry.number}", "table_chart")
        else:
            secondary(_("Use the settings that were detected"), notify_errors(detect_again), "auto_fix_high")


def show_as_file(
    text: Callable[[], str],
    apply: Callable[[str], Awaitable[None] | None] | None = None,
    name: str = "experiment.toml",
    what: str = marked("Experiment file (TOML)"),
    command: str = "crypsis run",
) -> None:
    """A dialog with the file that the page stands for. It can be copied, kept, changed and taken back."""
    from inspect import isawaitable

    with named_dialog(_("As a file"), width=760) as dialog:
        ui.label(
            _(
                "{command} with this file does the same on the command line. Paths are those of this machine.",
                command=command,
            )
        ).classes("muted small")
        field = ui.textarea(_(what), value=text()).props(
            'outlined input-style="font-family: ui-monospace, monospace; font-size: 12.5px; height: 46vh"'
        )
        field.style("width: 100%")

        async def take() -> None:
            assert apply is not None
            try:
                result = apply(str(field.value))
                if isawaitable(result):
                    await result
            except CrypsisError as error:
                field.error = error_words(error)
                return
            dialog.close()

        with ui.row().classes("actions"):
            if apply is not None:
                primary(_("Use this file"), take, "check")
            secondary(_("Copy"), lambda: ui.clipboard.write(str(field.value)), "content_copy")
            secondary(_("Download"), lambda: ui.download.content(str(field.value), name), "download")
            ui.button(_("Close"), on_click=dialog.close).props("flat no-caps")
    dialog.on("hide", dialog.delete)
    dialog.open()


def file_menu(files: Mapping[str, tuple[str, str]]) -> None:
    """The menu of a button: files to download; `files` gives address and name by what the menu says."""
    with ui.menu():
        for text, (address, name) in files.items():
            item = ui.menu_item(text, on_click=partial(ui.download.from_url, address, name))
            item.props("role=menuitem")


def plot_exports(experiment: str, kind: str, query: Mapping[str, Any], name: str) -> Any:
    """The menu of a plot: pictures, and the numbers that it shows."""
    files = {}
    for format in ("svg", "pdf", "png", "jpg", "bmp", "csv"):
        asked = urlencode({**{key: value for key, value in query.items() if value}, "format": format})
        address = f"/api/experiments/{experiment}/plots/{kind}?{asked}"
        files[_("Numbers (CSV)") if format == "csv" else format.upper()] = (address, f"{name}.{format}")
    with ui.button(icon="download").props(
        f"flat dense round {attribute('aria-label', _('Export this plot'))}"
    ) as button:
        file_menu(files)
    return button


def confirm(question: str, words: str, action: Callable[[], Any], button: str) -> None:
    """Ask before something that cannot be taken back."""
    from inspect import isawaitable

    with named_dialog(question, width=480) as dialog:
        ui.label(words)

        async def go() -> None:
            dialog.close()
            result = action()
            if isawaitable(result):
                await result

        with ui.row().classes("actions"):
            ui.button(button, on_click=go).props("unelevated no-caps color=negative")
            ui.button(_("Keep"), on_click=dialog.close).props("flat no-caps")
    dialog.open()
