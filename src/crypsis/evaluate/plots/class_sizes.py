"""Plot `class_sizes`: the sizes of all classes, the largest first."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from crypsis.drawing.frame import Axis, Frame, Panel
from crypsis.evaluate.plots.group_sizes import group_sizes
from crypsis.translation import _
from crypsis.translation.wording import counted


def class_sizes(published: Any) -> Frame:
    """Records of every class, by falling size."""
    sizes = np.sort(group_sizes(published))[::-1]
    table = pl.DataFrame(
        {
            "rank": pl.Series(np.arange(1, len(sizes) + 1), dtype=pl.Int64),
            "size": pl.Series(sizes.copy(), dtype=pl.Int64),
        }
    )
    wide = len(sizes) > 0 and int(sizes[0]) > 20 * int(sizes[-1])
    panel = Panel(
        "steps", Axis("rank", _("class, the largest first")), Axis("size", _("records"), "log" if wide else "linear")
    )
    note = f"{counted(0, 'class', 'classes')}."
    if len(sizes):
        classes, records = counted(len(sizes), "class", "classes"), counted(int(sizes[-1]), "record")
        note = _("{classes}, the smallest of {records}.", classes=classes, records=records)
    return Frame("class_sizes", _("Sizes of classes"), table, (panel,), note=note, empty=_("There is no class."))
