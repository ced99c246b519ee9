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
        LocationAttack,
        LocationFrequencyAttack,
        LocationSequenceAttack,
        UniqueLocationAttack,
        attack,
    )
    from crypsis.data import (
        Events,
        Locations,
        Mixed,
        PublishedTrajectories,
        PublishedWindows,
        SensitiveValues,
        Table,
        Tracks,
        Trajectories,
        Transactions,
    )
    from crypsis.data.checkins import read_checkins
    from crypsis.data.constraints import AutomaticConstraints, UtilityConstraints
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
        KlmAnonymity,
        KmAnonymity,
        LKCPrivacy,
        PatternPreservingKAnonymity,
        SequenceKAnonymity,
        Verdict,
    )
    from crypsis.hierarchy import AutomaticTaxonomy, Taxonomy
    from crypsis.journal import Journal, Progress
    from crypsis.methods import (
        ITSA,
        METHODS,
        PPSG,
        SGA,
        ZGA,
        BFP2kA,
        KAMCut,
        KAMRec,
        LmAnon,
        Method,
        SDSeqAnon,
        SeqAnon,
        USeqAnon,
    )
    from crypsis.methods.trajectory.progressive_generalization import ProgressiveGeneralization
    from crypsis.methods.trajectory.regions_of_interest import RegionsOfInterest
    from crypsis.metrics import METRICS, measure
    from crypsis.release import Release
    from crypsis.runtime import StreamConfiguration, stream
    from crypsis.samples import SAMPLES

_HOME = {
    "crypsis._api": ("anonymize", "read_release", "verify"),
    "crypsis.attacks": (
        "ATTACKS",
        "Attack",
        "AttackResult",
        "ContainmentAttack",
        "HomeWorkAttack",
        "LocationAttack",
        "LocationFrequencyAttack",
        "LocationSequenceAttack",
        "UniqueLocationAttack",
        "attack",
    ),
    "crypsis.data": (
        "Events",
        "Locations",
        "Mixed",
        "PublishedTrajectories",
        "PublishedWindows",
        "PublishedWindows",
        "SensitiveValues",
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
    "crypsis.errors": ("CrypsisError",),
    "crypsis.guarantees": (
        "GUARANTEES",
        "ConstrainedKmAnonymity",
        "Guarantee",
        "KlmAnonymity",
        "KmAnonymity",
        "LKCPrivacy",
        "PatternPreservingKAnonymity",
        "SequenceKAnonymity",
        "Verdict",
    ),
    "crypsis.hierarchy": ("AutomaticTaxonomy", "Taxonomy"),
    "crypsis.journal": ("Journal", "Progress"),
    "crypsis.methods": (
        "ITSA",
        "METHODS",
        "PPSG",
        "SGA",
        "ZGA",
        "BFP2kA",
        "KAMCut",
        "KAMRec",
        "LmAnon",
        "Method",
        "SDSeqAnon",
        "SeqAnon",
        "USeqAnon",
    ),
    "crypsis.methods.trajectory.progressive_generalization": ("ProgressiveGeneralization",),
    "crypsis.methods.trajectory.regions_of_interest": ("RegionsOfInterest",),
    "crypsis.metrics": ("METRICS", "measure"),
    "crypsis.release": ("Release",),
    "crypsis.runtime": ("StreamConfiguration", "stream"),
    "crypsis.samples": ("SAMPLES",),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "ATTACKS",
    "GUARANTEES",
    "ITSA",
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
    "ConstrainedKmAnonymity",
    "ContainmentAttack",
    "CrypsisError",
    "Events",
    "Guarantee",
    "HomeWorkAttack",
    "Journal",
    "KAMCut",
    "KAMRec",
    "KlmAnonymity",
    "KmAnonymity",
    "LKCPrivacy",
    "LmAnon",
    "LocationAttack",
    "LocationFrequencyAttack",
    "LocationSequenceAttack",
    "Locations",
    "Method",
    "Mixed",
    "PatternPreservingKAnonymity",
    "Progress",
    "ProgressiveGeneralization",
    "PublishedTrajectories",
    "PublishedWindows",
    "RegionsOfInterest",
    "Release",
    "SDSeqAnon",
    "SensitiveValues",
    "SeqAnon",
    "SequenceKAnonymity",
    "StreamConfiguration",
    "Table",
    "Taxonomy",
    "Tracks",
    "Trajectories",
    "Transactions",
    "USeqAnon",
    "UniqueLocationAttack",
    "UtilityConstraints",
    "Verdict",
    "__version__",
    "anonymize",
    "attack",
    "measure",
    "read_checkins",
    "read_events",
    "read_locations",
    "read_mixed",
    "read_release",
    "read_table",
    "read_tracks",
    "read_trajectories",
    "read_transactions",
    "stream",
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
