"""Sets of items that may be known of people, and how many published records fit them: bits, a record each.

A record fits an item that lies in one of its symbols. Items that the same symbols hold are one atom: knowing a second
of them tells nothing more.
"""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from crypsis.arrays import Int32s, Int64s, offsets_of
from crypsis.arrays.record_bits import ones_in, record_bits
from crypsis.compilation import njit
from crypsis.data.symbols import Symbols
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.errors import TooLarge

NO_PERSONS: Int64s = np.zeros(0, np.int64)
MOST_WORK = 50_000_000_000  # words of bits: about a minute


def known_items(
    published: PublishedTransactions, original: Transactions, rarest: int
) -> tuple[Int64s, Int32s, NDArray[np.uint64]]:
    """What may be known of each person, as atoms, the rarest first; and the published records that fit each atom."""
    number, atom_of = atoms_of(published.symbols, original)
    symbols = published.symbols
    by_symbol = record_bits(published.offsets, published.codes, len(symbols))
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
    slot = np.arange(len(rows)) - np.repeat(offsets_of(lengths)[:-1], lengths)
    kept = slot < rarest
    return offsets_of(np.minimum(lengths, rarest)), atoms[kept].astype(np.int32), bits


def atoms_of(symbols: Symbols, original: Transactions) -> tuple[dict[tuple[int, ...], int], Int64s]:
    """The number of each atom, by the symbols that hold it, and the atom of each item; -1 where an item is suppressed
    everywhere or sensitive."""
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
    return number, atom_of


def of_people(fewest: Int64s, person: Int64s) -> Int64s:
    """The fewest candidates of each person, from those of each record: any of a person's records may be known."""
    people = np.full((int(person.max(initial=-1)) + 1, fewest.shape[1]), np.iinfo(np.int64).max)
    np.minimum.at(people, person, fewest)
    return people


def number_of_subsets(lengths: Int64s, largest: int) -> int:
    """How many sets of up to so many items records of these lengths have."""
    distinct, counts = np.unique(lengths, return_counts=True)
    return sum(
        count * sum(comb(length, size) for size in range(1, largest + 1))
        for length, count in zip(distinct.tolist(), counts.tolist(), strict=True)
    )


def refuse_too_much(offsets: Int64s, largest: int, n_records: int) -> None:
    """Every set is looked for in every record."""
    n_sets = number_of_subsets(np.diff(offsets), largest)
    if n_sets * ((n_records + 63) // 64) > MOST_WORK:
        raise TooLarge(
            f"{n_sets:,} sets of items would have to be looked for in {n_records:,} records. Lower the number of items "
            "that may be known, or rarest."
        )


@njit
def fewest_candidates(
    offsets: Int64s,
    atoms: Int32s,
    bits: NDArray[np.uint64],
    largest: int,
    fitting_offsets: Int64s,
    fitting: Int64s,
    group_of: Int64s,
    group_bits: NDArray[np.uint64],
    whose: Int64s,
) -> Int64s:
    """By person and number of known items, none included: the fewest records that fit a set of at most so many.

    With `whose`, which ascends with the records, the fewest people who have such a record; empty, records are counted.
    Person p looks at the records of the groups fitting[fitting_offsets[g]:fitting_offsets[g + 1]], g = group_of[p].
    Equal people are neighbours often enough that the one before is remembered.
    """
    n_people, n_words = len(offsets) - 1, bits.shape[1]
    fewest = np.zeros((n_people, largest + 1), np.int64)
    together = np.zeros((largest + 1, n_words), np.uint64)
    index = np.zeros(largest + 1, np.int64)
    everybody = 0
    for person in range(n_people):
        start, end = offsets[person], offsets[person + 1]
        alike = person > 0 and group_of[person] == group_of[person - 1]
        if not alike:
            together[0] = 0
            for slot in range(fitting_offsets[group_of[person]], fitting_offsets[group_of[person] + 1]):
                for word in range(n_words):
                    together[0, word] |= group_bits[fitting[slot], word]
            everybody = _counted(together[0], whose)
        if alike and end - start == start - offsets[person - 1]:
            for step in range(end - start):
                alike = alike and atoms[start + step] == atoms[offsets[person - 1] + step]
            if alike:
                fewest[person] = fewest[person - 1]
                continue
        fewest[person] = everybody
        depth = 0  # so many items are chosen; together[depth] are the records that fit them
        index[0] = start
        while depth >= 0:
            if index[depth] == end or depth == largest:
                depth -= 1
                continue
            atom = atoms[index[depth]]
            index[depth] += 1
            for word in range(n_words):
                together[depth + 1, word] = together[depth, word] & bits[atom, word]
            count = _counted(together[depth + 1], whose)
            fewest[person, depth + 1] = min(fewest[person, depth + 1], count)
            if count > 1:
                index[depth + 1] = index[depth]
                depth += 1
        for size in range(1, largest + 1):  # whoever knows more can forget some of it
            fewest[person, size] = min(fewest[person, size], fewest[person, size - 1])
    return fewest


@njit
def _counted(records: NDArray[np.uint64], whose: Int64s) -> int:
    """How many records these are, or how many people's."""
    count = 0
    if len(whose) == 0:
        for word in records:
            count += ones_in(word)
        return count
    last = np.int64(-1)
    for index in range(len(records)):
        left = records[index]
        while left != 0:
            rest = left & (left - np.uint64(1))
            person = whose[64 * index + ones_in((left ^ rest) - np.uint64(1))]
            left = rest
            if person != last:
                last = person
                count += 1
    return count
