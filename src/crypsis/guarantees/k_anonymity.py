"""k-anonymity: whatever an adversary knows about somebody's quasi-identifiers, at least k individuals look the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from crypsis.guarantees.guarantee import (
    COLUMNS_UNCHANGED,
    KNOWN_GENERALIZATIONS,
    MISSING_EQUALS_MISSING,
    QUASI_IDENTIFIERS_KNOWN,
)
from crypsis.guarantees.record_or_person import EACH_RECORD, RecordOrPerson, Unit
from crypsis.parameters import AtLeast
from crypsis.wording import enumerated


@dataclass(frozen=True, kw_only=True)
class KAnonymity(RecordOrPerson):
    """Every published combination of quasi-identifiers belongs to at least k individuals.

    Samarati. Protecting respondents' identities in microdata release. IEEE TKDE 13(6), 2001, 1010-1027.
    """

    protects_from = (
        "Somebody knows a person's age, city and the like, and looks for their record. At least k records look the "
        "same, so nobody can tell which is theirs."
    )
    model = "k-anonymity"
    recounts = "How many records share each published combination of quasi-identifiers."
    assumptions = (
        QUASI_IDENTIFIERS_KNOWN,
        EACH_RECORD,
        MISSING_EQUALS_MISSING,
    )
    not_covered = (
        "What the records of a class have in common: if all share a disease, it is known of each of them.",
        COLUMNS_UNCHANGED,
        "Several releases of the same people, compared with each other.",
        KNOWN_GENERALIZATIONS,
    )

    k: Annotated[int, AtLeast(1), "Individuals that must share each combination of quasi-identifiers."] = 5
    unit: Unit = "record"

    @property
    def scope(self) -> str:
        return (
            f"Every combination of published quasi-identifiers belongs to at least {self.k} "
            f"{'records' if self.unit == 'record' else 'people'}; "
            "suppressed records show nothing."
        )

    def meaning_for(self, known: Sequence[str]) -> str:
        if not known:
            return self.scope
        return f"Somebody who knows a person's {enumerated(known)} is left with {self.crowd(self.k)}."

    @property
    def trivial(self) -> bool:
        return self.k == 1
