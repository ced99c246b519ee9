"""The public report of a release: one HTML page with the verdict, the figures and the pictures.

It stands beside the published data and uses nothing that is not published. It loads nothing and runs no script.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crypsis.data.trajectory import Locations, PublishedTrajectories
from crypsis.reports.facts import ReleaseFacts
from crypsis.reports.release_page import release_page
from crypsis.reports.sections import SECTIONS


def render_report(manifest: Mapping[str, Any], published: PublishedTrajectories, places: Locations | None) -> str:
    """The page of a release, from its manifest, its rows and the coordinates of the locations in its symbols."""
    facts = ReleaseFacts.of(manifest, published, places)
    return release_page(facts, *(section(facts) for section in SECTIONS))
