"""COAT: merge the rarest item of an unsafe itemset with an item of its own utility set, or leave it out.

Guarantees k^m-anonymity of itemsets, or a privacy policy. Costs a matrix of pair counts, and per merge the records of
the merged item.

Loukides, Gkoulalas-Divanis, Malin. Knowledge and Information Systems 28(2), 2011, 251-282.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from crypsis.hierarchy import ONE_SET, UtilityPolicy
from crypsis.methods.transaction.policy_recoding import PolicyMethod


@dataclass(frozen=True, kw_only=True)
class COAT(PolicyMethod):
    """Merge items that a utility policy allows together until a privacy policy holds; leave out what is stuck.

    The most frequent unsafe itemset is mended first: its rarest item is merged with the item of the same utility set
    that gives the least loss: of the merged item, or with `objective="dataset"` of all records, which is slower and
    finer. If there is none left, the item is suppressed, as far as `max_suppressed` allows.
    Needs no hierarchy. Differs from the paper: itemsets that occur k times or never are both safe, all parts of a
    listed itemset are protected too, and every choice is settled exactly.

    >>> import crypsis
    >>> visits = crypsis.Transactions.from_lists([["flu", "hiv"], ["cold", "hiv"], ["flu", "burn"], ["burn"]])
    >>> method = crypsis.COAT(k=2, m=2, utility=crypsis.UtilityPolicy([["flu", "cold"], ["hiv", "burn"]]))
    >>> release = crypsis.anonymize(visits, method)
    >>> release.data.to_lists()[0]
    [['burn', 'hiv'], ['cold', 'flu']]
    >>> release.verify().holds
    True

    Loukides, Gkoulalas-Divanis, Malin. COAT: COnstraint-based anonymization of transactions.
    Knowledge and Information Systems 28(2), 2011, 251-282.
    """

    choose_when = "When it is known which combinations are dangerous, and which items may be confused without harm."
    costs = "Items that find no partner are left out; both policies should be made for the data."
    every_item = False

    utility: Annotated[UtilityPolicy, "Which items may be generalized together."] = ONE_SET  # type: ignore[assignment]

    def _utility(self) -> UtilityPolicy | None:
        return self.utility
