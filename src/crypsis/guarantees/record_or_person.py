"""What counts as one individual: a record, or all records of a person. For promises about tables and sets."""

from __future__ import annotations

from typing import Annotated

from crypsis.guarantees.guarantee import Guarantee
from crypsis.parameters import OneOf

RECORD_OR_PERSON = OneOf(record="each record", person="each person")
Unit = Annotated[str, RECORD_OR_PERSON, "What counts as one individual: a record, or all records of a person."]
EACH_RECORD = "Each record is one individual."
NAMED_PEOPLE = "All records with one name in the column that names the person are one individual, and no others."
NOT_RECOUNTED = (
    "Counting people from the release alone: whose records they are is not published, so a recipient counts records, "
    "and the publisher counts people with the original."
)


class RecordOrPerson(Guarantee):
    """A promise about records; `unit` says whom it counts."""

    unit: Unit

    def crowd(self, k: int) -> str:
        """So many people, with the condition under which records are people."""
        return f"at least {k} people" + (", if no two records are of one person" if self.unit == "record" else "")

    def stated(self, name: str) -> tuple[str, ...]:
        sentences = super().stated(name)
        if self.unit == "record":
            return sentences
        if name == "assumptions":
            return tuple(NAMED_PEOPLE if sentence == EACH_RECORD else sentence for sentence in sentences)
        return (*sentences, NOT_RECOUNTED)
