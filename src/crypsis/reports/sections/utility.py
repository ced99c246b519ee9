"""Section: remaining utility, figure by figure, and how to read each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crypsis.drawing.markup import Markup, element
from crypsis.metrics import figure_named
from crypsis.metrics.figure import HIGHER, LOWER
from crypsis.reports.figure_titles import figure_title
from crypsis.reports.manifest_facts import ManifestFacts
from crypsis.reports.page import exact, paragraph, section
from crypsis.translation import _, marked, translated
from crypsis.translation.wording import figure, unbroken

_ARROWS = {LOWER: marked("↓ lower is better"), HIGHER: marked("↑ higher is better")}


def utility(facts: ManifestFacts) -> Markup:
    """Tables of the figures: of the published data, and of those against the original that were published."""
    heading = _("Remaining utility")
    figures, chosen = facts.section("figures"), facts.section("figures_against_original")
    if not figures and not chosen:
        return section(heading, paragraph(_("There are no figures of these data."), class_="muted"))
    parts: list[Markup] = []
    if figures:
        parts += [
            paragraph(_("Computed from the published data alone; they can be computed again.")),
            table(figures, facts.crs),
        ]
    if chosen:
        words = _(
            "Computed by the publisher from the original data and rounded to two digits. The guarantee "
            "does not cover what they tell."
        )
        parts += [paragraph(words), table(chosen, facts.crs)]
    return section(heading, *parts)


def private_utility(facts: ManifestFacts) -> Markup:
    """Section of the private report: every figure against the original."""
    figures = facts.section("utility")
    if not figures:
        return Markup("")
    return section(
        _("Compared with the original"),
        paragraph(
            _("Measured against the original data. For the publisher alone: a release does not hold these figures.")
        ),
        table(figures, facts.crs),
    )


def table(figures: Mapping[str, Any], crs: str | None = None) -> Markup:
    """Figures with their direction and what they mean; `crs` is the projection that distances are measured in."""
    head = element(
        "tr",
        element("th", _("Figure"), scope="col"),
        element("th", _("Value"), scope="col", class_="numeric"),
        element("th", _("Direction"), scope="col"),
        element("th", _("How to read it"), scope="col"),
    )
    drawn = element("table", element("thead", head), element("tbody", *_rows(figures, crs)), class_="utility")
    return element("div", drawn, class_="scroll")


def _rows(figures: Mapping[str, Any], crs: str | None) -> list[Markup]:
    rows = []
    for name, value in figures.items():
        described = figure_named(name)
        meaning = translated(described.meaning)
        if described.share and isinstance(value, (int, float)):
            meaning = unbroken(_("{meaning} Here {value} %.", meaning=meaning, value=figure(100 * value, 3)))
        elif described.unit and value is not None:
            meaning = _("{meaning} In {unit_in}.", meaning=meaning, unit_in=translated(described.unit_in(crs)))
        rows.append(
            element(
                "tr",
                element("th", figure_title(name), scope="row"),
                element("td", exact(value), class_="numeric"),
                element("td", _(_ARROWS.get(described.better, "")), class_="direction"),
                element("td", meaning, class_="meaning"),
            )
        )
    return rows
