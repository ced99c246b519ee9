"""Recount sequence k-anonymity: for every published sequence, who has it in the original or in the published data."""

from __future__ import annotations

import numpy as np

from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import NotApplicable, OriginalRequired
from crypsis.guarantees import SequenceKAnonymity, Verdict
from crypsis.verifiers.published_sequences import PublishedSequences, counted
from crypsis.verifiers.rows_of_owners import owner_with_too_many, row_of_nobody


def verify_sequence_k_anonymity(
    published: PublishedTrajectories, promised: SequenceKAnonymity, original: Trajectories | None = None
) -> Verdict:
    """Count each distinct published row: k individuals in the original, or else k in the published data.

    Without the original only the second can be counted. That suffices where it succeeds, and for `strict`, which asks
    for it; otherwise the original is required.
    """
    if original is None:
        return _from_published_alone(published, promised)
    if promised.unit == "owner" and original.owners is None:
        raise NotApplicable("Owners are to be counted; give the original with the owner of each trajectory.")
    sequences = PublishedSequences.of(published, original)
    k, how = promised.k, "every distinct published trajectory was looked for in the original and in the published data"
    in_original = sequences.original_support(original, original.groups(promised.unit))
    if promised.unit == "owner" and published.owners is None:
        if promised.strict or (in_original < k).any():
            raise NotApplicable(
                "Published rows do not say whose they are, so the owners who share a published sequence can only be "
                "counted by the publisher, before the release is written."
            )
        in_published = np.zeros(len(sequences), np.int64)
    else:
        if promised.unit == "owner":
            problem = _wrong_owner(sequences, published, original)
            if problem is not None:
                return Verdict(
                    promised, False, None, k, "rows were compared with the originals of their owners", problem=problem
                )
            how += ", and each row in an original of its owner"
        in_published = sequences.published_support(published.groups(promised.unit))
    breaks = (in_published < k) & ((in_original < k) | promised.strict)
    if not breaks.any():
        shown = in_published if promised.strict else np.maximum(in_original, in_published)
        return Verdict(promised, True, int(shown.min()) if len(shown) else None, k, how)
    first, witness = sequences.witness(breaks, np.minimum(in_original, in_published))
    found = (int(in_original[first]), int(in_published[first]))
    problem = (
        f"{witness} is contained in {counted(found[0], promised.unit, 'original')} and "
        f"{counted(found[1], promised.unit, 'published')}, {k} are required."
    )
    figures = {"support_original": found[0], "support_published": found[1]}
    return Verdict(promised, False, witness.support, k, how, witness, problem, figures)


def _wrong_owner(sequences: PublishedSequences, published: PublishedTrajectories, original: Trajectories) -> str | None:
    """What stands against the owners that the published rows are said to have."""
    assert published.owners is not None
    assert original.owners is not None
    row = row_of_nobody(
        sequences.all_offsets,
        sequences.all_codes,
        published.owners,
        published.input_rows,
        original.offsets,
        sequences.original_codes,
        original.owners,
    )
    if row is not None:
        return (
            f"Row {row} is said to be of an owner who has no original trajectory with these visits, "
            "so owners cannot be counted."
        )
    if owner_with_too_many(published.owners, original.owners):
        return "Somebody is said to own more published rows than original trajectories, so owners cannot be counted."
    return None


def _from_published_alone(published: PublishedTrajectories, promised: SequenceKAnonymity) -> Verdict:
    if promised.unit == "owner" and published.owners is None:
        raise OriginalRequired(
            "Published rows do not say whose they are, so owners can only be counted with the original data; "
            "give it (original=DATA)."
        )
    sequences = PublishedSequences.of(published, None)
    k, how = promised.k, "every distinct published trajectory was looked for in the published data"
    support = sequences.published_support(published.groups(promised.unit))
    breaks = support < k
    if not breaks.any():
        return Verdict(promised, True, int(support.min()) if len(support) else None, k, how)
    first, witness = sequences.witness(breaks, support)
    words = f"{witness} is contained in {counted(int(support[first]), promised.unit, 'published')}"
    if not promised.strict:
        raise OriginalRequired(
            f"Not established: {words}, fewer than {k}. Whether {k} original ones contain it, only the original "
            "data show; give it (original=DATA)."
        )
    figures = {"support_published": int(support[first])}
    return Verdict(promised, False, witness.support, k, how, witness, f"{words}, {k} are required.", figures)
