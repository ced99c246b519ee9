"""The (k,l)^m verifier against the definition, against tampering, and on files whose rows are sorted."""

from __future__ import annotations

import dataclasses
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

import crypsis
from benchmarks import workloads
from crypsis.data.trajectory import Locations, PublishedTrajectories, Trajectories
from crypsis.errors import Infeasible, NotApplicable, OriginalRequired, TooManyClusters
from crypsis.guarantees import KlmAnonymity, guarantee_named
from crypsis.methods import SGA, ZGA, LmAnon
from crypsis.release import read_release
from crypsis.run_context import RunContext
from crypsis.verifiers import verify
from crypsis.verifiers.row_matching import rows_left_over
from tests.reference import klm_anonymity as reference
from tests.strategies import published_rows

ks, ls, ms = st.integers(1, 4), st.integers(1, 3), st.integers(0, 3)
Rows = list[list[tuple[str, ...]]]
PLACES = {label: (float(number), 0.0) for number, label in enumerate("abcdefg")}


@st.composite
def published(draw: st.DrawFn) -> tuple[Rows, list[int]]:
    """Rows of symbols over a to d, sensitive singletons f and g among them, and owners."""
    rows = draw(published_rows())
    mixed = []
    for row in rows:
        places = draw(st.lists(st.tuples(st.integers(0, len(row)), st.sampled_from("fg")), max_size=2))
        for place, label in places:
            row = [*row[:place], (label,), *row[place:]]
        mixed.append([tuple(sorted(symbol)) for symbol in row])
    return mixed, draw(st.lists(st.integers(0, 4), min_size=len(rows), max_size=len(rows)))


def of(rows: Rows, owners: list[int] | None = None, **declared: Any) -> PublishedTrajectories:
    made = PublishedTrajectories.from_lists([list(map(list, row)) for row in rows], sensitive=["f", "g"])
    who = None if owners is None else np.array(owners, np.int32)
    return dataclasses.replace(made, owners=who, **declared)


@given(published(), ks, ls, ms, st.booleans())
def test_verdict_and_witness_are_those_of_the_definition(
    drawn: tuple[Rows, list[int]],
    k: int,
    l: int,  # noqa: E741
    m: int,
    by_owner: bool,
) -> None:
    rows, owners = drawn
    who = owners if by_owner else None
    unit = "owner" if by_owner else "trajectory"
    expected = reference.check(rows, {"f", "g"}, k, l, m, who)
    verdict = verify(of(rows, owners), KlmAnonymity(k=k, l=l, m=m, unit=unit))
    if expected is not None:
        event("broken by k" if expected.sensitive is None else "broken by l")
        assert not verdict.holds
        witness = verdict.witness
        assert (witness.size, witness.support, witness.symbols) == expected[:3]
        assert (witness.sensitive, witness.count) == expected[3:]
        assert witness.kind == ("k" if expected.sensitive is None else "l")
        return
    if not verdict.holds:
        assert l > 1
        assert reference.overlaps(rows, who)
        assert "not established" in verdict.problem
    event("holds" if verdict.holds else "not established")


def original_of(rows: Rows, draw: Any) -> list[list[str]]:
    return [[draw(st.sampled_from(symbol)) for symbol in row] for row in rows]


@given(published(), ks, ls, ms, st.booleans(), st.data())
def test_t5c_with_the_original_the_verdict_is_that_of_matching_original_locations(
    drawn: tuple[Rows, list[int]],
    k: int,
    l: int,  # noqa: E741
    m: int,
    by_owner: bool,
    data: st.DataObject,
) -> None:
    rows, owners = drawn
    who = owners if by_owner else None
    paths = original_of(rows, data.draw)
    original = Trajectories.from_lists(paths, locations=Locations.of(PLACES).marked("fg"), owners=owners)
    promised = KlmAnonymity(k=k, l=l, m=m, unit="owner" if by_owner else "trajectory")
    verdict = verify(of(rows), promised, original=original)
    by_symbols = reference.check(rows, {"f", "g"}, k, l, m, who) is None
    matched = reference.containment(paths, rows, {"f", "g"}, k, l, m, who) is None
    assert verdict.holds == (by_symbols and matched)
    if by_symbols and not reference.overlaps(rows, who):
        assert matched
    event("overlap" if reference.overlaps(rows, who) else "no overlap")


@given(published(), st.booleans(), st.data())
def test_rows_in_any_order_are_matched_if_and_only_if_some_assignment_recodes_all(
    drawn: tuple[Rows, list[int]], lacks: bool, data: st.DataObject
) -> None:
    rows, _ = drawn
    rows = rows[:5]
    paths = original_of(rows, data.draw)
    if data.draw(st.booleans()) and paths:
        changed = data.draw(st.integers(0, len(paths) - 1))
        paths[changed] = data.draw(st.lists(st.sampled_from("abcdfg"), max_size=4))
    order = data.draw(st.permutations(range(len(rows))))
    shuffled = [rows[row] for row in order]
    original = Trajectories.from_lists(paths, locations=Locations.of(PLACES).marked("fg"))

    def recodes(path: list[str], row: list[tuple[str, ...]]) -> bool:
        if not path:
            return not row
        if row and path[0] in row[0] and recodes(path[1:], row[1:]):
            return True
        return lacks and path[0] in "fg" and recodes(path[1:], row)

    possible = any(
        all(recodes(path, row) for path, row in zip(paths, assigned, strict=True))
        for assigned in permutations(shuffled)
    )
    sensitive = original.locations.sensitive
    assert sensitive is not None
    assert (rows_left_over(of(shuffled, lacks_sensitive=lacks), original, sensitive) == 0) == possible
    event("possible" if possible else "impossible")


def sample(n: int = 400) -> Trajectories:
    walks = workloads.walks(seed=3, n=n)
    return dataclasses.replace(walks, locations=walks.locations.marked(["44", "55", "12"]))


METHODS = [LmAnon(k=3, l=2, m=2), ZGA(k=3, l=2, m=2, clusters=4), SGA(k=3, l=2, m=2, clusters=4)]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
@pytest.mark.parametrize("in_order", [True, False], ids=["in input order", "shuffled"])
def test_tampering_is_noticed(method: Any, in_order: bool) -> None:
    data = sample()
    honest = method.anonymize(data, RunContext())
    if not in_order:
        honest = honest.take(np.random.default_rng(5).permutation(len(honest)))
    assert verify(honest, method.guarantee, original=data).holds

    def verdict(rows: list[Any], **declared: Any) -> Any:
        made = PublishedTrajectories.from_lists(rows, sensitive=honest.sensitive)
        return verify(dataclasses.replace(made, **declared), method.guarantee, original=data)

    rows = honest.to_lists()
    with_sensitive = next(number for number, row in enumerate(rows) if "44" in row and len(row) > 1)
    long_row = next(number for number, row in enumerate(rows) if len(row) > 4)
    others = [number for number in range(len(rows)) if number not in (with_sensitive, long_row)]
    assert not verdict(rows[1:]).holds  # a row is missing
    removed = [list(row) for row in rows]
    removed[with_sensitive].remove("44")
    assert not verdict(removed).holds  # a sensitive visit is missing, undeclared
    shorter = [list(row) for row in rows]
    shorter[long_row].pop(next(place for place, symbol in enumerate(rows[long_row]) if symbol not in honest.sensitive))
    assert not verdict(shorter, lacks_sensitive=True).holds  # a visit that is not sensitive is missing
    invented = [list(row) for row in rows]
    invented[others[0]].append("44")
    assert not verdict(invented).holds
    merged = [[["44", "99"] if symbol == "44" else symbol for symbol in row] for row in rows]
    assert "published intact" in verdict(merged).problem
    hidden = dataclasses.replace(honest, sensitive=tuple(label for label in honest.sensitive if label != "44"))
    assert "in the original it is sensitive" in verify(hidden, method.guarantee, original=data).problem
    singled_out = [["0"], *rows[1:]] if rows[0] != ["0"] else [["1"], *rows[1:]]
    assert not verdict(singled_out).holds


def test_files_alone_are_verified_and_sorted_rows_are_matched_with_the_original(tmp_path: Path) -> None:
    data = sample()
    for number, method in enumerate([*METHODS, LmAnon(k=3, l=60, m=1, on_infeasible="suppress")]):
        release = crypsis.anonymize(data, method)
        folder = release.write(tmp_path / str(number))
        again = read_release(folder)
        assert set(again.data.sensitive) <= {"44", "55", "12"}
        assert again.data.lacks_sensitive == (method.on_infeasible == "suppress")
        alone = again.verify()
        assert alone.holds, alone
        assert set(alone.figures["base_rates"]) == set(again.data.sensitive)
        with_original = again.verify(data)
        assert with_original.holds, with_original
        assert not again.verify(sample(401)).holds


def test_owners_of_sorted_clusters_cannot_be_told(tmp_path: Path) -> None:
    walks = sample()
    data = dataclasses.replace(walks, owners=np.arange(len(walks), dtype=np.int32) // 2)
    method = ZGA(k=3, l=2, m=1, clusters=4, unit="owner")
    release = crypsis.anonymize(data, method)
    assert release.verify().holds
    again = read_release(release.write(tmp_path / "sorted"))
    with pytest.raises(OriginalRequired):
        again.verify()
    with pytest.raises(NotApplicable, match="order='input'"):
        again.verify(data)
    in_order = read_release(release.write(tmp_path / "input", order="input"))
    assert in_order.verify(data).holds
    with pytest.raises(NotApplicable, match="owner of each trajectory"):
        in_order.verify(walks)


@given(st.integers(0, 10_000), st.integers(1, 3), st.integers(2, 3), st.integers(2, 6))
def test_shuffled_clusters_hold_as_those_in_order(seed: int, k: int, l: int, clusters: int) -> None:  # noqa: E741
    walks = workloads.walks(seed=seed, n=60, side=3)
    data = dataclasses.replace(walks, locations=walks.locations.marked(["4"]))
    method = ZGA(k=k, l=l, m=2, clusters=clusters, on_infeasible="suppress")
    try:
        published = method.anonymize(data, RunContext())
    except (Infeasible, TooManyClusters):
        return
    shuffled = published.take(np.random.default_rng(seed).permutation(len(published)))
    for rows in (published, shuffled):
        assert verify(rows, method.guarantee, original=data).holds


def test_the_model_can_be_typed_without_its_signs() -> None:
    assert guarantee_named("klm-anonymity") is guarantee_named("(k,l)^m-anonymity") is KlmAnonymity
