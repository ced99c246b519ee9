"""Kinds of published data, one file each: all that a release does differently for trajectories than for tables."""

from __future__ import annotations

from typing import Any

from crypsis.data.counted_regions import CountedRegions
from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.mixed import PublishedMixed
from crypsis.data.relational import PublishedTable
from crypsis.data.synthetic import SyntheticTrajectories
from crypsis.data.synthetic_sets import SyntheticTransactions
from crypsis.data.trajectory import PublishedTrajectories
from crypsis.data.transaction import PublishedTransactions
from crypsis.data.windows import PublishedWindows
from crypsis.errors import BadRelease, NotApplicable
from crypsis.guarantees import Guarantee
from crypsis.publication.counted_regions import CountedRegionsKind
from crypsis.publication.disassociated import DisassociatedKind
from crypsis.publication.kind import PublishedKind
from crypsis.publication.mixed import MixedKind
from crypsis.publication.relational import TableKind
from crypsis.publication.stream import WindowKind
from crypsis.publication.synthetic import SyntheticKind
from crypsis.publication.synthetic_sets import SyntheticSetsKind
from crypsis.publication.trajectory import TrajectoryKind
from crypsis.publication.transaction import TransactionKind
from crypsis.verifiers import VERIFIERS

KINDS: dict[type, PublishedKind] = {
    PublishedTrajectories: TrajectoryKind(),
    SyntheticTrajectories: SyntheticKind(),
    CountedRegions: CountedRegionsKind(),
    SyntheticTransactions: SyntheticSetsKind(),
    PublishedTransactions: TransactionKind(),
    DisassociatedTransactions: DisassociatedKind(),
    PublishedTable: TableKind(),
    PublishedWindows: WindowKind(),
    PublishedMixed: MixedKind(),
}

__all__ = ["KINDS", "PublishedKind", "kind_named", "kind_of", "kind_promised"]


def kind_of(published: Any) -> PublishedKind:
    """How this published data are written, read and shown."""
    if type(published) not in KINDS:
        raise NotApplicable(f"{type(published).__name__} cannot be released.")
    return KINDS[type(published)]


def kind_promised(guarantee: Guarantee) -> PublishedKind:
    """The kind of data that a guarantee is about; the first of several."""
    return next(kind for published, kind in KINDS.items() if (type(guarantee), published) in VERIFIERS)


def kind_named(name: object) -> PublishedKind:
    """The kind that a manifest names."""
    for kind in KINDS.values():
        if kind.name == name:
            return kind
    known = ", ".join(kind.name for kind in KINDS.values())
    raise BadRelease(f"The manifest names the unknown kind of data {name!r}; known are {known}.")
