"""Figures of a cell in words: names that people read, and which of them come first."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from crypsis.reports.utility_words import LOWER, Reading, reading
from crypsis.web import theme
from crypsis.web.actions import number, percent

_SHOWN = 6
_HEADLINES = (  # what somebody wants to know first, of whatever kind the data are
    "ncp_loss", "utility_loss", "intact_share", "distance_loss", "displacement_loss", "suppressed_share",
    "suppressed_records", "count_query_error", "average_relative_error", "itemset_query_loss", "tkd_loss", "re_loss",
    "tlost_loss", "mean_class_size", "item_frequency_error_loss", "count_error_1_loss", "classification_accuracy",
)  # fmt: skip
_TWINS = {  # short names of the literature for figures that are there under their own
    "ncp": ("ncp_loss",),
    "ul": ("utility_loss",),
    "are": ("count_query_error", "average_relative_error", "itemset_query_loss"),
    "tkd": ("tkd_loss",),
    "re": ("re_loss",),
    "tlost": ("tlost_loss",),
    "dm": ("discernibility_loss",),
    "dl": ("distance_loss",),
    "kl": ("kl_smoothed_loss", "table_kl_divergence_loss"),
    "are_subset": ("count_query_error_subset", "itemset_query_subset_loss"),
}
_SHORT = {
    "are": "ARE, error of queries",
    "are_subset": "ARE, subset estimate",
    "ncp": "NCP, loss of the table",
    "ul": "UL, loss of the items",
    "tkd": "tKd, lost frequent sets",
    "re": "re, error of pairs",
    "tlost": "tlost, lost terms",
    "dl": "DL, distance loss",
    "kl": "KL, smoothed divergence",
    "dm": "DM, discernibility",
    "runtime": "Seconds",
}


def figure_words(name: str) -> str:
    """What a figure is called on a page."""
    return _SHORT.get(name) or reading(name).name


def figure_text(name: str, value: float) -> str:
    """A figure as it is read: shares in percent."""
    return percent(value) if reading(name).share else number(value)


def loss_tiles(cell: dict[str, Any]) -> None:
    """The figures of a cell: the first ones as tiles, those of single columns and all of them in tables."""
    found = cell.get("metrics", {}).get("figures", {})
    figures = {
        name: value
        for name, value in found.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
        if not any(twin in found for twin in _TWINS.get(name, ()))
    }
    whole = [name for name in figures if " of " not in name]
    first = [name for name in _HEADLINES if name in figures]
    first += [name for name in whole if name not in first and _reading(name).better]
    with ui.element("div").classes("tiles thirds"):
        for name in first[:_SHOWN]:
            theme.tile(
                figure_words(name),
                figure_text(name, figures[name]),
                _note(name, figures[name]),
                meaning=_reading(name).meaning,
            )
    _by_column({name: figures[name] for name in figures if name not in whole})
    with ui.expansion("All figures, and what they mean").props("dense").classes("fold"):
        rows = "".join(
            f"<tr><td>{theme.escaped(figure_words(name))}</td><td class=number>{figure_text(name, figures[name])}</td>"
            f"<td>{theme.escaped(' '.join((_reading(name).meaning, _sentence(_reading(name).better))))}</td></tr>"
            for name in whole
        )
        ui.html(
            "<table class=plain><thead><tr><th scope=col>Figure</th><th scope=col class=number>Value</th>"
            f"<th scope=col>What it says</th></tr></thead><tbody>{rows}</tbody></table>",
            sanitize=False,
        ).classes("scroll")


def _by_column(figures: dict[str, float]) -> None:
    """Figures that each column has by itself, a row for each column."""
    names = list(dict.fromkeys(name.partition(" of ")[0] for name in figures))
    columns = list(dict.fromkeys(name.partition(" of ")[2] for name in figures))
    if not names:
        return
    heads = "".join(f"<th scope=col class=number>{theme.escaped(figure_words(name))}</th>" for name in names)
    rows = "".join(
        f"<tr><td>{theme.escaped(column)}</td>"
        + "".join(
            f"<td class=number>{figure_text(name, figures[f'{name} of {column}'])}</td>"
            if f"{name} of {column}" in figures
            else "<td class=number>–</td>"
            for name in names
        )
        + "</tr>"
        for column in columns
    )
    with ui.expansion("By column").props("dense").classes("fold"):
        ui.html(
            f"<table class=plain><thead><tr><th scope=col>Column</th>{heads}</tr></thead><tbody>{rows}</tbody></table>",
            sanitize=False,
        ).classes("scroll")


def _note(name: str, value: float) -> str:
    """Which way is better, and the figure as papers print it where it is shown in percent."""
    short = short_name(name)
    papers = f"{_SHORT[short].split(',')[0]} {number(value)}" if short and reading(name).share else ""
    return " · ".join(part for part in (papers, _reading(name).unit, _reading(name).better) if part)


def short_name(figure: str) -> str:
    """What papers call a figure, where they have a word for it."""
    return next((short for short, twins in _TWINS.items() if figure in twins), "")


def _reading(name: str) -> Reading:
    """The words for a figure, also where it has the short name that papers use."""
    return reading(_TWINS[name][0] if name in _TWINS else name)


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}." if words else ""


def duration(seconds: float) -> str:
    """How long something took, with a unit that suits it."""
    if seconds < 0.001:
        return "under 1 ms"
    if seconds < 1:
        return f"{1000 * seconds:.3g} ms"
    return f"{seconds:.3g} s" if seconds < 120 else f"{seconds // 60:.0f} min {seconds % 60:.0f} s"


def rough_duration(seconds: float) -> str:
    """An estimate, as exact as estimates are: whole seconds below a minute and a half, minutes above."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def best_in_words(rows: list[dict[str, Any]], parameter: str, figure: str) -> str:
    """Which configuration is best by a figure, at each value of a parameter; nothing where there is no choice."""
    better = _reading(figure).better
    found: dict[Any, dict[str, list[float]]] = {}
    for row in rows:
        value, at = row["metrics"].get(figure), row["parameters"].get(parameter)
        if isinstance(value, (int, float)) and at is not None:
            found.setdefault(at, {}).setdefault(str(row["label"]), []).append(float(value))
    compared = {at: {label: sum(of) / len(of) for label, of in ones.items()} for at, ones in found.items()}
    compared = {at: means for at, means in compared.items() if len(means) > 1}
    if not better or not compared:
        return ""
    pick = min if better == LOWER else max
    winners: dict[str, list[str]] = {}
    for at in sorted(compared):
        best = pick(compared[at].values())
        for label, mean in compared[at].items():
            if mean == best:
                winners.setdefault(label, []).append(str(at))
    always = [label for label, at in winners.items() if len(at) == len(compared)]
    if always:
        return f"Best by this figure at every {parameter}: {', '.join(always)}."
    return (
        "Best by this figure: "
        + "; ".join(f"{one} at {parameter} {', '.join(at)}" for one, at in winners.items())
        + "."
    )


def time_bars(parts: list[tuple[str, float]]) -> None:
    """Steps with their times, as bars beside the figures."""
    longest = max((seconds for _, seconds in parts), default=0) or 1
    rows = "".join(
        f"<tr><td>{theme.escaped(name)}</td><td class=number>{duration(seconds)}</td>"
        f'<td class="bar"><i style="width: {100 * seconds / longest:.1f}%"></i></td></tr>'
        for name, seconds in parts
    )
    ui.html(
        "<table class='plain times'><thead><tr><th scope=col>Step</th><th scope=col class=number>Time</th>"
        f"<th scope=col><span class=aloud>Share</span></th></tr></thead><tbody>{rows}</tbody></table>",
        sanitize=False,
    )
