"""How SafePath divides epsilon over the levels of its tree and of its taxonomies, and from which count a node lives on.

Everything here is public arithmetic on rationals; the thresholds are the smallest whole numbers that satisfy their
definition, found without rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from math import isqrt

from crypsis.errors import BudgetScheme
from crypsis.noise import pass_probability


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


def deviations_threshold(deviations: int, epsilon: Fraction) -> int:
    """The smallest whole number of at least `deviations` standard deviations, deviations * sqrt(2) / epsilon."""
    square = 2 * deviations**2 * epsilon.denominator**2
    root = isqrt(square // epsilon.numerator**2)
    while root * root * epsilon.numerator**2 < square:
        root += 1
    return max(root, 1)


def flat_threshold(epsilon: Fraction, size: int, false_children: Fraction) -> int:
    """The smallest threshold under which a node is expected to have at most so many false children.

    Of `size` empty children each passes with exp(-k epsilon) / (1 + exp(-epsilon)).
    """
    context = Context(prec=60, rounding=ROUND_CEILING)
    decay = context.exp(_decimal(-epsilon, context))
    ratio = context.divide(_decimal(Fraction(size) / false_children, context), context.add(Decimal(1), decay))
    guess = int(context.divide(context.ln(ratio), _decimal(epsilon, context)).to_integral_value(ROUND_CEILING))
    threshold = max(guess - 1, 1)  # the logarithm may be rounded up across a whole number
    while size * pass_probability(epsilon, threshold).bounds(60)[1] > false_children:
        threshold += 1
    return threshold


def _decimal(value: Fraction, context: Context) -> Decimal:
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))
