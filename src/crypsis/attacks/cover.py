"""Cover attack on disassociated data: who knows how chunks are made can tell some rare combinations for certain.

A term b stands in a later chunk of a cluster because, with some set X of terms of each earlier chunk, it occurs in 1 to
k - 1 records: otherwise it would have been put there. Where the earlier chunk offers only one such X, the adversary
knows that X and b occur together, and that fewer than k people of the cluster have both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np

from crypsis.arrays import Int64s
from crypsis.arrays.chunk_layout import Forest
from crypsis.attacks.attack import Attack, AttackResult
from crypsis.compilation import njit
from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.disassociated_text import arranged
from crypsis.data.transaction import Transactions
from crypsis.errors import NotApplicable, PersonNotSupported
from crypsis.parameters import AtLeast


@dataclass(frozen=True, eq=False)
class CoverResult(AttackResult):
    """Clusters are the individuals here: `candidates` of one is the most records that can hold its rarest certain
    combination, or all its records where nothing is certain. `certain` lists the combinations, private as they are."""

    certain: tuple[tuple[str, ...], ...] = ()
    exposed_clusters: int = 0

    @property
    def notes(self) -> list[str]:
        """What the figures do not say by themselves."""
        return [
            "clusters are counted here, not people",
            f"{self.exposed_clusters:,} of {self.individuals:,} clusters have a combination that is certain and "
            f"rare, {len(self.certain):,} combinations in all",
        ]

    def to_dict(self) -> dict[str, Any]:
        return {
            **super().to_dict(),
            "certain_combinations": len(self.certain),
            "clusters_with_certain_combinations": self.exposed_clusters,
        }


@dataclass(frozen=True, kw_only=True)
class CoverAttack(Attack):
    """Knows how the release was made and reasons why a term is in a later chunk of its cluster.

    Counts the combinations that are certainly there and certainly rare, and the clusters that have one. No original is
    needed: the release says it all. The order in which terms were tried is guessed from their published frequencies.

    Barakat, Al Bouna, Nassar, Guyeux. On the evaluation of the privacy breach in disassociated set-valued datasets.
    SECRYPT 2016; Awad, Al Bouna, Couchot, Philippe. Safe disassociation of set-valued datasets. Journal of Intelligent
    Information Systems 53, 2019.
    """

    name = "cover"
    accepts = (Transactions,)

    min_causes: Annotated[int, AtLeast(2), "A combination is uncertain if at least so many could be the cause."] = 2

    def run(self, published: DisassociatedTransactions, original: Transactions | None = None) -> CoverResult:
        if not isinstance(published, DisassociatedTransactions):
            raise NotApplicable(
                f"CoverAttack reasons about disassociated transactions, got {type(published).__name__}."
            )
        if original is not None and original.person_repeats:
            raise PersonNotSupported(
                "Disassociated data are about records, and in this original a person has several; give it with the "
                "records of each person united (unite='person')."
            )
        data = arranged(published)
        supports = data.visible_supports + data.hidden_leaves
        rank = np.empty(len(supports), np.int64)
        rank[np.lexsort((np.arange(len(supports)), -supports))] = np.arange(len(supports))
        chunk_starts = np.searchsorted(data.chunk_node, np.arange(data.n_nodes + 1)).astype(np.int64)
        rule = _Rule(data.k, data.m, self.min_causes)
        fewest, sets = _find_certain(data.forest, chunk_starts, data.size, rank, rule)
        labels = data.vocabulary.labels
        certain = tuple(tuple(sorted(labels[term] for term in row if term >= 0)) for row in sets.tolist())
        leaf = data.is_leaf
        candidates = np.where(fewest > 0, fewest, data.size)[leaf]
        return CoverResult(
            self.name,
            self.parameters(),
            candidates[:, None],
            first_size=data.m,
            certain=certain,
            exposed_clusters=int(np.count_nonzero(fewest[leaf] > 0)),
        )


class _Rule(NamedTuple):
    """The model's k and m; a combination is uncertain if at least `enough` sets could be its cause."""

    k: int
    m: int
    enough: int


class _Tried(NamedTuple):
    """By what terms are tried: their support in the cluster, then their rank in the whole."""

    support: Int64s
    rank: Int64s


class _Room(NamedTuple):
    """Room to count terms of a chunk in: records and entries that hold each, those met, and the first cause found."""

    joint: Int64s
    holders: Int64s
    met: Int64s
    cause: Int64s


@njit
def _find_certain(
    forest: Forest, chunk_starts: Int64s, size: Int64s, rank: Int64s, rule: _Rule
) -> tuple[Int64s, Int64s]:
    """The most records of each leaf that can hold its rarest certain combination (0: none); and the combinations."""
    n_terms, m = len(rank), rule.m
    fewest = np.zeros(len(forest.is_leaf), np.int64)
    sets = np.full((16, m), -1, np.int64)
    n_sets = 0
    support = np.zeros(n_terms, np.int64)  # of the leaf's terms
    terms, chunk_of = np.empty(n_terms, np.int64), np.empty(n_terms, np.int64)
    tried = _Tried(support, rank)
    room = _Room(
        np.zeros(n_terms, np.int64), np.zeros(n_terms, np.int64), np.empty(n_terms, np.int64), np.full(m, -1, np.int64)
    )
    for leaf in range(len(forest.is_leaf)):
        first, end = chunk_starts[leaf], chunk_starts[leaf + 1]
        if not forest.is_leaf[leaf] or end - first < 2:
            continue
        n = 0
        lead = np.full(end - first, -1, np.int64)  # the term that was first in each chunk
        for chunk in range(first, end):
            for entry in range(forest.chunk_offsets[chunk], forest.chunk_offsets[chunk + 1]):
                for position in range(forest.entry_offsets[entry], forest.entry_offsets[entry + 1]):
                    term = forest.items[position]
                    if support[term] == 0:
                        terms[n], chunk_of[n] = term, chunk
                        n += 1
                    support[term] += forest.counts[entry]
        for index in range(n):
            chunk = chunk_of[index] - first
            if lead[chunk] < 0 or _earlier(terms[index], lead[chunk], tried):
                lead[chunk] = terms[index]
        for index in range(n):
            term, own = terms[index], chunk_of[index]
            for chunk in range(first, end):
                if chunk == own or not _earlier(lead[chunk - first], lead[own - first], tried):
                    continue
                found, together = _count_causes(forest, chunk, term, size[leaf], rule, tried, room)
                if found == 0 or found >= rule.enough:
                    continue
                most = min(rule.k - 1, min(together, support[term]))
                if fewest[leaf] == 0 or most < fewest[leaf]:
                    fewest[leaf] = most
                if n_sets == len(sets):
                    wider = np.full((2 * n_sets, m), -1, np.int64)
                    wider[:n_sets] = sets
                    sets = wider
                for position in range(m - 1):
                    sets[n_sets, position] = room.cause[position]
                sets[n_sets, m - 1] = term
                n_sets += 1
        for index in range(n):
            support[terms[index]] = 0
    return fewest, sets[:n_sets]


@njit
def _earlier(one: int, other: int, tried: _Tried) -> bool:
    """One term was tried before the other."""
    if tried.support[one] != tried.support[other]:
        return tried.support[one] > tried.support[other]  # type: ignore[no-any-return]
    return tried.rank[one] < tried.rank[other]  # type: ignore[no-any-return]


@njit
def _count_causes(
    forest: Forest, chunk: int, term: int, size: int, rule: _Rule, tried: _Tried, room: _Room
) -> tuple[int, int]:
    """Sets of up to m - 1 terms of a chunk that may have kept a term out of it, counted up to `enough`.

    Also the support of the first one, which is left in `cause`. A set is a cause if all its terms were tried before
    the term, and the published counts do not exclude that both occur together fewer than k times.
    """
    m, enough = rule.m, rule.enough
    joint, holders, met, cause = room
    cause[:] = -1
    found, first_support = 0, 0
    chosen = np.full(m, -1, np.int64)
    entries = np.arange(forest.chunk_offsets[chunk], forest.chunk_offsets[chunk + 1])
    places = forest.entry_offsets[forest.chunk_offsets[chunk] : forest.chunk_offsets[chunk + 1]].copy()
    # Sets of one length after another, so that the shortest cause is met first: few lengths, small chunks.
    for length in range(1, m):
        depth = 0
        cursor = np.zeros(m, np.int64)
        listed = np.full((m, 1), -1, np.int64)
        lists_of_entries = [entries]
        lists_of_places = [places]
        lists_of_terms = [listed[0]]
        fresh = True
        while depth >= 0:
            if fresh:
                n_met = 0
                ones, starts = lists_of_entries[depth], lists_of_places[depth]
                for index in range(len(ones)):
                    for entry in range(starts[index], forest.entry_offsets[ones[index] + 1]):
                        item = forest.items[entry]
                        if _earlier(item, term, tried):
                            if holders[item] == 0:
                                met[n_met] = item
                                n_met += 1
                            holders[item] += 1
                            joint[item] += forest.counts[ones[index]]
                if depth + 1 == length:
                    for index in range(n_met):
                        together = joint[met[index]]
                        if together + tried.support[term] - size < rule.k and found < enough:
                            if found == 0:
                                first_support = together
                                for position in range(depth):
                                    cause[position] = chosen[position]
                                cause[depth] = met[index]
                            found += 1
                lists_of_terms[depth] = met[:n_met].copy()
                for index in range(n_met):
                    holders[met[index]] = 0
                    joint[met[index]] = 0
                cursor[depth] = 0
                fresh = False
            if found >= enough:
                return found, first_support
            if depth + 1 == length or cursor[depth] == len(lists_of_terms[depth]):
                depth -= 1
                if depth >= 0:
                    lists_of_entries.pop()
                    lists_of_places.pop()
                    lists_of_terms.pop()
                continue
            item = lists_of_terms[depth][cursor[depth]]
            cursor[depth] += 1
            chosen[depth] = item
            ones, starts = lists_of_entries[depth], lists_of_places[depth]
            inner, inner_places = np.empty(len(ones), np.int64), np.empty(len(ones), np.int64)
            n_inner = 0
            for index in range(len(ones)):
                for entry in range(starts[index], forest.entry_offsets[ones[index] + 1]):
                    if forest.items[entry] == item:
                        inner[n_inner], inner_places[n_inner] = ones[index], entry + 1
                        n_inner += 1
                        break
            lists_of_entries.append(inner[:n_inner].copy())
            lists_of_places.append(inner_places[:n_inner].copy())
            lists_of_terms.append(met[:0].copy())
            depth += 1
            fresh = True
    return found, first_support
