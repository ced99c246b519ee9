"""Tables through a mapping: which columns make up a subject, and what each column says of it."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import polars as pl

from crypsis.data.formats.sql import read_sql
from crypsis.data.formats.tabular import read_table_file
from crypsis.errors import BadWarehouse
from crypsis.warehouse.assignments import Vocabulary, assign_name
from crypsis.warehouse.paths import find_file
from crypsis.warehouse.terms import LABEL, PREFIXES, RDF_TYPE, Term, Triple, expand, iri, iri_of, literal, node

_FIELD = re.compile(r"\{([^{}|]+)(?:\|(\w+))?\}")
_TABLE_KEYS = {"file", "database", "query", "separator", "subject", "key", "join", "types", "columns"}
_COLUMN_KEYS = {
    "property", "object", "object_types", "object_label", "on", "value", "datatype", "lang", "rule", "expr", "class",
    "authorship", "node", "value_property",
}  # fmt: skip
_FILTERS: dict[str, Callable[[str], str]] = {
    "lower": str.lower,
    "slug": lambda text: re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_"),
    "trim": str.strip,
    "": lambda text: text,
}


@dataclass(frozen=True)
class Template:
    """Text with fields of a row: `{base}{Genus|lower}`."""

    text: str

    def __post_init__(self) -> None:
        unknown = [name for _, name in _FIELD.findall(self.text) if name and name not in _FILTERS]
        if unknown:
            raise BadWarehouse(f"There is no filter {unknown[0]!r}; there are {', '.join(filter(None, _FILTERS))}.")

    @cached_property
    def fields(self) -> list[str]:
        return [name for name, _ in _FIELD.findall(self.text)]

    def fill(self, row: Mapping[str, str]) -> str | None:
        """The text with the fields of a row; None where one of them is empty."""
        if any(not row.get(name) for name in self.fields):
            return None
        return _FIELD.sub(lambda match: _FILTERS[match[2] or ""](row[match[1]]), self.text)


@cache
def template(text: str) -> Template:
    """The template of a text, made once."""
    return Template(text)


@dataclass(frozen=True)
class TableMapping:
    """The tables of a source, in the order in which they are read."""

    base: str
    tables: tuple[dict[str, Any], ...]
    prefixes: Mapping[str, str] = field(default_factory=lambda: PREFIXES)

    @classmethod
    def read(cls, path: Path, prefixes: Mapping[str, str] = PREFIXES) -> TableMapping:
        """A mapping from its JSON file."""
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise BadWarehouse(f"The mapping {path.name} cannot be read: {error}.", where=path.name) from error
        if not isinstance(content, dict) or not isinstance(content.get("tables"), list):
            raise BadWarehouse(f"The mapping {path.name} must be an object with a list 'tables'.", where=path.name)
        mapping = cls(
            str(content.get("base", "")), tuple(content["tables"]), {**prefixes, **content.get("prefixes", {})}
        )
        mapping.check(path.name)
        return mapping

    def check(self, where: str) -> None:
        """Refuse keys that mean nothing and templates that cannot be filled."""
        for number, table in enumerate(self.tables, 1):
            if not isinstance(table, dict):
                raise BadWarehouse(f"Table {number} must be an object.", where=where)
            unknown = table.keys() - _TABLE_KEYS
            if unknown:
                raise BadWarehouse(f"Table {number} has the unknown key {min(unknown)!r}.", where=where)
            if ("subject" in table) == ("join" in table):
                raise BadWarehouse(f"Table {number} needs either 'subject' with 'key', or 'join'.", where=where)
            for column in table.get("columns", []):
                unknown = column.keys() - _COLUMN_KEYS
                if unknown:
                    raise BadWarehouse(
                        f"Table {number} has a column with the unknown key {min(unknown)!r}.", where=where
                    )
                for key in ("object", "object_label", "on", "value", "lang", "expr", "authorship"):
                    template(str(column.get(key, "")))

    def triples(self, folder: Path, core: Vocabulary, *, shared: Path | None = None) -> Iterator[Triple]:
        """Everything that the tables say; files of shared data that were fetched lie in the folder `shared`."""
        subjects: dict[str, dict[str, Term]] = {}  # by key column, then by key
        for table in self.tables:
            frame = _read(table, folder, shared or folder)
            for row in frame.iter_rows(named=True):
                filled = {
                    "base": self.base,
                    **{name: "" if value is None else str(value) for name, value in row.items()},
                }
                subject = self._subject(table, filled, subjects)
                if subject is not None:
                    for kind in table.get("types", []):
                        yield subject, RDF_TYPE, self._term(kind)
                    for column in table.get("columns", []):
                        yield from self._column(column, subject, filled, core)

    def _subject(
        self, table: Mapping[str, Any], row: Mapping[str, str], subjects: dict[str, dict[str, Term]]
    ) -> Term | None:
        if "join" in table:
            return subjects.get(table["join"], {}).get(row.get(table["join"], ""))
        name = template(table["subject"]).fill(row)
        if name is None:
            return None
        if key := table.get("key"):
            subjects.setdefault(key, {})[row.get(key, "")] = iri(name)
        return iri(name)

    def _column(
        self, column: Mapping[str, Any], subject: Term, row: Mapping[str, str], core: Vocabulary
    ) -> Iterator[Triple]:
        if "on" in column:
            other = template(column["on"]).fill(row)
            if other is None:
                return
            subject = iri(other)
        if column.get("rule") == "name_assignment":
            name = template(column["expr"]).fill(row)
            if name is not None:
                lang = template(str(column.get("lang", ""))).fill(row) or ""
                authorship = template(str(column.get("authorship", ""))).fill(row) or ""
                yield from assign_name(
                    subject, name, self._term(column["class"]), core, lang=lang, authorship=authorship
                )
        elif "node" in column:
            value = template(str(column["value"])).fill(row)
            if value is not None:
                between = node([column["node"], iri_of(subject), value])
                yield subject, self._term(column["property"]), between
                if "class" in column:
                    yield between, RDF_TYPE, self._term(column["class"])
                yield between, self._term(column["value_property"]), self._literal(column, value, row)
        elif "object" in column:
            name = template(column["object"]).fill(row)
            if name is not None:
                yield subject, self._term(column["property"]), iri(name)
                for kind in column.get("object_types", []):
                    yield iri(name), RDF_TYPE, self._term(kind)
                label = template(str(column.get("object_label", ""))).fill(row)
                if label:
                    yield iri(name), LABEL, literal(label)
        elif "value" in column:
            value = template(str(column["value"])).fill(row)
            if value is not None:
                yield subject, self._term(column["property"]), self._literal(column, value, row)

    def _literal(self, column: Mapping[str, Any], value: str, row: Mapping[str, str]) -> Term:
        lang = template(str(column.get("lang", ""))).fill(row)
        datatype = column.get("datatype")
        return literal(value, lang=lang or None, datatype=None if datatype is None else iri_of(self._term(datatype)))

    def _term(self, name: str) -> Term:
        return expand(name, self.prefixes)


def _read(table: Mapping[str, Any], folder: Path, shared: Path) -> pl.DataFrame:
    """The rows of a table; values as they are written."""
    if "query" in table:
        database = str(table.get("database", ""))
        if "://" in database:
            return read_sql(table["query"], database)
        with sqlite3.connect(f"file:{(folder / database).resolve()}?mode=ro", uri=True) as connection:
            return read_sql(table["query"], connection)
    name = str(table["file"])
    path = find_file(shared if name.startswith("$") else folder, name)
    frame, _ = read_table_file(path, separator=table.get("separator"))
    needed = {name for name in _fields(table) if name != "base"} - set(frame.columns)
    if needed:
        raise BadWarehouse(
            f"{table['file']} has no column {min(needed)!r}; its columns are {', '.join(frame.columns)}.",
            where=str(table["file"]),
        )
    return frame


def _fields(table: Mapping[str, Any]) -> Iterator[str]:
    yield from template(str(table.get("subject", ""))).fields
    yield from (table[key] for key in ("key", "join") if key in table)
    for column in table.get("columns", []):
        for key in ("object", "object_label", "on", "value", "lang", "expr", "authorship"):
            yield from template(str(column.get(key, ""))).fields
