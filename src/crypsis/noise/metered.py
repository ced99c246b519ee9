"""Noise that keeps account: every call is written to the ledger tree of the run before anything is drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction

from crypsis.data.arrays import Int64s
from crypsis.errors import InternalError
from crypsis.ledger.scopes import Call, InSequence
from crypsis.noise.noise import Noise


class MeteredNoise:
    """A provider together with what it has spent. Methods draw through this and through nothing else."""

    def __init__(self, noise: Noise, epsilon: Fraction) -> None:
        self.noise = noise
        self.epsilon = epsilon
        self.root = InSequence([])
        self._scope = self.root

    @contextmanager
    def scope(self, name: str) -> Iterator[None]:
        """What is called inside is one branch of the tree."""
        outer, inner = self._scope, InSequence([], name)
        outer.members.append(inner)
        self._scope = inner
        try:
            yield
        finally:
            self._scope = outer

    def disjoint_counts(
        self,
        counts: Int64s,
        zeros: int,
        epsilon: Fraction,
        threshold: int,
        *,
        node: str,
        disjoint_by: str,
    ) -> tuple[Int64s, Int64s, Int64s]:
        """Noisy counts of the non-empty siblings, and the empty ones that reach the threshold: numbers and counts.

        All of them count disjoint sets of records, so together they cost epsilon once. The entry tells how many there
        are and not how many are empty: it depends on noisy outcomes only.
        """
        self._scope.members.append(
            Call("dlaplace", epsilon, Fraction(1), node, self.noise.name, len(counts) + zeros, disjoint_by)
        )
        noisy = self.noise.laplace(counts, epsilon)
        numbers, values = self.noise.passing_zeros(zeros, epsilon, threshold)
        return noisy, numbers, values

    def counts(self, counts: Int64s, epsilon: Fraction, *, node: str, disjoint_by: str) -> Int64s:
        """Noisy counts of disjoint sets of records."""
        self._scope.members.append(
            Call("dlaplace", epsilon, Fraction(1), node, self.noise.name, len(counts), disjoint_by)
        )
        return self.noise.laplace(counts, epsilon)

    def select(
        self,
        scores: Sequence[Fraction | int],
        epsilon: Fraction,
        sensitivity: Fraction,
        *,
        node: str,
        replacement: bool = False,
    ) -> int:
        """The number of a candidate with a high score."""
        self._scope.members.append(Call("selection", epsilon, sensitivity, node, self.noise.name, 1, ""))
        return self.noise.select(scores, epsilon, sensitivity, replacement=replacement)

    def check(self) -> None:
        """Nothing was drawn past the ledger, and no more was spent than was to be: a failure is a bug of ours."""
        recorded = self.root.calls()
        if recorded != self.noise.calls:
            raise InternalError(f"The provider made {self.noise.calls} calls, the ledger lists {recorded}.")
        if self.root.total() > self.epsilon:
            raise InternalError(f"The run spent {self.root.total()}, more than {self.epsilon}.")
