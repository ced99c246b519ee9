"""Nothing is drawn past the ledger, and nothing in private code knows another source of randomness."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import crypsis
from crypsis.errors import InternalError
from crypsis.noise import ExactNoise, MeteredNoise
from crypsis.verifiers.run_ledger import check_run_ledger

PACKAGE = Path(crypsis.__file__).parent
PRIVATE = [
    *sorted((PACKAGE / "noise").glob("*.py")),
    *sorted((PACKAGE / "ledger").glob("*.py")),
    PACKAGE / "methods" / "private_method.py",
    *(
        PACKAGE / "methods" / "trajectory" / f"{name}.py"
        for name in (
            "safe_path",
            "safe_path_budgets",
            "noisy_prefix_tree",
            "prefix_consistency",
            "timed_visits",
            "value_ranges",
        )
    ),
    PACKAGE / "kernels" / "tree_growth.py",
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
