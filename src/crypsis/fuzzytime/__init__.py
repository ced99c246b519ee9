"""Fuzzy time: periods known up to bounds, their relations, and volumes of space and time.

Time is the real line, also where all stamps are whole numbers.
"""

from crypsis.fuzzytime.array import FuzzyArray
from crypsis.fuzzytime.evidence import (
    Construction,
    Dated,
    Extent,
    bin_visit,
    from_evidence,
    group_hull,
    refine,
    refine_all,
)
from crypsis.fuzzytime.index import FuzzyIndex
from crypsis.fuzzytime.interval import FuzzyInterval, transitive_event
from crypsis.fuzzytime.relations import RELATIONS
from crypsis.fuzzytime.volumes import PhasedVolume, Volume, VolumeRelation, possible_volume_relations, resolve

__all__ = [
    "RELATIONS",
    "Construction",
    "Dated",
    "Extent",
    "FuzzyArray",
    "FuzzyIndex",
    "FuzzyInterval",
    "PhasedVolume",
    "Volume",
    "VolumeRelation",
    "bin_visit",
    "from_evidence",
    "group_hull",
    "possible_volume_relations",
    "refine",
    "refine_all",
    "resolve",
    "transitive_event",
]
