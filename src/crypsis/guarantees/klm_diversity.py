"""(k,l^m)-diversity: whoever knows quasi-identifiers and m items finds k records, and few of them share a secret."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from crypsis.guarantees.guarantee import COLUMNS_UNCHANGED, KNOWN_MERGES, MISSING_EQUALS_MISSING
from crypsis.guarantees.kkm_anonymity import KnownItemsOfRecord, SharedByRecords
from crypsis.guarantees.loss_bounds import ItemLossBound, LossBounded, TableLossBound
from crypsis.guarantees.record_or_person import EACH_RECORD, Unit
from crypsis.parameters import AtLeast


@dataclass(frozen=True, kw_only=True)
class KLmDiversity(LossBounded):
    """What an adversary may know belongs to k records, at most one in l of which holds the same sensitive item.

    (k,k^m)-anonymity on the items that are not sensitive; and in each class of equal quasi-identifiers, of the records
    that hold a set of at most m of these items, none included, at most one in l holds any one sensitive item.
    With `unit="person"` people are counted who have such a record.

    Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos. Anonymizing data with relational and transaction attributes.
    ECML PKDD 2013, 353-369; with l read as the bound 1/l on a probability.
    """

    protects_from = (
        "Somebody knows a person's age, city and the like and up to m of their items, and asks for a sensitive item. "
        "At least k records fit, and at most one in l of them holds the same sensitive item."
    )
    model = "(k,l^m)-diversity"
    recounts = "How many records share each combination of quasi-identifiers and up to m items, and a sensitive one."
    assumptions = (
        "The adversary knows the victim's quasi-identifiers and at most m items of the victim that are not sensitive.",
        EACH_RECORD,
        "All sensitive items are marked as such.",
        MISSING_EQUALS_MISSING,
    )
    not_covered = (
        "Knowing a sensitive item of the victim.",
        "Knowing that these are all items of the victim, or an item that the victim does not have.",
        "Sensitive items that mean nearly the same.",
        COLUMNS_UNCHANGED,
        KNOWN_MERGES,
    )

    k: SharedByRecords = 5
    l: Annotated[int, AtLeast(1), "At most one in l of them may hold the same sensitive item."] = 2  # noqa: E741
    m: KnownItemsOfRecord = 2
    ncp: TableLossBound = None
    ul: ItemLossBound = None
    unit: Unit = "record"

    @property
    def scope(self) -> str:
        return (
            f"Every combination of published quasi-identifiers and up to {self.m} published items that are not "
            f"sensitive and that occurs in the data belongs to {'records of ' if self.unit == 'person' else ''}at "
            f"least {self.k} {'people' if self.unit == 'person' else 'records'}, and at most one in {self.l} of these "
            "holds any one sensitive item; suppressed records show nothing." + self.bounds_in_words
        )

    @property
    def trivial(self) -> bool:
        return self.k == 1 and self.l == 1
