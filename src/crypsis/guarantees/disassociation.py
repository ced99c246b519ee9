"""Disassociation: for whatever m terms an adversary knows, some possible original has k records with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from crypsis.guarantees.guarantee import POOLED_KNOWLEDGE, Guarantee
from crypsis.parameters import AtLeast, OneOf


@dataclass(frozen=True, kw_only=True)
class DisassociationAnonymity(Guarantee):
    """For every set of 1 to m terms that fits any possible original, one possible original has it in k records.

    Terrovitis, Liagouris, Mamoulis, Skiadopoulos. Privacy preservation by disassociation. PVLDB 5, 2012, 944-955:
    Guarantee 1, with the conditions under which it is true (`level="strict"`) instead of the printed ones.
    """

    protects_from = (
        "Somebody knows up to m things that a person bought, searched or was diagnosed with. The records are cut "
        "into pieces, so that k records may have held all of them."
    )
    model = "disassociation-k^m"
    recounts = "That every chunk is k^m-anonymous, and how clusters and chunks are put together."
    from_original = ("That every chunk holds what the records of its cluster hold.",)
    assumptions = (
        "The adversary knows at most m terms of the victim's record.",
        "Each record is one individual.",
        "The adversary believes in every dataset that fits the published form, not only in those from which this "
        "algorithm would have made it.",
    )
    not_covered = (
        "How likely a possible original is: one with k candidates exists, nothing bounds the adversary's odds.",
        "Knowing the algorithm: a term of a term chunk occurred in fewer than k records of its cluster, and a term of "
        "a later chunk is rare together with something of an earlier one (the cover problem).",
        "Which terms occurred, how often those outside term chunks did, and how large clusters are: all published.",
        "Knowing that these are all terms of the victim, or that a term is absent.",
        POOLED_KNOWLEDGE,
    )

    k: Annotated[int, AtLeast(1), "Records that some possible original must have for each set of terms."] = 5
    m: Annotated[int, AtLeast(1), "Most terms of a record that the adversary may know."] = 2
    l: Annotated[  # noqa: E741 (its name in the literature)
        int | None, AtLeast(1), "At most one in l records of a cluster may hold the same sensitive term."
    ] = None
    level: Annotated[
        str,
        OneOf(strict="proven to suffice", paper="as in the article, which may fail"),
        "Which conditions hold: those that are proven to suffice, or those of the article, which do not.",
    ] = "strict"

    @property
    def scope(self) -> str:
        promise = (
            f"For every set of up to {self.m} terms that some possible original holds, there is a possible original "
            f"in which at least {self.k} records hold it."
        )
        if self.l is not None:
            promise += (
                f" Sensitive terms are linked to nothing else, and at most one in {self.l} records of a cluster holds "
                "the same one."
            )
        if self.level == "paper":
            promise += " Only the article's own conditions were checked; they do not always suffice."
        return promise

    def meaning_for(self, known: Sequence[str]) -> str:
        if self.m == 1:
            return f"Somebody who knows a term of a person cannot rule out that at least {self.k} records hold it."
        return (
            f"Somebody who knows up to {self.m} terms of a person cannot rule out that at least {self.k} records hold "
            "them all."
        )

    @property
    def trivial(self) -> bool:
        return self.k == 1 and self.l in (None, 1)
