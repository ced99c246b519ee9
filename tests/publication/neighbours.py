"""Originals that publish the same records, for every method: what the test of non-interference is made of.

An original is drawn, anonymized, and changed by a move that its release may hide: a value moves inside its published
set, a suppressed record or item becomes another, a hidden multiplicity changes, rows change places. What is changed is
anonymized anew; whether it publishes the same records is for the test to see.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

import crypsis
from crypsis.data.cells import CellKind
from crypsis.data.constraints import AutomaticConstraints
from crypsis.data.mixed import Mixed
from crypsis.data.relational import Table
from crypsis.data.stream import Events
from crypsis.data.track import Tracks
from crypsis.data.trajectory import Trajectories
from crypsis.data.transaction import Transactions
from crypsis.data.values import write_value
from crypsis.errors import CrypsisError
from crypsis.hierarchy import Hierarchies, Hierarchy, ItemHierarchy, UtilityPolicy
from crypsis.methods import METHODS
from crypsis.parameters import parameters_of
from crypsis.release import Release

Random = np.random.Generator
MOVES_PER_ORIGINAL = 8


class Original(ABC):
    """Data in plain form, with the moves that a release may hide."""

    raw: Any

    @abstractmethod
    def data(self) -> Any:
        """The data as a method takes them."""

    @abstractmethod
    def moved(self, release: Release, random: Random) -> Original:
        """A neighbour that the release may hide."""

    @staticmethod
    @abstractmethod
    def records(release: Release) -> Any:
        """What is published, whatever its order."""

    def rows(self) -> list[str]:
        """What it holds, whatever the order."""
        return sorted(map(repr, self.raw))


@dataclass(frozen=True)
class People(Original):
    """A table: numbers, codes and categories to generalize, a disease, and a column that is published as it is.

    Nobody declares the types of ages and notes: a fraction or a word among them makes all of them fractions or words.
    """

    raw: list[tuple[Any, str, str, str, str]]

    columns = ("age", "zip", "sex", "ill", "note")
    roles = {"age": "quasi", "zip": "quasi", "sex": "quasi", "ill": "sensitive", "note": "other"}  # noqa: RUF012
    types = {"zip": "category", "sex": "category", "ill": "category"}  # noqa: RUF012

    @classmethod
    def row(cls, random: Random) -> tuple[Any, str, str, str, str]:
        wide = random.random() < 0.1
        age = int(random.integers(60, 99)) + float(random.choice([0, 0.5])) if wide else int(random.integers(20, 28))
        age = int(age) if age == int(age) else age
        return (
            age,
            f"{random.integers(1, 3)}{random.integers(0, 3)}{random.integers(0, 2)}" + ("77" if wide else ""),
            str(random.choice(["f", "m"])),
            str(random.choice(["flu", "cold", "gout"])),
            str(random.choice(["1", "2"] if not wide else ["1", "many"])),
        )

    @classmethod
    def drawn(cls, random: Random) -> People:
        return cls([cls.row(random) for _ in range(int(random.integers(10, 22)))])

    def data(self) -> Table:
        texts = [tuple(map(str, row)) for row in self.raw]
        frame = pl.DataFrame(texts, schema=dict.fromkeys(self.columns, pl.String), orient="row")
        return Table.from_frame(frame, self.roles, self.types, each_row_is_a_person=True)

    def moved(self, release: Release, random: Random) -> People:
        rows = list(self.raw)
        published = getattr(release.data, "table", release.data)
        for _ in range(int(random.integers(1, 3))):
            row = int(random.integers(len(rows)))
            hidden = np.flatnonzero(published.suppressed).tolist()
            if hidden and random.random() < 0.5:
                row = hidden[int(random.integers(len(hidden)))]
            rows[row] = self._moved_row(rows, row, published, random)
        return People([rows[place] for place in order(len(rows), random)])

    def _moved_row(self, rows: list[Any], row: int, published: Any, random: Random) -> tuple[Any, ...]:
        if published.suppressed[row]:
            return self.row(random)
        values = list(rows[row])
        place = int(random.integers(3))
        column = published.column(self.columns[place])
        domain = sorted({one[place] for one in rows})
        inside = [value for value in domain if _contains(column, int(column.codes[row]), value)]
        if inside:
            values[place] = inside[int(random.integers(len(inside)))]
        return tuple(values)

    @staticmethod
    def records(release: Release) -> Any:
        return sorted(release.kind.as_written(release.data).to_frame().rows())


def order(count: int, random: Random) -> list[int]:
    """Rows stay where they are, or change places: some methods go by the order of the input."""
    return random.permutation(count).tolist() if random.random() < 0.4 else list(range(count))


def _contains(column: Any, place: int, value: Any) -> bool:
    cell = column.cells[place]
    if cell.kind == CellKind.RANGE:
        return bool(cell.members[0] <= value <= cell.members[1])
    if cell.kind == CellKind.NODE:
        return column.hierarchy is not None and write_value(value) in column.hierarchy.leaves[str(cell.members[0])]
    return cell.kind == CellKind.ANY or value in cell.members


@dataclass(frozen=True)
class Baskets(Original):
    """Sets of items."""

    raw: list[list[str]]

    items = "abcdefgh"

    @classmethod
    def record(cls, random: Random) -> list[str]:
        likely = np.array([8, 6, 5, 4, 2, 2, 1, 1], float)
        size = int(random.integers(0, 5))
        return sorted(random.choice(list(cls.items), size, replace=False, p=likely / likely.sum()).tolist())

    @classmethod
    def drawn(cls, random: Random) -> Baskets:
        return cls([cls.record(random) for _ in range(int(random.integers(9, 20)))])

    def data(self) -> Transactions:
        return Transactions.from_lists(self.raw)

    def moved(self, release: Release, random: Random) -> Baskets:
        records = [list(record) for record in self.raw]
        for _ in range(int(random.integers(1, 3))):
            row = int(random.integers(len(records)))
            records[row] = self._moved_record(records[row], row, release.data, random)
        return Baskets([records[place] for place in order(len(records), random)])

    def _moved_record(self, record: list[str], row: int, published: Any, random: Random) -> list[str]:
        if hasattr(published, "term_offsets"):  # a term that stands in term chunks only may be in other records, too
            hidden = np.flatnonzero((published.visible_supports == 0) & (published.hidden_leaves > 0)).tolist()
            if not hidden:
                return record
            term = published.vocabulary[hidden[int(random.integers(len(hidden)))]]
            return sorted(set(record) ^ {term})
        suppressed = list(published.suppressed or ())
        if suppressed and random.random() < 0.5:
            other = [*suppressed, f"new{random.integers(3)}"]
            return sorted(set(record) ^ {other[int(random.integers(len(other)))]})
        lists = published.symbols.label_lists
        shown = published.codes[published.offsets[row] : published.offsets[row + 1]].tolist()
        wide = [lists[code] for code in shown if len(lists[code]) > 1]
        if not wide:
            return record
        labels = wide[int(random.integers(len(wide)))]
        return sorted(set(record) - set(labels) | {labels[int(random.integers(len(labels)))]})

    @staticmethod
    def records(release: Release) -> Any:
        if hasattr(release.data, "term_offsets"):
            return release.data.to_canonical()
        return sorted(json.dumps(row) for row in release.data.to_lists())


@dataclass(frozen=True)
class PeopleWithBaskets(Original):
    """A table with a set of items in each row."""

    raw: tuple[People, Baskets]

    @classmethod
    def drawn(cls, random: Random) -> PeopleWithBaskets:
        people = People.drawn(random)
        return cls((people, Baskets([Baskets.record(random) for _ in people.raw])))

    def data(self) -> Mixed:
        people, baskets = self.raw
        return Mixed(people.data(), baskets.data(), "items", ("items",))

    def rows(self) -> list[str]:
        people, baskets = self.raw
        return sorted(map(repr, zip(people.raw, baskets.raw, strict=True)))

    def moved(self, release: Release, random: Random) -> PeopleWithBaskets:
        people, baskets = self.raw
        rows, records = list(people.raw), [list(record) for record in baskets.raw]
        table, sets = release.data.table, replace(release.data.transactions, suppressed=())
        for _ in range(int(random.integers(1, 3))):
            row = int(random.integers(len(rows)))
            if table.suppressed[row] or random.random() < 0.5:
                rows[row] = people._moved_row(rows, row, table, random)
            if table.suppressed[row]:
                records[row] = Baskets.record(random)
            elif random.random() < 0.5:
                records[row] = baskets._moved_record(records[row], row, sets, random)
        places = order(len(rows), random)
        return PeopleWithBaskets((People([rows[place] for place in places]), Baskets([records[row] for row in places])))

    @staticmethod
    def records(release: Release) -> Any:
        rows = release.kind.as_written(release.data).table.to_frame().rows()
        items = release.data.transactions.to_lists()
        return sorted(json.dumps([row, sets], default=str) for row, sets in zip(rows, items, strict=True))


@dataclass(frozen=True)
class Trips(Original):
    """Sequences of places on a small map."""

    raw: list[list[str]]
    sensitive: bool = False

    places = {f"p{number}": (float(number % 3), float(number // 3)) for number in range(8)}  # noqa: RUF012

    @classmethod
    def row(cls, random: Random) -> list[str]:
        likely = np.array([8, 6, 5, 4, 2, 2, 1, 1], float)
        length = int(random.integers(0, 5))
        return random.choice(list(cls.places), length, p=likely / likely.sum()).tolist()

    @classmethod
    def drawn(cls, random: Random) -> Trips:
        kinds = [cls.row(random) for _ in range(5)]
        rows = [kinds[int(random.integers(5))] if random.random() < 0.6 else cls.row(random) for _ in range(14)]
        return cls([list(row) for row in rows])

    def data(self) -> Trajectories:
        data = Trajectories.from_lists(self.raw, locations=self.places)
        return replace(data, locations=data.locations.marked(["p5"])) if self.sensitive else data

    def moved(self, release: Release, random: Random) -> Trips:
        rows = [list(row) for row in self.raw]
        published = release.data
        groups = [labels for labels in published.symbols.label_lists if len(labels) > 1]
        suppressed = list(published.suppressed or ())
        for _ in range(int(random.integers(1, 3))):
            row = rows[int(random.integers(len(rows)))]
            if not row:
                continue
            at = int(random.integers(len(row)))
            if suppressed and random.random() < 0.4:
                rest = [place for place in row if place not in suppressed]
                row[:] = rest if random.random() < 0.5 else [*rest, suppressed[int(random.integers(len(suppressed)))]]
            elif published.longest is not None and random.random() < 0.4:
                row[:] = row[: published.longest] + self.row(random)
            elif random.random() < 0.2:
                row[at] = list(self.places)[int(random.integers(len(self.places)))]
            else:
                near = [labels for labels in groups if row[at] in labels]
                if near:
                    row[at] = near[0][int(random.integers(len(near[0])))]
        places = order(len(rows), random)
        return Trips([rows[place] for place in places], self.sensitive)

    @staticmethod
    def records(release: Release) -> Any:
        return sorted(json.dumps(row) for row in release.data.to_lists())


@dataclass(frozen=True)
class Drives(Original):
    """Tracks of fixes on a plane."""

    raw: list[list[tuple[float, float, float]]]

    @classmethod
    def drawn(cls, random: Random) -> Drives:
        tracks = []
        for _ in range(int(random.integers(6, 11))):
            steps = random.integers(-2, 3, (5, 2)).cumsum(axis=0) * 40 + random.integers(0, 30, (5, 2))
            tracks.append([(float(x), float(y), 60.0 * time) for time, (x, y) in enumerate(steps.tolist())])
        return cls(tracks)

    def data(self) -> Tracks:
        return Tracks.from_lists(self.raw)

    def moved(self, release: Release, random: Random) -> Drives:
        tracks = [list(track) for track in self.raw]
        if random.random() < 0.7:
            track = tracks[int(random.integers(len(tracks)))]
            at = int(random.integers(len(track)))
            x, y, time = track[at]
            track[at] = (x + float(random.integers(-1, 2)), y + float(random.integers(-1, 2)), time)
        return Drives([tracks[place] for place in order(len(tracks), random)])

    @staticmethod
    def records(release: Release) -> Any:
        places = release.side_file
        points = None if places is None else sorted(places.to_frame().rows())
        return sorted(json.dumps(row) for row in release.data.to_lists()), points


@dataclass(frozen=True)
class Rides(Original):
    """Who was where when."""

    raw: list[tuple[str, str, int]]

    @classmethod
    def drawn(cls, random: Random) -> Rides:
        count = int(random.integers(20, 40))
        likely = [0.45, 0.3, 0.15, 0.1]
        triples = {
            (f"u{random.integers(7)}", str(random.choice(list("abcd"), p=likely)), int(random.integers(0, 6)))
            for _ in range(count)
        }
        return cls(sorted(triples, key=lambda triple: (triple[2], triple[0], triple[1])))

    def data(self) -> Events:
        return Events.from_lists(self.raw)

    def moved(self, release: Release, random: Random) -> Rides:
        shown = {(place, time) for window in release.data for row in release.data.rows(window) for place, time in row}
        events = list(self.raw)
        hidden = [at for at, (_, place, time) in enumerate(events) if (place, time) not in shown]
        if hidden and random.random() < 0.8:
            at = hidden[int(random.integers(len(hidden)))]
            who, _, time = events[at]
            events[at] = (who, str(random.choice(list("abcd"))), time)
        events = [*dict.fromkeys(events)]
        times = sorted({time for _, _, time in events})
        mixed: list[Any] = []
        for time in times:  # a stream comes in the order of time
            same = [event for event in events if event[2] == time]
            mixed += [same[place] for place in order(len(same), random)]
        return Rides(mixed)

    @staticmethod
    def records(release: Release) -> Any:
        return [
            (window.seq, window.x, window.y, window.pseudonyms, release.data.rows(window)) for window in release.data
        ]


FORMS: dict[type, Any] = {
    Table: People,
    Transactions: Baskets,
    Mixed: PeopleWithBaskets,
    Trajectories: Trips,
    Tracks: Drives,
    Events: Rides,
}
METHODS_OF_RECORDS = {
    name: method
    for name, method in METHODS.items()
    if method.accepts in FORMS and "declared domains" not in method.needs
}
_SEX = Hierarchy({"f": "anybody", "m": "anybody"})
_TREES = (None, "zip=prefix,age=equi_width:3", "zip=balanced:2,age=equi_depth", "zip=flat,age=adaptive:2", "zip=auto")
_ITEM_TREES = ("auto:2", "auto:3", "auto:2:frequency")


def settings(name: str, random: Random) -> dict[str, Any]:
    """Parameters under which things are merged, cut and suppressed in so small data."""
    known = {parameter.name for parameter in parameters_of(METHODS[name])}
    values: dict[str, Any] = {
        "k": int(random.integers(3, 7) if name in ("apriori", "lra", "vpa") else random.integers(2, 4)),
        "K": 2,
        "L": 2,
        "m": int(random.integers(1, 3)),
        "max_suppressed": float(random.choice([0.1, 0.3])),
        "max_suppressed_items": float(random.choice([0.0, 0.6])),
        "on_infeasible": "truncate" if name in ("seq-anon", "sd-seq-anon") else None,
        "delta": 60.0 if name == "u-seq-anon" else 1.0,
        "clusters": 2,
        "l": 1,
        "radius": 60.0,
        "precision": 0,
        "strict": bool(random.random() < 0.5),
        "max_cluster_size": 8,
        "N": 3,
        "pseudonyms": "stable",
        "accept_linkage": True,
    }
    if name == "u-seq-anon":
        values["constraints"] = AutomaticConstraints(int(random.integers(1, 4)))
    if name in ("coat", "pcta"):
        values["max_suppressed"] = 1.0
        values["utility"] = UtilityPolicy.from_text(str(random.choice(["single", "frequency:2", "fixed"])))
        if name == "pcta" and random.random() < 0.5:
            values["utility"] = None
    tree = _TREES[int(random.integers(len(_TREES)))]
    if METHODS[name].accepts in (Table, Mixed):
        values["hierarchy"] = None if tree is None else Hierarchies.from_text(tree)
        if tree == "zip=auto":  # one that the publisher gave
            values["hierarchy"] = Hierarchies({"sex": _SEX})
        values["l"] = None if METHODS[name].accepts is Table else 1
        if METHODS[name].accepts is Mixed:
            values["relational"] = str(random.choice(["cluster", "mondrian", "incognito", "top-down"]))
            values["transaction"] = str(random.choice(["pcta", "coat", "apriori", "lra", "vpa"]))
            if values["relational"] in ("cluster", "mondrian"):
                values["max_suppressed"] = 0.0
        values["item_hierarchy"] = ItemHierarchy.from_text(_ITEM_TREES[int(random.integers(3))])
    elif METHODS[name].accepts is Transactions:
        values["hierarchy"] = ItemHierarchy.from_text(_ITEM_TREES[int(random.integers(3))])
        values["l"] = None if name == "disassociation" else 1
    return {
        key: value for key, value in values.items() if key in known and (value is not None or key in ("hierarchy", "l"))
    }


@dataclass(frozen=True)
class Pair:
    """Two originals that publish the same records, anonymized."""

    one: Release
    other: Release
    originals: tuple[Any, Any]


def pairs(name: str, seed: int, wanted: int) -> Iterator[Pair]:
    """Pairs of a method, at most a quarter of them with the same rows in another order; fails on too few."""
    random = np.random.default_rng([seed, sorted(METHODS).index(name)])
    found, permuted, attempts = 0, 0, 0
    while found < wanted:
        attempts += 1
        assert attempts < 60 * wanted + 400, f"{name}: only {found} of {wanted} pairs were found"
        try:
            method = METHODS[name](**settings(name, random))
            original = FORMS[method.accepts].drawn(random)
            if isinstance(original, Trips):
                original = replace(original, sensitive="sensitive locations" in method.needs)
            one = crypsis.anonymize(original.data(), method)
            if not one.verify().holds:
                continue
        except CrypsisError:
            continue
        published = original.records(one)
        for _ in range(MOVES_PER_ORIGINAL):
            other = original.moved(one, random)
            same_rows = other.rows() == original.rows()
            if found == wanted or other.raw == original.raw or (same_rows and 4 * permuted >= wanted):
                continue
            try:
                again = crypsis.anonymize(other.data(), method)
            except CrypsisError:
                continue
            if other.records(again) == published and again.verify().holds:
                found, permuted = found + 1, permuted + same_rows
                yield Pair(one, again, (original.raw, other.raw))
