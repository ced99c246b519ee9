"""Crypsis: publish data about people without publishing the people.

Names are loaded when first used, so that `import crypsis` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from crypsis.version import VERSION as __version__  # noqa: N811

if TYPE_CHECKING:
    from crypsis._api import anonymize, read_release, verify
    from crypsis.attacks import (
        ATTACKS,
        Attack,
        AttackResult,
        ContainmentAttack,
        HomeWorkAttack,
        LinkageAttack,
        LocationAttack,
        LocationFrequencyAttack,
        LocationSequenceAttack,
        TableRisk,
        UniqueLocationAttack,
        attack,
        table_risk,
    )
    from crypsis.data import (
        Events,
        Locations,
        Mixed,
        PublishedTable,
        PublishedTrajectories,
        Table,
        Tracks,
        Trajectories,
        Transactions,
    )
    from crypsis.data.checkins import read_checkins
    from crypsis.data.constraints import AutomaticConstraints, UtilityConstraints
    from crypsis.data.count_query import CountQuery, parse_query, read_queries
    from crypsis.data.foreign_table import read_foreign_table
    from crypsis.data.reading import (
        read_events,
        read_locations,
        read_mixed,
        read_table,
        read_tracks,
        read_trajectories,
        read_transactions,
    )
    from crypsis.errors import CrypsisError
    from crypsis.guarantees import (
        GUARANTEES,
        ConstrainedKmAnonymity,
        Guarantee,
        KAnonymity,
        KKmAnonymity,
        KlmAnonymity,
        KLmDiversity,
        KmAnonymity,
        LDiversity,
        PatternPreservingKAnonymity,
        SequenceKAnonymity,
        TCloseness,
        Together,
        Verdict,
    )
    from crypsis.hierarchy import AutomaticTaxonomy, Hierarchies, Hierarchy, HierarchyPlan, Taxonomy, Weights
    from crypsis.journal import Journal, Progress
    from crypsis.methods import (
        METHODS,
        PPSG,
        SGA,
        ZGA,
        BFP2kA,
        BottomUp,
        Cluster,
        Incognito,
        KAMCut,
        KAMRec,
        LmAnon,
        Method,
        Mondrian,
        SDSeqAnon,
        SeqAnon,
        TopDown,
        USeqAnon,
    )
    from crypsis.methods.trajectory.progressive_generalization import ProgressiveGeneralization
    from crypsis.methods.trajectory.regions_of_interest import RegionsOfInterest
    from crypsis.metrics import METRICS, measure
    from crypsis.release import Release
    from crypsis.samples import SAMPLES

_HOME = {
    "crypsis._api": ("anonymize", "read_release", "verify"),
    "crypsis.attacks": (
        "ATTACKS",
        "Attack",
        "AttackResult",
        "ContainmentAttack",
        "HomeWorkAttack",
        "LinkageAttack",
        "LocationAttack",
        "LocationFrequencyAttack",
        "LocationSequenceAttack",
        "TableRisk",
        "UniqueLocationAttack",
        "attack",
        "table_risk",
    ),
    "crypsis.data": (
        "Events",
        "Locations",
        "Mixed",
        "PublishedTable",
        "PublishedTrajectories",
        "Table",
        "Tracks",
        "Trajectories",
        "Transactions",
    ),
    "crypsis.data.checkins": ("read_checkins",),
    "crypsis.data.constraints": ("AutomaticConstraints", "UtilityConstraints"),
    "crypsis.data.reading": (
        "read_events",
        "read_locations",
        "read_mixed",
        "read_table",
        "read_tracks",
        "read_trajectories",
        "read_transactions",
    ),
    "crypsis.data.count_query": ("CountQuery", "parse_query", "read_queries"),
    "crypsis.data.foreign_table": ("read_foreign_table",),
    "crypsis.errors": ("CrypsisError",),
    "crypsis.guarantees": (
        "GUARANTEES",
        "ConstrainedKmAnonymity",
        "Guarantee",
        "KAnonymity",
        "KKmAnonymity",
        "KLmDiversity",
        "KlmAnonymity",
        "KmAnonymity",
        "LDiversity",
        "PatternPreservingKAnonymity",
        "SequenceKAnonymity",
        "TCloseness",
        "Together",
        "Verdict",
    ),
    "crypsis.hierarchy": ("AutomaticTaxonomy", "Hierarchies", "Hierarchy", "HierarchyPlan", "Taxonomy", "Weights"),
    "crypsis.journal": ("Journal", "Progress"),
    "crypsis.methods": (
        "METHODS",
        "PPSG",
        "SGA",
        "ZGA",
        "BFP2kA",
        "BottomUp",
        "Cluster",
        "Incognito",
        "KAMCut",
        "KAMRec",
        "LmAnon",
        "Method",
        "Mondrian",
        "SDSeqAnon",
        "SeqAnon",
        "TopDown",
        "USeqAnon",
    ),
    "crypsis.methods.trajectory.progressive_generalization": ("ProgressiveGeneralization",),
    "crypsis.methods.trajectory.regions_of_interest": ("RegionsOfInterest",),
    "crypsis.metrics": ("METRICS", "measure"),
    "crypsis.release": ("Release",),
    "crypsis.samples": ("SAMPLES",),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "ATTACKS",
    "GUARANTEES",
    "METHODS",
    "METRICS",
    "PPSG",
    "SAMPLES",
    "SGA",
    "ZGA",
    "Attack",
    "AttackResult",
    "AutomaticConstraints",
    "AutomaticTaxonomy",
    "BFP2kA",
    "BottomUp",
    "Cluster",
    "ConstrainedKmAnonymity",
    "ContainmentAttack",
    "CountQuery",
    "CrypsisError",
    "Events",
    "Guarantee",
    "Hierarchies",
    "Hierarchy",
    "HierarchyPlan",
    "HomeWorkAttack",
    "Incognito",
    "Journal",
    "KAMCut",
    "KAMRec",
    "KAnonymity",
    "KKmAnonymity",
    "KLmDiversity",
    "KlmAnonymity",
    "KmAnonymity",
    "LDiversity",
    "LinkageAttack",
    "LmAnon",
    "LocationAttack",
    "LocationFrequencyAttack",
    "LocationSequenceAttack",
    "Locations",
    "Method",
    "Mixed",
    "Mondrian",
    "PatternPreservingKAnonymity",
    "Progress",
    "ProgressiveGeneralization",
    "PublishedTable",
    "PublishedTrajectories",
    "RegionsOfInterest",
    "Release",
    "SDSeqAnon",
    "SeqAnon",
    "SequenceKAnonymity",
    "TCloseness",
    "Table",
    "TableRisk",
    "Taxonomy",
    "Together",
    "TopDown",
    "Tracks",
    "Trajectories",
    "Transactions",
    "USeqAnon",
    "UniqueLocationAttack",
    "UtilityConstraints",
    "Verdict",
    "Weights",
    "__version__",
    "anonymize",
    "attack",
    "measure",
    "parse_query",
    "read_checkins",
    "read_events",
    "read_foreign_table",
    "read_locations",
    "read_mixed",
    "read_queries",
    "read_release",
    "read_table",
    "read_tracks",
    "read_trajectories",
    "read_transactions",
    "table_risk",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'crypsis' has no attribute {name!r}")
    value = getattr(import_module(_MODULE_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
