"""Private methods for data in which a person may have several records."""

from __future__ import annotations

from dataclasses import dataclass, replace

from crypsis.guarantees import DifferentialPrivacy
from crypsis.methods.contributions import RecordsPerPerson
from crypsis.methods.private_method import PrivateMethod


@dataclass(frozen=True, kw_only=True)
class PrivateRecordMethod(PrivateMethod):
    """A private method that protects all records of a person, up to `records_per_person`."""

    records_per_person: RecordsPerPerson = 1

    @property
    def guarantee(self) -> DifferentialPrivacy:
        return replace(super().guarantee, records_per_person=self.records_per_person)
