"""Where one person has several rows, tables are anonymous in people: methods, verifiers, attacks, releases."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import crypsis
from crypsis import BottomUp, Cluster, Incognito, Mondrian, Table, TopDown
from crypsis.attacks.linkage import LinkageAttack
from crypsis.attacks.table_risk import table_risk
from crypsis.data.relational import PublishedTable
from crypsis.errors import Infeasible, NotApplicable, OriginalRequired
from crypsis.guarantees import Guarantee, KAnonymity, LDiversity, TCloseness
from crypsis.verifiers import verify

METHODS = [Incognito, TopDown, BottomUp, Cluster, Mondrian]
ASKED: list[dict[str, Any]] = [
    {},
    {"l": 2},
    {"l": 2, "diversity": "entropy"},
    {"l": 2, "diversity": "recursive", "c": 3.0},
    {"t": 0.4},
    {"t": 0.4, "distance": "ordered"},
]


def rows_of(seed: int, n_rows: int = 60, *, missing: bool = False) -> pl.DataFrame:
    """One person owns most rows; the others have one to three."""
    random = np.random.default_rng(seed)
    person = np.where(random.random(n_rows) < 0.6, 0, random.integers(1, n_rows // 3, n_rows))
    ill = random.choice(["flu", "cold", "none"], n_rows).tolist()
    if missing:
        ill = [None if value == "none" else value for value in ill]
    return pl.DataFrame(
        {
            "uid": [f"u{number}" for number in person.tolist()],
            "age": random.integers(20, 30, n_rows),
            "sex": random.choice(["f", "m"], n_rows),
            "pay": random.integers(1, 4, n_rows),
            "ill": pl.Series(ill, dtype=pl.String),
        }
    )


ROLES = {"age": "quasi", "sex": "quasi", "pay": "sensitive", "ill": "sensitive"}


def table_of(frame: pl.DataFrame) -> Table:
    return Table.from_frame(frame, ROLES, person="uid")


def classes_of(published: PublishedTable) -> list[list[int]]:
    found: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for record, row in enumerate(published.to_frame().select("age", "sex").iter_rows()):
        if not published.suppressed[record]:
            found[row].append(record)
    return list(found.values())


def worst_level(frame: pl.DataFrame, groups: list[list[int]], promise: Guarantee) -> float:
    """The level that the worst class reaches, from the definition: sets of people, and fractions."""
    person = frame["uid"].to_list()
    if isinstance(promise, KAnonymity):
        return min(len({person[record] for record in group}) for group in groups)
    levels = []
    for name in ("pay", "ill"):
        values = frame[name].to_list()
        domain = sorted({value for value in values if value is not None})
        share = [Fraction(1, person.count(one)) for one in person]

        def weights(records: Any, values: Any = values, domain: Any = domain, share: Any = share) -> list[Fraction]:
            found = [sum((share[r] for r in records if values[r] == value), Fraction(0)) for value in domain]
            return [weight / (sum(found) or 1) for weight in found]

        whole = weights(range(len(person)))
        for group in groups:
            counts = [len({person[r] for r in group if values[r] == value}) for value in domain]
            if not any(counts):
                continue
            if isinstance(promise, LDiversity) and promise.form == "entropy":
                shares = [count / sum(counts) for count in counts if count]
                levels.append(math.exp(-sum(one * math.log(one) for one in shares)))
            elif isinstance(promise, LDiversity):
                levels.append(sum(count > 0 for count in counts))
            elif promise.distance == "equal":  # type: ignore[attr-defined]
                levels.append(float(sum(abs(a - b) for a, b in zip(weights(group), whole, strict=True)) / 2))
            else:
                gaps = [a - b for a, b in zip(weights(group), whole, strict=True)]
                reached = [abs(sum(gaps[: place + 1])) for place in range(len(gaps))]
                levels.append(float(sum(reached) / max(len(gaps) - 1, 1)))
    return max(levels) if isinstance(promise, TCloseness) else min(levels)


@pytest.mark.long
@pytest.mark.parametrize("asked", ASKED, ids=str)
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.__name__)
def test_every_class_has_k_people_and_the_diversity_of_people(method: Any, asked: dict[str, Any]) -> None:
    released = 0
    for seed in range(6):
        frame = rows_of(seed, missing=seed % 2 == 1)
        extra = {"max_suppressed": 0.3} if seed > 3 and "max_suppressed" in method.__dataclass_fields__ else {}
        try:
            release = crypsis.anonymize(table_of(frame), method(k=4, **asked, **extra))
        except Infeasible:
            continue
        released += 1
        groups = classes_of(release.data)
        assert worst_level(frame, groups, KAnonymity(k=4)) >= 4
        verdict = release.verify()
        assert verdict.holds, verdict
        promises = getattr(release.guarantee, "parts", [release.guarantee])
        for promise in promises:
            assert promise.unit == "person"
            reached = verify(release.data, promise, release.original)
            assert reached.holds
            assert reached.achieved == pytest.approx(worst_level(frame, groups, promise))
    assert released


@pytest.mark.parametrize("seed", range(8))
def test_the_verifier_agrees_with_the_definition_on_any_classes(seed: int) -> None:
    """Releases that count rows: the verifier of people says what the definition says, broken or not."""
    frame = rows_of(seed, missing=seed % 2 == 1)
    alone = Table.from_frame(frame, {**ROLES, "uid": "identifier"}, each_row_is_a_person=True)
    people = table_of(frame)
    published = replace(crypsis.anonymize(alone, Mondrian(k=3)).data, person=people.person)
    groups = classes_of(published)
    for k in (2, 3, 4):
        promise = KAnonymity(k=k, unit="person")
        assert verify(published, promise, people).holds == (worst_level(frame, groups, promise) >= k)
    for promise in (
        LDiversity(l=2, unit="person"),
        LDiversity(l=2, form="entropy", unit="person"),
        TCloseness(t=0.3, unit="person"),
        TCloseness(t=0.3, distance="ordered", unit="person"),
    ):
        level = worst_level(frame, groups, promise)
        holds = level <= 0.3 + 1e-9 if isinstance(promise, TCloseness) else level >= 2 - 1e-9
        assert verify(published, promise, people).holds == holds


def test_a_table_whose_rows_were_counted_is_not_anonymous_in_people() -> None:
    """60 rows, most of one person: five rows of one person are no class of five."""
    frame = rows_of(0)
    alone = Table.from_frame(frame, {**ROLES, "uid": "identifier"}, each_row_is_a_person=True)
    release = crypsis.anonymize(alone, Mondrian(k=5))
    assert release.verify().holds
    assert "each record is taken to be one person" in str(release.verify())
    against_people = verify(release.data, release.guarantee, table_of(frame))
    assert not against_people.holds
    assert "it counts records" in str(against_people)


def test_merging_two_people_breaks_the_promise() -> None:
    frame = rows_of(1)
    release = crypsis.anonymize(table_of(frame), Mondrian(k=4))
    groups = classes_of(release.data)
    names = frame["uid"].to_list()
    tight = min(groups, key=lambda group: len({names[record] for record in group}))
    people = sorted({names[record] for record in tight})
    level = len(people)
    assert verify(release.data, KAnonymity(k=level, unit="person"), release.original).holds
    merged = frame.with_columns(uid=frame["uid"].replace(people[1], people[0]))
    tampered = replace(release.data, person=table_of(merged).person)
    verdict = verify(tampered, KAnonymity(k=level, unit="person"), table_of(merged))
    assert not verdict.holds
    assert f"{level - 1} {'person' if level == 2 else 'people'}, {level} are required" in str(verdict)
    pretended = verify(tampered, KAnonymity(k=2, unit="person"), release.original)
    assert not pretended.holds
    assert "other people" in str(pretended)


def test_rows_of_one_person_do_not_make_a_table_anonymous() -> None:
    frame = pl.DataFrame({"uid": ["a"] * 9 + ["b"], "age": list(range(20, 30)), "ill": ["flu"] * 10})
    table = Table.from_frame(frame, {"age": "quasi", "ill": "sensitive"}, person="uid")
    for method in METHODS:
        with pytest.raises(Infeasible, match="2 people"):
            crypsis.anonymize(table, method(k=3))


def test_the_person_is_in_no_published_file_and_a_recipient_is_told(tmp_path: Path) -> None:
    frame = rows_of(2)
    release = crypsis.anonymize(table_of(frame), Mondrian(k=3))
    folder = release.write(tmp_path / "release", private_report=tmp_path / "private.json")
    for file in folder.iterdir():
        text = file.read_text(encoding="utf-8")
        assert "uid" not in text, file.name
        assert "u0" not in text, file.name
    read = crypsis.read_release(folder)
    assert read.guarantee == KAnonymity(k=3, unit="person")
    assert any("recipient counts records" in sentence for sentence in read.manifest["guarantee"]["not_covered"])
    with pytest.raises(OriginalRequired, match="people can only be counted by the publisher"):
        read.verify()
    with pytest.raises(OriginalRequired, match="private report"):
        read.verify(table_of(frame))
    with_report = crypsis.read_release(folder, private_report=tmp_path / "private.json")
    assert with_report.verify(table_of(frame)).holds
    with pytest.raises(NotApplicable, match="person='COLUMN'"):
        with_report.verify(Table.from_frame(frame, {**ROLES, "uid": "identifier"}, each_row_is_a_person=True))


def test_a_recipient_sees_a_class_with_too_few_records() -> None:
    published = PublishedTable.from_texts(pl.DataFrame({"age": ["1", "2", "2"]}), {"age": "quasi"})
    verdict = verify(published, KAnonymity(k=2, unit="person"))
    assert not verdict.holds
    assert "1 record, 2 are required" in str(verdict)


def test_risk_counts_people() -> None:
    frame = pl.DataFrame({"uid": ["a", "a", "a", "b", "c"], "age": [30, 30, 31, 31, 40]})
    alone = table_risk(Table.from_frame(frame, {"uid": "identifier", "age": "quasi"}, each_row_is_a_person=True))
    assert (alone.smallest_class, alone.unique_share) == (1, 0.2)
    people = table_risk(Table.from_frame(frame, {"age": "quasi"}, person="uid"))
    assert people.people == 3
    assert people.unique_share == pytest.approx(2 / 3)  # a is alone with 30, c with 40
    assert people.prosecutor.highest == 1.0
    assert people.prosecutor.mean == pytest.approx((1 + 0.5 + 1) / 3)


def test_linkage_counts_people() -> None:
    frame = rows_of(3)
    alone = Table.from_frame(frame, {**ROLES, "uid": "identifier"}, each_row_is_a_person=True)
    people = table_of(frame)
    careless = replace(crypsis.anonymize(alone, Mondrian(k=4)).data, person=people.person)
    by_rows = LinkageAttack().run(careless, alone)
    by_people = LinkageAttack().run(careless, people)
    assert by_people.individuals == frame["uid"].n_unique() < by_rows.individuals
    groups = classes_of(careless)
    assert by_people.curve[0].fewest_candidates == worst_level(frame, groups, KAnonymity(k=4)) < 4
    careful = crypsis.anonymize(people, Mondrian(k=4)).data
    assert LinkageAttack().run(careful, people).curve[0].fewest_candidates >= 4
    with pytest.raises(NotApplicable, match="private report"):
        LinkageAttack().run(replace(careful, person=None), people)
