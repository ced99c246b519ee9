"""Where a person has several records, every method counts people, or refuses with `person-not-supported`.

Counted by brute force from each definition: sets of persons, over random small data of which one person owns most
records. A method whose promise or kind of data is not in the tables below fails here until it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, groupby
from typing import Any

import numpy as np
import polars as pl
import pytest

import crypsis
from crypsis import (
    Events,
    Mixed,
    Table,
    Tracks,
    Trajectories,
    Transactions,
)
from crypsis.data.constraints import AutomaticConstraints
from crypsis.errors import Infeasible, OwnerRepeated, PersonNotSupported, TooManyClusters
from crypsis.guarantees import (
    ConstrainedKmAnonymity,
    DifferentialPrivacy,
    ItemsetKmAnonymity,
    KAnonymity,
    KKmAnonymity,
    KlmAnonymity,
    KmAnonymity,
    LKCPrivacy,
    PatternPreservingKAnonymity,
    SequenceKAnonymity,
)
from crypsis.methods import METHODS, Method
from crypsis.release import Release
from tests.noiseless_runs import run_without_noise
from tests.private_settings import ITEMS, NEIGHBOURS, Random, baskets_of, private_setting

REFUSING = {"disassociation"}  # its proof is per record; records of a person can be united first
PLACES = {f"p{number}": (float(number % 3), float(number // 3)) for number in range(6)}
SECRET = "p5"


@dataclass(frozen=True)
class Owned:
    """Data of people with several records: `records` in plain form, `persons` whose each is."""

    data: Any
    records: list[Any]
    persons: list[int]


def owners_of(random: Random, records: int, people: int) -> list[int]:
    """Person 0 owns about half of the records."""
    return [0 if random.random() < 0.5 else int(random.integers(1, people)) for _ in range(records)]


def table_of(random: Random) -> Owned:
    persons = owners_of(random, 40, 12)
    rows = [(int(20 + whose + random.integers(0, 5)), str(random.choice(["f", "m"]))) for whose in persons]
    frame = pl.DataFrame(rows, schema=["age", "sex"], orient="row").with_columns(uid=pl.Series(persons))
    return Owned(Table.from_frame(frame, {"age": "quasi", "sex": "quasi"}, person="uid"), rows, persons)


def sets_of(random: Random) -> Owned:
    persons = owners_of(random, 40, 9)
    rows = baskets_of(random, persons)
    return Owned(Transactions.from_lists(rows, person=persons), rows, persons)


def mixed_of(random: Random) -> Owned:
    persons = owners_of(random, 40, 9)
    rows = baskets_of(random, persons)
    frame = pl.DataFrame(
        {
            "uid": persons,
            "age": [int(20 + whose + random.integers(0, 3)) for whose in persons],
            "codes": pl.Series(rows),
        }
    )
    return Owned(Mixed.from_frame(frame, {"age": "quasi"}, {"codes": None}, person="uid"), rows, persons)


def trips_of(random: Random) -> Owned:
    persons = owners_of(random, 30, 9)
    favourites = [sorted(random.choice(list(PLACES), 3).tolist()) for _ in range(3)]
    rows = []
    for whose in persons:
        way = favourites[whose % 3] if random.random() < 0.6 else random.choice(list(PLACES), 3).tolist()
        rows.append([str(place) for place in way[: int(random.integers(1, 4))]])
    return Owned(Trajectories.from_lists(rows, locations=PLACES, owners=persons), rows, persons)


def tracks_of(random: Random) -> Owned:
    persons = owners_of(random, 14, 6)
    tracks = []
    for _ in persons:
        corners = random.integers(0, 3, (4, 2)) * 700 + random.integers(0, 90, (4, 2))
        tracks.append([(float(x), float(y), 400.0 * time) for time, (x, y) in enumerate(corners.tolist())])
    return Owned(Tracks.from_lists(tracks, owners=persons), tracks, persons)


def rides_of(random: Random) -> Owned:
    persons = owners_of(random, 60, 9)
    likely = [0.4, 0.3, 0.2, 0.1]
    rides = {(f"u{whose}", str(random.choice(list("abcd"), p=likely)), int(random.integers(6))) for whose in persons}
    events = sorted(rides, key=lambda ride: (ride[2], ride[0], ride[1]))
    return Owned(Events.from_lists(events), events, [int(who[1:]) for who, _, _ in events])


DATA: dict[type, Callable[[Random], Owned]] = {
    Table: table_of,
    Transactions: sets_of,
    Mixed: mixed_of,
    Trajectories: trips_of,
    Tracks: tracks_of,
    Events: rides_of,
}


# What each promise says, counted over persons: the judges raise where somebody stands out.


def subsequences(row: list[Any], longest: int) -> Iterator[tuple[Any, ...]]:
    for size in range(1, longest + 1):
        yield from combinations(row, size)


def holds(row: list[Any], known: tuple[Any, ...]) -> bool:
    """The known labels stand in this order in a row of labels and lists of labels."""
    places = iter(row)
    return all(any(one == symbol or (isinstance(symbol, list) and one in symbol) for symbol in places) for one in known)


def who_holds(rows: list[list[Any]], persons: list[int], known: tuple[Any, ...]) -> set[int]:
    return {whose for row, whose in zip(rows, persons, strict=True) if holds(row, known)}


def judge_trips(release: Release, owned: Owned, setting: Any) -> int:
    """k^m: whatever up to m places are known of somebody, in order, fit k people. Secrets are not known."""
    rows = release.data.to_lists()
    assert len(rows) == len(owned.persons)
    secret = SECRET if isinstance(release.guarantee, KlmAnonymity) else None
    hidden = set(release.data.suppressed or ())
    fewest = len(owned.persons)
    visible = [[place for place in row if place != secret and place not in hidden] for row in owned.records]
    for known in {one for row in visible for one in subsequences(row, setting.m)}:
        found = who_holds(rows, owned.persons, known)
        assert len(found) >= setting.k or not found, (known, found)
        if found:
            fewest = min(fewest, len(found))
        if secret is not None:
            told = [(row, whose) for row, whose in zip(rows, owned.persons, strict=True) if secret in row]
            sharing = {whose for row, whose in told if holds([place for place in row if place != secret], known)}
            assert len(sharing) * setting.l <= len(found), (known, sharing, found)
    return fewest


def published_owners(release: Release, owned: Owned) -> list[int]:
    """Whose the published rows are, by the private account of the run."""
    kept = release.context.private["published_input_rows"]
    return [owned.persons[row] for row in kept.tolist()]


def judge_sequences(release: Release, owned: Owned, setting: Any) -> int:
    """Every published row is contained in the original, or (strict: only) the published rows of k people."""
    rows, fewest = release.data.to_lists(), len(owned.persons)
    whose = published_owners(release, owned)
    originals = owned.records
    if isinstance(owned.data, Tracks):
        originals = [[cell for cell, _ in groupby(_cell(release, fix) for fix in track)] for track in owned.records]
    for row, owner in zip(rows, whose, strict=True):
        in_original = who_holds(originals, owned.persons, tuple(row))
        in_published = who_holds(rows, whose, tuple(row))
        if isinstance(release.guarantee, SequenceKAnonymity):  # BF-P2kA need not publish anybody's own sequence
            assert not row or owner in in_original
            assert in_published <= in_original
        reached = len(in_published) if getattr(setting, "strict", False) else len(in_original)
        assert reached >= setting.k or not row, (row, in_original, in_published)
        fewest = min(fewest, reached)
    return fewest


def _cell(release: Release, fix: tuple[float, float, float]) -> str:
    """The cell of a fix: the nearest generator."""
    cells = release.data.generators
    away = [(x - fix[0]) ** 2 + (y - fix[1]) ** 2 for x, y in zip(cells.x, cells.y, strict=True)]
    return cells.labels[int(np.argmin(away))]


def judge_table(release: Release, owned: Owned, setting: Any) -> int:
    """k-anonymity: k people in every class."""
    classes: dict[Any, set[int]] = {}
    for row, (cells, whose) in enumerate(zip(release.data.to_frame().rows(), owned.persons, strict=True)):
        if not release.data.suppressed[row]:
            classes.setdefault(cells, set()).add(whose)
    assert classes
    return min(map(len, classes.values()))


def fits_set(row: list[Any], known: tuple[str, ...]) -> bool:
    return all(any(one == item or (isinstance(item, list) and one in item) for item in row) for one in known)


def judge_sets(release: Release, owned: Owned, setting: Any) -> int:
    """k^m: every set of up to m items that somebody's record may hold is in records of k people."""
    rows = release.data.to_lists()
    return _fewest_with_items([("", row, whose) for row, whose in zip(rows, owned.persons, strict=True)], setting.m)


def judge_mixed(release: Release, owned: Owned, setting: Any) -> int:
    """(k,k^m): the same inside every class, and k people in every class."""
    ages = release.data.to_frame()["age"].to_list()
    rows = release.data.transactions.to_lists()
    shown = [
        (age, row, whose)
        for age, row, whose, gone in zip(ages, rows, owned.persons, release.data.table.suppressed, strict=True)
        if not gone
    ]
    return min(_fewest_with_items(shown, setting.m), *(len({p for a, _, p in shown if a == age}) for age in set(ages)))


def _fewest_with_items(shown: list[tuple[Any, list[Any], int]], m: int) -> int:
    counts = [
        len({whose for one, row, whose in shown if one == group and fits_set(row, known)})
        for group in {group for group, _, _ in shown}
        for size in range(1, m + 1)
        for known in combinations(ITEMS, size)
    ]
    return min(count for count in counts if count)


def judge_windows(release: Release, owned: Owned, setting: Any) -> int:
    """LKC: in each window a person has one record, and every set of up to L doublets of one is K people's."""
    fewest = len(owned.persons)
    for window in release.data:
        rows = release.data.rows(window)
        was_there: dict[tuple[str, int], set[str]] = {}
        for who, place, time in owned.records:
            was_there.setdefault((place, time), set()).add(who)
        for known in {one for row in rows for one in subsequences(sorted(row), setting.L)}:
            sharing = [row for row in rows if set(known) <= set(row)]
            people = set.intersection(*(was_there[doublet] for doublet in known))
            assert len(sharing) <= len(people), (known, "one person has several records of a window")
            assert len(sharing) >= setting.K, (known, people)
            fewest = min(fewest, len(sharing))
    return fewest


JUDGES: dict[type, Callable[[Release, Owned, Any], int]] = {
    KmAnonymity: judge_trips,
    ConstrainedKmAnonymity: judge_trips,
    KlmAnonymity: judge_trips,
    SequenceKAnonymity: judge_sequences,
    PatternPreservingKAnonymity: judge_sequences,
    KAnonymity: judge_table,
    ItemsetKmAnonymity: judge_sets,
    KKmAnonymity: judge_mixed,
    LKCPrivacy: judge_windows,
}
LEVELS: dict[str, Any] = {"k": 3, "m": 2, "l": 2, "L": 2, "K": 3, "N": 3, "unit": "owner"}
MORE: dict[str, list[dict[str, Any]]] = {
    "u-seq-anon": [{"constraints": AutomaticConstraints(2), "delta": 100.0}],
    "seq-anon": [{"on_infeasible": "truncate"}],
    "sd-seq-anon": [{"on_infeasible": "truncate"}],
    "zga": [{"clusters": 1}],
    "sga": [{"clusters": 1}, {"clusters": 2}],
    "kam-rec": [{}, {"strict": True}],
    "ppsg": [
        {"radius": 300.0, "k": 2},
        {"radius": 300.0, "k": 2, "strict": True},
        {"radius": 300.0, "inner": "kam-cut", "k": 2},
    ],
    "incognito": [{}, {"max_suppressed": 0.3}],
    "rum-bound": [{"delta": 1.0}],
    "tum-bound": [{"delta": 1.0}],
    "disassociation": [{}],
}


def settings_of(name: str) -> list[Method]:
    """The method with small levels; a level that it does not have is left out."""
    method = METHODS[name]
    known = method.__dataclass_fields__
    base = {level: value for level, value in LEVELS.items() if level in known}
    if "l" in known and method.promises is not KlmAnonymity:
        base.pop("l")
    return [method(**{**base, **more}) for more in MORE.get(name, [{}])]


def data_for(setting: Method, random: Random) -> Owned:
    owned = DATA[setting.accepts](random)
    if "sensitive locations" in setting.needs:
        marked = owned.data.locations.marked([SECRET])
        data = Trajectories.from_lists(owned.records, locations=marked, owners=owned.persons)
        return Owned(data, owned.records, owned.persons)
    return owned


def level_of(setting: Any) -> int:
    return int(setting.K if isinstance(setting.guarantee, LKCPrivacy) else setting.k)


def check_counts(name: str, seeds: range) -> None:
    for setting in settings_of(name):
        made = 0
        for seed in seeds:
            owned = data_for(setting, np.random.default_rng([seed, 7]))
            assert len(set(owned.persons)) < len(owned.persons)
            try:
                release = crypsis.anonymize(owned.data, setting)
            except (Infeasible, TooManyClusters):
                continue
            made += bool(len(release.data))
            told = getattr(release.guarantee, "unit", "person")
            assert told in ("person", "owner"), f"{name} promises something about each {told}"
            reached = JUDGES[type(release.guarantee)](release, owned, setting)
            assert reached >= level_of(setting), f"{name}: somebody is among {reached} people"
            assert release.verify().holds
        assert made, f"{setting} released nothing"


PRIVATE = sorted(name for name, method in METHODS.items() if method.promises is DifferentialPrivacy)
COUNTING = sorted(set(METHODS) - REFUSING - set(PRIVATE))


def test_no_method_is_forgotten() -> None:
    """A new method is in one of the three groups by what it promises; a new promise or kind of data needs a judge."""
    assert REFUSING <= set(METHODS)
    for name in COUNTING:
        assert METHODS[name].promises in JUDGES, f"say how people are counted for {METHODS[name].promises.model}"
        assert METHODS[name].accepts in DATA
    for name in PRIVATE:
        assert METHODS[name].accepts in NEIGHBOURS


@pytest.mark.parametrize("name", COUNTING)
def test_people_are_counted(name: str) -> None:
    check_counts(name, range(4))


@pytest.mark.long
@pytest.mark.parametrize("name", COUNTING)
def test_people_are_counted_in_much_random_data(name: str) -> None:
    check_counts(name, range(100, 160))


@pytest.mark.parametrize("name", sorted(REFUSING))
def test_others_refuse_and_name_methods_that_count(name: str) -> None:
    owned = DATA[METHODS[name].accepts](np.random.default_rng(1))
    with pytest.raises(PersonNotSupported) as refused:
        crypsis.anonymize(owned.data, settings_of(name)[0])
    assert refused.value.code == "person-not-supported"
    assert "Methods that count people" in str(refused.value)


@pytest.mark.parametrize("name", COUNTING)
def test_nobody_counts_records_of_declared_persons_unasked(name: str) -> None:
    """Without a choice of unit, a method counts people or asks; it never takes records for people in silence."""
    method = METHODS[name]
    if "unit" not in method.__dataclass_fields__:
        return  # there is nothing to choose: test_people_are_counted says it all
    setting = settings_of(name)[0]
    unasked = method(**{**setting.parameters(), "unit": None})
    with pytest.raises(OwnerRepeated, match="unit='owner' to protect people"):
        crypsis.anonymize(data_for(setting, np.random.default_rng(2)).data, unasked)


@pytest.mark.parametrize("name", [name for name in COUNTING if METHODS[name].accepts is not Events])
def test_counting_records_of_the_same_data_leaves_somebody_alone(name: str) -> None:
    """The data of these tests and their judges tell people from records."""
    alone = 0
    for setting in settings_of(name):
        by_records = setting
        if "unit" in setting.parameters():
            by_records = type(setting)(**{**setting.parameters(), "unit": "trajectory"})
        for seed in range(30):
            owned = data_for(setting, np.random.default_rng([seed, 7]))
            try:
                release = crypsis.anonymize(each_record_a_person(owned), by_records)
                alone += JUDGES[type(release.guarantee)](release, owned, setting) < level_of(setting)
            except (Infeasible, TooManyClusters):
                continue
            except AssertionError:
                alone += 1
            if alone:
                return
    raise AssertionError(f"{name}: nobody was alone")


def each_record_a_person(owned: Owned) -> Any:
    data = owned.data
    if isinstance(data, Table):
        frame = pl.DataFrame(owned.records, schema=["age", "sex"], orient="row")
        return Table.from_frame(frame, {"age": "quasi", "sex": "quasi"}, each_row_is_a_person=True)
    if isinstance(data, Mixed):
        frame = data.to_frame().select("age", "codes")
        return Mixed.from_frame(frame, {"age": "quasi"}, {"codes": None}, each_row_is_a_person=True)
    if isinstance(data, Transactions):
        return Transactions.from_lists(owned.records)
    return data  # movement methods are asked to count trajectories


# Under differential privacy neighbours differ in one person, whatever that person's records are.


def furthest_moved(setting: Any, more: list[Any]) -> float:
    """How far one person with these records moves what noise is added to, as a multiple of what the noise is for."""
    make = NEIGHBOURS[setting.accepts][0]
    records = getattr(setting, "records_per_person", 1)
    tokens = setting.longest + 1 if setting.name() == "n-grams" else 1
    (one, calls), (other, again) = (run_without_noise(setting, make(given)) for given in ([], more))
    shapes = [
        (ledger, len(noise.counts), [*map(len, noise.scores)]) for noise, ledger in ((one, calls), (other, again))
    ]
    if shapes[0] != shapes[1]:  # other calls: the person decided what was asked
        return float("inf")
    moved = [0.0]
    for before, after in zip(one.counts, other.counts, strict=True):
        size = max(len(before), len(after))
        padded = [np.sort(np.pad(part, (0, size - len(part)))) for part in (before, after)]
        moved.append(float(np.abs(padded[0] - padded[1]).sum()) / records / tokens)
    for scores, later in zip(one.scores, other.scores, strict=True):
        moved.append(float(np.abs(np.subtract(scores, later)).max(initial=0)) / records)
    return max(moved)


@pytest.mark.parametrize("name", PRIVATE)
def test_noise_hides_a_whole_person(name: str) -> None:
    setting, draw = private_setting(name), NEIGHBOURS[METHODS[name].accepts][1]
    random, furthest = np.random.default_rng(3), 0.0
    for records in (1, 2, 5, 9, 30):
        furthest = max(furthest, furthest_moved(setting, [draw(random) for _ in range(records)]))
    assert 0 < furthest <= 1 + 1e-9


@pytest.mark.parametrize("name", ["diff-multi", "diff-gen", "diff-part"])
def test_a_person_whose_records_all_counted_would_be_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{METHODS[name].__module__}.bounded", lambda data, most: data)
    draw, random = NEIGHBOURS[METHODS[name].accepts][1], np.random.default_rng(3)
    assert furthest_moved(private_setting(name), [draw(random) for _ in range(9)]) > 1
