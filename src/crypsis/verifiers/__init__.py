"""Verifiers, one file per guarantee. They recount a promise from the published data, with no code of the methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crypsis.data.counted_regions import CountedRegions
from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.data.relational import PublishedTable, Table
from crypsis.data.stream import Events
from crypsis.data.synthetic import SyntheticTrajectories
from crypsis.data.synthetic_sets import SyntheticTransactions
from crypsis.data.track import Tracks
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.data.windows import PublishedWindows
from crypsis.errors import NotApplicable
from crypsis.guarantees import (
    ConstrainedKmAnonymity,
    DifferentialPrivacy,
    DisassociationAnonymity,
    Guarantee,
    ItemsetDiversity,
    ItemsetKmAnonymity,
    KAnonymity,
    KKmAnonymity,
    KlmAnonymity,
    KLmDiversity,
    KmAnonymity,
    LDiversity,
    LKCPrivacy,
    PatternPreservingKAnonymity,
    PolicyAnonymity,
    SequenceKAnonymity,
    TCloseness,
    Together,
    Verdict,
)
from crypsis.verifiers.counted_regions import verify_counted_regions
from crypsis.verifiers.disassociation import verify_disassociation
from crypsis.verifiers.itemset_diversity import verify_itemset_diversity
from crypsis.verifiers.itemset_km_anonymity import verify_itemset_km_anonymity
from crypsis.verifiers.k_anonymity import verify_k_anonymity
from crypsis.verifiers.kkm_anonymity import verify_kkm_anonymity, verify_klm_diversity
from crypsis.verifiers.klm_anonymity import verify_klm_anonymity
from crypsis.verifiers.km_anonymity import verify_km_anonymity
from crypsis.verifiers.known_times import problem_of_times, verify_known_times
from crypsis.verifiers.l_diversity import verify_l_diversity
from crypsis.verifiers.lkc_privacy import verify_lkc_privacy
from crypsis.verifiers.pattern_preserving_k_anonymity import verify_pattern_preserving_k_anonymity
from crypsis.verifiers.policy_anonymity import verify_policy_anonymity
from crypsis.verifiers.safe_representatives import verify_generalized_tracks
from crypsis.verifiers.sequence_k_anonymity import verify_sequence_k_anonymity
from crypsis.verifiers.synthetic_sets import verify_synthetic_transactions
from crypsis.verifiers.synthetic_trajectories import verify_synthetic_trajectories
from crypsis.verifiers.t_closeness import verify_t_closeness
from crypsis.verifiers.together import verify_together
from crypsis.verifiers.utility_constraints import verify_constrained_km_anonymity

# (the promise, the published kind): (its verifier, the kind of the original)
VERIFIERS: dict[tuple[type[Guarantee], type], tuple[Callable[..., Verdict], type]] = {
    (KmAnonymity, PublishedTrajectories): (verify_km_anonymity, Trajectories),
    (KlmAnonymity, PublishedTrajectories): (verify_klm_anonymity, Trajectories),
    (ConstrainedKmAnonymity, PublishedTrajectories): (verify_constrained_km_anonymity, Trajectories),
    (SequenceKAnonymity, PublishedTrajectories): (verify_sequence_k_anonymity, Trajectories),
    (PatternPreservingKAnonymity, PublishedTrajectories): (verify_pattern_preserving_k_anonymity, Trajectories),
    (DifferentialPrivacy, SyntheticTrajectories): (verify_synthetic_trajectories, Events),
    (DifferentialPrivacy, CountedRegions): (verify_counted_regions, Table),
    (DifferentialPrivacy, SyntheticTransactions): (verify_synthetic_transactions, Transactions),
    (KAnonymity, PublishedTable): (verify_k_anonymity, Table),
    (LDiversity, PublishedTable): (verify_l_diversity, Table),
    (TCloseness, PublishedTable): (verify_t_closeness, Table),
    (Together, PublishedTable): (verify_together, Table),
    (KKmAnonymity, PublishedMixed): (verify_kkm_anonymity, Mixed),
    (KLmDiversity, PublishedMixed): (verify_klm_diversity, Mixed),
    (ItemsetKmAnonymity, PublishedTransactions): (verify_itemset_km_anonymity, Transactions),
    (ItemsetDiversity, PublishedTransactions): (verify_itemset_diversity, Transactions),
    (PolicyAnonymity, PublishedTransactions): (verify_policy_anonymity, Transactions),
    (DisassociationAnonymity, DisassociatedTransactions): (verify_disassociation, Transactions),
    (LKCPrivacy, PublishedWindows): (verify_lkc_privacy, Events),
}

__all__ = [
    "VERIFIERS",
    "verify",
    "verify_constrained_km_anonymity",
    "verify_counted_regions",
    "verify_disassociation",
    "verify_generalized_tracks",
    "verify_itemset_diversity",
    "verify_itemset_km_anonymity",
    "verify_k_anonymity",
    "verify_kkm_anonymity",
    "verify_klm_anonymity",
    "verify_klm_diversity",
    "verify_km_anonymity",
    "verify_l_diversity",
    "verify_lkc_privacy",
    "verify_pattern_preserving_k_anonymity",
    "verify_policy_anonymity",
    "verify_sequence_k_anonymity",
    "verify_synthetic_trajectories",
    "verify_synthetic_transactions",
    "verify_t_closeness",
    "verify_together",
]


def verify(published: Any, guarantee: Guarantee, original: Any = None) -> Verdict:
    """Check published data against a guarantee; with the original also that they are its honest recoding."""
    found = VERIFIERS.get((type(guarantee), type(published)))
    if found is None:
        raise NotApplicable(f"{guarantee.model} cannot be checked on {type(published).__name__}.")
    verifier, original_kind = found
    if original is not None and isinstance(published, PublishedTrajectories):
        published = published.beside(original)
    if isinstance(original, Tracks) and getattr(published, "places", None) is not None:
        return verify_generalized_tracks(published, guarantee, original, verifier)
    if original is not None and not isinstance(original, original_kind):
        raise NotApplicable(f"The original must be {original_kind.__name__}, got {type(original).__name__}.")
    if isinstance(published, PublishedTrajectories):
        problem = problem_of_times(published, guarantee, original)
        if problem is not None:
            required = getattr(guarantee, "k", 1)
            return Verdict(guarantee, False, None, required, "places and times were compared", problem=problem)
    verdict = verifier(published, guarantee, original)
    return verify_known_times(verdict, published, original) if getattr(published, "timed", None) else verdict
