"""l-diversity: in every class of records that look the same, sensitive values are diverse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from crypsis.errors import BadParameter
from crypsis.guarantees.guarantee import QUASI_IDENTIFIERS_KNOWN
from crypsis.guarantees.record_or_person import EACH_RECORD, RecordOrPerson, Unit
from crypsis.parameters import Above, AtLeast, OneOf
from crypsis.wording import enumerated

FORMS = {
    "distinct": "by different values",
    "entropy": "by entropy, how evenly they are spread",
    "recursive": "by how much the most frequent prevails",
}


@dataclass(frozen=True, kw_only=True)
class LDiversity(RecordOrPerson):
    """Every class holds l well-represented values of every sensitive column.

    Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam. l-diversity: privacy beyond k-anonymity. ACM TKDD 1(1), 2007.
    """

    protects_from = (
        "Somebody knows which group of records a person is in, and asks for a sensitive value such as the diagnosis. "
        "Every group has l different ones, so the answer stays open."
    )
    model = "l-diversity"
    recounts = "Which sensitive values each class of records that look the same holds."
    assumptions = (
        QUASI_IDENTIFIERS_KNOWN,
        EACH_RECORD,
        "All sensitive columns are marked as such.",
        "A missing sensitive value is no value: the others of the class count.",
    )
    not_covered = (
        "Values that are different but mean nearly the same.",
        "How much likelier a value is in a class than in the whole table (see t-closeness).",
        "Combinations of several sensitive columns.",
    )

    l: Annotated[int, AtLeast(1), "Sensitive values that must be well represented in each class."] = 2  # noqa: E741
    form: Annotated[str, OneOf(**FORMS), "What well represented means."] = "distinct"
    c: Annotated[
        float | None, Above(0), "For the recursive form: the most frequent value stays below c times the rare ones."
    ] = None
    unit: Unit = "record"

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.form == "recursive") != (self.c is not None):
            raise BadParameter(
                f"LDiversity: c belongs to form='recursive' and to no other, got form={self.form!r} and c={self.c!r}.",
                parameter="c",
            )

    @property
    def scope(self) -> str:
        words = {
            "distinct": f"at least {self.l} different values",
            "entropy": f"values whose entropy is at least that of {self.l} equally frequent ones",
            "recursive": f"a most frequent value rarer than {self.c} times the {self.l}th and all rarer ones together",
        }
        once = "" if self.unit == "record" else " A person counts once for each value."
        return f"Every class of records that look the same has, in every sensitive column, {words[self.form]}.{once}"

    def meaning_for(self, known: Sequence[str]) -> str:
        if self.form != "distinct" or not known:
            return self.scope
        whoever = f"Somebody who knows a person's {enumerated(known)}"
        return f"{whoever} is left with at least {self.l} different values of every sensitive column."

    @property
    def trivial(self) -> bool:
        return self.l == 1 and self.form != "recursive"

    def __str__(self) -> str:
        c = "" if self.c is None else f", c={self.c:g}"
        unit = "" if self.unit == "record" else f", unit={self.unit}"
        return f"{self.model} ({self.form}, l={self.l}{c}{unit})"
