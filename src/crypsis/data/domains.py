"""Declared domains: which locations and which times there are, whoever was there. Public by declaration.

Under differential privacy everything but the records must be public, and what occurs in the data is not: one person may
be the only one to have been somewhere. A domain is therefore given. Who knows that the locations (or times) that occur
in the data are public anyway writes so: `public-in-data`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Float64s, Int32s, Int64s
from crypsis.data.formats.compression import names_file
from crypsis.data.formats.tabular import read_table_file
from crypsis.data.stream import UNITS, Events
from crypsis.data.trajectory import Locations
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadDomain, BadRelease, CrypsisError
from crypsis.parameters import Deferred, SideInput
from crypsis.translation import marked

PUBLIC_IN_DATA = "public-in-data"
THOSE_OF_DATA = marked("those of the data, declared public by the publisher")  # what that declares

_ISO_RANGE = re.compile(r"(?P<first>\d{4}-.+?)\.\.(?P<stop>\d{4}-.+?)\.\.(?P<step>\d+)(?P<unit>s|min|h|day)")


class LocationDomain(SideInput):
    """The locations that there are, in the order that counts; with coordinates where the map is public, too."""

    in_words = f"the locations that there are (a file, a,b,c, or {PUBLIC_IN_DATA})"

    def __init__(
        self,
        labels: Iterable[str] | pl.Series,
        x: Float64s | None = None,
        y: Float64s | None = None,
        *,
        declared: str = "declared by the publisher",
    ) -> None:
        series = labels if isinstance(labels, pl.Series) else pl.Series(list(labels), dtype=pl.String)
        if not len(series):
            raise BadDomain("A domain of locations needs at least one location.")
        wrong = series.is_null() | (series.str.strip_chars() == "") | series.str.contains("\n", literal=True)
        if wrong.any():
            raise BadDomain(
                "A location of the domain has an empty label, or one with a line break; name every location.",
                row=int(wrong.arg_true()[0]),
            )
        twice = series.is_duplicated()
        if twice.any():
            raise BadDomain(f"Location {series.filter(twice)[0]!r} is listed twice in the domain; list each once.")
        self.vocabulary = Vocabulary(series)
        self.x, self.y = x, y
        self.declared = declared

    @classmethod
    def from_text(cls, text: str) -> LocationDomain | PublicLocations:
        if text == PUBLIC_IN_DATA:
            return PublicLocations()
        path, _, column = (text, "", "location") if names_file(text) else text.rpartition(":")
        if path and names_file(path):
            return cls._from_file(path, column or "location")
        if Path(text).suffix or "," not in text:
            read_table_file(text)  # says what is wrong with the file
        return cls([label.strip() for label in text.split(",")])

    @classmethod
    def _from_file(cls, path: str, column: str) -> LocationDomain:
        from crypsis.data.formats.columns import labels, numbers

        frame, source = read_table_file(path)
        series = labels(frame, column, source)
        x = y = None
        if {"x", "y"} <= set(frame.columns):
            x, y = numbers(frame, "x", source), numbers(frame, "y", source)
        return cls(series, x, y)

    @property
    def labels(self) -> tuple[str, ...]:
        return self.vocabulary.labels

    def reordered(self, order: Int64s) -> LocationDomain:
        """The same locations in another order, for a taxonomy that brings them together."""
        x, y = (None if part is None else part[order] for part in (self.x, self.y))
        return LocationDomain(self.vocabulary.series.gather(order), x, y, declared=self.declared)

    def table(self) -> Locations | None:
        """The location table, where the map is public."""
        return None if self.x is None or self.y is None else Locations(self.vocabulary, self.x, self.y)

    @property
    def digest(self) -> str:
        """SHA-256 of the labels in their order."""
        return _digest(list(self.labels))

    def to_json(self) -> dict[str, Any]:
        """All of it; with the coordinates where there are any."""
        points = {} if self.x is None or self.y is None else {"x": self.x.tolist(), "y": self.y.tolist()}
        return {"labels": list(self.labels), **points, "declared": self.declared}

    @classmethod
    def from_json(cls, content: Any) -> LocationDomain:
        try:
            points = {name: np.array(content[name], np.float64) for name in ("x", "y") if name in content}
            return cls(content["labels"], **points, declared=content["declared"])
        except CrypsisError:
            raise
        except (KeyError, TypeError, ValueError, pl.exceptions.PolarsError) as error:
            raise BadRelease("The release describes its locations in a way that is not understood.") from error

    def __len__(self) -> int:
        return len(self.vocabulary)

    @property
    def identity(self) -> Hashable:
        return (
            self.labels,
            *(None if part is None else tuple(part.tolist()) for part in (self.x, self.y)),
            self.declared,
        )

    def __str__(self) -> str:
        return marked(f"{len(self)} locations, {self.declared}")


@dataclass(frozen=True)
class TimeDomain(SideInput):
    """Times from `first` up to and without `stop`, in bins of `step`. A bin is named after its first time.

    `unit` only says what one step of the data's time is, where it is known.
    """

    in_words = f"the times that there are (0:168, 0:168:6, 2020-03-01..2020-05-01..24h, or {PUBLIC_IN_DATA})"

    first: int
    stop: int
    step: int = 1
    unit: str | None = None
    declared: str = "declared by the publisher"

    def __post_init__(self) -> None:
        numbers = (self.first, self.stop, self.step)
        if not all(isinstance(number, int) and not isinstance(number, bool) for number in numbers):
            raise BadDomain(f"A domain of times is made of whole numbers, got {numbers}.")
        if self.step < 1 or self.first >= self.stop or max(abs(self.first), abs(self.stop)) >= 2**62:
            raise BadDomain(
                "A domain of times needs first < stop and a step of at least 1, "
                f"got {self.first}:{self.stop}:{self.step}."
            )
        if len(self) > 2**31 - 1:
            raise BadDomain(f"A domain of {len(self):,} times is too large; take a larger step.")

    @classmethod
    def from_text(cls, text: str) -> TimeDomain | PublicTimes:
        if text == PUBLIC_IN_DATA:
            return PublicTimes()
        dates = _ISO_RANGE.fullmatch(text)
        try:
            if dates:
                unit = dates["unit"]
                first, stop = (_since_1970(dates[end], UNITS[unit]) for end in ("first", "stop"))
                return cls(first, stop, int(dates["step"]), unit)
            first, stop, step = map(int, (*text.split(":"), *("1",) * (text.count(":") == 1)))
            return cls(first, stop, step)
        except CrypsisError:
            raise
        except (ValueError, TypeError) as error:
            raise BadDomain(f"{text!r} is not a domain of times; write {cls.in_words}.") from error

    def encode(self, times: Int64s) -> Int32s:
        """The bin of each time, -1 where it is outside."""
        inside = (times >= self.first) & (times < self.stop)
        return np.where(inside, (np.where(inside, times, self.first) - self.first) // self.step, -1).astype(np.int32)

    def decode(self, codes: Int32s) -> Int64s:
        """The first time of each bin."""
        return self.first + codes.astype(np.int64) * self.step

    @property
    def digest(self) -> str:
        """SHA-256 of first, stop and step."""
        return _digest([self.first, self.stop, self.step])

    def to_json(self) -> dict[str, Any]:
        return {
            "first": self.first,
            "stop": self.stop,
            "step": self.step,
            "unit": self.unit,
            "declared": self.declared,
        }

    @classmethod
    def from_json(cls, content: Any) -> TimeDomain:
        try:
            return cls(**content)
        except (TypeError, BadDomain) as error:
            raise BadRelease("The release describes its times in a way that is not understood.") from error

    def __len__(self) -> int:
        return -((self.first - self.stop) // self.step)

    def __str__(self) -> str:
        return marked(f"{len(self)} times, {self.declared}")


class PublicInData(Deferred):
    """What the data span, which whoever says so knows to be public."""

    def __str__(self) -> str:
        return PUBLIC_IN_DATA


@dataclass(frozen=True)
class PublicLocations(PublicInData):
    """The locations of the data, which whoever says so knows to be public."""

    makes = LocationDomain

    def make(self, data: Events) -> LocationDomain:
        places = data.locations
        if not len(places):
            raise BadDomain("The data name no location, so the domain cannot be taken from them; declare it.")
        return LocationDomain(places.vocabulary.series, places.x, places.y, declared=THOSE_OF_DATA)


@dataclass(frozen=True)
class PublicTimes(PublicInData):
    """The time from the first event of the data to the last, which whoever says so knows to be public."""

    makes = TimeDomain

    def make(self, data: Events) -> TimeDomain:
        if not len(data):
            raise BadDomain("The data hold no event, so the domain cannot be taken from them; declare it.")
        return TimeDomain(int(data.t.min()), int(data.t.max()) + 1, declared=THOSE_OF_DATA)


def _since_1970(text: str, seconds: int) -> int:
    moment = datetime.fromisoformat(text)
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return int(moment.timestamp()) // seconds


def _digest(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()).hexdigest()
