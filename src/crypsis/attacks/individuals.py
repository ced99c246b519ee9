"""From trajectories to the people they belong to: what is known of any of a person's trajectories can be used."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from crypsis.arrays import Int64s
from crypsis.data.trajectory import Trajectories
from crypsis.guarantees.trajectory_or_owner import TRAJECTORY_OR_OWNER
from crypsis.parameters import AtLeast

CandidateUnit = Annotated[
    str | None, TRAJECTORY_OR_OWNER, "What counts as one candidate; people where the original tells them."
]
KnownVisits = Annotated[int, AtLeast(1), "Visits that the adversary may know."]


def per_individual(fewest: Int64s, original: Trajectories, unit: str) -> Int64s:
    """The fewest candidates of each individual, from those of each trajectory.

    A trajectory that fits nowhere does not hide that another one of the same person is found.
    """
    individuals = original.groups(unit)
    nobody = np.iinfo(np.int64).max
    people = np.full((int(individuals.max(initial=-1)) + 1, fewest.shape[1]), nobody)
    np.minimum.at(people, individuals, np.where(fewest > 0, fewest, nobody))
    return np.where(people == nobody, 0, people)
