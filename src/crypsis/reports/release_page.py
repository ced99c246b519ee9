"""The page of a release: its sections in order, and the same foot below all of them."""

from __future__ import annotations

from crypsis.reports.manifest_facts import ManifestFacts
from crypsis.reports.markup import Markup, element
from crypsis.reports.page import page
from crypsis.reports.stylesheet import PAGE_STYLE, PICTURE_STYLE

FOOT = "Published data, not the people: made with Crypsis. This page loads nothing and runs no script."


def release_page(facts: ManifestFacts, *sections: Markup) -> str:
    """The sections below each other, under the title that the guarantee gives them."""
    title = f"Release report · {facts.section('guarantee').get('model', 'release')}"
    return page(title, PICTURE_STYLE + "\n" + PAGE_STYLE, element("main", *sections), element("footer", FOOT))
