"""Guarantee: what a release promises, for people and for programs. How to check it is a verifier's work."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from crypsis.parameters import Checked, parameters_of


@dataclass(frozen=True, kw_only=True)
class Guarantee(Checked, ABC):
    """A privacy model with its parameters."""

    model: ClassVar[str]
    assumptions: ClassVar[tuple[str, ...]]
    not_covered: ClassVar[tuple[str, ...]]

    @property
    @abstractmethod
    def scope(self) -> str:
        """The promise in one sentence."""

    @property
    def trivial(self) -> bool:
        """These parameters protect nothing; a release must say so."""
        return False

    def to_dict(self) -> dict[str, Any]:
        return {
            "model": self.model,
            "parameters": self.parameters(),
            "scope": self.scope,
            "assumptions": list(self.assumptions),
            "not_covered": list(self.not_covered),
            "trivial": self.trivial,
        }

    def __str__(self) -> str:
        told = [
            f"{parameter.name}={getattr(self, parameter.name)}"
            for parameter in parameters_of(type(self))
            if parameter.type is not str or getattr(self, parameter.name) != parameter.default
        ]
        return f"{self.model} ({', '.join(told)})"
