"""Section: how many rows share what was published."""

from __future__ import annotations

import numpy as np

from crypsis.drawing.markup import Markup
from crypsis.reports.facts import ReleaseFacts
from crypsis.reports.page import columns, paragraph, pictured, section
from crypsis.reports.pictures.smallest_supports import MOST_SIZES, smallest_supports
from crypsis.reports.pictures.support_histogram import support_histogram
from crypsis.wording import counted, figure


def supports(facts: ReleaseFacts) -> Markup:
    """Support of symbols, and of the rarest sequence of each size, against what is required."""
    holders = "trajectories" if facts.unit == "trajectory" else f"{facts.units} with a trajectory"
    return section(
        "How many share it",
        paragraph(
            f"The support of a symbol, or of a sequence of symbols, is the number of {holders} in which it occurs. "
            "The further right of the dashed line, the better somebody is hidden."
        ),
        columns(
            pictured("Support of each symbol", support_histogram(facts), *_symbols_in_words(facts)),
            pictured("Rarest sequence of each size", smallest_supports(facts), *_sizes_in_words(facts)),
        ),
    )


def _symbols_in_words(facts: ReleaseFacts) -> list[str]:
    if not len(facts.supports):
        return ["No symbol was published."]
    sentences = [
        f"The rarest symbol is in {counted(int(facts.supports.min()), 'row')}, the median one in "
        f"{figure(float(np.median(facts.supports)))}, the most frequent one in {facts.supports.max():,}."
    ]
    if facts.unit != "trajectory":
        sentences.append(f"Rows are counted here; the guarantee counts {facts.units}, who may have several.")
    return sentences


def _sizes_in_words(facts: ReleaseFacts) -> list[str]:
    counts = [support for support in facts.smallest_by_size if support is not None]
    if not counts:
        return ["The verifier had no sequence to count."]
    rarest = min(counts)
    if facts.required is not None and rarest < facts.required:
        return [
            f"The rarest sequence is shared by only {counted(rarest, facts.unit, facts.units)}; "
            "the verifier stopped at this size."
        ]
    sentences = [
        f"Every sequence of up to {counted(len(counts), 'location')} that occurs is shared by at least "
        f"{counted(rarest, facts.unit, facts.units)}, as counted by the verifier."
    ]
    if len(counts) > MOST_SIZES:
        sentences.append(f"The first {MOST_SIZES} of {len(counts)} sizes are drawn.")
    return sentences
