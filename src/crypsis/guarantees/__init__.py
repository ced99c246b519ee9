"""Promises, one file each. `GUARANTEES` lists them by the name that a manifest uses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crypsis.errors import BadRelease
from crypsis.guarantees.guarantee import Guarantee
from crypsis.guarantees.km_anonymity import KmAnonymity
from crypsis.guarantees.verdict import Verdict, Witness

GUARANTEES: dict[str, type[Guarantee]] = {guarantee.model: guarantee for guarantee in (KmAnonymity,)}

__all__ = ["GUARANTEES", "Guarantee", "KmAnonymity", "Verdict", "Witness", "guarantee_from_dict"]


def guarantee_from_dict(described: Mapping[str, Any]) -> Guarantee:
    """The guarantee that a manifest describes."""
    model = described.get("model")
    if model not in GUARANTEES:
        raise BadRelease(f"The manifest names the unknown guarantee {model!r}; known are {', '.join(GUARANTEES)}.")
    parameters = described.get("parameters")
    if not isinstance(parameters, dict):
        raise BadRelease(f"The manifest gives no parameters for {model}.")
    try:
        return GUARANTEES[model](**parameters)
    except TypeError as error:
        raise BadRelease(f"The manifest gives wrong parameters for {model}: {error}.") from error
