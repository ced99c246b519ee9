"""What the promises about whole published sequences share: whoever knows a part of one is left with k people."""

from __future__ import annotations

from collections.abc import Sequence

from crypsis.guarantees.known_time import OrderOrTime
from crypsis.guarantees.trajectory_or_owner import Unit


class SharedSequences(OrderOrTime):
    """A promise about sequences of any length; `unit` says whom it counts."""

    k: int
    unit: Unit

    def meaning_for(self, known: Sequence[str]) -> str:
        people = f"at least {self.k} people went that way" + (
            ", if no two trajectories are of one person" * (self.unit != "owner")
        )
        return f"Whatever part of a person's way somebody knows: it is not published, or {people}."

    @property
    def trivial(self) -> bool:
        return self.k == 1
