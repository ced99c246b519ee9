"""Kinds of published data, one file each: all that a release does differently for trajectories than for tables.

A kind is imported when it is first used, with what its reports need.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from crypsis.errors import BadRelease, NotApplicable
from crypsis.late_members import MembersByClass, imported
from crypsis.verifiers import VERIFIERS

if TYPE_CHECKING:
    from crypsis.guarantees import Guarantee
    from crypsis.publication.kind import PublishedKind

_MEMBERS = {  # its name in manifests: the class of its data, how it is published
    "trajectories": ("trajectory.PublishedTrajectories", "trajectory.TrajectoryKind"),
    "synthetic-trajectories": ("synthetic.SyntheticTrajectories", "synthetic.SyntheticKind"),
    "counted-regions": ("counted_regions.CountedRegions", "counted_regions.CountedRegionsKind"),
    "synthetic-transactions": ("synthetic_sets.SyntheticTransactions", "synthetic_sets.SyntheticSetsKind"),
    "transactions": ("transaction.PublishedTransactions", "transaction.TransactionKind"),
    "disassociated": ("disassociated.DisassociatedTransactions", "disassociated.DisassociatedKind"),
    "table": ("relational.PublishedTable", "relational.TableKind"),
    "windows": ("windows.PublishedWindows", "stream.WindowKind"),
    "mixed": ("mixed.PublishedMixed", "mixed.MixedKind"),
}
KIND_NAMES = frozenset(_MEMBERS)


def _made(kind: str) -> PublishedKind:
    made: PublishedKind = imported(f"{__name__}.{kind}")()
    return made


KINDS: MembersByClass[type, PublishedKind] = MembersByClass(
    {(f"crypsis.data.{published}",): partial(_made, kind) for published, kind in _MEMBERS.values()}
)

__all__ = ["KINDS", "PublishedKind", "kind_named", "kind_of", "kind_promised"]


def __getattr__(name: str) -> Any:
    if name != "PublishedKind":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return imported(f"{__name__}.kind.PublishedKind")


def kind_of(published: Any) -> PublishedKind:
    """How this published data are written, read and shown."""
    if type(published) not in KINDS:
        raise NotApplicable(f"{type(published).__name__} cannot be released.")
    return KINDS[type(published)]


def kind_promised(guarantee: Guarantee) -> PublishedKind:
    """The kind of data that a guarantee is about; the first of several."""
    return next(KINDS[published] for published in KINDS if (type(guarantee), published) in VERIFIERS)


def kind_named(name: object) -> PublishedKind:
    """The kind that a manifest names."""
    if not isinstance(name, str) or name not in _MEMBERS:
        raise BadRelease(f"The manifest names the unknown kind of data {name!r}; known are {', '.join(_MEMBERS)}.")
    return KINDS[imported(f"crypsis.data.{_MEMBERS[name][0]}")]
