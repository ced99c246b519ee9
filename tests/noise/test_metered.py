"""Nothing is drawn past the ledger, and nothing in private code knows another source of randomness."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import crypsis
from crypsis.errors import InternalError
from crypsis.ledger.scopes import InParallel, InSequence
from crypsis.noise import ExactNoise, MeteredNoise
from crypsis.verifiers.run_ledger import check_run_ledger

PACKAGE = Path(crypsis.__file__).parent
PRIVATE = [
    *sorted((PACKAGE / "noise").glob("*.py")),
    *sorted((PACKAGE / "ledger").glob("*.py")),
    *(
        PACKAGE / "methods" / f"{name}.py"
        for name in (
            "private_method",
            "noise_thresholds",
            "trajectory/safe_path",
            "trajectory/safe_path_budgets",
            "trajectory/noisy_prefix_tree",
            "trajectory/prefix_consistency",
            "trajectory/prefix_synthesis",
            "trajectory/timed_visits",
            "trajectory/value_ranges",
            "trajectory/seq_pt",
            "trajectory/n_grams",
            "trajectory/noisy_grams",
            "trajectory/gram_records",
            "trajectory/walking_records",
            "transaction/diff_part",
            "transaction/noisy_partitions",
            "transaction/partitioned_sets",
            "transaction/item_tree",
            "relational/declared_columns",
            "relational/diff_multi",
            "relational/noisy_regions",
            "relational/region_schema",
            "relational/region_scores",
            "relational/specialization_budgets",
            "relational/diff_gen",
            "relational/global_cut",
            "relational/region_records",
            "relational/cut_records",
            "summed_counts",
        )
    ),
    *(PACKAGE / "kernels" / f"{name}.py" for name in ("tree_growth", "regions", "gram_model", "set_partitions")),
]


def metered() -> MeteredNoise:
    return MeteredNoise(ExactNoise(), Fraction(1))


def test_calls_in_scopes_add_up() -> None:
    noise = metered()
    with noise.scope("level 1"):
        noise.disjoint_counts(np.array([3, 4]), 10, Fraction(1, 4), 2, node="a", disjoint_by="place")
        noise.select([1, 2], Fraction(1, 4), Fraction(1), node="b")
    noise.counts(np.array([1]), Fraction(1, 2), node="c", disjoint_by="place")
    noise.check()
    assert noise.root.total() == 1
    assert noise.root.calls() == noise.noise.calls == 14
    found = check_run_ledger({"epsilon": "1", "root": noise.root.to_json()})
    assert (found.holds, found.spent, found.calls) == (True, 1, 14)


def test_a_vector_of_counts_costs_once_with_its_sensitivity() -> None:
    """Four times the noise of a disjoint count; the ledger says how far one record moves the vector."""
    noise = metered()
    noisy, _, values = noise.vector_counts(np.zeros(40_000, np.int64), 40_000, Fraction(1), 4, 3, node="grams")
    assert noise.check() == 1
    call = noise.root.to_json()["seq"][0]["call"]
    assert (call["sensitivity"], call["count"]) == ("4", 80_000)
    assert "moves by at most 4 in all" in call["disjoint_by"]
    decay = np.exp(-1 / 4)
    assert np.var(noisy) == pytest.approx(2 * decay / (1 - decay) ** 2, rel=0.1)
    assert len(values) == pytest.approx(40_000 * decay**3 / (1 + decay), rel=0.1)


@pytest.mark.parametrize("one_by_one", [False, True])
def test_empty_siblings_have_one_law_whether_drawn_in_bulk_or_one_by_one(one_by_one: bool) -> None:
    noise = MeteredNoise(ExactNoise(), Fraction(1), one_by_one=one_by_one)
    scopes = InSequence([], "left"), InSequence([], "right")
    noise.root.members.append(InParallel([*scopes], "sides"))
    _, numbers, values = noise.shared_disjoint_counts(
        np.zeros(0, np.int64), 60_000, Fraction(1), 2, shares=[(scopes[0], 20_000), (scopes[1], 40_000)], node="a"
    )
    assert noise.check() == 1
    assert noise.root.calls() == 60_000
    assert (np.diff(numbers) > 0).all()
    assert values.min() >= 2
    assert len(numbers) == pytest.approx(60_000 * np.exp(-2) / (1 + np.exp(-1)), rel=0.1)
    assert np.mean(values == 2) == pytest.approx(1 - np.exp(-1), abs=0.06)


def test_a_draw_past_the_ledger_is_noticed() -> None:
    noise = metered()
    noise.noise.laplace(np.array([1]), Fraction(1, 2))
    with pytest.raises(InternalError, match="1 calls, the ledger lists 0"):
        noise.check()


def test_spending_too_much_is_noticed() -> None:
    noise = metered()
    noise.counts(np.array([1]), Fraction(3, 4), node="a", disjoint_by="place")
    noise.counts(np.array([1]), Fraction(3, 4), node="b", disjoint_by="place")
    with pytest.raises(InternalError, match="spent 3/2"):
        noise.check()


def test_the_entry_of_a_step_does_not_tell_how_many_are_empty() -> None:
    one, other = metered(), metered()
    one.disjoint_counts(np.array([9, 9]), 1, Fraction(1), 99, node="a", disjoint_by="place")
    other.disjoint_counts(np.zeros(0, np.int64), 3, Fraction(1), 99, node="a", disjoint_by="place")
    assert one.root.to_json() == other.root.to_json()


@pytest.mark.parametrize("path", PRIVATE, ids=lambda path: path.stem)
def test_private_code_knows_no_other_randomness(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"\bnp\.random\b|^\s*(import|from) (random|numpy\.random|scipy)\b", text, re.MULTILINE)
    if path.name not in ("entropy.py", "digest.py", "budget.py"):
        assert not re.search(r"urandom|\bsecrets\b", text)


def test_private_code_has_no_seed() -> None:
    for path in PRIVATE:
        assert not re.search(r"\bseed\b\s*[:=(]", path.read_text(encoding="utf-8")), path
