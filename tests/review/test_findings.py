"""A planted case for every finding of the lights: data in which it must appear with this number, and a control."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from crypsis.data.attribute_domains import NumericDomain
from crypsis.data.counted_regions import CountedRegions, RegionAttribute
from crypsis.data.item_domain import ItemDomain
from crypsis.data.relational import PublishedTable, Table
from crypsis.data.synthetic_sets import SyntheticTransactions
from crypsis.data.trajectory import Locations, PublishedTrajectories, Trajectories
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.guarantees import (
    DifferentialPrivacy,
    ItemsetKmAnonymity,
    KAnonymity,
    KmAnonymity,
    LDiversity,
)
from crypsis.release import Release
from crypsis.review import CHECKS, Colour

GREEN, AMBER, RED = Colour.GREEN, Colour.AMBER, Colour.RED


def table(columns: dict[str, list[str]], roles: dict[str, str], types: dict[str, str] | None = None) -> PublishedTable:
    known = dict.fromkeys(columns, "category") | (types or {})
    return PublishedTable.from_frame(pl.DataFrame(columns), roles, known)


def table_release(columns, roles, types=None, guarantee=None, original=None, person=None) -> Release:
    published = table(columns, roles, types)
    if person is not None:
        published = replace(published, person=np.unique(person, return_inverse=True)[1].astype(np.int64))
    return Release(published, guarantee or KAnonymity(k=2), original=original)


def people(*, ages: list[str], **columns: list[str]) -> tuple[dict[str, list[str]], dict[str, str]]:
    """A table with the quasi-identifier age; the role of another column is what its name begins with."""
    roles = {"age": "quasi"} | {name: name.split("_")[0] for name in columns}
    return {"age": ages, **columns}, roles


@dataclass(frozen=True)
class Planted:
    """A release that must have the finding with this colour and number, and one that must not have it at all."""

    release: Callable[[], Release]
    colour: Colour
    number: int | None
    control: Callable[[], Release]
    control_colour: Colour | None = None  # where it is told in green


def sensitive_classes(values: list[str], guarantee=None) -> Release:
    return table_release(*people(ages=["20"] * 5 + ["30"] * 5, sensitive_ill=values), guarantee=guarantee)


def owned(person: list[str], guarantee: KAnonymity) -> Release:
    """Two people of 20, then three rows of people of 30."""
    ages = ["20"] * 2 + ["30"] * 3
    return table_release({"age": ages}, {"age": "quasi"}, guarantee=guarantee, person=person)


def other_columns(values: list[str]) -> Release:
    return table_release(*people(ages=["20"] * 5 + ["30"] * 5, other_shoe=values))


def visits(rows, *, guarantee=None, owners=None, original=None, places=None) -> Release:
    published = PublishedTrajectories.from_lists(rows)
    if owners is not None:
        published = replace(published, owners=np.array(owners, np.int32))
    if places is not None:
        published = replace(published, places=Locations.of(places))
    return Release(published, guarantee or KmAnonymity(k=1, m=1), original=original)


def baskets(rows, original=None) -> Release:
    kept = None if original is None else Transactions.from_lists(original)
    return Release(PublishedTransactions.from_lists(rows), ItemsetKmAnonymity(k=1, m=1), original=kept)


def ages(cells: list[str], before: list[int] | None = None, guarantee=None) -> Release:
    original = None
    if before is not None:
        original = Table.from_frame(pl.DataFrame({"age": before}), {"age": "quasi"})
    return table_release({"age": cells}, {"age": "quasi"}, {"age": "int"}, guarantee=guarantee, original=original)


def counted(counts: list[int], epsilon: str = "1") -> Release:
    attribute = RegionAttribute("age", NumericDomain(0, len(counts)))
    cells = np.arange(len(counts), dtype=np.int32).reshape(-1, 1)
    regions = CountedRegions(
        (attribute,), ("records",), cells, cells + 1, np.full_like(cells, -1), np.array(counts).reshape(-1, 1)
    )
    return Release(regions, DifferentialPrivacy(epsilon=Fraction(epsilon)))


def sold(rows: list[tuple[int, list[str]]]) -> Release:
    domain = ItemDomain(["bread", "milk"])
    return Release(SyntheticTransactions.from_lists(rows, domain), DifferentialPrivacy())


PLANTED: dict[str, list[Planted]] = {
    "verdict": [
        Planted(lambda: ages(["20", "20", "30"]), RED, None, lambda: ages(["20", "20"]), GREEN),
        Planted(lambda: ages(["20", "30"], guarantee=KAnonymity(k=1)), RED, None, lambda: ages(["20", "20"]), GREEN),
        Planted(
            lambda: visits([["a"]] * 2, guarantee=KmAnonymity(k=2, m=1, unit="owner"), owners=[0, 1]),
            AMBER,
            None,
            lambda: visits([["a"]] * 2, guarantee=KmAnonymity(k=2, m=1)),
            GREEN,
        ),
    ],
    "revealed-values": [
        # one class of five has one value; in the other four of five have the same, which is not above 80 %
        Planted(
            lambda: sensitive_classes(["flu"] * 5 + ["flu"] * 4 + ["cold"]),
            RED,
            5,
            lambda: sensitive_classes(["flu", "flu", "cold", "cold", "cold"] * 2),
        ),
        Planted(
            lambda: sensitive_classes(["flu"] * 5 + ["flu", "cold"] * 2 + ["gout"]),
            RED,
            5,
            lambda: sensitive_classes(["flu"] * 5 + ["cold"] * 5, LDiversity(l=2)),
            GREEN,
        ),
    ],
    "unique-by-unchanged-columns": [
        # three shoes occur once; one of those who share the fourth is alone with it in his class
        Planted(
            lambda: other_columns(["1", "2", "3", "4", "4", "4", "5", "5", "5", "5"]),
            RED,
            4,
            lambda: other_columns(["4"] * 5 + ["5"] * 5),
        ),
        Planted(
            lambda: table_release({"uid": ["a"] * 6 + ["{a|b}"] * 4}, {"uid": "quasi"}),
            RED,
            6,
            lambda: table_release({"uid": ["{a|b}"] * 10}, {"uid": "quasi"}),
        ),
    ],
    "repeated-people": [
        Planted(
            lambda: owned(["a", "b", "a", "c", "c"], KAnonymity(k=2)),
            RED,
            1,
            lambda: owned(["a", "b", "d", "c", "c"], KAnonymity(k=2)),
        ),
        Planted(
            lambda: owned(["a", "b", "a", "c", "c"], KAnonymity(k=2, unit="person")),
            AMBER,
            1,
            lambda: owned(["a", "b", "d", "c", "c"], KAnonymity(k=2, unit="person")),
        ),
        Planted(
            lambda: visits([["a"], ["a"], ["a"]], owners=[7, 7, 9]),
            RED,
            1,
            lambda: visits([["a"], ["a"], ["a"]], owners=[7, 8, 9]),
        ),
        Planted(
            lambda: visits([["a"]] * 3, guarantee=KmAnonymity(k=2, m=1, unit="owner"), owners=[7, 7, 9]),
            AMBER,
            1,
            lambda: visits([["a"]] * 3),
        ),
    ],
    "reidentification-risk": [
        Planted(lambda: ages(["20"] * 2 + ["30"] * 6), AMBER, 2, lambda: ages(["20"] * 5 + ["30"] * 6), GREEN),
        Planted(
            lambda: ages(["20", "21", "30", "30"], guarantee=KAnonymity(k=1)), RED, 4, lambda: ages(["20"] * 5), GREEN
        ),
    ],
    "known-pairs": [
        # a and b were visited together once
        Planted(
            lambda: visits([["a", "b"], ["a", "c"], ["a", "c"], ["b"], ["b"]]),
            RED,
            1,
            lambda: visits([["a", "b"]] * 3),
            GREEN,
        ),
        Planted(lambda: baskets([["x", "y"], ["x"], ["y"]]), RED, 1, lambda: baskets([["x", "y"]] * 2), GREEN),
    ],
    "missing-values": [
        Planted(lambda: ages(["?"] * 2 + ["30"] * 3), AMBER, 2, lambda: ages(["30"] * 5)),
    ],
    "exact-dates": [
        Planted(
            lambda: table_release(
                *people(ages=["20"] * 3, other_seen=["2020-03-17", "2020-03-18", "?"]), {"other_seen": "date"}
            ),
            RED,
            2,
            lambda: table_release(
                *people(ages=["20"] * 3, other_seen=["2020-03-01", "2020-04-01", "2020-01-01"]), {"other_seen": "date"}
            ),
        ),
    ],
    "free-text": [
        Planted(
            lambda: table_release(
                *people(
                    ages=["20"] * 3,
                    other_note=["He came in with his wife Anna", "Fell off the roof of number nine", "none"],
                )
            ),
            RED,
            2,
            lambda: table_release(
                *people(ages=["20"] * 3, other_note=["one of five long standing choices"] * 2 + ["none"])
            ),
        ),
    ],
    "direct-identifier": [
        Planted(
            lambda: table_release(*people(ages=["20"] * 3, other_contact=["a@b.org", "-", "call me"])),
            RED,
            1,
            lambda: table_release(*people(ages=["20"] * 3, other_contact=["at home", "-", "call me"])),
        ),
        Planted(
            lambda: visits([["+49 30 1234567", "b"], ["b"]]),
            RED,
            1,
            lambda: visits([["1234567890", "b"], ["b"]]),
        ),
    ],
    "empty-release": [
        Planted(lambda: ages(["~", "~"]), RED, 0, lambda: ages(["20", "20"])),
        Planted(lambda: sold([]), RED, 0, lambda: sold([(3, ["milk"])])),
        Planted(lambda: counted([0, 0]), RED, 0, lambda: counted([40, 20])),
        Planted(lambda: visits([[], []]), RED, 0, lambda: visits([["a"], []])),
    ],
    "constant-column": [
        Planted(lambda: ages(["[20:40]"] * 3), RED, 1, lambda: ages(["30"] * 3)),
        Planted(
            lambda: table_release(
                {"age": ["[20:40]"] * 4, "sex": ["f", "f", "m", "m"]}, {"age": "quasi", "sex": "quasi"}, {"age": "int"}
            ),
            AMBER,
            1,
            lambda: ages(["[20:40]"] * 3 + ["[40:60]"] * 3),
        ),
        Planted(lambda: baskets([[["x", "y"]], [["x", "y"]]]), RED, 1, lambda: baskets([["x"], ["x"]])),
    ],
    "still-tracks": [
        Planted(
            lambda: visits([["a", "a"], ["b"], ["a", "b"]], places={"a": (0, 0), "b": (3, 4)}),
            RED,
            2,
            lambda: visits([["a", "b"], ["b", "a"]], places={"a": (0, 0), "b": (3, 4)}),
        ),
    ],
    "information-loss": [
        Planted(
            lambda: ages(["[0:80]"] * 4, [0, 80, 100, 0]),
            AMBER,
            None,
            lambda: ages(["[0:20]"] * 4, [0, 20, 100, 0]),
            GREEN,
        ),
    ],
    "suppressed": [
        Planted(lambda: ages(["~"] * 3 + ["30"] * 7), AMBER, 3, lambda: ages(["~"] * 2 + ["30"] * 8)),
        Planted(
            lambda: visits([["a"], []], original=Trajectories.from_lists([["a", "b"], ["b", "b"]])),
            AMBER,
            3,
            lambda: visits([["a"], ["b"]], original=Trajectories.from_lists([["a"], ["b"]])),
        ),
    ],
    "count-errors": [
        # 3 of 9 for each of x, y and z, of which there are 7, 1 and 1: off by 4/7, 2, 2 and, for w, 0
        Planted(
            lambda: baskets([[["x", "y", "z"]]] * 9 + [["w"]], original=[["x"]] * 7 + [["y"], ["z"], ["w"]]),
            AMBER,
            4,
            lambda: baskets([["x"]] * 9 + [["w"]], original=[["x"]] * 9 + [["w"]]),
        ),
        # 5 of each of four ages, of which there are 17 of one and one of each other
        Planted(
            lambda: ages(["[20:23]"] * 20, [20] * 17 + [21, 22, 23]),
            AMBER,
            4,
            lambda: ages(["[20:21]"] * 10 + ["[22:23]"] * 10, [20, 21, 22, 23] * 5),
        ),
    ],
    "counts-below-noise": [
        Planted(lambda: counted([1, 1, 40]), AMBER, 2, lambda: counted([10, 20, 40])),
        Planted(lambda: counted([10, 10, 40], "0.1"), AMBER, 2, lambda: counted([50, 20, 40], "0.1")),
    ],
}
CASES = [(code, place) for code, cases in PLANTED.items() for place in range(len(cases))]


def test_every_finding_has_a_planted_case():
    assert set(PLANTED) == set(CHECKS)


@pytest.mark.parametrize(("code", "place"), CASES)
def test_a_planted_finding_appears_with_its_number(code, place):
    case = PLANTED[code][place]
    review = case.release().review()
    found = [finding for finding in review.findings if finding.code == code]
    assert len(found) == 1, review
    assert (found[0].colour, found[0].number) == (case.colour, case.number), found[0]
    light = getattr(review, CHECKS[code].light)
    assert found[0] in light.findings
    assert light.colour >= case.colour
    assert found[0].colour == GREEN or found[0].remedy is not None or code == "verdict"


@pytest.mark.parametrize(("code", "place"), CASES)
def test_a_control_has_no_such_finding(code, place):
    case = PLANTED[code][place]
    found = [finding.colour for finding in case.control().review().findings if finding.code == code]
    assert found == ([] if case.control_colour is None else [case.control_colour])
