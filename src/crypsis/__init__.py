"""Crypsis: publish data about people without publishing the people.

Names are loaded when first used, so that `import crypsis` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from crypsis.version import VERSION as __version__  # noqa: N811

if TYPE_CHECKING:
    from crypsis._api import anonymize, read_release, verify
    from crypsis.data import (
        Events,
        Locations,
        Mixed,
        PublishedTrajectories,
        Table,
        Tracks,
        Trajectories,
        Transactions,
    )
    from crypsis.data.checkins import read_checkins
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
    from crypsis.guarantees import GUARANTEES, Guarantee, KmAnonymity, Verdict
    from crypsis.journal import Journal, Progress
    from crypsis.methods import METHODS, Method, SeqAnon
    from crypsis.metrics import METRICS, measure
    from crypsis.release import Release
    from crypsis.samples import SAMPLES

_HOME = {
    "crypsis._api": ("anonymize", "read_release", "verify"),
    "crypsis.data": (
        "Events",
        "Locations",
        "Mixed",
        "PublishedTrajectories",
        "Table",
        "Tracks",
        "Trajectories",
        "Transactions",
    ),
    "crypsis.data.checkins": ("read_checkins",),
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
    "crypsis.guarantees": ("GUARANTEES", "Guarantee", "KmAnonymity", "Verdict"),
    "crypsis.journal": ("Journal", "Progress"),
    "crypsis.methods": ("METHODS", "Method", "SeqAnon"),
    "crypsis.metrics": ("METRICS", "measure"),
    "crypsis.release": ("Release",),
    "crypsis.samples": ("SAMPLES",),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "GUARANTEES",
    "METHODS",
    "METRICS",
    "SAMPLES",
    "CrypsisError",
    "Events",
    "Guarantee",
    "Journal",
    "KmAnonymity",
    "Locations",
    "Method",
    "Mixed",
    "Progress",
    "PublishedTrajectories",
    "Release",
    "SeqAnon",
    "Table",
    "Tracks",
    "Trajectories",
    "Transactions",
    "Verdict",
    "__version__",
    "anonymize",
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
