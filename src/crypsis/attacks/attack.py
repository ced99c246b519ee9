"""Attack: a checked parameter object that says how many published rows an adversary is left with, person by person."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from crypsis.arrays import Float64s, Int64s, frozen
from crypsis.attacks.cell_visits import collapsed
from crypsis.attacks.tracks_in_cells import EXACT, NEAREST, points_in_cells
from crypsis.attacks.whose_rows import OWNER, unit_counted, with_owners
from crypsis.data.attached_times import in_published_times
from crypsis.data.track import Tracks
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
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

    def to_dict(self) -> dict[str, float | int]:
        return {
            "knowledge": self.knowledge,
            "mean_risk": self.mean_risk,
            "max_risk": self.max_risk,
            "share_unique": self.share_unique,
            "fewest_candidates": self.fewest_candidates,
        }


@dataclass(frozen=True, eq=False)
class AttackResult:
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
    def notes(self) -> Sequence[str]:
        """What the figures do not say by themselves."""
        return self.assumed

    @property
    def individuals(self) -> int:
        return len(self.candidates)

    @property
    def risks(self) -> Float64s:
        """Private: risk of each individual with all the knowledge the attack allows."""
        return _risks(self.candidates[:, self._asked])

    @property
    def curve(self) -> tuple[RiskAtSize, ...]:
        """How the risk grows with the knowledge, beyond what was asked for where the attack looks further."""
        return tuple(
            _summary(self.first_size + column, self.candidates[:, column]) for column in range(self.candidates.shape[1])
        )

    @property
    def outcome(self) -> RiskAtSize:
        """The aggregates for the knowledge asked for."""
        return self.curve[self._asked]

    @property
    def _asked(self) -> int:
        asked = self.parameters.get("knowledge")
        return self.candidates.shape[1] - 1 if asked is None else int(asked) - self.first_size

    def share_above(self, limit: float) -> float:
        """Share of the individuals whose risk exceeds a limit such as 1 / k."""
        return float(np.mean(self.risks > limit * (1 + 1e-9))) if self.individuals else 0.0

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


def _summary(size: int, candidates: Int64s) -> RiskAtSize:
    if not len(candidates):
        return RiskAtSize(size, 0.0, 0.0, 0.0, 0)
    risks = _risks(candidates)
    found = candidates[candidates > 0]
    return RiskAtSize(
        size,
        float(risks.mean()),
        float(risks.max()),
        float(np.mean(candidates == 1)),
        int(found.min()) if len(found) else 0,
    )
