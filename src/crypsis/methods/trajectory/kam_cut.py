"""KAMCut: publish of each trajectory its longest beginning that k trajectories share.

Guarantees sequence k-anonymity, also when only the published data are counted. Costs one sort of the trajectories.

Monreale, Andrienko, Andrienko, Giannotti, Pedreschi, Rinzivillo, Wrobel. Transactions on Data Privacy 3, 2010, 91-121.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.executors.executor import Executor
from crypsis.guarantees import SequenceKAnonymity
from crypsis.guarantees.trajectory_or_owner import ChosenUnit
from crypsis.kernels.prefix_tree import nearest_kept
from crypsis.methods.method import Method
from crypsis.methods.scaling import BlockSize, Scaling
from crypsis.methods.trajectory.feasibility import individuals_of
from crypsis.methods.trajectory.prefix_rounds import shared_beginnings
from crypsis.methods.trajectory.prefix_tree import (
    PrefixTree,
    check_enough,
    private_facts,
    published_rows,
)
from crypsis.parameters import AtLeast
from crypsis.run_context import RunContext
from crypsis.shards.records import EncodedTrajectories

LOST = "rare from its first visit on"


@dataclass(frozen=True, kw_only=True)
class KAMCut(Method):
    """Cut each trajectory to its longest beginning that at least k trajectories share.

    All trajectories are laid into one prefix tree; branches that fewer than k pass are cut off, and a trajectory ends
    where its branch was cut. What begins rarely is not published at all, however common the rest of it is: KAMRec
    recovers some of that. Time grows with the number of visits (one sort, one walk over the tree).
    Differs from the paper: nodes count trajectories with that beginning, not all that contain it; the promise is
    checked for every published subsequence, not for whole trajectories only.

    >>> import crypsis
    >>> walks = crypsis.Trajectories.from_lists([["home", "park", "shop"], ["home", "park"], ["clinic"]])
    >>> release = crypsis.anonymize(walks, crypsis.KAMCut(k=2))
    >>> release.data.to_lists()
    [['home', 'park'], ['home', 'park']]
    >>> release.verify().holds
    True

    Monreale, Andrienko, Andrienko, Giannotti, Pedreschi, Rinzivillo, Wrobel. Movement data anonymity
    through generalization. Transactions on Data Privacy 3, 2010, 91-121: KAM_CUT.
    """

    choose_when: ClassVar[str] = "When beginnings matter most (from the start page, from home), and it must be quick."
    costs: ClassVar[str] = "Whatever begins rarely is cut off, however common the rest is."
    accepts: ClassVar[type] = Trajectories
    counts_people: ClassVar[bool] = True
    truthful: ClassVar[bool] = True
    family: ClassVar[str] = "trajectory"
    promises: ClassVar[type[SequenceKAnonymity]] = SequenceKAnonymity
    scaling: ClassVar[Scaling] = Scaling.EXACT
    stages: ClassVar[tuple[str, ...]] = ("prefix tree", "publish")

    k: Annotated[int, AtLeast(1), "Trajectories that must share each published sequence."] = 5
    unit: ChosenUnit = None

    @property
    def guarantee(self) -> SequenceKAnonymity:
        return SequenceKAnonymity(k=self.k, unit=self.unit or "trajectory")

    def anonymize(self, data: Trajectories, context: RunContext) -> PublishedTrajectories:
        groups = individuals_of(data, self.unit, type(self).__name__)
        check_enough(data, groups, self.k, self.unit)
        with context.stage("prefix tree"):
            tree = PrefixTree.of(data, groups, self.k)
            last_kept = nearest_kept(tree.nodes.parent, tree.kept)[tree.end_of_row]
        with context.stage("publish"):
            context.private.update(private_facts(tree))
            lengths = tree.nodes.depth[last_kept].astype(np.int64)
            return published_rows(data, data.codes, data.offsets[:-1], lengths, LOST, context)

    def anonymize_parts(
        self, data: EncodedTrajectories, executor: Executor, context: RunContext, block: BlockSize
    ) -> PublishedTrajectories:
        whole = data.whole
        check_enough(whole, individuals_of(whole, self.unit, type(self).__name__), self.k, self.unit)
        with context.stage("prefix tree"):
            lengths, kept = shared_beginnings(data.shards, len(data.locations), self.k, executor)
        with context.stage("publish"):
            cut = int(np.count_nonzero(lengths < whole.lengths))
            context.private["tree"] = {"kept": kept, "cut_trajectories": cut}
            return published_rows(whole, whole.codes, whole.offsets[:-1], lengths, LOST, context)
