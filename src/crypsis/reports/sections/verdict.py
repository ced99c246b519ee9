"""Section: the verdict in words, with a sign that needs no colour."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crypsis.drawing.markup import Markup, element, join, model_name
from crypsis.reports.manifest_facts import ManifestFacts
from crypsis.reports.page import paragraph, promise_names
from crypsis.translation import _, marked, translated
from crypsis.translation.wording import counted, figure, shown

_SIGNS = {
    "holds": ("M22 4a18 18 0 1 0 .01 0zM14 22.5l6 6 11-12", marked("Tick")),
    "idle": ("M22 5L41 38H3zM22 17v10M22 32.4v.2", marked("Warning")),
    "broken": ("M15 4h14l11 11v14l-11 11H15L4 29V15zM16 16l12 12M28 16L16 28", marked("Cross")),
}


def verdict(facts: ManifestFacts) -> Markup:
    """Header of the report."""
    found, promised = facts.section("verdict"), facts.section("guarantee")
    holds, trivial = bool(found.get("holds")), bool(promised.get("trivial"))
    state = "broken" if not holds else "idle" if trivial else "holds"
    model, several = _models(promised)
    outcome = {
        "holds": join([model, _(" hold") if several else _(" holds")]),
        "idle": join([model, _(" holds, but protects nothing")]),
        "broken": join([model, _(" is broken: do not publish")]),
    }[state]
    path, name = _SIGNS[state]
    sign = element("svg", element("path", d=path, class_="sign"), viewBox="0 0 44 44", role="img", aria_label=_(name))
    banner = element(
        "div",
        sign,
        element("strong", outcome),
        element("div", *(paragraph(sentence) for sentence in _sentences(facts, state))),
        class_=f"verdict {state}",
    )
    counts = _("Release of {counted}", counted=counted(_rows(facts), *facts.row_words))
    declared = facts.section("about").get("title")
    title = [element("h1", str(declared)), paragraph(counts)] if declared else [element("h1", counts)]
    return element("header", paragraph(_origin(facts), class_="eyebrow"), *title, banner, "\n")


def _models(promised: Mapping[str, Any]) -> tuple[Markup, bool]:
    """What is promised by name, and whether it is several."""
    named = promise_names(promised)
    return join(map(model_name, named), _(" and ")), len(named) > 1


def _rows(facts: ManifestFacts) -> int:
    return int(facts.section("data").get("rows", facts.rows))


def _origin(facts: ManifestFacts) -> str:
    software = facts.section("software")
    made_by = f"{software.get('name', '')} {software.get('version', '')}".strip()
    parts = [
        _("Private report, not for release") if "private" in facts.manifest else _("Release report"),
        str(facts.manifest.get("created") or ""),
        made_by,
    ]
    return " · ".join(part for part in parts if part)


def _sentences(facts: ManifestFacts, state: str) -> list[str]:
    verdict = facts.section("verdict")
    if state == "broken":
        return [
            translated(str(verdict.get("problem") or "")) or _("The guarantee does not hold for the published data.")
        ]
    scope = translated(str(facts.section("guarantee").get("scope") or ""))
    if state == "idle":
        return [_("No protection was requested: with these parameters any data would pass."), scope]
    achieved, required = verdict.get("achieved"), verdict.get("required")
    if verdict.get("recounted_from") == "original":
        reached = _("Verified by the publisher with the original data; the files alone do not suffice.")
    elif achieved is None:
        reached = _("Nothing occurs that could be rare.")
    else:
        level, bound = facts.level_words
        reached = _(
            "Recounted by the verifier: {achieved} {level}, {required} {bound}.",
            achieved=figure(achieved),
            level=translated(level),
            required=shown(required),
            bound=translated(bound),
        )
    return [scope, reached, *([translated(str(verdict["note"]))] if verdict.get("note") else [])]
