"""Section: what the publisher declares about the release, and where it is signed."""

from __future__ import annotations

from crypsis.drawing.markup import Markup, element
from crypsis.reports.about import LABELS, PEOPLE, STATEMENTS
from crypsis.reports.manifest_facts import ManifestFacts
from crypsis.reports.page import facts_list, paragraph, section
from crypsis.translation import _


def about(facts: ManifestFacts) -> Markup:
    """Title, controller, purpose, recipient, legal basis and people; nothing where nobody declared them."""
    told = facts.section("about")
    if not told:
        return Markup("")
    entries = [(_(label), str(told[name])) for name, label in STATEMENTS.items() if told.get(name)]
    words = _("Declared by the publisher; nothing of it was checked.")
    return section(_("Who answers for it"), paragraph(words), facts_list(entries), class_="about")


def signatures(facts: ManifestFacts) -> Markup:
    """A line to sign on for everybody who answers for the release, at the end of the document."""
    told = facts.section("about")
    if not told:
        return Markup("")
    boxes = [
        element(
            "div",
            element("p", _(LABELS[name]), class_="muted small"),
            element("p", str(told.get(name) or ""), class_="strong"),
            element("p", _("Place, date, signature"), class_="line muted small"),
        )
        for name in PEOPLE
    ]
    return section(_("Signatures"), element("div", *boxes, class_="signatures"), class_="signed")
