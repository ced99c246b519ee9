"""Promises and methods for somebody who has never read a paper: what is protected from whom, and when to choose what.

Parameters are not described here; their words stand in their annotations.
"""

from __future__ import annotations

from dataclasses import dataclass

from crypsis.hierarchy import Hierarchies
from crypsis.methods import METHODS
from crypsis.methods.method import Method
from crypsis.parameters import parameters_of

PROTECTS: dict[str, str] = {  # by the model of a promise
    "k-anonymity": "Somebody knows a person's age, city and the like, and looks for their record. "
    "At least k records look the same, so it cannot be told which is theirs.",
    "(k,k^m)-anonymity": "Somebody knows a person's age, city and the like, and also up to m of their items. "
    "At least k records still fit.",
    "itemset-k^m-anonymity": "Somebody knows up to m things that a person bought, searched or was diagnosed with. "
    "At least k records hold all of them.",
    "disassociation-k^m": "Somebody knows up to m things that a person bought, searched or was diagnosed with. The "
    "records are cut into pieces, so that k records may have held all of them.",
    "k^m-anonymity": "Somebody saw a person at up to m places and knows their order. "
    "At least k people were at all of them in this order.",
    "constrained-k^m-anonymity": "Somebody saw a person at up to m places and knows their order. At least k people "
    "were there; and only places that you allow are ever mixed up.",
    "(k,l)^m-anonymity": "Somebody saw a person at up to m places and asks whether they also were at a sensitive one, "
    "such as a clinic. At least k people fit, and at most one in l of them was at the same sensitive place.",
    "sequence-k-anonymity": "Somebody knows any part of a person's way, however long. "
    "Whatever is published of it, at least k people went that way.",
    "pattern-preserving-k-anonymity": "Somebody knows any part of a person's sequence, however long. "
    "Whatever is published, at least k people of the original have it.",
    "LKC-privacy": "Somebody follows a live log and knows up to L visits of a person. In every window at least K "
    "people fit, and nothing sensitive is surer than C.",
    "differential privacy": "Whatever anybody knows: the release would look nearly the same without the person in the "
    "data. How nearly is said by epsilon; smaller is safer.",
}

CHOOSE: dict[str, tuple[str, str]] = {  # by method: when to choose it, and what it costs
    "mondrian": (
        "First, for any table. It is fast, loses little and needs no hierarchy.",
        "Values become ranges or sets; equal values may become different ones. A million records take seconds.",
    ),
    "incognito": (
        "When equal values must become equal cells, and the best such release is wanted.",
        "Whole columns become coarser. Time multiplies with columns and levels; up to eight or so columns.",
    ),
    "top-down": (
        "When the data are to train a classifier, or when there are too many columns for Incognito.",
        "Whole subtrees of the hierarchies become one value; equal values stay equal.",
    ),
    "bottom-up": (
        "As a second opinion beside TopDown; it keeps more detail where k is small.",
        "Whole subtrees of the hierarchies become one value, some records may be left out.",
    ),
    "cluster": (
        "When the loss matters most and there are up to some hundred thousand records.",
        "The smallest loss of these methods; time grows with the square of the records.",
    ),
    "diff-multi": (
        "When nobody can say what an adversary may know, and counts or a classifier are wanted.",
        "There are no records any more, only noisy counts of regions; few people drown in the noise.",
    ),
    "diff-gen": (
        "When every column must have the same values in all regions, and a handful of splits is enough.",
        "Noisy counts of all regions, most of them empty; the number of regions multiplies with each split.",
    ),
    "disassociation": (
        "When every item must survive as it is: sparse data with many rare items, such as searches and baskets.",
        "Which pieces belong to one record is hidden; counts of single items stay exact.",
    ),
    "apriori": (
        "When there is a hierarchy that people understand: whole milk is milk, milk is dairy.",
        "Rare items become their group everywhere; every item has one meaning throughout.",
    ),
    "lra": (
        "When records fall into groups, and detail inside a group matters more than totals.",
        "An item may have several names, so its total is spread over them.",
    ),
    "vpa": (
        "In place of Apriori when there are many items, or m is 3.",
        "The fastest with a hierarchy; sometimes it goes a little further than needed.",
    ),
    "coat": (
        "When it is known which combinations are dangerous, and which items may be confused without harm.",
        "Items that find no partner are left out; both policies should be made for the data.",
    ),
    "pcta": (
        "When there is neither a hierarchy nor a policy.",
        "Items are merged that cost least, which need not be alike; nothing is left out.",
    ),
    "diff-part": (
        "When the baskets of very many people are published for counting, whatever an adversary knows.",
        "Made-up baskets; only sets that clearly more people have than the noise are in them.",
    ),
    "rum-bound": (
        "When the columns matter most, and their loss must stay below a number that you state.",
        "What the bound leaves free is spent on the items.",
    ),
    "tum-bound": (
        "When the items matter most, and their loss must stay below a number that you state.",
        "The columns keep what they can; some bounds cannot be kept.",
    ),
    "r-first": (
        "As a baseline: what the items lose when nobody cares for them.",
        "The columns lose as little as possible, the items often nearly everything.",
    ),
    "t-first": (
        "As a baseline: what the columns lose when nobody cares for them.",
        "The items lose as little as possible, the columns often nearly everything.",
    ),
    "seq-anon": (
        "For visits to places on a map, when no visit may be left out.",
        "Nearby places are published as one: bar or restaurant. m above 3 takes long.",
    ),
    "sd-seq-anon": (
        "When the kind of a place matters: two restaurants rather than a restaurant and a clinic.",
        "Places are joined with others of their kind, a little farther away.",
    ),
    "u-seq-anon": (
        "When an analysis is known in advance and needs certain places told apart.",
        "Places without a partner that you allow are left out, up to the share that you state.",
    ),
    "lm-anon": (
        "When some places are sensitive and must be published as they are, and every place means the same in all rows.",
        "Other places are joined more than without sensitive ones.",
    ),
    "zga": (
        "With sensitive places, when people move in different parts of the map.",
        "A place may be joined with different ones in different rows.",
    ),
    "sga": (
        "With sensitive places, when many people share parts of their way, such as commuters.",
        "A place may be joined with different ones in different rows; popular parts stay.",
    ),
    "kam-cut": (
        "When beginnings matter most (from the start page, from home), and it must be quick.",
        "Whatever begins rarely is cut off, however common the rest is.",
    ),
    "kam-rec": (
        "When ways share their middle or end, and every published row must be true.",
        "Some rows are lost, none is invented.",
    ),
    "bf-p2ka": (
        "For mining frequent patterns: their frequencies are kept best.",
        "Rare sequences are replaced, so a row need not be true of anybody.",
    ),
    "ppsg": (
        "For GPS tracks of many people on the same roads. No table of places is needed.",
        "Tracks become sequences of areas; few tracks make few, large areas.",
    ),
    "itsa": (
        "For a live log of who was where when, published window by window.",
        "Visits are held back, more of them the larger K and L are.",
    ),
    "safe-path": (
        "When the trips of very many people are published, and what matters is how they begin.",
        "Made-up trips with frequent beginnings; few people drown in the noise.",
    ),
    "seq-pt": (
        "To compare with SafePath, or where a plain method is easier to explain.",
        "As SafePath, and slow for anything but small domains.",
    ),
    "n-grams": (
        "When what matters is what follows what, wherever in a trip.",
        "Made-up trips; frequent moves are kept, whole trips are not.",
    ),
}


@dataclass(frozen=True)
class DataWords:
    """A kind of data as people know it, and sample data to try it with: how to make them, how to read them."""

    name: str
    example: str
    sample: str
    makes: str
    reads: str


_PATIENTS = "patients.csv --quasi age,sex,zip --types zip=category"
DATA: dict[str, DataWords] = {  # by the class of data that a method takes
    "Table": DataWords(
        "Tables",
        "one row for each person: age, city, income",
        "patients",
        "--out patients.csv",
        f"{_PATIENTS} --sensitive ward,admitted,diagnoses --identifier patient_id",
    ),
    "Mixed": DataWords(
        "Tables with sets",
        "rows with a list in a column: patients and their diagnoses",
        "patients",
        "--out patients.csv",
        f"{_PATIENTS} --items 'diagnoses= ' --identifier patient_id,admitted,ward",
    ),
    "Transactions": DataWords(
        "Baskets and other sets",
        "what each person bought, searched, clicked",
        "baskets",
        "--out baskets.csv",
        "baskets.csv",
    ),
    "Trajectories": DataWords(
        "Visits to places",
        "check-ins, stops of a trip, pages in order",
        "checkins",
        "--out checkins.csv --locations places.csv",
        "checkins.csv --locations places.csv",
    ),
    "Tracks": DataWords("GPS tracks", "positions with times", "tracks", "--out tracks.csv", "tracks.csv"),
    "Events": DataWords(
        "Streams of visits", "who was where when, as it comes in", "metro", "--out metro.csv", "metro.csv"
    ),
}
_OPTIONS = {  # what a method must be told beside its usual settings
    "u-seq-anon": "--constraints auto:20 --delta 50",
    "lm-anon": "--sensitive 'Night Pharmacy'",
    "zga": "--sensitive 'Night Pharmacy' --cell 100",
    "sga": "--sensitive 'Night Pharmacy'",
    "itsa": "--sensitive fare",
    "safe-path": "--height 2 --location-domain public-in-data --time-domain 0:1440:120",
    "seq-pt": "--height 1 --location-domain public-in-data --time-domain 0:1440:360",
    "n-grams": "--tokens places --location-domain public-in-data --time-domain 0:1440:120",
    "diff-multi": "--domains public-in-data",
    "diff-gen": "--domains public-in-data --specializations 5",
    "diff-part": "--item-domain public-in-data",
}


def data_words(method: type[Method]) -> DataWords:
    return DATA[method.accepts.__name__]


def commands(name: str) -> tuple[str, str]:
    """Two lines that make sample data and run the method on them."""
    words = data_words(METHODS[name])
    trees = {one.name: one.type for one in parameters_of(METHODS[name])}.get("hierarchy") is Hierarchies
    parts = (words.reads, "--hierarchy zip=prefix" if trees else "", f"--method {name}", _OPTIONS.get(name, ""))
    told = " ".join(part for part in parts if part)
    return f"crypsis sample {words.sample} {words.makes}", f"crypsis anonymize {told} --out release"
