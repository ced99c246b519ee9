"""Itemset attack: the adversary of k^m-anonymity of sets, with as many items as promised, and a few more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from crypsis.attacks.attack import Attack, AttackResult
from crypsis.attacks.known_items import fewest_candidates, known_items, record_bits, refuse_too_much
from crypsis.data.symbols import Symbols
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.errors import NotApplicable
from crypsis.parameters import AtLeast


@dataclass(frozen=True, kw_only=True)
class ItemsetAttack(Attack):
    """Knows up to m items of a person's set that are not sensitive, and a few more to see protection fade.

    A published record is a candidate if each known item lies in a symbol of it. On data that keep k^m-anonymity nobody
    has fewer than k candidates up to m; what lies beyond m is not promised. Of very long records only the `rarest`
    items are tried, which are those that tell most.
    """

    name: ClassVar[str] = "itemset"
    accepts: ClassVar[tuple[type, ...]] = (Transactions,)

    knowledge: Annotated[int, AtLeast(1), "Items that the adversary may know: the m of the guarantee."] = 2
    beyond: Annotated[int, AtLeast(0), "Also try this many items more."] = 2
    rarest: Annotated[int, AtLeast(1), "Of longer records try so many of the rarest items only."] = 20

    def run(self, published: Any, original: Any) -> AttackResult:
        self.check_applicable(published, original)
        if isinstance(published, Transactions):
            published = _as_published(published)
        largest = self.knowledge + self.beyond
        offsets, atoms, bits = known_items(published, original, self.rarest)
        refuse_too_much(offsets, largest, len(published))
        everybody = record_bits(np.arange(len(published) + 1), np.zeros(len(published), np.int32), 1)
        fewest = fewest_candidates(
            offsets,
            atoms,
            bits,
            largest,
            np.array([0, 1]),
            np.zeros(1, np.int64),
            np.zeros(len(original), np.int64),
            everybody,
        )
        return AttackResult(self.name, self.parameters(), fewest[:, 1:].copy())

    def check_applicable(self, published: Any, original: Any) -> None:
        if not isinstance(original, self.accepts):
            raise NotApplicable(f"{type(self).__name__} knows pieces of Transactions, got {type(original).__name__}.")
        if not isinstance(published, (PublishedTransactions, Transactions)):
            raise NotApplicable(
                f"{type(self).__name__} looks for people in published transactions, got {type(published).__name__}."
            )


def _as_published(data: Transactions) -> PublishedTransactions:
    """The original as if it were published as it is: what an adversary achieves without any protection."""
    singles = Symbols(
        data.vocabulary, np.arange(len(data.vocabulary) + 1), np.arange(len(data.vocabulary), dtype=np.int32)
    )
    return PublishedTransactions(data.offsets, data.items, singles)
