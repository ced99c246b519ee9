"""What counts as one individual: a trajectory, or all trajectories of an owner. For guarantees about movement."""

from __future__ import annotations

from typing import Annotated

from crypsis.parameters import OneOf

TRAJECTORY_OR_OWNER = OneOf(trajectory="each trajectory", owner="each owner, with all of theirs")
Unit = Annotated[str, TRAJECTORY_OR_OWNER, "What counts as one individual."]
ChosenUnit = Annotated[
    str | None,
    TRAJECTORY_OR_OWNER,
    "What counts as one individual where owners have several trajectories; then it must be chosen.",
]


class CountsIndividuals:
    """A guarantee whose `unit` says what counts as one individual."""

    unit: str

    @property
    def individuals(self) -> str:
        """What is counted, in words."""
        return "trajectories" if self.unit == "trajectory" else "owners"
