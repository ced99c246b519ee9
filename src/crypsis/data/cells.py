r"""Generalized cells of a published table, and their text.

    19          a value                       Europe      a node of a hierarchy
    [19:22]     a closed range                {a|b}       one of several values
    ?           missing                       *           any value of the domain, or missing
    ~           suppressed

A value that would read as another form (?, *, ~, or beginning with [, { or \) has a \ in front; inside braces
every |, } and \ has one, too. Timestamps in ranges use the ISO basic form, which has no colons. A cell over one
value is that value; a node called * is `any`. Suppressed and missing are different cells with different texts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

import numpy as np
import polars as pl

from crypsis.arrays import EqualByContent, FrozenArrays, Int8s, Int32s, Int64s, offsets_of
from crypsis.data.value_texts import bound_texts, value_texts, values_of_bounds, values_of_texts
from crypsis.data.values import (
    IN_WORDS,
    POLARS_TYPES,
    ColumnType,
    Scalar,
    encoded,
    read_bound,
    read_value,
    write_bound,
    write_value,
)
from crypsis.errors import BadRow


class CellKind(IntEnum):
    """What a cell says."""

    VALUE = 0
    RANGE = 1
    NODE = 2
    SET = 3
    MISSING = 4
    ANY = 5
    SUPPRESSED = 6


@dataclass(frozen=True)
class Cell:
    """One cell, for building and looking at; tables hold `Cells`."""

    kind: CellKind
    members: tuple[Scalar, ...] = ()

    @classmethod
    def value(cls, value: Scalar) -> Cell:
        return cls(CellKind.VALUE, (value,))

    @classmethod
    def range(cls, low: Scalar, high: Scalar) -> Cell:
        """A closed range; over one value it is that value."""
        if isinstance(low, str) or isinstance(high, str) or low > high:  # type: ignore[operator]
            raise BadRow(f"A range needs two numbers or dates, the lower first, got {low!r} and {high!r}.")
        return cls.value(low) if low == high else cls(CellKind.RANGE, (low, high))

    @classmethod
    def node(cls, name: str) -> Cell:
        """A node of a hierarchy; a root called * says the same as `any`."""
        return ANY if name == "*" else cls(CellKind.NODE, (name,))

    @classmethod
    def set(cls, values: Iterable[Scalar]) -> Cell:
        """One of several values; of one value it is that value."""
        distinct = sorted(set(values))
        if not distinct:
            raise BadRow("A set of values must not be empty.")
        return cls.value(distinct[0]) if len(distinct) == 1 else cls(CellKind.SET, tuple(distinct))


MISSING = Cell(CellKind.MISSING)
ANY = Cell(CellKind.ANY)
SUPPRESSED = Cell(CellKind.SUPPRESSED)
MANY_CELLS = 64  # from which they are parsed at once where that is possible
_SAMPLE, _MANY_VALUES = 10_000, 2_000  # from which texts are no longer looked up in a table
_SIGNS = {"?": MISSING, "*": ANY, "~": SUPPRESSED}
_NO_TEXTS = pl.Series([], dtype=pl.String)
_SIGN_OF_KIND: dict[int, str] = {cell.kind: sign for sign, cell in _SIGNS.items()}


@dataclass(frozen=True, eq=False)
class Cells(FrozenArrays, EqualByContent):
    """The distinct cells of one published column.

    Cell c has the kind `kinds[c]` and the members `members[offsets[c]:offsets[c + 1]]`: positions in `values`
    (one for a value, two for a range, several for a set) or, for a node, its position in `nodes`.
    """

    type: ColumnType
    kinds: Int8s
    offsets: Int64s
    members: Int32s
    values: pl.Series
    nodes: pl.Series

    @classmethod
    def of(cls, type: ColumnType, cells: Iterable[Cell]) -> Cells:
        """Distinct cells in the order in which they first come."""
        distinct = list(dict.fromkeys(cells))
        named = [cell for cell in distinct if cell.kind == CellKind.NODE]
        valued = [cell for cell in distinct if cell.kind != CellKind.NODE]
        values = sorted({member for cell in valued for member in cell.members})
        nodes = sorted({str(cell.members[0]) for cell in named})
        _refuse_empty_text((*values, *nodes))
        place_of_value = {value: index for index, value in enumerate(values)}
        place_of_node = {name: index for index, name in enumerate(nodes)}
        members = [
            place_of_node[str(member)] if cell.kind == CellKind.NODE else place_of_value[member]
            for cell in distinct
            for member in cell.members
        ]
        return cls(
            type,
            np.array([cell.kind for cell in distinct], np.int8),
            offsets_of(np.array([len(cell.members) for cell in distinct], np.int64)),
            np.array(members, np.int32),
            pl.Series(values, dtype=POLARS_TYPES[type]),
            pl.Series(nodes, dtype=pl.String),
        )

    @classmethod
    def parse(
        cls,
        type: ColumnType,
        texts: Sequence[str] | pl.Series,
        nodes: Collection[str] | None = None,
        *,
        distinct: bool = False,
    ) -> tuple[Cells, Int32s]:
        """The cells that texts stand for, and the cell of each text.

        `nodes` are the names in the column's hierarchy; where they are not told, a text that is no value of the
        column's type is a node. `distinct`: no text is there twice. `BadRow` carries the text.
        """
        if len(texts) >= MANY_CELLS:
            series = texts if isinstance(texts, pl.Series) else pl.Series(texts, dtype=pl.String)
            at_once = _parse_at_once(series, type, nodes)
            if at_once is not None and (distinct or series.n_unique() == len(series)):
                return at_once, np.arange(len(texts), dtype=np.int32)
        parsed = [parse_cell(text, type, nodes) for text in texts]
        number = {cell: index for index, cell in enumerate(dict.fromkeys(parsed))}
        return cls.of(type, parsed), np.array([number[cell] for cell in parsed], np.int32)

    def __len__(self) -> int:
        return len(self.kinds)

    def __getitem__(self, place: int) -> Cell:
        kind = CellKind(int(self.kinds[place]))
        members = self.members[self.offsets[place] : self.offsets[place + 1]].tolist()
        source = self.nodes if kind == CellKind.NODE else self.values
        return Cell(kind, tuple(source[member] for member in members))

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Each cell as it is written."""
        return tuple(self.text_series.to_list())

    @cached_property
    def text_series(self) -> pl.Series:
        """Each cell as it is written, as a column; every value is written out once, however many cells hold it."""
        plain = value_texts(self.values)
        first = self.members.take(self.offsets[:-1], mode="clip") if len(self.members) else self.members
        places = {kind: np.flatnonzero(self.kinds == kind) for kind in CellKind}
        single = _escaped_texts(plain) if self.type == "category" else plain
        ranges, sets = places[CellKind.RANGE], places[CellKind.SET]
        parts = [
            single.gather(first[places[CellKind.VALUE]]) if len(self.values) else _NO_TEXTS,
            _range_texts(bound_texts(self.values), self.members, self.offsets[ranges]) if len(ranges) else _NO_TEXTS,
            _escaped_texts(self.nodes).gather(first[places[CellKind.NODE]]) if len(self.nodes) else _NO_TEXTS,
            _set_texts(plain, self.members, self.offsets, sets) if len(sets) else _NO_TEXTS,
        ]
        held = [places[kind] for kind in (CellKind.VALUE, CellKind.RANGE, CellKind.NODE, CellKind.SET)]
        for kind, sign in _SIGN_OF_KIND.items():
            held.append(places[CellKind(kind)])
            parts.append(pl.Series([sign] * len(held[-1]), dtype=pl.String))
        if sum(map(bool, map(len, held))) == 1:  # all of one kind, so in order
            return pl.concat(parts).alias("")
        order = np.empty(len(self), np.int64)
        order[np.concatenate(held)] = np.arange(len(self))
        return pl.concat(parts).gather(order).alias("")

    @cached_property
    def text_ranks(self) -> Int64s:
        """The rank of each cell's text among the texts, from 0; equal texts have one rank."""
        texts = self.text_series
        order = texts.arg_sort()
        ascending = texts.gather(order)
        begins = np.ones(len(texts), np.int64)
        begins[:1] = 0
        begins[1:] = (ascending.slice(1) != ascending.slice(0, max(len(texts) - 1, 0))).to_numpy()
        ranks = np.empty(len(texts), np.int64)
        ranks[order.to_numpy()] = np.cumsum(begins)
        return ranks

    @property
    def compared(self) -> tuple[object, ...]:
        return (self.type, [self[index] for index in range(len(self))])

    def __repr__(self) -> str:
        shown = ", ".join(self.texts[:5])
        return f"Cells({len(self)} of type {self.type}: {shown}{', …' if len(self) > 5 else ''})"


def parse_values(type: ColumnType, texts: pl.Series) -> tuple[Cells, Int32s] | None:
    """The cells of a long column, and that of each text, where all are values, written as here, of which many differ.

    Numbers and dates are read without looking every text up. None where this cannot be told of all texts.
    """
    sample = texts.head(_SAMPLE)
    if type == "category" or sample.n_unique() < _MANY_VALUES or values_of_texts(sample, type).has_nulls():
        return None
    values = values_of_texts(texts, type)
    if values.has_nulls():
        return None
    codes, domain = encoded(values)
    if not (value_texts(domain).gather(codes) == texts).all():
        return None
    # numbered in the order in which they first come
    row = np.empty(len(domain), np.int64)
    row[codes[::-1]] = np.arange(len(texts))[::-1]
    begins = np.zeros(len(texts), np.bool_)
    begins[row] = True
    number = (np.cumsum(begins, dtype=np.int32) - np.int32(1))[row]
    cells = Cells(
        type,
        np.full(len(domain), CellKind.VALUE, np.int8),
        np.arange(len(domain) + 1),
        codes[begins],
        domain.alias(""),
        _NO_TEXTS,
    )
    return cells, number[codes]


def write_cell(cell: Cell) -> str:
    """The text of a cell."""
    if cell.kind == CellKind.RANGE:
        return f"[{write_bound(cell.members[0])}:{write_bound(cell.members[1])}]"
    if cell.kind == CellKind.SET:
        return "{" + "|".join(_escaped_in_set(write_value(member)) for member in cell.members) + "}"
    if cell.kind in (CellKind.VALUE, CellKind.NODE):
        return _escaped(write_value(cell.members[0]))
    return _SIGN_OF_KIND[cell.kind]


def _parse_at_once(texts: pl.Series, type: ColumnType, nodes: Collection[str] | None) -> Cells | None:
    """Cells none of which has another text, each written as here; None where this cannot be told of all texts.

    Values, ranges, nodes and signs are read together. What this does not understand, or is no cell at all, goes to
    `parse_cell`. The cells are written again and compared, so that nothing is read as what it is not.
    """
    if texts.has_nulls():
        return None
    opening = texts.str.slice(0, 1)
    signs = texts.is_in(list(_SIGNS))
    is_range = opening == "["
    plain = ~(signs | opening.is_in(["[", "{", "\\", ""]))
    named = texts.is_in(list(nodes)) & plain if nodes else pl.repeat(False, len(texts), eager=True)
    values, low, high = _read_values(texts, plain & ~named, is_range, type)
    is_value, is_range = values.is_not_null(), low.is_not_null()
    others = (~(signs | named | is_value | is_range)).arg_true().to_numpy()
    try:
        read = Cells.of(type, [parse_cell(text, type, nodes) for text in texts.gather(others).to_list()])
    except BadRow:  # told of the first text that is none
        return None
    if len(read) < len(others):
        return None
    kinds = np.full(len(texts), CellKind.VALUE, np.int8)
    kinds[is_range.to_numpy()] = CellKind.RANGE
    kinds[named.to_numpy()] = CellKind.NODE
    kinds[others] = read.kinds
    for sign, cell in _SIGNS.items():
        kinds[(texts == sign).to_numpy()] = cell.kind
    lengths = (is_value | named).to_numpy().astype(np.int64) + 2 * is_range.to_numpy()
    lengths[others] = np.diff(read.offsets)
    offsets = offsets_of(lengths)
    starts = offsets[:-1]
    in_read = np.repeat(read.kinds == CellKind.NODE, np.diff(read.offsets))
    held = _held(starts[others], np.diff(read.offsets))
    codes, domain = encoded(
        pl.concat(
            [values.drop_nulls(), low.drop_nulls(), high.drop_nulls(), read.values.gather(read.members[~in_read])]
        )
    )
    names, called = encoded(pl.concat([texts.filter(named), read.nodes.gather(read.members[in_read])]))
    members = np.empty(offsets[-1], np.int32)
    ends = starts[is_range.to_numpy()]
    members[np.concatenate([starts[is_value.to_numpy()], ends, ends + 1, held[~in_read]])] = codes
    members[np.concatenate([starts[named.to_numpy()], held[in_read]])] = names
    cells = Cells(type, kinds, offsets, members, domain.alias(""), called.alias(""))
    again = cells.text_series
    return cells if (again == texts).all() else None


def _read_values(
    texts: pl.Series, plain: pl.Series, is_range: pl.Series, type: ColumnType
) -> tuple[pl.Series, pl.Series, pl.Series]:
    """The value of every text, and the ends of its range; null where it is none, or not understood."""
    if type == "category":
        nothing = pl.Series([None] * len(texts), dtype=pl.String)
        return texts.set(~plain, None), nothing, nothing
    values = values_of_texts(texts.set(~plain, None), type)
    if not is_range.any():
        nothing = pl.Series([None], dtype=POLARS_TYPES[type]).new_from_index(0, len(texts))
        return values, nothing, nothing
    inside = texts.set(~is_range, None).str.strip_prefix("[").str.strip_suffix("]")
    bounds = inside.str.split_exact(":", 1).struct.unnest()
    low, high = (values_of_bounds(bounds.to_series(end), type) for end in (0, 1))
    unordered = ~(low < high).fill_null(False)
    return values, low.set(unordered, None), high.set(unordered, None)


def _held(starts: Int64s, lengths: Int64s) -> Int64s:
    """The slots of the members of these cells, one after another."""
    before = np.repeat(np.cumsum(lengths) - lengths, lengths)
    slots: Int64s = np.repeat(starts, lengths) + np.arange(int(lengths.sum())) - before
    return slots


def _range_texts(bounds: pl.Series, members: Int32s, starts: Int64s) -> pl.Series:
    low, high = bounds.gather(members[starts]), bounds.gather(members[starts + 1])
    return pl.select(pl.concat_str(pl.lit("["), low, pl.lit(":"), high, pl.lit("]"))).to_series()


def _set_texts(plain: pl.Series, members: Int32s, offsets: Int64s, sets: Int64s) -> pl.Series:
    escaped = [_escaped_in_set(text) for text in plain.to_list()]
    texts = [
        "{" + "|".join([escaped[member] for member in members[start:end].tolist()]) + "}"
        for start, end in zip(offsets[sets].tolist(), offsets[sets + 1].tolist(), strict=True)
    ]
    return pl.Series(texts, dtype=pl.String)


def _escaped_texts(texts: pl.Series) -> pl.Series:
    special = texts.is_in(list(_SIGNS)) | texts.str.slice(0, 1).is_in(["[", "{", "\\"])
    return texts.zip_with(~special, "\\" + texts) if special.any() else texts


def parse_cell(text: str, type: ColumnType, nodes: Collection[str] | None = None) -> Cell:
    """The cell that a text stands for; `BadRow` where it stands for none."""
    if text in _SIGNS:
        return _SIGNS[text]
    if text.startswith("["):
        return _parse_range(text, type)
    if text.startswith("{"):
        return _parse_set(text, type)
    plain = text[1:] if text.startswith("\\") else text
    if not plain:
        raise BadRow("A published cell is empty; a missing value is written ?, a suppressed one ~.", text=text)
    if nodes is not None and plain in nodes:
        return Cell.node(plain)
    try:
        return Cell.value(read_value(plain, type))
    except ValueError:
        if nodes is None:
            return Cell.node(plain)
        raise BadRow(
            f"{text!r} is neither {IN_WORDS[type]} nor a node of the column's hierarchy; correct the cell.", text=text
        ) from None


def _parse_range(text: str, type: ColumnType) -> Cell:
    bounds = text[1:-1].split(":")
    try:
        if not text.endswith("]") or len(bounds) != 2 or type == "category":
            raise ValueError(text)
        low, high = (read_bound(bound, type) for bound in bounds)
        if low >= high:  # type: ignore[operator]
            raise ValueError(text)
    except ValueError:
        raise BadRow(
            f"A range is written [low:high], each {IN_WORDS[type]}, the lower first, got {text!r}; "
            "a value that begins with [ is written with \\ in front.",
            text=text,
        ) from None
    return Cell(CellKind.RANGE, (low, high))


def _parse_set(text: str, type: ColumnType) -> Cell:
    parts = _split_set(text)
    try:
        if parts is None or len(parts) < 2 or not all(parts):
            raise ValueError(text)
        values = [read_value(part, type) for part in parts]
        if len(set(values)) != len(values):
            raise ValueError(text)
    except ValueError:
        raise BadRow(
            f"A set is written {{a|b}}, two or more different values, each {IN_WORDS[type]}, got {text!r}; "
            "a value that begins with { is written with \\ in front.",
            text=text,
        ) from None
    return Cell.set(values)


def _split_set(text: str) -> list[str] | None:
    """The members between the braces, or None where the braces do not match."""
    parts: list[str] = []
    current: list[str] = []
    characters = iter(text[1:])
    for character in characters:
        if character == "\\":
            following = next(characters, None)
            if following is None:
                return None
            current.append(following)
        elif character == "|":
            parts.append("".join(current))
            current.clear()
        elif character == "}":
            parts.append("".join(current))
            return parts if next(characters, None) is None else None
        else:
            current.append(character)
    return None


def _escaped(text: str) -> str:
    return "\\" + text if text in _SIGNS or text[0] in "[{\\" else text


def _escaped_in_set(text: str) -> str:
    doubled = "".join("\\" + character if character in "|}\\" else character for character in text)
    # A backslash at the front is doubled already.
    return "\\" + doubled if text in _SIGNS or text[0] in "[{" else doubled


def _refuse_empty_text(texts: Iterable[Scalar]) -> None:
    if any(text == "" for text in texts):
        raise BadRow("A published value or node must not be empty text; a missing value is the cell ?.")
