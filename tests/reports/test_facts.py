"""What a report knows of a release."""

from __future__ import annotations

import numpy as np

from crypsis.data.symbols import Symbols
from crypsis.data.trajectory import PublishedTrajectories
from crypsis.data.vocabulary import Vocabulary
from crypsis.reports.facts import ReleaseFacts
from tests.reports.releases import of_rows, town


def test_symbols_and_locations_stand_in_the_order_of_their_labels() -> None:
    facts = ReleaseFacts.of(*town())
    assert facts.names == sorted(facts.names)
    assert facts.labels == sorted(facts.labels)
    for symbol, name in enumerate(facts.names):
        members = facts.members[facts.offsets[symbol] : facts.offsets[symbol + 1]]
        assert tuple(facts.labels[member] for member in members) == name


def test_supports_belong_to_their_symbols() -> None:
    manifest, published, places = town(n_rows=300)
    facts = ReleaseFacts.of(manifest, published, places)
    rows = [{names if isinstance(names, str) else tuple(names) for names in row} for row in published.to_lists()]
    for name, support in zip(facts.names, facts.supports, strict=True):
        symbol = name[0] if len(name) == 1 else name
        assert support == sum(symbol in row for row in rows)


def test_coordinates_belong_to_their_locations() -> None:
    facts = ReleaseFacts.of(*of_rows([["b", ["a", "c"]]], {"c": (3, 4), "z": (9, 9), "a": (1, 2)}))
    assert facts.labels == ["a", "b", "c"]
    assert np.array_equal(facts.x, [1, np.nan, 3], equal_nan=True)
    assert np.array_equal(facts.y, [2, np.nan, 4], equal_nan=True)


def test_symbols_with_the_same_locations_are_one() -> None:
    symbols = Symbols(Vocabulary(["a", "b"]), np.array([0, 2, 4]), np.array([0, 1, 0, 1], np.int32))
    published = PublishedTrajectories(np.array([0, 2, 3]), np.array([0, 1, 1], np.int32), symbols)
    facts = ReleaseFacts.of({}, published, None)
    assert facts.names == [("a", "b")]
    assert facts.supports.tolist() == [2]


def test_the_largest_groups_come_first_and_the_more_frequent_of_equal_ones() -> None:
    rows: list[list[str | list[str]]] = [[["a", "b"]], [["c", "d"]], [["c", "d"]], [["e", "f", "g"]], ["h"]]
    facts = ReleaseFacts.of(*of_rows(rows))
    assert [facts.names[symbol] for symbol in facts.largest_first] == [("e", "f", "g"), ("c", "d"), ("a", "b")]
