"""Promises, one file each. `GUARANTEES` lists them by the name that a manifest uses."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from crypsis.errors import BadParameter, BadRelease, CrypsisError, MissingParameters, did_you_mean
from crypsis.guarantees.all_of import AllOf, Promises
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
        AllOf,
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
    "AllOf",
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
    "Verdict",
    "Witness",
    "guarantee_from_dict",
    "guarantee_named",
]


def guarantee_from_dict(described: Mapping[str, Any]) -> Guarantee:
    """The guarantee that a manifest describes; what it says beside the parameters must have the form of `to_dict`."""
    model = described.get("model")
    if not isinstance(model, str) or model not in GUARANTEES:
        raise BadRelease(
            f"The manifest names the unknown guarantee {str(model)[:80]!r}; known are {', '.join(GUARANTEES)}."
        )
    parameters = described.get("parameters")
    if not isinstance(parameters, dict):
        raise MissingParameters(f"The manifest gives no parameters for {model}.")
    unknown = sorted(set(described) - {"model", "parameters", *_TOLD})
    if unknown:
        raise BadRelease(f"The manifest says {unknown[0][:40]!r} of {model}, which no guarantee has.")
    for name, is_told in _TOLD.items():
        if name in described and not is_told(described[name]):
            raise BadRelease(f"The manifest tells {name} of {model} in a form that is not understood.")
    try:
        return GUARANTEES[model].from_parameters(parameters)
    except BadRelease:
        raise
    except _WRONG_PARAMETERS as error:
        raise BadRelease(f"The manifest gives wrong parameters for {model}: {error}.") from error


def _is_sentences(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(sentence, str) for sentence in value)


# What `to_dict` tells beside model and parameters, and how to see that it is in its form
_TOLD: dict[str, Callable[[Any], bool]] = {
    "scope": lambda value: isinstance(value, str),
    "assumptions": _is_sentences,
    "not_covered": _is_sentences,
    "recountable": _is_sentences,
    "publisher_only": _is_sentences,
    "trivial": lambda value: isinstance(value, bool),
}
_WRONG_PARAMETERS = (CrypsisError, TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError)


def guarantee_named(name: str) -> type[Guarantee]:
    """The guarantee with this name; `km-anonymity` may be typed for `k^m-anonymity`, and so on."""
    typed = {
        re.sub(r"[^\w-]", "", model.replace(" ", "-")): guarantee for model, guarantee in GUARANTEES.items()
    } | GUARANTEES
    if name not in typed:
        raise BadParameter(f"There is no model {name!r}; known are {', '.join(GUARANTEES)}.{did_you_mean(name, typed)}")
    return typed[name]
