"""Risk before and after as a picture: prosecutor, journalist and marketer of a table, two known places or items."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from crypsis.attacks.table_risk import table_risk
from crypsis.drawing.frame import Axis, Frame, Panel
from crypsis.reports.pictures.before_after import AFTER, BEFORE
from crypsis.review import Review, ReviewThresholds
from crypsis.review.known_pairs import known_before
from crypsis.translation import _

_PAIRS = "known-pairs"


def risk_frame(original: Any, published: Any, review: Review | None) -> Frame | None:
    """How likely people are found in the original and in the release; None where nothing is known of it."""
    known = list(_of_pairs(original, review))
    classes = list(_of_classes(original, published))
    if not classes and not known:
        return None
    rows = [(who, when, 100 * share) for who, *shares in (*classes, *known) for when, share in _named(shares)]
    data = pl.DataFrame(rows, schema={"who": pl.String, "series": pl.String, "risk": pl.Float64}, orient="row")
    panel = Panel(
        "bars",
        Axis("who", "", "category"),
        Axis("risk", _("people found, in %")),
        series="series",
        order=(_(BEFORE), _(AFTER)),
    )
    note = ""
    if classes:
        note = _(
            "A prosecutor knows that somebody is in the table, a journalist does not: the chance to find whoever is "
            "easiest to find. A marketer links everybody: the share of right links."
        )
    if known:
        pairs = _("Two known pieces: the share of people whom two of their places or items single out.")
        note = f"{note} {pairs}".strip()
    return Frame(
        "risk_before_after", _("Risk before and after"), data.with_columns(pl.col("risk").round(2)), (panel,), note
    )


def _named(shares: list[float]) -> Iterator[tuple[str, float]]:
    yield from zip((_(BEFORE), _(AFTER)), shares, strict=True)


def _of_classes(original: Any, published: Any) -> Iterator[tuple[str, float, float]]:
    before, after = original.table_part, published.table_part
    if before is None or after is None or not before.quasi or not after.quasi:
        return
    was, is_now = table_risk(before), table_risk(after)
    yield _("Prosecutor"), was.prosecutor.highest, is_now.prosecutor.highest
    yield _("Journalist"), was.journalist.highest, is_now.journalist.highest
    yield _("Marketer"), was.marketer, is_now.marketer


def _of_pairs(original: Any, review: Review | None) -> Iterator[tuple[str, float, float]]:
    pairs = [] if review is None else [finding for finding in review.disclosure.findings if finding.code == _PAIRS]
    if not pairs or pairs[0].share is None:
        return
    before = known_before(original, _people(original), ReviewThresholds().work)
    if before is not None:
        yield _("Two known pieces"), before.share, pairs[0].share


def _people(original: Any) -> Any:
    """Whose each record is, by number; None where each is a person of its own."""
    codes = next((held for name in ("person", "owners") if (held := getattr(original, name, None)) is not None), None)
    return None if codes is None else np.unique(codes, return_inverse=True)[1].astype(np.int64)
