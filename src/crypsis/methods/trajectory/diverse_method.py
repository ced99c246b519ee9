"""What the (k,l)^m methods share: their parameters, their checks in the order of the specification, publication."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from crypsis.arrays import Int64s
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import Infeasible, InfeasibleDiversity, InfeasibleLength, TooFewTrajectories, TooManyClusters
from crypsis.executors.executor import Executor
from crypsis.guarantees import KlmAnonymity
from crypsis.guarantees.klm_anonymity import OneInL
from crypsis.guarantees.km_anonymity import KnownLength
from crypsis.guarantees.trajectory_or_owner import ChosenUnit
from crypsis.methods.method import Method
from crypsis.methods.scaling import BlockSize, RecodedRecords, Scaling
from crypsis.methods.trajectory.clustered_recoding import private_facts, published_clusters
from crypsis.methods.trajectory.clustering import recode_clusters
from crypsis.methods.trajectory.diverse_merging import Requirement, ShortLength, Unresolved
from crypsis.methods.trajectory.feasibility import how_many, individuals_of
from crypsis.methods.trajectory.merging_parameters import SharedByTrajectories
from crypsis.methods.trajectory.sensitive_visits import SplitTrajectories
from crypsis.methods.trajectory.trajectory_blocks import anonymize_in_blocks
from crypsis.parameters import OneOf
from crypsis.run_context import RunContext
from crypsis.shards.records import EncodedTrajectories


@dataclass(frozen=True, kw_only=True)
class DiverseMethod(Method):
    """A method that gives (k,l)^m-anonymity by recoding clusters of rows; a child says what the clusters are."""

    accepts = Trajectories
    counts_people = True
    truthful = True
    promises = KlmAnonymity
    needs = ("coordinates", "sensitive locations")
    scaling = Scaling.BLOCKS
    publishes_shards = True

    k: SharedByTrajectories = 5
    l: OneInL = 2  # noqa: E741
    m: KnownLength = 2
    on_infeasible: Annotated[
        str,
        OneOf(error="stop and say why", suppress="delete visits to it"),
        "When merging everything still leaves a sensitive location too frequent: stop, or delete visits to it.",
    ] = "error"
    unit: ChosenUnit = None

    @property
    def complete(self) -> bool:
        return self.on_infeasible == "error"

    @property
    def guarantee(self) -> KlmAnonymity:
        return KlmAnonymity(k=self.k, l=self.l, m=self.m, unit=self.unit or "trajectory")

    def anonymize_parts(
        self, data: EncodedTrajectories, executor: Executor, context: RunContext, block: BlockSize
    ) -> PublishedTrajectories | RecodedRecords:
        return anonymize_in_blocks(self, data, executor, context, block, by_place=True, apart=True)

    def _split(self, data: Trajectories, clusters: int | None = None) -> SplitTrajectories:
        """The data checked and split into what may be known and what is sensitive."""
        data.locations.coordinates(type(self).__name__)
        groups = individuals_of(data, self.unit, type(self).__name__)
        moved = len(np.unique(groups[data.lengths > 0]))
        if self.k >= 2 and self.m >= 1 and moved < self.k:
            raise TooFewTrajectories(
                f"No ({self.k},{self.l})^{self.m}-anonymous release exists: {how_many(moved, self.unit)} visited "
                f"any location, {self.k} are required. Add data or lower k.",
                have=moved,
                required=self.k,
            )
        individuals = int(groups.max(initial=-1)) + 1
        if clusters is not None and clusters > individuals // self.k:
            raise TooManyClusters(
                f"{type(self).__name__}: {clusters} clusters of at least k={self.k} are asked for, and there are "
                f"{how_many(individuals, self.unit)}; at most {individuals // self.k} clusters are possible.",
                have=individuals,
                most=individuals // self.k,
            )
        return SplitTrajectories.of(data, self.unit or "trajectory")

    def _recoded(self, split: SplitTrajectories, clusters: list[Int64s], context: RunContext) -> PublishedTrajectories:
        x, y = split.data.locations.coordinates(type(self).__name__)
        asked = Requirement(self.k, self.l, self.m)
        with context.stage("anonymize"):
            recodings = recode_clusters(split, clusters, x, y, asked, self.on_infeasible, context)
        if not isinstance(recodings, list):
            raise self._infeasible(recodings)
        with context.stage("publish"):
            published = published_clusters(split, recodings, lacks_sensitive=self.on_infeasible == "suppress")
            context.private.update(private_facts(split, published, recodings))
        return published

    def _infeasible(self, why: ShortLength | Unresolved) -> Infeasible:
        if isinstance(why, ShortLength):
            return InfeasibleLength(
                f"Merging locations cannot make this ({self.k},{self.l})^m-anonymous: only "
                f"{how_many(why.have, self.unit)} visited {why.size} or more locations that are not sensitive, "
                f"{self.k} are required. Lower k to {why.have} or m to {why.size - 1}, or cut long trajectories first.",
                size=why.size,
                have=why.have,
                required=self.k,
            )
        return InfeasibleDiversity(
            f"(k,l)^m-anonymity was not reached: with all locations merged, {why.count} of "
            f"{how_many(why.support, self.unit)} with {why.size} or more visits hold {why.sensitive!r}, "
            f"at most one in {self.l} may. "
            "Another way to merge may exist. Delete the visits in excess (on_infeasible='suppress'), lower l, or add "
            "trajectories without it.",
            size=why.size,
            sensitive=why.sensitive,
            support=why.support,
            count=why.count,
            confidence=why.count / why.support,
        )
