"""Noise that keeps account: every call is written to the ledger tree of the run before anything is drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction

import numpy as np

from crypsis.arrays import Int64s
from crypsis.errors import InternalError
from crypsis.ledger.scopes import Call, InParallel, InSequence
from crypsis.noise.blocks import Blocks
from crypsis.noise.noise import Noise

_DRAWN_AT_ONCE = 1 << 22
DISJOINT_REGIONS = "a record lies in one region only"
Shares = Sequence[
    tuple[InSequence | InParallel, int]
]  # the branches that a draw in bulk belongs to, and how many calls of each


class MeteredNoise:
    """A provider together with what it has spent. Methods draw through this and through nothing else."""

    def __init__(self, noise: Noise, epsilon: Fraction, *, one_by_one: bool = False, records: int = 1) -> None:
        """With `one_by_one` empty siblings are drawn like all others, as the definition says: slow, the same law.

        A person may have so many `records`. Budgets are told and written down as the person's; a call is drawn with
        that part of its budget which falls to one record, and moved by a person that many times as far.
        """
        self.noise = noise
        self.epsilon = epsilon
        self.one_by_one = one_by_one
        self.records = records
        self.root = InSequence([])
        self._scope = self.root

    @property
    def unpublishable(self) -> str | None:
        """Why what is drawn here may not be published, where it may not."""
        return None if self.noise.publishable else f"its noise came from {self.noise.name}, which is for tests only"

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
            Call("dlaplace", epsilon, Fraction(self.records), node, self.noise.name, len(counts) + zeros, disjoint_by)
        )
        noisy = self.noise.laplace(counts, epsilon / self.records)
        numbers, values = self._passing_zeros(zeros, epsilon / self.records, threshold)
        return noisy, numbers, values

    def _passing_zeros(self, zeros: int, epsilon: Fraction, threshold: int) -> tuple[Int64s, Int64s]:
        if not self.one_by_one:
            return self.noise.passing_zeros(zeros, epsilon, threshold)
        numbers, values = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for start in range(0, zeros, _DRAWN_AT_ONCE):
            noisy = self.noise.laplace(np.zeros(min(_DRAWN_AT_ONCE, zeros - start), np.int64), epsilon)
            passing = np.flatnonzero(noisy >= threshold)
            numbers.append(passing + start)
            values.append(noisy[passing])
        return np.concatenate(numbers), np.concatenate(values)

    def vector_counts(
        self, counts: Int64s, zeros: int, epsilon: Fraction, sensitivity: int, threshold: int, *, node: str
    ) -> tuple[Int64s, Int64s, Int64s]:
        """The same for counts that are not disjoint: one record moves all of them together by `sensitivity` at most.

        Each is drawn with epsilon / sensitivity, so that the vector as a whole costs epsilon.
        """
        sensitivity *= self.records
        together = f"one vector of counts, which a record moves by at most {sensitivity} in all"
        self._scope.members.append(
            Call("dlaplace", epsilon, Fraction(sensitivity), node, self.noise.name, len(counts) + zeros, together)
        )
        noisy = self.noise.laplace(counts, epsilon / sensitivity)
        numbers, values = self._passing_zeros(zeros, epsilon / sensitivity, threshold)
        return noisy, numbers, values

    def counts(self, counts: Int64s, epsilon: Fraction, *, node: str, disjoint_by: str) -> Int64s:
        """Noisy counts of disjoint sets of records."""
        self._scope.members.append(
            Call("dlaplace", epsilon, Fraction(self.records), node, self.noise.name, len(counts), disjoint_by)
        )
        return self.noise.laplace(counts, epsilon / self.records)

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
        self._scope.members.append(Call("selection", epsilon, sensitivity * self.records, node, self.noise.name, 1, ""))
        return self.noise.select(scores, epsilon / self.records, sensitivity, replacement=replacement)

    def select_each(
        self, scores: Int64s, offsets: Int64s, epsilon: Fraction, sensitivity: int, *, shares: Shares, node: str
    ) -> Int64s:
        """From each list the place of a candidate with a high score; `shares` says whose lists they are."""
        self._share("selection", epsilon, sensitivity, shares, node)
        return self.noise.select_each(scores, offsets, epsilon / self.records, sensitivity)

    def points(self, blocks: Blocks, epsilon: Fraction, sensitivity: int, *, shares: Shares, node: str) -> Int64s:
        """From each list of blocks a point with a high score."""
        self._share("selection", epsilon, sensitivity, shares, node)
        return self.noise.points(blocks, epsilon / self.records, sensitivity)

    def shared_counts(self, counts: Int64s, epsilon: Fraction, *, shares: Shares, node: str) -> Int64s:
        """Noisy counts of disjoint sets of records that belong to several branches of the tree."""
        self._share("dlaplace", epsilon, 1, shares, node)
        return self.noise.laplace(counts, epsilon / self.records)

    def shared_disjoint_counts(
        self, counts: Int64s, zeros: int, epsilon: Fraction, threshold: int, *, shares: Shares, node: str
    ) -> tuple[Int64s, Int64s, Int64s]:
        """As `disjoint_counts`, for siblings that belong to several branches of the tree."""
        self._share("dlaplace", epsilon, 1, shares, node)
        noisy = self.noise.laplace(counts, epsilon / self.records)
        numbers, values = self._passing_zeros(zeros, epsilon / self.records, threshold)
        return noisy, numbers, values

    def _share(self, mechanism: str, epsilon: Fraction, sensitivity: int, shares: Shares, node: str) -> None:
        exact = Fraction(sensitivity * self.records)
        for scope, count in shares:
            if count:
                scope.members.append(Call(mechanism, epsilon, exact, node, self.noise.name, count, DISJOINT_REGIONS))

    def check(self) -> Fraction:
        """What was spent. Nothing was drawn past the ledger nor spent in excess: a failure is a bug of ours."""
        recorded = self.root.calls()
        if recorded != self.noise.calls:
            raise InternalError(f"The provider made {self.noise.calls} calls, the ledger lists {recorded}.")
        spent = self.root.total()
        if spent > self.epsilon:
            raise InternalError(f"The run spent {spent}, more than {self.epsilon}.")
        return spent
