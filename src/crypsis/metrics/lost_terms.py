"""tlost: the frequent terms that a disassociated release keeps in term chunks only.

Terrovitis, Liagouris, Mamoulis, Skiadopoulos. Privacy preservation by disassociation. PVLDB 5, 2012, 944-955: tlost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.transaction import Transactions
from crypsis.errors import NotApplicable
from crypsis.metrics.figure import SHARE, Figure, Measured
from crypsis.metrics.metric import Metric


@dataclass(frozen=True)
class LostTerms(Measured):
    """Both are None where no term of the original is in more than k records."""

    terms: Annotated[
        float | None,
        Figure(
            "tlost_loss",
            "Frequent terms lost",
            "Share of the terms in more than k records that the release has in term chunks only.",
            unit=SHARE,
            abbreviation="tlost",
            rank=4,
        ),
    ]
    occurrences: Annotated[
        float | None,
        Figure(
            "tlost_occurrences_loss",
            "Occurrences hidden",
            "Share of the occurrences of terms in more than k records that term chunks hide.",
            unit=SHARE,
        ),
    ]


def lost_terms(original: Transactions, published: DisassociatedTransactions) -> LostTerms:
    """Share of the terms in more than k records that no chunk shows, and share of their occurrences in term chunks.

    0 is best, 1 worst.
    """
    if not isinstance(published, DisassociatedTransactions):
        raise NotApplicable(f"lost_terms reads disassociated transactions, got {type(published).__name__}.")
    visible = np.zeros(len(original.vocabulary), np.int64)
    code = published.vocabulary.encode(original.vocabulary.series)
    visible[code >= 0] = published.visible_supports[code[code >= 0]]
    frequent = original.supports > published.k
    if not frequent.any():
        return LostTerms(None, None)
    supports, seen = original.supports[frequent], visible[frequent]
    return LostTerms(float(np.mean(seen == 0)), float(1 - seen.sum() / supports.sum()))


class TlostLoss(Metric):
    """tlost: share of the frequent terms that are in term chunks only."""

    name = "tlost_loss"
    former_name = "lost_terms"
    measure = staticmethod(lost_terms)
