"""Relations, possible relations and presence hold against enumeration; scalar, numpy and compiled forms agree."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.errors import BadInterval, BadParameter, InconsistentEvidence
from crypsis.fuzzytime import RELATIONS, FuzzyArray, FuzzyInterval, Volume, possible_volume_relations, refine, resolve
from crypsis.fuzzytime.array import MODES
from crypsis.fuzzytime.relations import ANSWERS, invert, invert_mask
from tests.fuzzytime.intervals import EVERY_SMALL, intervals, random_array, realizations
from tests.reference import fuzzytime as reference

REVERSED = {
    "before": "after", "meets": "met_by", "overlaps": "overlapped_by", "starts": "finishes", "during": "during",
    "equals": "equals", "contains": "contains", "started_by": "finished_by",
}  # fmt: skip
REVERSED |= {after: before for before, after in REVERSED.items()}

BY_MODE = {
    "sometime": lambda v, p: v[0] <= p[1] and p[0] <= v[1],
    "throughout": lambda v, p: v[0] <= p[0] and p[1] <= v[1],
    "within": lambda v, p: p[0] <= v[0] and v[1] <= p[1],
}


def test_possible_relations_are_those_of_realizations() -> None:
    for a, b in product(EVERY_SMALL[::3], EVERY_SMALL[::5]):
        assert a.possible(b) == reference.possible(a.bounds, b.bounds), (a, b)


@pytest.mark.parametrize("mode", MODES)
def test_presence_is_that_of_realizations(mode: str) -> None:
    holds = BY_MODE[mode]
    for visit, period in product(EVERY_SMALL[::3], EVERY_SMALL[::4]):
        seen = {holds(v, p) for v in realizations(visit, 1) for p in realizations(period, 1)}
        answer = "definitely" if seen == {True} else "possibly" if True in seen else "no"
        assert visit.presence(period, mode) == answer, (visit, period)


@pytest.mark.parametrize("floats", [False, True])
def test_scalar_numpy_and_compiled_forms_agree_on_pairs_of_all_kinds(floats: bool) -> None:
    a, b = random_array(1, 40_000, floats=floats), random_array(2, 40_000, floats=floats)
    assert {one.kind for one in a} == {"proper", "instant_core", "coreless"}
    codes, masks = a.relate(b, engine="numpy"), a.possible_mask(b, engine="numpy")
    assert np.array_equal(codes, a.relate(b, engine="compiled"))
    assert np.array_equal(masks, a.possible_mask(b, engine="compiled"))
    for index in range(0, 40_000, 40):
        relation = a[index].relation(b[index])
        assert relation == (None if codes[index] < 0 else RELATIONS[codes[index]])
        assert a[index].possible(b[index]) == {RELATIONS[c] for c in range(13) if int(masks[index]) >> c & 1}
    for mode in MODES:
        answers = a.presence(b, mode, engine="numpy")
        assert np.array_equal(answers, a.presence(b, mode, engine="compiled"))
        assert all(a[at].presence(b[at], mode) == ANSWERS[answers[at]] for at in range(0, 40_000, 200))


def test_one_interval_against_many_is_the_same_as_repeated() -> None:
    many, one = random_array(3, 500), random_array(4, 1)
    repeated = one.take(np.zeros(500, np.int64))
    for engine in ("numpy", "compiled"):
        assert np.array_equal(many.relate(one, engine=engine), many.relate(repeated, engine=engine))
        assert np.array_equal(one.possible_mask(many, engine=engine), repeated.possible_mask(many, engine=engine))
        assert np.array_equal(many.presence(one, engine=engine), many.presence(repeated, engine=engine))


@given(intervals(), intervals())
def test_relations_are_inverted_with_their_arguments(a: FuzzyInterval, b: FuzzyInterval) -> None:
    first, second = FuzzyArray.of([a]), FuzzyArray.of([b])
    assert int(second.relate(first)[0]) == invert(int(first.relate(second)[0]))
    assert int(second.possible_mask(first)[0]) == invert_mask(int(first.possible_mask(second)[0]))


@given(intervals(), intervals(), st.integers(1, 5), st.integers(-50, 50))
def test_relations_stay_when_time_is_moved_or_scaled_and_turn_when_it_is_reversed(
    a: FuzzyInterval, b: FuzzyInterval, scale: int, shift: int
) -> None:
    moved = [FuzzyInterval(*(scale * bound + shift for bound in one.bounds)) for one in (a, b)]
    assert moved[0].relation(moved[1]) == a.relation(b)
    assert moved[0].possible(moved[1]) == a.possible(b)
    turned = [FuzzyInterval(*(-bound for bound in reversed(one.bounds))) for one in (a, b)]
    assert turned[0].possible(turned[1]) == {REVERSED[name] for name in a.possible(b)}


@given(intervals(), intervals())
def test_the_relation_is_possible_and_some_relations_are_definite(a: FuzzyInterval, b: FuzzyInterval) -> None:
    relation = a.relation(b)
    if relation is not None:
        assert a.answer(b, relation) != "no"
        if relation in ("before", "after", "overlaps", "overlapped_by", "during", "contains"):
            assert a.definite(b) == relation


@given(intervals(), intervals(), intervals())
def test_refining_narrows_and_does_not_depend_on_order(a: FuzzyInterval, b: FuzzyInterval, c: FuzzyInterval) -> None:
    assert refine(a, a) == a
    try:
        refined = refine(a, b)
    except InconsistentEvidence:
        with pytest.raises(InconsistentEvidence):
            refine(b, a)
        return
    assert refined == refine(b, a)
    assert refined.possible(c) <= a.possible(c)
    assert set(realizations(refined)) == set(realizations(a)) & set(realizations(b))


@given(st.sets(st.integers(0, 12), min_size=1))
def test_resolution_is_inverted_with_its_arguments(codes: set[int]) -> None:
    forward, inverse = resolve(sorted(codes)), resolve(sorted(12 - code for code in codes))
    swap = {"forward": "inverse", "inverse": "forward"}
    assert (forward.relation, forward.mode) == (inverse.relation, inverse.mode)
    assert swap.get(forward.direction, forward.direction) == inverse.direction


@given(st.lists(st.tuples(intervals(4), intervals(4)), min_size=1, max_size=3))
def test_the_relation_of_volumes_is_possible(pairs: list[tuple[FuzzyInterval, FuzzyInterval]]) -> None:
    pairs = [(a, b) for a, b in pairs if a.possible(b)]
    if not pairs:
        return
    a, b = (Volume({f"c{index}": pair[side] for index, pair in enumerate(pairs)}) for side in (0, 1))
    found, possible = a.relation(b), possible_volume_relations(a, b)
    assert possible.exact
    if found.relation is not None and not found.undefined:
        assert (found.relation, found.direction) in possible.outcomes


def test_many_shared_cells_give_a_superset() -> None:
    wide = FuzzyInterval(0, 4, 5, 9)
    few, many = (Volume({f"c{index}": wide for index in range(count)}) for count in (3, 8))
    exact, superset = possible_volume_relations(few, few), possible_volume_relations(many, many)
    assert exact.exact
    assert not superset.exact
    assert exact.outcomes <= superset.outcomes


@pytest.mark.parametrize(
    "bounds", [(3, 1, 4, 5), (0, 1, 6, 5), (4, 5, 3, 3), (0, 9, 1, 5), (float("nan"), 1, 2, 3), (0, 1, 2, "3")]
)
def test_bounds_that_cross_are_refused(bounds: tuple[float, ...]) -> None:
    with pytest.raises(BadInterval):
        FuzzyInterval(*bounds)
    with pytest.raises(ValueError):  # it is also the error that Python has for it
        FuzzyInterval(*bounds)


def test_bad_arrays_are_refused() -> None:
    with pytest.raises(BadInterval, match="Interval 1 "):
        FuzzyArray(*(np.array([0, bound]) for bound in (3, 1, 4, 5)))
    with pytest.raises(BadInterval, match="cannot be paired"):
        random_array(1, 3).relate(random_array(1, 4))
    with pytest.raises(BadParameter, match="mode"):
        random_array(1, 3).presence(random_array(1, 1), "sometimes")
    assert len(random_array(1, 0).relate(random_array(1, 0))) == 0
