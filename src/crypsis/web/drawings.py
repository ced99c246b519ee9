"""Pictures for pages, drawn from the same frames as those of reports and of the command line."""

from __future__ import annotations

from typing import Any

from crypsis.drawing.frame import Frame
from crypsis.drawing.map_view import SIZE
from crypsis.drawing.plot import interactive_svg
from crypsis.web import theme
from crypsis.web.reader import on_a_phone

_PHONE = 340.0  # what a card leaves of the narrowest screen


def show_plot(frame: Frame, *, title: bool = False) -> Any:
    """A plot, as wide as the screen leaves room for: its text is as large as that around it."""
    drawn = interactive_svg(frame, title=title, alone=False, **({"width": _PHONE} if on_a_phone() else {}))
    return theme.picture(drawn, frame.title)


def map_size() -> float:
    """How wide and high a map may be, so that its words are as large as those around it."""
    return _PHONE if on_a_phone() else SIZE
