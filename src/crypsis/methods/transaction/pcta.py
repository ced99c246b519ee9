"""PCTA: merge whichever two items make an unsafe itemset safer at the least loss, without hierarchy or utility policy.

Guarantees k^m-anonymity of itemsets, or a privacy policy. Costs a matrix of pair counts, and per merge the records of
the merged item; with the objective "dataset" also a look at the records of every candidate.

Gkoulalas-Divanis, Loukides. Knowledge and Information Systems 30, 2012; PAIS 2011.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from crypsis.hierarchy import UtilityPolicy
from crypsis.methods.transaction.policy_recoding import PolicyMethod


@dataclass(frozen=True, kw_only=True)
class PCTA(PolicyMethod):
    """Merge the two items that cost least, one of them from the most frequent unsafe itemset, until all are safe.

    Any item may be merged with any other unless a utility policy is given, so nothing needs to be left out. The cost of
    a merge is the loss of the merged item, or with `objective="dataset"` the loss of all records after it, which is
    slower and finer.
    Differs from the paper: itemsets that occur k times or never are both safe, and every choice is settled exactly.

    >>> import crypsis
    >>> baskets = crypsis.Transactions.from_lists([["a", "b"], ["a", "c"], ["b", "c"], ["a", "b"]])
    >>> release = crypsis.anonymize(baskets, crypsis.PCTA(k=2, m=2))
    >>> release.data.to_lists()
    [[['a', 'b']], [['a', 'b'], 'c'], [['a', 'b'], 'c'], [['a', 'b']]]
    >>> release.verify().holds
    True

    Gkoulalas-Divanis, Loukides. Utility-guided clustering-based transaction data anonymization.
    Transactions on Data Privacy 5(1), 2012, 223-251: PCTA.
    """

    choose_when = "When there is neither a hierarchy nor a policy."
    costs = "Items are merged that cost least, which need not be alike; nothing is left out."
    every_item = True

    utility: Annotated[UtilityPolicy | None, "Which items may be generalized together; without it, all."] = None

    def _utility(self) -> UtilityPolicy | None:
        return self.utility
