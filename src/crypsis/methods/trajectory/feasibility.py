"""Which sizes of subsequences merging can protect: the length test that the k^m methods share.

Merging all locations into one leaves, for each size i, one subsequence whose support is n_i, the number of
individuals with a trajectory of at least i visits. So k^m-anonymity can be reached iff every n_i, i <= m, is 0 or >= k.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.data.trajectory import Trajectories
from crypsis.errors import InfeasibleLength, NotApplicable, OwnerRepeated, TooFewTrajectories
from crypsis.shards.records import EncodedTrajectories


def individuals_of(data: Trajectories, unit: str | None, needed_by: str) -> Int32s:
    """The individual that each trajectory counts for; owners with several trajectories demand a choice of unit."""
    check_unit(data, unit, needed_by)
    return data.groups(unit or "trajectory")


def counted_shards(data: EncodedTrajectories, unit: str | None, needed_by: str) -> EncodedTrajectories:
    """The same in shards: their `person` says whom the trajectories count for, if not each for itself."""
    check_unit(data, unit, needed_by)
    return data if unit == "owner" else replace(data, person=None)


def check_unit(data: Trajectories | EncodedTrajectories, unit: str | None, needed_by: str) -> None:
    """Owners with several trajectories demand a choice of unit, and owners can be counted where there are some."""
    if unit is None and data.owner_repeats:
        raise OwnerRepeated(
            "Some owners have several trajectories. Choose unit='owner' to protect people, "
            "or unit='trajectory' to protect single trajectories."
        )
    if unit == "owner" and data.owners is None:
        raise NotApplicable(f"{needed_by}: unit='owner' needs data with an owner for each trajectory.")


def feasible_length(reached: Int64s, k: int, unit: str | None, on_infeasible: str) -> int | None:
    """The length to cut trajectories to, None if merging alone suffices; or the error that says why it cannot.

    `reached` says how many individuals have each length.
    """
    counted = unit or "trajectory"
    check_enough(reached, k, counted)
    size = infeasible_size(reached, k)
    if size is None:
        return None
    if on_infeasible == "error":
        raise infeasible_length(size, int(reached[size - 1]), k, counted)
    return size - 1


def individuals_by_length(data: Trajectories, groups: Int32s, m: int) -> Int64s:
    """n_1 to n_m: individuals with a trajectory of at least that many visits."""
    individuals = int(groups.max()) + 1 if len(groups) else 0
    longest = np.zeros(individuals, np.int64)
    np.maximum.at(longest, groups, data.lengths)
    at_length = np.bincount(np.minimum(longest, m), minlength=m + 1)
    return np.cumsum(at_length[::-1])[::-1][1:]


def infeasible_size(reached: Int64s, k: int) -> int | None:
    """The smallest size that some but fewer than k individuals have."""
    short = np.flatnonzero((reached > 0) & (reached < k))
    return int(short[0]) + 1 if len(short) else None


def check_enough(reached: Int64s, k: int, unit: str) -> None:
    """Fewer than k individuals who were anywhere at all can never be protected."""
    have = int(reached[0]) if len(reached) else 0
    if k >= 2 and len(reached) and have < k:
        raise TooFewTrajectories(
            f"No {k}^{len(reached)}-anonymous release exists: {how_many(have, unit)} visited any location, "
            f"{k} are required. Add data or lower k.",
            have=have,
            required=k,
        )


def infeasible_length(size: int, have: int, k: int, unit: str) -> InfeasibleLength:
    """The error for a size that generalization cannot protect, with the remedies."""
    return InfeasibleLength(
        f"Merging locations cannot make this {k}^m-anonymous: only {how_many(have, unit)} visited {size} or more "
        f"locations, {k} are required. Truncate longer trajectories to {size - 1} (on_infeasible='truncate'), "
        f"lower k to {have}, or lower m to {size - 1}.",
        size=size,
        have=have,
        required=k,
    )


def how_many(number: int, unit: str | None) -> str:
    """`1 owner`, `3 trajectories`."""
    one, many = ("owner", "owners") if unit == "owner" else ("trajectory", "trajectories")
    return f"{number} {one if number == 1 else many}"
