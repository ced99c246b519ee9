"""Sets and trajectories in shards: facts about all records at the driver, and the codes of each part in a file.

A part is read once. Its labels go to the driver, which numbers the labels of all parts as it would those of data in
memory; so codes, supports and locations are those of data in memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
import polars as pl

from crypsis.arrays import Bools, Int32s, Int64s, offsets_of, take_records
from crypsis.data.checkins import joined_cells
from crypsis.data.formats.columns import labels
from crypsis.data.formats.long import two_owners, two_persons
from crypsis.data.person_codes import persons_by_first_record
from crypsis.data.person_detection import PersonLike
from crypsis.data.scanned import Part
from crypsis.data.scanned_records import ScannedRecords
from crypsis.data.sources import TrajectorySource
from crypsis.data.trajectory import Locations, Trajectories
from crypsis.data.transaction import Transactions, sensitive_mask
from crypsis.data.visit_times import VisitTimes
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import PartsDiffer, PersonNotSupported, TooLarge
from crypsis.executors.executor import Executor
from crypsis.executors.scratch import Scratch, load
from crypsis.shards.gathered_rows import SOURCE as ROWS_OF_PARTS
from crypsis.shards.gathered_rows import arrange_records, gather_rows, hash_ids
from crypsis.shards.parts_of_input import parts_of
from crypsis.shards.people_of_records import (
    PeopleOfRecords,
    cut_people,
    people_of_files,
    people_of_records,
    people_of_shards,
    told_of_rows,
    unite_people,
)
from crypsis.shards.projected_parts import zone_of_parts
from crypsis.shards.ragged import RaggedShard, cut_ragged, joined_rows, save_ragged
from crypsis.shards.suspected_people import person_like_of_parts

WHOLE_RECORDS = 1_000_000  # up to so many records a release is put together in memory
BYTES_PER_VALUE = 48  # of the records and of what is published of them, where the release is put together


@dataclass(frozen=True, eq=False, kw_only=True)
class EncodedRecords:
    """What the driver knows of all records: how many there are, how long, and how many hold each code."""

    shards: tuple[RaggedShard, ...]
    n_records: int
    lengths: Int64s = field(repr=False)  # by length: how many records have it
    supports: Int64s = field(repr=False)  # by code: how often it occurs, in a set at most once
    ids: tuple[str, ...] = field(default=(), repr=False)  # files with the ids of each shard
    person_like: PersonLike | None = None
    in_memory: Any = field(default=None, repr=False)  # the same data, where they came from memory
    person: PeopleOfRecords | None = None  # where some have several records

    @property
    def whole(self) -> Any:
        """All records in memory, in input order."""
        raise NotImplementedError

    @property
    def one_of_each(self) -> Any:
        """One record that holds everything that occurs: what there is to know of it without records."""
        raise NotImplementedError

    @property
    def is_large(self) -> bool:
        """Too many records for a release that is put together in memory; that of people with several records always
        is."""
        return self.in_memory is None and self.person is None and is_many(self.n_records)

    @property
    def whole_people(self) -> tuple[RaggedShard, ...]:
        """Shards in which each person is whole."""
        return self.shards if self.person is None else self.person.shards

    @property
    def individuals(self) -> int:
        """People who have a record that is not empty; such records, where each is a person."""
        return self.n_filled if self.person is None else self.person.filled

    @property
    def holders(self) -> Int64s:
        """By code: how many people have a record that holds it; how many records do, where each is a person."""
        return self.supports if self.person is None else self.person.holders

    @property
    def longest(self) -> int:
        return len(self.lengths) - 1 if len(self.lengths) else 0

    @property
    def n_filled(self) -> int:
        """Records that are not empty."""
        return self.n_records - (int(self.lengths[0]) if len(self.lengths) else 0)

    def reached(self, m: int) -> Int64s:
        """n_1 to n_m: people who have a record with at least that many values; records, where each is a person."""
        lengths = self.lengths if self.person is None else self.person.lengths
        at_length = np.bincount(np.minimum(np.arange(len(lengths)), m), lengths, m + 1).astype(np.int64)
        return np.cumsum(at_length[::-1])[::-1][1:]

    def check_fits(self, executor: Executor) -> None:
        """The release is put together here: refuse what would not fit, before anything is done."""
        check_memory(self.n_records, int(self.supports.sum()), 0, executor)

    def _rows(self) -> tuple[Int64s, Int32s]:
        return joined_rows([shard.read() for shard in self.shards])

    def _ids(self) -> pl.Series | None:
        known = [load(file) for file in self.ids]
        if len({series.dtype for series in known}) > 1:
            known = [series.cast(pl.String) for series in known]
        return pl.concat(known) if known else None

    def __len__(self) -> int:
        return self.n_records


@dataclass(frozen=True, eq=False)
class CountedItems(Transactions):
    """One record that holds every item that occurs; `supports` are those of all records."""

    counted: Int64s = field(default_factory=lambda: np.zeros(0, np.int64), repr=False)

    @property
    def supports(self) -> Int64s:
        return self.counted

    def without_sensitive(self) -> CountedItems:
        """The same of the items that are not sensitive."""
        hidden = np.zeros(len(self.vocabulary), np.bool_) if self.sensitive is None else self.sensitive
        usual = np.flatnonzero(~hidden)
        counted = self.counted[usual]
        codes = np.flatnonzero(counted).astype(np.int32)
        vocabulary = Vocabulary(self.vocabulary.series.gather(usual))
        return CountedItems(np.array([0, len(codes)], np.int64), codes, vocabulary, counted=counted)


@dataclass(frozen=True, eq=False, kw_only=True)
class EncodedTransactions(EncodedRecords):
    """Sets of items in shards."""

    vocabulary: Vocabulary
    sensitive: Bools | None = None
    collapsed: int = 0

    @cached_property
    def one_of_each(self) -> CountedItems:
        """One record that holds every item that occurs, with the supports of all records."""
        codes = np.flatnonzero(self.supports).astype(np.int32)
        offsets = np.array([0, len(codes)], np.int64)
        return CountedItems(offsets, codes, self.vocabulary, self.sensitive, counted=self.supports)

    @cached_property
    def whole(self) -> Transactions:
        """All records in memory, in input order."""
        if self.in_memory is not None:
            return cast(Transactions, self.in_memory)
        offsets, items = self._rows()
        persons = None if self.person is None else self.person.persons
        return Transactions(
            offsets,
            items,
            self.vocabulary,
            self.sensitive,
            collapsed=self.collapsed,
            ids=self._ids(),
            person=persons,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class EncodedTrajectories(EncodedRecords):
    """Trajectories in shards; `owners` are those of all in input order, where they are told."""

    locations: Locations
    drops_times: bool = False
    understood: tuple[tuple[str, str], ...] = ()
    owners: Int32s | None = field(default=None, repr=False)

    @property
    def is_large(self) -> bool:
        return self.owners is None and super().is_large

    @property
    def owner_repeats(self) -> bool:
        """Some individual has several trajectories."""
        return self.person is not None

    @property
    def occurring(self) -> Bools:
        """Which locations of the table occur."""
        occurs: Bools = self.supports > 0
        return occurs

    @cached_property
    def one_of_each(self) -> Trajectories:
        """One trajectory that visits every location that occurs: what there is to know of them without records."""
        codes = np.flatnonzero(self.occurring).astype(np.int32)
        offsets = np.array([0, len(codes)], np.int64)
        return Trajectories(
            offsets, codes, self.locations, understood=self.understood, ordered_by_time=self.drops_times
        )

    @cached_property
    def whole(self) -> Trajectories:
        """All trajectories in memory, in input order; of their times it is only known that there were some."""
        if self.in_memory is not None:
            return cast(Trajectories, self.in_memory)
        offsets, codes = self._rows()
        return Trajectories(
            offsets,
            codes,
            self.locations,
            self.owners,
            ids=self._ids(),
            understood=self.understood,
            ordered_by_time=self.drops_times,
        )


def is_many(n_records: int) -> bool:
    """Too many records for a release that is put together in memory."""
    return n_records > WHOLE_RECORDS


def check_memory(n_records: int, n_values: int, bytes_per_record: int, executor: Executor) -> None:
    """Refuse to put together a release that would not fit; records have more than their values where told."""
    needed = BYTES_PER_VALUE * (n_values + n_records) + bytes_per_record * n_records
    if needed > executor.memory:
        raise TooLarge(
            f"{n_records:,} records with {n_values:,} values need about {needed >> 20:,} MiB where their release is "
            f"put together; there are {executor.memory >> 20:,} MiB. Give more (`memory`)."
        )


def shard_records(data: Transactions | Trajectories, executor: Executor, bounds: Sequence[int]) -> EncodedRecords:
    """Data in memory in shards that end at the bounds."""
    codes = getattr(data, "items", None) if isinstance(data, Transactions) else data.codes
    assert codes is not None
    shards = save_ragged(executor.scratch.below("shards"), cut_ragged(data.offsets, codes, bounds))
    size = len(data.label_vocabulary)
    facts: dict[str, Any] = {
        "shards": shards,
        "n_records": len(data),
        "lengths": np.bincount(data.lengths, minlength=1).astype(np.int64),
        "supports": np.bincount(codes, minlength=size).astype(np.int64),
        "ids": () if data.ids is None else (executor.scratch.below("ids").save("ids", data.ids),),
        "person_like": data.person_like,
        "in_memory": data,
    }
    persons = data.person if isinstance(data, Transactions) else data.groups("owner").astype(np.int64)
    repeats = data.person_repeats if isinstance(data, Transactions) else data.owner_repeats
    if repeats and persons is not None:
        pieces = cut_people(data.offsets, codes, persons, max(len(bounds) - 1, 1))
        facts["person"] = people_of_records(pieces, persons, size, executor)
    if isinstance(data, Transactions):
        return EncodedTransactions(
            **facts, vocabulary=data.vocabulary, sensitive=data.sensitive, collapsed=data.collapsed
        )
    return EncodedTrajectories(
        **facts,
        locations=data.locations,
        drops_times=data.drops_times,
        understood=data.understood,
        owners=data.owners,
    )


def encode_records(scanned: ScannedRecords, executor: Executor) -> EncodedRecords:
    """Read every part once, and encode all of them alike."""
    parts = parts_of(scanned, executor)
    folder = str(executor.scratch.below("shards").folder)
    if scanned.on_grid:
        scanned = _with_projection(scanned, parts, executor)
    gathered = scanned.on_grid or (scanned.person_column is not None and not scanned.is_wide)
    files = gather_rows(scanned, parts, executor, folder) if gathered else []
    if not files:
        noted = executor.map(note_part, list(enumerate(parts)), folder, scanned)
        if first_repeated_id([note["hashes"] for note in noted]) is not None:  # rows of one id lie in several parts
            files = gather_rows(scanned, parts, executor, folder)
    if files:
        noted = executor.map(note_gathered, list(enumerate(files)), folder, scanned)
    if scanned.person_column is not None and first_repeated_id([note["hashes"] for note in noted]) is not None:
        twice = two_persons if scanned.stands_for is Transactions else two_owners
        raise twice(scanned.person_column, {"where": ROWS_OF_PARTS})
    first = noted[0]["data"]
    if scanned.has_location_table:
        vocabulary, locations = first.locations.vocabulary, first.locations
    elif scanned.on_grid:
        _check_times([one["data"] for one in noted if one["rows"]])
        locations = joined_cells([one["data"].locations for one in noted])
        vocabulary = locations.vocabulary
    else:
        vocabulary = vocabulary_of(noted)
        locations = Locations(vocabulary)
    facts: dict[str, Any] = {
        **encode_rows(noted, vocabulary, executor, folder),
        "ids": tuple(note["ids"] for note in noted if note["ids"]),
        "person_like": next((note["data"].person_like for note in noted if note["data"].person_like is not None), None),
    }
    if facts["person_like"] is None and any(note["ids"] for note in noted):
        facts["person_like"] = person_like_of_parts(scanned, parts, (), facts["n_records"], executor)
    owners = None
    if files:
        if scanned.person_column is not None:
            owners, facts["person"] = _people(scanned, facts["shards"], noted, len(vocabulary), executor)
        began = [(shard, one["first"], one["ids"]) for shard, one in zip(facts["shards"], noted, strict=True)]
        placed = arrange_records(began, len(parts), executor, folder)
        facts |= {
            "shards": numbered_shards(placed),
            "ids": tuple(placement["ids"] for placement in placed if placement["ids"]),
        }
    elif scanned.is_wide and scanned.person_column is not None:
        facts["person"] = _people_of_rows(facts["shards"], noted, len(vocabulary), executor)
    collapsed = sum(getattr(note["data"], "collapsed", 0) for note in noted)
    if scanned.unites and facts.get("person") is not None:
        held = int(facts["supports"].sum())
        made = unite_people(facts["person"], len(vocabulary), executor)
        facts |= {**_facts_of(made), "ids": (), "person_like": None, "person": None}
        collapsed += held - int(facts["supports"].sum())
    if scanned.stands_for is Transactions:
        mask = sensitive_mask(vocabulary, scanned.sensitive)
        return EncodedTransactions(**facts, vocabulary=vocabulary, sensitive=mask, collapsed=collapsed)
    encoded = EncodedTrajectories(
        **facts,
        locations=locations.marked(scanned.sensitive) if scanned.sensitive else locations,
        drops_times=any(note["data"].drops_times for note in noted),
        understood=first.understood,
        owners=None if owners is None else owners.astype(np.int32),
    )
    return _keep_times(encoded, scanned, noted, executor) if scanned.keeps_times else encoded


def _keep_times(
    encoded: EncodedTrajectories, scanned: ScannedRecords, noted: Sequence[Mapping[str, Any]], executor: Executor
) -> EncodedRecords:
    """The same with the times of visits, in the memory of this process: which times there are is known of all visits
    together, and the result is compared with them."""
    check_memory(len(encoded), 2 * int(encoded.supports.sum()), 0, executor)
    data = replace(
        encoded.whole,
        times=_times_in_order(noted),
        ordered_by_time=any(one["data"].ordered_by_time for one in noted),
        person_like=encoded.person_like,
    )
    bounds = [shard.first for shard in encoded.shards]
    return shard_records(cast(TrajectorySource, scanned.source).keep_times(data), executor, [*bounds, len(encoded)])


def _times_in_order(noted: Sequence[Mapping[str, Any]]) -> VisitTimes | None:
    """The times of all visits in the order of the input."""
    known = [load(one["times"]) for one in noted if one["rows"]]
    told = [times for times in known if times is not None]
    if not told or len(told) < len(known):
        return None
    if len({times.clock for times in told}) > 1:
        raise PartsDiffer(
            "Times of visits are seconds since 1970 in some parts, and plain numbers in others; write them alike."
        )
    names = [name for name, _ in told[0].columns]
    columns = {name: np.concatenate([getattr(times, name) for times in told]) for name in names}
    times = VisitTimes(clock=told[0].clock, **columns)
    if not all("first" in one for one in noted):
        return times
    began = [load(one["first"]) for one in noted]
    part, row = (np.concatenate([one[index] for one in began]) for index in range(2))
    offsets = offsets_of(np.concatenate([np.diff(load(one["file"])[0]) for one in noted]))
    return times.take(take_records(offsets, np.lexsort((row, part)))[1])


def _with_projection(scanned: ScannedRecords, parts: Sequence[Part], executor: Executor) -> ScannedRecords:
    """The same with the projection of all check-ins, where nobody said how degrees are projected."""
    source = cast(TrajectorySource, scanned.source)
    zone = zone_of_parts(source, parts, executor) if source.crs is None else None
    return scanned if zone is None else replace(scanned, source=replace(source, crs=zone))


def _check_times(gathered: Sequence[Trajectories]) -> None:
    """Times of all check-ins are understood alike."""
    for data in gathered[1:]:
        here, there = (dict(one.understood).get("time") for one in (data, gathered[0]))
        if here != there:
            raise PartsDiffer(
                f"Some times are understood as {here}, and others as {there}. Write all alike, or say how they are "
                "written (time_format)."
            )


def _people(
    scanned: ScannedRecords,
    shards: Sequence[RaggedShard],
    noted: Sequence[Mapping[str, Any]],
    n_codes: int,
    executor: Executor,
) -> tuple[Int64s, PeopleOfRecords | None]:
    """Whose the gathered records are, in the order of the input, numbered in the order of their names; and the people,
    None where each record is one, unless records are united."""
    names = pl.concat([load(note["names"]) for note in noted])
    people = Vocabulary.of(names)
    persons = people.encode(names).astype(np.int64)
    began = [load(note["first"]) for note in noted]
    part, row = (np.concatenate([one[index] for one in began]) for index in range(2))
    in_input_order = persons[np.lexsort((row, part))]
    if scanned.by_day:  # people are numbered as they appear
        _, first = np.unique(in_input_order, return_index=True)
        number = np.argsort(np.argsort(first))
        persons, in_input_order = number[persons], number[in_input_order]
    if len(people) == len(names) and not scanned.unites:
        return in_input_order, None
    scratch = executor.scratch.below("persons")
    starts = offsets_of(np.array([shard.rows for shard in shards])).tolist()
    files = [
        (shard.file, scratch.save(f"persons-{index:06d}", persons[starts[index] : starts[index + 1]]))
        for index, shard in enumerate(shards)
    ]
    return in_input_order, people_of_files(files, in_input_order, n_codes, executor)


def _people_of_rows(
    shards: Sequence[RaggedShard], noted: Sequence[Mapping[str, Any]], n_codes: int, executor: Executor
) -> PeopleOfRecords | None:
    """The people of records of which each is a row, in the order of their first records; None where each record is
    one."""
    names = pl.concat([load(note["names"]) for note in noted])
    persons = persons_by_first_record(Vocabulary.of(names).encode(names).astype(np.int64), len(names))
    return None if persons is None else people_of_shards(shards, persons, n_codes, executor)


def vocabulary_of(noted: Sequence[Mapping[str, Any]]) -> Vocabulary:
    """The labels of all parts."""
    return Vocabulary.of(pl.concat([load(note["labels"]) for note in noted]))


def encode_rows(
    noted: Sequence[Mapping[str, Any]], vocabulary: Vocabulary, executor: Executor, folder: str
) -> dict[str, Any]:
    """Rows that were noted in labels of their own as shards in codes of all, and what is known of all rows."""
    scratch = Scratch.at(folder)
    work = [
        (index, one["file"], scratch.save(f"codes-{index:06d}", vocabulary.encode(load(one["labels"]))))
        for index, one in enumerate(noted)
    ]
    return _facts_of(executor.map(encode_part, work, folder, len(vocabulary)))


def _facts_of(made: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Shards, and what is known of all rows by what each of them adds."""
    longest = max(len(one["lengths"]) for one in made)
    return {
        "shards": numbered_shards(made),
        "n_records": sum(one["rows"] for one in made),
        "lengths": np.sum([np.pad(one["lengths"], (0, longest - len(one["lengths"]))) for one in made], axis=0),
        "supports": np.sum([one["supports"] for one in made], axis=0),
    }


def numbered_shards(made: Sequence[Mapping[str, Any]]) -> tuple[RaggedShard, ...]:
    """Files with rows, in their order, as shards."""
    first = offsets_of(np.array([one["rows"] for one in made])).tolist()
    first_filled = offsets_of(np.array([one["filled"] for one in made])).tolist()
    return tuple(
        RaggedShard(one["file"], first[index], one["rows"], first_filled[index]) for index, one in enumerate(made)
    )


def note_part(numbered: tuple[int, Part], folder: str, scanned: ScannedRecords) -> dict[str, Any]:
    """The records of a part in its own codes, and its labels; without records also what is known of it."""
    number, part = numbered
    told = _noted(scanned.read_part(part), number, folder, scanned)
    if scanned.is_wide and scanned.person_column is not None:
        names = labels(scanned.read_rows(part), scanned.person_column, part.file)
        told["names"] = Scratch.at(folder).save(f"names-{number:06d}", names)
    return told


def note_gathered(numbered: tuple[int, str], folder: str, scanned: ScannedRecords) -> dict[str, Any]:
    """The same of whole records that were gathered from several parts, and where each of them began."""
    number, file = numbered
    data, part, row, names = load(file)
    scratch = Scratch.at(folder)
    told = {"first": scratch.save(f"first-{number:06d}", (part, row))}
    if names is not None:
        told["names"] = scratch.save(f"names-{number:06d}", names)
    return _noted(data, number, folder, scanned) | told


def _noted(data: Any, number: int, folder: str, scanned: ScannedRecords) -> dict[str, Any]:
    if scanned.person_column is None and (getattr(data, "person_repeats", False) or data.person is not None):
        raise PersonNotSupported("On parts records are counted, and in these data a person may have several.")
    codes = data.items if scanned.stands_for is Transactions else data.codes
    scratch = Scratch.at(folder)
    return {
        "rows": len(data),
        **save_rows(number, data.offsets, codes, data.label_vocabulary, folder),
        "ids": "" if data.ids is None else scratch.save(f"ids-{number:06d}", data.ids),
        "hashes": None if data.ids is None else hash_ids(data.ids),
        "times": scratch.save(f"times-{number:06d}", data.times) if scanned.keeps_times else "",
        "data": data.take(np.zeros(0, np.int64)),
    }


def save_rows(number: int, offsets: Int64s, codes: Int32s, vocabulary: Vocabulary, folder: str) -> dict[str, str]:
    """Files with the rows of a part in its own codes, and with the labels that these stand for."""
    scratch = Scratch.at(folder)
    return {
        "file": scratch.save(f"part-{number:06d}", (offsets, codes)),
        "labels": scratch.save(f"labels-{number:06d}", vocabulary.series),
    }


def encode_part(work: tuple[int, str, str], folder: str, size: int) -> dict[str, Any]:
    """A part in the codes of all, and what it adds to the facts."""
    number, file, lookup_file = work
    (offsets, codes), lookup = load(file), load(lookup_file)
    own = lookup[codes] if len(codes) else codes
    file = Scratch.at(folder).save(f"shard-{number:06d}", (offsets, own.astype(np.int32)))
    return told_of_rows(file, offsets, own, size)


def first_repeated_id(hashed: Sequence[pl.Series | None]) -> int | None:
    """A part that has rows of an id of which an earlier part has some, too."""
    known = [(hashes, index) for index, hashes in enumerate(hashed) if hashes is not None]
    if len(known) < 2:
        return None
    hashes = np.concatenate([one.to_numpy() for one, _ in known])
    part_of = np.repeat([number for _, number in known], [len(one) for one, _ in known])
    order = np.argsort(hashes, kind="stable")
    same = np.flatnonzero(hashes[order][1:] == hashes[order][:-1])
    return int(part_of[order[int(same[0]) + 1]]) if len(same) else None


def refuse_repeated_ids(hashed: Sequence[pl.Series | None], files: Sequence[str]) -> None:
    """The rows of one id lie in one part."""
    later = first_repeated_id(hashed)
    if later is not None:
        raise PartsDiffer(
            "Rows of one record lie in this part and in an earlier one. Write all rows of an id into one file.",
            where=files[later],
        )
