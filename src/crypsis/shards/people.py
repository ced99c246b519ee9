"""Whose records those of a table in shards are, where a person has several.

All records are kept a second time, person by person: a person is whole in one shard, persons follow one another in the
order of their first records, and the records of each in the order of the input. So numbers of people are sums over
shards, and what is added up record by record, shard after shard, is added up as in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from crypsis.arrays import Float64s, Int32s, Int64s
from crypsis.data.formats.memory import in_words
from crypsis.data.scanned import PART_OF_MEMORY
from crypsis.errors import TooLarge
from crypsis.executors.executor import Executor
from crypsis.executors.scratch import Scratch, load
from crypsis.shards.table_shard import TableShard, save_codes

_BYTES_PER_RECORD = 64
_BYTES_PER_CELL = 8


@dataclass(frozen=True)
class PersonShard(TableShard):
    """All records of some persons; in shards before it there are `first` records."""

    owners: str = ""  # a file with the number in the input and the person of each record

    def numbers(self) -> Int64s:
        numbers: Int64s = load(self.owners)[0]
        return numbers

    def persons(self) -> Int64s:
        persons: Int64s = load(self.owners)[1]
        return persons


@dataclass(frozen=True)
class FirstRecords(TableShard):
    """The records of some persons, in which the columns `places` hold what they hold in the first record of the person:
    so whoever routes records by these columns sends those of a person the same way."""

    shard: PersonShard
    places: tuple[int, ...]

    @classmethod
    def of(cls, shard: PersonShard, places: Sequence[int]) -> FirstRecords:
        return cls(shard.file, shard.first, shard.rows, shard, tuple(places))

    def codes(self) -> Int32s:
        codes = np.array(self.shard.codes())
        first = np.searchsorted(self.persons(), self.persons())
        for index in self.places:
            codes[:, index] = codes[first, index]
        return codes

    def numbers(self) -> Int64s:
        return self.shard.numbers()

    def persons(self) -> Int64s:
        return self.shard.persons()


@dataclass(frozen=True, eq=False)
class PeopleInShards:
    """People with several records: `shards` hold all records person by person; `persons[s]` is a file with the person
    of each record of shard s of the table, persons numbered in the order of their first records. Person p has
    `sizes[p]` records."""

    sizes: Int64s
    shards: tuple[PersonShard, ...]
    persons: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.sizes)

    def of_records(self) -> Int64s:
        """The person of every record, in input order."""
        return np.concatenate([load(file) for file in self.persons])


def shares_of(persons: Int64s) -> Float64s:
    """What each record is of all records of its person; those of a person are all here, one after another."""
    own = persons - persons[:1]
    shares: Float64s = 1 / np.bincount(own)[own]
    return shares


def bring_together(
    shards: Sequence[TableShard], names: Sequence[str], n_names: int, executor: Executor
) -> PeopleInShards | None:
    """The people of a table in shards; None where each record is a person of its own.

    `names[s]` is a file with a number below `n_names` for the person of each record of shard s.
    """
    folder = str(executor.scratch.below("people").folder)
    pairs = list(zip(shards, names, strict=True))
    n_records = sum(shard.rows for shard in shards)
    first, sizes = np.full(n_names, n_records, np.int64), np.zeros(n_names, np.int64)
    for file in executor.map(note_persons, list(enumerate(pairs)), folder):
        own, seen, counts = load(file)
        first[own] = np.minimum(first[own], seen)
        sizes[own] += counts
    if sizes.max(initial=0) < 2:
        return None
    order = np.argsort(first, kind="stable")[: int(np.count_nonzero(sizes))]  # who has a record
    person_of_name = np.full(n_names, -1, np.int64)
    person_of_name[order] = np.arange(len(order))
    sizes = sizes[order]
    ends = np.cumsum(sizes)
    width = next(shard.codes().shape[1] for shard in shards if shard.rows)
    bytes_per_record = _BYTES_PER_RECORD + _BYTES_PER_CELL * width
    filled = sum(shard.rows > 0 for shard in shards)
    targets = max(filled, -(-n_records * bytes_per_record * PART_OF_MEMORY // executor.memory))
    target_of_person = (ends - 1) * targets // n_records
    _check_largest(target_of_person, sizes, bytes_per_record, executor)
    persons = executor.map(number_persons, list(enumerate(names)), folder, person_of_name)
    work = [(shard, file) for shard, file in zip(shards, persons, strict=True) if shard.rows]
    pieces = executor.exchange(rows_by_person, work, targets, target_of_person)
    filled_pieces = [files for files in pieces if files]
    firsts = np.concatenate([[0], np.cumsum(np.bincount(target_of_person, weights=sizes, minlength=targets))])
    firsts = np.unique(firsts.astype(np.int64))  # empty ones have none
    numbered = [
        (index, int(start), files) for index, (start, files) in enumerate(zip(firsts, filled_pieces, strict=False))
    ]
    return PeopleInShards(sizes, tuple(executor.map(arrange_persons, numbered, folder)), tuple(persons))


def _check_largest(target_of_person: Int64s, sizes: Int64s, bytes_per_record: int, executor: Executor) -> None:
    """A person is never divided, so somebody with very many records needs a worker that can hold them."""
    largest = int(np.bincount(target_of_person, weights=sizes).max())
    if largest * bytes_per_record > executor.memory // 2:
        needed, usable = in_words(largest * bytes_per_record), in_words(executor.memory // 2)
        raise TooLarge(
            f"The records of a person are kept together, and {largest:,} of them need {needed}; a worker may use "
            f"{usable} for that. Give it more memory (`memory`), or leave out people with so many records.",
        )


def note_persons(numbered: tuple[int, tuple[TableShard, str]], folder: str) -> str:
    """A file with the persons of a part, the first record of each, and how many it has."""
    number, (shard, names) = numbered
    own, seen, counts = np.unique(load(names), return_index=True, return_counts=True)
    return Scratch.at(folder).save(f"noted-{number:06d}", (own, seen + shard.first, counts))


def number_persons(numbered: tuple[int, str], folder: str, person_of_name: Int64s) -> str:
    """A file with the person of each record of a part."""
    number, names = numbered
    return Scratch.at(folder).save(f"persons-{number:06d}", person_of_name[load(names)])


def rows_by_person(work: tuple[TableShard, str], target_of_person: Int64s) -> Iterator[tuple[int, Any]]:
    """The records of a part by the shard that their persons are whole in."""
    shard, file = work
    persons, codes, numbers = load(file), np.asarray(shard.codes()), shard.numbers()
    target_of_row = target_of_person[persons]
    order = np.argsort(target_of_row, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(target_of_row[order])) + 1):
        yield int(target_of_row[rows[0]]), (codes[rows], numbers[rows], persons[rows])


def arrange_persons(work: tuple[int, int, Sequence[str]], folder: str) -> PersonShard:
    """The records of some persons, one person after another."""
    number, first, files = work
    pieces = [load(file) for file in files]
    codes, numbers, persons = (np.concatenate([piece[index] for piece in pieces]) for index in range(3))
    order = np.argsort(persons, kind="stable")
    scratch = Scratch.at(folder)
    owners = scratch.save(f"owners-{number:06d}", (numbers[order], persons[order]))
    return PersonShard(save_codes(scratch, f"shard-{number:06d}.npy", codes[order]), first, len(codes), owners)


def in_turn(executor: Executor, work: Callable[..., Any], shards: Sequence[Any], start: Any, *common: Any) -> Any:
    """`work((shard, so far), *common)` for one shard after another: for sums of fractions, whose order shows."""
    reached = start
    for shard in shards:
        [reached] = executor.map(work, [(shard, reached)], *common)
    return reached


def people_with_values(shard: PersonShard, places: Sequence[int], widths: Sequence[int]) -> list[Int64s]:
    """For each of some columns how many people of a shard have each value."""
    codes, persons = shard.codes(), shard.persons()
    return [
        _people_by_value(np.asarray(codes[:, index]), persons, width)
        for index, width in zip(places, widths, strict=True)
    ]


def _people_by_value(codes: Int32s, persons: Int64s, width: int) -> Int64s:
    known = codes >= 0
    pairs = np.unique(persons[known] * max(width, 1) + codes[known])
    return np.bincount(pairs % max(width, 1), minlength=width).astype(np.int64)


def add_people(some: Sequence[Int64s], others: Sequence[Int64s]) -> list[Int64s]:
    """The same of two shards: nobody is in both."""
    return [one + other for one, other in zip(some, others, strict=True)]


def add_shares(
    work: tuple[tuple[TableShard, str], Sequence[Float64s]], places: Sequence[int], sizes: Int64s
) -> list[Float64s]:
    """For each of some columns what the records with each value are of those of their persons, added to what records
    before them are."""
    (shard, file), reached = work
    codes, share = shard.codes(), 1 / sizes[load(file)]
    added = []
    for index, before in zip(places, reached, strict=True):
        own, total = np.asarray(codes[:, index]), before.copy()
        np.add.at(total, own[own >= 0], share[own >= 0])
        added.append(total)
    return added


def persons_of_rows(
    numbers: Sequence[str], people: PeopleInShards, shards: Sequence[TableShard], executor: Executor
) -> list[str]:
    """Files with the person of every row, for files with the number that every row has in the input."""
    folder = str(executor.scratch.below("persons").folder)
    starts = np.array([shard.first for shard in shards], np.int64)
    asked = executor.exchange(ask_persons, list(enumerate(numbers)), len(shards), starts)
    questions = [(file, pieces) for file, pieces in zip(people.persons, asked, strict=True) if pieces]
    told = executor.exchange(tell_persons, questions, len(numbers))
    work = [(index, file, answers) for index, (file, answers) in enumerate(zip(numbers, told, strict=True))]
    return executor.map(place_persons, work, folder)


def ask_persons(numbered: tuple[int, str], starts: Int64s) -> Iterator[tuple[int, Any]]:
    """The rows of a file by the shard of the table that their records are in: which record, and which row."""
    index, file = numbered
    numbers = np.asarray(load(file))
    shard_of_row = np.searchsorted(starts, numbers, side="right") - 1
    order = np.argsort(shard_of_row, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(shard_of_row[order])) + 1):
        if len(rows):
            shard = int(shard_of_row[rows[0]])
            yield shard, (index, numbers[rows] - starts[shard], rows)


def tell_persons(question: tuple[str, Sequence[str]]) -> Iterator[tuple[int, Any]]:
    """The persons that were asked for, by file."""
    persons = load(question[0])
    for file in question[1]:
        index, records, rows = load(file)
        yield index, (rows, persons[records])


def place_persons(work: tuple[int, str, Sequence[str]], folder: str) -> str:
    """A file with the person of every row of another."""
    index, file, answers = work
    placed = np.empty(len(load(file)), np.int64)
    for answer in answers:
        rows, persons = load(answer)
        placed[rows] = persons
    return Scratch.at(folder).save(f"of-rows-{index:06d}", placed)
