"""Verifiers, one file per guarantee. They recount a promise from the published data, with no code of the methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import NotApplicable
from crypsis.guarantees import Guarantee, KmAnonymity, Verdict
from crypsis.verifiers.km_anonymity import verify_km_anonymity

# (the promise, the published kind): (its verifier, the kind of the original)
VERIFIERS: dict[tuple[type[Guarantee], type], tuple[Callable[..., Verdict], type]] = {
    (KmAnonymity, PublishedTrajectories): (verify_km_anonymity, Trajectories),
}

__all__ = ["VERIFIERS", "verify", "verify_km_anonymity"]


def verify(published: Any, guarantee: Guarantee, original: Any = None) -> Verdict:
    """Check published data against a guarantee; with the original also that they are its honest recoding."""
    found = VERIFIERS.get((type(guarantee), type(published)))
    if found is None:
        raise NotApplicable(f"{guarantee.model} cannot be checked on {type(published).__name__}.")
    verifier, original_kind = found
    if original is not None and not isinstance(original, original_kind):
        raise NotApplicable(f"The original must be {original_kind.__name__}, got {type(original).__name__}.")
    return verifier(published, guarantee, original)
