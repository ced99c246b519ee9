"""Places with times: what a location is where time belongs to what is published and to what others may know.

A timed place is a place, the bin in which a visit began and the bin in which it ended. Bins have one width and lie on
one grid, so the times of a visit fall into exactly one timed place. Methods treat timed places as locations.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from crypsis.arrays import Bools, Float64s, FrozenArrays, Int64s
from crypsis.data.visit_times import VisitTimes
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadParameter, BadRelease, BadTimestamps, NotApplicable, VagueTimes

if TYPE_CHECKING:
    from crypsis.data.symbols import Symbols
    from crypsis.data.trajectory import Locations, Trajectories
    from crypsis.fuzzytime import FuzzyArray

NO_TIME = np.iinfo(np.int64).min  # a sensitive place, which is published without its time
MINUTE, DAY, WEEK = 60, 86_400, 7 * 86_400
CYCLES = {"none": 0, "day": DAY, "week": WEEK}
WIDTHS = (15, 30, 60, 120, 180, 360, 720, 1440, 10_080)  # minutes; what is proposed where steps are too narrow
MERGE = "merge"
WAYS = {
    MERGE: "places and times together",
    "bin": "bins of one width, added to merged places",
    "cluster": "one span for a place in each cluster",
}
_FIRST_MONDAY = 4 * DAY
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_COLUMNS = ("enter_from", "enter_until", "exit_from", "exit_until")
_LATEST = 253_402_300_799  # the end of the year 9999


@dataclass(frozen=True, eq=False)
class TimedPlaces(FrozenArrays):
    """What each label stands for: a place and the beginnings of the bins, in seconds, in which visits begin and end.

    With a cycle seconds are counted from midnight, or from Monday, before the visit began; a visit may end after the
    cycle. `exit` is None where ends are not published; the bins of a place without times are `NO_TIME`. `way` says how
    times came to the places.
    """

    labels: tuple[str, ...]
    places: tuple[str, ...]
    enter: Int64s
    exit: Int64s | None
    width: int
    cycle: str = "none"
    clock: bool = True
    way: str = MERGE

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def number_of(self) -> dict[str, int]:
        """The row of each label."""
        return {label: index for index, label in enumerate(self.labels)}

    def place_of(self, label: str) -> str:
        """The place of a timed place."""
        return self.places[self.number_of[label]]

    def select(self, labels: Collection[str]) -> TimedPlaces:
        """The rows of these labels, by label: of others nothing is told."""
        rows = np.array([self.number_of[label] for label in sorted(labels)], np.int64)
        return replace(
            self,
            labels=tuple(self.labels[row] for row in rows.tolist()),
            places=tuple(self.places[row] for row in rows.tolist()),
            enter=self.enter[rows],
            exit=None if self.exit is None else self.exit[rows],
        )

    def periods(self, symbols: Symbols) -> FuzzyArray:
        """Per symbol the bounds of the times of a visit: the hull of the bins of its locations."""
        from crypsis.fuzzytime import FuzzyArray

        least, greatest = np.iinfo(np.int64).min, np.iinfo(np.int64).max
        rows = np.array([self.number_of.get(label, -1) for label in symbols.vocabulary.labels], np.int64)
        rows = rows[symbols.members]
        hidden = (rows < 0) | (self.enter[rows] == NO_TIME) if len(self) else np.ones(len(rows), np.bool_)
        enter = np.where(hidden, 0, self.enter[rows] if len(self) else 0)
        low = np.where(hidden, least, enter)
        inner = np.where(hidden, greatest, enter + self.width)
        if self.exit is None:
            inner_end, outer_end = low, np.full(len(rows), greatest)
        else:
            exit = np.where(hidden, 0, self.exit[rows] if len(self) else 0)
            inner_end, outer_end = np.where(hidden, least, exit), np.where(hidden, greatest, exit + self.width)
        starts = symbols.offsets[:-1]
        if not len(starts):
            return FuzzyArray(*(np.zeros(0, np.int64) for _ in range(4)))
        outer_start = np.minimum.reduceat(low, starts)
        outer_end = np.maximum.reduceat(outer_end, starts)
        return FuzzyArray(
            outer_start,
            np.minimum(np.maximum.reduceat(inner, starts), outer_end),
            np.maximum(np.minimum.reduceat(inner_end, starts), outer_start),
            outer_end,
        )

    def to_frame(self) -> pl.DataFrame:
        """Columns location, place, and from when until when visits begin and end."""
        columns: dict[str, Any] = {"location": list(self.labels), "place": list(self.places)}
        for name, bins in (("enter", self.enter), ("exit", self.exit)):
            if bins is not None:
                starts = [None if start == NO_TIME else start for start in bins.tolist()]
                columns[f"{name}_from"] = [self._written(start) for start in starts]
                columns[f"{name}_until"] = [self._written(None if s is None else s + self.width) for s in starts]
        return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))

    @classmethod
    def from_frame(cls, frame: pl.DataFrame, told: Mapping[str, Any], where: str | None = None) -> TimedPlaces:
        """From a file of a release and what its manifest tells."""
        width, ends = told["width"], bool(told["exits"])
        expected = ["location", "place", *_COLUMNS[: 4 if ends else 2]]
        if frame.columns != expected:
            raise BadRelease(f"The table of timed places must have the columns {', '.join(expected)}.", where=where)
        texts = {name: frame[name].cast(pl.String).to_list() for name in expected}
        if None in texts["location"] or None in texts["place"]:
            raise BadRelease("The table of timed places has a row without a location or a place.", where=where)
        starts: list[Int64s] = []
        for name in ("enter", "exit")[: 2 if ends else 1]:
            begin = [_seconds(text, where) for text in texts[f"{name}_from"]]
            end = [_seconds(text, where) for text in texts[f"{name}_until"]]
            wrong = [
                row
                for row, (first, last) in enumerate(zip(begin, end, strict=True))
                if (first is None) != (last is None) or (first is not None and last != first + width)
            ]
            if wrong:
                raise BadRelease(
                    f"Row {wrong[0]} of the table of timed places has a bin that is not {width} seconds wide.",
                    where=where,
                )
            starts.append(np.array([NO_TIME if first is None else first for first in begin], np.int64))
        return cls(
            tuple(texts["location"]),
            tuple(texts["place"]),
            starts[0],
            starts[1] if ends else None,
            width,
            told["cycle"],
            told["clock"],
            told.get("way", MERGE),
        )

    @property
    def grid(self) -> dict[str, Any]:
        """How time is cut into bins."""
        return {"width": self.width, "cycle": self.cycle, "clock": self.clock, "exits": self.exit is not None}

    def describe(self) -> dict[str, Any]:
        """What a manifest tells: public parameters only."""
        return self.grid | ({} if self.way == MERGE else {"way": self.way})

    def _written(self, second: int | None) -> str | None:
        if second is None:
            return None
        return _iso(second) if self.clock and self.cycle == "none" else str(second)

    def label_words(self, label: str) -> str:
        """A timed place for people: `pool (2024-03-01 12:00 to 14:00)`; another label as it is."""
        row = self.number_of.get(label)
        if row is None or self.enter[row] == NO_TIME:
            return label
        first = self._moment(int(self.enter[row]))
        last = self._moment(int((self.enter if self.exit is None else self.exit)[row]) + self.width)
        day, _, hour = last.rpartition(" ")
        same_day = bool(day) and first.startswith(f"{day} ")
        return f"{self.places[row]} ({first} to {hour if same_day else last})"

    def _moment(self, second: int) -> str:
        """A moment without its seconds, which bins do not have; of a cycle the time of day, or the day of the week."""
        clock = f"{second % DAY // 3600:02d}:{second % 3600 // 60:02d}"
        if self.cycle == "day":
            return clock
        if self.cycle == "week":
            return f"{WEEKDAYS[second // DAY % 7]} {clock}"
        return _iso(second).replace("T", " ")[:16] if self.clock else f"{second:,}"

    @property
    def words(self) -> str:
        """How coarse the times are, for people."""
        steps = {DAY: "day", 3600: "hour", MINUTE: "minute", 1: "second"}
        unit = next(seconds for seconds in steps if self.width % seconds == 0)
        many = self.width // unit
        width = f"{many} {steps[unit]}{'' if many == 1 else 's'}"
        when = {"none": "", "day": ", by time of day", "week": ", by time of the week"}[self.cycle]
        return f"in steps of {width}{when}"


def is_described(told: Any) -> bool:
    """Whether a manifest tells of timed places in the form of `describe`."""
    return (
        isinstance(told, dict)
        and set(told) | {"way"} == {"width", "cycle", "clock", "exits", "way"}
        and isinstance(told.get("way", MERGE), str)
        and told.get("way", MERGE) in WAYS
        and type(told["width"]) is int
        and 0 < told["width"] <= 10_000 * DAY
        and isinstance(told["cycle"], str)
        and told["cycle"] in CYCLES
        and isinstance(told["clock"], bool)
        and isinstance(told["exits"], bool)
        and (told["cycle"] == "none" or (told["clock"] and CYCLES[told["cycle"]] % told["width"] == 0))
    )


def bind_times(
    data: Trajectories, *, width: int = 15, cycle: str = "none", weight: float | None = None
) -> Trajectories:
    """The same trajectories over timed places: a location is a place with the bins in which a visit began and ended.

    `width` is that of a bin in minutes, `cycle` counts time from midnight or Monday, `weight` says how many units of
    the map a second is worth when nearby locations are sought; without it an hour is worth the usual distance between
    neighbouring places. Sensitive places keep no time: each stays one location, whose share can be bounded.
    """
    times = data.times
    if data.locations.times is not None:
        raise NotApplicable("The locations of these trajectories have times already.")
    if times is None:
        raise NotApplicable(
            "These visits have no times to keep. Say which column holds them (enter='COLUMN', and exit='COLUMN' where "
            "ends are known)."
        )
    check_choices(width, cycle, weight, times.clock)
    if split_visits(data, width, cycle).any():
        raise times_too_vague(data, width, cycle)
    seconds, base = width * MINUTE, _cycle_start(times, cycle)
    enter = (times.enter - base) // seconds * seconds
    exit = None if times.exit is None else (times.exit - base) // seconds * seconds
    sensitive = data.locations.sensitive
    if sensitive is not None:
        hidden = sensitive[data.codes]
        enter = np.where(hidden, NO_TIME, enter)
        exit = None if exit is None else np.where(hidden, NO_TIME, exit)
    keys = pl.DataFrame({"place": data.codes, "enter": enter, "exit": enter if exit is None else exit})
    bins = keys.unique().sort("place", "enter", "exit").with_row_index("number")
    codes = keys.join(bins, on=["place", "enter", "exit"], how="left", maintain_order="left")["number"]
    of_place = bins["place"].to_numpy()
    names = data.locations.vocabulary.decode(of_place).to_list()
    made = TimedPlaces(
        (), tuple(names), bins["enter"].to_numpy(), None if exit is None else bins["exit"].to_numpy(), seconds,
        cycle, times.clock,
    )  # fmt: skip
    labels = tuple(_label(made, index) for index in range(len(names)))
    locations = _locations(data.locations, replace(made, labels=labels), of_place, weight)
    facts = (("times", f"kept {made.words}, with the places"),)
    return replace(
        data,
        codes=codes.to_numpy().astype(np.int32),
        locations=locations,
        times=None,
        attached=None,
        ordered_by_time=False,
        understood=(*data.understood, *facts),
    )


def split_visits(data: Trajectories, width: int, cycle: str) -> Bools:
    """Which visits are known less precisely than bins of this width in minutes, so that they lie in no single bin.

    Visits to sensitive places have no times and lie in none.
    """
    times = data.times
    assert times is not None
    seconds, base = width * MINUTE, _cycle_start(times, cycle)
    split = np.zeros(len(times), np.bool_)
    for earliest, latest in ((times.enter, times.enter_until), (times.exit, times.exit_until)):
        if earliest is not None and latest is not None:
            split |= (earliest - base) // seconds != (latest - base) // seconds
    if data.locations.sensitive is not None:
        split &= ~data.locations.sensitive[data.codes]
    return split


def times_too_vague(data: Trajectories, width: int, cycle: str) -> VagueTimes:
    """The refusal of visits whose bounds lie in several bins, with what would do."""
    many = int(split_visits(data, width, cycle).sum())
    wider = [one for one in WIDTHS if one > width and (cycle == "none" or CYCLES[cycle] % (one * MINUTE) == 0)]
    enough = next((candidate for candidate in wider if not split_visits(data, candidate, cycle).any()), None)
    remedy = "Drop the times, or leave these visits out."
    if enough is not None:
        remedy = (
            f"Choose wider steps (time_width={enough} holds all of them), drop the times, or leave these visits out."
        )
    return VagueTimes(
        f"{many:,} of {data.visits:,} visits began or ended within bounds that lie in several steps of {width} "
        f"minutes; publishing one step of them would not be true of all that may have been. {remedy}",
        visits=many,
    )


def suggest_time_weight(locations: Locations) -> float:
    """Units of the map per second, from the map alone: an hour is worth the usual distance between neighbours.

    0 where there is no map, or a single place.
    """
    if locations.grid is not None:
        return float(locations.grid.size) / 3600
    if locations.x is None or locations.y is None or len(locations) < 2:
        return 0.0
    from scipy.spatial import cKDTree

    points = np.column_stack([locations.x, locations.y])
    nearest = cKDTree(points).query(points, k=2)[0][:, 1]
    return float(np.median(nearest)) / 3600


def _locations(base: Locations, times: TimedPlaces, of_place: Any, weight: float | None) -> Locations:
    x, y = base.x, base.y
    heights: Float64s | None = None
    if x is not None and y is not None:
        x, y = x[of_place], y[of_place]
        factor = suggest_time_weight(base) if weight is None else weight
        middle = np.where(times.enter == NO_TIME, 0, times.enter) + times.width / 2
        heights = factor * (middle - middle.min(initial=np.inf)) if len(middle) else middle
    sensitive = None if base.sensitive is None else base.sensitive[of_place]
    return replace(
        base,
        vocabulary=Vocabulary(times.labels),
        x=x,
        y=y,
        sensitive=sensitive,
        height=heights,
        times=times,
        base=base,
    )


def _cycle_start(times: VisitTimes, cycle: str) -> Any:
    """The midnight or Monday before each visit began; 0 without a cycle."""
    length = CYCLES[cycle]
    if not length:
        return 0
    first = _FIRST_MONDAY if cycle == "week" else 0
    return times.enter - (times.enter - first) % length


def check_choices(width: int, cycle: str, weight: float | None, clock: bool) -> None:
    """Refuse a width, cycle or weight of time that cannot be, or that these times do not fit."""
    if isinstance(width, bool) or not isinstance(width, int) or not 1 <= width <= 10_000 * DAY // MINUTE:
        raise BadParameter(f"time_width must be a whole number of minutes of at least 1, got {width!r}.")
    if cycle not in CYCLES:
        raise BadParameter(f"time_cycle must be one of {', '.join(CYCLES)}, got {cycle!r}.", parameter="time_cycle")
    length = CYCLES[cycle]
    if length and not clock:
        raise BadTimestamps(f"time_cycle={cycle!r} needs timestamps, and the times of these visits are numbers.")
    if length and length % (width * MINUTE):
        raise BadParameter(
            f"time_width={width} does not divide a {cycle}; a bin would begin in one {cycle} and end in the next. "
            f"Choose one that divides {length // MINUTE:,} minutes.",
            parameter="time_width",
        )
    if weight is not None and not (np.isfinite(weight) and weight >= 0):
        raise BadParameter(f"time_weight must be a number of at least 0, got {weight!r}.", parameter="time_weight")


def _label(times: TimedPlaces, number: int) -> str:
    place, start = times.places[number], int(times.enter[number])
    if start == NO_TIME:
        return place
    bins = [start] if times.exit is None else [start, int(times.exit[number])]
    return f"{place}@{'/'.join(_short(second, times) for second in bins)}"


def _short(second: int, times: TimedPlaces) -> str:
    if not times.clock:
        return str(second)
    if times.cycle == "none":
        return _iso(second)[:16] if second % MINUTE == 0 else _iso(second)
    days, rest = divmod(second, DAY)
    clock = f"{rest // 3600:02d}:{rest // MINUTE % 60:02d}"
    if times.cycle == "week":
        return f"{WEEKDAYS[days % 7]}{f'+{days // 7}' if days >= 7 else ''} {clock}"
    return clock if not days else f"{clock}+{days}"


def _iso(second: int) -> str:
    if not -62_135_596_800 <= second <= _LATEST:
        raise BadTimestamps("A time lies outside the years 1 to 9999.")
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def _seconds(text: str | None, where: str | None) -> int | None:
    if text is None or text == "":
        return None
    try:
        if "T" in text:
            return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())
        value = int(text)
        if abs(value) > 2**53:
            raise ValueError(text)
        return value
    except ValueError:
        raise BadRelease(f"The table of timed places holds {text[:40]!r}, which is no time.", where=where) from None
