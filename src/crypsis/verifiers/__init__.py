"""Verifiers, one file per guarantee. They recount a promise from the published data, with no code of the methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crypsis.data.stream import Events
from crypsis.data.track import Tracks
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.data.windows import PublishedWindows
from crypsis.errors import NotApplicable
from crypsis.guarantees import (
    ConstrainedKmAnonymity,
    Guarantee,
    KlmAnonymity,
    KmAnonymity,
    LKCPrivacy,
    PatternPreservingKAnonymity,
    SequenceKAnonymity,
    Verdict,
)
from crypsis.verifiers.klm_anonymity import verify_klm_anonymity
from crypsis.verifiers.km_anonymity import verify_km_anonymity
from crypsis.verifiers.lkc_privacy import verify_lkc_privacy
from crypsis.verifiers.pattern_preserving_k_anonymity import verify_pattern_preserving_k_anonymity
from crypsis.verifiers.safe_representatives import verify_generalized_tracks
from crypsis.verifiers.sequence_k_anonymity import verify_sequence_k_anonymity
from crypsis.verifiers.utility_constraints import verify_constrained_km_anonymity

# (the promise, the published kind): (its verifier, the kind of the original)
VERIFIERS: dict[tuple[type[Guarantee], type], tuple[Callable[..., Verdict], type]] = {
    (KmAnonymity, PublishedTrajectories): (verify_km_anonymity, Trajectories),
    (KlmAnonymity, PublishedTrajectories): (verify_klm_anonymity, Trajectories),
    (ConstrainedKmAnonymity, PublishedTrajectories): (verify_constrained_km_anonymity, Trajectories),
    (SequenceKAnonymity, PublishedTrajectories): (verify_sequence_k_anonymity, Trajectories),
    (PatternPreservingKAnonymity, PublishedTrajectories): (verify_pattern_preserving_k_anonymity, Trajectories),
    (LKCPrivacy, PublishedWindows): (verify_lkc_privacy, Events),
}

__all__ = [
    "VERIFIERS",
    "verify",
    "verify_constrained_km_anonymity",
    "verify_generalized_tracks",
    "verify_klm_anonymity",
    "verify_km_anonymity",
    "verify_lkc_privacy",
    "verify_pattern_preserving_k_anonymity",
    "verify_sequence_k_anonymity",
]


def verify(published: Any, guarantee: Guarantee, original: Any = None) -> Verdict:
    """Check published data against a guarantee; with the original also that they are its honest recoding."""
    found = VERIFIERS.get((type(guarantee), type(published)))
    if found is None:
        raise NotApplicable(f"{guarantee.model} cannot be checked on {type(published).__name__}.")
    verifier, original_kind = found
    if isinstance(original, Tracks) and published.places is not None:
        return verify_generalized_tracks(published, guarantee, original, verifier)
    if original is not None and not isinstance(original, original_kind):
        raise NotApplicable(f"The original must be {original_kind.__name__}, got {type(original).__name__}.")
    return verifier(published, guarantee, original)
