"""Recheck a disassociated release: every chunk, every leaf, every shared chunk; with the original also that it is it.

From the published form alone: clusters have k records, chunks are k^m-anonymous, every term has one place in a leaf,
a leaf's subrecords can fill its records (Lemma 2 with at least one chunk counted), joint sizes add up, and the terms of
a shared chunk exclude the same leaves, which leave room for it. That suffices for the guarantee; the article's own
Property 1 (`level="paper"`) does not. With the original: all records and terms are there as often as published. With
the leaf of each record, which only the publisher knows: every chunk is the projection of the records.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Int64s
from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.disassociated_text import arranged
from crypsis.data.transaction import Transactions
from crypsis.errors import BadPublication
from crypsis.guarantees import DisassociationAnonymity, Verdict, Witness
from crypsis.verifiers.chunk_placement import placement_of
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
    how = "every chunk and every leaf was checked"
    if original is not None:
        how += ", and terms and records are those of the original"
        if published.leaf_of_record is not None:
            how += ", cluster by cluster"
    try:
        data = arranged(published)
    except BadPublication as error:
        wrong = Problem("format_error", error.where or "", error.message)
        return _verdict(promised, None, how, [wrong], {})
    rarest = rarest_sets(data, promised.k, promised.m)
    problems = list(islice(_problems(data, promised, original, rarest), MOST_REPORTED))
    lowest = [*rarest.lowest.tolist(), *data.size[data.is_leaf].tolist()]
    shared = int(data.is_shared.sum())
    figures = {
        "clusters": len(data.leaves),
        "joint_nodes": data.n_nodes - len(data.leaves),
        "record_chunks": data.n_chunks - shared,
        "shared_chunks": shared,
        "smallest_cluster": int(data.size[data.is_leaf].min()) if data.is_leaf.any() else 0,
    }
    return _verdict(promised, min(lowest, default=None), how, problems, figures)


def _verdict(
    promised: DisassociationAnonymity,
    achieved: int | None,
    how: str,
    problems: list[Problem],
    figures: dict[str, Any],
) -> Verdict:
    first = problems[0] if problems else None
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


def _problems(
    data: DisassociatedTransactions,
    promised: DisassociationAnonymity,
    original: Transactions | None,
    rarest: RarestSets,
) -> Iterator[Problem]:
    yield from _leaf_problems(data, promised.k, promised.m)
    yield from _chunk_problems(data, promised, rarest)
    yield from _joint_sizes(data)
    yield from _sensitive_problems(data, original)
    if original is not None:
        yield from _compared(data, promised, original)


def _leaf_problems(data: DisassociatedTransactions, k: int, m: int) -> Iterator[Problem]:
    leaf = data.is_leaf
    for node in np.flatnonzero(leaf & (data.size < k)).tolist():
        yield Problem("small_cluster", _path(data, node), f"A cluster has {data.size[node]} records, {k} are required.")
    chunks = np.bincount(data.chunk_node, minlength=data.n_nodes)
    subrecords = np.bincount(data.chunk_node, data.chunk_sizes, data.n_nodes).astype(np.int64)
    counted = np.maximum(1, np.minimum(m, chunks))
    needed = data.size + k * (counted - 1)
    bare = np.diff(data.term_offsets) == 0
    for node in np.flatnonzero(leaf & bare & (subrecords < needed)).tolist():
        yield Problem(
            "lemma2",
            _path(data, node),
            f"A cluster without term chunk has {subrecords[node]} subrecords for {data.size[node]} records in "
            f"{chunks[node]} chunks; {needed[node]} are required, so that any of them can meet {k} times.",
        )


def _chunk_problems(
    data: DisassociatedTransactions, promised: DisassociationAnonymity, rarest: RarestSets
) -> Iterator[Problem]:
    k, strict = promised.k, promised.level == "strict"
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
    found = placement_of(data)
    for node in np.flatnonzero(found.twice >= 0).tolist():
        yield Problem(
            "duplicate_term", _path(data, node), f"{labels[found.twice[node]]!r} is placed twice in one node."
        )
    for chunk in np.flatnonzero(found.hidden_below >= 0).tolist():
        yield Problem(
            "duplicate_term",
            _chunk_path(data, chunk),
            f"{labels[found.hidden_below[chunk]]!r} is shared, but a term chunk below still holds it.",
        )
    room = np.where(strict | ~data.is_shared, found.room, data.size[data.chunk_node])
    for chunk in np.flatnonzero(data.chunk_sizes > room).tolist():
        yield Problem(
            "capacity",
            _chunk_path(data, chunk),
            f"A chunk has {data.chunk_sizes[chunk]} subrecords for {room[chunk]} records that could hold one.",
        )
    if strict:
        for chunk in np.flatnonzero(found.differs >= 0).tolist():
            yield Problem(
                "mixed_conflicts",
                _chunk_path(data, chunk),
                f"{labels[found.differs[chunk]]!r} cannot be in the same clusters as other terms of its shared chunk.",
            )
        return
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


def _sensitive_problems(data: DisassociatedTransactions, original: Transactions | None) -> Iterator[Problem]:
    codes = _sensitive_codes(data, original)
    for term in codes[data.visible_supports[codes] > 0].tolist():
        yield Problem("sensitive_placed", "", f"The sensitive term {data.vocabulary[term]!r} stands in a chunk.")


def _sensitive_codes(data: DisassociatedTransactions, original: Transactions | None) -> Int64s:
    labels = set(data.sensitive)
    if original is not None and original.sensitive is not None:
        labels |= set(original.vocabulary.series.filter(original.sensitive).to_list())
    codes = data.vocabulary.encode(pl.Series(sorted(labels), dtype=pl.String))
    return codes[codes >= 0].astype(np.int64)


def _compared(
    data: DisassociatedTransactions, promised: DisassociationAnonymity, original: Transactions
) -> Iterator[Problem]:
    filled = np.flatnonzero(original.lengths > 0)
    if len(filled) != data.records or len(original) - len(filled) != data.empty_records:
        yield Problem(
            "mismatch",
            "",
            f"{data.records} records and {data.empty_records} empty ones are published, the original has "
            f"{len(filled)} and {len(original) - len(filled)}.",
        )
        return
    code = data.vocabulary.encode(original.vocabulary.series)
    supports = np.zeros(len(data.vocabulary), np.int64)
    supports[code[code >= 0]] = original.supports[code >= 0]
    lost = np.flatnonzero((code < 0) & (original.supports > 0))
    for term in lost.tolist():
        yield Problem("term_lost", "", f"{original.vocabulary[int(term)]!r} is not published.")
    for term in np.flatnonzero(supports == 0).tolist():
        yield Problem("term_invented", "", f"{data.vocabulary[int(term)]!r} is published but not in the original.")
    visible, hidden = data.visible_supports, data.hidden_leaves
    wrong = np.where(hidden == 0, visible != supports, supports < visible + hidden)
    for term in np.flatnonzero(wrong & (supports > 0)).tolist():
        yield Problem(
            "support",
            "",
            f"{data.vocabulary[int(term)]!r} is published {visible[term]} times and in {hidden[term]} term chunks; the "
            f"original has it {supports[term]} times.",
        )
    if data.leaf_of_record is not None and not len(lost):
        yield from _projected(data, promised, original.take(filled), code.astype(np.int32))


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
        sensitive = np.isin(data.terms, _sensitive_codes(data, original))
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
