"""Verifiers, one file per guarantee. They recount a promise from the published data, with no code of the methods.

A verifier is imported when it is first used; `crypsis.verifiers.verify_k_anonymity` and a look-up in `VERIFIERS` load
what that one needs and no other.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from crypsis.errors import BadParameter, NotApplicable
from crypsis.late_members import MembersByClass, imported

if TYPE_CHECKING:
    from crypsis.guarantees import Guarantee, Verdict

_MEMBERS = (  # the promise, the published kind, its verifier, the kind of the original
    (
        "km_anonymity.KmAnonymity",
        "trajectory.PublishedTrajectories",
        "km_anonymity.verify_km_anonymity",
        "trajectory.Trajectories",
    ),
    (
        "klm_anonymity.KlmAnonymity",
        "trajectory.PublishedTrajectories",
        "klm_anonymity.verify_klm_anonymity",
        "trajectory.Trajectories",
    ),
    (
        "constrained_km_anonymity.ConstrainedKmAnonymity",
        "trajectory.PublishedTrajectories",
        "utility_constraints.verify_constrained_km_anonymity",
        "trajectory.Trajectories",
    ),
    (
        "sequence_k_anonymity.SequenceKAnonymity",
        "trajectory.PublishedTrajectories",
        "sequence_k_anonymity.verify_sequence_k_anonymity",
        "trajectory.Trajectories",
    ),
    (
        "pattern_preserving_k_anonymity.PatternPreservingKAnonymity",
        "trajectory.PublishedTrajectories",
        "pattern_preserving_k_anonymity.verify_pattern_preserving_k_anonymity",
        "trajectory.Trajectories",
    ),
    (
        "differential_privacy.DifferentialPrivacy",
        "synthetic.SyntheticTrajectories",
        "synthetic_trajectories.verify_synthetic_trajectories",
        "stream.Events",
    ),
    (
        "differential_privacy.DifferentialPrivacy",
        "counted_regions.CountedRegions",
        "counted_regions.verify_counted_regions",
        "relational.Table",
    ),
    (
        "differential_privacy.DifferentialPrivacy",
        "synthetic_sets.SyntheticTransactions",
        "synthetic_sets.verify_synthetic_transactions",
        "transaction.Transactions",
    ),
    ("k_anonymity.KAnonymity", "relational.PublishedTable", "k_anonymity.verify_k_anonymity", "relational.Table"),
    ("l_diversity.LDiversity", "relational.PublishedTable", "l_diversity.verify_l_diversity", "relational.Table"),
    ("t_closeness.TCloseness", "relational.PublishedTable", "t_closeness.verify_t_closeness", "relational.Table"),
    ("all_of.AllOf", "relational.PublishedTable", "all_of.verify_all_of", "relational.Table"),
    ("kkm_anonymity.KKmAnonymity", "mixed.PublishedMixed", "kkm_anonymity.verify_kkm_anonymity", "mixed.Mixed"),
    ("klm_diversity.KLmDiversity", "mixed.PublishedMixed", "kkm_anonymity.verify_klm_diversity", "mixed.Mixed"),
    (
        "itemset_km_anonymity.ItemsetKmAnonymity",
        "transaction.PublishedTransactions",
        "itemset_km_anonymity.verify_itemset_km_anonymity",
        "transaction.Transactions",
    ),
    (
        "itemset_diversity.ItemsetDiversity",
        "transaction.PublishedTransactions",
        "itemset_diversity.verify_itemset_diversity",
        "transaction.Transactions",
    ),
    (
        "policy_anonymity.PolicyAnonymity",
        "transaction.PublishedTransactions",
        "policy_anonymity.verify_policy_anonymity",
        "transaction.Transactions",
    ),
    (
        "disassociation.DisassociationAnonymity",
        "disassociated.DisassociatedTransactions",
        "disassociation.verify_disassociation",
        "transaction.Transactions",
    ),
    ("lkc_privacy.LKCPrivacy", "windows.PublishedWindows", "lkc_privacy.verify_lkc_privacy", "stream.Events"),
)
_PLACES = {
    place.rpartition(".")[2]: f"{__name__}.{place}"
    for place in (*(verifier for _, _, verifier, _ in _MEMBERS), "safe_representatives.verify_generalized_tracks")
}


def _load(verifier: str, original: str) -> tuple[Callable[..., Verdict], type]:
    return imported(f"{__name__}.{verifier}"), imported(f"crypsis.data.{original}")


# (the promise, the published kind): (its verifier, the kind of the original)
VERIFIERS: MembersByClass[tuple[type[Guarantee], type], tuple[Callable[..., Verdict], type]] = MembersByClass(
    {
        (f"crypsis.guarantees.{promise}", f"crypsis.data.{published}"): partial(_load, verifier, original)
        for promise, published, verifier, original in _MEMBERS
    }
)

__all__ = ["VERIFIERS", "verify", *_PLACES]


def __getattr__(name: str) -> Any:
    """A verifier by the name of its function."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, imported(_PLACES[name]))


def __dir__() -> list[str]:
    return sorted(__all__)


def verify(published: Any, guarantee: Guarantee, original: Any = None) -> Verdict:
    """Check published data against a guarantee; with the original also that they are its honest recoding."""
    found = VERIFIERS.get((type(guarantee), type(published)))
    if found is None:
        if not hasattr(guarantee, "model"):
            raise BadParameter(
                f"verify: the guarantee must be one, such as crypsis.KAnonymity(k=5), got {type(guarantee).__name__}.",
                parameter="guarantee",
            )
        raise NotApplicable(f"{guarantee.model} cannot be checked on {type(published).__name__}.")
    verifier, original_kind = found
    if original_kind.__name__ == "Trajectories":
        return _verify_trajectories(published, guarantee, original, verifier)
    _refuse_other_kind(original, original_kind)
    return verifier(published, guarantee, original)


def _verify_trajectories(
    published: Any, guarantee: Guarantee, original: Any, verifier: Callable[..., Verdict]
) -> Verdict:
    """The same of trajectories, whose places and times are compared, too."""
    from crypsis.data.attached_times import in_published_times
    from crypsis.data.track import Tracks
    from crypsis.data.trajectory import Trajectories
    from crypsis.guarantees import Verdict
    from crypsis.verifiers.known_times import problem_of_times, verify_known_times
    from crypsis.verifiers.safe_representatives import verify_generalized_tracks

    if original is not None:
        published = published.with_original(original)
    if isinstance(original, Tracks) and getattr(published, "places", None) is not None:
        return verify_generalized_tracks(published, guarantee, original, verifier)
    _refuse_other_kind(original, Trajectories)
    if original is not None:
        original = in_published_times(original, published.timed)
    problem = problem_of_times(published, guarantee, original)
    if problem is not None:
        required = getattr(guarantee, "k", 1)
        return Verdict(guarantee, False, None, required, "places and times were compared", problem=problem)
    verdict = verifier(published, guarantee, original)
    return verify_known_times(verdict, published, original) if getattr(published, "timed", None) else verdict


def _refuse_other_kind(original: Any, kind: type) -> None:
    if original is not None and not isinstance(original, kind):
        raise NotApplicable(f"The original must be {kind.__name__}, got {type(original).__name__}.")
