"""The ledger of one run: a tree of scopes. Calls one after another add up, calls on disjoint records do not.

The rule is sequential and parallel composition of pure differential privacy. It holds for steps chosen by what earlier
steps returned, so the tree as it was recorded may be summed (Rogers, Roth, Ullman, Vadhan. NeurIPS 2016).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any


@dataclass(frozen=True)
class Call:
    """One mechanism, or `count` of them on records that are disjoint by the reason given."""

    mechanism: str
    epsilon: Fraction
    sensitivity: Fraction
    node: str
    provider: str
    count: int = 1
    disjoint_by: str = ""

    def total(self) -> Fraction:
        return self.epsilon if self.count else Fraction(0)

    def calls(self) -> int:
        return self.count

    def to_json(self) -> dict[str, Any]:
        return {
            "call": {
                "mechanism": self.mechanism,
                "epsilon": str(self.epsilon),
                "sensitivity": str(self.sensitivity),
                "node": self.node,
                "provider": self.provider,
                "count": self.count,
                "disjoint_by": self.disjoint_by,
            }
        }


@dataclass(frozen=True)
class InSequence:
    """Members that may look at the same records: their budgets add up."""

    members: list[Call | InSequence | InParallel] = field(default_factory=list)
    name: str = ""

    def total(self) -> Fraction:
        numerator, denominator = 0, 1  # reduced once: adding fractions would reduce at every step
        for member in self.members:
            part = member.total()
            if part.denominator == denominator:
                numerator += part.numerator
            else:
                numerator = numerator * part.denominator + part.numerator * denominator
                denominator *= part.denominator
        return Fraction(numerator, denominator)

    def calls(self) -> int:
        return sum(member.calls() for member in self.members)

    def to_json(self) -> dict[str, Any]:
        named = {"name": self.name} if self.name else {}
        return named | {"seq": [member.to_json() for member in self.members]}


@dataclass(frozen=True)
class InParallel:
    """Members that look at disjoint records, for the reason given: only the largest counts."""

    members: list[Call | InSequence | InParallel]
    disjoint_by: str

    def total(self) -> Fraction:
        return max((member.total() for member in self.members), default=Fraction(0))

    def calls(self) -> int:
        return sum(member.calls() for member in self.members)

    def to_json(self) -> dict[str, Any]:
        return {"par": [member.to_json() for member in self.members], "disjoint_by": self.disjoint_by}
