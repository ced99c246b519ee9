"""Policy anonymity: the itemsets that a privacy policy names are shared by k records, or by none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from crypsis.data.privacy_policy import EVERY_PAIR, PrivacyPolicy
from crypsis.guarantees.guarantee import ABSENT_ITEMS, KNOWN_GENERALIZATIONS
from crypsis.guarantees.record_or_person import EACH_RECORD, RecordOrPerson, Unit
from crypsis.parameters import AtLeast


@dataclass(frozen=True, kw_only=True)
class PolicyAnonymity(RecordOrPerson):
    """Every itemset of a privacy policy, and every part of one, fits no published record or at least k of them.

    With `unit="person"` it fits records of at least k people.

    Loukides, Gkoulalas-Divanis, Malin. COAT: COnstraint-based anonymization of transactions.
    Knowledge and Information Systems 28(2), 2011, 251-282: privacy constraints.
    """

    protects_from = (
        "Somebody knows one of the item combinations that the policy lists. No record fits it, or at least k do."
    )
    model = "policy-anonymity"
    recounts = "How many records fit each itemset of the policy, and each part of one."
    assumptions = (
        "The adversary knows items of the victim's record that the policy lists together, or fewer of them.",
        EACH_RECORD,
    )
    not_covered = (
        "Any combination of items that the policy does not list.",
        ABSENT_ITEMS,
        "What follows for the victim when all records that fit agree on something.",
        KNOWN_GENERALIZATIONS,
    )

    k: Annotated[int, AtLeast(1), "Records that must share each itemset of the policy."] = 5
    policy: Annotated[PrivacyPolicy, "Itemsets that must not identify anybody."] = EVERY_PAIR  # type: ignore[assignment]
    unit: Unit = "record"

    @property
    def needs_original(self) -> bool:
        """A policy that was derived from the data is not published: it tells what occurs there."""
        return super().needs_original or not isinstance(self.policy, PrivacyPolicy) or bool(self.policy.origin)

    @property
    def scope(self) -> str:
        enough = f"records of at least {self.k} people" if self.unit == "person" else f"at least {self.k} of them"
        return (
            f"Every itemset of the privacy policy ({self.policy.public_text}), and every part of one, fits no "
            f"published record or {enough}."
        )

    @property
    def trivial(self) -> bool:
        return self.k == 1
