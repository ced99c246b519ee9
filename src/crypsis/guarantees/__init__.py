"""Promises, one file each. `GUARANTEES` lists them by the name that a manifest uses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from crypsis.errors import BadConstraints, BadParameter, BadPolicy, BadRelease, BadSensitiveValues, did_you_mean
from crypsis.guarantees.constrained_km_anonymity import ConstrainedKmAnonymity
from crypsis.guarantees.differential_privacy import DifferentialPrivacy
from crypsis.guarantees.disassociation import DisassociationAnonymity
from crypsis.guarantees.guarantee import Guarantee
from crypsis.guarantees.itemset_diversity import ItemsetDiversity
from crypsis.guarantees.itemset_km_anonymity import ItemsetKmAnonymity
from crypsis.guarantees.k_anonymity import KAnonymity
from crypsis.guarantees.kkm_anonymity import KKmAnonymity
from crypsis.guarantees.klm_anonymity import KlmAnonymity
from crypsis.guarantees.klm_diversity import KLmDiversity
from crypsis.guarantees.km_anonymity import KmAnonymity
from crypsis.guarantees.l_diversity import LDiversity
from crypsis.guarantees.lkc_privacy import LKCPrivacy
from crypsis.guarantees.pattern_preserving_k_anonymity import PatternPreservingKAnonymity
from crypsis.guarantees.policy_anonymity import PolicyAnonymity
from crypsis.guarantees.sequence_k_anonymity import SequenceKAnonymity
from crypsis.guarantees.t_closeness import TCloseness
from crypsis.guarantees.together import Promises, Together
from crypsis.guarantees.verdict import Verdict, Witness

GUARANTEES: dict[str, type[Guarantee]] = {
    guarantee.model: guarantee
    for guarantee in (
        KmAnonymity,
        ConstrainedKmAnonymity,
        KlmAnonymity,
        SequenceKAnonymity,
        PatternPreservingKAnonymity,
        KAnonymity,
        LDiversity,
        TCloseness,
        Together,
        KKmAnonymity,
        KLmDiversity,
        DisassociationAnonymity,
        ItemsetKmAnonymity,
        ItemsetDiversity,
        PolicyAnonymity,
        LKCPrivacy,
        DifferentialPrivacy,
    )
}

__all__ = [
    "GUARANTEES",
    "ConstrainedKmAnonymity",
    "DifferentialPrivacy",
    "DisassociationAnonymity",
    "Guarantee",
    "ItemsetDiversity",
    "ItemsetKmAnonymity",
    "KAnonymity",
    "KKmAnonymity",
    "KLmDiversity",
    "KlmAnonymity",
    "KmAnonymity",
    "LDiversity",
    "LKCPrivacy",
    "PatternPreservingKAnonymity",
    "PolicyAnonymity",
    "Promises",
    "SequenceKAnonymity",
    "TCloseness",
    "Together",
    "Verdict",
    "Witness",
    "guarantee_from_dict",
    "guarantee_named",
]


def guarantee_from_dict(described: Mapping[str, Any]) -> Guarantee:
    """The guarantee that a manifest describes."""
    model = described.get("model")
    if model not in GUARANTEES:
        raise BadRelease(f"The manifest names the unknown guarantee {model!r}; known are {', '.join(GUARANTEES)}.")
    parameters = described.get("parameters")
    if not isinstance(parameters, dict):
        raise BadRelease(f"The manifest gives no parameters for {model}.")
    try:
        return GUARANTEES[model].from_parameters(parameters)
    except (TypeError, BadConstraints, BadParameter, BadPolicy, BadSensitiveValues) as error:
        raise BadRelease(f"The manifest gives wrong parameters for {model}: {error}.") from error


def guarantee_named(name: str) -> type[Guarantee]:
    """The guarantee with this name; `km-anonymity` may be typed for `k^m-anonymity`, and so on."""
    typed = {
        re.sub(r"[^\w-]", "", model.replace(" ", "-")): guarantee for model, guarantee in GUARANTEES.items()
    } | GUARANTEES
    if name not in typed:
        raise BadParameter(f"There is no model {name!r}; known are {', '.join(GUARANTEES)}.{did_you_mean(name, typed)}")
    return typed[name]
