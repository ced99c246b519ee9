"""Mixed data in parts: rows of a table in which one or more columns hold sets, read one part at a time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

import polars as pl

from crypsis.data.formats.columns import unknown_column
from crypsis.data.formats.memory import in_words
from crypsis.data.formats.wide_rows import unite_columns
from crypsis.data.mixed import UNITED, Mixed, relational_columns, united_sets
from crypsis.data.place_of_part import Place, stamp_of
from crypsis.data.scanned import TEXT_PER_MEMORY, Part, ScannedRows, named_roles, source_and_file
from crypsis.data.set_valued_cells import sets_of_cells
from crypsis.data.transaction import Transactions, sensitive_mask
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import TooLarge

if TYPE_CHECKING:  # sources are imported when something is read
    from crypsis.arrays import Bools
    from crypsis.data.sources import DataFile, MixedSource, TableSource


@dataclass(frozen=True, eq=False, repr=False)
class ScannedMixed(ScannedRows):
    """Records with relational columns and a set of items, in parts. `crypsis.scan_mixed` makes one.

    >>> import crypsis, pathlib, polars, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> polars.DataFrame({"age": [31, 34], "codes": ["flu burn", "flu"]}).write_csv(folder / "a.csv")
    >>> polars.DataFrame({"age": [29, 35], "codes": ["cold", "flu cold"]}).write_csv(folder / "b.csv")
    >>> crypsis.scan_mixed(folder / "*.csv", items={"codes": " "}, quasi="age")
    ScannedMixed(2 files; columns age, codes)
    """

    stands_for = Mixed

    @classmethod
    def of(cls, source: TableSource, file: DataFile) -> Self:
        """Look at the names of the columns of every file; sets of other files must not change either."""
        scanned = super().of(source, file)
        relational_columns(scanned.united_columns[0], scanned.united_columns[1])
        named = set(scanned.united_columns[0])
        for name in (*scanned.united_columns[1], *scanned.mixed_source.sensitive_items()):
            if name not in named:
                raise unknown_column(name, scanned.united_columns[0], str(file.path))
        beside: dict[Place, tuple[int, int]] = {path: stamp_of(path) for path in scanned.paths_beside}
        return cls(source, file, scanned.columns, {**scanned.stamps, **beside})

    @property
    def mixed_source(self) -> MixedSource:
        return cast("MixedSource", self.source)

    @property
    def paths_beside(self) -> list[Path]:
        """The files that hold the items of sets, one a row."""
        return [Path(one["path"]) for one in (self.mixed_source.sets or {}).values()]

    @cached_property
    def united_columns(self) -> tuple[tuple[str, ...], dict[str, str | None]]:
        """The columns when those that are one set together are one, and the sets with what separates their items."""
        names = dict.fromkeys([*self.columns, *(self.mixed_source.sets or {})])
        frame, items = unite_columns(pl.DataFrame(schema=dict.fromkeys(names, pl.String)), self.source.item_columns())
        return tuple(frame.columns), items

    @property
    def relational(self) -> tuple[str, ...]:
        """The columns that hold no sets."""
        return tuple(relational_columns(*self.united_columns))

    @property
    def sets(self) -> tuple[str, ...]:
        """The set-valued columns; of several the items are united."""
        return tuple(self.united_columns[1])

    @property
    def column(self) -> str:
        """What the set-valued column is called."""
        return self.sets[0] if len(self.sets) == 1 else UNITED

    def roles(self) -> tuple[dict[str, str], dict[str, str]]:
        """Role and type of each column as they are declared; columns that are one set together have none."""
        roles, types = self.source.roles([*self.columns, *(self.mixed_source.sets or {})])
        gone = set(self.columns) - set(self.united_columns[0])
        return {name: role for name, role in roles.items() if name not in gone}, types

    def check_fits(self, memory: int) -> None:
        """Files with the items of sets are read whole by each task."""
        for path in self.paths_beside:
            size, _ = self.stamps[path]
            if size > memory // TEXT_PER_MEMORY:
                raise TooLarge(
                    f"{path.name} has {in_words(size)}, and a file with the items of sets is read whole: up to "
                    f"{in_words(memory // TEXT_PER_MEMORY)} with this memory. Give more (`memory`), or write the items "
                    "into the table.",
                    where=str(path),
                )

    def read_part(self, part: Part) -> tuple[pl.DataFrame, Transactions]:
        """The relational columns of a part as its file has them, and the set of each record; which items are sensitive
        is settled when all are known."""
        frame = self.mixed_source.with_sets(part.read_columns(self.columns))
        for path in self.paths_beside:
            Part(path, self.stamps[path]).check_unchanged()
        frame, items = unite_columns(frame, self.source.item_columns())
        sets = {
            name: sets_of_cells(_as_sets(frame[name], separator), separator, (), part.file)
            for name, separator in items.items()
        }
        return frame.drop(list(items)), united_sets(sets)

    def sensitive_items(self, vocabulary: Vocabulary) -> Bools | None:
        """Which items of the records are declared to be sensitive; of several sets an item begins with its column."""
        declared = {name: labels for name, labels in self.mixed_source.sensitive_items().items() if labels}
        if len(self.sets) == 1:
            return sensitive_mask(vocabulary, declared.get(self.sets[0], ()))
        for name, labels in declared.items():  # errors speak of the labels of the column
            own = vocabulary.series.filter(vocabulary.series.str.starts_with(f"{name}."))
            sensitive_mask(Vocabulary(own.str.strip_prefix(f"{name}.")), labels)
        return sensitive_mask(vocabulary, [f"{name}.{label}" for name, labels in declared.items() for label in labels])


def _as_sets(cells: pl.Series, separator: str | None) -> pl.Series:
    """Cells of a part in which no record has an item may come without a type."""
    if cells.dtype != pl.Null:
        return cells
    return cells.cast(pl.List(pl.String) if separator is None else pl.String)


def scan_mixed(
    path: str | Path | Sequence[str | Path],
    roles: Mapping[str, str] | None = None,
    items: Mapping[str, str | None] | None = None,
    types: Mapping[str, str] | None = None,
    *,
    quasi: str | Iterable[str] = (),
    identifier: str | Iterable[str] = (),
    label: str | Iterable[str] = (),
    other: str | Iterable[str] = (),
    rest: str | None = None,
    sensitive: Mapping[str, Collection[str]] | None = None,
    person: str | None = None,
    each_row_is_a_person: bool = False,
    missing_tokens: tuple[str, ...] = ("?",),
    unparsable: str = "error",
    format: str | None = None,
    **options: Any,
) -> ScannedMixed:
    """Mixed data in parts: a path, a pattern such as `parts/*.parquet`, a list or a folder. Nothing is read yet.

    `items` maps each set-valued column to the separator of its items, or None for lists; `sensitive` such a column to
    its sensitive items. Other options as for `crypsis.read_mixed`; a column's role is given by `roles` or by the option
    that is called like it.
    """
    from crypsis.data.reading import cell_options, column_keys, set_keys
    from crypsis.data.sources import MixedSource

    named = named_roles(roles, {"quasi": quasi, "identifier": identifier, "label": label, "other": other})
    columns = column_keys(named, types) | set_keys(items or {}, sensitive)
    keys: dict[str, Any] = {"columns": columns, "person": person, "rest": rest}
    keys |= {**cell_options(missing_tokens, unparsable), "each_row_is_a_person": each_row_is_a_person}
    return ScannedMixed.of(*source_and_file(MixedSource, path, format, keys, options))
