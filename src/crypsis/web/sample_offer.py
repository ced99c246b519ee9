"""What a page shows as long as there are no data for it: why, sample data that would do, and the way to one's own."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from nicegui import ui

from crypsis.translation import _
from crypsis.web import theme
from crypsis.web.actions import in_thread, notify_errors
from crypsis.web.workbench import Workbench


def offer_samples(
    workbench: Workbench,
    path: str,
    icon: str,
    title: str,
    text: str,
    samples: Mapping[str, str],
    rows: int | None = None,
) -> None:
    """`samples` are the labels of buttons and the sample that each loads, with so many `rows`, for the page `path`."""

    async def load(name: str) -> None:
        size = () if rows is None else (rows,)
        entry = await in_thread(workbench.datasets.add_sample, name, *size)
        ui.navigate.to(f"{path}?dataset={entry.number}")

    with theme.empty_state(icon, title, text):
        for label, name in samples.items():
            theme.primary(label, notify_errors(partial(load, name)), "download")
        theme.secondary(_("Go to Data"), lambda: ui.navigate.to("/data"), "table_chart")


def offer_checkins(workbench: Workbench, path: str) -> None:
    """The offer of pages that take data of any kind."""
    offer_samples(
        workbench,
        path,
        "table_chart",
        _("No data yet"),
        _("Load a file on the page Data, or begin with the bundled check-ins."),
        {_("Load the sample check-ins"): "checkins"},
    )
