"""Section: what is guaranteed, under which assumptions, and what is not covered."""

from __future__ import annotations

from crypsis.drawing.markup import Markup, element, join, model_name
from crypsis.errors import CrypsisError
from crypsis.guarantees import GUARANTEES, guarantee_from_dict
from crypsis.reports.manifest_facts import ManifestFacts
from crypsis.reports.page import columns, items, paragraph, section, settings
from crypsis.translation import _, translated


def promise(facts: ManifestFacts) -> Markup:
    """The guarantee, its adversary and its limits side by side."""
    promised, found = facts.section("guarantee"), facts.section("verdict")
    parameters = _parameters(facts)
    model = model_name(str(promised.get("model", "")))
    covered = [
        element("h3", join([model, f" ({parameters})" if parameters else ""])),
        paragraph(translated(str(promised.get("scope") or ""))),
    ]
    if (meaning := _meaning(facts)) not in ("", promised.get("scope")):
        covered += [paragraph(element("strong", meaning))]
    if promised.get("model") in GUARANTEES:
        covered += [paragraph(translated(GUARANTEES[str(promised["model"])].protects_from), class_="muted")]
    if promised.get("assumptions"):
        covered += [element("h3", _("Assumed")), items(map(translated, map(str, promised["assumptions"])))]
    if found.get("counted"):
        covered += [element("h3", _("How it was counted")), paragraph(_sentence(translated(str(found["counted"]))))]
    limits = [
        element("h3", _("Not covered")),
        items(map(translated, map(str, promised.get("not_covered") or [_("Nothing is listed.")]))),
    ]
    for title, name in (
        (_("Can be recounted from the files"), "recountable"),
        (_("Checked by the publisher"), "publisher_only"),
    ):
        if promised.get(name):
            limits += [element("h3", title), items(map(translated, map(str, promised[name])))]
    return section(
        _("What is guaranteed, and what is not"),
        columns(element("div", *covered), element("div", *limits)),
    )


def _parameters(facts: ManifestFacts) -> str:
    """`k = 5, counting people`; switches that are off promise nothing and are left out."""
    told = {
        name: value
        for name, value in (facts.section("guarantee").get("parameters") or {}).items()
        if name != "unit" and value is not False
    }
    counting = [f"counting {facts.units}"] if "unit" in (facts.section("guarantee").get("parameters") or {}) else []
    return ", ".join([part for part in (settings(told),) if part] + counting)


def _meaning(facts: ManifestFacts) -> str:
    """What the guarantee means for these columns; empty where a manifest of somebody else does not tell."""
    promised = facts.section("guarantee")
    try:
        return guarantee_from_dict(promised).meaning_for(facts.known)
    except (CrypsisError, LookupError, TypeError, ValueError, AttributeError):
        return ""


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:].rstrip(".") + "."
