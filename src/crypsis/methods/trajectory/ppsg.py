"""PPSG: GPS tracks to anonymous sequences of cells. The cells follow the data and grow where few people pass.

Guarantees k-anonymity of generalized tracks. Costs a few searches of a KD-tree per step of the generalization, and the
run of KAMCut or KAMRec on the sequences.

Monreale, Andrienko, Andrienko, Giannotti, Pedreschi, Rinzivillo, Wrobel. Transactions on Data Privacy 3, 2010, 91-121.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.data.symbols import Symbols
from crypsis.data.track import Tracks
from crypsis.data.trajectory import Locations, PublishedTrajectories, Trajectories
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import TooFewTrajectories
from crypsis.executors.executor import Executor
from crypsis.guarantees import SequenceKAnonymity
from crypsis.guarantees.trajectory_or_owner import TRAJECTORY_OR_OWNER
from crypsis.methods.method import Method
from crypsis.methods.scaling import BlockSize, Scaling
from crypsis.methods.trajectory.cell_parameters import GENERATORS, ComparedDistance, FewestCells
from crypsis.methods.trajectory.characteristic_points import characteristic_points
from crypsis.methods.trajectory.kam_cut import KAMCut
from crypsis.methods.trajectory.kam_rec import KAMRec
from crypsis.methods.trajectory.point_grouping import group_means
from crypsis.methods.trajectory.progressive_generalization import CellMerge, ProgressiveGeneralization
from crypsis.methods.trajectory.published_cells import CellRows, publish_cells
from crypsis.methods.trajectory.rare_fixes import RareFixes
from crypsis.methods.trajectory.representatives import cell_means, people_of_fixes
from crypsis.methods.trajectory.tessellation import Tessellation
from crypsis.methods.trajectory.track_blocks import anonymize_tracks
from crypsis.methods.trajectory.track_owners import individuals_of
from crypsis.parameters import MAP_UNITS, Above, AtLeast, Between, OneOf, Unit
from crypsis.run_context import RunContext
from crypsis.shards.tracks import EncodedTracks


@dataclass(frozen=True, kw_only=True)
class PPSG(Method):
    """Publish GPS tracks as sequences of cells that at least k tracks share, and a safe point for each cell.

    The turns and stops of all tracks are grouped; the means of the groups generate Voronoi cells. Neighbouring cells
    between which fewer than k people move are joined step by step. The sequences of cells then go through KAMCut or
    KAMRec. A cell is published as the mean of its visitors' own means there, never as its generator.
    Time grows with the number of fixes times the logarithm of the number of cells, per step.
    Differs from the paper: original tracks are generalized again after each step, neighbours share a boundary longer
    than a point, and representatives are kept off the fixes of people.

    >>> import crypsis
    >>> ways = [[(0, 0, 0), (900, 5, 60), (1800, 0, 120)], [(9, 9, 0), (908, 0, 60), (1790, 8, 120)],
    ...         [(3, 1, 0), (901, 9, 60), (1802, 4, 120)], [(900, 1, 0), (905, 990, 60)]]
    >>> release = crypsis.anonymize(crypsis.Tracks.from_lists(ways), crypsis.PPSG(radius=300, k=3))
    >>> release.data.to_lists()
    [['c0', 'c1', 'c2'], ['c0', 'c1', 'c2'], ['c0', 'c1', 'c2'], ['c1']]
    >>> release.verify().holds
    True

    Monreale, Andrienko, Andrienko, Giannotti, Pedreschi, Rinzivillo, Wrobel. Movement data anonymity through
    generalization. Transactions on Data Privacy 3, 2010, 91-121: PPSG, KAM_CUT, KAM_REC.
    """

    choose_when = "For GPS tracks of many people on the same roads. No table of places is needed."
    costs = "Tracks become sequences of areas; few tracks make few, large areas."
    accepts = Tracks
    counts_people = True
    promises = SequenceKAnonymity
    stages = ("characteristic points", "cells", "merge cells", "sequences", "publish")
    needs = ("coordinates", "times")
    scaling = Scaling.BLOCKS

    radius: Annotated[float, Above(0), Unit(MAP_UNITS), "How far apart characteristic points of one group may lie."] = (
        500.0
    )
    k: Annotated[int, AtLeast(1), "Tracks that must share each published sequence of cells."] = 5
    inner: Annotated[
        str,
        OneOf(**{"kam-cut": "cut rare ends (KamCut)", "kam-rec": "recover parts of them too (KamRec)"}),
        "What protects the sequences: cut rare ends, or recover parts of them too.",
    ] = "kam-rec"
    p: Annotated[float, Between(0, 100), "Share of a cut sequence that a recovered part must have, in percent."] = 40.0
    strict: Annotated[bool, "Every published sequence must also be shared by k published rows."] = False
    max_displacement: Annotated[
        float | None,
        Above(0),
        Unit(MAP_UNITS),
        "Cells are not joined where that moves a point farther than this from its generator.",
    ] = None
    displacement: ComparedDistance = "max"
    rep: Annotated[str, GENERATORS, "The generator of a joined cell; it is never published."] = "mean"
    min_cells: FewestCells = 2
    max_steps: Annotated[int | None, AtLeast(0), "Most steps of joining cells."] = None
    min_angle: Annotated[
        float, Above(0), Unit("degrees"), "A turn by this many degrees makes a characteristic point."
    ] = 45.0
    min_stop: Annotated[float, Above(0), Unit("seconds"), "So does a stop of this many seconds."] = 300.0
    max_distance: Annotated[float, Above(0), Unit(MAP_UNITS), "So does a way of this length since the last one."] = (
        3500.0
    )
    min_distance: Annotated[float, Above(0), Unit(MAP_UNITS), "Moves shorter than this are standing still."] = 100.0
    precision: Annotated[int | None, Between(0, 9), "Decimals of the published points; not rounded if not given."] = (
        None
    )
    unit: Annotated[
        str | None,
        TRAJECTORY_OR_OWNER,
        "What counts as one individual where owners have several tracks; then it must be chosen.",
    ] = None

    @property
    def guarantee(self) -> SequenceKAnonymity:
        return self._protector.guarantee

    def anonymize(self, data: Tracks, context: RunContext) -> PublishedTrajectories:
        individuals = individuals_of(data, self.unit, type(self).__name__)
        self._check_enough(individuals)
        if not len(data):
            return _NOTHING
        rows = self.rows_of_cells(data, context)
        with context.stage("publish"):
            fixes = RareFixes.of(data, people_of_fixes(data, individuals), self.k, self.precision)
            return publish_cells([rows], data.crs, fixes, context, **self.drawn)

    def anonymize_parts(
        self, data: EncodedTracks, executor: Executor, context: RunContext, block: BlockSize
    ) -> PublishedTrajectories:
        return anonymize_tracks(self, data, executor, context, block)

    def rows_of_cells(self, data: Tracks, context: RunContext) -> CellRows:
        """The protected sequences of tracks in cells of their own, and the mean point of each published cell."""
        self._check_enough(individuals_of(data, self.unit, type(self).__name__))
        with context.stage("characteristic points"):
            chosen = characteristic_points(
                data,
                min_angle=self.min_angle,
                min_stop=self.min_stop,
                max_distance=self.max_distance,
                min_distance=self.min_distance,
            )
        with context.stage("cells"):
            cells = self._finest_cells(data, chosen)
        with context.stage("merge cells"):
            steps = self._join(cells, context)
        generalized = _sequences_of(data, cells.state)
        protected = self._protector.anonymize(generalized, context)
        with context.stage("publish"):
            cell_of_symbol = generalized.locations.vocabulary.encode(protected.symbols.vocabulary.series)[
                protected.symbols.members[protected.symbols.offsets[:-1]]
            ]
            visited = cell_of_symbol[protected.codes]
            shown = np.zeros(len(generalized.locations), np.bool_)
            shown[visited] = True
            means = cell_means(cells.state, shown, self.k, self.precision)
        x, y = generalized.locations.coordinates(type(self).__name__)
        return CellRows(protected.offsets, visited, protected.owners, x, y, shown, means, steps)

    @property
    def drawn(self) -> dict[str, Any]:
        """How points of cells are written, and the unit by which they are moved where they are not rounded."""
        return {"precision": self.precision, "unit_length": self.radius / 1000}

    @property
    def _protector(self) -> KAMCut | KAMRec:
        if self.inner == "kam-cut":
            return KAMCut(k=self.k, unit=self.unit)  # by itself as strict as KAMRec with `strict`
        return KAMRec(k=self.k, p=self.p, strict=self.strict, unit=self.unit)

    def _check_enough(self, individuals: Int32s) -> None:
        have = len(np.unique(individuals))
        if self.k >= 2 and have < self.k:
            who = "owners have tracks" if self.unit == "owner" else "tracks were given"
            raise TooFewTrajectories(
                f"No {self.k}-anonymous release exists: {have} {who}, {self.k} are required. Add data or lower k.",
                have=have,
                required=self.k,
            )

    def _finest_cells(self, data: Tracks, chosen: Int64s) -> ProgressiveGeneralization:
        return ProgressiveGeneralization(
            data,
            group_means(data.x[chosen], data.y[chosen], self.radius),
            unit=self.unit,
            history=0,
            k=self.k,
            max_displacement=self.max_displacement,
            displacement=self.displacement,
            rep=self.rep,
            min_cells=self.min_cells,
        )

    def _join(self, cells: ProgressiveGeneralization, context: RunContext) -> list[list[CellMerge]]:
        steps: list[list[CellMerge]] = []
        while self.max_steps is None or len(steps) < self.max_steps:
            merges = cells.step()
            if not merges:
                break
            steps.append(merges)
            context.report_progress(None)
        return steps


def _sequences_of(data: Tracks, cells: Tessellation) -> Trajectories:
    """The cells of each track in order. Labels are equally long, so that their order is that of the numbers."""
    width = len(str(len(cells) - 1))
    labels = Vocabulary([f"{index:0{width}}" for index in range(len(cells))])
    offsets, codes = cells.sequences
    return Trajectories(offsets, codes, Locations(labels, cells.x, cells.y), data.owners)


_NO_PLACES = Locations(Vocabulary([]), np.zeros(0), np.zeros(0))
_NOTHING = PublishedTrajectories(
    np.zeros(1, np.int64),
    np.zeros(0, np.int32),
    Symbols(_NO_PLACES.vocabulary, np.zeros(1, np.int64), np.zeros(0, np.int32)),
    places=_NO_PLACES,
    generators=_NO_PLACES,
)
