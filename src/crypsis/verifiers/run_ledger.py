"""Add up the ledger of a run from what was stored of it, with no code of those who kept it.

A ledger is `{"epsilon": total, "root": scope}`. A scope is a call, members one after another (`seq`), or members on
disjoint records (`par`, with the reason in `disjoint_by`). Calls in sequence add up, of parallel ones the largest
counts.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from crypsis.parameters import exact_number


@dataclass(frozen=True)
class LedgerCheck:
    """Whether a ledger is sound and stays within its epsilon; `spent` is None where it is not sound."""

    holds: bool
    spent: Fraction | None
    calls: int = 0
    error: str | None = None


class _Unsound(Exception):
    pass


def check_run_ledger(ledger: Mapping[str, Any]) -> LedgerCheck:
    """Recompute the total. Every call needs a positive epsilon and sensitivity, every parallel scope its reason."""
    try:
        spent, calls = _total(ledger["root"])
        allowed = exact_number(ledger["epsilon"])
    except _Unsound as problem:
        return LedgerCheck(False, None, error=str(problem))
    except (KeyError, TypeError, ValueError, ZeroDivisionError, AttributeError):
        return LedgerCheck(False, None, error="not a ledger")
    return LedgerCheck(spent <= allowed, spent, calls, None if spent <= allowed else "more was spent than allowed")


def ledger_digest(ledger: Mapping[str, Any], key: str) -> str:
    """HMAC-SHA-256 of the stored ledger, as a release shows it."""
    text = json.dumps(ledger, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hmac.new(bytes.fromhex(key), text.encode(), hashlib.sha256).hexdigest()


def _total(scope: Mapping[str, Any]) -> tuple[Fraction, int]:
    if "call" in scope:
        return _of_call(scope["call"])
    if "seq" in scope:
        parts = [_total(member) for member in scope["seq"]]
        return sum((spent for spent, _ in parts), Fraction(0)), sum(calls for _, calls in parts)
    parts = [_total(member) for member in scope["par"]]
    if not scope.get("disjoint_by"):
        raise _Unsound("parallel scope without a disjointness argument")
    return max((spent for spent, _ in parts), default=Fraction(0)), sum(calls for _, calls in parts)


def _number(told: Any) -> Fraction:
    return Fraction(told) if isinstance(told, int) else exact_number(told)


def _of_call(call: Mapping[str, Any]) -> tuple[Fraction, int]:
    epsilon, sensitivity, count = _number(call["epsilon"]), _number(call["sensitivity"]), int(call.get("count", 1))
    if epsilon <= 0:
        raise _Unsound("negative epsilon")
    if sensitivity <= 0 or (call["mechanism"] == "dlaplace" and sensitivity != sensitivity.__floor__()):
        raise _Unsound("wrong sensitivity")
    if count > 1 and not call.get("disjoint_by"):
        raise _Unsound("parallel scope without a disjointness argument")
    if count < 0:
        raise _Unsound("negative count")
    return (epsilon if count else Fraction(0)), count
