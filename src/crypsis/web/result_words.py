"""Figures of a cell in words: names that people read, and which of them come first."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from crypsis.reports.utility_words import reading
from crypsis.web import theme
from crypsis.web.actions import number

_SHOWN = 8
_SHORT = {
    "are": "ARE, error of queries",
    "ncp": "NCP, loss of the table",
    "ul": "UL, loss of the items",
    "tkd": "tKd, lost frequent sets",
    "re": "re, error of pairs",
    "tlost": "tlost, lost terms",
    "dl": "DL, distance loss",
    "kl": "KL, divergence",
    "dm": "DM, discernibility",
    "runtime": "Seconds",
}


def figure_words(name: str) -> str:
    """What a figure is called on a page."""
    return _SHORT.get(name) or reading(name).name


def loss_tiles(cell: dict[str, Any]) -> None:
    """The figures of a cell, the first ones as tiles, the others in a table."""
    figures = {
        name: value
        for name, value in cell.get("metrics", {}).get("figures", {}).items()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    }
    names = list(figures)
    with ui.element("div").classes("tiles"):
        for name in names[:_SHOWN]:
            theme.tile(figure_words(name), number(figures[name]), _hint(name))
    if len(names) > _SHOWN:
        with ui.expansion(f"{len(names) - _SHOWN} more figures").props("dense").style("width: 100%"):
            rows = "".join(
                f"<tr><td>{theme.escaped(figure_words(name))}</td><td class=number>{number(figures[name])}</td></tr>"
                for name in names[_SHOWN:]
            )
            ui.html(f"<table class=plain>{rows}</table>", sanitize=False)


def _hint(name: str) -> str:
    return reading(name).better
