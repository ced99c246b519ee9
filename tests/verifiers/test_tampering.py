"""Somebody changes a release: with the original the verifier notices, without it whatever breaks the promise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.guarantees import KmAnonymity, Verdict
from crypsis.verifiers import verify
from tests.reference import containment_matching, km_anonymity

Symbol = tuple[str, ...]
Rows = list[list[Symbol]]
Tampering = Callable[[Rows, st.DataObject], Rows]


def places(rows: Rows) -> list[tuple[int, int]]:
    return [(number, position) for number, row in enumerate(rows) for position in range(len(row))]


def drawn_place(rows: Rows, data: st.DataObject) -> tuple[int, int]:
    assume(places(rows))
    return data.draw(st.sampled_from(places(rows)))


def drawn_symbol(rows: Rows, data: st.DataObject, at_least: int = 1) -> Symbol:
    known = sorted({symbol for row in rows for symbol in row if len(symbol) >= at_least})
    assume(known)
    return data.draw(st.sampled_from(known))


def everywhere(rows: Rows, images: dict[Symbol, Symbol]) -> Rows:
    return [[images.get(symbol, symbol) for symbol in row] for row in rows]


def change_one_symbol(rows: Rows, data: st.DataObject) -> Rows:
    row, position = drawn_place(rows, data)
    changed = [list(path) for path in rows]
    changed[row][position] = data.draw(st.just(("elsewhere",)) | st.just(drawn_symbol(rows, data)))
    return changed


def drop_one_row(rows: Rows, data: st.DataObject) -> Rows:
    assume(rows)
    row = data.draw(st.integers(0, len(rows) - 1))
    return rows[:row] + rows[row + 1 :]


def duplicate_one_row(rows: Rows, data: st.DataObject) -> Rows:
    assume(rows)
    return [*rows, data.draw(st.sampled_from(rows))]


def overwrite_one_row_with_another(rows: Rows, data: st.DataObject) -> Rows:
    return duplicate_one_row(drop_one_row(rows, data), data)


def drop_one_visit(rows: Rows, data: st.DataObject) -> Rows:
    row, position = drawn_place(rows, data)
    changed = [list(path) for path in rows]
    del changed[row][position]
    return changed


def swap_two_visits(rows: Rows, data: st.DataObject) -> Rows:
    long = [number for number, row in enumerate(rows) if len(row) > 1]
    assume(long)
    row = data.draw(st.sampled_from(long))
    one, other = data.draw(st.permutations(range(len(rows[row]))))[:2]
    changed = [list(path) for path in rows]
    changed[row][one], changed[row][other] = changed[row][other], changed[row][one]
    return changed


def rename_a_label(rows: Rows, data: st.DataObject) -> Rows:
    symbol = drawn_symbol(rows, data)
    label = data.draw(st.sampled_from(symbol))
    return everywhere(rows, {symbol: tuple(sorted({*symbol, "renamed"} - {label}))})


def drop_a_member(rows: Rows, data: st.DataObject) -> Rows:
    symbol = drawn_symbol(rows, data, at_least=2)
    label = data.draw(st.sampled_from(symbol))
    return everywhere(rows, {symbol: tuple(sorted({*symbol} - {label}))})


def move_a_member(rows: Rows, data: st.DataObject) -> Rows:
    symbol = drawn_symbol(rows, data, at_least=2)
    other = drawn_symbol(rows, data)
    assume(other != symbol)
    label = data.draw(st.sampled_from(symbol))
    return everywhere(rows, {symbol: tuple(sorted({*symbol} - {label})), other: tuple(sorted({*other, label}))})


def exchange_two_symbols(rows: Rows, data: st.DataObject) -> Rows:
    one, other = drawn_symbol(rows, data), drawn_symbol(rows, data)
    return everywhere(rows, {one: other, other: one})


def split_a_symbol_at_one_place(rows: Rows, data: st.DataObject) -> Rows:
    assume(any(len(symbol) > 1 for row in rows for symbol in row))
    row, position = data.draw(
        st.sampled_from([(row, position) for row, position in places(rows) if len(rows[row][position]) > 1])
    )
    changed = [list(path) for path in rows]
    changed[row][position] = (data.draw(st.sampled_from(rows[row][position])),)
    return changed


def lengthen_a_row(rows: Rows, data: st.DataObject) -> Rows:
    assume(rows)
    row = data.draw(st.integers(0, len(rows) - 1))
    changed = [list(path) for path in rows]
    changed[row].append(drawn_symbol(rows, data))
    return changed


TAMPERINGS: list[Tampering] = [
    change_one_symbol,
    drop_one_row,
    duplicate_one_row,
    overwrite_one_row_with_another,
    drop_one_visit,
    swap_two_visits,
    rename_a_label,
    drop_a_member,
    move_a_member,
    exchange_two_symbols,
    split_a_symbol_at_one_place,
    lengthen_a_row,
]


@dataclass(frozen=True)
class Released:
    """An honest release of some paths: what it says, and the highest promise that it keeps."""

    paths: list[list[str]]
    rows: Rows
    promised: KmAnonymity
    longest: int | None

    @property
    def original(self) -> Trajectories:
        labels = sorted({label for path in self.paths for label in path})
        return Trajectories.from_lists(self.paths, locations=dict.fromkeys(labels, (0, 0)))

    def verdict_on(self, rows: Rows, original: Trajectories | None = None) -> Verdict:
        return verify(PublishedTrajectories.from_lists(rows, self.longest), self.promised, original=original)


@st.composite
def releases(draw: st.DrawFn) -> Released:
    """Not made by a method: any partition of the locations into at least two symbols, one of them generalized."""
    n_locations = draw(st.integers(3, 6))
    path = st.lists(st.integers(0, n_locations - 1), max_size=8)
    codes = [list(range(n_locations)), *draw(st.lists(path, max_size=8))] * draw(st.integers(1, 3))
    symbol_of = [0, 0, 1, *draw(st.lists(st.integers(0, 3), min_size=n_locations - 3, max_size=n_locations - 3))]
    longest = draw(st.none() | st.integers(n_locations, 7))  # every location is visited before the cut
    labels = draw(st.permutations("abcdef"))
    symbols = [
        tuple(sorted(labels[code] for code in range(n_locations) if symbol_of[code] == number)) for number in range(4)
    ]
    rows = [[symbols[symbol_of[code]] for code in one[:longest]] for one in codes]
    m = draw(st.sampled_from([2, 1, 3]))
    paths = [[labels[code] for code in one] for one in codes]
    return Released(paths, rows, KmAnonymity(k=min(km_anonymity.check(rows, 1, m).min_support_by_size), m=m), longest)


def as_multiset(rows: Rows) -> Counter[tuple[Symbol, ...]]:
    return Counter(map(tuple, rows))


@pytest.mark.parametrize("tamper", TAMPERINGS, ids=lambda tamper: tamper.__name__)
@given(releases(), st.data())
def test_with_the_original_tampering_is_noticed(tamper: Tampering, release: Released, data: st.DataObject) -> None:
    assert release.verdict_on(release.rows, release.original).holds
    tampered = tamper(release.rows, data)
    verdict = release.verdict_on(tampered, release.original)
    # The order of rows says nothing, so a change that only reorders equal rows is no change.
    assert verdict.holds == (as_multiset(tampered) == as_multiset(release.rows))
    assert verdict.holds == containment_matching.is_global_recoding(release.paths, tampered, release.longest)


@pytest.mark.parametrize("tamper", TAMPERINGS, ids=lambda tamper: tamper.__name__)
@given(releases(), st.data())
def test_without_the_original_it_is_noticed_exactly_when_the_promise_breaks(
    tamper: Tampering, release: Released, data: st.DataObject
) -> None:
    assert release.verdict_on(release.rows).holds
    tampered = tamper(release.rows, data)
    verdict = release.verdict_on(tampered)
    answer = km_anonymity.check(tampered, release.promised.k, release.promised.m)
    assert verdict.holds == answer.holds
    assert (verdict.witness.symbols if verdict.witness else None) == answer.witness


@given(releases(), st.data())
def test_an_honest_split_is_judged_by_what_is_left_of_the_promise(release: Released, data: st.DataObject) -> None:
    """Publishing the members of one symbol as they were is a finer recoding: true, but perhaps no longer safe."""
    symbol = drawn_symbol(release.rows, data, at_least=2)
    split = [
        [(label,) if names == symbol else names for label, names in zip(path, row, strict=False)]
        for path, row in zip(release.paths, release.rows, strict=True)
    ]
    verdict = release.verdict_on(split, release.original)
    answer = km_anonymity.check(split, release.promised.k, release.promised.m)
    assert verdict.holds == answer.holds
    assert (verdict.witness.symbols if verdict.witness else None) == answer.witness


@given(releases())
def test_hiding_or_inventing_the_declared_cut_is_noticed(release: Released) -> None:
    kept = [path[: release.longest] for path in release.paths]
    for longest in (None, *range(10)):
        verdict = replace(release, longest=longest).verdict_on(release.rows, release.original)
        assert verdict.holds == ([path[:longest] for path in release.paths] == kept)


FAIR = [["a", "b"], ["a", "b"], ["a", "b"], [["c", "d"], "b"], [["c", "d"], "b"], [["c", "d"], "b"]]


@pytest.mark.parametrize(
    ("tampered", "witness"),
    [
        ([*FAIR[:5], ["a", "b"]], (("c", "d"),)),
        ([*FAIR[:5], [["c", "d"], "e"]], (("e",),)),
        (FAIR[:5], (("c", "d"),)),
        ([*FAIR, ["b"], ["b"], ["b"], ["x"]], (("x",),)),
        ([*FAIR[:5], ["c", "b"]], (("c",),)),
        ([["b", "a"], *FAIR[1:]], (("b",), ("a",))),
        ([["a", "b", "b"], *FAIR[1:]], (("b",), ("b",))),
        ([*FAIR[:4], ["b", ["c", "d"]], [["c", "d"], "b"]], (("b",), ("c", "d"))),
    ],
    ids=["one symbol changed", "one symbol new", "a row dropped", "a row added", "a symbol split", "two visits swapped",
         "a row lengthened", "two visits swapped in a generalized row"],
)  # fmt: skip
def test_without_the_original_a_broken_promise_is_found(
    tampered: list[list[object]], witness: tuple[Symbol, ...]
) -> None:
    promised = KmAnonymity(k=3, m=2)
    assert verify(PublishedTrajectories.from_lists(FAIR), promised).holds
    verdict = verify(PublishedTrajectories.from_lists(tampered), promised)
    assert not verdict.holds
    assert verdict.witness is not None
    assert verdict.witness.symbols == witness


@pytest.mark.parametrize(
    ("rows", "longest", "problem"),
    [
        ([[["a", "b"]]], None, "1 rows are published for 2 original trajectories."),
        ([[["a", "b"]], ["b"]], None, "location 'b' belongs to several symbols, so it has several images."),
        ([["a"], ["a"]], None, "location 'b' was visited but lies in no published symbol."),
        (
            [["a"], ["b", "b"]],
            None,
            "the published rows are not the original ones with each location replaced by its symbol.",
        ),
        (
            [["a"], ["b"]],
            0,
            "the published rows are not the original ones with each location replaced by its symbol.",
        ),
    ],
)
def test_the_verdict_says_what_stands_against_the_original(
    rows: list[list[object]], longest: int, problem: str
) -> None:
    original = Trajectories.from_lists([["a"], ["b"]])
    verdict = verify(PublishedTrajectories.from_lists(rows, longest), KmAnonymity(k=1, m=1), original=original)
    assert verdict.problem == problem
    assert verdict.counted == "compared with the original"
    assert not verdict.holds
