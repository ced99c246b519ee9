"""Parameters of the methods that recode clusters of trajectories."""

from __future__ import annotations

from typing import Annotated

from crypsis.parameters import AtLeast

ClusterCount = Annotated[int, AtLeast(1), "Clusters that are recoded separately; at most one for each k rows."]
