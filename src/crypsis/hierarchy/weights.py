"""Weights of quasi-identifiers: how much the loss of each counts. They are normalized to sum 1."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from crypsis.errors import BadParameter, did_you_mean
from crypsis.parameters import SideInput

_MOST_DIGITS = 400  # before or behind the point


class Weights(SideInput):
    """A weight of at least 0 for some columns; columns that are not named weigh 1."""

    in_words = "weights (column=NUMBER, e.g. age=2,zip=0.5)"
    repeatable = True

    def __init__(self, weights: Mapping[str, float | str]) -> None:
        self._weights: dict[str, Decimal] = {}
        for name, given in weights.items():
            try:
                weight = Decimal(str(given))
            except InvalidOperation:
                weight = Decimal(-1)
            if not weight.is_finite() or weight < 0 or abs(weight.adjusted()) > _MOST_DIGITS:
                raise BadParameter(
                    f"weights: the weight of '{name}' must be a number of at least 0, got {given!r}.",
                    parameter="weights",
                )
            self._weights[name] = weight

    @classmethod
    def from_text(cls, text: str) -> Weights:
        given: dict[str, str] = {}
        for entry in text.replace("\n", ",").split(","):
            name, equals, number = entry.strip().partition("=")
            if not equals or not name or name in given:
                raise BadParameter(f"weights: column=NUMBER is expected once per column, got {entry!r}.")
            given[name] = number
        return cls(given)

    def of(self, columns: Sequence[str]) -> list[Fraction]:
        """The normalized weight of each column."""
        for name in self._weights:
            if name not in columns:
                raise BadParameter(
                    f"weights: '{name}' is no quasi-identifier; these are {', '.join(columns)}."
                    f"{did_you_mean(name, columns)}",
                    parameter="weights",
                )
        weights = [Fraction(self._weights.get(name, Decimal(1))) for name in columns]
        if not any(weights):
            raise BadParameter("weights: at least one weight must be above 0.", parameter="weights")
        return [weight / sum(weights) for weight in weights]

    @property
    def identity(self) -> Hashable:
        return frozenset(self._weights.items())

    def __str__(self) -> str:
        return ",".join(f"{name}={weight:f}" for name, weight in self._weights.items())


def equal_weights(columns: Sequence[str]) -> list[Fraction]:
    """Every column counts the same."""
    return [Fraction(1, len(columns)) for _ in columns]
