"""k^m-anonymity of itemsets: whatever m items of somebody's set an adversary knows, k records fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from crypsis.guarantees.guarantee import ABSENT_ITEMS, KNOWN_GENERALIZATIONS
from crypsis.guarantees.record_or_person import EACH_RECORD, RecordOrPerson, Unit
from crypsis.parameters import AtLeast, Between

KnownItems = Annotated[int, Between(1, 8), "Most items the adversary may know."]
ItemsetShared = Annotated[int, AtLeast(1), "Records that must share each set of items."]


@dataclass(frozen=True, kw_only=True)
class ItemsetKmAnonymity(RecordOrPerson):
    """Every set of 1 to m published items that occurs in a record occurs in at least k records.

    With `unit="person"` it occurs in records of at least k people.

    Terrovitis, Mamoulis, Kalnis. Privacy-preserving anonymization of set-valued data. PVLDB 1(1), 2008, 115-125:
    Definition 1, for all sizes up to m.
    """

    protects_from = (
        "Somebody knows up to m things that a person bought, searched or was diagnosed with. At least k records hold "
        "all of them."
    )
    model = "itemset-k^m-anonymity"
    recounts = "How many records share each set of up to m published items."
    assumptions = (
        "The adversary knows at most m items of the victim's record.",
        EACH_RECORD,
    )
    not_covered = (
        ABSENT_ITEMS,
        "More than m items known, by one adversary or by several who pool what they know.",
        "What follows for the victim when all records that fit agree on something.",
        KNOWN_GENERALIZATIONS,
    )

    k: ItemsetShared = 5
    m: KnownItems = 2
    unit: Unit = "record"

    @property
    def scope(self) -> str:
        if self.unit == "person":
            return (
                f"Every set of up to {self.m} items that fits a published record fits one of at least {self.k} people."
            )
        return f"Every set of up to {self.m} items that fits a published record fits at least {self.k} of them."

    def meaning_for(self, known: Sequence[str]) -> str:
        return f"Somebody who knows up to {self.m} items of a person is left with {self.crowd(self.k)}."

    @property
    def trivial(self) -> bool:
        return self.k == 1
