"""Parameters of the methods that merge locations until subsequences are frequent."""

from __future__ import annotations

from typing import Annotated

from crypsis.parameters import AtLeast, OneOf

SharedByTrajectories = Annotated[int, AtLeast(1), "Trajectories that must share each subsequence."]
WhenInfeasible = Annotated[
    str,
    OneOf(error="stop and say why", truncate="cut the long ones"),
    "When too few trajectories are long: stop, or cut the long ones to the length that can be protected.",
]
