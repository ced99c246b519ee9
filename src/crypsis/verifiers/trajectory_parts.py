"""Recount what published trajectories in parts promise, in bounded memory.

The verdict is the one on all trajectories in memory, witness and figures included.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import NotApplicable, OriginalRequired
from crypsis.guarantees import (
    ConstrainedKmAnonymity,
    Guarantee,
    KlmAnonymity,
    KmAnonymity,
    PatternPreservingKAnonymity,
    SequenceKAnonymity,
    Verdict,
)
from crypsis.verifiers.counted_rows import CountedRows
from crypsis.verifiers.klm_parts import verify_klm_parts
from crypsis.verifiers.km_anonymity import COMPARED, COUNTED, verdict_by_size
from crypsis.verifiers.sequence_parts import verify_sequence_parts
from crypsis.verifiers.subsequence_supports import Rarest
from crypsis.verifiers.utility_constraints import verdict_with_constraints


def shown_symbols(counted: CountedRows, sensitive: Iterable[str]) -> PublishedTrajectories:
    """One row that shows every symbol, and the sensitive locations, as a recipient knows them."""
    row = [*map(list, counted.names)]
    return replace(PublishedTrajectories.from_lists([row], sensitive=sensitive), suppressed=None)


def verify_trajectory_parts(
    counted: CountedRows,
    promised: Guarantee,
    symbols: PublishedTrajectories,
    original: Trajectories | None = None,
    shards: Sequence[Any] = (),
) -> Verdict:
    """The verdict on what was counted. `symbols` is one row that shows every symbol; `original`, where rows were
    compared with it, one that visits every location that occurs; `shards` hold the original trajectories."""
    if isinstance(promised, (SequenceKAnonymity, PatternPreservingKAnonymity)):
        return verify_sequence_parts(counted, promised, original, shards)
    if not isinstance(promised, (KmAnonymity, KlmAnonymity)):
        raise NotApplicable(f"{promised.model} is not counted on parts; verify the release without an executor.")
    if promised.unit == "owner":
        raise OriginalRequired("Published rows do not say whose they are, so owners cannot be counted on parts.")
    if isinstance(promised, KlmAnonymity):
        return verify_klm_parts(counted, promised, symbols, original, shards)

    def rarest_of_size(size: int) -> Rarest | None:
        return counted.rarest_of_size(size, promised.k)

    how = COUNTED if original is None else COUNTED + COMPARED
    verdict = verdict_by_size(promised, counted.names, counted.longest, rarest_of_size, how)
    if not isinstance(promised, ConstrainedKmAnonymity):
        return verdict
    rows_with = dict(zip(counted.names, counted.supports.tolist(), strict=True))
    return verdict_with_constraints(verdict, symbols, promised, original, rows_with)
