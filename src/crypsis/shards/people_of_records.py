"""Whose the sets or trajectories in shards are, where a person has several: all of a person stand in one shard.

People who have a record that holds something are then counted shard by shard, and the numbers add up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from crypsis.arrays import Int32s, Int64s, offsets_of, take_records
from crypsis.executors.executor import Executor
from crypsis.executors.scratch import Scratch, load
from crypsis.shards.ragged import RaggedShard, joined_rows


@dataclass(frozen=True)
class PeopleShard(RaggedShard):
    """All records of some persons, one person after another."""

    owners: str

    def persons(self) -> Int64s:
        persons: Int64s = load(self.owners)
        return persons


@dataclass(frozen=True, eq=False)
class PeopleOfRecords:
    """People with several records: shards in which each person is whole, the person of every record in input order,
    how many people have a longest record of each length, and how many have one with each code."""

    shards: tuple[PeopleShard, ...]
    persons: Int64s
    lengths: Int64s
    holders: Int64s

    @property
    def filled(self) -> int:
        """How many people have a record that is not empty."""
        return int(self.lengths[1:].sum())

    def input_rows(self) -> list[Int64s]:
        """For each shard the number in the input of each of its records."""
        order = np.argsort(self.persons, kind="stable")
        starts = offsets_of(np.bincount(self.persons))
        rows = []
        for shard in self.shards:
            own = shard.persons()
            rows.append(order[starts[own] + np.arange(len(own)) - np.searchsorted(own, own)])
        return rows


def people_of_records(
    pieces: Sequence[tuple[Int64s, Int32s, Int64s]], persons: Int64s, n_codes: int, executor: Executor
) -> PeopleOfRecords:
    """Of records in pieces in which each person is whole: offsets, codes and the person of each record. `persons` are
    those of all records in input order."""
    scratch = executor.scratch.below("pieces")
    files = [
        (scratch.save(f"rows-{index:06d}", (offsets, codes)), scratch.save(f"persons-{index:06d}", own))
        for index, (offsets, codes, own) in enumerate(pieces)
    ]
    return people_of_files(files, persons, n_codes, executor)


def people_of_shards(
    shards: Sequence[RaggedShard], persons: Int64s, n_codes: int, executor: Executor
) -> PeopleOfRecords:
    """The same of shards in input order, in which the records of a person lie anywhere."""
    folder = str(executor.scratch.below("pieces").folder)
    work = [(shard, persons[shard.first : shard.first + shard.rows]) for shard in shards]
    pieces = executor.exchange(send_people, work, len(shards), len(shards))
    return people_of_files(executor.map(join_people, list(enumerate(pieces)), folder), persons, n_codes, executor)


def send_people(work: tuple[RaggedShard, Int64s], targets: int) -> Iterator[tuple[int, tuple[Int64s, Int32s, Int64s]]]:
    """The records of a shard by the piece that their persons are whole in."""
    shard, persons = work
    offsets, codes = shard.read()
    for target in np.unique(persons % targets).tolist():
        chosen = np.flatnonzero(persons % targets == target)
        taken, positions = take_records(offsets, chosen)
        yield target, (taken, codes[positions], persons[chosen])


def join_people(numbered: tuple[int, Sequence[str]], folder: str) -> tuple[str, str]:
    """The records of a piece in the order of the input, and the person of each."""
    number, files = numbered
    pieces = [load(file) for file in files]
    persons = np.concatenate([np.zeros(0, np.int64), *(piece[2] for piece in pieces)])
    scratch = Scratch.at(folder)
    rows = scratch.save(f"rows-{number:06d}", joined_rows([piece[:2] for piece in pieces]))
    return rows, scratch.save(f"persons-{number:06d}", persons)


def people_of_files(
    files: Sequence[tuple[str, str]], persons: Int64s, n_codes: int, executor: Executor
) -> PeopleOfRecords:
    """The same of pieces in files: one with offsets and codes, one with the person of each record."""
    folder = str(executor.scratch.below("people").folder)
    arranged = executor.map(arrange_people, list(enumerate(files)), folder, n_codes)
    longest = max(len(lengths) for _, lengths, _ in arranged)
    lengths = np.sum([np.pad(one, (0, longest - len(one))) for _, one, _ in arranged], axis=0).astype(np.int64)
    holders = np.sum([counts for _, _, counts in arranged], axis=0).astype(np.int64)
    return PeopleOfRecords(tuple(shard for shard, _, _ in arranged), persons, lengths, holders)


def arrange_people(
    numbered: tuple[int, tuple[str, str]], folder: str, n_codes: int
) -> tuple[PeopleShard, Int64s, Int64s]:
    """The records of a piece person by person; how many people have a longest one of each length, and how many have
    one with each code."""
    number, (rows_file, persons_file) = numbered
    (offsets, codes), persons = load(rows_file), load(persons_file)
    order = np.argsort(persons, kind="stable")
    offsets, positions = take_records(offsets, order)
    codes, persons = np.asarray(codes[positions], np.int32), persons[order]
    scratch = Scratch.at(folder)
    rows = scratch.save(f"rows-{number:06d}", (offsets, codes))
    shard = PeopleShard(rows, -1, len(persons), -1, scratch.save(f"owners-{number:06d}", persons))
    lengths = np.diff(offsets)
    pairs = np.unique(np.repeat(persons, lengths) * max(n_codes, 1) + codes)
    holders = np.bincount(pairs % max(n_codes, 1), minlength=n_codes).astype(np.int64)
    longest = np.maximum.reduceat(lengths, first_of_each(persons)) if len(persons) else lengths
    return shard, np.bincount(longest, minlength=1).astype(np.int64), holders


def first_of_each(persons: Int64s) -> Int64s:
    """Where the records of each person begin; those of a person follow one another."""
    return np.flatnonzero(np.append(True, persons[1:] != persons[:-1]))[: len(persons)]


def unite_people(people: PeopleOfRecords, n_codes: int, executor: Executor) -> list[dict[str, Any]]:
    """One record of all records of each person, in the order of their numbers: what `told_of_rows` tells of each
    shard."""
    n_people, n_shards = int(people.persons.max(initial=-1)) + 1, max(len(people.shards), 1)
    folder = str(executor.scratch.below("united").folder)
    pieces = executor.exchange(send_united, people.shards, n_shards, n_people, n_shards, n_codes)
    bounds = [-(-n_people * index // n_shards) for index in range(n_shards + 1)]
    work = [(index, bounds[index], bounds[index + 1], files) for index, files in enumerate(pieces)]
    united: list[dict[str, Any]] = executor.map(arrange_united, work, folder, n_codes)
    return united


def send_united(
    shard: PeopleShard, n_people: int, n_shards: int, n_codes: int
) -> Iterator[tuple[int, tuple[Int64s, Int32s]]]:
    """What each person of a shard has in any record: persons and codes, by the range of persons."""
    offsets, codes = shard.read()
    width = max(n_codes, 1)
    keys = np.unique(np.repeat(shard.persons(), np.diff(offsets)) * width + codes)
    persons, held = keys // width, (keys % width).astype(np.int32)
    targets = persons * n_shards // max(n_people, 1)
    for target in np.unique(targets).tolist():
        chosen = targets == target
        yield target, (persons[chosen], held[chosen])


def arrange_united(work: tuple[int, int, int, Sequence[str]], folder: str, n_codes: int) -> dict[str, Any]:
    """The records of a range of persons; whoever has nothing has an empty one."""
    number, first, last, files = work
    pieces = [load(file) for file in files]
    persons = np.concatenate([np.zeros(0, np.int64), *(piece[0] for piece in pieces)])
    codes = np.concatenate([np.zeros(0, np.int32), *(piece[1] for piece in pieces)])
    order = np.lexsort((codes, persons))
    offsets, codes = offsets_of(np.bincount(persons - first, minlength=last - first)), codes[order]
    file = Scratch.at(folder).save(f"united-{number:06d}", (offsets, codes))
    return told_of_rows(file, offsets, codes, n_codes)


def told_of_rows(file: str, offsets: Int64s, codes: Int32s, n_codes: int) -> dict[str, Any]:
    """What the rows in a file add to what is known of all."""
    lengths = np.diff(offsets)
    return {
        "file": file,
        "rows": len(lengths),
        "filled": int(np.count_nonzero(lengths)),
        "lengths": np.bincount(lengths, minlength=1).astype(np.int64),
        "supports": np.bincount(codes, minlength=n_codes).astype(np.int64),
    }


def cut_people(offsets: Int64s, codes: Int32s, persons: Int64s, n_pieces: int) -> list[tuple[Int64s, Int32s, Int64s]]:
    """Records in memory in pieces of about equally many, in which each person is whole."""
    order = np.argsort(persons, kind="stable")
    sizes = np.bincount(persons)
    piece_of_person = (np.cumsum(sizes) - 1) * n_pieces // max(len(persons), 1)
    pieces = []
    for rows in np.split(order, np.flatnonzero(np.diff(piece_of_person[persons[order]])) + 1):
        taken, positions = take_records(offsets, rows)
        pieces.append((taken, codes[positions], persons[rows]))
    return pieces


def count_persons(inside: np.ndarray[tuple[int, int], np.dtype[np.bool_]], persons: Int64s) -> Int64s:
    """How many different persons have a record inside, row by row; records of a person follow one another."""
    if not len(persons):
        return np.zeros(len(inside), np.int64)
    counts: Int64s = np.logical_or.reduceat(inside, first_of_each(persons), axis=1).sum(axis=1).astype(np.int64)
    return counts
