"""The pictures of a release report, one file each. `PICTURES` lists them by name; `standalone` makes one a file."""

from __future__ import annotations

from collections.abc import Callable

from crypsis.drawing.markup import Markup
from crypsis.drawing.svg import standalone
from crypsis.reports.facts import ReleaseFacts
from crypsis.reports.pictures.flow_map import flow_map
from crypsis.reports.pictures.location_map import location_map
from crypsis.reports.pictures.presence_over_time import presence_over_time
from crypsis.reports.pictures.reidentification_curve import reidentification_curve
from crypsis.reports.pictures.smallest_supports import smallest_supports
from crypsis.reports.pictures.support_histogram import support_histogram
from crypsis.reports.pictures.symbol_sizes import symbol_sizes
from crypsis.reports.pictures.tessellation import tessellation
from crypsis.reports.pictures.track_lengths import track_lengths
from crypsis.reports.pictures.trajectory_lengths import trajectory_lengths

PICTURES: dict[str, Callable[[ReleaseFacts], Markup]] = {
    "location-map": location_map,
    "flow-map": flow_map,
    "tessellation": tessellation,
    "support-histogram": support_histogram,
    "smallest-supports": smallest_supports,
    "symbol-sizes": symbol_sizes,
    "trajectory-lengths": trajectory_lengths,
    "presence-over-time": presence_over_time,
}

__all__ = [
    "PICTURES",
    "flow_map",
    "location_map",
    "presence_over_time",
    "reidentification_curve",
    "smallest_supports",
    "standalone",
    "support_histogram",
    "symbol_sizes",
    "tessellation",
    "track_lengths",
    "trajectory_lengths",
]
