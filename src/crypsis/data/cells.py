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

from crypsis.arrays import Int8s, Int32s, Int64s, freeze, offsets_of
from crypsis.data.values import (
    IN_WORDS,
    POLARS_TYPES,
    ColumnType,
    Scalar,
    read_bound,
    read_value,
    write_bound,
    write_value,
    write_values,
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
_WHOLE = r"-?[1-9][0-9]{0,17}|0"
_WHOLE_CELL = rf"^(?:\[(?<low>{_WHOLE}):(?<high>{_WHOLE})\]|(?<single>{_WHOLE}))$"
_SIGNS = {"?": MISSING, "*": ANY, "~": SUPPRESSED}
_SIGN_OF_KIND: dict[int, str] = {cell.kind: sign for sign, cell in _SIGNS.items()}


@dataclass(frozen=True, eq=False)
class Cells:
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

    def __post_init__(self) -> None:
        freeze(self, "kinds", "offsets", "members")

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
        cls, type: ColumnType, texts: Sequence[str], nodes: Collection[str] | None = None
    ) -> tuple[Cells, Int32s]:
        """The cells that texts stand for, and the cell of each text.

        `nodes` are the names in the column's hierarchy; where they are not told, a text that is no value of the
        column's type is a node. `BadRow` carries the text.
        """
        if type == "int" and not nodes and len(texts) >= MANY_CELLS:
            at_once = _parse_whole_numbers(pl.Series(texts, dtype=pl.String))
            if at_once is not None:
                return at_once
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
        """Each cell as it is written; every value is written out once, however many cells hold it."""
        plain = write_values(self.values)
        single = [_escaped(text) if text else text for text in plain] if self.type == "category" else plain
        bounds = plain
        if self.type == "timestamp" and CellKind.RANGE in self.kinds:
            bounds = [write_bound(value) for value in self.values.to_list()]
        nodes = self.nodes.to_list()
        members, offsets = self.members.tolist(), self.offsets.tolist()
        a_value, a_range, a_node, a_set = map(int, (CellKind.VALUE, CellKind.RANGE, CellKind.NODE, CellKind.SET))
        texts = []
        for index, kind in enumerate(self.kinds.tolist()):
            start = offsets[index]
            if kind == a_range:
                texts.append(f"[{bounds[members[start]]}:{bounds[members[start + 1]]}]")
            elif kind == a_value:
                texts.append(single[members[start]])
            elif kind == a_node:
                texts.append(_escaped(nodes[members[start]]))
            elif kind == a_set:
                inside = members[start : offsets[index + 1]]
                texts.append("{" + "|".join(_escaped_in_set(plain[member]) for member in inside) + "}")
            else:
                texts.append(_SIGN_OF_KIND[kind])
        return tuple(texts)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Cells)
            and self.type == other.type
            and [self[index] for index in range(len(self))] == [other[index] for index in range(len(other))]
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(self.texts[:5])
        return f"Cells({len(self)} of type {self.type}: {shown}{', …' if len(self) > 5 else ''})"


def write_cell(cell: Cell) -> str:
    """The text of a cell."""
    if cell.kind == CellKind.RANGE:
        return f"[{write_bound(cell.members[0])}:{write_bound(cell.members[1])}]"
    if cell.kind == CellKind.SET:
        return "{" + "|".join(_escaped_in_set(write_value(member)) for member in cell.members) + "}"
    if cell.kind in (CellKind.VALUE, CellKind.NODE):
        return _escaped(write_value(cell.members[0]))
    return _SIGN_OF_KIND[cell.kind]


def _parse_whole_numbers(texts: pl.Series) -> tuple[Cells, Int32s] | None:
    """All cells at once where each is a whole number, a range of them or a sign, written as here; None otherwise."""
    if texts.n_unique() < len(texts):
        return None
    groups = texts.str.extract_groups(_WHOLE_CELL).struct.unnest()
    low, high, single = (groups[name].cast(pl.Int64) for name in ("low", "high", "single"))
    is_range, is_value = low.is_not_null().to_numpy(), single.is_not_null().to_numpy()
    kinds = np.where(is_range, CellKind.RANGE, CellKind.VALUE).astype(np.int8)
    for sign, cell in _SIGNS.items():
        kinds[(texts == sign).to_numpy()] = cell.kind
    is_sign = texts.is_in(list(_SIGNS)).to_numpy()
    if not (is_range | is_value | is_sign).all() or (low >= high).any():
        return None
    offsets = offsets_of(2 * is_range + is_value)
    members = np.empty(offsets[-1], np.int64)
    members[offsets[:-1][is_range]] = low.drop_nulls().to_numpy()
    members[offsets[:-1][is_range] + 1] = high.drop_nulls().to_numpy()
    members[offsets[:-1][is_value]] = single.drop_nulls().to_numpy()
    values, places = np.unique(members, return_inverse=True)
    cells = Cells(
        "int",
        kinds,
        offsets,
        places.astype(np.int32),
        pl.Series(values, dtype=POLARS_TYPES["int"]),
        pl.Series([], dtype=pl.String),
    )
    return cells, np.arange(len(texts), dtype=np.int32)


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
