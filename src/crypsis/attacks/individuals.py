"""From trajectories to the people they belong to: what is known of any of a person's trajectories can be used."""

from __future__ import annotations

import numpy as np

from crypsis.data.arrays import Int64s
from crypsis.data.trajectory import Trajectories


def per_individual(fewest: Int64s, original: Trajectories, unit: str) -> Int64s:
    """The fewest candidates of each individual, from those of each trajectory."""
    individuals = original.groups(unit)
    people = np.full((int(individuals.max(initial=-1)) + 1, fewest.shape[1]), np.iinfo(np.int64).max)
    np.minimum.at(people, individuals, fewest)
    return people
