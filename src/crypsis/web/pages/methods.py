"""Methods: what can be done, for which data, under which guarantee, in plain words; parameters from the methods."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from typing import Any

from nicegui import ui

from crypsis.evaluate.suggestions import RUN_FOR_KIND
from crypsis.methods import METHODS
from crypsis.methods.method import Method
from crypsis.parameters import Parameter, parameters_of
from crypsis.reports.parameter_labels import value_in_words
from crypsis.translation import _, marked, translated
from crypsis.translation.wording import enumerated
from crypsis.web import theme
from crypsis.web.actions import in_thread, notify_errors
from crypsis.web.data_labels import DATA_KINDS, commands, data_labels
from crypsis.web.telling import verdict_words
from crypsis.web.workbench import Workbench

PATH = "/methods"
LEAD = marked("What each method protects from, when to choose it, and what it costs.")
_KINDS = {  # kinds of datasets that methods for this class of data can be tried on
    "Table": ("table", "mixed"),
    "Mixed": ("mixed",),
    "Transactions": ("transactions", "mixed"),
    "Trajectories": ("trajectories",),
    "Tracks": ("tracks",),
    "Events": ("events",),
}


def register(workbench: Workbench) -> None:
    @ui.page(PATH, response_timeout=60)
    def methods(name: str | None = None, data: str | None = None) -> None:
        with theme.page_frame(_("Methods"), LEAD):
            kind = data if data in DATA_KINDS else None
            chosen = (
                name if name is not None and name in METHODS else _of_kind(kind or next(iter(DATA_KINDS)))[0].name()
            )
            with ui.element("div").classes("split left"):
                with theme.section(_("All methods")):
                    _list(chosen, kind)
                with ui.element("div").classes("stack"):
                    _one(workbench, chosen)


def _list(chosen: str, kind: str | None) -> None:
    search = ui.input(_("Find a method or a guarantee")).props("outlined dense clearable").style("width: 100%")
    kinds = {"": _("all kinds of data"), **{key: _(data.name) for key, data in DATA_KINDS.items()}}
    field = ui.select(kinds, value=kind or "", label=_("For which data")).props("outlined dense options-dense")
    field.style("width: 100%")
    entries: list[tuple[Any, str, str]] = []
    headings: dict[str, Any] = {}
    with ui.element("nav").props(f"{theme.attribute('aria-label', _('Methods'))}").classes("method-list"):
        for key, data in DATA_KINDS.items():
            headings[key] = ui.label(_(data.name)).classes("nav-group").style("padding-left: 2px")
            for method in _of_kind(key):
                link = ui.link(target=f"{PATH}?name={method.name()}").classes("nav-item")
                with link:
                    ui.label(method.__name__)
                    ui.label(verdict_words(method.promises.model)).classes("muted small").style(
                        "margin-left: auto; text-align: right"
                    )
                if method.name() == chosen:
                    link.classes("here").props("aria-current=true")
                entries.append((link, key, _searchable(method)))
    nothing = ui.label(_("No method fits. Try another word, or all kinds of data.")).classes("muted small")

    def narrow() -> None:
        wanted = str(search.value or "").lower().split()
        shown = set()
        for link, key, text in entries:
            fits = all(word in text for word in wanted) and field.value in ("", key)
            link.set_visibility(fits)
            if fits:
                shown.add(key)
        for key, heading in headings.items():
            heading.set_visibility(key in shown)
        nothing.set_visibility(not shown)

    search.on_value_change(narrow)
    field.on_value_change(narrow)
    narrow()


def _of_kind(key: str) -> list[type[Method]]:
    """The methods for a kind of data, those first that are suggested to begin with."""
    fitting = [method for method in METHODS.values() if method.accepts.__name__ == key]
    begin = {run.method for run in RUN_FOR_KIND.values()}
    return sorted(fitting, key=lambda method: method.name() not in begin)


def _searchable(method: type[Method]) -> str:
    data = data_labels(method)
    parts = (method.__name__, method.name(), method.promises.model, method.summary(), data.name, data.example)
    return " ".join((*parts, method.promises.protects_from, method.choose_when, method.costs)).lower()


def _one(workbench: Workbench, name: str) -> None:
    method = METHODS[name]
    described = method.describe()
    data = data_labels(method)

    async def attempt() -> None:
        """On data of somebody's own that fit, else on sample data."""
        kinds = _KINDS[method.accepts.__name__]
        own = [one for one in workbench.datasets.entries() if one.content["section"]["kind"] in kinds]
        entry = own[0] if own else await in_thread(workbench.datasets.add_sample, data.sample)
        ui.navigate.to(f"/evaluate?dataset={entry.number}&method={name}")

    with theme.section(method.__name__, translated(method.summary())) as actions:
        with actions:
            theme.primary(_("Try it"), notify_errors(attempt), "science").tooltip(
                _("On your data if they fit, else on sample data")
            )
        for title, text in (
            (_("Protects from"), translated(method.promises.protects_from)),
            (_("Choose it"), translated(method.choose_when)),
            (_("It costs"), translated(method.costs)),
            (_("Takes"), f"{_(data.name)}: {_(data.example)}.{_needs(method)}"),
        ):
            with ui.element("div").classes("says"):
                ui.html(f"<h3>{title}</h3>", sanitize=False)
                ui.label(text)
        with ui.element("div").classes("tiles thirds"):
            theme.tile(_("Guarantee"), verdict_words(described["guarantee"]), _("checked by an independent verifier"))
            theme.tile(_("In files and commands"), name)
            theme.tile(
                _("Repeats exactly"), _("no") if described["randomized"] else _("yes"), _random(described["randomized"])
            )
    with theme.section(_("On the command line"), _("Two lines that work in an empty folder")) as actions:
        text = "\n".join(commands(name))
        with actions:
            theme.quiet("content_copy", _("Copy the commands"), lambda: ui.clipboard.write(text))
        ui.html(
            f'<div class="code" tabindex=0 role=region {_named(_("Commands"))}>{theme.escaped(text)}</div>',
            sanitize=False,
        )
    with theme.section(_("Parameters")):
        parameters_table(parameters_of(method))
    with theme.section(_("How it works, and where it comes from")):
        *parts, citation = _paragraphs(method.explanation())
        for part in parts:
            text = re.sub("`([^`]+)`", r"<code>\1</code>", theme.escaped(translated(part)))  # what is typed
            ui.html(f"<p>{text}</p>", sanitize=False).style("max-width: 78ch")
        ui.label(citation).style("max-width: 78ch").props("translate=no")
        call = f"crypsis.anonymize(data, crypsis.{method.__name__}({_values(described)}))"
        code = theme.escaped(f"import crypsis\n\nrelease = {call}\nprint(release.verify())")
        named = _named(_("In Python"))
        ui.html(f'<div class="code" tabindex=0 role=region {named}>{code}</div>', sanitize=False)


def _needs(method: type[Method]) -> str:
    labels = {"roles": _("a role for each column"), "declared domains": _("lists of possible values that are public")}
    needs = [labels.get(need, need) for need in method.needs]
    return _(" It needs {needs}.", needs=enumerated(needs)) if needs else ""


def _random(randomized: bool) -> str:
    return _("it draws at random") if randomized else _("the same data give the same release")


def _values(described: dict[str, Any]) -> str:
    return ", ".join(
        f"{parameter['name']}={parameter['default']!r}"
        for parameter in described["parameters"][:2]
        if "default" in parameter
    )


def _paragraphs(text: str) -> list[str]:
    """The docstring without its first line, its example and its citation's line breaks."""
    parts = re.split(r"\n\s*\n", inspect.cleandoc(text))[1:]
    return [" ".join(part.split()) for part in parts if not part.lstrip().startswith(">>>")]


def parameters_table(parameters: Iterable[Parameter]) -> None:
    """Show parameters with their values, defaults and meanings."""
    rows = "".join(
        f"<tr><td>{theme.escaped(translated(parameter.help))}</td>"
        f"<td class=typed>{theme.escaped(_allowed(parameter))}</td><td>{theme.escaped(_default(parameter))}</td>"
        f"<td class=mono translate=no>{theme.escaped(parameter.name)}</td></tr>"
        for parameter in parameters
    )
    place = ui.html(
        f"<table class='plain worded'><thead><tr><th scope=col>{_('What it is')}</th>"
        f"<th scope=col>{_('Values')}</th><th scope=col>{_('Default')}</th>"
        f"<th scope=col>{_('In files and commands')}</th></tr></thead><tbody>{rows}</tbody></table>",
        sanitize=False,
    ).classes("scroll")
    place.props(f"tabindex=0 role=region {theme.attribute('aria-label', _('Parameters'))}")


def _default(parameter: Parameter) -> str:
    value = parameter.to_dict().get("default")
    return "" if value is None else value_in_words(parameter, value)


def _allowed(parameter: Parameter) -> str:
    one = parameter.to_dict()
    if "choices" in one:
        return ", ".join(
            METHODS[name].__name__ if name in METHODS else translated(label)
            for name, label in one["choice_labels"].items()
        )
    if "reads" in one:
        return translated(str(one["reads"]))
    words = {
        "int": _("whole number"),
        "float": _("number"),
        "bool": _("yes or no"),
        "str": _("text"),
        "Fraction": _("exact number"),
    }
    return f"{words.get(one['type'], one['type'])} {translated(one['range'])}".strip()


def _named(words: str) -> str:
    """What code is called when it is read aloud; it is not translated."""
    return f"{theme.markup_attribute('aria-label', words)} translate=no"
