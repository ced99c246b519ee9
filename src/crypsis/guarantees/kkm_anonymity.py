"""(k,k^m)-anonymity: whoever knows somebody's quasi-identifiers and up to m items is left with at least k records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from crypsis.guarantees.guarantee import COLUMNS_UNCHANGED, KNOWN_MERGES, MISSING_EQUALS_MISSING
from crypsis.guarantees.loss_bounds import ItemLossBound, LossBounded, TableLossBound
from crypsis.guarantees.record_or_person import EACH_RECORD, Unit
from crypsis.parameters import AtLeast
from crypsis.wording import enumerated

SharedByRecords = Annotated[int, AtLeast(1), "Records that must share quasi-identifiers and items."]
KnownItemsOfRecord = Annotated[int, AtLeast(0), "Most items the adversary may know."]


@dataclass(frozen=True, kw_only=True)
class KKmAnonymity(LossBounded):
    """Every published combination of quasi-identifiers and up to m items that occurs belongs to at least k records.

    For every record r and every set I of at most m of its published items, no item included, at least k records have
    the quasi-identifiers of r and hold I. With `unit="person"` these are records of at least k people.

    Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos. Anonymizing data with relational and transaction attributes.
    ECML PKDD 2013, 353-369: Definition 1, which as printed is either empty or too strong; read as above.
    """

    protects_from = (
        "Somebody knows a person's age, city and the like, and also up to m of their items. At least k records still "
        "fit."
    )
    model = "(k,k^m)-anonymity"
    recounts = "How many records share each published combination of quasi-identifiers and up to m items."
    assumptions = (
        "The adversary knows the victim's quasi-identifiers and at most m of the victim's items.",
        EACH_RECORD,
        MISSING_EQUALS_MISSING,
    )
    not_covered = (
        "Knowing that these are all items of the victim, or an item that the victim does not have.",
        "What the records that are left have in common: an item that all of them hold is known of each.",
        COLUMNS_UNCHANGED,
        KNOWN_MERGES,
    )

    k: SharedByRecords = 5
    m: KnownItemsOfRecord = 2
    ncp: TableLossBound = None
    ul: ItemLossBound = None
    unit: Unit = "record"

    @property
    def scope(self) -> str:
        return (
            f"Every combination of published quasi-identifiers and up to {self.m} published items that occurs in the "
            f"data belongs to {'records of ' if self.unit == 'person' else ''}at least {self.k} "
            f"{'people' if self.unit == 'person' else 'records'}; suppressed records show nothing."
            + self.bounds_in_words
        )

    def meaning_for(self, known: Sequence[str]) -> str:
        if len(known) < 2:
            return self.scope
        *columns, items = known
        pieces = enumerated([*columns, f"up to {self.m} of their {items}"])
        return f"Somebody who knows a person's {pieces} is left with {self.crowd(self.k)}."

    @property
    def trivial(self) -> bool:
        return self.k == 1
