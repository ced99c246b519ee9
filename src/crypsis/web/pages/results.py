"""Results: every experiment of the workspace; its cells with filters, its plots, its files."""

from __future__ import annotations

from nicegui import ui

from crypsis.translation import _, marked
from crypsis.translation.wording import counted
from crypsis.web import theme
from crypsis.web.actions import in_thread, notify_errors
from crypsis.web.experiments import UNFINISHED
from crypsis.web.plot_area import PlotArea
from crypsis.web.report_card import report_address
from crypsis.web.results_view import ResultsView
from crypsis.web.widgets import confirm, drop_place, show_as_file
from crypsis.web.workbench import Workbench
from crypsis.web.workspace import Entry

PATH = "/results"
LEAD = marked("What was run, with its figures, verdicts and files.")


def register(workbench: Workbench) -> None:
    @ui.page(PATH, response_timeout=60)
    def results(experiment: str | None = None, dataset: str | None = None) -> None:
        with theme.page_frame(_("Results"), LEAD, dataset=dataset) as actions:
            with actions:
                theme.secondary(_("Open an experiment file"), lambda: _open_file(workbench), "upload_file")
            found = [
                entry
                for entry in workbench.experiments.entries()
                if entry.number == experiment or workbench.experiments.store(entry.number).exists()
            ]
            if not found:
                with theme.empty_state(
                    "leaderboard",
                    _("Nothing was run yet"),
                    _("Evaluate a method or compare several; what came out is kept here."),
                ):
                    theme.primary(_("Evaluate"), lambda: ui.navigate.to("/evaluate"), "science")
                    theme.secondary(_("Compare"), lambda: ui.navigate.to("/compare"), "stacked_line_chart")
                return
            of_dataset = (entry for entry in found if entry.content["dataset"] == dataset)
            chosen = next((entry for entry in found if entry.number == experiment), None) or next(of_dataset, found[0])
            with ui.element("div").classes("split left"):
                with theme.section(_("Experiments")):
                    _list(workbench, found, chosen)
                with ui.element("div").classes("stack"):
                    view = _one(workbench, chosen)
            _watch(view, PlotArea(workbench, chosen.number))


def _list(workbench: Workbench, found: list[Entry], chosen: Entry) -> None:
    with ui.column().style("width: 100%; gap: 8px"):
        for entry in found:
            link = ui.link(target=f"{PATH}?experiment={entry.number}").classes("card").style("width: 100%")
            with link:
                ui.label(entry.name).classes("strong")
                rows = workbench.experiments.results(entry.number)
                done = sum(row["state"] == "done" for row in rows)
                left = sum(row["state"] in UNFINISHED for row in rows)
                words = _(
                    "{mode} · {results}, {done} verified",
                    mode=_(theme.TITLES[f"/{entry.content['mode']}"]),
                    results=counted(len(rows), "result"),
                    done=done,
                )
                ui.label(words + (_(", {left} not finished", left=left) if left else "")).classes("muted small")
                ui.label(str(entry.content.get("created", ""))[:16].replace("T", " ")).classes("muted small")
            if entry.number == chosen.number:
                link.classes("here").props("aria-current=true")


def _one(workbench: Workbench, entry: Entry) -> ResultsView:
    experiments = workbench.experiments
    with ui.row().classes("actions"):
        path = f"/{entry.content['mode']}?dataset={entry.content['dataset']}&experiment={entry.number}"
        theme.primary(_("Open"), lambda: ui.navigate.to(path), "open_in_new")

        async def take(text: str) -> None:
            taken = await in_thread(experiments.take_text, entry.number, text)
            path = f"/{taken.content['mode']}?dataset={taken.content['dataset']}&experiment={taken.number}"
            ui.navigate.to(path)

        theme.secondary(
            _("Show as file"),
            lambda: show_as_file(lambda: experiments.experiment(entry.number).to_toml(), take),
            "code",
        )
        theme.secondary(
            _("Report"),
            lambda: ui.navigate.to(report_address(entry.number), new_tab=True),
            "description",
        )
        theme.secondary(
            "results.csv", lambda: ui.navigate.to(f"/api/experiments/{entry.number}/results.csv"), "download"
        )

        async def remove() -> None:
            await in_thread(experiments.remove, entry.number)
            ui.navigate.to(PATH)

        theme.quiet(
            "delete",
            _("Remove this experiment"),
            lambda: confirm(
                _("Remove {name}?", name=entry.name),
                _("Its results and releases leave the workspace."),
                notify_errors(remove),
                _("Remove"),
            ),
        )
    view = ResultsView(workbench, entry.number)
    view.show()
    view.refresh()
    return view


def _watch(view: ResultsView, plots: PlotArea) -> None:
    """Results as they come in; plots of published data once nothing runs any more."""
    plots.show()

    async def look_again() -> None:
        if not view.refresh():
            await plots.refresh()

    ui.timer(0.1, look_again, once=True)
    ui.timer(1.0, look_again)


def _open_file(workbench: Workbench) -> None:
    with theme.named_dialog(_("Open an experiment file"), width=640) as dialog:
        field = ui.textarea(_("Experiment file (TOML or JSON)")).props(
            'outlined input-style="font-family: monospace; height: 30vh"'
        )
        field.style("width: 100%")

        async def received(upload: str, name: str) -> None:
            content = workbench.workspace.upload(upload).read_bytes()[:1_000_000]
            field.set_value(content.decode("utf-8", errors="replace"))

        drop_place(workbench, _("Drop an experiment file"), _(".toml or .json"), received, accept=".toml,.json")

        async def take() -> None:
            from crypsis.errors import CrypsisError
            from crypsis.web.telling import error_words

            try:
                entry = await in_thread(workbench.experiments.create_from_text, str(field.value or ""))
            except CrypsisError as error:
                field.error = error_words(error)
                return
            ui.navigate.to(f"/compare?dataset={entry.content['dataset']}&experiment={entry.number}")

        with ui.row().classes("actions"):
            theme.primary(_("Open"), take, "check")
            ui.button(_("Close"), on_click=dialog.close).props("flat no-caps")
    dialog.open()
