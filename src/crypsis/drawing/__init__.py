"""The drawing room: what reports, pages and plots are drawn with.

A plot is a `Frame`: its numbers and how they are drawn. `plot.interactive_svg` draws it for pages, `paper.draw` for
paper (with matplotlib), and `to_csv` writes its numbers. Maps are drawn with the marks of `svg`. Colours and type
stand in `colours`.
"""

from crypsis.drawing.frame import Axis, Frame, Limit, Panel, to_csv

__all__ = ["Axis", "Frame", "Limit", "Panel", "to_csv"]
