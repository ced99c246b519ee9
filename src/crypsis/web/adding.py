"""The ways in which data come into the workspace: a file that is dropped, a path, a sample.

A file goes to the page *Import* first, which shows how it is understood; samples are loaded at once.
"""

from __future__ import annotations

from nicegui import ui

from crypsis.data.formats import FORMATS
from crypsis.errors import CrypsisError
from crypsis.samples import SAMPLES
from crypsis.translation import _, translated
from crypsis.web import theme
from crypsis.web.actions import in_thread, notify_errors
from crypsis.web.importing import Staged
from crypsis.web.telling import error_sentence
from crypsis.web.theme import attribute
from crypsis.web.widgets import drop_place
from crypsis.web.workbench import Workbench


def ways_to_add(workbench: Workbench) -> None:
    """Upload, path, samples."""

    async def received(upload: str, name: str) -> None:
        _open(workbench, Staged(upload=upload, name=name))

    names = ", ".join(translated(format.label).partition(":")[0] for format in FORMATS.values())
    drop_place(workbench, _("Drop a file here, or choose one"), names, received)
    if workbench.allow_paths:
        with ui.row().style("width: 100%; flex-wrap: wrap; align-items: flex-start"):
            field = (
                ui.input(_("Or the path of a file on this machine")).props("outlined dense").style("flex: 1 1 220px")
            )

            async def open_path() -> None:
                path = str(field.value or "").strip()
                try:
                    await in_thread(workbench.datasets.named_file, path)
                except CrypsisError as error:
                    field.error = error_sentence(error)
                    return
                _open(workbench, Staged(path=path))

            field.on("keydown.enter", open_path)
            theme.secondary(_("Open"), open_path, "folder_open").style("height: 40px")
        ui.link(_("A folder of files larger than memory"), "/parts").classes("small")
    ui.html(f"<h3>{theme.escaped(_('Or look around with sample data'))}</h3>", sanitize=False)
    with ui.element("div").classes("cards"):
        for name, sample in SAMPLES.items():
            _sample_card(workbench, name, sample.description)


def _open(workbench: Workbench, staged: Staged) -> None:
    ui.navigate.to(f"/import?file={workbench.imports.stage(staged)}")


def _sample_card(workbench: Workbench, name: str, description: str) -> None:
    async def load() -> None:
        entry = await in_thread(workbench.datasets.add_sample, name)
        ui.navigate.to(f"/data?dataset={entry.number}")

    with (
        ui.element("button")
        .classes("card pick")
        .props(f"type=button {attribute('aria-label', _('Load the sample {name}', name=name))}") as card
    ):
        ui.label(name.replace("-", " ").capitalize()).classes("strong")
        ui.label(translated(description)).classes("muted small")
    card.on("click", notify_errors(load))
