"""Section: what is guaranteed, under which assumptions, and what is not covered."""

from __future__ import annotations

from crypsis.drawing.markup import Markup, element, join, model_name
from crypsis.guarantees import GUARANTEES
from crypsis.reports.manifest_facts import ManifestFacts
from crypsis.reports.page import columns, items, paragraph, section, settings


def promise(facts: ManifestFacts) -> Markup:
    """The guarantee, its adversary and its limits side by side."""
    promised, found = facts.section("guarantee"), facts.section("verdict")
    parameters = settings(promised.get("parameters") or {})
    model = model_name(str(promised.get("model", "")))
    covered = [
        element("h3", join([model, f" ({parameters})" if parameters else ""])),
        paragraph(str(promised.get("scope") or "")),
    ]
    if promised.get("model") in GUARANTEES:
        covered += [paragraph(GUARANTEES[str(promised["model"])].protects_from, class_="muted")]
    if promised.get("assumptions"):
        covered += [element("h3", "Assumed"), items(map(str, promised["assumptions"]))]
    if found.get("counted"):
        covered += [element("h3", "How it was counted"), paragraph(_sentence(str(found["counted"])))]
    limits = [
        element("h3", "Not covered"),
        items(map(str, promised.get("not_covered") or ["Nothing is listed."])),
    ]
    for title, name in (
        ("Can be recounted from the files", "recountable"),
        ("Checked by the publisher", "publisher_only"),
    ):
        if promised.get(name):
            limits += [element("h3", title), items(map(str, promised[name]))]
    return section(
        "What is guaranteed, and what is not",
        columns(element("div", *covered), element("div", *limits)),
    )


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:].rstrip(".") + "."
