"""How to read each utility figure: its name for people, which way is better, and one sentence."""

from __future__ import annotations

from dataclasses import dataclass, replace

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
    unit: str = ""


READINGS: dict[str, Reading] = {
    "distance_loss": Reading(
        "Distance loss",
        LOWER,
        "Mean distance, in the unit of the map, from where somebody was to the locations published for that visit; "
        "0 means that nothing moved.",
        unit="map units",
    ),
    "normalized_distance_loss": Reading(
        "Normalized distance loss",
        LOWER,
        "The distance loss as a share of the largest distance between two locations, so that maps can be compared.",
        share=True,
    ),
    "combined_distance_loss": Reading(
        "Combined distance loss",
        LOWER,
        "The distance loss with every distance weighted by the share of the taxonomy that the published symbol spans; "
        "0 means that nothing moved or changed its meaning.",
    ),
    "semantic_penalty_loss": Reading(
        "Semantic penalty",
        LOWER,
        "Mean share of the taxonomy that a published symbol spans; intact locations count nothing.",
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
        "How unlike the published frequencies of locations are to the original ones, in nats; 0 means equal. Not "
        "told where some location can no longer be found: it is infinite then.",
    ),
    "kl_zero_terms": Reading(
        "Locations that cannot be found",
        LOWER,
        "Locations that occur in the original and cannot occur in the release. Where there are any the plain "
        "divergence is infinite; the smoothed one compares such releases.",
    ),
    "kl_smoothed_loss": Reading(
        "Smoothed divergence", LOWER, "The divergence with 1 added to every count, which is always finite."
    ),
    "sim1_score": Reading(
        "Similarity of pattern frequencies",
        HIGHER,
        "How close the frequency of each frequent pattern of the release is to the original's; 1 means equal.",
    ),
    "sim2_score": Reading(
        "Similarity of pattern numbers",
        HIGHER,
        "The smaller number of frequent patterns, original or release, as a share of the larger; 1 means equal.",
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
    "cluster_precision_score": Reading(
        "Cluster precision",
        HIGHER,
        "Share of a published cluster that was in the original cluster which it resembles most.",
        share=True,
    ),
    "cluster_recall_score": Reading(
        "Cluster recall",
        HIGHER,
        "Share of an original cluster that is found again in the published cluster which it resembles most.",
        share=True,
    ),
    "cluster_f_score": Reading(
        "Cluster F",
        HIGHER,
        "Harmonic mean of cluster precision and recall; 1 means that all clusters are as they were.",
        share=True,
    ),
    "cluster_precision_star_score": Reading(
        "Cluster precision without noise",
        HIGHER,
        "Cluster precision where rows that were in no original cluster do not count against it.",
        share=True,
    ),
    "cluster_f_star_score": Reading(
        "Cluster F without noise",
        HIGHER,
        "Harmonic mean of cluster precision without noise and recall.",
        share=True,
    ),
    "track_length_mean": Reading("Mean track length", NEITHER, "Mean length of the original tracks."),
    "published_track_length_mean": Reading(
        "Mean published track length", NEITHER, "Mean length of the rows, drawn through the points of their cells."
    ),
    "track_length_variation_loss": Reading(
        "Difference of track lengths",
        LOWER,
        "Share of tracks that would have to change their length for both distributions of lengths to be the same.",
        share=True,
    ),
    "displaced_points": Reading(
        "Fixes in published cells", NEITHER, "Fixes of the original in cells that are published."
    ),
    "displacement_loss": Reading(
        "Displacement",
        LOWER,
        "Mean distance, in the unit of the map, from a fix to the published point of its cell.",
        unit="map units",
    ),
    "published_width": Reading(
        "Width of published cells",
        LOWER,
        "Share of what its column shows in all that a published cell spans, averaged over the cells that are not "
        "suppressed.",
        share=True,
    ),
    "symbols": Reading("Symbols", HIGHER, "Different symbols that are published."),
    "intact_symbols": Reading("Intact symbols", HIGHER, "Published symbols that stand for one thing only."),
    "published_intact_share": Reading(
        "Share of intact symbols", HIGHER, "Share of what is published that stands for one thing only.", share=True
    ),
    "mean_symbol_size": Reading("Mean size of symbols", LOWER, "Things that a symbol stands for, on average."),
    "largest_symbol_size": Reading("Size of the largest symbol", LOWER, "Things that it stands for."),
    "smallest_symbol_support": Reading("Rows of the rarest symbol", NEITHER, "Rows that hold it."),
    "largest_symbol_support": Reading("Rows of the most frequent symbol", NEITHER, "Rows that hold it."),
    "windows": Reading("Windows", NEITHER, "Windows that were published."),
    "smallest_window": Reading("Smallest window", NEITHER, "Records in it."),
    "largest_window": Reading("Largest window", NEITHER, "Records in it."),
    "ncp_loss": Reading(
        "Normalized certainty penalty",
        LOWER,
        "Share of its column that a published cell may stand for, averaged over all cells of the quasi-identifiers; "
        "suppressed records count as lost.",
        share=True,
    ),
    "classes": Reading("Classes", HIGHER, "Combinations of quasi-identifiers that are published."),
    "smallest_class": Reading("Smallest class", NEITHER, "Records of the rarest combination of quasi-identifiers."),
    "mean_class_size": Reading("Mean class size", LOWER, "Records that share a combination, on average."),
    "largest_class": Reading("Largest class", LOWER, "Records of the most frequent combination."),
    "suppressed_records": Reading("Suppressed records", LOWER, "Records of which nothing is published."),
    "discernibility_loss": Reading(
        "Discernibility",
        LOWER,
        "Every record costs the size of its class, a suppressed one the size of the table.",
    ),
    "table_kl_divergence_loss": Reading(
        "Kullback-Leibler divergence",
        LOWER,
        "How unlike the original combinations of quasi-identifiers are to those that the release allows, in nats.",
    ),
    "granularity_score": Reading(
        "Granularity",
        HIGHER,
        "How fine the published cells still are: 1 is as fine as collected, 0 says nothing.",
        share=True,
    ),
    "count_query_error": Reading(
        "Average relative error",
        LOWER,
        "How far off counts of records are that are taken from the release instead of the original, on average.",
        share=True,
    ),
    "count_query_error_median": Reading(
        "Median relative error", LOWER, "Half of the queries are answered at least this well.", share=True
    ),
    "count_query_error_max": Reading("Largest relative error", LOWER, "The query that is answered worst.", share=True),
    "count_query_error_subset": Reading(
        "Average relative error (subset estimate)",
        LOWER,
        "The same with a generalized item read as any subset of its items, which says little of large ones.",
        share=True,
    ),
    "count_queries_without_record": Reading(
        "Queries without a record", NEITHER, "Queries that no original record satisfies; their errors are absolute."
    ),
    "classification_accuracy": Reading(
        "Classification accuracy",
        HIGHER,
        "Share of records whose label is predicted right by a model that is trained on the release.",
        share=True,
    ),
    "classification_accuracy_original": Reading(
        "Classification accuracy on the original", NEITHER, "The same for a model trained on the original.", share=True
    ),
    "classification_accuracy_majority": Reading(
        "Commonest label", NEITHER, "What always guessing the commonest label gets right.", share=True
    ),
    "item_ncp_loss": Reading(
        "Certainty penalty",
        LOWER,
        "Share of all items that a published item may stand for, averaged over all occurrences; single items count "
        "nothing, suppressed ones 1.",
        share=True,
    ),
    "utility_loss": Reading(
        "Utility loss",
        LOWER,
        "Share of the sets of items that a published record may stand for which generalization added, on average; "
        "0 means that nothing was generalized.",
    ),
    "count_error_1_loss": Reading(
        "Error of counts of one visit", LOWER, "Relative error of how many people were somewhere at some time."
    ),
    "count_error_1_of_nothing": Reading(
        "The same of publishing nothing", NEITHER, "What the error would be if nothing had been published."
    ),
    "count_error_2_loss": Reading(
        "Error of counts of two visits", LOWER, "Relative error of how many people made both of two visits."
    ),
    "count_error_2_of_nothing": Reading(
        "The same of publishing nothing", NEITHER, "What the error would be if nothing had been published."
    ),
    "uniform_count_error_loss": Reading(
        "Error of counts of any visits", LOWER, "The same for visits drawn from the domain, most of which nobody made."
    ),
    "uniform_count_error_of_nothing": Reading(
        "The same of publishing nothing", NEITHER, "What the error would be if nothing had been published."
    ),
    "uniform_zero_share": Reading(
        "Queries that nobody fits",
        NEITHER,
        "Share of the queries drawn from the domain whose true answer is 0.",
        share=True,
    ),
    "original_clusters": Reading("Original clusters", NEITHER, "Clusters of similar rows in the original."),
    "published_clusters": Reading("Published clusters", NEITHER, "Clusters of similar rows in the release."),
    "tkd_loss": Reading(
        "Top itemsets not found (tKd)",
        LOWER,
        "Share of the original's most frequent itemsets that are not among the most frequent of the release; a "
        "disassociated release is read as one dataset that fits it.",
        share=True,
    ),
    "tkd_a_loss": Reading(
        "Top itemsets not found in subrecords (tKd-a)",
        LOWER,
        "The same, looking at the published subrecords alone.",
        share=True,
    ),
    "tkd_ml2_loss": Reading(
        "Top itemsets of all levels not found (tKd-ML2)",
        LOWER,
        "The same with itemsets of items and of nodes of the hierarchy.",
        share=True,
    ),
    "tkd_itemsets": Reading("Top itemsets", NEITHER, "How many of the most frequent itemsets were compared."),
    "tkd_last_support": Reading("Support of the last top itemset", NEITHER, "Records that hold the last one compared."),
    "tkd_last_ties": Reading(
        "Ties with the last top itemset", NEITHER, "Itemsets seen that are as frequent as the last one compared."
    ),
    "re_loss": Reading(
        "Relative error of pairs (re)",
        LOWER,
        "How far off the supports of pairs of middling frequent terms are, from 0 to 2: 2 means that a pair occurs "
        "only before or only after.",
    ),
    "re_r2_loss": Reading("Relative error, mean of 2 (re-r2)", LOWER, "The same with supports averaged over 2 draws."),
    "re_r5_loss": Reading("Relative error, mean of 5 (re-r5)", LOWER, "The same with supports averaged over 5 draws."),
    "re_r10_loss": Reading(
        "Relative error, mean of 10 (re-r10)", LOWER, "The same with supports averaged over 10 draws."
    ),
    "re_a_loss": Reading(
        "Relative error in subrecords (re-a)", LOWER, "The same, looking at the published subrecords alone."
    ),
    "re_pairs": Reading("Pairs compared", NEITHER, "Pairs of terms that the relative error is averaged over."),
    "re_first_rank": Reading("First rank compared", NEITHER, "By frequency, counted from 0."),
    "re_end_rank": Reading("End of the ranks compared", NEITHER, "The first rank that is not compared any more."),
    "tlost_loss": Reading(
        "Frequent terms lost (tlost)",
        LOWER,
        "Share of the terms in more than k records that the release has in term chunks only.",
        share=True,
    ),
    "tlost_occurrences_loss": Reading(
        "Occurrences hidden",
        LOWER,
        "Share of the occurrences of terms in more than k records that term chunks hide.",
        share=True,
    ),
    "item_frequency_error_loss": Reading(
        "Error of item frequencies",
        LOWER,
        "How far off the frequency of an item is when estimated from the release, on average.",
        share=True,
    ),
    "item_frequency_error_subset_loss": Reading(
        "Error of item frequencies (subset estimate)",
        LOWER,
        "The same with a generalized item read as any subset of its items, which says little of large ones.",
        share=True,
    ),
    "item_frequency_error_median": Reading("Error of item frequencies, median", LOWER, "The same for the median item."),
    "item_frequency_error_max": Reading("Error of item frequencies, largest", LOWER, "The same for the worst item."),
    "itemset_query_loss": Reading(
        "Error of itemset queries",
        LOWER,
        "How far off the number of records with given items is when estimated from the release; 0 is exact, 1 as "
        "large as the number itself.",
    ),
    "itemset_query_subset_loss": Reading(
        "Error of itemset queries (subset estimate)",
        LOWER,
        "The same with a generalized item read as any subset of its items, which says little of large ones.",
    ),
    "itemset_query_median": Reading("Error of itemset queries, median", LOWER, "The same for the median query."),
    "itemset_query_max": Reading("Error of itemset queries, largest", LOWER, "The same for the worst query."),
    "itemset_query_zero": Reading("Queries without an answer", NEITHER, "Queries that no record of the original fits."),
    "clusters": Reading("Clusters", NEITHER, "Groups of records that are published together."),
    "smallest_cluster": Reading("Smallest cluster", NEITHER, "Records in it."),
    "mean_cluster": Reading("Mean cluster", NEITHER, "Records in a cluster, on average."),
    "largest_cluster": Reading("Largest cluster", NEITHER, "Records in it."),
    "record_chunks_per_cluster": Reading(
        "Record chunks in a cluster", NEITHER, "Parts that the records of a cluster are cut into, on average."
    ),
    "terms_per_term_chunk": Reading(
        "Terms in a term chunk", LOWER, "Terms of a cluster of which only the presence is told, on average."
    ),
    "shared_chunks": Reading("Shared chunks", NEITHER, "Chunks with subrecords of several clusters."),
    "joint_depth": Reading("Depth of joint clusters", NEITHER, "How often clusters were joined, one above another."),
}


def reading(figure: str) -> Reading:
    """The words for a figure; one that is not known here is named, and its ending says which way is better."""
    if figure in READINGS:
        return READINGS[figure]
    first, of, column = figure.partition(" of ")
    if of and first in READINGS:  # the same figure of one column
        return replace(READINGS[first], name=f"{READINGS[first].name} of {column}", meaning="The same in this column.")
    better = LOWER if figure.endswith("_loss") else HIGHER if figure.endswith("_score") else NEITHER
    return Reading(figure.replace("_", " ").capitalize(), better, "")
