"""From which noisy count something lives on: public thresholds, whatever was counted.

They are the smallest whole numbers that satisfy their definition, found without rounding.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from math import isqrt

from crypsis.noise import pass_probability


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
