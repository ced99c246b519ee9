"""From trajectories to the people they belong to: what is known of any of a person's trajectories can be used."""

from __future__ import annotations

import numpy as np

from crypsis.data.arrays import Int64s
from crypsis.data.trajectory import Trajectories


def per_individual(fewest: Int64s, original: Trajectories, unit: str) -> Int64s:
    """The fewest candidates of each individual, from those of each trajectory.

    A trajectory that fits nowhere does not hide that another one of the same person is found.
    """
    individuals = original.groups(unit)
    nobody = np.iinfo(np.int64).max
    people = np.full((int(individuals.max(initial=-1)) + 1, fewest.shape[1]), nobody)
    np.minimum.at(people, individuals, np.where(fewest > 0, fewest, nobody))
    return np.where(people == nobody, 0, people)
