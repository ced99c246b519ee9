"""l^m-diversity of itemsets: whatever m items of somebody's set are known, the sensitive ones stay uncertain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from crypsis.guarantees.guarantee import ABSENT_ITEMS, KNOWN_GENERALIZATIONS
from crypsis.guarantees.itemset_km_anonymity import ItemsetShared, KnownItems
from crypsis.guarantees.record_or_person import EACH_RECORD, RecordOrPerson, Unit
from crypsis.parameters import AtLeast


@dataclass(frozen=True, kw_only=True)
class ItemsetDiversity(RecordOrPerson):
    """Every set of 1 to m items that are not sensitive occurs k times, at most one time in l with the same secret.

    The share is bounded for somebody of whom nothing is known too. Sensitive items are published as they are.
    With `unit="person"` people are counted who have such a record; each counts once for every secret of these records.

    Terrovitis, Mamoulis, Kalnis. Local and global recoding methods for anonymizing set-valued data.
    The VLDB Journal 20(1), 2011, 83-106: l^m-diversity.
    """

    protects_from = (
        "Somebody knows up to m harmless items of a person and asks for a sensitive one. At least k records fit, and "
        "at most one in l of them holds the same sensitive item."
    )
    model = "itemset-l^m-diversity"
    recounts = "How many records share each set of up to m published items, and how many of them a sensitive one."
    assumptions = (
        "The adversary knows at most m items of the victim's record, none of them sensitive.",
        EACH_RECORD,
        "All sensitive items are marked as such.",
    )
    not_covered = (
        "Knowing a sensitive item of the victim.",
        ABSENT_ITEMS,
        "More than m items known, by one adversary or by several who pool what they know.",
        KNOWN_GENERALIZATIONS,
    )

    k: ItemsetShared = 5
    l: Annotated[int, AtLeast(1), "At most one in l of these may hold the same sensitive item."] = 2  # noqa: E741
    m: KnownItems = 2
    unit: Unit = "record"

    @property
    def scope(self) -> str:
        if self.unit == "person":
            return (
                f"Every set of up to {self.m} items that are not sensitive and that fits a published record fits "
                f"records of at least {self.k} people, at most one in {self.l} of whom has one that also holds any one "
                "sensitive item."
            )
        return (
            f"Every set of up to {self.m} items that are not sensitive and that fits a published record fits at least "
            f"{self.k} of them, and at most one in {self.l} of these holds any one sensitive item."
        )

    @property
    def trivial(self) -> bool:
        return self.k == 1 and self.l == 1
