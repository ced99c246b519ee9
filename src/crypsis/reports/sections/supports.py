"""Section: how many rows share what was published."""

from __future__ import annotations

import numpy as np

from crypsis.drawing.markup import Markup
from crypsis.reports.facts import ReleaseFacts
from crypsis.reports.page import columns, paragraph, pictured, section
from crypsis.reports.pictures.smallest_supports import MOST_SIZES, smallest_supports
from crypsis.reports.pictures.support_histogram import support_histogram
from crypsis.translation import _
from crypsis.translation.wording import counted, figure


def supports(facts: ReleaseFacts) -> Markup:
    """Support of symbols, and of the rarest sequence of each size, against what is required."""
    holders = _("trajectories") if facts.unit == "trajectory" else _("{units} with a trajectory", units=_(facts.units))
    words = _(
        "The support of a symbol, or of a sequence of symbols, is the number of {holders} in which it occurs.",
        holders=holders,
    )
    if facts.needs_original:
        more = _(
            "The guarantee counts in the original, too: what few published rows hold, at least {required} of the "
            "original hold.",
            required=counted(int(facts.required or 0), facts.unit, facts.units),
        )
    elif facts.counted_by_publisher:
        more = ""
    else:
        more = _("The further right of the dashed line, the better somebody is hidden.")
    drawn = [pictured(_("Support of each symbol"), support_histogram(facts), *_symbols_in_words(facts))]
    if any(support is not None for support in facts.smallest_by_size):
        drawn.append(pictured(_("Rarest sequence of each size"), smallest_supports(facts), *_sizes_in_words(facts)))
    return section(_("How many share it"), paragraph(f"{words} {more}".strip()), columns(*drawn))


def _symbols_in_words(facts: ReleaseFacts) -> list[str]:
    if not len(facts.supports):
        return [_("No symbol was published.")]
    sentences = [
        _(
            "The rarest symbol is in {rows}, the median one in {median}, the most frequent one in {max:,}.",
            rows=counted(int(facts.supports.min()), "row"),
            median=figure(float(np.median(facts.supports))),
            max=facts.supports.max(),
        )
    ]
    if facts.unit != "trajectory":
        sentences.append(
            _("Rows are counted here; the guarantee counts {units}, who may have several.", units=_(facts.units))
        )
    return sentences


def _sizes_in_words(facts: ReleaseFacts) -> list[str]:
    counts = [support for support in facts.smallest_by_size if support is not None]
    if not counts:
        return [_("The verifier had no sequence to count.")]
    rarest = min(counts)
    if facts.required is not None and rarest < facts.required:
        return [
            _(
                "The rarest sequence is shared by only {counted}; the verifier stopped at this size.",
                counted=counted(rarest, facts.unit, facts.units),
            )
        ]
    sentences = [
        _(
            "Every sequence of up to {locations} that occurs is shared by at least {counted}, as counted "
            "by the verifier.",
            locations=counted(len(counts), "location"),
            counted=counted(rarest, facts.unit, facts.units),
        )
    ]
    if len(counts) > MOST_SIZES:
        sentences.append(
            _("The first {most_sizes} of {counts} sizes are drawn.", most_sizes=MOST_SIZES, counts=len(counts))
        )
    return sentences
