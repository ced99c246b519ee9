"""Random data and parameters for property tests: small, full of repeats, ties, empty rows and equal coordinates."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, timedelta
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
from hypothesis import assume
from hypothesis import strategies as st

from crypsis.data.attribute_domains import AttributeDomains, PublicAttributes
from crypsis.data.category_trees import CategoryTrees
from crypsis.data.constraints import AutomaticConstraints, UtilityConstraints
from crypsis.data.domains import LocationDomain, PublicLocations, PublicTimes, TimeDomain
from crypsis.data.item_domain import ItemDomain, PublicItems
from crypsis.data.mixed import Mixed
from crypsis.data.privacy_policy import DerivedPolicy, PrivacyPolicy
from crypsis.data.relational import Table
from crypsis.data.sensitive_values import EVERY_VALUE, SensitiveValues
from crypsis.data.stream import Events
from crypsis.data.track import Tracks
from crypsis.data.trajectory import Trajectories
from crypsis.data.transaction import Transactions
from crypsis.errors import BadDomain, BadParameter
from crypsis.hierarchy import (
    AutomaticTaxonomy,
    BalancedHierarchy,
    DerivedUtility,
    Hierarchies,
    HierarchyPlan,
    ItemHierarchy,
    Taxonomy,
    UtilityPolicy,
    Weights,
)
from crypsis.hierarchy.balanced import ORDERS
from crypsis.ledger import BudgetLedger
from crypsis.methods import Apriori, Method
from crypsis.parameters import Above, AtLeast, Between, Parameter, parameters_of


@dataclass(frozen=True)
class Dataset:
    """Trajectories before they become arrays: codes, coordinates by code, labels by code, owners by trajectory."""

    paths: list[list[int]]
    points: list[tuple[float, float]]
    labels: list[str]
    owners: list[int] | None = None

    def trajectories(self) -> Trajectories:
        locations = dict(zip(self.labels, self.points, strict=True))
        return Trajectories.from_lists(self.rows, locations=locations, owners=self.owners)

    @property
    def rows(self) -> list[list[str]]:
        return [[self.labels[code] for code in path] for path in self.paths]

    def of_code(self, codes: frozenset[int]) -> list[str]:
        """A symbol of codes as sorted labels."""
        return sorted(self.labels[code] for code in codes)


# Steps of a tenth make equal distances that differ in the last bit; a small grid makes equal coordinates.
grid_points = st.tuples(st.integers(0, 3), st.integers(0, 3)).map(lambda point: (float(point[0]), float(point[1])))
tenth_points = st.tuples(st.integers(-12, 12), st.integers(-12, 12)).map(lambda point: (point[0] / 10, point[1] / 10))


@st.composite
def datasets(
    draw: st.DrawFn,
    max_locations: int = 7,
    max_rows: int = 12,
    max_length: int = 6,
    owners: bool | None = False,
) -> Dataset:
    """Rows with repeats, ties and empty ones among them; `owners=None` has owners or not."""
    # Lists of drawn sizes: left alone, hypothesis prefers data so small that nothing is rare in them.
    n_locations, n_rows = draw(st.integers(1, max_locations)), draw(st.integers(0, max_rows))
    points = draw(_exactly(n_locations, draw(st.sampled_from([grid_points, tenth_points]))))
    # Canonical order is the order of the table, not of the labels.
    labels = draw(st.permutations([f"p{number}" for number in range(n_locations)]))
    codes = st.integers(0, n_locations - 1)
    path = st.integers(0, max_length).flatmap(lambda length: _exactly(length, codes))
    if draw(st.booleans()):
        path = st.sampled_from(draw(_exactly(draw(st.integers(1, max_rows)), path)))  # a few rows, many times
    paths = draw(_exactly(n_rows, path))
    has_owners = draw(st.booleans()) if owners is None else owners
    whose = draw(_exactly(n_rows, st.integers(0, draw(st.integers(0, max_rows))))) if has_owners else None
    return Dataset(paths, points, labels, whose)


def _exactly(size: int, elements: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(elements, min_size=size, max_size=size)


symbols = st.sets(st.sampled_from("abcd"), min_size=1, max_size=3).flatmap(
    lambda labels: st.permutations(sorted(labels)).map(tuple)
)


@st.composite
def published_rows(draw: st.DrawFn, max_rows: int = 8, max_length: int = 6) -> list[list[tuple[str, ...]]]:
    """Any published rows, made by a method or not: symbols may overlap, their labels come in any order."""
    pool = draw(_exactly(draw(st.integers(1, 4)), symbols))
    row = st.integers(0, max_length).flatmap(lambda length: _exactly(length, st.sampled_from(pool)))
    return draw(_exactly(draw(st.integers(0, max_rows)), row))


# What stands for a side_file of the data until the data are known.
RECIPES: dict[type, st.SearchStrategy[Any]] = {
    Taxonomy: st.integers(2, 4).map(AutomaticTaxonomy),
    UtilityConstraints: st.integers(1, 6).map(AutomaticConstraints),
    Hierarchies: st.fixed_dictionaries(
        {},
        optional={
            "age": st.sampled_from(["auto", "equi_width:3", "equi_depth:2:2", "adaptive:3:2", "flat"]),
            "city": st.sampled_from(["auto", "balanced:2", "balanced:2:frequency", "prefix"]),
            "born": st.sampled_from(["dates", "dates:weeks", "adaptive:2"]),
        },
    )
    .filter(len)
    .map(HierarchyPlan),
    Weights: st.dictionaries(
        st.sampled_from(["age", "city", "born"]), st.sampled_from(["0.5", "1", "3"]), min_size=1
    ).map(Weights),
    ItemHierarchy: st.builds(BalancedHierarchy, st.integers(2, 4), st.sampled_from(ORDERS)),
    PrivacyPolicy: st.sampled_from(
        [
            DerivedPolicy("all", (2,)),
            DerivedPolicy("items"),
            DerivedPolicy("rare", (3, 2)),
            DerivedPolicy("random", (5, 3, 7)),
        ]
    ),
    UtilityPolicy: st.sampled_from(
        [
            DerivedUtility("single"),
            DerivedUtility("fixed"),
            DerivedUtility("frequency", 2),
            DerivedUtility("cooccurrence", 2),
            DerivedUtility("hierarchy", 1),
        ]
    ),
    SensitiveValues: st.just(EVERY_VALUE),
    LocationDomain: st.just(PublicLocations()),
    TimeDomain: st.just(PublicTimes()),
    AttributeDomains: st.just(PublicAttributes()),
    ItemDomain: st.just(PublicItems()),
    CategoryTrees: st.none(),  # a file; its own tests make some
    BudgetLedger: st.none(),  # a file; its own tests make some
}


@st.composite
def taxonomies(draw: st.DrawFn, labels: list[str]) -> Taxonomy:
    """Any tree over these leaves: chains, stars and everything between."""
    pairs, tops = [], list(labels)
    while len(tops) > 1 or not pairs:
        together = draw(st.lists(st.sampled_from(tops), min_size=1, max_size=len(tops), unique=True))
        parent = f"node {len(pairs)}"
        pairs += [(child, parent) for child in together]
        tops = [top for top in tops if top not in together] + [parent]
        if len(pairs) > 3 * len(labels):  # enough chains
            pairs += [(top, "top") for top in tops]
            break
    return Taxonomy(draw(st.permutations(pairs)))


@st.composite
def constraints(draw: st.DrawFn, labels: list[str]) -> UtilityConstraints:
    """Any partition of these labels."""
    groups: dict[int, list[str]] = {}
    for label in labels:
        groups.setdefault(draw(st.integers(0, len(labels) - 1)), []).append(label)
    return UtilityConstraints(draw(st.permutations(list(groups.values()))))


def values_of(parameter: Parameter) -> st.SearchStrategy[Any]:
    """Values that a parameter's annotation allows, the smallest ones included."""
    if parameter.choices:
        values: st.SearchStrategy[Any] = st.sampled_from(parameter.choices)
    elif parameter.type is bool:
        values = st.booleans()
    elif parameter.type is int:
        lowest, highest = _range_of(parameter)
        values = st.integers(int(lowest), int(min(highest, lowest + 4)))
    elif parameter.type is Fraction:
        values = st.fractions(max(_range_of(parameter)[0], Fraction(1, 100)), 10, max_denominator=100)
    elif parameter.type is float:
        lowest, highest = _range_of(parameter)
        above = any(isinstance(bound, Above) for bound in parameter.bounds)
        values = st.floats(lowest, min(highest, lowest + 1000), exclude_min=above)
    elif parameter.type is str:
        values = st.just("a name")
    elif parameter.type in RECIPES:
        values = RECIPES[parameter.type]
    else:
        raise NotImplementedError(f"Say here how values of {parameter} are drawn.")
    return st.none() | values if parameter.optional else values


def _range_of(parameter: Parameter) -> tuple[float, float]:
    lowest, highest = 0.0, float("inf")
    for bound in parameter.bounds:
        if isinstance(bound, AtLeast):
            lowest = max(lowest, bound.lowest)
        elif isinstance(bound, Above):
            lowest = max(lowest, bound.limit)
        elif isinstance(bound, Between):
            lowest, highest = max(lowest, bound.lowest), min(highest, bound.highest)
        else:
            raise NotImplementedError(f"Say here what {bound!r} allows.")
    return lowest, highest


@st.composite
def methods(draw: st.DrawFn, method: type[Method]) -> Method:
    """The method with parameters drawn from its annotations, such as go together."""
    for _ in range(10):
        values = {parameter.name: draw(values_of(parameter)) for parameter in parameters_of(method)}
        with suppress(BadParameter):  # two parameters that do not go together: others may
            return method(**_adjusted(draw, values))
    assume(False)
    raise AssertionError


def _adjusted(draw: st.DrawFn, values: dict[str, Any]) -> dict[str, Any]:
    """Values whose bounds depend on one another moved into them."""
    if values.get("max_cluster_size") is not None:
        values["max_cluster_size"] += 2 * values["k"]
    if values.get("relational") in ("cluster", "mondrian"):  # these suppress nothing
        values["max_suppressed"] = 0.0
    if "relational" in values:  # most demands are too much for most data of two kinds
        values["k"], values["l"] = min(values["k"], 2), min(values["l"], draw(st.sampled_from([1, 1, 1, 2])))
        if "delta" in values:
            values["delta"] = draw(st.sampled_from([1.0, 1.0, 1.0, 0.9, values["delta"]]))
    if "diversity" in values:  # forms belong to a number, and a number to one form of diversity alone
        values["diversity"] = "distinct" if values["l"] is None else values["diversity"]
        values["distance"] = "equal" if values["t"] is None else values["distance"]
        recursive = values["l"] is not None and values["diversity"] == "recursive"
        values["c"] = (values["c"] or 2.0) if recursive else None
    return values


@st.composite
def event_logs(draw: st.DrawFn) -> Events:
    """A few people at a few places, in any order, with repeats, late events and values that some events tell."""
    size = draw(st.integers(0, 40))
    fare = draw(st.lists(st.sampled_from(["full", "student", None]), min_size=9, max_size=9))
    triples = draw(
        _exactly(size, st.tuples(st.integers(0, 8), st.sampled_from("abc"), st.integers(0, draw(st.integers(0, 9)))))
    )
    if draw(st.booleans()):
        triples.sort(key=lambda triple: triple[2])
    odd = draw(_exactly(size, st.integers(0, 9)))
    told = [
        "student" if strange == 0 else None if strange == 1 else fare[person]
        for (person, _, _), strange in zip(triples, odd, strict=True)
    ]
    ends = draw(_exactly(size, st.sampled_from([None, 0, 0, 1, 3])))
    columns = {
        "id": [str(person) for person, _, _ in triples],
        "location": [place for _, place, _ in triples],
        "t": [t for _, _, t in triples],
        "exit": [None if stays is None else t + stays for (_, _, t), stays in zip(triples, ends, strict=True)],
        "fare": told,
    }
    schema = {"id": pl.String, "location": pl.String, "t": pl.Int64, "exit": pl.Int64, "fare": pl.String}
    frame = pl.DataFrame(columns, schema=schema)
    return Events.from_frame(frame, sensitive=["fare"] if draw(st.booleans()) else [], exit="exit")


@st.composite
def track_lists(
    draw: st.DrawFn, max_tracks: int = 7, max_points: int = 8, min_tracks: int = 1
) -> list[list[tuple[float, float, float]]]:
    """Tracks as lists of fixes (x, y, t), on a coarse grid: ties, equal points and stops are frequent."""
    step, side = draw(st.sampled_from([(1.0, 5), (10.0, 12), (0.1, 20), (37.3, 40)]))
    coordinate, seconds = st.integers(0, draw(st.integers(0, side))), st.integers(1, 400)
    tracks = []
    for _ in range(draw(st.integers(min_tracks, max_tracks))):
        t, track = 0.0, []
        for _ in range(draw(st.integers(1, max_points))):
            t += draw(seconds)
            track.append((draw(coordinate) * step, draw(coordinate) * step, t))
        tracks.append(track)
    return tracks


@st.composite
def tables(draw: st.DrawFn, max_rows: int = 14) -> Table:
    """Small tables with repeats and missing values: numbers, categories and dates to generalize, a sensitive column."""
    n_rows = draw(st.integers(0, max_rows))
    days = st.integers(0, 40).map(lambda day: date(2019, 12, 1) + timedelta(days=11 * day))
    ages = draw(st.sampled_from([st.integers(20, 24), st.integers(0, 90), st.sampled_from([0.5, 1.25, 7.0])]))
    cities = st.sampled_from(["aa", "ab", "b", "[c", "~"])
    absent = draw(st.booleans())

    def column(values: st.SearchStrategy[Any]) -> list[Any]:
        return draw(_exactly(n_rows, st.none() | values if absent else values))

    age = column(ages)
    frame = pl.DataFrame(
        {
            "name": pl.Series([f"n{row}" for row in range(n_rows)], dtype=pl.String),
            "age": pl.Series(age, dtype=pl.Float64 if any(isinstance(one, float) for one in age) else pl.Int64),
            "city": pl.Series(column(cities), dtype=pl.String),
            "born": pl.Series(column(days), dtype=pl.Date),
            "ill": pl.Series(column(st.sampled_from(["flu", "cold", "?!", "*"])), dtype=pl.String),
            "pays": pl.Series(column(st.integers(0, 3)), dtype=pl.Int64),
            "good": pl.Series(column(st.sampled_from(["y", "n"])), dtype=pl.String),
        }
    )
    roles = {"name": "identifier", "age": "quasi", "city": "quasi", "born": "quasi", "ill": "sensitive"}
    roles |= {"pays": draw(st.sampled_from(["sensitive", "other"])), "good": draw(st.sampled_from(["label", "other"]))}
    types = {"age": "float" if frame["age"].dtype == pl.Float64 else "int", "pays": "int", "born": "date"}
    return Table.from_frame(frame, roles, {**types, "city": "category", "ill": "category"})


@st.composite
def item_lists(draw: st.DrawFn, max_records: int = 14, max_items: int = 7) -> list[list[str]]:
    """Records of a few items, some empty, many alike."""
    items = draw(st.permutations("abcdefgh"[: draw(st.integers(1, max_items))]))
    record = st.lists(st.sampled_from(items), max_size=5, unique=True)
    if draw(st.booleans()):
        record = st.sampled_from(draw(_exactly(draw(st.integers(1, 5)), record)))
    return draw(_exactly(draw(st.integers(0, max_records)), record))


@st.composite
def transactions(draw: st.DrawFn, sensitive: bool | None = None) -> Transactions:
    """Sets of items; in a quarter of them, unless told, one or two items are sensitive."""
    records = draw(item_lists())
    occurring = sorted({item for record in records for item in record})
    marked = draw(st.integers(0, 3)) == 0 if sensitive is None else sensitive
    secrets = draw(st.sets(st.sampled_from(occurring), max_size=2)) if occurring and marked else ()
    return Transactions.from_lists(records, sensitive=secrets)


@st.composite
def mixed_data(draw: st.DrawFn) -> Mixed:
    """Small tables with a set of items in each row."""
    table = draw(tables())
    sets = draw(transactions())
    n_records = min(len(table), len(sets))
    rows = np.arange(n_records)
    kept = sets.take(rows)
    secrets = () if sets.sensitive is None else np.flatnonzero(sets.sensitive & (kept.supports > 0)).tolist()
    marked = [sets.vocabulary.labels[code] for code in secrets]
    return Mixed(table.take(rows), Transactions.from_lists(kept.to_lists(), sensitive=marked), "codes", ("codes",))


# A method for another kind of data adds one line here, or its property test cannot draw anything.
DATA: dict[type, Callable[[], st.SearchStrategy[Any]]] = {
    Trajectories: lambda: datasets(owners=None).map(Dataset.trajectories),
    Tracks: lambda: track_lists(max_tracks=9).map(Tracks.from_lists),
    Table: tables,
    Transactions: transactions,
    Events: lambda: event_logs(),
    Mixed: mixed_data,
}


def _table(rows: list[tuple[int, str, str]]) -> Table:
    frame = pl.DataFrame(rows, schema=["number", "letter", "class"], orient="row")
    return Table.from_frame(frame, {"number": "quasi", "letter": "quasi", "class": "label"})


@st.composite
def settings_with_data(draw: st.DrawFn, method: type[Method]) -> tuple[Method, Any]:
    """A method with parameters under which it proves its guarantee, and data of its kind."""
    setting, data = draw(methods(method).filter(lambda setting: setting.assured)), draw(DATA[method.accepts]())
    if "declared domains" in method.needs:
        try:
            return draw(with_domains(setting, data)), data
        except BadDomain:  # nothing occurs in the data that could be declared public
            assume(False)
            raise
    if isinstance(setting, Apriori) and (data.sensitive is None or not data.sensitive.any()):
        setting = replace(setting, l=1)  # more is refused where there is no secret
    return draw(with_sensitive(setting, data)) if "sensitive locations" in method.needs else (setting, data)


@st.composite
def with_sensitive(draw: st.DrawFn, setting: Any, data: Trajectories) -> tuple[Method, Trajectories]:
    """Some locations are sensitive; coordinates, unit and clusters are such that they are not refused outright."""
    sensitive = draw(st.sets(st.sampled_from(data.locations.labels), max_size=2))
    whole = {name: np.abs(np.round(10 * getattr(data.locations, name))) for name in ("x", "y")}
    data = replace(data, locations=replace(data.locations.marked(sensitive), **whole))
    setting = replace(setting, unit=None if data.owners is None else draw(st.sampled_from(["trajectory", "owner"])))
    if hasattr(setting, "clusters"):
        people = len(np.unique(data.groups(setting.unit or "trajectory")))
        setting = replace(setting, clusters=max(min(setting.clusters, people // setting.k), 1))
    return setting, data


@st.composite
def with_domains(draw: st.DrawFn, setting: Any, data: Events | Table | Transactions) -> Method:
    """Domains are declared, and a taxonomy, where there is one, is of its locations."""
    if isinstance(data, Table):
        return replace(setting, domains=PublicAttributes(), noise="exact").resolve(data)
    if isinstance(data, Transactions):
        return replace(setting, item_domain=PublicItems(), noise="exact", thresholds="bounded").resolve(data)
    if not hasattr(setting, "taxonomy"):
        low = {"height": min(setting.height, 2)} if hasattr(setting, "height") else {"grams": min(setting.grams, 3)}
        setting = replace(setting, location_domain=PublicLocations(), time_domain=PublicTimes(), noise="exact", **low)
        return setting.resolve(data)
    labels = data.locations.labels
    taxonomy = None if setting.taxonomy is None or len(labels) < 2 else draw(taxonomies(list(labels)))
    setting = replace(setting, location_domain=PublicLocations(), time_domain=PublicTimes(), taxonomy=taxonomy)
    setting = replace(setting, height=min(setting.height, 2), noise="exact")  # a tree of noise alone grows fast
    if setting.scheme == "printed":  # which has nothing for the leaves of so small domains
        setting = replace(setting, location_height=0, time_height=0, taxonomy=None)
    return setting.resolve(data)
