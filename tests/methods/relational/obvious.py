"""Small tables for comparing the methods with the obvious versions of `tests.reference.tables`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import polars as pl
from hypothesis import strategies as st

from crypsis.data.relational import PublishedTable, Table
from crypsis.hierarchy import Hierarchies, Hierarchy
from tests.reference import tables as reference

NUMBER, VALUES = ("number",), ("values",)


@dataclass(frozen=True)
class Small:
    """Rows of quasi-identifiers with their attributes, sensitive values and labels."""

    rows: list[list[Any]]
    attributes: list[tuple[Any, ...]]
    sensitive: list[str | None]
    labels: list[str]
    persons: list[int] | None = None

    @property
    def trees(self) -> list[dict[str, str]]:
        return [attribute[1] for attribute in self.attributes]

    @property
    def hierarchies(self) -> Hierarchies | None:
        found = {f"q{a}": Hierarchy(one[1]) for a, one in enumerate(self.attributes) if one[0] == "tree"}
        return Hierarchies(found) if found else None

    def table(self, *, label: bool = False) -> Table:
        columns: dict[str, Any] = {}
        for place, attribute in enumerate(self.attributes):
            kind = pl.Int64 if attribute[0] == "number" else pl.String
            columns[f"q{place}"] = pl.Series([row[place] for row in self.rows], dtype=kind)
        roles = dict.fromkeys(columns, "quasi")
        types = {name: "int" if column.dtype == pl.Int64 else "category" for name, column in columns.items()}
        columns["s"], roles["s"] = pl.Series(self.sensitive, dtype=pl.String), "sensitive"
        if label:
            columns["y"], roles["y"] = pl.Series(self.labels, dtype=pl.String), "label"
        if self.persons is not None:
            columns["p"], roles["p"] = pl.Series(self.persons), "person"
        return Table.from_frame(pl.DataFrame(columns), roles, types)

    def bad(self, k: int, kind: str | None = None, bound: Any = None) -> reference.Bad:
        """Too small, or not diverse."""
        if self.persons is not None:
            return self._bad_people(self.persons, k, kind, bound)
        domain = sorted({value for value in self.sensitive if value is not None})
        whole = [self.sensitive.count(value) for value in domain]

        def is_bad(records: Sequence[int]) -> bool:
            if len(records) < k:
                return True
            counts = [sum(self.sensitive[record] == value for record in records) for value in domain]
            return kind is not None and not reference.is_diverse(kind, bound, counts, whole)

        return is_bad

    def _bad_people(self, persons: list[int], k: int, kind: str | None, bound: Any) -> reference.Bad:
        """Too few people, or not diverse: who has a value counts once for it, and in distances everybody as much."""
        domain = sorted({value for value in self.sensitive if value is not None})
        share = [Fraction(1, persons.count(person)) for person in persons]
        close = kind in ("equal", "ordered")

        def counts(records: Sequence[int]) -> list[Any]:
            having = [[record for record in records if self.sensitive[record] == value] for value in domain]
            if close:
                return [sum((share[record] for record in rows), Fraction(0)) for rows in having]
            return [len({persons[record] for record in rows}) for rows in having]

        whole = counts(range(len(persons)))

        def is_bad(records: Sequence[int]) -> bool:
            if len({persons[record] for record in records}) < k:
                return True
            return kind is not None and not reference.is_diverse(kind, bound, counts(records), whole)

        return is_bad


def asked(kind: str | None, bound: Any) -> dict[str, Any]:
    """A constraint as parameters of a method."""
    if kind is None:
        return {}
    if kind in ("equal", "ordered"):
        return {"t": bound, "distance": kind}
    if kind == "recursive":
        return {"c": bound[0], "l": bound[1], "diversity": kind}
    return {"l": bound, "diversity": kind}


constraints = st.sampled_from(
    [
        (None, None), (None, None), (None, None), ("distinct", 2), ("entropy", 2), ("recursive", (1.5, 2)),
        ("equal", 0.3), ("ordered", 0.25),
    ]
)  # fmt: skip


@st.composite
def trees(draw: st.DrawFn, name: str) -> dict[str, str]:
    """A tree of up to three levels below the root, balanced or not."""
    parent: dict[str, str] = {}
    waiting, number = [(f"{name}*", 0)], 0
    while waiting:
        node, depth = waiting.pop(0)
        for _ in range(draw(st.integers(1, 3))):
            number += 1
            child = f"{name}{number}"
            parent[child] = node
            if depth < 2 and number < 10 and draw(st.booleans()):
                waiting.append((child, depth + 1))
    return parent


@st.composite
def small_tables(draw: st.DrawFn, *, only_trees: bool = False, max_rows: int = 10, people: bool = False) -> Small:
    """With `people`, persons may have several records, and one person often has most of them."""
    n_rows = draw(st.integers(1, max_rows))
    absent = draw(st.booleans())
    attributes: list[tuple[Any, ...]] = []
    columns = []
    for place in range(draw(st.integers(1, 3))):
        kind = "tree" if only_trees else draw(st.sampled_from(["number", "tree", "values"]))
        if kind == "tree":
            tree = draw(trees(f"n{place}."))
            attributes.append(("tree", tree))
            values: st.SearchStrategy[Any] = st.sampled_from(reference.leaves(tree, reference.root(tree)))
        else:
            attributes.append(NUMBER if kind == "number" else VALUES)
            values = st.integers(0, 6) if kind == "number" else st.sampled_from("abcd")
        columns.append(draw(st.lists(st.none() | values if absent else values, min_size=n_rows, max_size=n_rows)))
    sensitive = st.sampled_from(["x", "y", "z"])
    return Small(
        [list(row) for row in zip(*columns, strict=True)],
        attributes,
        draw(st.lists(st.none() | sensitive if absent else sensitive, min_size=n_rows, max_size=n_rows)),
        draw(st.lists(st.sampled_from("NY"), min_size=n_rows, max_size=n_rows)),
        draw(st.lists(st.sampled_from([0, 0, 0, 1, 2, 3, 4, 5]), min_size=n_rows, max_size=n_rows)) if people else None,
    )


def classes(published: PublishedTable) -> list[list[int]]:
    """The records of every class, sorted."""
    found: dict[Any, list[int]] = {}
    for record, codes in enumerate(published.quasi_codes().tolist()):
        if not published.suppressed[record]:
            found.setdefault(tuple(codes), []).append(record)
    return sorted(found.values())
