"""Pictures for pages, drawn from the same frames as those of reports and of the command line."""

from __future__ import annotations

from typing import Any

from crypsis.drawing.markup import Markup
from crypsis.drawing.plot import interactive_svg
from crypsis.evaluate.plots import frame_of


def histogram_picture(data: Any, column: str | None) -> Markup:
    """How the values of a column are distributed."""
    return interactive_svg(frame_of("histogram", original=data, column=column), title=True, alone=False)
