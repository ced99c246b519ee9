r"""Counting queries over tables and mixed data: "how many records have these values and these items?".

    age in [20:30] and origin in {France, Greece} and items all {E, F}

A range holds both its ends and is for numbers and dates; a list is for any column; `all` asks the set-valued column,
under its own name or as `items`, for every listed item. Parts are joined by `and`; at least one is there. What holds
blanks at its ends or one of , : " [ ] { } is written in double quotes, with \ in front of " and \.

The same as JSON: {"rel": {"age": ["range", 20, 30], "origin": ["in", ["France", "Greece"]]}, "items": ["E", "F"]}.
A file has one query, in either form, on each line; or it is one JSON array. Lines that are blank or begin with # are
skipped. A value is text here; it gets its type when a query meets a table.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from json import JSONDecodeError
from pathlib import Path
from typing import Any, NoReturn

from crypsis.data.formats.compression import existing_file
from crypsis.data.formats.lines import read_lines
from crypsis.data.formats.source import Source, place
from crypsis.data.values import write_value
from crypsis.errors import BadQuery
from crypsis.strict_json import parse_json

ITEMS = "items"
_MEMORY_PER_BYTE = 20.0
_NEEDS_QUOTES = re.compile(r'[,:"\[\]{}\\]')
_BARE_NAME = re.compile(r'[^\s,:"\[\]{}]+')


@dataclass(frozen=True)
class InRange:
    """The value lies between two ends, both included."""

    low: str
    high: str

    def __str__(self) -> str:
        return f"in [{_quoted(self.low)}:{_quoted(self.high)}]"

    def to_json(self) -> list[Any]:
        return ["range", self.low, self.high]


@dataclass(frozen=True)
class InList:
    """The value is one of these."""

    values: tuple[str, ...]

    def __str__(self) -> str:
        return "in {" + ", ".join(map(_quoted, self.values)) + "}"

    def to_json(self) -> list[Any]:
        return ["in", list(self.values)]


Predicate = InRange | InList


@dataclass(frozen=True)
class CountQuery:
    """One query. `where` says in which file and line it stands, for messages.

    >>> query = parse_query("age in [20:30] and items all {E, F}")
    >>> query.items
    ('E', 'F')
    >>> str(query)
    'age in [20:30] and items all {E, F}'
    """

    relational: tuple[tuple[str, Predicate], ...] = ()
    items: tuple[str, ...] = ()
    items_column: str = ITEMS
    where: str | None = None

    def __post_init__(self) -> None:
        if not self.relational and not self.items:
            raise BadQuery("A query asks for at least one column or item; this one asks for nothing.", where=self.where)
        names = [name for name, _ in self.relational]
        for name in names:
            if names.count(name) > 1:
                raise BadQuery(f"A query asks twice for column '{name}'; join both into one part.", where=self.where)
        object.__setattr__(self, "items", tuple(dict.fromkeys(self.items)))

    def __str__(self) -> str:
        parts = [f"{_quoted_name(name)} {predicate}" for name, predicate in self.relational]
        if self.items:
            parts.append(f"{_quoted_name(self.items_column)} all {{{', '.join(map(_quoted, self.items))}}}")
        return " and ".join(parts)

    def to_json(self) -> dict[str, Any]:
        """The JSON form; values stay text."""
        return {"rel": {name: predicate.to_json() for name, predicate in self.relational}, "items": list(self.items)}


def parse_query(text: str, *, where: str | None = None) -> CountQuery:
    """The query that a text asks; `BadQuery` says at which character it cannot be understood."""
    return _Reader(text, where).query()


def query_from_json(content: Any, *, where: str | None = None) -> CountQuery:
    """The query that a JSON object stands for."""
    if not isinstance(content, dict) or not content.keys() <= {"rel", "items"}:
        raise BadQuery(
            f'A query is {{"rel": {{column: ["range", low, high] or ["in", [values]]}}, "items": [labels]}}, '
            f"got {_shown(content)}.",
            where=where,
        )
    relational, items = content.get("rel", {}), content.get("items", [])
    if not isinstance(relational, dict) or not _is_list_of_labels(items):
        raise BadQuery('"rel" must be an object and "items" a list of labels.', where=where)
    parts = tuple((str(name), _predicate_from_json(name, given, where)) for name, given in relational.items())
    return CountQuery(parts, tuple(items), where=where)


def read_queries(path: str | Path) -> tuple[CountQuery, ...]:
    """The queries of a file: one on each line, as text or as a JSON object, or one JSON array of objects."""
    file = existing_file(path)
    lines, source = read_lines(file, _MEMORY_PER_BYTE)
    listed = [line.strip() for line in lines.to_list()]
    opening = next((line for line in listed if line), "")
    if opening.startswith("["):
        return _from_array("\n".join(lines.to_list()), str(file))
    queries = []
    for row, line in enumerate(listed):
        if line and not line.startswith("#"):
            queries.append(_from_line(line, place(source, row)["where"]))
    if not queries:
        raise BadQuery("The file holds no query; write one on each line.", where=str(file))
    return tuple(queries)


def as_queries(given: str | Path | CountQuery | Iterable[str | CountQuery | dict[str, Any]]) -> tuple[CountQuery, ...]:
    """Queries as they come: objects, texts, JSON objects, or the path of a file that holds them."""
    if isinstance(given, CountQuery):
        return (given,)
    if isinstance(given, (str, Path)):
        if isinstance(given, str) and (" in " in given or " all " in given):
            return (parse_query(given),)
        return read_queries(given)
    return tuple(_as_query(query, f"query {index}") for index, query in enumerate(given))


def write_queries(queries: Sequence[CountQuery], path: str | Path) -> None:
    """One query on each line, as text."""
    Path(path).write_text("".join(f"{query}\n" for query in queries), encoding="utf-8")


def _as_query(query: str | CountQuery | dict[str, Any], where: str) -> CountQuery:
    if isinstance(query, CountQuery):
        return query
    return parse_query(query, where=where) if isinstance(query, str) else query_from_json(query, where=where)


def _from_line(line: str, where: str) -> CountQuery:
    if not line.startswith("{"):
        return parse_query(line, where=where)
    try:
        content = parse_json(line)
    except ValueError as error:
        raise BadQuery(f"This is no JSON object: {error}.", where=where) from None
    return query_from_json(content, where=where)


def _from_array(text: str, file: str) -> tuple[CountQuery, ...]:
    try:
        content = parse_json(text)
    except JSONDecodeError as error:
        line = text.count("\n", 0, error.pos) + 1
        raise BadQuery(f"This is no JSON array: {error.msg}.", **place(Source(file, line), 0)) from None
    if not content:
        raise BadQuery("The file holds no query.", where=file)
    return tuple(query_from_json(one, where=f"{file}, query {number}") for number, one in enumerate(content, 1))


def _predicate_from_json(name: str, given: Any, where: str | None) -> Predicate:
    match given:
        case ["range", low, high] if _is_value(low) and _is_value(high):
            return InRange(_text(low), _text(high))
        case ["in", [_, *_] as values] if all(map(_is_value, values)):
            return InList(tuple(dict.fromkeys(map(_text, values))))
    raise BadQuery(
        f'Column \'{name}\' must be asked with ["range", low, high] or ["in", [values]], got {_shown(given)}.',
        where=where,
    )


def _is_value(value: object) -> bool:
    return isinstance(value, (str, int, float, date, datetime)) and not isinstance(value, bool)


def _text(value: Any) -> str:
    return write_value(int(value)) if isinstance(value, float) and value.is_integer() else write_value(value)


def _is_list_of_labels(items: object) -> bool:
    return isinstance(items, (list, tuple)) and all(isinstance(item, str) and item for item in items)


def _shown(content: object) -> str:
    text = json.dumps(content, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else text[:77] + "..."


def _quoted(value: str) -> str:
    if value and value == value.strip() and not _NEEDS_QUOTES.search(value):
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _quoted_name(name: str) -> str:
    return name if _BARE_NAME.fullmatch(name) and name != "and" else _quoted_always(name)


def _quoted_always(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


class _Reader:
    """A cursor over one query; every complaint names the character it is about."""

    def __init__(self, text: str, where: str | None) -> None:
        self.text, self.where, self.at = text, where, 0

    def query(self) -> CountQuery:
        relational: list[tuple[str, Predicate]] = []
        items: list[str] = []
        items_column = ITEMS
        if not self.text.strip():
            self.refuse("a query asks for at least one column or item, e.g. age in [20:30]", 0)
        while True:
            self.blanks()
            started = self.at
            name = self.name()
            word = self.word()
            if word == "all":
                if items:
                    self.refuse("items are asked for twice; list them in one part", started)
                items, items_column = self.listed("items"), name
            elif word == "in":
                if any(name == other for other, _ in relational):
                    self.refuse(f"column '{name}' is asked for twice; join both into one part", started)
                relational.append((name, self.predicate()))
            else:
                self.refuse(
                    f"after '{name}' comes 'in' (a range or a list of values) or 'all' (a list of items)"
                    + (f", not '{word}'" if word else ""),
                    self.at - len(word),
                )
            self.blanks()
            if self.at == len(self.text):
                return CountQuery(tuple(relational), tuple(items), items_column, self.where)
            joined = self.word()
            if joined != "and":
                self.refuse("parts are joined by 'and'", self.at - len(joined))

    def predicate(self) -> Predicate:
        self.blanks()
        if self.peek() == "{":
            return InList(tuple(dict.fromkeys(self.listed("values"))))
        if self.peek() != "[":
            self.refuse("'in' is followed by a range [low:high] or a list {a, b}")
        opened = self.at
        self.at += 1
        low = self.value(":]", opened, "a range is written [low:high]")
        if self.peek() != ":":
            self.refuse("a range is written [low:high]")
        self.at += 1
        high = self.value("]", opened, "a range is written [low:high], quote an end that holds a colon")
        self.at += 1
        return InRange(low, high)

    def listed(self, what: str) -> list[str]:
        self.blanks()
        if self.peek() != "{":
            self.refuse(f"a list of {what} is written {{a, b}}")
        opened = self.at
        found: list[str] = []
        while self.peek() != "}" or not found:
            self.at += 1
            found.append(self.value(",}", opened, f"a list of {what} is written {{a, b}}"))
        self.at += 1
        return found

    def value(self, ends: str, opened: int, written: str) -> str:
        """One value up to one of the ends, which stays unread."""
        self.blanks()
        started = self.at
        if self.peek() == '"':
            value = self.quoted()
            self.blanks()
        else:
            while self.peek() and self.peek() not in ends:
                if self.peek() in '[]{}:"':
                    self.refuse(f"{self.peek()!r} inside a value; write the value in double quotes")
                self.at += 1
            value = self.text[started : self.at].strip()
        if not self.peek():
            self.refuse(f"{self.text[opened]!r} is not closed; {written}", opened)
        if self.peek() not in ends:
            self.refuse(f"{written}")
        if not value:
            self.refuse(f"a value is missing; {written}", started)
        return value

    def name(self) -> str:
        started = self.at
        if self.peek() == '"':
            name = self.quoted()
        else:
            match = _BARE_NAME.match(self.text, self.at)
            name = match.group() if match else ""
            self.at += len(name)
        if not name:
            self.refuse("the name of a column is expected", started)
        return name

    def quoted(self) -> str:
        opened = self.at
        self.at += 1
        letters = []
        while self.peek() != '"':
            if self.peek() == "\\":
                self.at += 1
            if not self.peek():
                self.refuse("the quotes are not closed", opened)
            letters.append(self.peek())
            self.at += 1
        self.at += 1
        return "".join(letters)

    def word(self) -> str:
        self.blanks()
        started = self.at
        while self.peek().isalpha():
            self.at += 1
        return self.text[started : self.at]

    def blanks(self) -> None:
        while self.peek().isspace():
            self.at += 1

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def refuse(self, problem: str, at: int | None = None) -> NoReturn:
        position = self.at if at is None else at
        rest = self.text[position : position + 20]
        found = f"at {rest!r}" if rest.strip() else "at its end"
        words = f"The query cannot be read {found}: {problem}."
        where = f"character {position + 1}"
        raise BadQuery(words, where=where if self.where is None else f"{self.where}, {where}", character=position + 1)
