"""How SafePath divides epsilon over the levels of its tree and of its taxonomies: public arithmetic on rationals."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from crypsis.errors import BudgetScheme


@dataclass(frozen=True)
class Budgets:
    """Budget and threshold of each general level, most general first, and of the leaves."""

    general: tuple[Fraction, ...]
    leaf: Fraction
    general_thresholds: tuple[int, ...]
    leaf_threshold: int

    @property
    def total(self) -> Fraction:
        return sum(self.general, self.leaf)


def uniform_shares(sublevel: Fraction, height: int) -> tuple[tuple[Fraction, ...], Fraction]:
    """The same for every general level and the leaves."""
    share = sublevel / (height + 1)
    return (share,) * height, share


def printed_shares(sublevel: Fraction, size: int, height: int) -> tuple[tuple[Fraction, ...], Fraction]:
    """More for deeper levels, the rest for the leaves, as the thesis has it; needs size > height (height + 1)."""
    if size <= height * (height + 1):
        highest = (isqrt(4 * size - 3) - 1) // 2  # the largest integer with height * (height + 1) < size
        raise BudgetScheme(
            f"scheme='printed' leaves nothing for the leaves: a domain of {size} needs a taxonomy of height "
            f"{highest} or less, got {height}. Lower the height or take scheme='uniform'.",
            largest_height=highest,
        )
    unit = 2 * sublevel / size
    return tuple(level * unit for level in range(1, height + 1)), (size - height * (height + 1)) * sublevel / size
