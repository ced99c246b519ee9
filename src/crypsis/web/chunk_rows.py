"""The pieces of disassociated data as rows for people: of which cluster, which terms, and how many records."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.translation import _
from crypsis.web.grids import Grid


def chunk_grid(published: DisassociatedTransactions) -> Grid:
    """A row for each different piece of each chunk, the most frequent first, and one for the terms that only occur."""
    terms, records = _("Terms"), _("Records")
    schema = {_("Clusters and chunk"): pl.String, terms: pl.String, records: pl.Int64}
    frame = pl.DataFrame(list(_rows(published.canonical())), schema=schema, orient="row")
    return Grid(frame, frozenset({records}))


def _rows(data: DisassociatedTransactions) -> Iterator[tuple[str, str, int | None]]:
    labels = data.vocabulary.labels
    place, end = data.preorder
    leaf_places = np.sort(place[data.is_leaf])
    chunks = np.searchsorted(data.chunk_node, np.arange(data.n_nodes + 1))
    for node in np.argsort(place).tolist():
        first, after = np.searchsorted(leaf_places, (place[node], end[node])).tolist()
        owner = f"{first + 1}" if first + 1 == after else f"{first + 1}–{after}"
        for number, chunk in enumerate(range(int(chunks[node]), int(chunks[node + 1])), 1):
            piece = _("{owner} · chunk {number}", owner=owner, number=number)
            entries = range(int(data.chunk_offsets[chunk]), int(data.chunk_offsets[chunk + 1]))
            for entry in sorted(entries, key=lambda entry: -int(data.counts[entry])):
                codes = data.items[data.entry_offsets[entry] : data.entry_offsets[entry + 1]].tolist()
                yield piece, ", ".join(labels[code] for code in codes), int(data.counts[entry])
        hidden = data.terms[data.term_offsets[node] : data.term_offsets[node + 1]].tolist()
        if hidden:
            yield _("{owner} · term chunk", owner=owner), ", ".join(labels[code] for code in hidden), None
