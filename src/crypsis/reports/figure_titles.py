"""What figures are called in the reader's language."""

from __future__ import annotations

from crypsis.metrics import figure_named
from crypsis.translation import _, translated


def figure_title(name: str) -> str:
    """A figure with its abbreviation; "… of column" where it is of one."""
    whole, _of, column = name.partition(" of ")
    figure = figure_named(whole)
    label = translated(figure.label)
    label = _("{figure} of {column}", figure=label, column=column) if column else label
    return f"{label} ({figure.abbreviation})" if figure.abbreviation else label
