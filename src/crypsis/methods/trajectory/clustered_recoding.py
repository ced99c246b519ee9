"""What a method publishes that recodes clusters of rows separately, and what it tells the publisher alone."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from crypsis.arrays import Bools, Int64s, offsets_of, take_records
from crypsis.data.symbols import Symbols
from crypsis.data.trajectory import PublishedTrajectories
from crypsis.methods.record_accounting import record_accounting
from crypsis.methods.trajectory.diverse_merging import Recoding
from crypsis.methods.trajectory.merging import Merges
from crypsis.methods.trajectory.sensitive_visits import SplitTrajectories


@dataclass(frozen=True)
class ClusterMerges:
    """The merges of each cluster, in Gray order."""

    by_cluster: tuple[Merges, ...]

    def __len__(self) -> int:
        return sum(map(len, self.by_cluster))

    def to_lists(self) -> list[list[list[str]]]:
        """Cluster by cluster, the symbol that each merge made, as sorted labels."""
        return [merges.to_lists() for merges in self.by_cluster]

    def to_pairs(self) -> list[list[list[str]]]:
        """Cluster by cluster, the first label of each of the two symbols."""
        return [merges.to_pairs() for merges in self.by_cluster]


def published_clusters(
    split: SplitTrajectories, recodings: list[Recoding], *, lacks_sensitive: bool
) -> PublishedTrajectories:
    """Each visit replaced by its location's symbol in the row's cluster; sensitive ones as they are, or left out.

    Rows stay in input order. Clusters share the symbols that are equal as sets.
    """
    data = split.data
    sensitive = np.flatnonzero(split.sensitive & data.occurring)
    sets = {np.int32(code).tobytes(): index for index, code in enumerate(sensitive.tolist())}
    symbol_of_sensitive = np.full(len(data.locations), -1, np.int32)
    symbol_of_sensitive[sensitive] = np.arange(len(sensitive), dtype=np.int32)
    codes = symbol_of_sensitive[data.codes]
    for recoding in recodings:
        symbols, symbol_of_code = Symbols.of_partition(data.locations.vocabulary, recoding.representatives)
        numbers = np.array(
            [
                sets.setdefault(symbols.members[start:end].tobytes(), len(sets))
                for start, end in pairwise(symbols.offsets.tolist())
            ],
            np.int32,
        )
        _, visits = take_records(data.offsets, recoding.rows)
        visits = visits[~split.sensitive[data.codes[visits]]]
        codes[visits] = numbers[symbol_of_code[data.codes[visits]]]
    stays = ~_removed_visits(split, recodings)
    rows = np.repeat(np.arange(len(data)), data.lengths)
    members = [np.frombuffer(members, np.int32) for members in sets]
    shown = np.zeros(len(sets), np.bool_)
    shown[codes[stays]] = True
    number = np.cumsum(shown).astype(np.int32) - 1
    kept = [codes_of for codes_of, is_shown in zip(members, shown, strict=True) if is_shown]
    return PublishedTrajectories(
        offsets_of(np.bincount(rows[stays], minlength=len(data))),
        number[codes[stays]],
        Symbols(
            data.locations.vocabulary,
            offsets_of(np.array([len(codes_of) for codes_of in kept], np.int64)),
            np.concatenate(kept) if kept else np.empty(0, np.int32),
        ),
        owners=data.owners,
        # Only what is left is named: a sensitive location whose visits were all removed must not show.
        sensitive=tuple(sorted(data.locations.labels[code] for code in sensitive[shown[: len(sensitive)]].tolist())),
        lacks_sensitive=lacks_sensitive,
    )


def private_facts(
    split: SplitTrajectories, published: PublishedTrajectories, recodings: list[Recoding]
) -> dict[str, Any]:
    """What the publisher may look at and nobody else: clusters, their merges and symbols, what was removed."""
    data = split.data
    labels = data.locations.labels
    rows = np.repeat(np.arange(len(data)), data.lengths)
    removed = np.flatnonzero(_removed_visits(split, recodings))
    empty = int((published.lengths == 0).sum())
    return {
        "merges": ClusterMerges(tuple(recoding.merges for recoding in recodings)),
        "clusters": [recoding.rows.tolist() for recoding in recodings],
        "partition": [_partition(recoding, data.locations.vocabulary) for recoding in recodings],
        "removed_sensitive": [[row, labels[code]] for recoding in recodings for row, code in recoding.removed.tolist()],
        "suppressed_occurrences": [(int(rows[visit]), int(visit - data.offsets[rows[visit]])) for visit in removed],
        "lost": [],
        "accounting": record_accounting(len(data), empty),
    }


def _partition(recoding: Recoding, vocabulary: Any) -> list[list[str]]:
    symbols, _ = Symbols.of_partition(vocabulary, recoding.representatives)
    return [list(names) for names in symbols.label_lists]


def _removed_visits(split: SplitTrajectories, recodings: list[Recoding]) -> Bools:
    """By visit: it was to a sensitive location that was deleted from its row."""
    data = split.data
    n_codes = max(len(data.locations), 1)
    pairs: list[Int64s] = [recoding.removed[:, 0] * n_codes + recoding.removed[:, 1] for recoding in recodings]
    gone = np.concatenate(pairs) if pairs else np.empty(0, np.int64)
    rows = np.repeat(np.arange(len(data)), data.lengths)
    removed: Bools = np.isin(rows * n_codes + data.codes, gone) if len(gone) else np.zeros(data.visits, np.bool_)
    return removed
