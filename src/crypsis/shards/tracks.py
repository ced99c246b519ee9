"""Tracks in shards: facts about all tracks at the driver, and the fixes of each part in a file.

A part is read once, or twice where degrees are to be projected and nobody said how: the zone is that of all fixes
together. A fix is six whole numbers whose order as a list is that of x, y and t.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from crypsis.arrays import Float64s, Int32s, Int64s
from crypsis.data.formats.tabular import different_stems
from crypsis.data.owned_rows import persons_of
from crypsis.data.person_detection import PersonLike
from crypsis.data.scanned import Part
from crypsis.data.scanned_records import ScannedRecords
from crypsis.data.sources import TrackSource
from crypsis.data.track import Tracks
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import PartsDiffer, TooLarge
from crypsis.executors.executor import Executor
from crypsis.executors.scratch import Scratch, load
from crypsis.shards.gathered_rows import arrange_records, gather_rows, hash_ids
from crypsis.shards.parts_of_input import parts_of
from crypsis.shards.projected_parts import count_degrees, zone_of_parts
from crypsis.shards.ragged import RaggedShard, cut_ragged, joined_rows, save_ragged
from crypsis.shards.records import first_repeated_id, is_many, numbered_shards
from crypsis.shards.suspected_people import person_like_of_parts

CODES_PER_FIX = 6
BYTES_PER_FIX = 256  # where a release is put together, and verified; 235 were measured with 4.8 million fixes
_SIGN = np.int64(0x7FFF_FFFF_FFFF_FFFF)
_HALF = np.int64(1 << 31)
_LOW = np.int64(0xFFFF_FFFF)
_DECIMAL = r"^-?\d+\.0$|^-?[\d.]+e\d+$"


@dataclass(frozen=True, eq=False, kw_only=True)
class EncodedTracks:
    """What the driver knows of all tracks: how many there are, with how many fixes, in which projection."""

    shards: tuple[RaggedShard, ...]
    n_records: int
    n_fixes: int
    longest: int
    crs: str | None
    repeated: int = 0
    ids: tuple[str, ...] = field(default=(), repr=False)  # files with the ids of each shard
    owner_names: pl.Series | None = field(default=None, repr=False)
    person_like: PersonLike | None = None
    understood: tuple[tuple[str, str], ...] = ()
    in_memory: Tracks | None = field(default=None, repr=False)  # the same data, where they came from memory

    @cached_property
    def owners(self) -> Int32s | None:
        """The individual of each track as an integer."""
        if self.in_memory is not None:
            return self.in_memory.owners
        return None if self.owner_names is None else Vocabulary.of(self.owner_names).encode(self.owner_names)

    @property
    def person(self) -> Int64s | None:
        """The person of each track, numbered from 0; None where each track is a person of its own."""
        return persons_of(self.owners, len(self))

    @property
    def is_large(self) -> bool:
        """Too many tracks for a release that is put together in memory."""
        return self.in_memory is None and is_many(self.n_records)

    def check_fits(self, executor: Executor) -> None:
        """The release is put together here: refuse what would not fit, before anything is done."""
        needed = BYTES_PER_FIX * self.n_fixes
        if needed > executor.memory:
            raise TooLarge(
                f"{self.n_records:,} tracks with {self.n_fixes:,} fixes need about {needed >> 20:,} MiB where their "
                f"release is put together; there are {executor.memory >> 20:,} MiB. Give more (`memory`)."
            )

    @cached_property
    def whole(self) -> Tracks:
        """All tracks in memory, in input order."""
        if self.in_memory is not None:
            return self.in_memory
        offsets, codes = joined_rows([shard.read() for shard in self.shards])
        return Tracks(
            offsets // CODES_PER_FIX,
            *fixes_of_codes(codes),
            owners=self.owners,
            ids=names_of(self.ids),
            owner_names=self.owner_names,
            crs=self.crs,
            repeated=self.repeated,
            person_like=self.person_like,
            understood=self.understood,
        )

    def __len__(self) -> int:
        return self.n_records


def names_of(files: Sequence[str]) -> pl.Series | None:
    """The names in files, one behind the other."""
    known = [load(file) for file in files]
    if len({series.dtype for series in known}) > 1:
        known = [series.cast(pl.String) for series in known]
    return pl.concat(known) if known else None


def codes_of_fixes(tracks: Tracks) -> tuple[Int64s, Int32s]:
    """Offsets and codes of the fixes of each track."""
    keys = _ordered(np.column_stack((tracks.x, tracks.y, tracks.t)).view(np.int64))
    codes = np.empty((*keys.shape, 2), np.int32)
    codes[..., 0] = keys >> 32
    codes[..., 1] = (keys & _LOW) - _HALF
    return tracks.offsets * CODES_PER_FIX, codes.ravel()


def fixes_of_codes(codes: Int32s) -> tuple[Float64s, Float64s, Float64s]:
    """x, y and t of the fixes that codes stand for."""
    pairs = codes.reshape(-1, 3, 2).astype(np.int64)
    values = _ordered((pairs[..., 0] << 32) | (pairs[..., 1] + _HALF)).view(np.float64)
    x, y, t = (np.ascontiguousarray(values[:, index]) for index in range(3))
    return x, y, t


def _ordered(bits: NDArray[np.int64]) -> NDArray[np.int64]:
    """The bits of numbers in the order of the numbers; twice it is the bits again."""
    return bits ^ ((bits >> 63) & _SIGN)


def shard_tracks(data: Tracks, executor: Executor, bounds: Sequence[int]) -> EncodedTracks:
    """Tracks in memory in shards that end at the bounds."""
    return EncodedTracks(
        shards=save_ragged(executor.scratch.below("shards"), cut_ragged(*codes_of_fixes(data), bounds)),
        n_records=len(data),
        n_fixes=data.points,
        longest=int(data.lengths.max(initial=0)),
        crs=data.crs,
        repeated=data.repeated,
        person_like=data.person_like,
        understood=data.understood,
        in_memory=data,
    )


def encode_tracks(scanned: ScannedRecords, executor: Executor) -> EncodedTracks:
    """Read every part, and project all of them alike."""
    parts = parts_of(scanned, executor)
    folder = str(executor.scratch.below("shards").folder)
    scanned = _with_projection(scanned, parts, executor)
    noted = executor.map(note_part, list(enumerate(parts)), folder, scanned)
    filled = [(part, one) for part, one in zip(parts, noted, strict=True) if one["rows"]]
    for part, one in filled[1:]:
        _check_alike(part, one, filled[0][1])
    first = (filled[0][1] if filled else noted[0])["data"]
    noted = _named_apart(noted, scanned, parts, executor, folder)
    if first_repeated_id([note["hashes"] for note in noted]) is not None:  # fixes of one track lie in several parts
        scanned = replace(scanned, track_column=dict(first.understood)["id"])
        files = gather_rows(scanned, parts, executor, folder)
        noted = executor.map(note_gathered, list(enumerate(files)), folder)
        began = [(shard, one["first"], one["ids"]) for shard, one in zip(numbered_shards(noted), noted, strict=True)]
        placed = arrange_records(began, len(parts), executor, folder)
    else:
        placed = noted
    n_records = sum(note["rows"] for note in noted)
    like = next((note["data"].person_like for note in noted if note["data"].person_like is not None), None)
    told = dict(first.understood)
    if like is None and "person" not in told and "id" in told:
        scanned = replace(scanned, track_column=told["id"])
        like = person_like_of_parts(scanned, parts, [*told.values()], n_records, executor)
    return EncodedTracks(
        shards=numbered_shards(placed),
        n_records=n_records,
        n_fixes=sum(note["fixes"] for note in noted),
        longest=max((note["longest"] for note in noted), default=0),
        crs=first.crs,
        repeated=sum(note["data"].repeated for note in noted),
        ids=tuple(placement["ids"] for placement in placed if placement["ids"]),
        owner_names=_owners_in_order(noted, placed),
        person_like=like,
        understood=first.understood,
    )


def _named_apart(
    noted: list[dict[str, Any]], scanned: ScannedRecords, parts: Sequence[Part], executor: Executor, folder: str
) -> list[dict[str, Any]]:
    """Tracks named by their file alone (GPX, KML) are called after it where two files have one of the same name."""
    if first_repeated_id([note["hashes"] for note in noted]) is None:
        return noted
    by_file = executor.map(_names_tracks_by_file, list(parts), scanned.source.holding)
    if first_repeated_id([note["hashes"] for note, named in zip(noted, by_file, strict=True) if named]) is None:
        return noted
    scratch = Scratch.at(folder)
    renamed = []
    for number, (note, named, stem) in enumerate(
        zip(noted, by_file, different_stems([Path(part.file) for part in parts]), strict=True)
    ):
        if named and note["ids"]:
            ids = load(note["ids"]).cast(pl.String)
            ids = (f"{stem}: " + ids).rename(ids.name)
            note = note | {"ids": scratch.save(f"named-{number:06d}", ids), "hashes": hash_ids(ids)}
        renamed.append(note)
    return renamed


def _names_tracks_by_file(part: Part, holding: frozenset[str]) -> bool:
    return part.read_with(lambda file: file.format_of(holding).names_tracks_by_file)


def _owners_in_order(noted: Sequence[dict[str, Any]], placed: Sequence[dict[str, Any]]) -> pl.Series | None:
    """The owner of each track, where tracks have owners; tracks were noted in one order and stand in another."""
    owners = names_of([note["owners"] for note in noted if note["owners"]])
    if owners is None or noted is placed:
        return owners
    told, asked = (names_of([piece["ids"] for piece in pieces if piece["ids"]]) for pieces in (noted, placed))
    assert told is not None
    assert asked is not None
    known = pl.DataFrame({"id": told.cast(pl.String), "owner": owners})
    return asked.cast(pl.String).alias("id").to_frame().join(known, on="id", how="left", maintain_order="left")["owner"]


def _check_alike(part: Part, noted: dict[str, Any], first: dict[str, Any]) -> None:
    """Parts are read alike: what is taken for something else in one of them would be other data."""
    here, there = dict(noted["data"].understood), dict(first["data"].understood)
    for role in {**there, **here}:
        if here.get(role) != there.get(role):
            raise PartsDiffer(
                f"The {role} of this part is {here.get(role, 'nothing')}, and of the first one "
                f"{there.get(role, 'nothing')}. Write all parts alike, or say which columns are what and how times are "
                "written (time_format).",
                where=part.file,
            )
    if noted["decimal_ids"] != first["decimal_ids"]:  # 7 and 7.0 would be two tracks
        raise PartsDiffer(
            f"Column '{here['id']}' holds names such as 7.0 in this part or in the first one, and not in the other; "
            "write them alike.",
            where=part.file,
            column=here["id"],
        )


def note_part(numbered: tuple[int, Part], folder: str, scanned: ScannedRecords) -> dict[str, Any]:
    """The tracks of a part; without fixes also what is known of it."""
    number, part = numbered
    return _noted(scanned.read_part(part), number, folder)


def note_gathered(numbered: tuple[int, str], folder: str) -> dict[str, Any]:
    """The same of whole tracks that were gathered from several parts, and where each of them began."""
    number, file = numbered
    data, part, row, _ = load(file)
    first = Scratch.at(folder).save(f"first-{number:06d}", (part, row))
    return _noted(data, number, folder) | {"first": first}


def _noted(data: Tracks, number: int, folder: str) -> dict[str, Any]:
    scratch = Scratch.at(folder)
    return {
        "file": scratch.save(f"part-{number:06d}", codes_of_fixes(data)),
        "rows": len(data),
        "filled": len(data),
        "fixes": data.points,
        "longest": int(data.lengths.max(initial=0)),
        "ids": "" if data.ids is None else scratch.save(f"ids-{number:06d}", data.ids),
        "decimal_ids": data.ids is not None and bool(data.ids.cast(pl.String).str.contains(_DECIMAL).any()),
        "owners": "" if data.owner_names is None else scratch.save(f"owners-{number:06d}", data.owner_names),
        "hashes": None if data.ids is None else hash_ids(data.ids),
        "data": data.take(np.zeros(0, np.int64)),
    }


def _with_projection(scanned: ScannedRecords, parts: Sequence[Part], executor: Executor) -> ScannedRecords:
    """The same with the projection of all parts, where degrees are to be projected and nobody said how."""
    source = cast(TrackSource, scanned.source)
    if source.crs is not None or executor.map(count_degrees, parts[:1], source)[0] is None:
        return scanned
    zone = zone_of_parts(source, parts, executor)
    return scanned if zone is None else replace(scanned, source=replace(source, crs=zone))
