"""Progressive generalization: join neighbouring cells between which few people move, step by step.

Monreale, Andrienko, Andrienko, Giannotti, Pedreschi, Rinzivillo, Wrobel. Movement data anonymity through
generalization. Transactions on Data Privacy 3, 2010, 91-121.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from crypsis.arrays import Float64s
from crypsis.data.track import Tracks
from crypsis.errors import BadParameter
from crypsis.kernels.cell_points import displacements, medoid
from crypsis.methods.trajectory.cell_parameters import GENERATORS, ComparedDistance, FewestCells
from crypsis.methods.trajectory.characteristic_points import characteristic_points
from crypsis.methods.trajectory.point_grouping import group_means
from crypsis.methods.trajectory.tessellation import CellFigures, Flow, Tessellation
from crypsis.methods.trajectory.track_owners import individuals_of
from crypsis.parameters import Above, AtLeast, Checked

TOLERANCE = 1e-9


@dataclass(frozen=True)
class CellMerge:
    """Cells `first` and `second` of the state before the step became one; `count` individuals moved between them."""

    first: int
    second: int
    count: int


@dataclass(frozen=True, kw_only=True)
class Merging(Checked):
    """When two cells are merged and what stands for both."""

    k: Annotated[int, AtLeast(1), "Individuals that should move between two cells, or none."] = 5
    max_displacement: Annotated[
        float | None, Above(0), "A merge that would move points farther than this from their generator is left out."
    ] = None
    displacement: ComparedDistance = "max"
    rep: Annotated[str, GENERATORS, "The generator of a merged cell; never published."] = "mean"
    min_cells: FewestCells = 2


class ProgressiveGeneralization:
    """A tessellation that is made coarser one step at a time, for a program or a person at the controls.

    A step merges pairs of neighbouring cells between which some but fewer than k individuals move directly, weakest
    first, each cell at most once. `undo` goes back, `suggest` proposes a displacement limit that spares marked cells.
    `merging` holds the rules and may be assigned between steps. Everything an instance shows is private.

    >>> import crypsis
    >>> from crypsis.methods.trajectory.progressive_generalization import ProgressiveGeneralization
    >>> tracks = crypsis.Tracks.from_lists(
    ...     [[(0, 0, 0), (900, 0, 60), (1800, 0, 120)], [(0, 9, 0), (900, 9, 60)], [(9, 0, 0), (909, 0, 60)]])
    >>> cells = ProgressiveGeneralization.of_tracks(tracks, radius=300, k=2)
    >>> len(cells), cells.step(), len(cells)
    (3, [CellMerge(first=1, second=2, count=1)], 2)
    >>> cells.undo()
    1
    >>> len(cells)
    3
    """

    def __init__(
        self,
        tracks: Tracks,
        generators: tuple[Float64s, Float64s] | Sequence[tuple[float, float]],
        *,
        unit: str | None = None,
        history: int | None = None,
        **merging: Any,
    ) -> None:
        """`generators` are points, or x and y; `history` limits how many steps can be undone (default: all)."""
        self.merging = Merging(**merging)
        self._history = history
        if isinstance(generators, tuple) and len(generators) == 2 and isinstance(generators[0], np.ndarray):
            x, y = np.asarray(generators[0], np.float64), np.asarray(generators[1], np.float64)
        else:
            points = np.asarray(generators, np.float64).reshape(-1, 2)
            x, y = points[:, 0].copy(), points[:, 1].copy()
        if not len(x) or not (np.isfinite(x).all() and np.isfinite(y).all()):
            raise BadParameter(
                "ProgressiveGeneralization: generators must be one or more finite points (x, y).",
                parameter="generators",
            )
        self.state = Tessellation.of(tracks, individuals_of(tracks, unit, "ProgressiveGeneralization"), x, y)
        self.steps = 0
        self._before: list[Tessellation] = []

    @classmethod
    def of_tracks(
        cls,
        tracks: Tracks,
        radius: float = 500.0,
        *,
        min_angle: float = 45.0,
        min_stop: float = 300.0,
        max_distance: float = 3500.0,
        min_distance: float = 100.0,
        unit: str | None = None,
        history: int | None = None,
        **merging: Any,
    ) -> ProgressiveGeneralization:
        """The finest tessellation: one cell per group of characteristic points."""
        if not radius > 0 or not np.isfinite(radius):
            raise BadParameter(
                f"ProgressiveGeneralization: radius must be a finite number above 0, got {radius!r}.",
                parameter="radius",
            )
        chosen = characteristic_points(
            tracks,
            min_angle=min_angle,
            min_stop=min_stop,
            max_distance=max_distance,
            min_distance=min_distance,
        )
        means = group_means(tracks.x[chosen], tracks.y[chosen], radius)
        return cls(tracks, means, unit=unit, history=history, **merging)

    def __len__(self) -> int:
        return len(self.state)

    @property
    def n_weak(self) -> int:
        """Pairs of neighbouring cells between which some but fewer than k individuals move."""
        return len(self.state.weak_connections(self.merging.k))

    @property
    def figures(self) -> list[CellFigures]:
        """Points, mean and largest displacement of each cell."""
        return self.state.figures

    @property
    def flows(self) -> list[Flow]:
        """Individuals that move directly from one cell to a neighbouring one."""
        return self.state.flows

    @property
    def generators(self) -> list[tuple[float, float]]:
        return list(zip(self.state.x.tolist(), self.state.y.tolist(), strict=True))

    @property
    def sequences(self) -> list[list[int]]:
        """The cells that each track passes through."""
        offsets, cells = self.state.sequences
        return [part.tolist() for part in np.split(cells, offsets[1:-1])] if len(offsets) > 1 else []

    def step(self) -> list[CellMerge]:
        """Merge once; the merges in order, none if there is nothing to merge or few cells are left."""
        if len(self.state) <= self.merging.min_cells:
            return []
        merges, x, y = self._chosen_merges()
        if not merges:
            return []
        used = np.zeros(len(self.state), np.bool_)
        used[[cell for merge in merges for cell in (merge.first, merge.second)]] = True
        if self._history != 0:
            self._before.append(self.state.bare())
            del self._before[: -self._history if self._history else 0]
        self.state = self.state.merged(used, x, y)
        self.steps += 1
        return merges

    def run(self, n: int | None = None) -> list[list[CellMerge]]:
        """Step until nothing is left to merge, or n times; the merges of each step."""
        made: list[list[CellMerge]] = []
        while n is None or len(made) < n:
            merges = self.step()
            if not merges:
                break
            made.append(merges)
        return made

    def undo(self, levels: int = 1) -> int:
        """Take back the last steps; how many could be."""
        undone = min(levels, len(self._before))
        if undone:
            self.state = self._before[-undone]
            del self._before[-undone:]
            self.steps -= undone
        return undone

    def suggest(self, marked: Collection[int]) -> float:
        """The displacement limit under which the marked cells could not have grown; 0 if there is none."""
        unknown = [cell for cell in marked if not 0 <= cell < len(self)]
        if unknown:
            raise BadParameter(
                f"suggest: there is no cell {unknown[0]}; cells are numbered from 0 to {len(self) - 1}.",
                parameter="marked",
            )
        local = self.state.max_displacements if self.merging.displacement == "max" else self.state.mean_displacements
        return suggested_limit(local.tolist(), marked)

    def _chosen_merges(self) -> tuple[list[CellMerge], list[float], list[float]]:
        state, rules = self.state, self.merging
        used = np.zeros(len(state), np.bool_)
        merges: list[CellMerge] = []
        x: list[float] = []
        y: list[float] = []
        for first, second, count in state.weak_connections(rules.k):
            if used[first] or used[second]:
                continue
            place = self._generator_of_both(first, second)
            if rules.max_displacement is not None and self._moves_too_far(first, second, place):
                continue
            used[first] = used[second] = True
            merges.append(CellMerge(first, second, count))
            x.append(place[0])
            y.append(place[1])
        return merges, x, y

    def _generator_of_both(self, first: int, second: int) -> tuple[float, float]:
        state = self.state
        tracks = state.tracks
        if self.merging.rep == "medoid":
            offsets, members = state.points_by_cell
            both = np.sort(np.concatenate([members[offsets[cell] : offsets[cell + 1]] for cell in (first, second)]))
            point = medoid(tracks.x, tracks.y, both)
            return float(tracks.x[point]), float(tracks.y[point])
        sum_x, sum_y = state.coordinate_sums
        count = state.sizes[first] + state.sizes[second]
        return float((sum_x[first] + sum_x[second]) / count), float((sum_y[first] + sum_y[second]) / count)

    def _moves_too_far(self, first: int, second: int, place: tuple[float, float]) -> bool:
        limit = self.merging.max_displacement
        assert limit is not None
        tracks = self.state.tracks
        offsets, members = self.state.points_by_cell
        mean, largest = displacements(tracks.x, tracks.y, offsets, members, np.array([first, second], np.int64), *place)
        return (largest if self.merging.displacement == "max" else mean) > limit + TOLERANCE * max(1.0, limit)


def suggested_limit(local: Sequence[float], marked: Collection[int]) -> float:
    """The largest displacement of an unmarked cell that is below the smallest one of the marked cells; 0 if none is."""
    chosen = set(marked)
    smallest = min((local[cell] for cell in chosen), default=float("inf"))
    return max((value for cell, value in enumerate(local) if cell not in chosen and value < smallest), default=0.0)


__all__ = ["CellFigures", "CellMerge", "Flow", "Merging", "ProgressiveGeneralization", "suggested_limit"]
