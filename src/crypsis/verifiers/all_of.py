"""Check several promises about one table: all must hold, and the first that does not is told."""

from __future__ import annotations

from collections.abc import Callable

from crypsis.data.relational import PublishedTable, Table
from crypsis.guarantees import AllOf, Guarantee, KAnonymity, LDiversity, TCloseness, Verdict
from crypsis.verifiers.joint_verdict import first_required, joint_verdict
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
    unit = "person" if any(getattr(part, "unit", "") == "person" for part in promised.parts) else "record"
    classes, broken = sound_classes(published, promised, unit, first_required(promised.parts[0]), original)
    if broken is not None:
        return broken
    verdicts = [_VERIFIERS[type(part)](published, part, original, classes) for part in promised.parts]
    return joint_verdict(promised, verdicts, classes.figures)
