"""Recount pattern-preserving k-anonymity: for every published sequence, who has it in the original data."""

from __future__ import annotations

from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import NotApplicable, OriginalRequired
from crypsis.guarantees import PatternPreservingKAnonymity, Verdict
from crypsis.verifiers.published_sequences import PublishedSequences, counted

LOOKED_FOR = "every distinct published trajectory was looked for in the original"


def original_required(promised: PatternPreservingKAnonymity) -> OriginalRequired:
    """The refusal to verify published rows alone."""
    return OriginalRequired(
        f"{promised.model} is a guarantee about the original data, and published rows need not be true; "
        "give the original (original=DATA)."
    )


def verify_pattern_preserving_k_anonymity(
    published: PublishedTrajectories, promised: PatternPreservingKAnonymity, original: Trajectories | None = None
) -> Verdict:
    """Count the original individuals that contain each distinct published row."""
    if original is None:
        raise original_required(promised)
    if promised.unit == "owner" and original.owners is None:
        raise NotApplicable("Owners are to be counted; give the original with the owner of each trajectory.")
    sequences = PublishedSequences.of(published, original)
    k, how = promised.k, LOOKED_FOR
    support = sequences.original_support(original, original.groups(promised.unit))
    breaks = support < k
    if not breaks.any():
        return Verdict(promised, True, int(support.min()) if len(support) else None, k, how)
    first, witness = sequences.witness(breaks, support)
    problem = f"{witness} is contained in {counted(int(support[first]), promised.unit, 'original')}, {k} are required."
    figures = {"support_original": int(support[first])}
    return Verdict(promised, False, witness.support, k, how, witness, problem, figures)
