"""What may be asked of data of every kind, so that nobody has to ask which kind they are.

`Microdata` are data as they were collected, `PublishedData` what a release says of them. A kind answers what applies to
it and leaves the rest as it stands here: no table, no sets, no labels.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import polars as pl

from crypsis import notebook
from crypsis.arrays import EqualByContent
from crypsis.data.frame_types import InMemory
from crypsis.errors import NotApplicable

if TYPE_CHECKING:
    from crypsis.arrays import Int64s
    from crypsis.data.count_bounds import CountBounds
    from crypsis.data.count_query import CountQuery
    from crypsis.data.relational import PublishedTable, Table
    from crypsis.data.symbols import SymbolRows
    from crypsis.data.transaction import PublishedTransactions, Transactions
    from crypsis.data.vocabulary import Vocabulary


ITEMS, LOCATIONS, VISITS = "items", "locations", "visits"  # what records are made of, by these words everywhere


class Microdata(InMemory, EqualByContent):
    """Data about people, one record or several for each of them."""

    description: ClassVar[str] = "data"
    """What the data hold, in a sentence: "this dataset contains ..."."""

    separator: ClassVar[str] = ", "
    """Between the values of a record that is shown as text."""

    @classmethod
    def views(cls) -> Mapping[type, Callable[[Any], Any]]:
        """The kinds of data that these can be taken for, and how."""
        return {cls: lambda data: data}

    @property
    def table_part(self) -> Table | None:
        """The relational columns."""
        return None

    @property
    def set_part(self) -> Transactions | None:
        """The sets of items."""
        return None

    @property
    def crs(self) -> str | None:
        """The projection of coordinates, where it is known."""
        return None

    @property
    def label_vocabulary(self) -> Vocabulary | None:
        """The items or locations that records are made of."""
        return None

    @property
    def label_counts(self) -> Int64s | None:
        """How often each label of the vocabulary occurs."""
        return None

    @property
    def hierarchy_columns(self) -> tuple[str, ...]:
        """What can have a hierarchy: columns, items, locations."""
        return ()

    def choose_columns(self, columns: Sequence[str], wanted: type) -> Any:
        """The data on these columns alone, as data of the wanted kind."""
        raise NotApplicable(f"{type(self).__name__} have no columns to choose from; leave columns out.")

    def to_texts(self) -> pl.DataFrame | None:
        """Every record as published texts would show it, were it kept; None where rows cannot be put side by side."""
        return None

    def _repr_html_(self) -> str:
        frame = self.to_frame()
        size = f"{frame.height:,} rows"
        shown = notebook.rows(frame.columns, frame.head(notebook.ROWS).rows(), f"First {notebook.ROWS} of {size}")
        return notebook.framed(notebook.heading(type(self).__name__, f"{self.description}, {size}"), shown)


class PublishedData(EqualByContent):
    """What a release says."""

    separator: ClassVar[str] = ", "
    confirmable: ClassVar[tuple[str, ...]] = ()
    """What of it, beside columns, can be confirmed to be published unchanged on purpose."""

    @property
    def table_part(self) -> PublishedTable | None:
        """The relational columns."""
        return None

    @property
    def set_part(self) -> PublishedTransactions | None:
        """The sets of items."""
        return None

    @property
    def symbol_rows(self) -> SymbolRows | None:
        """The symbols that stand for items or locations, row by row."""
        return None

    @property
    def contents(self) -> int:
        """How much is published: records that say something, visits or items. None of it makes a release empty."""
        return len(self)  # type: ignore[arg-type]

    @property
    def noisy_counts(self) -> Int64s | None:
        """The published counts that noise was added to."""
        return None

    @property
    def known_items(self) -> frozenset[str]:
        """The items that published records hold or may stand for."""
        return frozenset()

    def bound_counts(self, queries: Sequence[CountQuery], *, complete: bool = True) -> list[CountBounds]:
        """Between what bounds the number of original records lies that satisfy each query, if this is truthful.

        `complete` says that nothing was left out but what is marked as suppressed.
        """
        raise NotApplicable(f"Counting queries are put to tables and sets of items, not to {type(self).__name__}.")

    def expected_count(self, query: CountQuery) -> float:
        """The likeliest number of original records that satisfy a query, where neither a table nor sets tell it."""
        raise NotApplicable(f"Counting queries are put to tables and sets of items, not to {type(self).__name__}.")

    def to_texts(self) -> pl.DataFrame:
        """One row per record, with texts; sets and sequences as JSON arrays."""
        return self.to_frame().cast(pl.String)  # type: ignore[attr-defined, no-any-return]

    def scan(self) -> pl.LazyFrame:
        """The same rows as a lazy frame; those of a release in parts are read when they are asked for."""
        return self.to_texts().lazy()

    def _repr_html_(self) -> str:
        frame = self.to_texts()
        size = f"{frame.height:,} published rows"
        shown = notebook.rows(frame.columns, frame.head(notebook.ROWS).rows(), f"First {notebook.ROWS} of {size}")
        return notebook.framed(notebook.heading(type(self).__name__, size), shown)

    def to_export(self) -> pl.DataFrame:
        """The table that a file for other programs holds."""
        return self.to_texts()


def json_column(name: str, rows: Iterable[Any]) -> pl.DataFrame:
    """A table of one column that holds each row as a JSON array."""
    texts = [json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows]
    return pl.DataFrame({name: texts}, schema={name: pl.String})
