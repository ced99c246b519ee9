"""Section: the three lights, each with its findings and what would mend them."""

from __future__ import annotations

from crypsis.drawing.markup import Markup, element, join
from crypsis.reports.page import in_letters, paragraph, section
from crypsis.review.lights import Colour, Finding, Light, Review
from crypsis.translation import _, marked, translated

TITLES = {
    "guarantee": marked("Guarantee"),
    "disclosure": marked("Disclosure"),
    "usefulness": marked("Usefulness"),
}
_NOTHING = {
    "guarantee": marked("Nothing was checked."),
    "disclosure": marked("Nothing was found beside what the guarantee covers."),
    "usefulness": marked("Nothing was found."),
}
_STATES = {Colour.GREEN: ("holds", "✓"), Colour.AMBER: ("idle", "!"), Colour.RED: ("broken", "✗")}


def lights(review: Review) -> Markup:
    """The guarantee, what the release discloses beside it, and what is left, side by side."""
    boxes = [_box(name, light) for name, light in review.lights()]
    basis = _("Computed from {basis}.", basis=translated(review.basis)) if review.basis else ""
    return section(
        _("Three lights"),
        paragraph(
            _("Does the guarantee hold; which residual risks does it leave, with their numbers; what is left for use.")
        ),
        element("div", *boxes, class_="lights"),
        paragraph(basis, class_="muted small"),
    )


def _box(name: str, light: Light) -> Markup:
    state, sign = _STATES[light.colour]
    heading = element("h3", element("span", sign, aria_hidden="true"), f" {_(TITLES[name])}: {_(str(light.colour))}")
    told = [_finding(finding) for finding in light.findings]
    body = element("ul", *told) if told else paragraph(_(_NOTHING[name]))
    return element("div", heading, body, class_=f"light {state}")


def _finding(finding: Finding) -> Markup:
    remedy = finding.remedy
    if remedy is None or finding.colour == Colour.GREEN:
        return element("li", in_letters(translated(finding.sentence)))
    parts = [element("span", f" {translated(remedy.words)}", class_="muted")]
    if remedy.option is not None:
        parts += [Markup(" ("), element("code", remedy.option), Markup(")")]
    sentence = in_letters(translated(finding.sentence))
    return element("li", element("strong", f"{_(str(finding.colour))}: "), sentence, join(parts, ""))
