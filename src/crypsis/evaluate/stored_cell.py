"""What is known about a cell of an experiment: what was run, how it ended, and what came of it.

On disk each part is a file of its own, so that a reader takes what it needs; `to_files` and `from_files` are the only
place that knows them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from crypsis.evaluate.cells import Cell
from crypsis.guarantees import DifferentialPrivacy
from crypsis.review import Review

STATES = ("waiting", "running", "done", "infeasible", "failed", "unsafe", "cancelled", "too_slow")
FINISHED = ("done", "infeasible", "unsafe")  # need not be run again
FILES = ("params", "state", "metrics", "phases", "verify", "review")


@dataclass(frozen=True)
class End:
    """How a cell ended. `limit` is the one that stopped it, `measured` what was asked to be measured."""

    state: str
    code: str | None = None
    message: str | None = None
    exit_code: int = 0
    limit: float | None = None
    measured: str | None = None

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        return cls(**{name: content[name] for name in cls.__dataclass_fields__ if name in content})


@dataclass(frozen=True)
class Phase:
    """A stage of a method."""

    name: str
    seconds: float
    cpu_seconds: float = 0.0


@dataclass(frozen=True)
class Times:
    """Where the time went; `runtime` is that of the method."""

    runtime: float
    phases: tuple[Phase, ...] = ()
    seconds_verify: float = 0.0
    seconds_measure: float = 0.0
    seconds_write: float = 0.0
    cpu_seconds: float = 0.0
    peak_memory_mb: float | None = None
    seconds_read: float = 0.0

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        return cls(**{**content, "phases": tuple(Phase(**phase) for phase in content.get("phases", ()))})

    @property
    def by_phase(self) -> dict[str, float]:
        """Seconds by the name of a phase, as a run tells them; loading kernels is not told, it is done once."""
        around = {"read": self.seconds_read, "verify": self.seconds_verify, "measure": self.seconds_measure}
        return {**{phase.name: phase.seconds for phase in self.phases}, **around, "write": self.seconds_write}

    @property
    def inside(self) -> float:
        """Seconds of method, verifier and metrics."""
        return self.runtime + self.seconds_verify + self.seconds_measure


@dataclass(frozen=True)
class Proof:
    """The guarantee and the verdict on it; `verdict` and `promise` as their own classes write them."""

    guarantee: str
    verified: bool
    achieved: Any = None
    required: Any = None
    verdict: Mapping[str, Any] = field(default_factory=dict)
    promise: Mapping[str, Any] = field(default_factory=dict)
    words: str = ""
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class StoredCell:
    """A cell and its results, as far as there are any. `facts` are counts and losses that plots of it need."""

    id: str
    end: End = End("waiting")
    cell: Cell | None = None
    figures: Mapping[str, float | int | None] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    times: Times | None = None
    proof: Proof | None = None
    review: Review | None = None

    @property
    def state(self) -> str:
        return self.end.state

    @property
    def is_private(self) -> bool:
        """Whether the guarantee is differential privacy."""
        return self.proof is not None and self.proof.promise.get("model") == DifferentialPrivacy.model

    def to_files(self) -> dict[str, Any]:
        """The content of each file; a part that there is not has none."""
        files: dict[str, Any] = {"state": asdict(self.end)}
        if self.cell is not None:
            files["params"] = self.cell.to_dict()
        if self.figures or self.facts:
            files["metrics"] = {"figures": self.figures, "facts": self.facts}
        for name, part in (("phases", self.times), ("verify", self.proof)):
            if part is not None:
                files[name] = asdict(part)
        if self.review is not None:
            files["review"] = self.review.to_dict()
        return files

    def to_dict(self) -> dict[str, Any]:
        """All of it for a program: how it ended, and each part by its name."""
        files = self.to_files()
        parts = {name: files.get(name, {}) for name in FILES if name != "state"}
        return {"id": self.id, **files["state"], **parts}

    @classmethod
    def from_files(cls, id: str, files: Mapping[str, Any]) -> Self:
        """The cell that these files describe; one that waits to be run where they are damaged."""
        try:
            end = End.from_dict(files["state"])
            if end.state not in STATES:
                return cls(id)
            metrics, times, proof, review = (files.get(name) for name in ("metrics", "phases", "verify", "review"))
            return cls(
                id,
                end,
                Cell.from_dict(files["params"]),
                (metrics or {}).get("figures", {}),
                (metrics or {}).get("facts", {}),
                Times.from_dict(times) if times else None,
                Proof(**proof) if proof else None,
                _readable(review),
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            return cls(id)


def _readable(review: Mapping[str, Any] | None) -> Review | None:
    """A review as it is kept; None where there is none, or one of a form that is no longer known."""
    try:
        return Review.from_dict(review) if review else None
    except (KeyError, TypeError, ValueError, AttributeError):
        return None
