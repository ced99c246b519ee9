"""A release beside its original: what its guarantee means for these data, and the pictures of both."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from crypsis.drawing.frame import Frame
from crypsis.errors import NotApplicable
from crypsis.evaluate.plots import frame_of
from crypsis.release import Release
from crypsis.reports.pictures.before_after import comparable_columns
from crypsis.reports.pictures.movement_maps import LabelledMap, maps_before_after
from crypsis.review import Review
from crypsis.translation import _
from crypsis.web.risk_picture import risk_frame


@dataclass(frozen=True, eq=False)
class Comparison:
    """What was published, and what it was made of."""

    original: Any
    release: Release

    @property
    def meaning(self) -> str:
        """What the guarantee means for these data, in one sentence."""
        table, sets = self.original.table_part, self.original.set_part
        known = [] if table is None else [*table.quasi]
        if table is not None and sets is not None:
            known.append(str(self.original.column))
        return self.release.guarantee.meaning_for(known)

    @property
    def columns(self) -> list[str]:
        return comparable_columns(self.original, self.release.data)

    def sizes(self) -> Frame | None:
        """How large the groups are in which people hide; None where a release has none."""
        data = self.release.data
        is_promised = data.symbol_rows is None or data.table_part is not None
        try:
            if is_promised:
                return frame_of("cluster_sizes", published=data, k=getattr(self.release.guarantee, "k", None))
            frame = frame_of("cluster_sizes", published=data)
        except NotApplicable:
            return None
        words = _("The guarantee counts what somebody may know of a record, so groups of whole ones may be smaller.")
        return replace(frame, note=f"{frame.note} {words}")

    def column(self, name: str) -> Frame:
        """One column before and after; where nodes do not say what they stand for, only what is published."""
        data = self.release.data
        try:
            return frame_of("before_after", original=self.original, published=data, column=name)
        except NotApplicable:
            return frame_of("generalized_frequency", published=data, column=name)

    def risk(self, review: Review | None) -> Frame | None:
        """How likely people are found, before and after; None where nothing is known of it."""
        return risk_frame(self.original, self.release.data, review)

    def maps(self, size: float) -> tuple[LabelledMap, LabelledMap] | None:
        """The original and the release on maps of the same view; None without places."""
        return maps_before_after(self.original, self.release.data, self.release.side_file, size)
