"""How to read each utility figure: its name for people, which way is better, and one sentence."""

from __future__ import annotations

from dataclasses import dataclass

LOWER = "lower is better"
HIGHER = "higher is better"
NEITHER = ""


@dataclass(frozen=True)
class Reading:
    """One figure in words. `share` figures are shown as a percentage too."""

    name: str
    better: str
    meaning: str
    share: bool = False


READINGS: dict[str, Reading] = {
    "distance_loss": Reading(
        "Distance loss",
        LOWER,
        "Mean distance, in the unit of the map, from where somebody was to the locations published for that visit; "
        "0 means that nothing moved.",
    ),
    "normalized_distance_loss": Reading(
        "Normalized distance loss",
        LOWER,
        "The distance loss as a share of the largest distance between two locations, so that maps can be compared.",
        share=True,
    ),
    "intact_locations": Reading(
        "Intact symbols",
        HIGHER,
        "Published symbols that are a single location. Sensitive locations are left out.",
    ),
    "generalized_locations": Reading(
        "Generalized symbols", NEITHER, "Published symbols that stand for one of several locations."
    ),
    "suppressed_locations": Reading(
        "Suppressed locations", LOWER, "Locations of the original that no published symbol holds."
    ),
    "mean_size": Reading(
        "Mean size of generalized symbols",
        LOWER,
        "How many locations a generalized symbol joins, on average.",
    ),
    "mean_distance_percent": Reading(
        "Mean spread of generalized symbols",
        LOWER,
        "Mean distance between two locations of a generalized symbol, as a percentage of the largest distance on "
        "the map.",
    ),
    "intact_share": Reading(
        "Intact visits", HIGHER, "Share of the original visits that are published as they were.", share=True
    ),
    "generalized_share": Reading(
        "Generalized visits",
        LOWER,
        "Share of the original visits that are published as one of several.",
        share=True,
    ),
    "suppressed_share": Reading(
        "Suppressed visits", LOWER, "Share of the original visits that are not published at all.", share=True
    ),
    "average_relative_error": Reading(
        "Average relative error",
        LOWER,
        "How far off counts of visits and of pairs of visits are when they are estimated from the release; "
        "0 is exact, 1 is as large as the count itself.",
    ),
    "kl_divergence_loss": Reading(
        "Kullback-Leibler divergence",
        LOWER,
        "How unlike the published frequencies of locations are to the original ones, in nats; 0 means equal, "
        "infinite means that some location can no longer be found.",
    ),
    "kl_zero_terms": Reading(
        "Locations that cannot be found",
        LOWER,
        "Locations that occur in the original and cannot occur in the release; any makes the divergence infinite.",
    ),
    "kl_smoothed_loss": Reading(
        "Smoothed divergence", LOWER, "The divergence with 1 added to every count, which is always finite."
    ),
    "patterns_preserved_score": Reading(
        "Frequent patterns preserved",
        HIGHER,
        "Share of the frequent sequences of the original that are frequent in the release too (median).",
        share=True,
    ),
    "patterns_preserved_deviation": Reading(
        "Deviation of patterns preserved",
        NEITHER,
        "Standard deviation of the share of preserved patterns between random readings of the release.",
    ),
    "false_patterns_loss": Reading(
        "False frequent patterns",
        LOWER,
        "Share of the sequences frequent in the release that were not frequent in the original (median).",
        share=True,
    ),
    "false_patterns_deviation": Reading(
        "Deviation of false patterns",
        NEITHER,
        "Standard deviation of the share of false patterns between random readings of the release.",
    ),
}


def reading(figure: str) -> Reading:
    """The words for a figure; one that is not known here is named, and its ending says which way is better."""
    if figure in READINGS:
        return READINGS[figure]
    better = LOWER if figure.endswith("_loss") else HIGHER if figure.endswith("_score") else NEITHER
    return Reading(figure.replace("_", " ").capitalize(), better, "")
