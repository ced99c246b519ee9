"""Mixed methods where one person owns most rows: people are counted by the definition, in memory and from files."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import polars as pl
import pytest

import crypsis
from crypsis import RFirst, RumBound, TFirst, TumBound
from crypsis.errors import Infeasible, OriginalRequired
from tests.methods.mixed.people import ITEMS, fits, most_of_one_person, read


def classes_of(release: Any) -> list[tuple[Any, ...]]:
    frame = release.data.to_frame()
    return frame.select("age", "town").rows()


def fewest_people(release: Any, person: list[int], m: int, hidden: str = "") -> int:
    """By the definition: for every record and every set of up to m items that fit it, who else fits."""
    rows, classes = release.data.transactions.to_lists(), classes_of(release)
    items = [item for item in ITEMS if item not in hidden]
    fewest = len(person)
    for of_class in set(classes):
        inside = [row for row in range(len(rows)) if classes[row] == of_class]
        for size in range(m + 1):
            for known in combinations(items, size):
                whose = {person[row] for row in inside if fits(rows[row], known)}
                if whose:
                    fewest = min(fewest, len(whose))
    return fewest


METHODS: list[Callable[[], Any]] = [
    lambda: RFirst(k=3, m=2, relational="mondrian"),
    lambda: RFirst(k=3, m=1),
    lambda: TFirst(k=3, m=2),
    lambda: RumBound(k=3, m=2, delta=0.9),
    lambda: RumBound(k=3, m=2, delta=0.9, merge="rt"),
    lambda: TumBound(k=3, m=2, delta=0.9),
    lambda: RumBound(k=3, m=2, delta=1.0, transaction="apriori"),
    lambda: RumBound(k=3, m=2, delta=1.0, transaction="coat"),
]


@pytest.mark.parametrize("method", METHODS, ids=lambda make: f"{make().name()}-{make().transaction}-{make().m}")
@pytest.mark.parametrize("seed", range(3))
def test_every_class_and_set_belongs_to_k_people_by_definition(method: Callable[[], Any], seed: int) -> None:
    frame, person = most_of_one_person(seed)
    setting = method()
    try:
        release = crypsis.anonymize(read(frame, person="who"), setting)
    except Infeasible:
        return  # refused in words; that releases exist is tested below
    assert release.guarantee.unit == "person"
    assert fewest_people(release, person, setting.m) >= setting.k
    verdict = release.verify()
    assert verdict.holds
    assert verdict.achieved == fewest_people(release, person, setting.m)


def test_some_release_of_each_method_exists() -> None:
    for make in METHODS:
        made = 0
        for seed in range(3):
            frame, _ = most_of_one_person(seed)
            try:
                made += crypsis.anonymize(read(frame, person="who"), make()).verify().holds
            except Infeasible:
                continue
        assert made, make()


def test_records_would_have_left_somebody_alone() -> None:
    alone = 0
    for seed in range(3):
        frame, person = most_of_one_person(seed)
        by_records = crypsis.anonymize(read(frame, each_row_is_a_person=True), RumBound(k=3, m=2, delta=0.9))
        assert by_records.verify().holds
        alone += fewest_people(by_records, person, 2) < 3
        assert not by_records.verify(read(frame, person="who")).holds
    assert alone


@pytest.mark.parametrize("seed", range(4))
def test_secrets_are_shared_by_few_people(seed: int) -> None:
    frame, person = most_of_one_person(seed, records=80, people=14)
    codes = [
        [item for item in row if item != "f" or whose % 4 == 1] or ["a"]
        for row, whose in zip(frame["codes"].to_list(), person, strict=True)
    ]
    data = read(frame.with_columns(codes=pl.Series(codes)), person="who", sensitive={"codes": ["f"]})
    release = crypsis.anonymize(data, RumBound(k=3, m=1, l=2, delta=1.0))
    assert release.guarantee.unit == "person"
    assert release.verify().holds
    assert fewest_people(release, person, 1, hidden="f") >= 3
    rows, classes = release.data.transactions.to_lists(), classes_of(release)
    for of_class in set(classes):
        inside = [row for row in range(len(rows)) if classes[row] == of_class]
        for known in [(), *((item,) for item in "abcde")]:
            group = {person[row] for row in inside if fits(rows[row], known)}
            held = {person[row] for row in inside if fits(rows[row], known) and "f" in rows[row]}
            assert len(held) * 2 <= len(group)


def test_a_recipient_cannot_count_people_and_the_publisher_can(tmp_path: Any) -> None:
    frame, person = most_of_one_person(1)
    data = read(frame, person="who")
    release = crypsis.anonymize(data, RumBound(k=3, m=2, delta=0.9))
    private = tmp_path / "private.json"
    folder = release.write(tmp_path / "release", private_report=private)
    with pytest.raises(OriginalRequired):
        crypsis.read_release(folder).verify()
    with pytest.raises(OriginalRequired):
        crypsis.read_release(folder).verify(data)
    verdict = crypsis.read_release(folder, private_report=private).verify(data)
    assert verdict.holds
    assert verdict.achieved == fewest_people(release, person, 2)
    assert all(b"p0" not in path.read_bytes() for path in folder.iterdir())
