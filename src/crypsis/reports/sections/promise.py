"""Section: what is guaranteed, under which assumptions, and what is not covered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crypsis.drawing.markup import Markup, element, join, model_name
from crypsis.errors import CrypsisError
from crypsis.guarantees import GUARANTEES, guarantee_from_dict
from crypsis.guarantees.guarantee import TRUTHFUL
from crypsis.parameters import parameters_of
from crypsis.reports.manifest_facts import ManifestFacts
from crypsis.reports.page import columns, facts_list, in_letters, items, paragraph, promise_names, section, settings
from crypsis.reports.parameter_labels import label_of, named_label
from crypsis.translation import _, translated
from crypsis.translation.wording import listed

MOST_SENSITIVE = 20


def promise(facts: ManifestFacts) -> Markup:
    """The guarantee, its adversary and its limits side by side."""
    promised, verdict = facts.section("guarantee"), facts.section("verdict")
    covered = [
        element("h3", join(map(model_name, promise_names(promised)), _(" and "))),
        paragraph(translated(str(promised.get("scope") or ""))),
    ]
    if (meaning := _meaning(facts)) not in ("", translated(str(promised.get("scope") or ""))):
        covered += [paragraph(element("strong", meaning))]
    if promised.get("model") in GUARANTEES:
        covered += [paragraph(translated(GUARANTEES[str(promised["model"])].protects_from), class_="muted")]
    if parameters := [row for part in _parts(promised) for row in _parameters(part)]:
        covered += [element("h3", _("Its parameters")), facts_list(parameters)]
    if isinstance(sensitive := facts.section("data").get("sensitive"), list) and sensitive:
        words = listed([str(label) for label in sensitive], MOST_SENSITIVE)
        covered += [element("h3", _("Declared as sensitive")), paragraph(words)]
    if promised.get("assumptions"):
        covered += [element("h3", _("Assumed")), items(map(translated, map(str, promised["assumptions"])))]
    if verdict.get("counted"):
        words = in_letters(_sentence(translated(str(verdict["counted"]))))
        covered += [element("h3", _("How it was counted")), paragraph(words)]
    limits = [
        element("h3", _("Not covered")),
        items(map(translated, map(str, promised.get("not_covered") or [_("Nothing is listed.")]))),
    ]
    for title, name in (
        (_("Can be recounted from the files"), "recountable"),
        (_("Checked by the publisher"), "publisher_only"),
    ):
        told = [str(one) for one in promised.get(name) or () if one != TRUTHFUL or facts.truthful]
        if told:
            limits += [element("h3", title), items(map(translated, told))]
    return section(
        _("What is guaranteed, and what is not"),
        columns(element("div", *covered), element("div", *limits)),
    )


def _parts(promised: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The guarantee, or those that it joins."""
    joined = (promised.get("parameters") or {}).get("promises")
    return [part for part in joined if isinstance(part, Mapping)] if isinstance(joined, list) else [promised]


def _parameters(promised: Mapping[str, Any]) -> list[tuple[str, Markup]]:
    """Each with its value and what it says. Switches that are off promise nothing and are left out."""
    told = promised.get("parameters") or {}
    model = GUARANTEES.get(str(promised.get("model")))
    declared = {parameter.name: parameter for parameter in parameters_of(model)} if model else {}
    rows = []
    for name, value in told.items():
        if value is None or value is False:
            continue
        one = declared.get(name)
        value_words = settings({name: value}).partition("=")[2].strip()
        labels = {} if one is None or not isinstance(value, str) else one.choice_labels
        value_words = translated(labels.get(value, value_words)) if isinstance(value, str) else value_words
        parts = [element("strong", value_words)]
        more = "" if one is None else label_of(one)[1]
        if more.rstrip(".").lower() not in ("", value_words.lower()):
            parts += [Markup(" · "), in_letters(more)]
        rows.append((name.replace("_", " ") if one is None else named_label(one), join(parts)))
    return rows


def _meaning(facts: ManifestFacts) -> str:
    """What the guarantee means for these columns; empty where a manifest of somebody else does not tell."""
    promised = facts.section("guarantee")
    try:
        return translated(guarantee_from_dict(promised).meaning_for(facts.known))
    except (CrypsisError, LookupError, TypeError, ValueError, AttributeError):
        return ""


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:].rstrip(".") + "."
