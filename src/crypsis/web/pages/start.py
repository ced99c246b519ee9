"""Start: what this is, the three steps, and data of every kind one click away."""

from __future__ import annotations

from functools import partial

from nicegui import ui

from crypsis.samples import SAMPLES
from crypsis.translation import _, marked, translated
from crypsis.web import theme
from crypsis.web.actions import in_thread, notify_errors, number
from crypsis.web.data_labels import DATA_KINDS, kind_labels
from crypsis.web.workbench import Workbench

PATH = "/"
TITLE = marked("Publish data about people without publishing the people")
LEAD = marked("Crypsis runs on your machine: nothing that you load here leaves it.")
STEPS = (
    (
        "table_chart",
        marked("Load your data"),
        marked("Upload a file or name its path, and see how many people are unique."),
        "/data",
    ),
    (
        "science",
        marked("Try methods"),
        marked("Run one or compare several; a verifier proves each result."),
        "/methods",
    ),
    ("download", marked("Download a release"), marked("Take what is verified. Anybody can check it again."), "/verify"),
)
_RECENT = 4


def register(workbench: Workbench) -> None:
    @ui.page(PATH)
    def start() -> None:
        with theme.page_frame(_("Start"), LEAD, heading=TITLE):
            _steps()
            _recent(workbench)
            _samples(workbench)


def _steps() -> None:
    with ui.element("ol").classes("steps"):
        for step, (icon, title, words, path) in enumerate(STEPS, 1):
            with ui.element("li").classes("box"):
                with ui.row().style("align-items: center; gap: 10px; flex-wrap: nowrap"):
                    ui.icon(icon).classes("step-icon").props("aria-hidden=true")
                    ui.html(f"<h2>{step}. {theme.escaped(_(title))}</h2>", sanitize=False)
                ui.label(_(words)).classes("muted")
                if step == 1:
                    theme.primary(_("Load data"), lambda: ui.navigate.to("/data"), "upload_file").style(
                        "align-self: flex-start"
                    )
                else:
                    ui.link(_("Read about the methods") if step == 2 else _("Check a release"), path).classes("small")


def _recent(workbench: Workbench) -> None:
    entries = workbench.datasets.entries()[:_RECENT]
    if not entries:
        return
    with theme.section(_("Go on with your data")), ui.element("div").classes("cards"):
        for entry in entries:
            with ui.link(target=f"/data?dataset={entry.number}").classes("card"):
                ui.label(entry.name).classes("strong cut")
                rows = entry.content["inspection"].get("rows")
                words = _("{rows} rows · ", rows=number(rows)) if isinstance(rows, int) else ""
                ui.label(f"{words}{kind_labels()[entry.content['section']['kind']]}").classes("muted small")


def _samples(workbench: Workbench) -> None:
    async def load(name: str) -> None:
        entry = await in_thread(workbench.datasets.add_sample, name)
        ui.navigate.to(f"/data?dataset={entry.number}")

    with (
        theme.section(_("Or look around with sample data"), _("Made up, of each kind that Crypsis takes; one click")),
        ui.element("div").classes("cards"),
    ):
        shown: set[str] = set()
        for words in DATA_KINDS.values():
            if words.sample in shown:
                continue
            shown.add(words.sample)
            with (
                ui.element("button")
                .classes("card pick")
                .props(
                    f"type=button {theme.attribute('aria-label', _('Load the sample {name}', name=words.sample))}"
                ) as card
            ):
                ui.label(_(words.name)).classes("strong")
                ui.label(translated(SAMPLES[words.sample].description)).classes("muted small")
            card.on("click", notify_errors(partial(load, words.sample)))
