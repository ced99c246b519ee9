"""The frame of the pages about one dataset: which one is shown, and what is offered where there is none."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from crypsis.errors import CrypsisError
from crypsis.translation import _
from crypsis.web import theme
from crypsis.web.actions import in_thread
from crypsis.web.widgets import choose_dataset, chosen_dataset, say_if_another, unreadable
from crypsis.web.workbench import Workbench
from crypsis.web.workspace import Entry


@dataclass(frozen=True)
class DatasetPage:
    """Where the page is, its title and lead, and the kinds of data it is for; `offer` shows what to do without data."""

    path: str
    title: str
    lead: str
    kinds: Sequence[str]
    offer: Callable[[Workbench], None]


async def show_dataset_page(
    workbench: Workbench,
    page: DatasetPage,
    dataset: str | None,
    show: Callable[[Entry, Any, Any], Awaitable[None]],
    load: Callable[[str], Any] = lambda number: None,
) -> None:
    """Show the dataset of the address, or the newest that fits; `show` gets it, the actions and what `load` read."""
    entry = chosen_dataset(workbench, dataset, page.kinds)
    with theme.page_frame(_(page.title), page.lead, dataset=dataset) as actions:
        if entry is None:
            page.offer(workbench)
            return
        with actions:
            choose_dataset(workbench, entry, page.path, kinds=page.kinds)
        say_if_another(workbench, dataset, entry)
        try:
            loaded = await in_thread(load, entry.number)
        except CrypsisError as error:
            unreadable(workbench, entry, error, page.path)
            return
        await show(entry, actions, loaded)
