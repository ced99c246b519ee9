"""Which clusters may hold the subrecords of each chunk of a disassociated release.

Leaves are numbered in preorder, so those below a joint node follow each other; their records are numbered likewise:
leaf number l has the record slots slots[l]:slots[l + 1]. A leaf may hold a shared subrecord unless one of its terms is
accounted for elsewhere in the leaf: in a record chunk, in the term chunk, or in a shared chunk further down.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crypsis.compilation import njit
from crypsis.data.arrays import Bools, Int32s, Int64s, offsets_of
from crypsis.data.disassociated import DisassociatedTransactions


@dataclass(frozen=True)
class Places:
    """The layout of leaves and, for each chunk, the runs of leaves that may hold any of its subrecords.

    `order` lists the nodes in preorder; node n has the leaves first_leaf[n]:end_leaf[n]. Chunk c has the distinct terms
    domain[domain_offsets[c]:domain_offsets[c + 1]], each in `supports` of its subrecords, and may lie in the runs of
    leaves run_starts[r]:run_ends[r] for r in run_offsets[c]:run_offsets[c + 1], `room[c]` records in all. In a chunk
    that is not `uniform` single terms exclude more leaves than others do, so some subrecords fit elsewhere, too.
    """

    order: Int64s
    first_leaf: Int64s
    end_leaf: Int64s
    slots: Int64s
    chunk_starts: Int64s
    domain_offsets: Int64s
    domain: Int32s
    supports: Int64s
    run_offsets: Int64s
    run_starts: Int64s
    run_ends: Int64s
    room: Int64s
    uniform: Bools

    @classmethod
    def of(cls, data: DisassociatedTransactions) -> Places:
        place, end = data.preorder
        order = np.argsort(place)
        is_leaf = data.is_leaf
        leaves_before = offsets_of(is_leaf[order].astype(np.int64))
        first_leaf, end_leaf = leaves_before[place], leaves_before[end]
        slots = offsets_of(data.size[order][is_leaf[order]])
        chunk_starts = np.searchsorted(data.chunk_node, np.arange(data.n_nodes + 1)).astype(np.int64)
        domain_offsets, domain, supports = _domains(
            data.chunk_offsets, data.counts, data.entry_offsets, data.items, len(data.vocabulary)
        )
        run_offsets, run_starts, run_ends, room, uniform = _runs(
            order, place, end, is_leaf, first_leaf, end_leaf, slots, chunk_starts, data.chunk_node,
            domain_offsets, domain, data.term_offsets, data.terms, len(data.vocabulary),
        )  # fmt: skip
        return cls(
            order, first_leaf, end_leaf, slots, chunk_starts, domain_offsets, domain, supports,
            run_offsets, run_starts, run_ends, room, uniform,
        )  # fmt: skip


@njit
def _domains(
    chunk_offsets: Int64s, counts: Int64s, entry_offsets: Int64s, items: Int32s, n_terms: int
) -> tuple[Int64s, Int32s, Int64s]:
    """The distinct terms of each chunk and in how many of its subrecords each is."""
    where = np.full(n_terms, -1, np.int64)
    offsets = np.zeros(len(chunk_offsets), np.int64)
    domain = np.empty(len(items), np.int32)
    supports = np.zeros(len(items), np.int64)
    filled = 0
    for chunk in range(len(chunk_offsets) - 1):
        for entry in range(chunk_offsets[chunk], chunk_offsets[chunk + 1]):
            for position in range(entry_offsets[entry], entry_offsets[entry + 1]):
                term = items[position]
                if where[term] < offsets[chunk]:
                    where[term] = filled
                    domain[filled] = term
                    filled += 1
                supports[where[term]] += counts[entry]
        offsets[chunk + 1] = filled
    return offsets, domain[:filled].copy(), supports[:filled].copy()


@njit
def _runs(
    order: Int64s,
    place_of: Int64s,
    end_of: Int64s,
    is_leaf: Bools,
    first_leaf: Int64s,
    end_leaf: Int64s,
    slots: Int64s,
    chunk_starts: Int64s,
    chunk_node: Int64s,
    domain_offsets: Int64s,
    domain: Int32s,
    term_offsets: Int64s,
    terms: Int32s,
    n_terms: int,
) -> tuple[Int64s, Int64s, Int64s, Int64s, Bools]:
    holding_offsets, holding = _holders(
        order, chunk_starts, domain_offsets, domain, term_offsets, terms, place_of, n_terms
    )
    n_chunks = len(chunk_node)
    run_offsets = np.zeros(n_chunks + 1, np.int64)
    run_starts, run_ends = np.empty(2 * n_chunks + 16, np.int64), np.empty(2 * n_chunks + 16, np.int64)
    room = np.zeros(n_chunks, np.int64)
    uniform = np.ones(n_chunks, np.bool_)
    n_leaves = len(slots) - 1
    first_starts, first_ends = np.empty(n_leaves + 1, np.int64), np.empty(n_leaves + 1, np.int64)
    starts, ends = np.empty(n_leaves + 1, np.int64), np.empty(n_leaves + 1, np.int64)
    excluded_by = np.full(n_leaves, -1, np.int64)
    runs = 0
    for chunk in range(n_chunks):
        node = chunk_node[chunk]
        n_first = -1
        if not is_leaf[node]:
            for position in range(domain_offsets[chunk], domain_offsets[chunk + 1]):
                held = holding[holding_offsets[domain[position]] : holding_offsets[domain[position] + 1]]
                if n_first < 0:
                    n_first = _excluded_runs(
                        held,
                        order,
                        place_of[node],
                        end_of[node],
                        end_of,
                        first_leaf,
                        end_leaf,
                        first_starts,
                        first_ends,
                    )
                    continue
                found = _excluded_runs(
                    held, order, place_of[node], end_of[node], end_of, first_leaf, end_leaf, starts, ends
                )
                if found != n_first:
                    uniform[chunk] = False
                for index in range(min(found, n_first)):
                    if starts[index] != first_starts[index] or ends[index] != first_ends[index]:
                        uniform[chunk] = False
        n_first = max(n_first, 0)
        if not uniform[chunk]:  # exclude every leaf that any term excludes
            for position in range(domain_offsets[chunk], domain_offsets[chunk + 1]):
                held = holding[holding_offsets[domain[position]] : holding_offsets[domain[position] + 1]]
                found = _excluded_runs(
                    held, order, place_of[node], end_of[node], end_of, first_leaf, end_leaf, starts, ends
                )
                for index in range(found):
                    for leaf in range(starts[index], ends[index]):
                        excluded_by[leaf] = chunk
            n_first = 0
            for leaf in range(first_leaf[node], end_leaf[node]):
                if excluded_by[leaf] == chunk:
                    first_starts[n_first], first_ends[n_first] = leaf, leaf + 1
                    n_first += 1
        open_at = first_leaf[node]
        for index in range(n_first + 1):
            stop = first_starts[index] if index < n_first else end_leaf[node]
            if stop > open_at:
                if runs == len(run_starts):
                    run_starts, run_ends = _longer(run_starts), _longer(run_ends)
                run_starts[runs], run_ends[runs] = open_at, stop
                room[chunk] += slots[stop] - slots[open_at]
                runs += 1
            if index < n_first:
                open_at = first_ends[index]
        run_offsets[chunk + 1] = runs
    return run_offsets, run_starts[:runs].copy(), run_ends[:runs].copy(), room, uniform


@njit
def _holders(
    order: Int64s,
    chunk_starts: Int64s,
    domain_offsets: Int64s,
    domain: Int32s,
    term_offsets: Int64s,
    terms: Int32s,
    place_of: Int64s,
    n_terms: int,
) -> tuple[Int64s, Int64s]:
    """For each term the preorder places of the nodes that hold it in a chunk or term chunk, ascending."""
    offsets = np.zeros(n_terms + 1, np.int64)
    for term in domain:
        offsets[term + 1] += 1
    for term in terms:
        offsets[term + 1] += 1
    offsets = np.cumsum(offsets)
    places = np.empty(len(domain) + len(terms), np.int64)
    fill = offsets.copy()
    for node in order:
        for position in range(domain_offsets[chunk_starts[node]], domain_offsets[chunk_starts[node + 1]]):
            places[fill[domain[position]]] = place_of[node]
            fill[domain[position]] += 1
        for position in range(term_offsets[node], term_offsets[node + 1]):
            places[fill[terms[position]]] = place_of[node]
            fill[terms[position]] += 1
    return offsets, places


@njit
def _excluded_runs(
    held: Int64s,
    order: Int64s,
    place: int,
    end: int,
    end_of: Int64s,
    first_leaf: Int64s,
    end_leaf: Int64s,
    starts: Int64s,
    ends: Int64s,
) -> int:
    """Runs of leaves strictly below the node at this place that hold a term themselves; returns their number."""
    runs = 0
    index = np.searchsorted(held, place + 1)
    while index < len(held) and held[index] < end:
        node = order[held[index]]
        if runs > 0 and ends[runs - 1] == first_leaf[node]:
            ends[runs - 1] = end_leaf[node]
        else:
            starts[runs], ends[runs] = first_leaf[node], end_leaf[node]
            runs += 1
        past = end_of[node]
        index += 1
        while index < len(held) and held[index] < past:
            index += 1
    return runs


@njit
def _longer(values: Int64s) -> Int64s:
    """The values with room for as many again."""
    grown = np.empty(2 * len(values), np.int64)
    grown[: len(values)] = values
    return grown
