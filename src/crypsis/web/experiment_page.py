"""The frame of the pages that run methods on a dataset: the dataset, or an offer of samples where there is none."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from nicegui import ui

from crypsis.errors import CrypsisError
from crypsis.translation import _
from crypsis.web import theme
from crypsis.web.actions import in_thread
from crypsis.web.sample_offer import offer_checkins
from crypsis.web.widgets import choose_dataset, chosen_dataset, show_as_file, unreadable
from crypsis.web.workbench import Workbench
from crypsis.web.workspace import Entry


async def show_experiment_page(
    workbench: Workbench,
    heading: tuple[str, str],
    page: type[ExperimentPage],
    dataset: str | None,
    choice: str | None,
) -> None:
    """The page, with its title and lead, for the dataset of the address or the newest one."""
    entry = chosen_dataset(workbench, dataset)
    with theme.page_frame(*heading, dataset=entry.number if entry else None) as actions:
        if entry is None:
            offer_checkins(workbench, page.path)
            return
        shown = page(workbench, entry)
        await shown.prepare(choice)
        shown.show(actions)


class ExperimentPage(ABC):
    """A page that shows one experiment. `problem` is why its dataset cannot be read."""

    path: str
    entry: Entry

    def __init__(self, workbench: Workbench, dataset: Entry) -> None:
        self.workbench, self.dataset = workbench, dataset
        self.experiments = workbench.experiments
        self.problem: CrypsisError | None = None
        self.reasons: dict[str, str | None] = {}  # by method: why it cannot be run on these data, or None

    @abstractmethod
    async def prepare(self, choice: str | None) -> None:
        """Read what is shown; `choice` is what the address asks for."""

    @abstractmethod
    def show_experiment(self) -> None:
        """Draw the page below its heading."""

    @property
    def address(self) -> str:
        """Where the experiment is shown."""
        return f"{self.path}?dataset={self.entry.content['dataset']}"

    def show(self, actions: Any) -> None:
        """Draw the page, with its actions beside the heading."""
        with actions:
            choose_dataset(self.workbench, self.dataset, self.path)
            if self.problem is None:
                theme.secondary(_("Show as file"), self._as_file, "code")
        if self.problem is None:
            self.show_experiment()
        else:
            unreadable(self.workbench, self.dataset, self.problem, self.path)

    def keep_runs(self, runs: list[Any]) -> None:
        """Keep what is run."""
        tables = {**self.entry.content["tables"], "run": runs}
        self.entry = self.experiments.set_tables(self.entry.number, tables)

    def _as_file(self) -> None:
        async def take(text: str) -> None:
            self.entry = await in_thread(self.experiments.take_text, self.entry.number, text)
            ui.navigate.to(self.address)

        show_as_file(lambda: self.experiments.experiment(self.entry.number).to_toml(), take)
