"""BoundedMethod: what Rum-BOUND and Tum-BOUND share. Clusters are united under a bound on one of the two losses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from crypsis.methods.mixed.item_loss import FORMS
from crypsis.methods.mixed.mixed_method import MixedMethod
from crypsis.parameters import Between, OneOf

MERGES = {"r": "alike in the table", "t": "alike in their items", "rt": "alike in both"}
SCORES = {
    "btd": "by what differs between records",
    "btd-or": "by all that records hold",
    "ul": "by generalizing each union",
}


@dataclass(frozen=True, kw_only=True)
class BoundedMethod(MixedMethod):
    """Which clusters are united, and how items are weighed; what `delta` bounds is for the method to say."""

    stages = ("prepare", "form clusters", "unite clusters", "generalize items", "publish")

    on_parts = "`delta` in each block"

    delta: Annotated[float, Between(0, 1), "Largest loss: 0 is none, 1 is everything."] = 0.65
    merge: Annotated[
        str, OneOf(**MERGES), "Unite clusters that are alike in the table, in their items, or in both."
    ] = "r"
    score: Annotated[
        str,
        OneOf(**SCORES),
        "How items are compared: by a distance of records (of what differs, or of all), or by generalizing each union.",
    ] = "btd"
    item_loss: Annotated[
        str,
        OneOf(**FORMS),
        "What a single item loses: nothing, what the printed formula says, or a weight by the hierarchy of items.",
    ] = "zero"

    @property
    def loss_form(self) -> str:
        return self.item_loss
