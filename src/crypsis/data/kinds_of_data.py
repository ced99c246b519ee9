"""Which kind of data a file seems to hold, and why: by the names of columns, then by what its values tell.

Tracks need somebody who moves, a time and coordinates; visits an order and places; baskets a record and its items, told
by their names or because only one column varies within a record. A list is ordered if it repeats labels or prefers one
order of two labels without always writing them so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import offsets_of
from crypsis.data.column_words import meanings_of
from crypsis.data.formats.columns import seconds_of_day
from crypsis.data.formats.compression import read_beginning
from crypsis.data.formats.csv import SNIFFED, Csv, aligned_columns, cells_at, numbered_names
from crypsis.data.formats.format import Sequences
from crypsis.data.formats.timestamps import looks_like_dates
from crypsis.data.person_detection import identifies_by_name, names_a_mover, names_a_person, word_set, words_of
from crypsis.data.usual_columns import (
    EAST_NAMES,
    EVENT,
    ID_NAMES,
    ITEM_NAMES,
    LATITUDE_NAMES,
    LOCATION_NAMES,
    LONGITUDE_NAMES,
    NORTH_NAMES,
    OWNER_NAMES,
    POINT_NAMES,
    POSITION_NAMES,
    SURE_ITEM_NAMES,
    TIME_NAMES,
    basket_column,
    event_columns,
    item_column,
    latitude_column,
    location_column,
    longitude_column,
    mover_column,
    time_column,
    track_column,
    usual_column,
)
from crypsis.data.values import inferred_type
from crypsis.errors import CrypsisError
from crypsis.wording import enumerated

_FEW = 3  # columns that a long table of items has, as a rule
_FEW_OF_EVENTS = 4  # columns that a table of events has, where their names are not the usual ones
_MOST_COLUMNS = 8  # of a table in which it is looked which column varies within a record
_FEWEST_ROWS = 30
_LOOKED_AT = 100_000  # lines of a list, or rows of a table
_REPEATING = 0.05  # share of the lines in which a label stands twice
_BOTH_ORDERS = 0.05  # share of the neighbours that stand in both orders
_PREFERRED = 3.0  # how far orders are from chance: the mean of (a - b)² / (a + b), which is 1 by chance
_DECIMAL = r"^\s*[+-]?\d+\.\d+\s*$"
_YEAR_1990, _YEAR_2100 = 631_152_000, 4_102_444_800  # in seconds since 1970
_OF_PEOPLE = frozenset({"sex", "age", "birth", "disease", "diagnosis_code", "income"})  # no fix tells them
_STATES = frozenset({"0", "1", "2", "newpoint", "point", "disappearpoint"})
_OF_STAYS = frozenset({"at", "time", "datetime", "timestamp", "date", "t"})
_STARTS = word_set(
    """
    start started begin beginn enter entered from origin pickup pu departure source orig von abfahrt depart origen
    partida inicio debut inizio
    """
)
_ENDS = word_set(
    """
    end ended ende exit left finished stop to destination dropoff do arrival dest nach ankunft arrivee destino chegada
    ziel fin fine arrivo
    """
)


@dataclass(frozen=True)
class SuggestedKind:
    """A kind of data and why. `columns` are those it is made of, `uses` those that its reader has to be told."""

    kind: str
    reason: str
    columns: Mapping[str, str] = field(default_factory=dict)
    uses: Mapping[str, str] = field(default_factory=dict)


def kind_of_table(frame: pl.DataFrame) -> SuggestedKind:
    """What a table might hold."""
    names = frame.columns
    person = usual_column(names, ID_NAMES)
    location = usual_column(names, LOCATION_NAMES)
    if any(dtype == pl.List(pl.List(pl.String)) for dtype in frame.dtypes):
        return SuggestedKind("published", "a column holds lists of symbols")
    visits = _visits(frame)
    if visits:
        as_usual = [person, location] == [visits[0], visits[2]]
        person, position, location = visits
        words = f"columns {person}, {position} and {location} look like visits"
        columns = {"id": person, "position": position, "location": location}
        return SuggestedKind("trajectories", words, columns, {} if as_usual else columns)
    columns = track_columns([name for name in names if not frame[name].dtype.is_float()], names)
    told = {use: name for use, name in columns.items() if use in ("x", "y") and use != name.lower()}
    if "t" not in columns and _holds_points(frame, columns.get("geometry")):
        told |= _beginning_of_stays(names)
        columns |= told
    if "id" in columns and "t" in columns and len(columns) > 2:
        words = f"columns {columns['id']}, {columns['t']} and coordinates look like position fixes"
        return SuggestedKind("tracks", words, columns, told)
    columns = _unnamed_fixes(frame) or _partly_named_fixes(frame)
    if columns:
        return SuggestedKind("tracks", "an id, a time and coordinates look like position fixes", columns, columns)
    columns = _stays(names) if frame.width <= _MOST_COLUMNS else {}
    if columns:
        shown = [columns[use] for use in ("id", "location", "enter", "exit")]
        return SuggestedKind("trajectories", f"columns {enumerated(shown)} look like stays", columns, columns)
    columns = event_columns(names)
    usual = usual_column(names, TIME_NAMES) and person and location
    few = frame.width <= _FEW_OF_EVENTS
    if len({*columns.values()}) == len(EVENT) and (usual or few or _are_visits(frame, columns)):
        words = f"columns {columns['id']}, {columns['location']} and {columns['t']} look like events"
        return SuggestedKind("events", words, columns)
    record = basket_column(names)
    item = item_column(names, ITEM_NAMES if frame.width <= _FEW else SURE_ITEM_NAMES)
    listed = item is not None and frame[item].dtype.is_nested()  # with more than its id beside it, a table with sets
    few = frame.width == 2 if listed else frame.width <= _FEW
    once = record is not None and frame[record].n_unique() == frame.height
    sets = once and item is not None and not listed and _holds_sets(frame[item])
    if record and item and record != item and not sets and (few or not once):
        columns = {"id": record, "item": item}
        return SuggestedKind(
            "transactions", f"columns {record} and {item} look like a long table of items", columns, columns
        )
    return _varying_items(frame) or SuggestedKind("table", _trips(names) or "one row per record")


def _holds_sets(cells: pl.Series) -> bool:
    """Whether most cells hold several items."""
    values = cells.drop_nulls().head(_LOOKED_AT)
    return cells.dtype == pl.String and 2 * int(values.str.contains(r"\S\s*[,;|]\s*\S").sum()) > len(values)


def _varying_items(frame: pl.DataFrame) -> SuggestedKind | None:
    """A long table by what varies: the rows of one id differ in a single column, and its values recur elsewhere."""
    if not 2 <= frame.width <= _MOST_COLUMNS or frame.height < _FEWEST_ROWS:
        return None
    looked_at = frame.head(_LOOKED_AT)
    if any(dtype.is_nested() for dtype in looked_at.dtypes):
        return None
    for name in looked_at.columns:
        if not identifies_by_name(name) or looked_at[name].dtype.is_float():
            continue
        ids = looked_at[name].n_unique()
        if not 1 < ids < 0.9 * looked_at.height:
            continue
        rest = [other for other in looked_at.columns if other != name]
        within = looked_at.group_by(name).agg(pl.col(rest).n_unique())
        varying = [other for other in rest if (within[other] > 1).any()]
        if len(varying) != 1 or not _holds_items(looked_at, varying[0]):
            continue
        pairs = looked_at.select(name, varying[0]).unique().height
        if pairs < 0.5 * looked_at.height:
            continue
        columns = {"id": name, "item": varying[0]}
        return SuggestedKind(
            "transactions",
            f"the rows of one {name} differ in {varying[0]} only, as items of a set do",
            columns,
            columns,
        )
    return None


def _holds_items(frame: pl.DataFrame, name: str) -> bool:
    cells = frame[name]
    coded = any(meaning.codes for meaning in meanings_of(name))
    if not (cells.dtype in (pl.String, pl.Categorical, pl.Enum) or (cells.dtype.is_integer() and coded)):
        return False
    if cells.dtype == pl.String and not coded:
        numbers = cells.drop_nulls().str.strip_chars().cast(pl.Float64, strict=False)
        if numbers.null_count() < 0.5 * len(numbers):
            return False  # a measurement that was taken several times
    return 2 < cells.n_unique() < 0.5 * frame.height and not identifies_by_name(name)


def _visits(frame: pl.DataFrame) -> list[str]:
    """Whose, the number of the visit, and where; each is visited once at a position unless usual names say so."""
    names = frame.columns
    usual = [usual_column(names, known) for known in (ID_NAMES, POSITION_NAMES, LOCATION_NAMES)]
    if all(usual):
        return [*map(str, usual)]
    told = [mover_column(names), usual[1], location_column(names)]
    if not all(told) or len({*told}) < len(told) or frame.width > _MOST_COLUMNS:
        return []
    mover, position, _ = visits = [*map(str, told)]
    if frame[mover].n_unique() == frame.height or frame.select(mover, position).is_duplicated().any():
        return []
    return visits


def _are_visits(frame: pl.DataFrame, columns: Mapping[str, str]) -> bool:
    """Whether somebody who has several rows was at instants at places that recur, and no more is told of people."""
    if frame.width > _MOST_COLUMNS or not names_a_person(columns["id"]):
        return False
    looked_at = frame.head(_LOOKED_AT)
    recurring = all(looked_at[columns[use]].n_unique() < 0.5 * looked_at.height for use in ("id", "location"))
    rest = [name for name in frame.columns if name not in columns.values()]
    of_people = any(meaning.name in _OF_PEOPLE for name in rest for meaning in meanings_of(name))
    return recurring and not of_people and _holds_moments(looked_at[columns["t"]])


def _stays(names: list[str]) -> dict[str, str]:
    """The columns of visits with their beginning and end: somebody, one place, and a pair of times."""
    pairs = [(start, end) for rest, (start, end) in trip_ends(names).items() if not rest or rest in _OF_STAYS]
    columns = {"id": mover_column(names), "location": location_column(names)}
    if len(pairs) != 1 or not all(columns.values()) or track_column(names) is not None:
        return {}
    start, end = pairs[0]
    return {use: str(name) for use, name in columns.items()} | {"position": start, "enter": start, "exit": end}


def _beginning_of_stays(names: list[str]) -> dict[str, str]:
    """The time of points that have one at the beginning and one at the end, such as stay points of trackintel."""
    starts = [start for rest, (start, _) in trip_ends(names).items() if not rest or rest in _OF_STAYS]
    return {"t": starts[0]} if len(starts) == 1 else {}


def _holds_points(frame: pl.DataFrame, name: str | None) -> bool:
    """Whether a column holds one point a row, written as text."""
    if name is None or frame[name].dtype != pl.String:
        return False
    return bool(frame[name].head(_FEWEST_ROWS).str.contains(r"(?i)^\s*POINT").all())


def day_beside(frame: pl.DataFrame, clock: str) -> str | None:
    """The column with the day, where another one only says what time of day it was."""
    looked_at = frame.head(_FEWEST_ROWS)
    if not frame.height or looked_at[clock].dtype != pl.String or seconds_of_day(looked_at[clock]) is None:
        return None
    rest = [name for name in frame.columns if name != clock]
    days = [name for name in rest if looked_at[name].dtype == pl.Date or _holds_days(looked_at[name])]
    return days[0] if len(days) == 1 else None


def _holds_days(cells: pl.Series) -> bool:
    return cells.dtype == pl.String and _holds_times(cells) and not cells.str.contains(":", literal=True).any()


def _trips(names: list[str]) -> str | None:
    """Why a row is a trip: at least two pairs of columns have the same words but for start and end."""
    both = trip_ends(names)
    if len(both) < 2:
        return None
    start, end = next(iter(both.values()))
    return f"each row is a trip: {start} and {end} are its two ends"


def trip_ends(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Pairs of columns that tell the same of the start and of the end of a trip, by the words that they share."""

    def rests(words: frozenset[str]) -> dict[str, str]:
        columns = {}
        for name in names:
            told = words_of(name)
            joined = [word for word in told if word in words]
            if joined:
                columns[" ".join(word for word in told if word not in words)] = name
            else:
                part = next((part for part in words if len(part) > 2 and "".join(told).startswith(part)), None)
                if part is not None:
                    columns["".join(told).removeprefix(part)] = name
        return columns

    starts, ends = rests(_STARTS), rests(_ENDS)
    return {rest: (starts[rest], ends[rest]) for rest in starts if rest in ends}


def track_columns(whole: list[str], names: list[str]) -> dict[str, str]:
    """The columns of position fixes that are there: who moved, when, and where; `whole` hold no decimal numbers."""
    mover, moment = mover_column(whole), time_column(names)  # `track` with decimal numbers is a heading
    owner, track = usual_column(whole, OWNER_NAMES), track_column(whole)
    if owner is not None and track is None:
        mover = owner  # beside which an id numbers the fixes
    columns = {"id": mover, "t": moment} | _point_columns(names)
    if owner != mover and mover is not None and track == mover:
        columns["person"] = owner
    return {use: name for use, name in columns.items() if name is not None}


def _point_columns(names: list[str]) -> dict[str, str]:
    lat, lon = usual_column(names, LATITUDE_NAMES), usual_column(names, LONGITUDE_NAMES)
    if lat and lon:
        return {"lat": lat, "lon": lon}
    point = usual_column(names, POINT_NAMES)
    if point:
        return {"geometry": point}
    planar = {"x": usual_column(names, EAST_NAMES), "y": usual_column(names, NORTH_NAMES)}
    return {axis: name for axis, name in planar.items() if name is not None} if all(planar.values()) else {}


def degrees_asked(frame: pl.DataFrame, columns: Mapping[str, str]) -> list[str]:
    """Whether planar coordinates are degrees: both fit on the globe, and as metres they would be exact to a hair."""
    if not {"x", "y"} <= {*columns}:
        return []
    x, y = (frame[columns[axis]].cast(pl.Float64, strict=False).drop_nulls() for axis in "xy")
    exact = all(len(cells) and int((cells * 1000 % 1 != 0).sum()) > 0.5 * len(cells) for cells in (x, y))
    if not exact or (x.abs() > 180).any() or (y.abs() > 90).any():
        return []
    return [
        f"'{x.name}' and '{y.name}' hold numbers like {x[0]} and {y[0]}: as metres they are read; if they are degrees, "
        f"say lon={x.name!r} and lat={y.name!r}"
    ]


def _unnamed_fixes(frame: pl.DataFrame) -> dict[str, str]:
    """The columns of position fixes in a file without a header, told by their values; empty where they do not tell.

    A longitude beyond 90 degrees tells which of the two coordinates is which.
    """
    if frame.columns != numbered_names(frame.width) or not 4 <= frame.width <= _MOST_COLUMNS:
        return {}
    looked_at = frame.head(_LOOKED_AT)
    numbers = {name: looked_at[name].cast(pl.Float64, strict=False) for name in frame.columns}
    degrees = [
        name
        for name, values in numbers.items()
        if not values.has_nulls() and (values % 1 != 0).sum() > 0.9 * len(values) and (values.abs() <= 180).all()
    ]
    moments = [name for name, values in numbers.items() if values.null_count() == len(values)]
    moments = [name for name in moments if _holds_times(looked_at[name].head(_FEWEST_ROWS))]
    rest = [name for name in frame.columns if name not in degrees and name not in moments]
    movers = [name for name in rest if looked_at[name].n_unique() < 0.5 * frame.height]
    if len(degrees) != 2 or len(moments) != 1 or not movers:
        return {}
    lat, lon = sorted(degrees, key=lambda name: float(numbers[name].abs().max()))  # type: ignore[arg-type]
    if not (numbers[lon].abs() > 90).any() or (numbers[lat].abs() > 90).any():
        return {}
    return {"id": movers[0], "t": moments[0], "lat": lat, "lon": lon}


def _partly_named_fixes(frame: pl.DataFrame) -> dict[str, str]:
    """The columns of position fixes whose coordinates have names: who moved and when are told by names or values.

    Who moved has several rows. People come before devices, and of two columns that tell the same rows apart the first.
    """
    lat, lon = latitude_column(frame.columns), longitude_column(frame.columns)
    rest = [name for name in frame.columns if name not in (lat, lon)]
    if lat is None or lon is None or any(meaning.name in _OF_PEOPLE for name in rest for meaning in meanings_of(name)):
        return {}
    looked_at = frame.select(rest).head(_LOOKED_AT)
    moments = [name for name in rest if _holds_moments(looked_at[name])]
    moment = time_column(rest) or (moments[0] if len(moments) == 1 else None)
    whole = [
        name
        for name in rest
        if name not in (moment, *moments)
        and not (looked_at[name].dtype.is_float() or looked_at[name].dtype.is_nested())
        and looked_at[name].n_unique() < looked_at.height
    ]
    movers = [name for name in whole if names_a_person(name)] or [name for name in whole if names_a_mover(name)]
    if moment is None or not movers:
        return {}
    if looked_at.n_unique(movers) > min(looked_at[name].n_unique() for name in movers):
        return {}  # some tell others apart than the rest do
    return {"id": movers[0], "t": moment, "lat": lat, "lon": lon}


def _holds_moments(cells: pl.Series) -> bool:
    """Whether cells hold instants: dates with times, or seconds or thousandths of seconds since 1970."""
    whole = cells.cast(pl.Int64, strict=False) if cells.dtype == pl.String or cells.dtype.is_integer() else cells
    lowest, highest = whole.min(), whole.max()
    if isinstance(lowest, int) and isinstance(highest, int) and whole.null_count() == cells.null_count():
        return any(_YEAR_1990 * unit <= lowest <= highest < _YEAR_2100 * unit for unit in (1, 1000, 1_000_000))
    return _holds_times(cells.drop_nulls().head(_FEWEST_ROWS))


def _holds_times(cells: pl.Series) -> bool:
    return inferred_type(cells) in ("date", "timestamp") or (cells.dtype == pl.String and looks_like_dates(cells))


def kind_of_lists(listed: Sequences) -> SuggestedKind:
    """Sets or sequences, where the file does not say which."""
    why = _order_counts(listed)
    if why is not None:
        return SuggestedKind("trajectories", f"{why}; transactions if the order does not count")
    return SuggestedKind("transactions", "one record per line; trajectories if the order counts")


def _order_counts(listed: Sequences) -> str | None:
    """Why the order of the labels seems to count; None where the lines may be sets."""
    offsets = listed.offsets[: _LOOKED_AT + 1]
    lengths = np.diff(offsets)
    lines = np.repeat(np.arange(len(lengths)), lengths)
    several = int(np.count_nonzero(lengths > 1))
    if several < _FEWEST_ROWS:
        return None
    labels = listed.labels.head(int(offsets[-1])).cast(pl.Categorical).to_physical().cast(pl.Int64)
    frame = pl.DataFrame({"line": lines, "label": labels})
    repeating = frame.filter(frame.is_duplicated())["line"].n_unique()
    if repeating >= _REPEATING * several:
        return f"{repeating / several:.0%} of the lines hold a label twice, which no set does"
    first = labels.to_numpy()
    follows = np.diff(lines) == 0
    pairs = pl.DataFrame({"a": first[:-1][follows], "b": first[1:][follows]})
    pairs = pairs.group_by(pl.min_horizontal("a", "b").alias("low"), pl.max_horizontal("a", "b").alias("high")).agg(
        (pl.col("a") < pl.col("b")).sum().alias("up"), pl.len().alias("all")
    )
    pairs = pairs.with_columns(down=pl.col("all") - pl.col("up"))
    lesser = float(pairs.select(pl.min_horizontal("up", "down").sum() / pl.col("all").sum()).item())
    frequent = pairs.filter(pl.col("all") >= 10)
    if lesser < _BOTH_ORDERS or frequent.height < 10:
        return None
    up, down = frequent["up"].cast(pl.Float64), frequent["down"].cast(pl.Float64)
    if float(((up - down) ** 2 / (up + down)).mean()) < _PREFERRED:  # type: ignore[arg-type]
        return None
    return "labels follow each other in both orders, one more often than the other"


def is_list_of_baskets(listed: Sequences) -> bool:
    """Whether lines are baskets: of many lengths, with items that recur, the first line no header."""
    lengths = np.diff(listed.offsets)
    if len(lengths) < _FEWEST_ROWS or len(np.unique(lengths)) < 3:
        return False
    labels = listed.labels
    if labels.n_unique() > 0.5 * len(labels):
        return False
    begin = int(listed.offsets[1])
    header = labels.head(begin)
    return bool(header.is_in(labels.slice(begin).unique().implode()).all())


def may_be_baskets(frame: pl.DataFrame) -> bool:
    """Whether a table of texts may be baskets that were filled up to one width: cells are empty only at row ends."""
    if frame.width < 2 or frame.height < _FEWEST_ROWS or any(dtype != pl.String for dtype in frame.dtypes):
        return False
    if not (frame[frame.columns[-1]].head(_LOOKED_AT) == "").any():
        return False
    said = (frame.head(_LOOKED_AT) != "").to_numpy()
    return bool((said[:, :-1] >= said[:, 1:]).all())


def table_as_text(file: Path) -> dict[str, Any]:
    """How lines are read as a table; empty where they are none.

    All have as many fields, and the first names them, or some are measured: items of a set have no decimals.
    """
    try:
        if not Csv.sniff(read_beginning(file, SNIFFED)):
            return {}
        frame, source = Csv().read_frame(file)
    except (CrypsisError, OSError, ValueError):
        return {}
    if frame.width < 2 or frame.height < 2:
        return {}
    if not source.reader.header:
        measured = any(frame[name].str.contains(_DECIMAL).all() for name in frame.columns)
        return {"format": Csv.name} if measured or _unnamed_fixes(frame) else {}
    return {} if any((frame[name] == name).any() for name in frame.columns) else {"format": Csv.name}


def headerless_table(file: Path, listed: Sequences) -> dict[str, Any]:
    """How lines are read as rows of a table: all are as long, and each begins with a key; empty where they are not."""
    lengths = np.diff(listed.offsets)
    if _names_columns_by_blanks(listed, lengths) or _is_quoted_by_r(listed, lengths) or _is_aligned(file):
        return {"format": "csv", "separator": " "}
    if len(lengths) < _FEWEST_ROWS or not 2 <= int(lengths[0]) <= 50 or (lengths != lengths[0]).any():
        return {}
    if listed.itemsets is not None:
        return {}
    keys = listed.labels.gather(offsets_of(lengths)[:-1])
    if keys.n_unique() < len(keys):
        return {}
    line = read_beginning(file, 1 << 12).decode("utf-8", "replace").partition("\n")[0].strip()
    separator = next((sign for sign in ("\t", " ") if len(line.split(sign)) == int(lengths[0])), None)
    return {} if separator is None else {"format": "csv", "header": False, "separator": separator}


def _names_columns_by_blanks(listed: Sequences, lengths: np.ndarray[Any, Any]) -> bool:
    """Whether all lines are as long, the first of different words that never recur, and numbers stand below one."""
    width = int(lengths[0]) if len(lengths) else 0
    if len(lengths) < _FEWEST_ROWS or width < 2 or (lengths != width).any() or listed.itemsets is not None:
        return False
    names, below = listed.labels.head(width).str.strip_chars('"'), listed.labels.slice(width)
    if names.n_unique() < width or names.str.contains(r"^[^\p{L}]").any() or below.is_in(names.to_list()).any():
        return False
    numbers = below.cast(pl.Float64, strict=False).is_not_null().to_numpy().reshape(-1, width)
    return bool(numbers.all(axis=0).any())


def _is_quoted_by_r(listed: Sequences, lengths: np.ndarray[Any, Any]) -> bool:
    """Whether R wrote the names of columns in quotes, and those of rows in front of all other lines."""
    if len(lengths) < 3 or (lengths[1:] != lengths[0] + 1).any():
        return False
    marked = [*listed.labels.head(int(lengths[0])), *listed.labels.gather(listed.offsets[1:-1])]
    return all(len(text) > 1 and text[0] == text[-1] == '"' for text in marked)


def _is_aligned(file: Path) -> bool:
    """Whether the cells of a table stand below the names of columns of fixed width."""
    lines = read_beginning(file, SNIFFED).decode("utf-8", "replace").splitlines()
    lines = lines[: len(lines) - (len(lines) > _FEWEST_ROWS)]  # the last one may be cut
    starts = aligned_columns(lines) if len(lines) >= _FEWEST_ROWS and any("  " in line for line in lines) else []
    names = cells_at(lines[0], starts) if starts else []
    return len(names) >= _FEW and len({*names}) == len(names) and all(name[0].isalpha() for name in names)


def has_moving_objects(file: Path) -> bool:
    """Whether a text is the output of Brinkhoff's generator: 9 or 10 fields, the first a state, the others numbers."""
    try:
        beginning = read_beginning(file, 1 << 12).decode("utf-8")
    except (CrypsisError, OSError, ValueError):
        return False
    rows = [line.split("\t") for line in beginning.splitlines()[:-1]]
    if not rows or len({len(row) for row in rows}) != 1 or len(rows[0]) not in (9, 10):
        return False
    return all(row[0] in _STATES and all(map(_is_number, row[1:])) for row in rows)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
