"""What a report shows of a disassociated release, computed once from what is published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from crypsis.arrays import Int64s
from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.reports.manifest_facts import ManifestFacts


@dataclass(frozen=True, eq=False)
class DisassociatedFacts(ManifestFacts):
    """The manifest and the forest."""

    row_words: ClassVar[tuple[str, str]] = ("record", "records")

    manifest: Mapping[str, Any]
    data: DisassociatedTransactions

    @cached_property
    def cluster_sizes(self) -> Int64s:
        return self.data.size[self.data.is_leaf]

    @cached_property
    def chunks_per_cluster(self) -> Int64s:
        """Record chunks of each leaf."""
        chunks = np.bincount(self.data.chunk_node, minlength=self.data.n_nodes)
        return chunks[self.data.is_leaf].astype(np.int64)

    @cached_property
    def term_chunk_sizes(self) -> Int64s:
        return np.diff(self.data.term_offsets)[self.data.is_leaf]

    @property
    def shared_chunks(self) -> int:
        return int(self.data.is_shared.sum())

    @property
    def record_chunks(self) -> int:
        return self.data.n_chunks - self.shared_chunks

    @cached_property
    def published_terms(self) -> int:
        """Terms that occur anywhere."""
        return int(np.count_nonzero((self.data.visible_supports > 0) | (self.data.hidden_leaves > 0)))

    @cached_property
    def only_hidden(self) -> list[str]:
        """Terms that occur in term chunks only, those in most clusters first."""
        codes = np.flatnonzero((self.data.visible_supports == 0) & (self.data.hidden_leaves > 0))
        order = np.lexsort((self.data.vocabulary.label_rank[codes], -self.data.hidden_leaves[codes]))
        return [self.data.vocabulary[int(code)] for code in codes[order]]

    @cached_property
    def partly_hidden(self) -> int:
        """Terms that occur in chunks, and in some term chunk, too."""
        return int(np.count_nonzero((self.data.visible_supports > 0) & (self.data.hidden_leaves > 0)))

    @property
    def joint_depth(self) -> int:
        return int(self.data.depth.max(initial=0))
