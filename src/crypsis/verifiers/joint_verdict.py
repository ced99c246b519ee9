"""One verdict on several promises about the same data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from crypsis.guarantees import AllOf, Guarantee, Verdict


def joint_verdict(promised: AllOf, verdicts: Sequence[Verdict], figures: Mapping[str, Any]) -> Verdict:
    """All must hold; the first that does not is told, else the level reached is that of the first promise."""
    worst = next((verdict for verdict in verdicts if not verdict.holds), verdicts[0])
    promises = [
        {
            "model": verdict.promised.model,
            "holds": verdict.holds,
            "achieved": verdict.achieved,
            "required": verdict.required,
        }
        for verdict in verdicts
    ]
    return Verdict(
        promised,
        all(verdict.holds for verdict in verdicts),
        worst.achieved,
        worst.required,
        "; ".join(dict.fromkeys(verdict.counted for verdict in verdicts)),
        worst.witness,
        None if worst.problem is None else f"{worst.promised.model}: {worst.problem}",
        {**figures, "promises": promises},
    )


def first_required(promised: Guarantee) -> Any:
    """The level that a promise about classes of a table asks for."""
    return getattr(promised, "k", None) or getattr(promised, "l", None) or getattr(promised, "t", 0)
