"""Pictures for the browser: the same frames as SVG with values on hover and focus, legend switches and log axes.

Every scale that can be chosen is drawn here, and only one is shown; the script does nothing but choose. Text from data
is escaped, nothing is loaded, and without the script the plot still shows its tooltips.
"""

from crypsis.drawing.plot.picture import interactive_svg

__all__ = ["interactive_svg"]
