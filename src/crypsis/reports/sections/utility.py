"""Section: what is left for analysis, figure by figure, and how to read each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crypsis.reports.manifest_facts import ManifestFacts
from crypsis.reports.markup import Markup, element
from crypsis.reports.page import exact, paragraph, section
from crypsis.reports.utility_words import HIGHER, LOWER, reading
from crypsis.reports.wording import figure

_ARROWS = {LOWER: "↓ lower is better", HIGHER: "↑ higher is better"}


def utility(facts: ManifestFacts) -> Markup:
    """Table of all utility figures of the manifest."""
    heading = "What is left for analysis"
    figures = facts.section("utility")
    if not figures:
        return section(heading, paragraph("No utility figures were measured for this release.", class_="muted"))
    head = element(
        "tr",
        element("th", "Figure", scope="col"),
        element("th", "Value", scope="col", class_="numeric"),
        element("th", "Direction", scope="col"),
        element("th", "How to read it", scope="col"),
    )
    table = element("table", element("thead", head), element("tbody", *_rows(figures)), class_="utility")
    return section(
        heading,
        paragraph("Measured by the publisher against the original data, which are not part of this release."),
        element("div", table, class_="scroll"),
    )


def _rows(figures: Mapping[str, Any]) -> list[Markup]:
    rows = []
    for name, value in figures.items():
        words = reading(name)
        meaning = words.meaning
        if words.share and isinstance(value, (int, float)):
            meaning = f"{meaning} Here {figure(100 * value, 3)} %."
        rows.append(
            element(
                "tr",
                element("th", words.name, scope="row"),
                element("td", exact(value), class_="numeric"),
                element("td", _ARROWS.get(words.better, ""), class_="direction"),
                element("td", meaning, class_="meaning"),
            )
        )
    return rows
