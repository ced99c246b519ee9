"""A toy method, guarantee and metric: what somebody would add in one file each, and the one line that lists each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar
from unittest.mock import patch

from crypsis.data.relational import PublishedTable, Table
from crypsis.guarantees import GUARANTEES, Guarantee, KAnonymity
from crypsis.methods import METHODS
from crypsis.methods.relational.mondrian import Mondrian
from crypsis.metrics import METRICS, Figure, Metric
from crypsis.parameters import OneOf
from crypsis.verifiers import VERIFIERS, verify_k_anonymity


@dataclass(frozen=True, kw_only=True)
class ToyAnonymity(KAnonymity):
    """Every toy looks like k others."""

    model: ClassVar[str] = "toy-anonymity"
    protects_from: ClassVar[str] = "Somebody knows the colour of a toy. At least k toys have it."


@dataclass(frozen=True, kw_only=True)
class ToySplit(Mondrian):
    """Split the toys at the median until no part can be split.

    Nobody. No context, 2026.
    """

    choose_when: ClassVar[str] = "When somebody plays."
    costs: ClassVar[str] = "Toys become ranges of toys."
    promises: ClassVar[type[Guarantee]] = ToyAnonymity

    manner: Annotated[str, OneOf(gently="without a noise", wildly="with a noise"), "How toys are split."] = "gently"

    @property
    def guarantee(self) -> Guarantee:
        return ToyAnonymity(k=self.k)

    def guarantee_of(self, data: Any, published: Any) -> Guarantee:
        return self.guarantee


def toy_loss(original: Table, published: PublishedTable) -> float:
    """Share of the toys that were lost."""
    return 1 - len(published) / max(len(original), 1)


class ToyLoss(Metric):
    """Share of the toys that nobody finds again."""

    name = "toy_loss"
    accepts = (Table,)
    measure = staticmethod(toy_loss)
    figures = (Figure("toy_loss", "Lost toys", "Share of the toys that were lost.", unit="share", abbreviation="TL"),)


@contextmanager
def listed() -> Iterator[None]:
    """The toys stand in the registries, as by their one line."""
    with (
        patch.dict(METHODS, {ToySplit.name(): ToySplit}),
        patch.dict(GUARANTEES, {ToyAnonymity.model: ToyAnonymity}),
        patch.dict(VERIFIERS, {(ToyAnonymity, PublishedTable): (verify_k_anonymity, Table)}),
        patch.dict(METRICS, {ToyLoss.name: ToyLoss}),
    ):
        yield
