"""Section: how large the published symbols are, and how long the published trajectories."""

from __future__ import annotations

import numpy as np

from crypsis.drawing.markup import Markup
from crypsis.reports.facts import ReleaseFacts
from crypsis.reports.page import columns, pictured, section
from crypsis.reports.pictures.symbol_sizes import symbol_sizes
from crypsis.reports.pictures.trajectory_lengths import trajectory_lengths
from crypsis.translation import _
from crypsis.translation.wording import counted, figure


def sizes(facts: ReleaseFacts) -> Markup:
    """Two histograms."""
    return section(
        _("Sizes and lengths"),
        columns(
            pictured(_("Locations in each symbol"), symbol_sizes(facts), *_symbols_in_words(facts)),
            pictured(_("Visits in each trajectory"), trajectory_lengths(facts), *_rows_in_words(facts)),
        ),
    )


def _symbols_in_words(facts: ReleaseFacts) -> list[str]:
    if not facts.names:
        return [_("No symbol was published.")]
    if not facts.n_generalized:
        return [_("Every symbol is a single location.")]
    mean = float(facts.sizes[~facts.intact].mean())
    return [
        _(
            "{single_locations} and {groups}; a group joins {mean} locations on average, {max:,} at most.",
            single_locations=counted(facts.n_intact, "single location"),
            groups=counted(facts.n_generalized, "group"),
            mean=figure(mean, 2),
            max=int(facts.sizes.max()),
        )
    ]


def _rows_in_words(facts: ReleaseFacts) -> list[str]:
    if not facts.rows:
        return [_("No trajectory was published.")]
    lengths = facts.lengths
    shortest, longest_row = int(lengths.min()), int(lengths.max())
    sentences = [
        _("Every trajectory has {visits}.", visits=counted(shortest, "visit"))
        if shortest == longest_row
        else _(
            "From {shortest:,} to {visits}, {mean} on average (median {median}).",
            shortest=shortest,
            visits=counted(longest_row, "visit"),
            mean=figure(float(lengths.mean()), 3),
            median=figure(float(np.median(lengths))),
        )
    ]
    empty = int((lengths == 0).sum())
    if empty:
        sentences.append(
            _("{trajectories_are} empty.", trajectories_are=counted(empty, "trajectory is", "trajectories are"))
        )
    return sentences
