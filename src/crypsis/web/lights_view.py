"""The three lights on a page: a sign, a word and a colour each, the findings, and a button for each remedy."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from nicegui import ui

from crypsis.reports.sections.lights import TITLES, nothing_found
from crypsis.review import Colour, Finding, Light, Review
from crypsis.translation import _, marked, translated
from crypsis.translation.wording import unbroken
from crypsis.web import theme
from crypsis.web.remedies import Mending
from crypsis.web.telling import verdict_words

STATES = {Colour.GREEN: ("good", "check_circle"), Colour.AMBER: ("caution", "warning"), Colour.RED: ("bad", "error")}
_SHOWN = 3  # findings with the same remedy; more are folded away


_FORMER = (  # what `of_former_run` makes of the sentences of a verdict
    marked("Held then {assumed}: {promised}; counted with the original, {required} {bound}."),
    marked("Held then {assumed}: {promised}; nothing rare occurs, {required} {bound}."),
    marked("Held then {assumed}: {promised}; {achieved} {level}, {required} {bound}."),
)


def of_former_run(review: Review) -> Review:
    """The same in words that do not say of what is there now that it was verified."""
    told = [
        replace(finding, sentence=finding.sentence.replace("Verified", "Held then", 1))
        for finding in review.guarantee.findings
    ]
    return replace(review, guarantee=Light.of(told))


def show_lights(
    review: Review,
    *,
    mending: Mending | None = None,
    confirm: Callable[[str], Any] | None = None,
    confirmed: Collection[str] = (),
) -> None:
    """All three side by side, with what `mending` can do about their findings; `confirm` confirms a column."""
    with ui.element("div").classes("lights").props(f"role=group {theme.attribute('aria-label', _('Three lights'))}"):
        for name, light in review.lights():
            _light(name, light, nothing_found(name, review), mending, confirm, confirmed)


def _light(
    name: str,
    light: Light,
    nothing: str,
    mending: Mending | None,
    confirm: Callable[[str], Any] | None,
    confirmed: Collection[str],
) -> None:
    state, icon = STATES[light.colour]
    with ui.column().classes(f"light {state}").props(f'data-light="{name}" data-colour="{light.colour}"'):
        with ui.row().classes("light-head"):
            ui.icon(icon).props("aria-hidden=true")
            ui.label(f"{_(TITLES[name])}: {_(str(light.colour))}").classes("strong")
        if not light.findings:
            ui.label(nothing).classes("small")
        offered: set[str] = set()  # one control of a kind does for all findings of a light
        for findings in _by_remedy(light.findings):
            _together(
                findings, None if mending is None else partial(mending.offer, offered=offered), confirm, confirmed
            )


def _by_remedy(findings: Sequence[Finding]) -> list[list[Finding]]:
    """Findings that one step would mend are together, with one button for all; each other stands alone."""
    groups: dict[Any, list[Finding]] = {}
    for number, finding in enumerate(findings):
        remedy = finding.remedy
        shared = remedy is not None and finding.colour != Colour.GREEN and not finding.confirmable
        groups.setdefault((remedy.words, remedy.option) if shared and remedy else number, []).append(finding)
    return list(groups.values())


def _spoken(finding: Finding) -> str:
    return unbroken(verdict_words(finding.sentence))


def _together(
    findings: list[Finding],
    mend: Callable[[Finding], None] | None,
    confirm: Callable[[str], Any] | None,
    confirmed: Collection[str],
) -> None:
    finding = findings[0]
    with ui.column().style("gap: 4px"):
        for told in findings[:_SHOWN]:
            ui.label(_spoken(told)).classes("small" if told.colour == Colour.GREEN else "")
        if len(findings) > _SHOWN:
            with (
                ui.expansion(_("{findings} more of this kind", findings=len(findings) - _SHOWN))
                .props("dense")
                .classes("fold")
            ):
                for told in findings[_SHOWN:]:
                    ui.label(_spoken(told)).classes("small")
        remedy = finding.remedy
        if remedy is None or finding.colour == Colour.GREEN:
            return
        ui.label(f"{translated(remedy.words.rstrip('.'))}.").classes("muted small")
        with ui.row().classes("actions remedies"):
            if finding.confirmable and confirm is not None and finding.column is not None:
                column = finding.column
                if column in confirmed:
                    ui.label(_("Confirmed: '{column}' will be published.", column=column)).classes("strong small")
                else:
                    theme.secondary(_("Confirm '{column}'", column=column), lambda: confirm(column), "task_alt")
            if mend is not None:
                mend(finding)


def light_signs(row: Mapping[str, Any]) -> str:
    """The lights of a row of results as three small chips, in HTML."""
    chips = []
    if row.get("stale"):
        return "–"
    for name, title in TITLES.items():
        colour = row.get(f"{name}_light")
        if colour in {one.value for one in Colour}:
            state, icon = STATES[Colour(colour)]
            sign = f'<span class="material-icons q-icon" aria-hidden=true>{icon}</span>'
            words = theme.escaped(f"{_(title)}: {_(colour)}")
            chips.append(
                f'<span class="chip {state}" title="{words}">{sign}{theme.escaped(_(title))} {_(colour)}</span>'
            )
    return " ".join(chips) or "–"
