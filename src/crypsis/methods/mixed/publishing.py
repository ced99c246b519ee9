"""From clusters and their generalized items to published mixed data."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

import numpy as np

from crypsis.arrays import Int64s, offsets_of
from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.data.symbols import Symbols
from crypsis.data.transaction import PublishedTransactions
from crypsis.data.vocabulary import Vocabulary
from crypsis.methods.mixed.clusters import Clusters
from crypsis.methods.mixed.item_recoding import ItemRecoder, Recoded
from crypsis.methods.relational.publishing import published_classes


def published_clusters(
    data: Mixed,
    clusters: Clusters,
    recoder: ItemRecoder,
    recoded: Sequence[Recoded],
    held: AbstractSet[str] | None,
    nodes: Sequence[Int64s] | None = None,
) -> PublishedMixed:
    """Every record with the cells and the generalized items of its cluster; sensitive items as they are.

    A suppressed record shows nothing. Scopes are told where the items of a cluster have several recodings. Symbols list
    the items that are `held`; where these are some records of many, `nodes` are those that columns of all show.
    """
    table = published_classes(clusters.quasi, clusters.cells(), clusters.cluster_of, nodes)
    table = replace(table, person=data.table.person)
    number_of: dict[tuple[str, ...], int] = {}
    rows_of, codes_of = [], []
    scopes = np.zeros(len(data), np.int32)
    for rows, shown in zip(clusters.lists(), recoded, strict=True):
        symbols = [tuple(label for label in labels if held is None or label in held) for labels in shown.symbols]
        number = np.array([number_of.setdefault(labels, len(number_of)) for labels in symbols], np.int64)
        rows_of.append(np.repeat(rows, np.diff(shown.offsets)))
        codes_of.append(number[shown.codes] if len(number) else np.zeros(0, np.int64))
        scopes[rows] = shown.scopes
    kept = np.repeat(clusters.cluster_of >= 0, np.diff(recoder.secret_offsets))
    secret = np.array([number_of.setdefault((label,), len(number_of)) for label in recoder.secret_labels], np.int64)
    rows_of.append(np.repeat(np.arange(len(data)), np.diff(recoder.secret_offsets))[kept])
    codes_of.append(secret[recoder.secrets[kept]] if len(secret) else np.zeros(0, np.int64))
    transactions = _transactions(list(number_of), np.concatenate(rows_of), np.concatenate(codes_of), len(data))
    return PublishedMixed(table, transactions, data.column, recoder.secret_labels, scopes if scopes.any() else None)


def held_items(clusters: Clusters, recoder: ItemRecoder) -> set[str] | None:
    """The items of records that are not suppressed; None where the publisher gave the tree whose leaves are told."""
    tree = getattr(recoder.method, "hierarchy", None)
    if tree is not None and not tree.origin:
        return None
    kept = np.repeat(clusters.cluster_of >= 0, recoder.lengths)
    return {recoder.labels[item] for item in np.unique(recoder.items[kept]).tolist()}


def _transactions(symbols: list[tuple[str, ...]], rows: Int64s, codes: Int64s, n_records: int) -> PublishedTransactions:
    vocabulary = Vocabulary(sorted({label for labels in symbols for label in labels}))
    code_of = {label: code for code, label in enumerate(vocabulary.labels)}
    members = [code_of[label] for labels in symbols for label in labels]
    lengths = np.fromiter(map(len, symbols), np.int64, len(symbols))
    order = np.lexsort((codes, rows))
    return PublishedTransactions(
        offsets_of(np.bincount(rows, minlength=n_records)),
        codes[order].astype(np.int32),
        Symbols(vocabulary, offsets_of(lengths), np.array(members, np.int32)),
        domain=len(vocabulary),
    )
