"""Section: how large the published symbols are, and how long the published trajectories."""

from __future__ import annotations

import numpy as np

from crypsis.drawing.markup import Markup
from crypsis.reports.facts import ReleaseFacts
from crypsis.reports.page import columns, pictured, section
from crypsis.reports.pictures.symbol_sizes import symbol_sizes
from crypsis.reports.pictures.trajectory_lengths import trajectory_lengths
from crypsis.wording import counted, figure


def sizes(facts: ReleaseFacts) -> Markup:
    """Two histograms."""
    return section(
        "Sizes and lengths",
        columns(
            pictured("Locations in each symbol", symbol_sizes(facts), *_symbols_in_words(facts)),
            pictured("Visits in each trajectory", trajectory_lengths(facts), *_rows_in_words(facts)),
        ),
    )


def _symbols_in_words(facts: ReleaseFacts) -> list[str]:
    if not facts.names:
        return ["No symbol was published."]
    if not facts.n_generalized:
        return ["Every symbol is a single location."]
    mean = float(facts.sizes[~facts.intact].mean())
    return [
        f"{counted(facts.n_intact, 'single location')} and {counted(facts.n_generalized, 'group')}; "
        f"a group joins {figure(mean, 2)} locations on average, {int(facts.sizes.max()):,} at most."
    ]


def _rows_in_words(facts: ReleaseFacts) -> list[str]:
    if not facts.rows:
        return ["No trajectory was published."]
    lengths = facts.lengths
    shortest, longest_row = int(lengths.min()), int(lengths.max())
    sentences = [
        f"Every trajectory has {counted(shortest, 'visit')}."
        if shortest == longest_row
        else f"From {shortest:,} to {counted(longest_row, 'visit')}, {figure(float(lengths.mean()), 3)} on average "
        f"(median {figure(float(np.median(lengths)))})."
    ]
    empty = int((lengths == 0).sum())
    if empty:
        sentences.append(f"{counted(empty, 'trajectory is', 'trajectories are')} empty.")
    return sentences
