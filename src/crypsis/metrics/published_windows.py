"""Published windows and their sizes, as the release alone shows them."""

from __future__ import annotations

from crypsis.data.windows import PublishedWindows
from crypsis.metrics.figure import Figure

WINDOW_FIGURES = (
    Figure("windows", "Windows", "Windows that were published."),
    Figure("smallest_window", "Smallest window", "Records in it."),
    Figure("largest_window", "Largest window", "Records in it."),
)


def published_windows(published: PublishedWindows) -> dict[str, float | int]:
    """How many windows there are, and how large they are."""
    sizes = [len(window) for window in published]
    return {
        "windows": len(published),
        "smallest_window": min(sizes, default=0),
        "largest_window": max(sizes, default=0),
    }
