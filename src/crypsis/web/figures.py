"""Figures of a cell as people read them: labels, units, directions, and which of them come first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nicegui import ui

from crypsis.evaluate.plots import Results
from crypsis.metrics import figure_named, short_names
from crypsis.metrics.figure import LOWER
from crypsis.reports.figure_titles import figure_title
from crypsis.translation import _, translated
from crypsis.translation.wording import duration
from crypsis.web import theme
from crypsis.web.actions import number, percent
from crypsis.wording import capital

_SHOWN = 6


def figure_label(name: str) -> str:
    """What a figure is called on a page."""
    return _("Seconds") if name == "runtime" else figure_title(name)


def figure_text(name: str, value: float) -> str:
    """A figure as it is read: shares in percent."""
    return percent(value) if figure_named(name).share else number(value)


def loss_tiles(found: Mapping[str, float | int | None], crs: str | None = None) -> None:
    """The figures of a cell: the first ones as tiles, those of single columns and all of them in tables.

    `crs` is the projection that distances are measured in.
    """
    figures = {
        name: value
        for name, value in found.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
        if not any(full in found for full in short_names().get(name, {}).values())
    }
    whole = [name for name in figures if " of " not in name]
    first = sorted((name for name in whole if figure_named(name).better), key=lambda name: figure_named(name).rank)
    with ui.element("div").classes("tiles thirds"):
        for name in first[:_SHOWN]:
            theme.tile(
                figure_label(name),
                figure_text(name, figures[name]),
                _note(name, figures[name], crs),
                meaning=translated(figure_named(name).meaning),
            )
    _by_column({name: figures[name] for name in figures if name not in whole})
    with ui.expansion(_("All figures, and what they mean")).props("dense").classes("fold"):
        rows = "".join(
            f"<tr><td>{theme.escaped(figure_label(name))}</td><td class=number>{figure_text(name, figures[name])}</td>"
            f"<td>{theme.escaped(_explained(name, crs))}</td></tr>"
            for name in whole
        )
        ui.html(
            f"<table class=plain><thead><tr><th scope=col>{_('Figure')}</th>"
            f"<th scope=col class=number>{_('Value')}</th>"
            f"<th scope=col>{_('What it says')}</th></tr></thead><tbody>{rows}</tbody></table>",
            sanitize=False,
        ).classes("scroll")


def _by_column(figures: dict[str, float]) -> None:
    """Figures that each column has by itself, a row for each column."""
    names = list(dict.fromkeys(name.partition(" of ")[0] for name in figures))
    columns = list(dict.fromkeys(name.partition(" of ")[2] for name in figures))
    if not names:
        return
    heads = "".join(f"<th scope=col class=number>{theme.escaped(figure_label(name))}</th>" for name in names)
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
    with ui.expansion(_("By column")).props("dense").classes("fold"):
        ui.html(
            f"<table class=plain><thead><tr>"
            f"<th scope=col>{_('Column')}</th>{heads}</tr></thead><tbody>{rows}</tbody></table>",
            sanitize=False,
        ).classes("scroll")


def _note(name: str, value: float, crs: str | None) -> str:
    """Which way is better, and the figure as papers print it where it is shown in percent."""
    figure = figure_named(name)
    papers = f"{figure.abbreviation} {number(value)}" if figure.abbreviation and figure.share else ""
    return " · ".join(
        part
        for part in (papers, "" if figure.share else translated(figure.unit_in(crs)), translated(figure.better))
        if part
    )


def _explained(name: str, crs: str | None) -> str:
    figure = figure_named(name)
    unit = "" if figure.share or not figure.unit else _("In {unit}.", unit=translated(figure.unit_in(crs)))
    better = f"{capital(translated(figure.better))}." if figure.better else ""
    return " ".join(part for part in (translated(figure.meaning), unit, better) if part)


def rough_duration(seconds: float) -> str:
    """An estimate, as exact as estimates are: whole seconds below a minute and a half, minutes above."""
    if seconds < 90:
        return _("{seconds} s", seconds=max(1, round(seconds)))
    return (
        _("{seconds} min", seconds=round(seconds / 60)) if seconds < 5400 else _("{hours:.1f} h", hours=seconds / 3600)
    )


def best_in_words(results: Results, parameter: str, figure: str) -> str:
    """Which configuration is best by a figure, at each value of a parameter; nothing where there is no choice."""
    better = figure_named(figure).better
    found: dict[Any, dict[str, list[float]]] = {}
    for cell in results:
        value, at = cell.metrics.get(figure), cell.parameters.get(parameter)
        if isinstance(value, (int, float)) and at is not None:
            found.setdefault(at, {}).setdefault(cell.label, []).append(float(value))
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
        return _("Best by this figure at every {parameter}: {always}.", parameter=parameter, always=", ".join(always))
    return (
        _("Best by this figure: ")
        + "; ".join(
            _("{one} at {parameter} {values}", one=one, parameter=parameter, values=", ".join(at))
            for one, at in winners.items()
        )
        + "."
    )


def time_bars(parts: list[tuple[str, float]]) -> None:
    """Steps with their times, as bars beside the figures."""
    longest = max((seconds for _name, seconds in parts), default=0) or 1
    rows = "".join(
        f"<tr><td>{theme.escaped(translated(name))}</td><td class=number>{duration(seconds)}</td>"
        f'<td class="bar"><i style="width: {100 * seconds / longest:.1f}%"></i></td></tr>'
        for name, seconds in parts
    )
    ui.html(
        f"<table class='plain times'><thead><tr>"
        f"<th scope=col>{_('Step')}</th><th scope=col class=number>{_('Time')}</th>"
        f"<th scope=col><span class=aloud>{_('Share')}</span></th></tr></thead><tbody>{rows}</tbody></table>",
        sanitize=False,
    )
