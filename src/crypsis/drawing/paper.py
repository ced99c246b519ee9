"""Pictures for paper, drawn with matplotlib: SVG and PDF with text as text, PNG, JPG and BMP.

The same frame gives the same bytes: no dates, fixed identifiers, and the font that comes with matplotlib.
"""

from __future__ import annotations

import io
import re
import warnings
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import polars as pl

from crypsis.drawing.axis_values import distinct_names, names_in, numbers, tick
from crypsis.drawing.colours import LIGHT
from crypsis.drawing.frame import Axis, Frame, Panel
from crypsis.drawing.naming import fitting
from crypsis.drawing.palette import sign
from crypsis.errors import BadParameter, MissingExtra, did_you_mean
from crypsis.translation import _

FORMATS = ("svg", "pdf", "png", "jpg", "bmp")
DOTS_PER_INCH = 200
_WIDTH, _HEIGHT = 6.4, 3.9
_ROW = 0.2  # inches for one bar with its name
_MOST_ROWS = 60  # with more bars the rows get lower and only some are named
_LONGEST_NAME = 42
_MARKERS = {
    "circle": "o",
    "square": "s",
    "triangle": "^",
    "diamond": "D",
    "inverted": "v",
    "cross": "X",
    "plus": "P",
    "pentagon": "p",
}
_HATCHES = {
    "plain": "",
    "diagonal": "////",
    "dots": "....",
    "back": "\\\\\\\\",
    "level": "----",
    "grid": "++++",
    "upright": "||||",
    "crossed": "xxxx",
}
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_SETTINGS = {
    "font.family": ["DejaVu Sans"],
    "font.size": 9,
    "text.parse_math": False,
    "text.color": LIGHT["ink"],
    "axes.edgecolor": LIGHT["muted"],
    "axes.labelcolor": LIGHT["ink"],
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.titlesize": 9.5,
    "axes.unicode_minus": True,
    "grid.color": LIGHT["rule"],
    "grid.linewidth": 0.6,
    "xtick.color": LIGHT["muted"],
    "ytick.color": LIGHT["muted"],
    "xtick.labelcolor": LIGHT["ink"],
    "ytick.labelcolor": LIGHT["ink"],
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "hatch.linewidth": 0.7,
    "hatch.color": "white",
    "lines.linewidth": 1.6,
    "lines.markersize": 5,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "svg.fonttype": "none",
    "svg.hashsalt": "crypsis",
    "pdf.fonttype": 42,
    "figure.dpi": DOTS_PER_INCH,
    "savefig.dpi": DOTS_PER_INCH,
}


def draw(frame: Frame, format: str = "svg", *, title: bool = True) -> bytes:
    """A picture of the frame as a file of one of `FORMATS`; `title=False` leaves the heading to the text around it."""
    wanted = "jpg" if format == "jpeg" else format
    if wanted not in FORMATS:
        raise BadParameter(
            f"There is no picture format '{format}'; there are {', '.join(FORMATS)}.{did_you_mean(format, FORMATS)}",
            parameter="format",
        )
    matplotlib = _matplotlib()
    # rc_context restores what the caller has set; warnings are about glyphs that the font does not have.
    with matplotlib.rc_context(_SETTINGS), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        figure = _figure(frame, title)
        return _saved(figure, wanted)


def _matplotlib() -> Any:
    try:
        import matplotlib
    except ImportError:
        raise MissingExtra("Pictures need matplotlib; install it with: pip install 'crypsis[eval]'") from None
    return matplotlib


def _saved(figure: Any, format: str) -> bytes:
    stream = io.BytesIO()
    if format == "bmp":
        from PIL import Image

        figure.savefig(stream, format="png")
        stream.seek(0)
        written = io.BytesIO()
        Image.open(stream).convert("RGB").save(written, "BMP", dpi=(DOTS_PER_INCH, DOTS_PER_INCH))
        return written.getvalue()
    metadata: dict[str, dict[str, Any]] = {
        "svg": {"Date": None, "Creator": None},
        "pdf": {"CreationDate": None, "Producer": None, "Creator": None},
        "png": {"Software": None},
    }
    extra: dict[str, Any] = {"metadata": metadata[format]} if format in metadata else {}
    if format == "jpg":
        extra["pil_kwargs"] = {"quality": 92, "subsampling": 0, "dpi": (DOTS_PER_INCH, DOTS_PER_INCH)}
    figure.savefig(stream, format=format, **extra)
    return stream.getvalue()


def _figure(frame: Frame, titled: bool) -> Any:
    from matplotlib.figure import Figure

    panels = frame.panels
    if not frame.data.height:
        figure = Figure(figsize=(_WIDTH, 1.2))
        figure.text(0.5, 0.5, _plain(frame.empty), ha="center", va="center", color=LIGHT["muted"])
        return figure
    height = max(_height(frame, panel) for panel in panels)
    width = _WIDTH if len(panels) == 1 else 4.4 * len(panels)
    figure = Figure(figsize=(width, height), layout="constrained")
    _padded(figure)
    drawn = figure.subplots(1, len(panels), squeeze=False)[0]
    for axes, panel in zip(drawn, panels, strict=True):
        _Drawer(frame, panel, axes).draw()
    _head(figure, drawn[0], _plain(frame.title) if titled else "", width)
    return figure


def _padded(figure: Any) -> None:
    """Room around everything, in inches."""
    figure.get_layout_engine().set(w_pad=0.1, h_pad=0.08)


def _head(figure: Any, axes: Any, title: str, width: float) -> None:
    """The title at the left edge; a legend carries it, so that the two never meet."""
    handles, names = axes.get_legend_handles_labels()
    if not handles:
        if title:
            figure.suptitle(title, x=0.1 / width, ha="left", fontsize=11, fontweight="bold")
        return
    letters = max(map(len, names))
    legend = figure.legend(
        handles,
        names,
        title=title or None,
        title_fontproperties={"size": 11, "weight": "bold"},
        alignment="left",
        loc="outside upper left",
        ncols=max(1, min(len(names), int((width - 0.2) / (0.62 + 0.068 * letters)))),
        handlelength=2.6,
        columnspacing=1.4,
        borderpad=0,
    )
    legend._legend_box.sep = 7  # between title and entries


def _height(frame: Frame, panel: Panel) -> float:
    if panel.mark not in ("bars", "stacked"):
        return _HEIGHT
    names = frame.data[panel.x.column].n_unique()
    lines = names * (len(frame.series_of(panel)) if panel.mark == "bars" else 1)
    return max(1.6, 1.15 + _ROW * min(max(lines, names), _MOST_ROWS) + (0.3 if panel.series else 0))


@dataclass
class _Drawer:
    """Draws one panel into its axes."""

    frame: Frame
    panel: Panel
    axes: Any

    def draw(self) -> None:
        getattr(self, f"_{self.panel.mark}")()
        panel = self.panel
        if panel.title:
            self.axes.set_title(_plain(panel.title), loc="left", color=LIGHT["muted"])
        if panel.limit is not None:
            self._limit()
        if panel.mark in ("bars", "stacked"):
            self.axes.grid(axis="x")
            self.axes.set_xlabel(_plain(panel.y.label))
            _number_axis(self.axes.xaxis, self.frame.data[panel.y.column].dtype.is_integer())
        else:
            self.axes.grid(axis="y")
            self.axes.set_xlabel(_plain(panel.x.label))
            self.axes.set_ylabel(_plain(panel.y.label))
            self._scale("x", panel.x)
            self._scale("y", panel.y)

    def _scale(self, which: str, axis: Axis) -> None:
        drawn = getattr(self.axes, f"{which}axis")
        if axis.scale == "log":
            getattr(self.axes, f"set_{which}scale")("log")
            _log_axis(drawn)
        elif axis.scale == "linear" and not self.frame.data[axis.column].dtype.is_temporal():
            _number_axis(drawn, self.frame.data[axis.column].dtype.is_integer())

    def _series(self) -> list[tuple[int, str, pl.DataFrame]]:
        names = self.frame.series_of(self.panel)
        return [(index, name, self.frame.rows_of(self.panel, name)) for index, name in enumerate(names)]

    def _limit(self) -> None:
        limit = self.panel.limit
        assert limit is not None
        self.axes.axvline(limit.value, color=LIGHT["ink"], linestyle=(0, (4, 3)), linewidth=1)
        self.axes.annotate(
            _plain(limit.label),
            (limit.value, 1),
            xycoords=("data", "axes fraction"),
            xytext=(4, -2),
            textcoords="offset points",
            va="top",
            fontsize=8,
        )

    def _bins(self) -> None:
        panel = self.panel
        assert panel.end is not None
        foot: Any = 0.0
        for index, name, rows in self._series():
            start, end = numbers(rows[panel.x.column]), numbers(rows[panel.end])
            heights = numbers(rows[panel.y.column])
            chosen = sign(index)
            self.axes.bar(
                start,
                heights,
                end - start,
                foot,
                align="edge",
                color=chosen.light,
                edgecolor="white",
                linewidth=0.5 if len(start) <= 50 else 0.0,
                hatch=_HATCHES[chosen.hatch] or None,
                label=_plain(name) or None,
            )
            foot = foot + heights
        self.axes.margins(x=0.01)
        if rows[panel.x.column].dtype.is_temporal():
            self._dates()

    def _overlaid(self) -> None:
        panel = self.panel
        assert panel.end is not None
        for index, name, rows in self._series():
            start, end = numbers(rows[panel.x.column]), numbers(rows[panel.end])
            heights = numbers(rows[panel.y.column])
            self.axes.stairs(
                heights,
                np.append(start, end[-1:]),
                color=sign(index).light,
                facecolor=(sign(index).light, 0.3),
                fill=True,
                linewidth=1.6,
                linestyle="solid" if sign(index).hatch == "plain" else (0, (5, 2.5)),
                label=_plain(name) or None,
            )
        self.axes.margins(x=0.01)
        if self.frame.data[panel.x.column].dtype.is_temporal():
            self.axes.xaxis_date()
            self._dates()

    def _dates(self) -> None:
        dates: Any = import_module("matplotlib.dates")
        locator = dates.AutoDateLocator(maxticks=8)
        self.axes.xaxis.set_major_locator(locator)
        self.axes.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator))

    def _names(self) -> tuple[list[str], dict[str, int]]:
        names = distinct_names(self.frame.data[self.panel.x.column])
        return names, {name: index for index, name in enumerate(names)}

    def _name_axis(self, names: list[str]) -> None:
        stride = -(-len(names) // _MOST_ROWS)
        self.axes.set_yticks(
            range(0, len(names), stride), [fitting(_plain(name), _LONGEST_NAME) for name in names[::stride]]
        )
        self.axes.set_ylim(len(names) - 0.4, -0.6)
        self.axes.tick_params(axis="y", length=0)
        if self.panel.x.label not in ("", self.panel.x.column):
            self.axes.set_ylabel(_plain(self.panel.x.label))

    def _bars(self) -> None:
        panel = self.panel
        names, place_of = self._names()
        series = self._series()
        thickness = 0.78 / len(series)
        for index, name, rows in series:
            at = np.array([place_of[text] for text in names_in(rows[panel.x.column])], np.float64)
            chosen = sign(index)
            self.axes.barh(
                at + (index - (len(series) - 1) / 2) * thickness,
                numbers(rows[panel.y.column]),
                thickness,
                color=chosen.light,
                edgecolor="white",
                linewidth=0.0,
                hatch=_HATCHES[chosen.hatch] or None,
                label=_plain(name) or None,
            )
        self._name_axis(names)
        values = self.frame.data[panel.y.column]
        if not (values != 0).any():
            self.axes.set_xlim(-1, 1)
        if not (values > 0).any() or (values < 0).any():
            self.axes.axvline(0, color=LIGHT["muted"], linewidth=0.8)
            self.axes.spines["left"].set_visible(False)

    def _stacked(self) -> None:
        panel = self.panel
        names, place_of = self._names()
        foot = np.zeros(len(names))
        for index, name, rows in self._series():
            width = np.zeros(len(names))
            at = [place_of[text] for text in names_in(rows[panel.x.column])]
            width[at] = numbers(rows[panel.y.column])
            chosen = sign(index)
            self.axes.barh(
                np.arange(len(names)),
                width,
                0.7,
                foot,
                color=chosen.light,
                edgecolor="white",
                linewidth=0.6,
                hatch=_HATCHES[chosen.hatch] or None,
                label=_plain(name),
            )
            foot += width
        self._name_axis(names)

    def _positions(self, column: pl.Series) -> Any:
        if self.panel.x.scale != "category":
            return numbers(column)
        _, place_of = self._names()
        return np.array([place_of[text] for text in names_in(column)], np.float64)

    def _lines(self) -> None:
        panel = self.panel
        missing: list[tuple[int, Any]] = []
        series = self._series()
        for index, name, rows in series:
            chosen = sign(index)
            x, y = self._positions(rows[panel.x.column]), numbers(rows[panel.y.column])
            self.axes.plot(
                x,
                y,
                color=chosen.light,
                marker=_MARKERS[chosen.marker],
                linestyle=(0, chosen.dash) if chosen.dash else "-",
                label=_plain(name) or None,
                clip_on=False,
                zorder=3,
            )
            if panel.deviation is not None:
                self._deviations(rows, x, y, chosen.light)
            if panel.absent is not None:
                missing.append((index, np.asarray(x)[rows[panel.absent].is_not_null().to_numpy()]))
        if panel.x.scale == "category":
            names, _ = self._names()
            self.axes.set_xticks(
                range(len(names)),
                [fitting(_plain(name), 18) for name in names],
                rotation=30 if max(map(len, names), default=0) > 8 or len(names) > 10 else 0,
                ha="right" if max(map(len, names), default=0) > 8 or len(names) > 10 else "center",
            )
        self._from_zero(panel.y)
        self._gaps(missing)

    def _deviations(self, rows: pl.DataFrame, x: Any, y: Any, colour: str) -> None:
        assert self.panel.deviation is not None
        spread = numbers(rows[self.panel.deviation])
        known = np.isfinite(spread) & np.isfinite(y)
        if known.any():
            self.axes.errorbar(
                np.asarray(x)[known], y[known], spread[known], fmt="none", ecolor=colour, elinewidth=1, capsize=3
            )

    def _from_zero(self, axis: Axis) -> None:
        """A vertical axis of figures that are not negative begins at 0."""
        known = numbers(self.frame.data[axis.column].drop_nulls())
        if axis.scale == "linear" and known.min(initial=0.0) >= 0:
            self.axes.set_ylim(0, self.axes.get_ylim()[1] if known.max(initial=0.0) > 0 else 1)

    def _gaps(self, missing: list[tuple[int, Any]]) -> None:
        """Crosses on the axis; where several series have a gap, one above the other."""
        taken: dict[float, int] = {}
        for index, x in missing:
            if len(x):
                levels = [taken.get(value, 0) for value in x.tolist()]
                taken |= {value: level + 1 for value, level in zip(x.tolist(), levels, strict=True)}
                self.axes.plot(
                    x,
                    0.05 * np.array(levels),
                    linestyle="",
                    marker="x",
                    markersize=5.5,
                    markeredgewidth=1.6,
                    color=sign(index).light,
                    transform=self.axes.get_xaxis_transform(),
                    clip_on=False,
                    zorder=4,
                )

    def _points(self) -> None:
        panel = self.panel
        if panel.joined is not None:
            best = self.frame.data.filter(pl.col(panel.joined)).sort(panel.x.column, panel.y.column)
            self.axes.plot(
                numbers(best[panel.x.column]),
                numbers(best[panel.y.column]),
                color=LIGHT["muted"],
                linewidth=1.1,
                linestyle=(0, (5, 3)),
                zorder=2,
                label=_("not beaten"),
            )
        for index, name, rows in self._series():
            chosen = sign(index)
            self.axes.plot(
                numbers(rows[panel.x.column]),
                numbers(rows[panel.y.column]),
                linestyle="",
                marker=_MARKERS[chosen.marker],
                markersize=6,
                markeredgecolor="white",
                markeredgewidth=0.6,
                color=chosen.light,
                label=_plain(name) or None,
                clip_on=False,
                zorder=3,
            )

    def _steps(self) -> None:
        panel = self.panel
        for index, name, rows in self._series():
            ordered = rows.sort(panel.x.column, maintain_order=True)
            x, y = numbers(ordered[panel.x.column]), numbers(ordered[panel.y.column])
            x, y = _without_repeats(x, y)
            many = len(x) > 60
            self.axes.plot(
                x,
                y,
                drawstyle="steps-post",
                color=sign(index).light,
                marker=None if many else _MARKERS[sign(index).marker],
                markersize=3.5,
                label=_plain(name) or None,
            )
        known = numbers(self.frame.data[panel.x.column])
        if panel.x.scale == "linear" and len(known) and known.max() > known.min():
            margin = 0.02 * (known.max() - known.min())
            self.axes.set_xlim(known.min() - margin, known.max() + margin)  # gaps at the ends are seen, too
        self._from_zero(panel.y)

    def _stems(self) -> None:
        panel = self.panel
        for index, _name, rows in self._series():
            x, y = self._positions(rows[panel.x.column]), numbers(rows[panel.y.column])
            width = 3.2 if len(y) <= 40 else 1.8 if len(y) <= 120 else 0.9
            self.axes.vlines(x, np.zeros(len(y)), y, color=sign(index).light, linewidth=width)
        self.axes.axhline(0, color=LIGHT["muted"], linewidth=0.8)
        self.axes.margins(x=0.02)
        if rows[panel.x.column].dtype.is_temporal():
            self._dates()


def _plain(text: str) -> str:
    """Text without control characters, which neither fonts nor XML have."""
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", str(text))


def _without_repeats(x: Any, y: Any) -> tuple[Any, Any]:
    """The last of several points at one place."""
    keep = np.append(x[1:] != x[:-1], True) if len(x) else np.zeros(0, np.bool_)
    return x[keep], y[keep]


def _number_axis(axis: Any, whole: bool) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axis.set_major_locator(MaxNLocator(nbins=7, steps=[1, 2, 5, 10], integer=whole))
    axis.set_major_formatter(FuncFormatter(lambda value, position: tick(value)))


def _log_axis(axis: Any) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = axis.get_view_interval()
    narrow = low > 0 and high / low < 200
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if narrow else (1.0,), numticks=12))
    axis.set_major_formatter(FuncFormatter(lambda value, position: tick(value)))
    axis.set_minor_formatter(NullFormatter())
