"""Usefulness: how much wider published values are than original ones (NCP)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from crypsis.errors import NotApplicable
from crypsis.metrics.certainty_penalty import ncp_loss
from crypsis.metrics.item_ncp import item_ncp_loss
from crypsis.review.check import Check
from crypsis.review.lights import Colour, Finding, Remedy
from crypsis.review.subject import Subject, percent
from crypsis.review.thresholds import ReviewThresholds


class InformationLossCheck(Check):
    """NCP of a table or of sets, against the original."""

    code = "information-loss"
    light = "usefulness"
    label = "Information loss"

    def findings(self, subject: Subject, limits: ReviewThresholds) -> Iterator[Finding]:
        for what, loss, words in _losses(subject):
            colour = Colour.AMBER if loss > limits.loss_amber else Colour.GREEN
            colour = Colour.RED if loss >= limits.loss_red and loss > 0 else colour
            sentence = f"{percent(loss)} of the information in {what} is lost."
            yield Finding(self.code, colour, sentence, None, None, loss, Remedy(words))


def _losses(subject: Subject) -> Iterator[tuple[str, float, str]]:
    original: Any = subject.original
    published: Any = subject.published
    if original is None or not len(published):
        return
    try:
        if original.table_part is not None and published.table_part is not None:
            loss = float(ncp_loss(original, published).total)
            yield "the quasi-identifiers", loss, "Lower k, name fewer quasi-identifiers, or try another method"
        elif original.set_part is not None and published.set_part is not None:
            loss = item_ncp_loss(original, published)
            yield "the items", loss, "Lower k or m, give another hierarchy, or try another method"
    except NotApplicable:  # what nodes stand for is not told, or records are no longer in one order
        return
