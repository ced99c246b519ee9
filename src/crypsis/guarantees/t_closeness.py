"""t-closeness: in every class of records that look the same, sensitive values are distributed as in the whole table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from crypsis.guarantees.guarantee import QUASI_IDENTIFIERS_KNOWN
from crypsis.guarantees.record_or_person import EACH_RECORD, RecordOrPerson, Unit
from crypsis.parameters import Between, OneOf

DISTANCES = {"equal": "all values differ alike", "ordered": "values far apart differ more"}


@dataclass(frozen=True, kw_only=True)
class TCloseness(RecordOrPerson):
    """In every class the distribution of every sensitive column is at most t away from that of the whole table.

    Li, Li, Venkatasubramanian. t-closeness: privacy beyond k-anonymity and l-diversity. IEEE ICDE 2007, 106-115.
    """

    protects_from = (
        "Somebody knows which group of records a person is in. Sensitive values are spread in it nearly as in the "
        "whole table, so the group reveals little that the table does not."
    )
    model = "t-closeness"
    recounts = "How far the sensitive values of each class are from those of all published records."
    assumptions = (
        QUASI_IDENTIFIERS_KNOWN,
        EACH_RECORD,
        "The distribution in the whole original table, suppressed records included, may be known.",
        "A missing sensitive value is no value, in the class and in the table.",
    )
    not_covered = (
        "What the distribution of the whole table says about everybody in it.",
        "Combinations of several sensitive columns.",
    )

    t: Annotated[float, Between(0, 1), "Largest distance from the distribution of the whole table."] = 0.2
    distance: Annotated[
        str,
        OneOf(**DISTANCES),
        "How far apart two sensitive values are: all alike, or further where others lie between them.",
    ] = "equal"
    unit: Unit = "record"

    @property
    def scope(self) -> str:
        return (
            f"In every class of records that look the same every sensitive column is distributed as in the whole "
            f"table, up to a distance of {self.t:g} ({self.distance} distance)."
            f"{'' if self.unit == 'record' else ' Each person counts as much as any other, however many records.'}"
        )

    @property
    def trivial(self) -> bool:
        return self.t == 1
