"""Itemset attack: the adversary of k^m-anonymity of sets, with as many items as promised, and a few more."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from crypsis.attacks.attack import Attack, AttackResult
from crypsis.compilation import njit
from crypsis.data.arrays import Int32s, Int64s, offsets_of
from crypsis.data.symbols import Symbols
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.errors import NotApplicable, TooLarge
from crypsis.parameters import AtLeast

MOST_WORK = 50_000_000_000  # words of bits: about a minute


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
        offsets, atoms, bits = _knowledge(published, original, self.rarest)
        work = _subsets(np.diff(offsets), largest) * bits.shape[1]
        if work > MOST_WORK:
            raise TooLarge(
                f"{_subsets(np.diff(offsets), largest):,} sets of items would have to be looked for in "
                f"{len(published):,} records. Lower knowledge, beyond or rarest."
            )
        fewest = _fewest_candidates(offsets, atoms, bits, largest, len(published))
        return AttackResult(self.name, self.parameters(), fewest)

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


def _knowledge(
    published: PublishedTransactions, original: Transactions, rarest: int
) -> tuple[Int64s, Int32s, NDArray[np.uint64]]:
    """What may be known of each person, as atoms, the rarest first; and the published records that fit each atom.

    Items that the same symbols hold are one atom: knowing a second of them tells nothing more.
    """
    symbols = published.symbols
    holders: dict[int, list[int]] = {}
    slots = zip(symbols.members.tolist(), np.repeat(np.arange(len(symbols)), symbols.sizes).tolist(), strict=True)
    for member, symbol in slots:
        holders.setdefault(member, []).append(symbol)
    code_of = symbols.vocabulary.encode(original.vocabulary.series).tolist()
    secret = np.zeros(len(code_of), np.bool_) if original.sensitive is None else original.sensitive
    number: dict[tuple[int, ...], int] = {}
    atom_of = np.full(len(code_of), -1, np.int64)
    for item, code in enumerate(code_of):
        if code >= 0 and code in holders and not secret[item]:
            atom_of[item] = number.setdefault(tuple(sorted(holders[code])), len(number))
    by_symbol = _record_bits(published.offsets, published.codes, len(symbols))
    bits = np.zeros((max(len(number), 1), by_symbol.shape[1]), np.uint64)
    for held, atom in number.items():
        bits[atom] = np.bitwise_or.reduce(by_symbol[list(held)], axis=0)
    supports = np.bitwise_count(bits).sum(axis=1).astype(np.int64)
    rows = np.repeat(np.arange(len(original)), original.lengths)
    atoms = atom_of[original.items]
    known = (atoms >= 0) & (supports[atoms] > 0)  # an item that was suppressed fits no record
    pairs = np.unique(rows[known] * len(bits) + atoms[known])
    rows, atoms = pairs // len(bits), pairs % len(bits)
    order = np.lexsort((atoms, supports[atoms], rows))
    rows, atoms = rows[order], atoms[order]
    lengths = np.bincount(rows, minlength=len(original))
    place = np.arange(len(rows)) - np.repeat(offsets_of(lengths)[:-1], lengths)
    kept = place < rarest
    return offsets_of(np.minimum(lengths, rarest)), atoms[kept].astype(np.int32), bits


def _subsets(lengths: Int64s, largest: int) -> int:
    distinct, counts = np.unique(lengths, return_counts=True)
    return sum(
        count * sum(comb(length, size) for size in range(1, largest + 1))
        for length, count in zip(distinct.tolist(), counts.tolist(), strict=True)
    )


@njit
def _record_bits(offsets: Int64s, codes: Int32s, n_codes: int) -> NDArray[np.uint64]:
    bits = np.zeros((n_codes, (len(offsets) + 62) // 64), np.uint64)
    for record in range(len(offsets) - 1):
        for place in range(offsets[record], offsets[record + 1]):
            bits[codes[place], record >> 6] |= np.uint64(1) << np.uint64(record & 63)
    return bits


@njit
def _fewest_candidates(
    offsets: Int64s, atoms: Int32s, bits: NDArray[np.uint64], largest: int, n_published: int
) -> Int64s:
    """By person and number of known items: the fewest records that fit a set of at most so many of them.

    Equal people are neighbours often enough that the one before is remembered.
    """
    n_people = len(offsets) - 1
    fewest = np.full((n_people, largest), n_published, np.int64)
    together = np.zeros((largest + 1, bits.shape[1]), np.uint64)
    place = np.zeros(largest + 1, np.int64)
    for person in range(n_people):
        start, end = offsets[person], offsets[person + 1]
        if person > 0 and end - start == start - offsets[person - 1]:
            same = True
            for step in range(end - start):
                same = same and atoms[start + step] == atoms[offsets[person - 1] + step]
            if same:
                fewest[person] = fewest[person - 1]
                continue
        depth = 0
        place[0] = start
        while depth >= 0:
            if place[depth] == end:
                depth -= 1
                continue
            atom = atoms[place[depth]]
            place[depth] += 1
            count = 0
            for word in range(bits.shape[1]):
                both = bits[atom, word] if depth == 0 else together[depth - 1, word] & bits[atom, word]
                together[depth, word] = both
                count += _set_bits(both)
            fewest[person, depth] = min(fewest[person, depth], count)
            if depth + 1 < largest and count > 1:
                place[depth + 1] = place[depth]
                depth += 1
        for size in range(1, largest):  # whoever knows more can forget some of it
            fewest[person, size] = min(fewest[person, size], fewest[person, size - 1])
    return fewest


@njit
def _set_bits(word: np.uint64) -> int:
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))  # type: ignore[return-value]
