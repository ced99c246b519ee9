"""k^m-anonymity under utility constraints: what was merged stays useful, and little was left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from crypsis.data.constraints import TENS_OF_NEAR, UtilityConstraints
from crypsis.guarantees.km_anonymity import KmAnonymity
from crypsis.parameters import Between

SuppressedPercentage = Annotated[float, Between(0, 100), "Percentage of the visited locations that may be suppressed."]


_INSIDE = "That every generalized location lies inside one constraint."


@dataclass(frozen=True, kw_only=True)
class ConstrainedKmAnonymity(KmAnonymity):
    """k^m-anonymity; every generalized location lies inside one constraint, and few locations are suppressed.

    Poulis, Skiadopoulos, Loukides, Gkoulalas-Divanis. Apriori-based algorithms for
    k^m-anonymizing trajectory data. Transactions on Data Privacy 7, 2014, 165-194: Definitions 4, 9 and 10.
    """

    protects_from = (
        "Somebody saw a person at up to m places and knows their order. At least k people were there; and only "
        "places that you allow are ever mixed up."
    )
    model = "constrained-k^m-anonymity"
    from_original = (
        *KmAnonymity.from_original,
        "How many of the visited locations were suppressed, and which.",
    )

    constraints: Annotated[
        UtilityConstraints, "Groups of locations; a generalized location lies inside one of them."
    ] = TENS_OF_NEAR  # type: ignore[assignment]
    delta: SuppressedPercentage = 10.0

    @property
    def recountable(self) -> tuple[str, ...]:
        return (*super().recountable, *((_INSIDE,) if self.constraints_are_told else ()))

    @property
    def publisher_only(self) -> tuple[str, ...]:
        return (*super().publisher_only, *(() if self.constraints_are_told else (_INSIDE,)))

    @property
    def constraints_are_told(self) -> bool:
        """The release holds the constraints: the publisher gave them, they were not made from the data."""
        return isinstance(self.constraints, UtilityConstraints) and not self.constraints.origin

    @property
    def scope(self) -> str:
        return (
            f"{super().scope} Every generalized location lies inside one of the constraints "
            f"({self.constraints.public_text}), and at most "
            f"{self.delta:g} % of the visited locations are suppressed."
        )
