"""Tessellations at somebody's controls: step, undo, mark areas, ask for a limit. One per dataset and tab, in memory.

What the person did is a short list (settings, steps, marks), kept with the page; the state can be made from it again.
"""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from crypsis.data.track import Tracks
from crypsis.errors import BadExperiment, NoSuchEntry, NotApplicable
from crypsis.evaluate import Experiment
from crypsis.evaluate.toml import toml_text
from crypsis.methods.trajectory.ppsg import PPSG
from crypsis.methods.trajectory.progressive_generalization import ProgressiveGeneralization
from crypsis.reports.markup import Markup, element
from crypsis.reports.plane import Plane
from crypsis.reports.svg import drawing, polyline
from crypsis.reports.voronoi_polygons import voronoi_polygons
from crypsis.reports.wording import counted
from crypsis.web.companions import Companions
from crypsis.web.datasets import Datasets, whole_section
from crypsis.web.files import take_dataset

_KEPT = 8
WIDTH, HEIGHTS, MARGIN = 900.0, (320.0, 520.0), 24.0
_MOST_LINES = 400  # tracks that are drawn
_MOST_FLOWS = 600


@dataclass(eq=False)
class Exploration:
    """One tessellation under way."""

    number: str
    dataset: str
    cells: ProgressiveGeneralization
    radius: float
    marked: set[int] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def to_dict(self) -> dict[str, Any]:
        state = self.cells.state
        return {
            "id": self.number,
            "dataset": self.dataset,
            "cells": len(self.cells),
            "steps": self.cells.steps,
            "weak_pairs": self.cells.n_weak,
            "marked": sorted(self.marked),
            "radius": self.radius,
            "k": self.cells.merging.k,
            "max_displacement": self.cells.merging.max_displacement,
            "mean_displacement": float(np.mean(state.distances)) if len(state.distances) else 0.0,
            "largest_displacement": float(np.max(state.distances, initial=0.0)),
        }


class Explorations:
    """Those that are open; the least recently used one is closed when there are too many."""

    def __init__(self, datasets: Datasets, companions: Companions) -> None:
        self.datasets, self.companions = datasets, companions
        self._open: OrderedDict[str, Exploration] = OrderedDict()
        self._lock = threading.Lock()

    def begin(self, dataset: str, *, radius: float = 500.0, k: int = 5, **settings: Any) -> Exploration:
        """The finest tessellation of the tracks of a dataset."""
        tracks = self.datasets.load(dataset)
        if not isinstance(tracks, Tracks):
            raise NotApplicable(f"A tessellation is made of tracks; these data are {type(tracks).__name__}.")
        cells = ProgressiveGeneralization.of_tracks(tracks, radius=radius, k=k, **settings)
        exploration = Exploration(secrets.token_hex(6), dataset, cells, radius)
        with self._lock:
            self._open[exploration.number] = exploration
            while len(self._open) > _KEPT:
                self._open.popitem(last=False)
        return exploration

    def get(self, number: str) -> Exploration:
        with self._lock:
            if number not in self._open:
                raise NoSuchEntry("This tessellation is not open any more; begin again.")
            self._open.move_to_end(number)
            return self._open[number]

    def step(self, number: str, times: int | None = 1) -> Exploration:
        """Merge so many times, or until nothing is left to merge."""
        found = self.get(number)
        with found.lock:
            if found.cells.run(times):
                found.marked.clear()  # cells have new numbers
        return found

    def text(self, number: str) -> str:
        """The experiment file of the release that these rules lead to: PPSG with radius, k, limit and steps."""
        found = self.get(number)
        rules = found.cells.merging
        params: dict[str, Any] = {"radius": found.radius, "k": rules.k}
        if rules.max_displacement is not None:
            params["max_displacement"] = rules.max_displacement
        params["max_steps"] = found.cells.steps
        entry = self.datasets.entry(found.dataset)
        run = [{"method": PPSG.name(), "params": params}]
        return toml_text({"name": entry.name, "dataset": whole_section(entry), "run": run})

    def take_text(self, number: str, text: str) -> Exploration:
        """A tessellation with the settings of a file, after as many steps as it says."""
        content = Experiment.parse(text).content
        entry = self.datasets.entry(self.get(number).dataset)
        listed = content.get("run")
        run = next((run for run in listed if _is_ppsg(run)), None) if isinstance(listed, list) else None
        if run is None:
            raise BadExperiment(f"The file has no [[run]] with the method {PPSG.name()}.")
        told = run.get("params") or {}
        if not isinstance(told, Mapping):
            raise BadExperiment("params must be a table of parameters and values.")
        known = ("radius", "k", "max_displacement", "max_steps")
        unknown = [name for name in told if name not in known]
        if unknown:
            raise BadExperiment(f"A tessellation on the map has {', '.join(known)}; the file also has {unknown[0]}.")
        checked = PPSG(**told)  # refuses what is out of range
        dataset = take_dataset(self.datasets, self.companions, content, entry, sections=())
        found = self.begin(dataset, radius=checked.radius, k=checked.k, max_displacement=checked.max_displacement)
        return self.step(found.number, checked.max_steps) if checked.max_steps != 0 else found

    def undo(self, number: str) -> Exploration:
        found = self.get(number)
        with found.lock:
            if found.cells.undo():
                found.marked.clear()
        return found

    def mark(self, number: str, cell: int) -> Exploration:
        """Mark an area, or unmark it."""
        found = self.get(number)
        with found.lock:
            found.cells.suggest([cell])  # refuses a cell that is not there
            found.marked ^= {cell}
        return found

    def suggest(self, number: str) -> float:
        """The displacement limit that would have spared the marked areas."""
        found = self.get(number)
        with found.lock:
            return found.cells.suggest(found.marked)

    def set_rules(self, number: str, **rules: Any) -> Exploration:
        found = self.get(number)
        with found.lock:
            found.cells.merging = replace(found.cells.merging, **rules)
        return found


def _is_ppsg(run: Any) -> bool:
    return isinstance(run, dict) and run.get("method") == PPSG.name()


def tessellation_map(exploration: Exploration) -> Markup:
    """The areas with their traffic; each can be reached and marked with the keyboard, too."""
    cells = exploration.cells
    x, y = cells.state.x, cells.state.y
    plane, height = Plane.fitted(cells.state.tracks.x, cells.state.tracks.y, WIDTH, HEIGHTS, MARGIN)
    page_x, page_y = plane.place(x, y)
    figures = cells.figures
    busiest = max((one.points for one in figures), default=1) or 1
    areas = []
    for number, polygon in enumerate(voronoi_polygons(page_x, page_y, (0.0, 0.0, WIDTH, height))):
        if len(polygon) < 3:
            continue
        one = figures[number]
        marked = number in exploration.marked
        state = ", marked" if marked else ""
        fixes = counted(one.points, "fix", "fixes")
        words = f"Area {number}{state}: {fixes}, up to {one.max_displacement:,.0f} away"
        areas.append(
            element(
                "path",
                element("title", words),
                d=polyline([(round(px, 1), round(py, 1)) for px, py in polygon]) + "z",
                class_="area marked" if marked else "area",
                fill_opacity=f"{0.75 if marked else 0.05 + 0.5 * one.points / busiest:.3f}",
                data_cell=str(number),
                tabindex="0",
                role="button",
                aria_label=words,
                aria_pressed="true" if marked else "false",
            )
        )
    weakest = sorted(cells.flows, key=lambda flow: -flow.count)[:_MOST_FLOWS]
    strongest = max((flow.count for flow in weakest), default=1)
    moves = [
        element(
            "path",
            d=polyline(
                [
                    (float(page_x[flow.origin]), float(page_y[flow.origin])),
                    (float(page_x[flow.target]), float(page_y[flow.target])),
                ]
            ),
            class_="flow" if flow.count < cells.merging.k else "flow strong",
            stroke_width=f"{0.6 + 3.4 * flow.count / strongest:.2f}",
            pointer_events="none",
        )
        for flow in weakest
    ]
    label = f"Map of {counted(len(cells), 'area')}; {cells.n_weak:,} weak connections."
    frame = element("rect", x=0, y=0, width=WIDTH, height=height, class_="frame")
    picture = drawing(WIDTH, height, label, frame, *areas, *moves, kind="map")
    return Markup(picture.replace('role="img"', 'role="group"', 1))  # its parts are buttons


def track_map(tracks: Tracks) -> Markup:
    """The tracks as they are. For the eyes of the publisher only."""
    plane, height = Plane.fitted(tracks.x, tracks.y, WIDTH, HEIGHTS, MARGIN)
    page_x, page_y = plane.place(tracks.x, tracks.y)
    shown = np.linspace(0, max(len(tracks) - 1, 0), min(len(tracks), _MOST_LINES)).astype(np.int64)
    lines = []
    for number in np.unique(shown):
        start, end = int(tracks.offsets[number]), int(tracks.offsets[number + 1])
        step = max(1, (end - start) // 200)
        points = list(zip(page_x[start:end:step].tolist(), page_y[start:end:step].tolist(), strict=True))
        lines.append(element("path", d=polyline(points), class_="curve intact", stroke_opacity="0.28"))
    label = f"Map of {counted(len(tracks), 'track')} as collected."
    frame = element("rect", x=0, y=0, width=WIDTH, height=height, class_="frame")
    return drawing(WIDTH, height, label, frame, *lines, kind="map")
