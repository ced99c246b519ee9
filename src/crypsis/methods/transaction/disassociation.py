"""Disassociation: publish which terms occur together in small pieces, but not which pieces belong together.

Guarantees that for every set of up to m terms some dataset that fits the release has it in k records. Costs a few
readings of the records for clusters and chunks, linear in their terms; sharing chunks between clusters costs more.

Terrovitis, Liagouris, Mamoulis, Skiadopoulos. Privacy preservation by disassociation. PVLDB 5(10), 2012, 944-955.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s, offsets_of
from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.forest_parts import join_forests
from crypsis.data.term_rank import term_rank
from crypsis.data.transaction import Transactions
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadParameter, NotApplicable
from crypsis.executors.executor import Executor
from crypsis.executors.scratch import Scratch, load
from crypsis.executors.threads import available_workers
from crypsis.guarantees import DisassociationAnonymity
from crypsis.kernels.grouping import grouped
from crypsis.kernels.vertical_partition import TERM_CHUNK
from crypsis.methods.method import Method
from crypsis.methods.scaling import BlockSize, RecodedForests, Scaling
from crypsis.methods.transaction.horizontal_partition import (
    Clusters,
    check_feasible,
    given_clusters,
    partition_horizontally,
)
from crypsis.methods.transaction.horpart_rounds import (
    Pooled,
    Splitting,
    join_pieces,
    partition_shards,
    rows_of_clusters,
    runs_of_clusters,
)
from crypsis.methods.transaction.ranked_records import RankedRecords
from crypsis.methods.transaction.refinement import Forest, refined
from crypsis.methods.transaction.vertical_partition import (
    Bags,
    Placement,
    bags,
    demoted_at_random,
    partition_vertically,
    record_chunks,
)
from crypsis.parameters import AtLeast, Between, OneOf
from crypsis.run_context import RunContext
from crypsis.shards.records import EncodedTransactions

CLUSTER_SIZE_PER_K = 20
BYTES_PER_VALUE = 128  # of a run of clusters while it is cut into chunks
PROPERTY_1_WARNING = (
    "refine='property1' follows the article as printed, whose Lemma 3 is false: a shared chunk may leave no room for "
    "a combination that occurs, and sharing may empty a term chunk that the guarantee rests on. Some combinations may "
    "then fit fewer than k records. Use it to reproduce the article, not to publish."
)


class RefinementFacts(NamedTuple):
    """What refining did, for the publisher alone."""

    passes: int
    joins: int
    hidden_before: int
    shared: int


@dataclass(frozen=True, kw_only=True)
class Disassociation(Method):
    """Cut records into subrecords that k records share, and publish the pieces of each cluster without their links.

    Records with terms in common form clusters. In each, terms go to record chunks in which every combination of up to m
    terms occurs in k records; terms too rare for that are only named. Clusters that name the same rare terms are then
    joined, so that these too are published with their frequencies, in chunks that the joined clusters share.
    No term is lost or generalized. Time and memory grow linearly with the records.
    Differs from the paper: clusters below k records are pooled, a cluster that needs its term chunk keeps a term in it,
    and all terms of a shared chunk exclude the same clusters. Without these rules its guarantee does not hold.

    >>> import crypsis
    >>> searches = crypsis.Transactions.from_lists(
    ...     [["flu", "madonna"], ["flu", "madonna", "ikea"], ["flu", "madonna", "ruby"], ["ikea", "ruby"]])
    >>> release = crypsis.anonymize(searches, crypsis.Disassociation(k=3, m=2))
    >>> release.data.to_canonical()["nodes"][0]["record_chunks"]
    [[{'count': 3, 'items': ['flu', 'madonna']}]]
    >>> release.data.to_canonical()["nodes"][0]["term_chunk"]
    ['ikea', 'ruby']
    >>> release.verify().holds
    True

    Terrovitis, Liagouris, Mamoulis, Skiadopoulos. Privacy preservation by disassociation. PVLDB 5(10), 2012,
    944-955: HORPART, VERPART, REFINE.
    """

    choose_when = (
        "When every item must survive as it is: sparse data with many rare items, such as searches and baskets."
    )
    costs = "Which pieces belong to one record is hidden; counts of single items stay exact."
    accepts = Transactions
    truthful = True
    promises = DisassociationAnonymity
    scaling = Scaling.BLOCKS
    on_parts = 'exact with `refine="none"`'
    publishes_shards = True
    stages = ("rank the terms", "form clusters", "cut into chunks", "join clusters", "publish")

    k: Annotated[int, AtLeast(1), "Records that some possible original must have for each combination."] = 5
    m: Annotated[int, Between(1, 8), "Most terms of a record that the adversary may know."] = 2
    max_cluster_size: Annotated[
        int | None, AtLeast(2), "Records up to which a cluster is not split, at least 2k; 20k if not given."
    ] = None
    refine: Annotated[
        str,
        OneOf(uniform="by the sound rule", none="not at all", property1="as printed in the article, which may fail"),
        "Share chunks between clusters: by the sound rule, not at all, or as printed in the article, which may fail.",
    ] = "uniform"
    horpart: Annotated[
        str,
        OneOf(standard="by the most frequent item", guarded="by others where that leaves fewer than k"),
        "Split by the most frequent term, or also by others where that leaves fewer than k on a side.",
    ] = "standard"
    safe: Annotated[
        bool, "Hide terms whose place in a later chunk would tell with certainty what they are rare with."
    ] = False
    min_causes: Annotated[
        int,
        AtLeast(1),
        "Sets that must each be able to explain a term's place in a later chunk where terms are hidden.",
    ] = 2
    demote_probability: Annotated[
        float, Between(0, 1), "Chance with which any term is hidden too, so that being hidden says nothing."
    ] = 0.0
    l: Annotated[  # noqa: E741 (its name in the literature)
        int | None,
        AtLeast(1),
        "At most one in l records of a cluster may hold the same sensitive term; the data must name such terms.",
    ] = None
    max_passes: Annotated[
        int | None, AtLeast(0), "Rounds of joining after which refining stops; no limit if not given."
    ] = None
    workers: Annotated[
        int | None, AtLeast(1), "Threads that work on clusters; all processors if not given. The result is the same."
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_cluster_size is not None and self.max_cluster_size < 2 * self.k:
            raise BadParameter(
                f"{type(self).__name__}: max_cluster_size must be an int of at least 2k = {2 * self.k}, "
                f"got {self.max_cluster_size}.",
                parameter="max_cluster_size",
                got=repr(self.max_cluster_size),
            )

    @property
    def complete(self) -> bool:
        return True

    @property
    def guarantee(self) -> DisassociationAnonymity:
        level = "paper" if self.refine == "property1" else "strict"
        return DisassociationAnonymity(k=self.k, m=self.m, l=self.l, level=level)

    @property
    def assured(self) -> bool:
        return self.refine != "property1"

    def anonymize(
        self, data: Transactions, context: RunContext, clusters: Sequence[Sequence[int]] | None = None
    ) -> DisassociatedTransactions:
        """Disassociate; `clusters` replace HORPART's: lists of record numbers from 0, empty records not counted."""
        self._check_sensitive(data)
        diversity = self.l or 1
        with context.stage("rank the terms"):
            records = RankedRecords.of(data)
            check_feasible(records, len(records), records.supports, self.k, diversity, data.vocabulary.labels)
        with context.stage("form clusters"):
            if clusters is not None:
                least = self.k if self.assured else 1  # the article's own clusters may be smaller
                parts = given_clusters(records, clusters, least, diversity, type(self).__name__)
            else:
                parts = partition_horizontally(
                    records,
                    self.k,
                    diversity,
                    self.max_cluster_size or CLUSTER_SIZE_PER_K * self.k,
                    self.horpart == "guarded",
                    data.vocabulary.labels,
                )
        published, facts = self.cut_clusters(records, parts, data.vocabulary, data.sensitive, context)
        context.private.update(_private_facts(len(data), parts.sizes, [facts]))
        self._warn(len(records), len(parts), context)
        return published

    def _warn(self, records: int, clusters: int, context: RunContext) -> None:
        if not self.assured:
            context.warn(PROPERTY_1_WARNING)
        if clusters == 1:
            context.warn(
                f"All {records} records are in one cluster: with k={self.k} there are too few records for more."
            )

    def cut_clusters(
        self,
        records: RankedRecords,
        parts: Clusters,
        vocabulary: Vocabulary,
        sensitive: Bools | None,
        context: RunContext,
    ) -> tuple[DisassociatedTransactions, RefinementFacts]:
        """Chunks of these clusters, also of joined ones; and what refining did."""
        workers = self.workers or available_workers()
        with context.stage("cut into chunks"):
            min_causes = self.min_causes if self.safe else 0
            placement = partition_vertically(records, parts, self.k, self.m, min_causes, workers, context)
            if self.demote_probability > 0:
                placement = demoted_at_random(placement, self.demote_probability)
            owner, in_records = record_chunks(placement, len(records), workers, context)
        forest = Forest.of_leaves(placement, parts)
        if self.refine != "none":
            with context.stage("join clusters"):
                rests = _rests_on_term_chunk(parts.sizes, owner, in_records.sizes, self.k, self.m)
                forest = refined(
                    records,
                    parts,
                    placement,
                    rests,
                    self.k,
                    self.m,
                    not self.assured,
                    self.max_passes,
                    workers,
                    context,
                )
        with context.stage("publish"):
            published = self._published(
                vocabulary, sensitive, records, parts, placement, forest, owner, in_records, workers, context
            )
        return published, RefinementFacts(
            forest.passes,
            len(forest.parent) - len(parts),
            int(np.count_nonzero(placement.chunk == TERM_CHUNK)),
            int(np.count_nonzero(forest.node_of_pair >= 0)),
        )

    @property
    def scaling_here(self) -> Scaling:
        return Scaling.EXACT if self.refine == "none" else Scaling.BLOCKS

    def anonymize_parts(
        self, data: EncodedTransactions, executor: Executor, context: RunContext, block: BlockSize
    ) -> DisassociatedTransactions | RecodedForests:
        known, diversity = data.one_of_each, self.l or 1
        self._check_sensitive(known)
        rows = self._rows_at_once(data, executor, block)
        with context.stage("rank the terms"):
            terms = RankedRecords.of(known)
            check_feasible(
                terms, data.n_filled, known.supports[terms.codes], self.k, diversity, known.vocabulary.labels
            )
            size = self.max_cluster_size or CLUSTER_SIZE_PER_K * self.k
            rank = term_rank(known).astype(np.int32)
            splitting = Splitting(rank, terms.sensitive, self.k, diversity, size, self.horpart == "guarded")
        with context.stage("form clusters"):
            clusters, tasks = partition_shards(data.shards, data.n_filled, splitting, rows, executor)
            sizes = np.array([cluster.size for cluster in clusters], np.int64)
            runs = runs_of_clusters(sizes.tolist(), rows)
        with context.stage("cut into chunks"):
            files = [task["file"] for task in tasks]
            folder = executor.scratch.below("runs")
            work = [folder.save(f"run-{first:09d}", clusters[first:end]) for first, end in runs]
            facts_of_all = (terms.sensitive, terms.codes, known.vocabulary, data.sensitive)
            made = executor.map(disassociate_run, work, replace(self, workers=1), files, *facts_of_all)
        n_empty = data.n_records - data.n_filled
        context.private.update(_private_facts(data.n_records, sizes, [facts for _, facts in made]))
        self._warn(data.n_filled, len(clusters), context)
        files = [file for file, _ in made]
        if data.is_large:
            common = (known.vocabulary, data.sensitive, terms.codes)
            return RecodedForests(files, read_run, data.shards, known, data.n_filled, n_empty, common)
        with context.stage("publish"):
            return _joined_runs(files, data.n_filled, n_empty)

    def _rows_at_once(self, data: EncodedTransactions, executor: Executor, block: BlockSize) -> int:
        """Records of a run: those of a block; without refining as many as fit, which the release does not show."""
        per_record = BYTES_PER_VALUE * (int(data.supports.sum()) // max(data.n_filled, 1) + 1)
        if self.scaling_here is Scaling.EXACT:
            return max(1, min(block.rows, executor.memory // 2 // per_record))
        if data.n_records > block.rows:
            block.check_fits(per_record, data.n_records, executor)
        return block.rows

    def _check_sensitive(self, data: Transactions) -> None:
        if self.l is not None and (data.sensitive is None or not data.sensitive.any()):
            raise NotApplicable(
                f"{type(self).__name__}: l={self.l} needs data with sensitive terms. Name them when the data are read, "
                "or leave l out."
            )

    def _published(
        self,
        vocabulary: Vocabulary,
        secret: Bools | None,
        records: RankedRecords,
        parts: Clusters,
        placement: Placement,
        forest: Forest,
        owner: Int64s,
        in_records: Bags,
        workers: int,
        context: RunContext,
    ) -> DisassociatedTransactions:
        shared_node, shared = _shared_chunks(records, placement, forest, workers, context)
        hidden = np.flatnonzero((placement.chunk == TERM_CHUNK) & (forest.node_of_pair < 0))
        sensitive = () if secret is None else tuple(vocabulary[code] for code in np.flatnonzero(secret).tolist())
        return DisassociatedTransactions(
            vocabulary=vocabulary,
            k=self.k,
            m=self.m,
            empty_records=records.empty,
            parent=forest.parent,
            size=forest.size,
            chunk_node=np.concatenate((owner, shared_node)),
            chunk_offsets=np.concatenate(
                (in_records.chunk_offsets, in_records.chunk_offsets[-1] + shared.chunk_offsets[1:])
            ),
            counts=np.concatenate((in_records.counts, shared.counts)),
            entry_offsets=offsets_of(np.concatenate((in_records.lengths, shared.lengths))),
            items=records.codes[np.concatenate((in_records.terms, shared.terms))],
            term_offsets=offsets_of(np.bincount(placement.leaf[hidden], minlength=len(forest.parent))),
            terms=records.codes[placement.term[hidden]],
            sensitive=sensitive,
            leaf_of_record=parts.of_record,
        )


def _rests_on_term_chunk(sizes: Int64s, owner: Int64s, chunk_sizes: Int64s, k: int, m: int) -> np.ndarray[Any, Any]:
    """Whether the chunks of each cluster hold too few subrecords for all records once its term chunk is empty."""
    subrecords = np.bincount(owner, chunk_sizes, len(sizes)).astype(np.int64)
    chunks = np.bincount(owner, minlength=len(sizes))
    rests: np.ndarray[Any, Any] = subrecords < sizes + k * (np.clip(chunks, 1, m) - 1)
    return rests


def _shared_chunks(
    records: RankedRecords, placement: Placement, forest: Forest, workers: int, context: RunContext
) -> tuple[Int64s, Bags]:
    """The joint node of each shared chunk, and the chunks."""
    first = np.cumsum(forest.n_chunks) - forest.n_chunks
    taken = np.flatnonzero(forest.node_of_pair >= 0)
    by_term, _ = grouped(placement.term[taken].astype(np.int64), len(records.codes))
    taken = taken[by_term]
    chunk = first[forest.node_of_pair[taken]] + forest.chunk_of_pair[taken]
    n_chunks = int(forest.n_chunks.sum())
    owner = np.repeat(np.arange(len(forest.parent)), forest.n_chunks)
    return owner, bags(placement, taken, chunk, n_chunks, len(records), workers, context)


def disassociate_run(
    file: str,
    method: Disassociation,
    files: Sequence[str],
    sensitive: Bools,
    codes: Int32s,
    vocabulary: Vocabulary,
    secret: Bools | None,
) -> tuple[str, RefinementFacts]:
    """A file with the chunks of a run of clusters and its records in the order of the clusters."""
    clusters: list[Pooled] = load(file)
    rows = rows_of_clusters(clusters, files)
    numbers, offsets, terms = join_pieces(rows)
    parts = Clusters(np.arange(len(numbers)), offsets_of(np.array([len(row[0]) for row in rows], np.int64)))
    records = RankedRecords(offsets, terms, sensitive, codes, 0)
    published, facts = method.cut_clusters(records, parts, vocabulary, secret, RunContext())
    target = Path(file)
    return Scratch(target.parent).save(f"published-{target.name}", (published, (numbers, offsets, terms))), facts


def read_run(
    file: str, vocabulary: Vocabulary, secret: Bools | None, codes: Int32s
) -> tuple[DisassociatedTransactions, Transactions, Int64s]:
    """What is published of a run, its records as they were, and their numbers."""
    published, (numbers, offsets, terms) = load(file)
    return published, Transactions(offsets, codes[terms], vocabulary, secret), numbers


def _joined_runs(files: Sequence[str], n_records: int, n_empty: int) -> DisassociatedTransactions:
    """The nodes of all runs, one run behind the other."""
    leaf = np.empty(n_records, np.int64)
    first, runs = 0, []
    for file in files:
        run, (numbers, _, _) = load(file)
        assert run.leaf_of_record is not None
        leaf[numbers] = first + run.leaf_of_record
        first += run.n_nodes
        runs.append(run)
    return replace(join_forests(runs), empty_records=n_empty, leaf_of_record=leaf)


def _private_facts(n_records: int, sizes: Int64s, runs: Sequence[RefinementFacts]) -> dict[str, Any]:
    published = int(sizes.sum())
    return {
        "accounting": {"input": n_records, "published": published, "empty": n_records - published},
        "clusters": {"number": len(sizes), "smallest": int(sizes.min()), "largest": int(sizes.max())},
        "refinement": {
            "passes": max(run.passes for run in runs),
            "joins": sum(run.joins for run in runs),
            "hidden_before": sum(run.hidden_before for run in runs),
            "shared": sum(run.shared for run in runs),
        },
    }
