"""Check several promises about one table: all must hold, and the first that does not is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crypsis.data.relational import PublishedTable, Table
from crypsis.guarantees import AllOf, Guarantee, KAnonymity, LDiversity, TCloseness, Verdict
from crypsis.verifiers.k_anonymity import sound_classes, verify_k_anonymity
from crypsis.verifiers.l_diversity import verify_l_diversity
from crypsis.verifiers.t_closeness import verify_t_closeness

_VERIFIERS: dict[type[Guarantee], Callable[..., Verdict]] = {
    KAnonymity: verify_k_anonymity,
    LDiversity: verify_l_diversity,
    TCloseness: verify_t_closeness,
}


def verify_all_of(published: PublishedTable, promised: AllOf, original: Table | None = None) -> Verdict:
    """Each promise by its own verifier, on the same classes; the level reached is that of the first promise."""
    first = promised.parts[0]
    required: Any = getattr(first, "k", None) or getattr(first, "l", None) or getattr(first, "t", 0)
    unit = "person" if any(getattr(part, "unit", "") == "person" for part in promised.parts) else "record"
    classes, broken = sound_classes(published, promised, unit, required, original)
    if broken is not None:
        return broken
    verdicts = [_VERIFIERS[type(part)](published, part, original, classes) for part in promised.parts]
    figures: dict[str, Any] = dict(classes.figures)
    figures["promises"] = [
        {
            "model": verdict.promised.model,
            "holds": verdict.holds,
            "achieved": verdict.achieved,
            "required": verdict.required,
        }
        for verdict in verdicts
    ]
    worst = next((verdict for verdict in verdicts if not verdict.holds), verdicts[0])
    counted = "; ".join(dict.fromkeys(verdict.counted for verdict in verdicts))
    return Verdict(
        promised,
        all(verdict.holds for verdict in verdicts),
        worst.achieved,
        worst.required,
        counted,
        worst.witness,
        worst.problem if worst.problem is None else f"{worst.promised.model}: {worst.problem}",
        figures,
    )
