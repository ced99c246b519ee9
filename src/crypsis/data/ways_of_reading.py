"""The ways in which files become data, and the options that each of them uses. Any other option is refused.

A way follows from the kind of data and the file. An option, key or field that was given and is not among those that the
way uses would be passed over in silence, and somebody would believe in it; so it is an error, whoever asks: Python, the
command line, an experiment file or the browser.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crypsis.data.formats import format_for
from crypsis.data.formats.tabular import files_of
from crypsis.errors import BadParameter, OptionWithoutEffect
from crypsis.parameters import parameters_of

PERSON = ("person", "each_row_is_a_person")
ALIASES = ("owner", "user")  # older words for the person
_OF_TABLES = ("quasi", "sensitive", "identifier", "label", "other", "types", "missing", "as_missing", *PERSON)


@dataclass(frozen=True)
class Way:
    """How a file is read, in words, and the options that this way uses, beside the format of the file."""

    words: str
    uses: tuple[str, ...]

    def and_uses(self, more: Iterable[str]) -> Way:
        return Way(self.words, (*self.uses, *more))


LONG_TRAJECTORIES = Way(
    "a table with one row per visit",
    ("id", "position", "location", "owner", "sort", "locations", "sensitive", "time_format", *PERSON),
)
LISTED_TRAJECTORIES = Way("one list of visits per line, a trajectory of one person each,", ("locations", "sensitive"))
CHECKINS = Way(
    "check-ins on a grid",
    (
        "grid", "id", "user", "owner", "time", "lat", "lon", "one_per", "crs", "collapse", "sensitive", "time_format",
        *PERSON,
    ),
)  # fmt: skip
TABLE_OF_FIXES = Way(
    "a table with one row per position fix",
    ("id", "x", "y", "t", "lat", "lon", "owner", "crs", "sort", "repeated", "time_format", *PERSON),
)
FILE_OF_FIXES = Way("a file of tracks, which names its own columns", ("owner", "crs", "sort", "repeated", *PERSON))
LONG_TRANSACTIONS = Way("a table with one row per item", ("id", "item", "sensitive", "unite", *PERSON))
COLUMN_OF_SETS = Way("a column of sets", ("columns", "unite", *PERSON))
LISTED_TRANSACTIONS = Way("one list of items per line, a record of one person each,", ("sensitive",))
TABLE = Way("a table with one row per record", ("columns", "rest", *_OF_TABLES))
MIXED = Way("a table with sets", ("columns", "rest", "sets", "items", "sensitive_items", *_OF_TABLES))
FOREIGN_TABLE = Way("a table that somebody published", ("quasi", "sensitive", "items", "sensitive_items", "missing"))
_HOLDING = {
    "trajectories": frozenset({"table", "sequence"}),
    "transactions": frozenset({"table", "sequence"}),
    "tracks": frozenset({"table", "track"}),
}
EVENTS = Way(
    "a table with one row per event",
    ("id", "location", "t", "sensitive", "locations", "time_unit", "drop_malformed"),
)


def way_of(kind: str, path: str | Path, format: str | None = None, *, grid: bool = False, sets: bool = False) -> Way:
    """The way in which a file becomes data of a kind; `grid` snaps check-ins, `sets` reads a column of sets."""
    file = files_of(path)[0]
    chosen = format_for(file, format, holding=_HOLDING.get(kind, frozenset({"table"})))
    listed = not chosen.is_table(file)
    if kind == "trajectories":
        way = CHECKINS if grid else LISTED_TRAJECTORIES if listed else LONG_TRAJECTORIES
    elif kind == "tracks":
        way = FILE_OF_FIXES if "track" in chosen.holds else TABLE_OF_FIXES
    elif kind == "transactions":
        way = COLUMN_OF_SETS if sets else LISTED_TRANSACTIONS if listed else LONG_TRANSACTIONS
    else:
        way = {"table": TABLE, "mixed": MIXED, "events": EVENTS}[kind]
    return way.and_uses(option.name for option in parameters_of(type(chosen)))


def refuse_unused(way: Way, given: Mapping[str, Any], *, beside: Collection[str] = ()) -> None:
    """`OptionWithoutEffect` for the first option that was given and that the way does not use."""
    for option, value in given.items():
        if is_given(value) and option not in way.uses and option not in beside:
            raise option_without_effect(option, way.words, way.uses)


def is_given(value: Any) -> bool:
    """Whether something was said: no, none and nothing are not."""
    return value is not None and value is not False and not (isinstance(value, Collection) and not value)


def option_without_effect(option: str, words: str, uses: Collection[str], road: str = "python") -> OptionWithoutEffect:
    """The refusal, in the words of the place where it is told."""
    named, known = _named(option, road), ", ".join(_named(name, road) for name in uses if name not in ALIASES)
    return OptionWithoutEffect(
        f"{named} has no effect here: {words} is read with {known}. Leave it out.",
        option=option,
        way=words,
        uses=list(uses),
    )


def reworded_option(error: OptionWithoutEffect, road: str) -> OptionWithoutEffect:
    """The same refusal in the words of another place."""
    told = error.details
    if "way" not in told or "uses" not in told:
        return error
    return option_without_effect(str(told["option"]), str(told["way"]), [str(name) for name in told["uses"]], road)  # type: ignore[attr-defined]


def the_person(person: str | None, each_row_is_a_person: bool, **aliases: str | None) -> str | None:
    """The column that names the person, by whichever of its names it was given."""
    named = {option: column for option, column in {"person": person, **aliases}.items() if column}
    if len(set(named.values())) > 1:
        raise BadParameter(
            f"One column names the person, got {', '.join(f'{name}={column!r}' for name, column in named.items())}.",
            parameter="person",
        )
    column = next(iter(named.values()), None)
    if column is not None and each_row_is_a_person:
        raise BadParameter(
            f"Column '{column}' names the person, so records are not persons of their own; give one of person and "
            "each_row_is_a_person.",
            parameter="each_row_is_a_person",
        )
    return column


def _named(option: str, road: str) -> str:
    return "--" + option.replace("_", "-") if road == "command line" else option
