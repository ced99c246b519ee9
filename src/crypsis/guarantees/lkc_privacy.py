"""LKC-privacy: what L doublets are known of a person fits at least K people, and no sensitive value too surely."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from crypsis.data.sensitive_values import EVERY_VALUE, SensitiveValues
from crypsis.guarantees.guarantee import Guarantee
from crypsis.parameters import AtLeast, Between, OneOf

KnownDoublets = Annotated[int, AtLeast(1), "Most doublets of a person that an adversary may know."]
SharedByPeople = Annotated[int, AtLeast(1), "People that must share each known set of doublets."]
LargestShare = Annotated[Fraction, Between(0, 1), "Largest share of them that may have one sensitive value."]
SensitiveChoice = Annotated[SensitiveValues, "Which values are sensitive; an attribute may have its own C."]


_TOGETHER = "What the windows say together, unless pseudonyms are stable."
_ENDS = (
    "The adversary may also know when these visits ended, however precisely, or that they had not ended by some time."
)
_ENDS_ALONE = (
    "How surely a sensitive value is told to somebody who knows when visits ended and not when they began.",
    "That somebody who stays at one place is not at another: it is knowledge of absence.",
)


@dataclass(frozen=True, kw_only=True)
class LKCPrivacy(Guarantee):
    """Each set of 1 to L doublets that somebody has is had by K people, each sensitive value by a share of at most C.

    With C = 1 this is LK-anonymity; with L as long as the longest row as well, k-anonymity of the rows.

    Al-Hussaeni, Fung, Cheung. Privacy-preserving trajectory stream publishing. Data & Knowledge Engineering 94,
    2014, 89-109.
    """

    protects_from = (
        "Somebody follows a live log and knows up to L visits of a person. In every window at least K people fit, "
        "and nothing sensitive is surer than C."
    )
    model = "LKC-privacy"
    recounts = (
        "How many people of each window share each set of up to L doublets, and how many of them a sensitive value."
    )
    assumptions = (
        "The adversary knows at most L doublets (place and time) of the victim.",
        "One pseudonym in a window is one person.",
    )
    not_covered = (
        "An adversary who knows more than L doublets, or that the victim was absent somewhere.",
        "The share of a sensitive value among all published people, which suppression cannot change.",
        "Several sensitive values taken together, and values that were not declared sensitive.",
        "Who is in the published data at all.",
    )
    told_where_given = ("exits",)

    L: KnownDoublets = 2
    K: SharedByPeople = 5
    C: LargestShare = Fraction(1)
    sensitive_values: SensitiveChoice = EVERY_VALUE  # type: ignore[assignment]
    covers: Annotated[
        str,
        OneOf(
            window="each window by itself",
            horizon="windows over H timestamps",
            everything="all that was ever published",
        ),
        "What holds together: each window by itself, all windows over H timestamps, or all that was ever published.",
    ] = "window"
    H: Annotated[int | None, AtLeast(1), "Timestamps over which all windows together are protected (horizon)."] = None

    exits: Annotated[bool, "The adversary may also know when the visits ended, which is published as well."] = False

    def stated(self, name: str) -> tuple[str, ...]:
        sentences = super().stated(name)
        if not self.exits:
            return sentences
        return (*sentences, _ENDS) if name == "assumptions" else (*sentences, *_ENDS_ALONE)

    @property
    def publisher_only(self) -> tuple[str, ...]:
        return (*super().publisher_only, *(() if self.covers == "window" else (_TOGETHER,)))

    @property
    def scope(self) -> str:
        everything = "In everything that was published, taken together"
        horizon = f"In all windows together, over any {self.H} timestamps that end with a window"
        who = {"window": "In each window taken by itself", "horizon": horizon}.get(self.covers, everything)
        sure = f", and at most {self.C} of them have the same sensitive value" if self.bounds_confidence else ""
        known = "any place and time" if self.L == 1 else f"any {self.L} or fewer places and times"
        ends = " A visit is known by its place, when it began and when it ended." if self.exits else ""
        return f"{who}, {known} that fit somebody fit at least {self.K} people{sure}.{ends}"

    @property
    def bounds_confidence(self) -> bool:
        """Some sensitive value has a bound that can be exceeded."""
        values = self.sensitive_values
        if not isinstance(values, SensitiveValues) or values.origin:
            return self.C < 1
        return any(share < 1 for share in values.shares(self.C))

    @property
    def trivial(self) -> bool:
        return self.K == 1 and not self.bounds_confidence
