"""Methods: what can be done, for which data, under which promise. Generated from the methods themselves."""

from __future__ import annotations

import inspect
import re
from typing import Any

from fastapi import Request
from nicegui import ui

from crypsis.methods import METHODS
from crypsis.web import theme
from crypsis.web.workbench import Workbench

PATH = "/methods"
LEAD = "Every method with its promise and its parameters, as the program itself describes them."
FAMILIES = {
    "relational": "Tables",
    "transaction": "Sets of items",
    "mixed": "Tables with sets of items",
    "trajectory": "Trajectories and tracks",
    "stream": "Streams",
}


def register(workbench: Workbench) -> None:
    @ui.page(PATH, response_timeout=60)
    def methods(request: Request, name: str | None = None) -> None:
        with theme.page_frame("Methods", LEAD, theme=request.cookies.get(theme.THEME_COOKIE)):
            chosen = name if name in METHODS else next(iter(METHODS))
            with ui.element("div").classes("split left"):
                with theme.section("All methods"):
                    _list(chosen)
                with ui.element("div").classes("stack") as place:
                    place.props('aria-live="polite"')
                    _one(chosen)


def _list(chosen: str) -> None:
    search = ui.input("Find a method or a promise").props("outlined dense clearable").style("width: 100%")
    with ui.column().style("width: 100%; gap: 2px"):
        entries: list[tuple[Any, str]] = []
        for family, words in FAMILIES.items():
            fitting = [method for method in METHODS.values() if method.family == family]
            if not fitting:
                continue
            ui.label(words).classes("nav-group").style("padding-left: 2px")
            for method in fitting:
                link = ui.link(target=f"{PATH}?name={method.name()}").classes("nav-item")
                with link:
                    ui.label(method.__name__)
                    ui.label(method.promises.model).classes("muted small").style("margin-left: auto")
                if method.name() == chosen:
                    link.classes("here").props("aria-current=true")
                entries.append(
                    (link, f"{method.__name__} {method.name()} {method.promises.model} {method.summary()}".lower())
                )

    def narrow() -> None:
        wanted = str(search.value or "").lower()
        for link, text in entries:
            link.set_visibility(wanted in text)

    search.on_value_change(narrow)


def _one(name: str) -> None:
    method = METHODS[name]
    described = method.describe()
    with theme.section(method.__name__, method.summary()) as actions:
        with actions:
            theme.primary("Try it", lambda: ui.navigate.to(f"/evaluate?method={name}"), "science")
        with ui.element("div").classes("tiles"):
            theme.tile("Promise", described["guarantee"])
            theme.tile("Takes", described["accepts"])
            theme.tile("In files and commands", name)
            theme.tile("Repeats exactly", "no, it draws at random" if described["randomized"] else "yes")
        for part in _paragraphs(method.__doc__ or ""):
            ui.label(part).style("max-width: 78ch")
    with theme.section("Parameters"):
        parameters_table(described["parameters"])
    with theme.section("In Python"):
        values = ", ".join(
            f"{one['name']}={one['default']!r}" for one in described["parameters"][:2] if "default" in one
        )
        ui.html(
            f'<div class="code">import crypsis\n\nrelease = crypsis.anonymize(data, crypsis.{method.__name__}'
            f"({theme.escaped(values)}))\nprint(release.verify())</div>",
            sanitize=False,
        )


def _paragraphs(text: str) -> list[str]:
    """The docstring without its first line, its example and its citation's line breaks."""
    parts = re.split(r"\n\s*\n", inspect.cleandoc(text))[1:]
    return [" ".join(part.split()) for part in parts if not part.lstrip().startswith(">>>")]


def parameters_table(parameters: list[dict[str, Any]]) -> None:
    rows = "".join(
        f"<tr><td class=mono>{theme.escaped(one['name'])}</td><td>{theme.escaped(_allowed(one))}</td>"
        f"<td class=mono>{theme.escaped('' if one.get('default') is None else str(one['default']))}</td>"
        f"<td>{theme.escaped(one['help'])}</td></tr>"
        for one in parameters
    )
    ui.html(
        "<table class=plain><thead><tr><th scope=col>Name</th><th scope=col>Values</th><th scope=col>Default</th>"
        f"<th scope=col>What it is</th></tr></thead><tbody>{rows}</tbody></table>",
        sanitize=False,
    ).classes("scroll")


def _allowed(one: dict[str, Any]) -> str:
    if "choices" in one:
        return ", ".join(one["choices"])
    if "reads" in one:
        return str(one["reads"])
    words = {"int": "whole number", "float": "number", "bool": "yes or no", "str": "text", "Fraction": "exact number"}
    return f"{words.get(one['type'], one['type'])} {one['range']}".strip()
