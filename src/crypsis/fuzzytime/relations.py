"""The thirteen relations between fuzzy intervals, as arithmetic on their bounds.

Every function takes the four bounds of A and the four bounds of B, as numbers or as arrays, and consists of
comparisons only. The same lines therefore serve numpy, the compiled loops and single intervals.

Papadakis, Doerr, Plexousakis. Fuzzy Times on Space-time Volumes, with the definition of `overlaps` corrected.
Allen. Maintaining knowledge about temporal intervals. Communications of the ACM 26, 1983, 832-843.
"""

from __future__ import annotations

from typing import Any, Final

RELATIONS: Final = (
    "before", "meets", "overlaps", "starts", "during", "finishes", "equals",
    "finished_by", "contains", "started_by", "overlapped_by", "met_by", "after",
)  # fmt: skip
CODES: Final = {name: code for code, name in enumerate(RELATIONS)}
UNDEFINED: Final = -1  # of an interval without a core

NO: Final = 0
POSSIBLY: Final = 1
DEFINITELY: Final = 2
ANSWERS: Final = ("no", "possibly", "definitely")

# Nine relations of intervals whose cores intersect, by 3 * left + right; each side is -1, 0 or 1, counted from 0.
# left: which period certainly begins first; right: which one certainly ends first.
WITH_SHARED_CORE: Final = (
    CODES["overlaps"], CODES["finished_by"], CODES["contains"],
    CODES["starts"], CODES["equals"], CODES["started_by"],
    CODES["during"], CODES["finishes"], CODES["overlapped_by"],
)  # fmt: skip


def invert(code: int) -> int:
    """The relation of B to A, given that of A to B."""
    return UNDEFINED if code == UNDEFINED else 12 - code


def invert_mask(mask: int) -> int:
    """The relations that are possible of B to A, given those of A to B."""
    return sum(1 << (12 - code) for code in range(13) if mask >> code & 1)


def names_of(mask: int) -> frozenset[str]:
    """The relations whose bits are set."""
    return frozenset(RELATIONS[code] for code in range(13) if mask >> code & 1)


def possible_relations(
    os_a: Any, is_a: Any, ie_a: Any, oe_a: Any, os_b: Any, is_b: Any, ie_b: Any, oe_b: Any
) -> tuple[Any, ...]:
    """Whether each of Allen's relations can hold between some realizations with positive length.

    A relation is a chain of groups of equal endpoints. It is possible if the members of each group can be equal and
    each endpoint can be smaller than every endpoint of a later group; on the real line nothing else is needed.
    """
    # x_y: endpoint x can be smaller than endpoint y.
    sa_ea, sb_eb = os_a < oe_a, os_b < oe_b
    sa_sb, sb_sa = os_a < is_b, os_b < is_a
    sa_eb, sb_ea = os_a < oe_b, os_b < oe_a
    ea_sb, eb_sa = ie_a < is_b, ie_b < is_a
    ea_eb, eb_ea = ie_a < oe_b, ie_b < oe_a
    # Two endpoints can be equal.
    starts_equal = (os_a <= is_b) & (os_b <= is_a)
    ends_equal = (ie_a <= oe_b) & (ie_b <= oe_a)
    a_ends_as_b_starts = (ie_a <= is_b) & (os_b <= oe_a)
    b_ends_as_a_starts = (ie_b <= is_a) & (os_a <= oe_b)

    real = sa_ea & sb_eb & sa_eb & sb_ea
    return (
        sa_ea & sb_eb & sa_sb & sa_eb & ea_sb & ea_eb,  # sA < eA < sB < eB
        sa_ea & sb_eb & sa_sb & sa_eb & ea_eb & a_ends_as_b_starts,  # sA < eA=sB < eB
        real & sa_sb & ea_eb,  # sA < sB < eA < eB
        real & ea_eb & starts_equal,  # sA=sB < eA < eB
        real & sb_sa & ea_eb,  # sB < sA < eA < eB
        real & sb_sa & ends_equal,  # sB < sA < eA=eB
        real & starts_equal & ends_equal,  # sA=sB < eA=eB
        real & sa_sb & ends_equal,  # sA < sB < eA=eB
        real & sa_sb & eb_ea,  # sA < sB < eB < eA
        real & eb_ea & starts_equal,  # sA=sB < eB < eA
        real & sb_sa & eb_ea,  # sB < sA < eB < eA
        sa_ea & sb_eb & sb_sa & sb_ea & eb_ea & b_ends_as_a_starts,  # sB < eB=sA < eA
        sa_ea & sb_eb & sb_sa & sb_ea & eb_sa & eb_ea,  # sB < eB < sA < eA
    )
