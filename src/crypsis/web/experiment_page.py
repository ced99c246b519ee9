"""The frame of the pages that run methods on a dataset: the dataset, or an offer of samples where there is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from crypsis.web import theme
from crypsis.web.sample_offer import offer_checkins
from crypsis.web.widgets import chosen_dataset
from crypsis.web.workbench import Workbench
from crypsis.web.workspace import Entry


class ExperimentPage(Protocol):
    """A page that shows one experiment."""

    async def prepare(self, choice: str | None) -> None:
        """Read what is shown; `choice` is what the address asks for."""

    def show(self, actions: Any) -> None:
        """Draw the page, with its actions beside the heading."""


async def show_experiment_page(
    workbench: Workbench,
    path: str,
    heading: tuple[str, str],
    page: Callable[[Workbench, Entry], ExperimentPage],
    dataset: str | None,
    choice: str | None,
) -> None:
    """The page at `path`, with its title and lead, for the dataset of the address or the newest one."""
    entry = chosen_dataset(workbench, dataset)
    with theme.page_frame(*heading, dataset=entry.number if entry else None) as actions:
        if entry is None:
            offer_checkins(workbench, path)
            return
        shown = page(workbench, entry)
        await shown.prepare(choice)
        shown.show(actions)
