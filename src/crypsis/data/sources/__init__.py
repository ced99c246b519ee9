"""How files become data: one source per kind. To add an option of reading, annotate it in the class of its kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crypsis.data.declarations import Declarations
from crypsis.data.sources.data_source import DataFile, DataSource, value_of
from crypsis.data.sources.events import EventSource
from crypsis.data.sources.mixed import MixedSource
from crypsis.data.sources.published_table import PublishedTableSource
from crypsis.data.sources.table import TableSource
from crypsis.data.sources.tracks import TrackSource
from crypsis.data.sources.trajectories import TrajectorySource
from crypsis.data.sources.transactions import TransactionSource
from crypsis.data.steps import STEP, shaping
from crypsis.parameters import Parameter

SOURCES: dict[str, type[DataSource]] = {
    source.kind: source
    for source in (TableSource, MixedSource, TransactionSource, TrajectorySource, TrackSource, EventSource)
}
OF_RECORDS = ("table", "mixed")  # a row of the file is a record


def every_option() -> dict[str, Parameter]:
    """Every option of every kind by its name; kinds that share one describe it alike."""
    return {name: option for source in reversed(SOURCES.values()) for name, option in source.options().items()}


def every_key() -> tuple[str, ...]:
    """Every word by which an option of some kind can be given."""
    return tuple(dict.fromkeys(key for source in SOURCES.values() for key in source.names()))


def option_named(key: str, kind: str | None = None) -> Parameter:
    """The option that a key gives, of a kind or of any."""
    sources = SOURCES.values() if kind is None else [SOURCES[kind]]
    source = next(source for source in sources if key in source.names())
    return source.options()[source.words().get(key, key)]


def read_as(kind: str, path: Any, given: Mapping[str, Any], options: Mapping[str, Any], method: Any = None) -> Any:
    """The data of a file as a method needs them. `options` are more of the kind, those of the format, and steps."""
    source = SOURCES[kind]
    own = {name: value for name, value in options.items() if name in source.names()}
    written = {name: value for name, value in options.items() if name not in own}
    change = shaping(written.pop(STEP, None))
    chosen = source.from_keys({**given, **own})
    declared = Declarations.of(method)
    if declared.by_record:
        chosen.refuse_for_records()
    return chosen.read(DataFile(path, given.get("format"), written, change), declared)


__all__ = [
    "OF_RECORDS",
    "SOURCES",
    "DataFile",
    "DataSource",
    "EventSource",
    "MixedSource",
    "PublishedTableSource",
    "TableSource",
    "TrackSource",
    "TrajectorySource",
    "TransactionSource",
    "every_key",
    "every_option",
    "option_named",
    "read_as",
    "value_of",
]
