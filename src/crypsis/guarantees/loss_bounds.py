"""Bounds on what a release of mixed data lost, as part of its promise: NCP of the table, UL of the items."""

from __future__ import annotations

from typing import Annotated

from crypsis.guarantees.record_or_person import RecordOrPerson
from crypsis.parameters import Between

TableLossBound = Annotated[
    float | None, Between(0, 1), "Largest loss of the table, all quasi-identifiers alike; checked with the original."
]
ItemLossBound = Annotated[float | None, Between(0, 1), "Largest loss of the items that are not sensitive."]


class LossBounded(RecordOrPerson):
    """A promise about mixed data that may also bound what the table and the items lost."""

    ncp: TableLossBound
    ul: ItemLossBound

    @property
    def publisher_only(self) -> tuple[str, ...]:
        bounded = () if self.ncp is None else ("How much of its precision the table lost.",)
        return (*super().publisher_only, *bounded)

    @property
    def bounds_in_words(self) -> str:
        """A sentence for each bound, with a blank in front; nothing where there is none."""
        sentences = ""
        if self.ncp is not None:
            sentences += f" The table lost at most {self.ncp:g} of its precision."
        if self.ul is not None:
            sentences += f" The items lost at most {self.ul:g} of theirs (UL)."
        return sentences
