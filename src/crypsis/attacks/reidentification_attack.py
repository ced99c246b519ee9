"""The re-identification curves as an attack: how likely a person is found by some points of the track."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from crypsis.attacks.attack import Attack, RiskAtSize
from crypsis.attacks.individuals import CandidateUnit
from crypsis.attacks.reidentification import ReidentificationCurve, prefix_curve, sampled_curve
from crypsis.attacks.tracks_in_cells import points_in_cells
from crypsis.data.track import Tracks
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.parameters import AtLeast, OneOf

SIZES = (1, 2, 3, 5, 10, 20)


@dataclass(frozen=True, eq=False)
class ReidentificationResult:
    """The curve of an attack. `mean_risk` and `max_risk` take into account that the adversary does not know whether the
    victim was published; `share_unique` and `fewest_candidates` are those of an adversary who does."""

    attack: str
    parameters: dict[str, Any]
    individuals: int
    found: ReidentificationCurve
    notes: tuple[str, ...] = ()

    @property
    def curve(self) -> tuple[RiskAtSize, ...]:
        return tuple(
            RiskAtSize(
                point.knowledge,
                point.mean,
                point.max,
                point.share_unique,
                round(1 / point.worst_max) if point.worst_max else 0,
            )
            for point in self.found.points
        )

    @property
    def outcome(self) -> RiskAtSize:
        """The aggregates for the most points that may be known."""
        return self.curve[-1] if self.curve else RiskAtSize(0, 0.0, 0.0, 0.0, 0)

    def to_dict(self) -> dict[str, Any]:
        """Aggregates only, nothing about any one person."""
        return {
            **self.found.to_dict(),
            "attack": self.attack,
            "parameters": self.parameters,
            "individuals": self.individuals,
            **({"notes": list(self.notes)} if self.notes else {}),
        }


@dataclass(frozen=True, kw_only=True)
class ReidentificationAttack(Attack):
    """Knows some points of a person's track, seen as cells, without knowing whether the person was published.

    With b published and M original tracks (or people) that contain them, the probability is 1 / b if b >= k, else
    1 / max(M, b), and 0 if b = 0. Points are drawn at random, or are the first ones of every track.

    Monreale, Andrienko, Andrienko, Giannotti, Pedreschi, Rinzivillo, Wrobel. Movement data anonymity through
    generalization. Transactions on Data Privacy 3, 2010, section 7.
    """

    name = "reidentification"

    variant: Annotated[
        str,
        OneOf(sampled="points drawn at random", prefix="the first points of every track"),
        "Points drawn at random, or the first of every track.",
    ] = "sampled"
    k: Annotated[int, AtLeast(1), "Tracks or people that must share what is published: the k of the guarantee."] = 5
    knowledge: Annotated[int, AtLeast(1), "Most points that the adversary may know."] = 20
    draws: Annotated[int, AtLeast(1), "Pieces of knowledge drawn for each number of points."] = 10_000
    seed: Annotated[int, AtLeast(0), "Seed of the draws."] = 0
    unit: CandidateUnit = None

    def run(self, published: PublishedTrajectories, original: Trajectories | Tracks) -> ReidentificationResult:
        seen = self.confront(published, original)
        points = points_in_cells(original, published) if isinstance(original, Tracks) else seen.original
        if self.variant == "prefix":
            sizes = [size for size in range(1, self.knowledge + 1) if size <= int(points.lengths.max(initial=0))]
            curve = prefix_curve(points, seen.published, self.k, sizes, seen.unit)
        else:
            sizes = [size for size in SIZES if size <= self.knowledge]
            curve = sampled_curve(points, seen.published, self.k, sizes, self.draws, self.seed, seen.unit)
        individuals = len(set(seen.original.groups(seen.unit).tolist()))
        return ReidentificationResult(self.name, seen.parameters, individuals, curve, seen.notes)
