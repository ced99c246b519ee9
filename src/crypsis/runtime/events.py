"""Events as sources deliver them: lines of NDJSON or CSV, many at a time, and instants turned into timestamps."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from crypsis.errors import UnknownColumn

_INTEGER = re.compile(r"[+-]?\d{1,30}")
COLUMNS = ("id", "loc", "t", "sa")
EXIT = "exit"


@dataclass(frozen=True)
class Batch:
    """Events in order; positions[i] is where to read on after event i."""

    events: Sequence[Any]
    positions: Sequence[Any]


def events_of_lines(lines: Sequence[bytes]) -> list[Any]:
    """Each line as JSON; None for what is none.

    Lines with one pair of braces around them are read together: with as many objects as lines, none can have been split
    or joined.
    """
    stripped = [line.strip() for line in lines]
    if all(line[:1] == b"{" and line[-1:] == b"}" for line in stripped):
        text = b",".join(stripped)
        if text.count(b"{") == len(lines) == text.count(b"}"):
            try:
                return list(json.loads(b"[" + text + b"]"))
            except (ValueError, RecursionError):
                pass
    return [_event_of_line(line) for line in stripped]


def _event_of_line(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


class CsvLines:
    """Lines below a header id,loc,t[,sa][,exit] in any order; others are read where they are sensitive attributes."""

    def __init__(self, header: bytes, where: str, attributes: Sequence[str] = ()) -> None:
        try:
            cells = next(csv.reader([header.decode("utf-8-sig", "replace").strip("\r\n")]), [])
        except csv.Error as error:
            raise UnknownColumn(f"The header cannot be read: {error}.", where=f"{where}, line 1") from error
        names = [name.strip() for name in cells]
        for name in COLUMNS[:3]:
            if name not in names:
                raise UnknownColumn(f"The header must name id, loc and t; {name} is missing.", where=f"{where}, line 1")
        self.width = len(names)
        self.at = [names.index(name) if name in names else -1 for name in COLUMNS]
        self.exit = names.index(EXIT) if EXIT in names and EXIT not in attributes else -1
        self.named = [(name, names.index(name)) for name in attributes if name in names and name not in COLUMNS]

    def __call__(self, lines: Sequence[bytes]) -> list[Any]:
        return [self._event(line) for line in lines]

    def _event(self, line: bytes) -> Any:
        try:
            text = line.decode().rstrip("\r\n")
            cells = text.split(",") if '"' not in text else next(csv.reader([text], strict=True))
        except (UnicodeDecodeError, csv.Error, StopIteration):
            return None
        if len(cells) != self.width:
            return None
        person, place, t, sa = self.at
        event = {"id": cells[person], "loc": cells[place], "t": _time(cells[t])}
        if self.exit >= 0 and cells[self.exit]:
            event[EXIT] = _time(cells[self.exit])
        if self.named:
            places = [*self.named, (COLUMNS[3], sa)] if sa >= 0 else self.named
            event["sa"] = {name: cells[at] for name, at in places if cells[at]}
        elif sa >= 0 and cells[sa]:
            event["sa"] = cells[sa]
        return event


def _time(text: str) -> Any:
    """A whole number where the text is one; None where it is empty."""
    if text.isdecimal() and len(text) < 19 and text.isascii():
        return int(text)
    if not text:
        return None
    return int(text) if _INTEGER.fullmatch(text) else text


def clock(start: datetime, seconds: int) -> Callable[[Any], Any]:
    """Turn an ISO-8601 instant in `t` or `exit` into the number of whole units since the start; others stay."""
    unit = timedelta(seconds=seconds)

    def timed(event: Any) -> Any:
        if not isinstance(event, dict):
            return event
        changed = {}
        for name in ("t", EXIT):
            if isinstance(event.get(name), str):
                try:
                    instant = datetime.fromisoformat(event[name])
                    aware = instant if instant.tzinfo else instant.replace(tzinfo=UTC)
                    changed[name] = (aware - start) // unit
                except (ValueError, OverflowError):
                    pass
        return {**event, **changed} if changed else event

    return timed
