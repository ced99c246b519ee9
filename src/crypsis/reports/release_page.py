"""The page of a release: its sections in order, and the same foot below all of them.

The private report is the same page with a warning on top and what only the publisher may see at the end.
"""

from __future__ import annotations

from html import escape

from crypsis.drawing.colours import PICTURE_STYLE
from crypsis.drawing.interaction import PLOT_STYLE
from crypsis.drawing.markup import Markup, element
from crypsis.reports.manifest_facts import ManifestFacts
from crypsis.reports.page import facts_list, page, paragraph, promise_names, section
from crypsis.reports.sections.about import about, signatures
from crypsis.reports.sections.lights import lights
from crypsis.reports.sections.utility import private_utility
from crypsis.reports.stylesheet import PAGE_STYLE
from crypsis.review.lights import Review
from crypsis.translation import LANGUAGES, _, marked, translated
from crypsis.translation.catalogue import catalogue
from crypsis.translation.wording import duration, figure
from crypsis.wording import capital

FOOT = marked("Published data, not the people: made with Crypsis. This page loads nothing and runs no script.")
PRIVATE = marked(
    "Private report, not for release: for the publisher alone. It is not part of the release and must not be passed on."
)


def release_page(facts: ManifestFacts, *sections: Markup, comparison: Markup | None = None) -> str:
    """The sections below each other, the three lights after the first, under the title of the guarantee.

    `comparison` shows the original beside the release, in a private report.
    """
    private = "private" in facts.manifest
    kind = _("Private report") if private else _("Release report")
    subject = facts.section("about").get("title") or _promised(facts)
    title = f"{kind} · {subject}"
    before = [element("p", element("strong", _(PRIVATE)), class_="private", role="note")] if private else []
    after = [comparison or Markup(""), private_utility(facts), _timings(facts)] if private else []
    style = "\n".join([PICTURE_STYLE, PAGE_STYLE, *([PLOT_STYLE] if comparison else [])])
    after.append(signatures(facts))
    main = element("main", *before, *sections[:1], about(facts), *_lights(facts), *sections[1:], *after)
    return page(title, style, main, element("footer", _(FOOT), class_="only-screen"))


def _promised(facts: ManifestFacts) -> str:
    """The guarantee as it is called in a line of plain text, which cannot raise an exponent."""
    names = _(" and ").join(promise_names(facts.section("guarantee")))
    return names.replace("^m", "\N{MODIFIER LETTER SMALL M}")


def is_private_page(html: str) -> bool:
    """Whether a page is a private report of ours."""
    return any(escape(catalogue(language).text(PRIVATE)) in html for language in LANGUAGES)


def _timings(facts: ManifestFacts) -> Markup:
    timings = facts.section("private").get("timings") or {}
    if not timings:
        return Markup("")
    memory = facts.section("private").get("memory") or {}
    words = {
        name: _(", up to {memory} MiB of memory by then", memory=figure(memory[name] / 2**20, 3)) for name in memory
    }
    entries = [
        (capital(translated(str(name))), duration(seconds) + words.get(name, "")) for name, seconds in timings.items()
    ]
    return section(_("How long it took"), paragraph(_("Time can tell about the data, too.")), facts_list(entries))


def _lights(facts: ManifestFacts) -> list[Markup]:
    """The lights that the manifest tells, in a private report those with the original; none where it tells none."""
    review = facts.section("private").get("review") or facts.section("review")
    try:
        return [lights(Review.from_dict(review))]
    except (KeyError, TypeError, ValueError, AttributeError):  # an older manifest, or one of somebody else
        return []
