"""The verdict on a private release: nothing is wrong with its form, and what was spent on it adds up."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Protocol

from crypsis.guarantees import DifferentialPrivacy, Verdict
from crypsis.parameters import exact_number
from crypsis.verifiers.run_ledger import check_run_ledger, ledger_digest

_TOLD = ("epsilon", "spent", "accounting", "ledger_digest", "noise", "exactness", "dataset_ledger")


class Accounted(Protocol):
    """Published data that tell what was spent on them."""

    @property
    def budget(self) -> Mapping[str, Any]: ...

    @property
    def ledger(self) -> Mapping[str, Any] | None: ...

    @property
    def unpublishable(self) -> str | None: ...


def verdict_on(published: Accounted, promised: DifferentialPrivacy, problem_with_form: str | None, how: str) -> Verdict:
    """The verdict, with the ledger of the run where the publisher gave it; `how` says how the form was checked."""
    problem, spent = _problem_with_budget(published, promised)
    problem = problem_with_form or problem
    if published.ledger is not None and problem is None:
        problem = _problem_with_ledger(published, spent)
        how += ", adding up the ledger of the run again"
    return Verdict(
        promised,
        problem is None,
        float(spent),
        float(promised.epsilon),
        how,
        problem=problem,
        figures={
            "spent": str(spent),
            "allowed": str(promised.epsilon),
            "dataset": published.budget.get("dataset"),
            "dataset_ledger": str(published.budget.get("dataset_ledger")),
        },
    )


def _problem_with_budget(published: Accounted, promised: DifferentialPrivacy) -> tuple[str | None, Fraction]:
    """What is wrong with what a release tells about its budget, and what it spent."""
    if published.unpublishable is not None:
        return f"it must not be published: {published.unpublishable}.", promised.epsilon
    missing = [name for name in _TOLD if not published.budget.get(name)]
    if missing:
        return f"the release does not tell its {', '.join(missing)}.", promised.epsilon
    try:
        spent, allowed = exact_number(published.budget["spent"]), exact_number(published.budget["epsilon"])
    except (TypeError, ValueError, ZeroDivisionError):
        return "the release tells its budget in a way that is not understood.", promised.epsilon
    if allowed != promised.epsilon:
        return f"the run was allowed {allowed}, the promise is {promised.epsilon}.", spent
    if not 0 <= spent <= allowed:
        return f"{spent} was spent, {allowed} is allowed.", spent
    return None, spent


def _problem_with_ledger(published: Accounted, spent: Fraction) -> str | None:
    """What is wrong with the ledger of the run, which is added up again."""
    assert published.ledger is not None
    try:
        ledger, key = published.ledger["ledger"], published.ledger["key"]
        digest = ledger_digest(ledger, key)
    except (KeyError, TypeError, ValueError):
        return "the ledger of the run is not understood."
    if digest != published.budget["ledger_digest"]:
        return "the ledger is not the one of this release: its digest differs."
    found = check_run_ledger(ledger)
    if not found.holds:
        return f"the ledger of the run is not sound: {found.error}."
    if found.spent != spent or exact_number(ledger["epsilon"]) != exact_number(published.budget["epsilon"]):
        return f"the ledger adds up to {found.spent}, the release says {spent}."
    return None
