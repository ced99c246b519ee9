"""Itemset attack: the adversary of k^m-anonymity of sets, with as many items as promised, and a few more."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np

from crypsis.arrays import offsets_of
from crypsis.arrays.record_bits import record_bits
from crypsis.attacks.attack import Attack, AttackResult, PartsAttackResult
from crypsis.attacks.items_in_parts import count_items
from crypsis.attacks.known_items import NO_PERSONS, fewest_candidates, known_items, of_people, refuse_too_much
from crypsis.attacks.pieces_in_parts import KnownShards, PublishedFiles
from crypsis.data.symbols import Symbols
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.data.workers import Workers
from crypsis.errors import NotApplicable
from crypsis.parameters import AtLeast


@dataclass(frozen=True, kw_only=True)
class ItemsetAttack(Attack):
    """Knows up to m items of a person's set that are not sensitive, and a few more to see protection fade.

    A published record is a candidate if each known item lies in a symbol of it. On data that keep k^m-anonymity nobody
    has fewer than k candidates up to m; what lies beyond m is not promised. Of very long records only the `rarest`
    items are tried, which are those that tell most. Where records tell whose they are, people are counted who have a
    fitting record, and each is attacked with the record that leaves fewest.
    """

    name = "itemset"
    accepts = (Transactions,)

    knowledge: Annotated[int, AtLeast(1), "Items that the adversary may know: the m of the guarantee."] = 2
    beyond: Annotated[int, AtLeast(0), "Also try this many items more."] = 2
    rarest: Annotated[int, AtLeast(1), "Try only so many of the rarest items of longer records."] = 20

    def run(self, published: Any, original: Any) -> AttackResult:
        self.check_applicable(published, original)
        if isinstance(published, Transactions):
            published = _as_published(published)
        whose = NO_PERSONS
        if original.person is not None and original.person_repeats:
            published = _by_person(published, original)
            assert published.person is not None
            whose = published.person
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
            whose,
        )
        if original.person is not None and len(whose):
            fewest = of_people(fewest, original.person)
        return AttackResult(self.name, self.parameters(), fewest[:, 1:].copy())

    def run_on_parts(self, published: PublishedFiles, original: KnownShards, workers: Workers) -> PartsAttackResult:
        largest = self.knowledge + self.beyond
        return PartsAttackResult(
            self.name, self.parameters(), count_items(largest, self.rarest, published, original, workers)
        )

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
    return PublishedTransactions(data.offsets, data.items, singles, person=data.person)


def _by_person(published: PublishedTransactions, original: Transactions) -> PublishedTransactions:
    """The published records with whose they are, those of a person together.

    Where the release does not say whose they are but each item has one symbol, the original tells which record each
    became: the symbols of its items.
    """
    if published.person is None:
        symbols = published.symbols
        if len(np.unique(symbols.members)) < len(symbols.members) or len(published) != len(original):
            raise NotApplicable(
                "Published records do not say whose they are, and items have several images; attack the release where "
                "it was made."
            )
        symbol_of = np.full(len(symbols.vocabulary) + 1, -1, np.int64)
        symbol_of[symbols.members] = np.repeat(np.arange(len(symbols)), symbols.sizes)
        image = symbol_of[symbols.vocabulary.encode(original.vocabulary.series)][original.items]
        rows = np.repeat(np.arange(len(original)), original.lengths)[image >= 0]
        keys = np.unique(rows * max(len(symbols), 1) + image[image >= 0])
        lengths = np.bincount(keys // max(len(symbols), 1), minlength=len(original))
        codes = (keys % max(len(symbols), 1)).astype(np.int32)
        published = replace(published, offsets=offsets_of(lengths), codes=codes, person=original.person)
    assert published.person is not None
    return published.take(np.argsort(published.person, kind="stable"))
