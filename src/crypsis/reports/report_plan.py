"""What the report of a kind of release consists of: its facts, its sections in order, its pictures by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from crypsis.drawing.markup import Markup
from crypsis.drawing.svg import standalone
from crypsis.reports.manifest_facts import ManifestFacts
from crypsis.reports.release_page import release_page


@dataclass(frozen=True)
class ReportPlan:
    """`facts` are computed once from manifest, published data and side file; sections and pictures ask only them."""

    facts: Callable[[Mapping[str, Any], Any, Any], ManifestFacts]
    sections: tuple[Callable[[Any], Markup], ...]
    pictures: Mapping[str, Callable[[Any], Markup]] = field(default_factory=dict)

    def render(
        self, manifest: Mapping[str, Any], published: Any, side_file: Any = None, comparison: Markup | None = None
    ) -> str:
        """The report as one HTML page; a private one may show a comparison with the original."""
        return self.render_facts(self.facts(manifest, published, side_file), comparison)

    def render_facts(self, facts: ManifestFacts, comparison: Markup | None = None) -> str:
        """The page of facts that are known already."""
        return release_page(facts, *(section(facts) for section in self.sections), comparison=comparison)

    def draw(self, manifest: Mapping[str, Any], published: Any, side_file: Any = None) -> dict[str, str]:
        """The pictures by name, each an SVG file."""
        facts = self.facts(manifest, published, side_file)
        return {name: standalone(picture(facts)) for name, picture in self.pictures.items()}
