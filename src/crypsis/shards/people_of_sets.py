"""Whose the sets in shards are, where a person has several: all of a person stand in one shard.

People who have a record that holds some items are then counted shard by shard, and the numbers add up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crypsis.arrays import Int32s, Int64s, take_records
from crypsis.executors.executor import Executor
from crypsis.executors.scratch import Scratch, load
from crypsis.shards.ragged import RaggedShard


@dataclass(frozen=True)
class PeopleShard(RaggedShard):
    """All records of some persons, one person after another."""

    owners: str

    def persons(self) -> Int64s:
        persons: Int64s = load(self.owners)
        return persons


@dataclass(frozen=True, eq=False)
class PeopleOfSets:
    """People with several records: shards in which each person is whole, the person of every record in input order,
    how many people have a record that is not empty, and how many have one with each item."""

    shards: tuple[PeopleShard, ...]
    persons: Int64s
    filled: int
    holders: Int64s


def people_of_sets(
    pieces: Sequence[tuple[Int64s, Int32s, Int64s]], persons: Int64s, n_items: int, executor: Executor
) -> PeopleOfSets:
    """Of records in pieces in which each person is whole: offsets, items and the person of each record. `persons` are
    those of all records in input order."""
    scratch = executor.scratch.below("pieces")
    files = [
        (scratch.save(f"rows-{index:06d}", (offsets, items)), scratch.save(f"persons-{index:06d}", own))
        for index, (offsets, items, own) in enumerate(pieces)
    ]
    return people_of_files(files, persons, n_items, executor)


def people_of_files(
    files: Sequence[tuple[str, str]], persons: Int64s, n_items: int, executor: Executor
) -> PeopleOfSets:
    """The same of pieces in files: one with offsets and items, one with the person of each record."""
    folder = str(executor.scratch.below("people").folder)
    made = executor.map(arrange_people, list(enumerate(files)), folder, n_items)
    holders = np.sum([counts for _, _, counts in made], axis=0).astype(np.int64)
    return PeopleOfSets(tuple(shard for shard, _, _ in made), persons, sum(filled for _, filled, _ in made), holders)


def arrange_people(numbered: tuple[int, tuple[str, str]], folder: str, n_items: int) -> tuple[PeopleShard, int, Int64s]:
    """The records of a piece person by person, and how many people have one that is not empty, and one with each
    item."""
    number, (rows_file, persons_file) = numbered
    (offsets, items), persons = load(rows_file), load(persons_file)
    order = np.argsort(persons, kind="stable")
    offsets, positions = take_records(offsets, order)
    items, persons = np.asarray(items[positions], np.int32), persons[order]
    scratch = Scratch.at(folder)
    rows = scratch.save(f"rows-{number:06d}", (offsets, items))
    shard = PeopleShard(rows, -1, len(persons), -1, scratch.save(f"owners-{number:06d}", persons))
    lengths = np.diff(offsets)
    pairs = np.unique(np.repeat(persons, lengths) * max(n_items, 1) + items)
    holders = np.bincount(pairs % max(n_items, 1), minlength=n_items).astype(np.int64)
    return shard, len(np.unique(persons[lengths > 0])), holders


def cut_people(offsets: Int64s, items: Int32s, persons: Int64s, n_pieces: int) -> list[tuple[Int64s, Int32s, Int64s]]:
    """Records in memory in pieces of about equally many, in which each person is whole."""
    order = np.argsort(persons, kind="stable")
    sizes = np.bincount(persons)
    piece_of_person = (np.cumsum(sizes) - 1) * n_pieces // max(len(persons), 1)
    pieces = []
    for rows in np.split(order, np.flatnonzero(np.diff(piece_of_person[persons[order]])) + 1):
        taken, positions = take_records(offsets, rows)
        pieces.append((taken, items[positions], persons[rows]))
    return pieces


def count_persons(inside: np.ndarray[tuple[int, int], np.dtype[np.bool_]], persons: Int64s) -> Int64s:
    """How many different persons have a record inside, row by row; records of a person follow one another."""
    if not len(persons):
        return np.zeros(len(inside), np.int64)
    starts = np.flatnonzero(np.append(True, persons[1:] != persons[:-1]))
    counts: Int64s = np.logical_or.reduceat(inside, starts, axis=1).sum(axis=1).astype(np.int64)
    return counts
