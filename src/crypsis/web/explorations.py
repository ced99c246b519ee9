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
from crypsis.drawing.map_view import SIZE
from crypsis.drawing.markup import Markup
from crypsis.errors import BadExperiment, NoSuchEntry, NotApplicable
from crypsis.evaluate import Experiment
from crypsis.evaluate.toml import toml_text
from crypsis.methods.trajectory.ppsg import PPSG
from crypsis.methods.trajectory.progressive_generalization import ProgressiveGeneralization
from crypsis.reports.pictures.movement_maps import view_of_tracks
from crypsis.web.datasets import Datasets, whole_table
from crypsis.web.files import take_dataset
from crypsis.web.maps import area_map
from crypsis.web.side_inputs import SideInputs

_KEPT = 8


@dataclass(eq=False)
class Exploration:
    """One tessellation under way."""

    number: str
    dataset: str
    cells: ProgressiveGeneralization
    radius: float
    unit: str | None  # what counts as one individual
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
            "unit": self.unit,
            "k": self.cells.merging.k,
            "max_displacement": self.cells.merging.max_displacement,
            "mean_displacement": float(np.mean(state.distances)) if len(state.distances) else 0.0,
            "largest_displacement": float(np.max(state.distances, initial=0.0)),
        }


class Explorations:
    """Those that are open; the least recently used one is closed when there are too many."""

    def __init__(self, datasets: Datasets, side_inputs: SideInputs) -> None:
        self.datasets, self.side_inputs = datasets, side_inputs
        self._open: OrderedDict[str, Exploration] = OrderedDict()
        self._lock = threading.Lock()

    def begin(
        self, dataset: str, *, radius: float = 500.0, k: int = 5, unit: str | None = None, **settings: Any
    ) -> Exploration:
        """The finest tessellation of the tracks of a dataset; `unit` as PPSG takes it."""
        tracks = self.datasets.load(dataset)
        if not isinstance(tracks, Tracks):
            raise NotApplicable(f"A tessellation is made of tracks; these data are {type(tracks).__name__}.")
        cells = ProgressiveGeneralization.of_tracks(tracks, radius=radius, k=k, unit=unit, **settings)
        exploration = Exploration(secrets.token_hex(6), dataset, cells, radius, unit)
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
        exploration = self.get(number)
        with exploration.lock:
            if exploration.cells.run(times):
                exploration.marked.clear()  # cells have new numbers
        return exploration

    def text(self, number: str) -> str:
        """The experiment file of the release that these rules lead to: PPSG with radius, k, limit and steps."""
        exploration = self.get(number)
        rules = exploration.cells.merging
        params: dict[str, Any] = {"radius": exploration.radius, "k": rules.k}
        if exploration.unit is not None:
            params["unit"] = exploration.unit
        if rules.max_displacement is not None:
            params["max_displacement"] = rules.max_displacement
        params["max_steps"] = exploration.cells.steps
        entry = self.datasets.entry(exploration.dataset)
        run = [{"method": PPSG.name(), "params": params}]
        return toml_text({"name": entry.name, "dataset": whole_table(entry), "run": run})

    def take_text(self, number: str, text: str) -> Exploration:
        """A tessellation with the settings of a file, after as many steps as it says."""
        content = Experiment.parse(text).content
        entry = self.datasets.entry(self.get(number).dataset)
        listed = content.get("run")
        run = next((run for run in listed if _is_ppsg(run)), None) if isinstance(listed, list) else None
        if run is None:
            raise BadExperiment(f"The file has no [[run]] with the method {PPSG.name()}.")
        params = run.get("params") or {}
        if not isinstance(params, Mapping):
            raise BadExperiment("params must be a table of parameters and values.")
        known = ("radius", "k", "unit", "max_displacement", "max_steps")
        unknown = [name for name in params if name not in known]
        if unknown:
            raise BadExperiment(f"A tessellation on the map has {', '.join(known)}; the file also has {unknown[0]}.")
        checked = PPSG(**params)  # refuses what is out of range
        dataset = take_dataset(self.datasets, self.side_inputs, content, entry, sections=())
        limit = checked.max_displacement
        exploration = self.begin(dataset, radius=checked.radius, k=checked.k, unit=checked.unit, max_displacement=limit)
        return self.step(exploration.number, checked.max_steps) if checked.max_steps != 0 else exploration

    def undo(self, number: str) -> Exploration:
        exploration = self.get(number)
        with exploration.lock:
            if exploration.cells.undo():
                exploration.marked.clear()
        return exploration

    def mark(self, number: str, cell: int) -> Exploration:
        """Mark an area, or unmark it."""
        exploration = self.get(number)
        with exploration.lock:
            exploration.cells.suggest([cell])  # refuses a cell that is not there
            exploration.marked ^= {cell}
        return exploration

    def suggest(self, number: str) -> float:
        """The displacement limit that would have spared the marked areas."""
        exploration = self.get(number)
        with exploration.lock:
            return exploration.cells.suggest(exploration.marked)

    def set_rules(self, number: str, **rules: Any) -> Exploration:
        exploration = self.get(number)
        with exploration.lock:
            exploration.cells.merging = replace(exploration.cells.merging, **rules)
        return exploration


def _is_ppsg(run: Any) -> bool:
    return isinstance(run, dict) and run.get("method") == PPSG.name()


def tessellation_map(exploration: Exploration, size: float = SIZE) -> Markup:
    """The areas as they are now, in a view that stays the same from step to step."""
    tracks = exploration.cells.state.tracks
    return area_map(exploration.cells, exploration.marked, view_of_tracks(tracks, size))
