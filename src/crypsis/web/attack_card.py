"""A card that attacks published data: choose an adversary, say what it knows, read the risk that is left."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from nicegui import ui

from crypsis.attacks import Attack
from crypsis.errors import CrypsisError
from crypsis.parameters import parameters_of
from crypsis.translation import _, marked, translated
from crypsis.web import theme
from crypsis.web.actions import in_thread, notify_errors, number, percent, show_error_at
from crypsis.web.attacking import AttackAnswer
from crypsis.web.telling import error_words

_HEADS = (
    marked("Pieces known"),
    marked("Fewest candidates"),
    marked("Mean risk"),
    marked("Highest risk"),
    marked("Unique"),
)


class AttackCard:
    """`fitting` are the adversaries to choose from; `run` gets a name and parameters as they were typed."""

    def __init__(
        self, fitting: Mapping[str, type[Attack]], run: Callable[[str, Mapping[str, str]], AttackAnswer]
    ) -> None:
        self.fitting, self.run = fitting, run
        self.fields: dict[str, Any] = {}
        with theme.section(_("Attack it"), _("What somebody who knows pieces of the original could still find out")):
            if not fitting:
                ui.label(_("No adversary of this workbench fits these data.")).classes("muted")
                return
            words = {name: _sentence_case(translated(name.replace("-", " "))) for name in fitting}
            self.name = ui.select(words, value=next(iter(words)), label=_("Adversary"), on_change=self._show_parameters)
            self.name.props("outlined dense options-dense").style("width: 100%")
            self.knows = ui.label().classes("muted small")
            self.parameters = ui.element("div").classes("halves")
            with ui.row().classes("actions"):
                self.start = theme.secondary(_("Attack"), notify_errors(self._attack), "radar")
            self.answer = ui.element("div").classes("stack").props('aria-live="polite"')
        self._show_parameters()

    def _show_parameters(self) -> None:
        self.parameters.clear()
        self.fields = {}
        self.knows.set_text(translated(self.fitting[self.name.value].help()))
        with self.parameters:
            for parameter in parameters_of(self.fitting[self.name.value]):
                usual = "" if parameter.required or parameter.default is None else str(parameter.default)
                field = ui.input(translated(parameter.help).rstrip("."), value=usual)
                self.fields[parameter.name] = field.props("outlined dense hide-bottom-space").style("width: 100%")

    async def _attack_as_usual(self) -> None:
        self._show_parameters()
        await self._attack()

    async def _attack(self) -> None:
        typed = {name: str(field.value or "").strip() for name, field in self.fields.items()}
        given = {name: text for name, text in typed.items() if text}
        self.start.set_enabled(False)
        self.answer.clear()
        with self.answer:
            ui.linear_progress(show_value=False, size="8px").props(
                f"indeterminate {theme.attribute('aria-label', _('Progress'))}"
            )
        try:
            result = await in_thread(self.run, str(self.name.value), given)
        except CrypsisError as error:
            self.answer.clear()
            parameter = str(error.details.get("parameter") or "")
            if parameter in self.fields:
                show_error_at(self.fields[parameter], error)
            with self.answer, theme.fault(_("The attack cannot be run"), error_words(error)):
                theme.secondary(_("Attack with the usual settings"), notify_errors(self._attack_as_usual), "radar")
            return
        finally:
            self.start.set_enabled(True)
        self.answer.clear()
        with self.answer:
            _show_result(result)


def _sentence_case(words: str) -> str:
    return words[:1].upper() + words[1:]


def _show_result(answer: AttackAnswer) -> None:
    """The worst of the curve as tiles, and the whole of it as a table."""
    curve = answer.result.curve
    who = _("people") if answer.people else _("records, each taken to be a person")
    highest = max((point.max_risk for point in curve), default=0.0)
    unique = max((point.share_unique for point in curve), default=0.0)
    with ui.element("div").classes("tiles"):
        theme.tile(_("Attacked"), number(answer.result.individuals), who)
        theme.tile(_("Highest risk"), percent(highest), _("of being found"), state="bad" if highest >= 1 else "")
        theme.tile(_("Unique"), percent(unique), _("have no other candidate"), state="bad" if unique else "good")
    rows = [
        [
            number(point.knowledge),
            number(point.fewest_candidates),
            percent(point.mean_risk),
            percent(point.max_risk),
            percent(point.share_unique),
        ]
        for point in curve
    ]
    heads = "".join(f"<th scope=col class=number>{theme.escaped(_(head))}</th>" for head in _HEADS)
    body = "".join(
        "<tr>" + "".join(f"<td class=number>{theme.escaped(one)}</td>" for one in row) + "</tr>" for row in rows
    )
    ui.html(f"<table class=plain><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>", sanitize=False).classes(
        "scroll"
    )
    for words in answer.notes:
        ui.label(translated(words)).classes("muted small")
