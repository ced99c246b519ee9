"""What a report shows of a disassociated release, computed once from what is published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from crypsis.data.forest_counts import ForestCounts
from crypsis.reports.manifest_facts import ManifestFacts


@dataclass(frozen=True, eq=False)
class DisassociatedFacts(ManifestFacts):
    """The manifest, what was counted of the forest, and which terms may stand in term chunks only."""

    row_words = ("record", "records")

    manifest: Mapping[str, Any]
    counts: ForestCounts
    sensitive: tuple[str, ...]

    @property
    def published_terms(self) -> int:
        """Terms that occur anywhere."""
        return len(self.counts.labels)

    @cached_property
    def only_hidden(self) -> list[str]:
        """Terms that occur in term chunks only, those in most clusters first."""
        chosen = np.flatnonzero(self.counts.visible == 0)
        order = np.argsort(-self.counts.hidden[chosen], kind="stable")
        hidden: list[str] = self.counts.labels.gather(chosen[order]).to_list()
        return hidden

    @cached_property
    def partly_hidden(self) -> int:
        """Terms that occur in chunks, and in some term chunk, too."""
        return int(np.count_nonzero((self.counts.visible > 0) & (self.counts.hidden > 0)))
