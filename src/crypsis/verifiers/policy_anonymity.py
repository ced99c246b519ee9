"""Recount a privacy policy: each of its itemsets, and each part of one, fits no published record or at least k."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crypsis.arrays import Int32s, Int64s
from crypsis.arrays.record_bits import ones_in, record_bits
from crypsis.compilation import njit
from crypsis.data.privacy_policy import DerivedPolicy, PrivacyPolicy
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import OriginalRequired
from crypsis.guarantees import PolicyAnonymity, Verdict, Witness
from crypsis.verifiers.itemset_km_anonymity import how_many_words
from crypsis.verifiers.published_sets import counted_sets, untruthful

COUNTED = "every itemset of the policy and every part of one was counted"


def verify_policy_anonymity(
    published: PublishedTransactions, promised: PolicyAnonymity, original: Transactions | None = None
) -> Verdict:
    """A record fits an itemset if each of its items lies in a symbol of the record."""
    itemsets = itemsets_of(promised.policy, original)
    how = COUNTED
    if original is not None:
        problem, compared = untruthful(published, original)
        if problem is not None:
            return Verdict(promised, False, None, promised.k, "compared with the original", problem=problem)
        how += f", {compared}"
    sets = counted_sets(published, promised.unit, original)
    if sets.person is not None:
        how += ", by the people who have a record with it"
    constraints = Constraints.of(itemsets, sets.names)
    fits = constraints.fits(sets.offsets, sets.codes)
    supports = constraints.supports(fits) if sets.person is None else constraints.people(fits, sets.person)
    return constraints.verdict(promised, supports, how, people=sets.person is not None)


@dataclass(frozen=True, eq=False)
class Constraints:
    """A policy over published symbols: its itemsets and all parts of them, over sorted labels."""

    labels: list[str]
    offsets: Int64s
    items: Int32s
    unknown: int
    symbols: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, itemsets: Iterable[tuple[str, ...]], symbols: Sequence[tuple[str, ...]]) -> Constraints:
        labels = sorted({label for name in symbols for label in name})
        return cls(labels, *PrivacyPolicy(itemsets).closed(Vocabulary(labels)), tuple(symbols))

    def fits(self, offsets: Int64s, codes: Int32s) -> NDArray[np.uint64]:
        """By label: the records that it fits, as bits."""
        return _bits_of_items(record_bits(offsets, codes, len(self.symbols)), self.labels, self.symbols)

    def supports(self, fits: NDArray[np.uint64]) -> Int64s:
        """How many records each itemset fits."""
        return _supports(self.offsets, self.items, fits)

    def people(self, fits: NDArray[np.uint64], person: Int64s) -> Int64s:
        """Of how many people some record fits each itemset."""
        return _people(self.offsets, self.items, fits, person)

    def verdict(self, promised: PolicyAnonymity, supports: Int64s, how: str, *, people: bool = False) -> Verdict:
        """Whether each itemset fits nobody or k."""
        rare = np.flatnonzero((supports > 0) & (supports < promised.k))
        reached = supports[supports > 0]
        figures = {"itemsets": len(supports), "itemsets_with_unknown_items": self.unknown}
        lowest = int(reached.min()) if len(reached) else None
        if not len(rare):
            return Verdict(promised, True, lowest, promised.k, how, figures=figures)
        worst = int(rare[np.argmin(supports[rare])])
        chosen = self.items[self.offsets[worst] : self.offsets[worst + 1]].tolist()
        witness = Witness(tuple((self.labels[item],) for item in chosen), int(supports[worst]), len(rare))
        problem = f"{witness} fits {how_many_words(int(supports[worst]), people)}, {promised.k} are required."
        return Verdict(promised, False, lowest, promised.k, how, witness, problem, figures | {"problem_code": "policy"})


def itemsets_of(policy: PrivacyPolicy | DerivedPolicy, original: Transactions | None) -> Iterable[tuple[str, ...]]:
    """The itemsets of a policy; those of a recipe are derived from the original, which it needs."""
    if isinstance(policy, PrivacyPolicy):
        return policy.on(original)
    if original is None:
        raise OriginalRequired(
            f"The privacy policy is a recipe ({policy.public_text}), and what it lists follows from the original data; "
            "give the original (original=DATA), or a policy that lists its itemsets."
        )
    return policy.make(original).on(original)


def _bits_of_items(
    bits: NDArray[np.uint64], labels: list[str], names: tuple[tuple[str, ...], ...]
) -> NDArray[np.uint64]:
    number = {label: code for code, label in enumerate(labels)}
    fits = np.zeros((max(len(labels), 1), bits.shape[1]), np.uint64)
    for symbol, name in enumerate(names):
        for label in name:
            fits[number[label]] |= bits[symbol]
    return fits


@njit
def _supports(offsets: Int64s, items: Int32s, fits: NDArray[np.uint64]) -> Int64s:
    """Count the records that each itemset fits, as the common bits of its items."""
    supports = np.zeros(len(offsets) - 1, np.int64)
    for itemset in range(len(supports)):
        for word in range(fits.shape[1]):
            both = fits[items[offsets[itemset]], word]
            for index in range(offsets[itemset] + 1, offsets[itemset + 1]):
                both &= fits[items[index], word]
            supports[itemset] += ones_in(both)
    return supports


@njit
def _people(offsets: Int64s, items: Int32s, fits: NDArray[np.uint64], person: Int64s) -> Int64s:
    """Of how many people some record fits each itemset."""
    supports = np.zeros(len(offsets) - 1, np.int64)
    counted = np.full(person.max() + 1 if len(person) else 0, -1, np.int64)  # the last itemset that each counts for
    for itemset in range(len(supports)):
        for record in range(len(person)):
            fitting = True
            for index in range(offsets[itemset], offsets[itemset + 1]):
                fitting = fitting and (fits[items[index], record >> 6] >> np.uint64(record & 63)) & np.uint64(1) != 0
            if fitting and counted[person[record]] != itemset:
                counted[person[record]] = itemset
                supports[itemset] += 1
    return supports
