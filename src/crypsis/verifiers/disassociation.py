"""Recheck a disassociated release: every chunk, every leaf, every shared chunk; with the original also that it is it.

From the published form alone: clusters have k records, chunks are k^m-anonymous, every term has one place in a leaf,
a leaf's subrecords can fill its records (Lemma 2 with at least one chunk counted), joint sizes add up, and the terms of
a shared chunk exclude the same leaves, which leave room for it. That suffices for the guarantee; the article's own
Property 1 (`level="paper"`) does not. With the original: all records and terms are there as often as published. With
the leaf of each record, which only the publisher knows: every chunk is the projection of the records.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import numpy as np
import polars as pl

from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.disassociated_text import arranged
from crypsis.data.forest_counts import ForestCounts
from crypsis.data.transaction import Transactions
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadPublication
from crypsis.guarantees import DisassociationAnonymity, Verdict, Witness
from crypsis.verifiers.chunk_placement import Placement, placement_of
from crypsis.verifiers.chunk_projection import projection_of
from crypsis.verifiers.chunk_supports import RarestSets, rarest_sets

MOST_REPORTED = 100


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: what kind, where in the published object, and in words."""

    code: str
    where: str
    detail: str
    witness: Witness | None = None

    def to_dict(self) -> dict[str, str]:
        return {"code": self.code, "where": self.where, "detail": self.detail}

    def __str__(self) -> str:
        return f"{self.detail} ({self.where})" if self.where else self.detail


def verify_disassociation(
    published: DisassociatedTransactions, promised: DisassociationAnonymity, original: Transactions | None = None
) -> Verdict:
    """Look for everything that could break the promise; the verdict's figures list what was found, by code."""
    how = how_checked(original is not None, published.leaf_of_record is not None)
    try:
        data = arranged(published)
    except BadPublication as error:
        return verdict_of(promised, None, how, [Problem("format_error", error.where or "", error.message)], None)
    rarest = rarest_sets(data, promised.k, promised.m)
    counts = ForestCounts.of(data)
    compared = _compared(data, counts, promised, original) if original is not None else iter(())
    problems = chain(
        *own_problems(data, promised, rarest),
        sensitive_problems(counts, promised, _sensitive_labels(data, original)),
        compared,
    )
    return verdict_of(promised, lowest_support(counts, rarest), how, problems, counts)


def how_checked(with_original: bool, by_cluster: bool) -> str:
    """What was looked at, in words."""
    how = "every chunk and every leaf was checked"
    if with_original:
        how += ", and terms and records are those of the original"
        if by_cluster:
            how += ", cluster by cluster"
    return how


def lowest_support(counts: ForestCounts, rarest: RarestSets) -> int | None:
    """The lowest support of a set in a chunk, or the size of the smallest cluster."""
    return min([*rarest.lowest.tolist(), *counts.cluster_sizes.tolist()], default=None)


def verdict_of(
    promised: DisassociationAnonymity,
    achieved: int | None,
    how: str,
    found: Iterable[Problem],
    counts: ForestCounts | None,
) -> Verdict:
    """The verdict on what was found, and the figures of what was counted."""
    problems = list(islice(found, MOST_REPORTED))
    first = problems[0] if problems else None
    figures: dict[str, Any] = {}
    if counts is not None:
        figures = {
            "clusters": counts.clusters,
            "joint_nodes": counts.joint_nodes,
            "record_chunks": counts.record_chunks,
            "shared_chunks": counts.shared_chunks,
            "smallest_cluster": counts.smallest_cluster,
        }
    return Verdict(
        promised,
        not problems,
        achieved,
        promised.k,
        how,
        None if first is None else first.witness,
        None if first is None else str(first),
        {**figures, "problems": [problem.to_dict() for problem in problems]},
    )


def own_problems(
    data: DisassociatedTransactions, promised: DisassociationAnonymity, rarest: RarestSets
) -> list[Iterator[Problem]]:
    """What is wrong with a forest by itself, one kind of problem after another."""
    k, strict = promised.k, promised.level == "strict"
    placement = placement_of(data)
    return [
        _small_clusters(data, k),
        _clusters_without_room(data, k, promised.m),
        _rare_sets(data, k, rarest),
        _terms_placed_twice(data, placement),
        _shared_terms_below(data, placement),
        _crowded_chunks(data, placement, strict),
        _mixed_conflicts(data, placement) if strict else _rare_in_conflict(data, placement, k),
        _joint_sizes(data),
    ]


def _small_clusters(data: DisassociatedTransactions, k: int) -> Iterator[Problem]:
    for node in np.flatnonzero(data.is_leaf & (data.size < k)).tolist():
        yield Problem("small_cluster", _path(data, node), f"A cluster has {data.size[node]} records, {k} are required.")


def _clusters_without_room(data: DisassociatedTransactions, k: int, m: int) -> Iterator[Problem]:
    chunks = np.bincount(data.chunk_node, minlength=data.n_nodes)
    subrecords = np.bincount(data.chunk_node, data.chunk_sizes, data.n_nodes).astype(np.int64)
    counted = np.maximum(1, np.minimum(m, chunks))
    needed = data.size + k * (counted - 1)
    bare = np.diff(data.term_offsets) == 0
    for node in np.flatnonzero(data.is_leaf & bare & (subrecords < needed)).tolist():
        yield Problem(
            "lemma2",
            _path(data, node),
            f"A cluster without term chunk has {subrecords[node]} subrecords for {data.size[node]} records in "
            f"{chunks[node]} chunks; {needed[node]} are required, so that any of them can meet {k} times.",
        )


def _rare_sets(data: DisassociatedTransactions, k: int, rarest: RarestSets) -> Iterator[Problem]:
    labels = data.vocabulary.labels
    for chunk in np.flatnonzero(rarest.rare).tolist():
        members = [labels[term] for term in rarest.sets[chunk].tolist() if term >= 0]
        witness = Witness(
            tuple((label,) for label in sorted(members)), int(rarest.lowest[chunk]), int(rarest.rare[chunk])
        )
        yield Problem(
            "chunk_km",
            _chunk_path(data, chunk),
            f"{witness} occurs {witness.support} times in a chunk, {k} are required.",
            witness,
        )


def _terms_placed_twice(data: DisassociatedTransactions, found: Placement) -> Iterator[Problem]:
    for node in np.flatnonzero(found.twice >= 0).tolist():
        label = data.vocabulary[int(found.twice[node])]
        yield Problem("duplicate_term", _path(data, node), f"{label!r} is placed twice in one node.")


def _shared_terms_below(data: DisassociatedTransactions, found: Placement) -> Iterator[Problem]:
    for chunk in np.flatnonzero(found.hidden_below >= 0).tolist():
        label = data.vocabulary[int(found.hidden_below[chunk])]
        yield Problem(
            "duplicate_term", _chunk_path(data, chunk), f"{label!r} is shared, but a term chunk below still holds it."
        )


def _crowded_chunks(data: DisassociatedTransactions, found: Placement, strict: bool) -> Iterator[Problem]:
    room = np.where(strict | ~data.is_shared, found.room, data.size[data.chunk_node])
    for chunk in np.flatnonzero(data.chunk_sizes > room).tolist():
        yield Problem(
            "capacity",
            _chunk_path(data, chunk),
            f"A chunk has {data.chunk_sizes[chunk]} subrecords for {room[chunk]} records that could hold one.",
        )


def _mixed_conflicts(data: DisassociatedTransactions, found: Placement) -> Iterator[Problem]:
    for chunk in np.flatnonzero(found.differs >= 0).tolist():
        label = data.vocabulary[int(found.differs[chunk])]
        yield Problem(
            "mixed_conflicts",
            _chunk_path(data, chunk),
            f"{label!r} cannot be in the same clusters as other terms of its shared chunk.",
        )


def _rare_in_conflict(data: DisassociatedTransactions, found: Placement, k: int) -> Iterator[Problem]:
    rare = np.minimum.reduceat(data.counts, data.chunk_offsets[:-1]) if data.n_chunks else data.counts[:0]
    for chunk in np.flatnonzero(data.is_shared & found.conflicted & (rare < k)).tolist():
        yield Problem(
            "property1",
            _chunk_path(data, chunk),
            f"A shared chunk with a conflict holds a subrecord {rare[chunk]} times, {k} are required.",
        )


def _joint_sizes(data: DisassociatedTransactions) -> Iterator[Problem]:
    below = data.parent >= 0
    sums = np.bincount(data.parent[below], data.size[below], data.n_nodes).astype(np.int64)
    for node in np.flatnonzero(~data.is_leaf & (sums != data.size)).tolist():
        yield Problem(
            "joint_size", _path(data, node), f"A joint node has the size {data.size[node]}, its children {sums[node]}."
        )


def sensitive_problems(
    counts: ForestCounts, promised: DisassociationAnonymity, sensitive: Collection[str]
) -> Iterator[Problem]:
    """Sensitive terms stand in term chunks only; where l is promised, some term is sensitive."""
    if (promised.l or 1) > 1 and len(counts.labels) and not sensitive:
        yield Problem("nothing_sensitive", "", f"No term is declared sensitive, so l={promised.l} bounds nothing.")
    placed = counts.labels.filter(pl.Series(counts.visible > 0))
    for label in sorted(set(placed.to_list()).intersection(sensitive)):
        yield Problem("sensitive_placed", "", f"The sensitive term {label!r} stands in a chunk.")


def _sensitive_labels(data: DisassociatedTransactions, original: Transactions | None) -> set[str]:
    labels = set(data.sensitive)
    if original is not None and original.sensitive is not None:
        labels |= set(original.vocabulary.series.filter(original.sensitive).to_list())
    return labels


def problem_of_run(
    published: DisassociatedTransactions, original: Transactions, promised: DisassociationAnonymity
) -> str | None:
    """What stands against a forest as being made of these records, each in its leaf. Whether it keeps the promise is
    looked at when it is read back."""
    data = arranged(published)
    problem = next(_compared(data, ForestCounts.of(data), promised, original), None)
    return None if problem is None else str(problem)


def _compared(
    data: DisassociatedTransactions, counts: ForestCounts, promised: DisassociationAnonymity, original: Transactions
) -> Iterator[Problem]:
    filled = np.flatnonzero(original.lengths > 0)
    wrong = list(count_problems(counts, original, len(filled), len(original) - len(filled)))
    yield from wrong
    unlike = any(problem.code in ("mismatch", "term_lost") for problem in wrong)
    if data.leaf_of_record is not None and not unlike:
        code = data.vocabulary.encode(original.vocabulary.series)
        yield from _projected(data, promised, original.take(filled), code.astype(np.int32))


def count_problems(counts: ForestCounts, original: Transactions, filled: int, empty: int) -> Iterator[Problem]:
    """As many records are published as the original has, and every term as often. Of the original only the terms are
    asked and how many records hold each."""
    if filled != counts.records or empty != counts.empty_records:
        yield Problem(
            "mismatch",
            "",
            f"{counts.records} records and {counts.empty_records} empty ones are published, the original has "
            f"{filled} and {empty}.",
        )
        return
    published = Vocabulary(counts.labels)
    code = published.encode(original.vocabulary.series)
    supports = np.zeros(len(published), np.int64)
    supports[code[code >= 0]] = original.supports[code >= 0]
    for term in np.flatnonzero((code < 0) & (original.supports > 0)).tolist():
        yield Problem("term_lost", "", f"{original.vocabulary[int(term)]!r} is not published.")
    for term in np.flatnonzero(supports == 0).tolist():
        yield Problem("term_invented", "", f"{published[int(term)]!r} is published but not in the original.")
    visible, hidden = counts.visible, counts.hidden
    wrong = np.where(hidden == 0, visible != supports, supports < visible + hidden)
    for term in np.flatnonzero(wrong & (supports > 0)).tolist():
        yield Problem(
            "support",
            "",
            f"{published[int(term)]!r} is published {visible[term]} times and in {hidden[term]} term chunks; the "
            f"original has it {supports[term]} times.",
        )


def _projected(
    data: DisassociatedTransactions, promised: DisassociationAnonymity, original: Transactions, code: Any
) -> Iterator[Problem]:
    leaf = data.leaf_of_record
    assert leaf is not None
    sizes = np.bincount(leaf, minlength=data.n_nodes)
    if len(leaf) != len(original) or not np.array_equal(sizes, np.where(data.is_leaf, data.size, 0)):
        yield Problem("projection", "", "The clusters do not have as many records as were put into them.")
        return
    rows = np.repeat(np.arange(len(original)), original.lengths)
    items = code[original.items]
    order = np.lexsort((items, rows)) if (np.diff(code) < 0).any() else slice(None)
    found = projection_of(data, leaf, original.offsets, items[order])
    if found.homeless[0] >= 0:
        node, term = found.homeless
        yield Problem(
            "projection",
            _path(data, node),
            f"{data.vocabulary[term]!r} is in records of a cluster that has no place for it.",
        )
    if found.wrong_chunk >= 0:
        yield Problem("projection", _chunk_path(data, found.wrong_chunk), "A chunk is not what the records give.")
    owner = np.repeat(np.arange(data.n_nodes), np.diff(data.term_offsets))
    for index in np.flatnonzero(found.hidden == 0).tolist():
        yield Problem(
            "projection",
            _path(data, int(owner[index])),
            f"{data.vocabulary[int(data.terms[index])]!r} is in a term chunk, but in no record of the cluster.",
        )
    if promised.l is not None:
        labels = pl.Series(sorted(_sensitive_labels(data, original)), dtype=pl.String)
        sensitive = np.isin(data.terms, data.vocabulary.encode(labels))
        for index in np.flatnonzero(sensitive & (found.hidden * promised.l > data.size[owner])).tolist():
            yield Problem(
                "diversity",
                _path(data, int(owner[index])),
                f"{data.vocabulary[int(data.terms[index])]!r} is in {found.hidden[index]} of "
                f"{data.size[owner[index]]} records, at most one in {promised.l} is allowed.",
            )


def _path(data: DisassociatedTransactions, node: int) -> str:
    """`nodes[3].children[0]`: where a node stands."""
    steps = []
    while node >= 0:
        parent = int(data.parent[node])
        among = int(np.count_nonzero(data.parent[:node] == parent))
        steps.append(f"nodes[{among}]" if parent < 0 else f"children[{among}]")
        node = parent
    return ".".join(reversed(steps))


def _chunk_path(data: DisassociatedTransactions, chunk: int) -> str:
    node = int(data.chunk_node[chunk])
    among = chunk - int(np.searchsorted(data.chunk_node, node))
    return f"{_path(data, node)}.{'record' if data.is_leaf[node] else 'shared'}_chunks[{among}]"
