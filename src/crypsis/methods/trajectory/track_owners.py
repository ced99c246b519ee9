"""Whom the tracks count for: each for itself, or all tracks of an owner for that owner."""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int32s
from crypsis.data.track import Tracks
from crypsis.errors import BadParameter, NotApplicable, OwnerRepeated


def individuals_of(tracks: Tracks, unit: str | None, asked_by: str) -> Int32s:
    """The number of the individual of each track; without a choice, owners must not repeat."""
    if unit not in (None, "trajectory", "owner"):
        raise BadParameter(f"{asked_by}: unit must be one of 'trajectory', 'owner', got {unit!r}.", parameter="unit")
    if unit is None and tracks.owner_repeats:
        raise OwnerRepeated(
            "Some owners have several tracks. Choose unit='owner' to protect people, "
            "or unit='trajectory' to protect single tracks."
        )
    if unit == "owner":
        if tracks.owners is None:
            raise NotApplicable(f"{asked_by}: unit='owner' needs tracks with an owner each.")
        return np.unique(tracks.owners, return_inverse=True)[1].astype(np.int32)
    return np.arange(len(tracks), dtype=np.int32)
