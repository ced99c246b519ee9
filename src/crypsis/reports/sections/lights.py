"""Section: the three lights, each with its findings and what would mend them."""

from __future__ import annotations

from crypsis.drawing.markup import Markup, element, join
from crypsis.reports.page import in_letters, paragraph, section
from crypsis.reports.promise_words import promise_in_words
from crypsis.review import PUBLIC
from crypsis.review.lights import Colour, Finding, Light, Review
from crypsis.translation import _, marked, translated
from crypsis.translation.wording import unbroken

TITLES = {
    "guarantee": marked("Guarantee"),
    "disclosure": marked("Disclosure"),
    "usefulness": marked("Usefulness"),
}
_NO_FINDING = marked("No finding.")
_NOTHING_CHECKED = marked("Nothing was checked.")
_NOTHING_BESIDE = marked("Nothing was found beside what the guarantee covers.")
_LOSS_UNKNOWN = marked(
    "No finding in the published data. How much was lost against the original does not follow from them."
)
_STATES = {Colour.GREEN: ("holds", "✓"), Colour.AMBER: ("idle", "!"), Colour.RED: ("broken", "✗")}


def lights(review: Review) -> Markup:
    """The guarantee, what the release discloses beside it, and what is left, side by side."""
    boxes = [_box(name, light, nothing_found(name, review)) for name, light in review.lights()]
    basis = _("Computed from {basis}.", basis=translated(review.basis)) if review.basis else ""
    return section(
        _("Three lights"),
        paragraph(
            _("Does the guarantee hold; which residual risks does it leave, with their numbers; what is left for use.")
        ),
        element("div", *boxes, class_="lights"),
        paragraph(basis, class_="muted small"),
    )


def nothing_found(name: str, review: Review) -> str:
    """What a light says that has no finding; without the original it cannot say what was lost."""
    if name == "usefulness":
        return _(_LOSS_UNKNOWN if review.basis == PUBLIC else _NO_FINDING)
    return _(_NOTHING_CHECKED if name == "guarantee" else _NOTHING_BESIDE)


def _box(name: str, light: Light, nothing: str) -> Markup:
    state, sign = _STATES[light.colour]
    heading = element("h3", element("span", sign, aria_hidden="true"), f" {_(TITLES[name])}: {_(str(light.colour))}")
    told = [_finding(finding) for finding in light.findings]
    body = element("ul", *told) if told else paragraph(nothing)
    return element("div", heading, body, class_=f"light {state}")


def _finding(finding: Finding) -> Markup:
    remedy = finding.remedy
    if remedy is None or finding.colour == Colour.GREEN:
        return element("li", in_letters(unbroken(promise_in_words(translated(finding.sentence)))))
    parts = [element("span", f" {translated(remedy.words)}", class_="muted")]
    if remedy.parameter is not None and len(remedy.parameter) == 1:  # a letter of the promise; no option to type
        parts.append(Markup(f" ({remedy.parameter}\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{remedy.value})"))
    sentence = in_letters(unbroken(promise_in_words(translated(finding.sentence))))
    return element("li", element("strong", f"{_(str(finding.colour))}: "), sentence, join(parts, ""))
