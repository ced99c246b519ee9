"""The ways in which data come into the workspace: a file that is dropped, a path, a sample.

A file that cannot be read stays at hand: how it is written can be told, and it is tried again.
"""

from __future__ import annotations

from typing import Any

from nicegui import ui

from crypsis.data.formats import FORMATS, format_options
from crypsis.errors import BadRow, CrypsisError
from crypsis.parameters import Parameter
from crypsis.samples import SAMPLES
from crypsis.web import theme
from crypsis.web.actions import in_thread, told
from crypsis.web.widgets import drop_place
from crypsis.web.workbench import Workbench

_AS_SETS = "Where each line is a set of items, such as a basket, it can be read so; else correct the file."


def ways_to_add(workbench: Workbench) -> None:
    """Upload, path, samples."""
    told_format: dict[str, Any] = {"format": ""}

    def settings() -> dict[str, Any]:
        options = format_options()
        return {
            name: options[name].parse(str(value), "The file") if name in options else value
            for name, value in told_format.items()
            if value not in (None, "")
        }

    async def received(upload: str, name: str) -> None:
        try:
            entry = await in_thread(workbench.datasets.add_upload, upload, name, settings())
        except CrypsisError as error:
            with problems:
                problems.clear()
                with theme.message("bad", "This file cannot be used", f"{error}\n{_way_on(error)}".strip()):
                    again = _read_as_sets(error, chosen, between, lambda: received(upload, name))
                    again.style("margin-left: auto; white-space: nowrap; flex: none")
            written.open()
            return
        ui.navigate.to(f"/data?dataset={entry.number}")

    problems = ui.column().style("width: 100%")
    names = ", ".join(format.label.partition(":")[0] for format in FORMATS.values())
    drop_place(workbench, "Drop a file here, or choose one", names, received)
    written = ui.expansion("How the file is written").props("dense").style("width: 100%")
    with written, ui.row().style("width: 100%; align-items: flex-start"):
        chosen = ui.select(known_formats(), label="Format", value="").style("flex: 1")
        chosen.props("outlined dense options-dense")
        chosen.bind_value_to(told_format, "format")
        fields = {name: _field(option) for name, option in format_options().items()}
        for name, one in fields.items():
            one.style("flex: 1; min-width: 14rem").bind_value_to(told_format, name)
        between = fields["separator"]
    if workbench.allow_paths:
        with ui.row().style("width: 100%; flex-wrap: nowrap; align-items: flex-start"):
            field = ui.input("Or the path of a file on this machine").props("outlined dense").style("flex: 1")

            async def open_path() -> None:
                try:
                    entry = await in_thread(workbench.datasets.add_path, str(field.value or "").strip(), settings())
                except CrypsisError as error:
                    field.error = f"{error.message} {_way_on(error)}".strip()
                    written.open()
                    return
                ui.navigate.to(f"/data?dataset={entry.number}")

            field.on("keydown.enter", open_path)
            theme.secondary("Open", open_path, "folder_open").style("height: 40px")
    ui.html("<h3>Or look around with sample data</h3>", sanitize=False)
    with ui.element("div").classes("cards"):
        for name, sample in SAMPLES.items():
            _sample_card(workbench, name, sample.description)


def known_formats() -> dict[str, str]:
    """The formats to choose from, by name, as people call them."""
    return {"": "detected", **{name: format.label for name, format in FORMATS.items()}}


def _field(option: Parameter) -> Any:
    """An option of a format: a choice, or a text; empty where nothing is said."""
    choices = option.choices or (("yes", "no") if option.type is bool else ())
    if choices:
        known = {"": "detected" if option.optional else "as usual", **{choice: choice for choice in choices}}
        field: Any = ui.select(known, label=option.name.capitalize(), value="").props("outlined dense options-dense")
    else:
        field = ui.input(option.name.capitalize()).props(
            f"outlined dense maxlength={1 if option.name == 'separator' else 40}"
        )
    return field.tooltip(option.help)


def _way_on(error: CrypsisError) -> str:
    """What to do about a file that is no table: it may be none."""
    return _AS_SETS if isinstance(error, BadRow) else ""


def _read_as_sets(error: CrypsisError, format: Any, between: Any, again: Any) -> Any:
    """The button beside a file that cannot be read: as baskets where its lines differ in length, or as now told."""

    async def as_sets() -> None:
        format.set_value("fimi")
        between.set_value(str(error.details["separator"]))
        await again()

    if isinstance(error, BadRow) and error.details.get("separator") and format.value != "fimi":
        return theme.secondary("Each line is a set of items", as_sets, "shopping_basket")
    return theme.secondary("Try again with these settings", again, "refresh")


def _sample_card(workbench: Workbench, name: str, description: str) -> None:
    async def load() -> None:
        entry = await in_thread(workbench.datasets.add_sample, name)
        ui.navigate.to(f"/data?dataset={entry.number}")

    with ui.element("button").classes("card pick").props(f'type=button aria-label="Load the sample {name}"') as card:
        ui.label(name.replace("-", " ").capitalize()).classes("strong")
        ui.label(description).classes("muted small")
    card.on("click", told(load))
