"""The probability that an empty node passes its threshold, as a bit string that is certain in every place.

Under discrete Laplace noise with budget e, a count of 0 reaches k >= 1 with probability exp(-k e) / (1 + exp(-e)). That
is irrational, so it is never rounded: bits are worked out from bounds until both bounds agree on them.
"""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache

_FIRST_BITS = 256


class PassProbability:
    """P(discrete Laplace noise of budget `epsilon` is at least `threshold`), bit by bit."""

    def __init__(self, epsilon: Fraction, threshold: int) -> None:
        if epsilon <= 0 or threshold < 1:
            raise ValueError("A pass probability needs a positive budget and a threshold of at least 1.")
        self.epsilon = epsilon
        self.threshold = threshold
        self._known = 0
        self._bits = 0

    def bit(self, index: int) -> int:
        """Bit `place` behind the point, counted from 0."""
        while index >= self._known:
            self._extend(max(_FIRST_BITS, 2 * self._known))
        return (self._bits >> (self._known - 1 - index)) & 1

    def bounds(self, digits: int = 40) -> tuple[Fraction, Fraction]:
        """Rationals on both sides of it that are about 10^-digits of it apart."""
        low_one, high_one = _exp_bounds(self.epsilon, digits)
        low, high = _exp_bounds(self.epsilon * self.threshold, digits)
        return low / (1 + high_one), high / (1 + low_one)

    def _extend(self, count: int) -> None:
        digits = count
        while True:
            low, high = self.bounds(digits)
            low_bits, high_bits = ((value.numerator << count) // value.denominator for value in (low, high))
            if low_bits == high_bits:
                self._known, self._bits = count, low_bits
                return
            digits *= 2


@lru_cache(maxsize=1024)
def pass_probability(epsilon: Fraction, threshold: int) -> PassProbability:
    """The same object for the same numbers, so that its bits are worked out once."""
    return PassProbability(epsilon, threshold)


def _exp_bounds(x: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    """Bounds of exp(-x) for x >= 0. `Decimal.exp` rounds correctly, so one step to either side is enough."""
    down = Context(prec=digits, rounding=ROUND_FLOOR, Emin=MIN_EMIN, Emax=MAX_EMAX)
    up = Context(prec=digits, rounding=ROUND_CEILING, Emin=MIN_EMIN, Emax=MAX_EMAX)
    numerator, denominator = Decimal(x.numerator), Decimal(x.denominator)
    smallest, largest = down.divide(numerator, denominator), up.divide(numerator, denominator)
    low = down.next_minus(down.exp(largest.copy_negate()))
    high = up.next_plus(up.exp(smallest.copy_negate()))
    return Fraction(max(low, Decimal(0))), Fraction(high)
