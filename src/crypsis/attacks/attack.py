"""Attack: a checked parameter object that says how many published rows an adversary is left with, person by person."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import fsum
from typing import Any, ClassVar

import numpy as np

from crypsis.arrays import Float64s, Int64s, frozen
from crypsis.attacks.cell_visits import collapsed
from crypsis.attacks.tracks_in_cells import EXACT, NEAREST, points_in_cells
from crypsis.attacks.whose_rows import OWNER, unit_counted, with_owners
from crypsis.data.attached_times import in_published_times
from crypsis.data.track import Tracks
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.data.workers import Workers
from crypsis.errors import NotApplicable
from crypsis.parameters import Checked, parameters_of


@dataclass(frozen=True)
class RiskAtSize:
    """What an adversary with this many pieces of knowledge achieves: aggregates over all individuals."""

    knowledge: int
    mean_risk: float
    max_risk: float
    share_unique: float  # individuals who are the only candidate for something that may be known of them
    fewest_candidates: int

    @classmethod
    def of(cls, knowledge: int, counted: tuple[Int64s, Int64s]) -> RiskAtSize:
        """The aggregates over individuals of whom so many have so many candidates; without any there is no risk."""
        candidates, individuals = counted
        total = int(individuals.sum())
        if not total:
            return cls(knowledge, 0.0, 0.0, 0.0, 0)
        risks = _risks(candidates)
        possible = candidates[candidates > 0]
        return cls(
            knowledge,
            fsum((risks * individuals).tolist()) / total,
            float(risks.max()),
            int(individuals[candidates == 1].sum()) / total,
            int(possible.min()) if len(possible) else 0,
        )

    def to_dict(self) -> dict[str, float | int]:
        return {
            "knowledge": self.knowledge,
            "mean_risk": self.mean_risk,
            "max_risk": self.max_risk,
            "share_unique": self.share_unique,
            "fewest_candidates": self.fewest_candidates,
        }


Counted = tuple[Int64s, Int64s]  # numbers of candidates, ascending, and how many individuals have so many


class AttackFigures(ABC):
    """The aggregates of an attack, out of how many individuals have how many candidates."""

    attack: str
    parameters: dict[str, Any]
    first_size: int
    assumed: tuple[str, ...]

    @property
    @abstractmethod
    def individuals(self) -> int:
        """How many were attacked."""

    @property
    @abstractmethod
    def counted(self) -> Sequence[Counted]:
        """By size of knowledge: how many individuals have how many candidates."""

    @property
    def notes(self) -> Sequence[str]:
        """What the figures do not say by themselves."""
        return self.assumed

    @property
    def curve(self) -> tuple[RiskAtSize, ...]:
        """How the risk grows with the knowledge, beyond what was asked for where the attack looks further."""
        return tuple(RiskAtSize.of(self.first_size + index, one) for index, one in enumerate(self.counted))

    @property
    def outcome(self) -> RiskAtSize:
        """The aggregates for the knowledge asked for."""
        return self.curve[self._asked]

    @property
    def _asked(self) -> int:
        asked = self.parameters.get("knowledge")
        return len(self.counted) - 1 if asked is None else int(asked) - self.first_size

    def to_dict(self) -> dict[str, Any]:
        """Aggregates only, nothing about any one person."""
        return {
            "attack": self.attack,
            "parameters": self.parameters,
            "individuals": self.individuals,
            **{name: value for name, value in self.outcome.to_dict().items() if name != "knowledge"},
            "curve": [size.to_dict() for size in self.curve],
            **({"notes": list(self.assumed)} if self.assumed else {}),
        }


@dataclass(frozen=True, eq=False)
class AttackResult(AttackFigures):
    """Outcome of an attack. `candidates` is private: for each individual (row) and size of knowledge (column) the
    fewest published rows that fit something the adversary may know. Only aggregates leave through `to_dict`.

    The risk of an individual is 1 / candidates: how likely the adversary picks the right row, in the worst case of what
    may be known. Somebody who fits nowhere is not found: no candidate, no risk.
    """

    attack: str
    parameters: dict[str, Any]
    candidates: Int64s = field(repr=False)
    first_size: int = 1  # what the first column stands for
    assumed: tuple[str, ...] = ()  # what the adversary is taken to know

    def __post_init__(self) -> None:
        object.__setattr__(self, "candidates", frozen(self.candidates))

    @property
    def individuals(self) -> int:
        return len(self.candidates)

    @cached_property
    def counted(self) -> tuple[Counted, ...]:
        return tuple(count_candidates(column) for column in self.candidates.T)

    @property
    def risks(self) -> Float64s:
        """Private: risk of each individual with all the knowledge the attack allows."""
        return _risks(self.candidates[:, self._asked])

    def share_above(self, limit: float) -> float:
        """Share of the individuals whose risk exceeds a limit such as 1 / k."""
        return float(np.mean(self.risks > limit * (1 + 1e-9))) if self.individuals else 0.0


@dataclass(frozen=True, eq=False)
class PartsAttackResult(AttackFigures):
    """Outcome of an attack on a release in parts: aggregates only, the same as of the release in memory."""

    attack: str
    parameters: dict[str, Any]
    by_size: tuple[Counted, ...] = field(repr=False)
    first_size: int = 1
    assumed: tuple[str, ...] = ()

    @property
    def counted(self) -> tuple[Counted, ...]:
        return self.by_size

    @property
    def individuals(self) -> int:
        return int(self.by_size[0][1].sum()) if self.by_size else 0


@dataclass(frozen=True, eq=False)
class Confrontation:
    """What an attack works on. `parameters` say what was counted, `notes` what the adversary is taken to know."""

    published: PublishedTrajectories
    original: Trajectories
    unit: str
    parameters: dict[str, Any]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Attack(Checked, ABC):
    """One adversary with its parameters. `accepts` are the kinds of original data it knows pieces of."""

    name: ClassVar[str]
    accepts: ClassVar[tuple[type, ...]] = (Trajectories, Tracks)

    @abstractmethod
    def run(self, published: Any, original: Any) -> Any:
        """Attack everybody in the original and say what was left to guess."""

    def run_on_parts(self, published: Any, original: Any, workers: Workers) -> PartsAttackResult:
        """The same on parts, in bounded memory, where this adversary can be counted part by part."""
        raise self.not_on_parts()

    @classmethod
    def works_on_parts(cls) -> bool:
        """Whether this adversary can be counted part by part."""
        return cls.run_on_parts is not Attack.run_on_parts

    def not_on_parts(self) -> NotApplicable:
        """This adversary is refused on parts."""
        return NotApplicable(f"The attack {self.name} is not measured on parts; leave the executor out.")

    def confront(self, published: Any, original: Any) -> Confrontation:
        """The release and what may be known of the original, in the same locations, with what is counted."""
        self.check_applicable(published, original)
        notes: tuple[str, ...] = ()
        known = original
        if isinstance(original, Tracks):
            known = collapsed(points_in_cells(original, published))
            notes = (EXACT if published.generators is not None else NEAREST,)
        else:
            known = in_published_times(known, published.timed)
            if published.timed is not None and known.locations.times is None:
                raise NotApplicable(
                    "The release publishes times; read the original with them, too: say which column holds them "
                    "(enter='COLUMN', and exit='COLUMN' where ends are known)."
                )
        unit = unit_counted(getattr(self, "unit", None), known)
        if unit == OWNER:
            published = with_owners(published, known)
        return Confrontation(published, known, unit, {**self.parameters(), "unit": unit}, notes)

    @classmethod
    def help(cls) -> str:
        """The first line of the docstring."""
        return (cls.__doc__ or "").strip().splitlines()[0]

    @classmethod
    def describe(cls) -> dict[str, Any]:
        """Everything a form or a help page needs to know."""
        return {
            "name": cls.name,
            "class": cls.__name__,
            "help": cls.help(),
            "accepts": [kind.__name__ for kind in cls.accepts],
            "parameters": [parameter.to_dict() for parameter in parameters_of(cls)],
        }

    def check_applicable(self, published: Any, original: Any) -> None:
        """The attack knows pieces of trajectories and looks for them in published trajectories."""
        if not isinstance(original, self.accepts):
            kinds = ", ".join(kind.__name__ for kind in self.accepts)
            raise NotApplicable(f"{type(self).__name__} knows pieces of {kinds}, got {type(original).__name__}.")
        if not isinstance(published, PublishedTrajectories):
            raise NotApplicable(
                f"{type(self).__name__} looks for people in published trajectories, got {type(published).__name__}."
            )


def _risks(candidates: Int64s) -> Float64s:
    return np.divide(1.0, candidates, out=np.zeros(len(candidates)), where=candidates > 0)


def count_candidates(candidates: Int64s) -> Counted:
    """How many individuals have how many candidates."""
    distinct, individuals = np.unique(candidates, return_counts=True)
    return distinct.astype(np.int64), individuals.astype(np.int64)
