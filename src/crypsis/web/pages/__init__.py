"""The pages: one file each. A page parses, calls the layers below, and shows the answer."""

from __future__ import annotations

import logging

from fastapi import FastAPI
from nicegui import app as pages_app
from nicegui import ui

from crypsis.translation import _
from crypsis.web.pages import (
    compare,
    data,
    evaluate,
    hierarchies,
    import_file,
    methods,
    parts,
    policies,
    queries,
    query,
    results,
    start,
    streams,
    trajectories,
    verify,
    warehouse,
)
from crypsis.web.workbench import Workbench

FAVICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 26 26"><circle cx="9" cy="13" r="7" fill="#0b68a8"/>'
    '<circle cx="17" cy="13" r="7" fill="#c65b00" opacity=".8"/></svg>'
)


def register(app: FastAPI, workbench: Workbench) -> None:
    """Make the pages and hang them into the application."""
    for page in (
        start,
        data,
        parts,
        import_file,
        hierarchies,
        policies,
        queries,
        evaluate,
        compare,
        results,
        query,
        trajectories,
        streams,
        verify,
        methods,
        warehouse,
    ):
        page.register(workbench)
    pages_app.on_exception(_unexpected)
    logging.getLogger("nicegui").addFilter(lambda record: "not found" not in record.getMessage())  # whole addresses
    pages_app.config.quasar_config["loadingBar"]["skipHijack"] = True  # its bar has no name for a screen reader
    pages_app.config.quasar_config["lang"] = {"noHtmlAttrs": True}  # each page says its own language
    ui.run_with(
        app,
        title=_("Crypsis"),
        favicon=FAVICON,
        dark=None,
        language="en-US",
        tailwind=False,  # styles are our own; the compiler in the page would cost half a second
        reconnect_timeout=20.0,
        show_welcome_message=False,
    )


def _unexpected(error: Exception) -> None:
    """A fault of ours in a page: its kind goes to the log of the server, never what it was about."""
    logging.getLogger("crypsis.web").error("%s in a page; this is a bug", type(error).__name__)
