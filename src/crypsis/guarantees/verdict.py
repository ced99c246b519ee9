"""Verdict: what a verifier found. The level reached, the case that decides it, and how it was counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from crypsis import notebook
from crypsis.guarantees.guarantee import Guarantee
from crypsis.translation import marked

PUBLISHERS_WORD = "counted by the publisher with the original; the files alone do not tell"


@dataclass(frozen=True)
class Witness:
    """The case that breaks a promise: published symbols (each a sorted tuple of labels) and who shares them."""

    symbols: tuple[tuple[str, ...], ...]
    support: int
    violations: int

    @property
    def size(self) -> int:
        return len(self.symbols)

    def __str__(self) -> str:
        names = [names[0] if len(names) == 1 else "{" + ", ".join(names) + "}" for names in self.symbols]
        return "(" + ", ".join(names) + ")"

    def to_dict(self) -> dict[str, Any]:
        return {
            "size": self.size,
            "support": self.support,
            "witness": [list(names) for names in self.symbols],
            "violations": self.violations,
        }


@dataclass(frozen=True)
class Verdict:
    """`achieved` is None where nothing occurs that could be rare: any level is reached."""

    promised: Guarantee
    holds: bool
    achieved: int | float | None
    required: int | float
    counted: str
    witness: Witness | None = None
    problem: str | None = None
    figures: Mapping[str, Any] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        if not self.holds:
            return f"{self.promised} is broken: {self.problem}"
        if self.promised.trivial:
            return f"{self.promised} holds, but protects nothing: no protection was requested."
        level, bound = self.promised.level_words
        if self.achieved is None:
            return f"{self.promised} holds: nothing rare occurs, {self.required} {bound}; {self.counted}."
        return marked(f"{self.promised} holds: {self.achieved} {level}, {self.required} {bound}; {self.counted}.")

    def _repr_html_(self) -> str:
        return notebook.framed(notebook.state(self.holds, str(self)))

    def to_dict(self) -> dict[str, Any]:
        return {
            "holds": self.holds,
            "achieved": self.achieved,
            "required": self.required,
            "counted": self.counted,
            "problem": self.problem,
            "witness": None if self.witness is None else self.witness.to_dict(),
            **self.figures,
        }
