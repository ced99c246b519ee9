"""The choices of a parameter in plain words, for lists that people choose from; files keep the short names."""

from __future__ import annotations

from crypsis.methods import METHODS

_STOP = "stop and say why"
CHOICES: dict[str, dict[str, str]] = {  # by parameter: by choice
    "accounting": {"tight": "by the most calls there can be", "printed": "as the paper prints it"},
    "categories": {"values": "at every value", "halves": "in two halves"},
    "covers": {
        "window": "each window by itself",
        "horizon": "windows over H timestamps",
        "everything": "all that was ever published",
    },
    "displacement": {"max": "the largest distance", "mean": "the mean distance"},
    "distance": {"equal": "all values differ alike", "ordered": "values far apart differ more"},
    "diversity": {
        "distinct": "by different values",
        "entropy": "by entropy, how evenly they are spread",
        "recursive": "by how far the most frequent stands out",
    },
    "empty_knowledge": {"report": "publish the window and report it", "withhold": "withhold the window"},
    "empty_records": {"drop": "left out", "keep": "published empty"},
    "horpart": {"standard": "by the most frequent item", "guarded": "by others where that leaves fewer than k"},
    "inner": {"kam-cut": "cut rare ends (KamCut)", "kam-rec": "recover parts of them too (KamRec)"},
    "item_loss": {"zero": "nothing", "literal": "what the printed formula says", "semantic": "weighed by a hierarchy"},
    "level": {"strict": "proven to suffice", "paper": "as in the article, which may fail"},
    "merge": {"r": "alike in the table", "t": "alike in their items", "rt": "alike in both"},
    "mode": {"itsa": "each window for itself", "cumulative": "all windows together", "static": "each from scratch"},
    "multi_location": {"allow": "all of them", "first": "the first that arrived"},
    "noise": {"exact": "Crypsis", "opendp": "the library OpenDP"},
    "objective": {"item": "the loss of the item", "dataset": "the loss of all records"},
    "on_infeasible": {"error": _STOP, "truncate": "cut the long ones", "suppress": "delete visits to it"},
    "order": {
        "canonical": "by time and place",
        "nondecreasing": "at the same time or later",
        "strict": "strictly later",
    },
    "persons": {"told-by-ids": "as a column names them", "each-record": "each record is a person"},
    "policy": {"exhaustive": "until no two clusters fit", "paper": "as the paper prints it"},
    "pseudonyms": {"per-window": "a new one in each window", "stable": "one in all windows"},
    "publish": {"minimal": "the best of the least general ones", "best": "the best of all good ones"},
    "reading": {"by-record": "each record by itself", "not-covered": "not part of the guarantee"},
    "refine": {
        "uniform": "by the sound rule",
        "none": "not at all",
        "property1": "as printed in the article, which may fail",
    },
    "relation": {"add-or-remove-one": "one has the data of one unit more"},
    "rep": {"mean": "the middle of its points", "medoid": "its most central point"},
    "scheme": {
        "uniform": "alike over all levels",
        "printed": "as the thesis prints it",
        "flat": "without taxonomies",
    },
    "score": {
        "btd": "by what differs between records",
        "btd-or": "by all that records hold",
        "ul": "by generalizing each union",
        "max": "the classes of its records",
        "discernibility": "groups of equal size",
        "ncp": "narrow values",
        "ncp_gain": "what becomes narrower",
    },
    "seeds": {"random": "any record", "first": "the first record", "farthest": "the farthest record"},
    "thresholds": {
        "node": "a node's own noise",
        "level": "the noise of its level of the tree",
        "bounded": "few empty combinations may pass",
        "printed": "as many as in the paper",
    },
    "tokens": {"visits": "places with their times", "places": "places alone"},
    "top_up": {"path": "all that their way has left", "longest": "what the longest way has left", "none": "nothing"},
    "unit": {
        "trajectory": "each trajectory",
        "owner": "each owner, with all of theirs",
        "person": "each person",
        "record": "each record",
    },
}
CHOICES["form"] = CHOICES["diversity"]


def choice_words(parameter: str, choice: str) -> str:
    """What a choice is called on a page; a method by its name, and what has no words as it is."""
    if parameter in ("relational", "transaction") and choice in METHODS:
        return METHODS[choice].__name__
    return CHOICES.get(parameter, {}).get(choice, choice)
