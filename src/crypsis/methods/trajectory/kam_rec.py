"""KAMRec: cut what begins rarely, then recover from it the longest part that k trajectories contain.

Guarantees sequence k-anonymity. Costs one sort, and for each distinct cut trajectory a search for its frequent
parts, or a walk over the whole tree where it has too many.

Monreale, Andrienko, Andrienko, Giannotti, Pedreschi, Rinzivillo, Wrobel. Transactions on Data Privacy 3, 2010, 91-121.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from crypsis.arrays import Int32s, Int64s, offsets_of
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.executors.executor import Executor
from crypsis.executors.threads import available_workers, map_in_threads
from crypsis.guarantees import SequenceKAnonymity
from crypsis.guarantees.trajectory_or_owner import ChosenUnit
from crypsis.kernels.frequent_parts import Others, best_frequent_parts
from crypsis.kernels.lcs import (
    NARROW,
    WORDS,
    Sequences,
    closest_paths,
    common_lengths,
    common_lengths_of_long,
    longest_common_lengths,
)
from crypsis.kernels.pattern_tree import (
    NO_ROOM,
    RARE,
    UNDECIDED,
    Corpus,
    PatternTree,
    emptied,
    no_patterns,
    patterns_of,
    with_more_room,
    with_own_room,
    written_out,
)
from crypsis.kernels.prefix_tree import heights, lexicographic_order, pruned, with_ancestors
from crypsis.kernels.projected_tree import ComparedTree, projected
from crypsis.kernels.recovery import (
    ItemIndex,
    best_replacement_of_long,
    best_replacements,
    index_of_items,
    replacements_by_items,
)
from crypsis.methods.method import Method
from crypsis.methods.scaling import BlockSize, RecodedRecords, Scaling
from crypsis.methods.trajectory.feasibility import individuals_of
from crypsis.methods.trajectory.prefix_tree import (
    PrefixTree,
    check_enough,
    corpus_of_rows,
    private_facts,
    published_rows,
)
from crypsis.methods.trajectory.trajectory_blocks import anonymize_in_blocks
from crypsis.parameters import AtLeast, Between
from crypsis.run_context import RunContext
from crypsis.shards.records import EncodedTrajectories

LANES = (8, 16, 32, 64)
POOL = 1 << 26  # entries of kept projections, at most, in all threads; memory is taken as they come
MOST_PATTERNS = 1 << 23  # in all threads; with more a thread begins with none again
LONG = 0
MEMBERS_AT_ONCE = 128
STEPS_PER_NODE = 0.1  # looking for parts may take about as long as comparing a sequence with all others
STEPS_OF_FEW_CODES = 30_000  # up to 64 codes the part of the tree to compare with grows more slowly than the tree
FEW_CODES = 64
LEAST_IN_GROUP = 256  # that are compared with the same part of the tree
LEAST_LONG_IN_GROUP = 16  # of long ones, which are compared one by one
NODES_PER_ENTRY = 2  # of the tree, for each entry of the index of items that is read instead of walking over it


@dataclass(frozen=True, kw_only=True)
class KAMRec(Method):
    """Cut trajectories that begin rarely, and publish instead the longest part of each that k trajectories contain.

    All trajectories are laid into one prefix tree. Those that leave the part that k of them pass are cut; a cut one is
    replaced by its longest common subsequence with another cut one or with a kept path, if at least k original
    trajectories contain that and it keeps p percent of the visits. Without such a part it is lost.
    Time grows with the distinct cut trajectories where these are short: each is searched for its frequent parts. Long
    ones have too many of them; they are compared with all others, in time that grows with the square of their number.
    Differs from the paper: candidates must pass the support test that its text asks for and its procedure lacks, ties
    go to the larger support and then the smaller sequence, and `strict` also counts the published data.

    >>> import crypsis
    >>> walks = crypsis.Trajectories.from_lists([["x", "park", "shop"], ["y", "park", "shop"], ["z", "park", "shop"]])
    >>> release = crypsis.anonymize(walks, crypsis.KAMRec(k=3, p=40))
    >>> release.data.to_lists()
    [['park', 'shop'], ['park', 'shop'], ['park', 'shop']]
    >>> release.verify().holds
    True

    Monreale, Andrienko, Andrienko, Giannotti, Pedreschi, Rinzivillo, Wrobel. Movement data anonymity
    through generalization. Transactions on Data Privacy 3, 2010, 91-121: KAM_REC.
    """

    choose_when = "When ways share their middle or end, and every published row must be true."
    costs = "Some rows are lost, none is invented."
    accepts = Trajectories
    counts_people = True
    truthful = True
    promises = SequenceKAnonymity
    scaling = Scaling.BLOCKS
    publishes_shards = True
    stages = (
        "prefix tree",
        "index",
        "find frequent parts",
        "compare with the tree",
        "recover",
        "publish",
    )

    k: Annotated[int, AtLeast(1), "Trajectories that must contain each published sequence."] = 5
    p: Annotated[float, Between(0, 100), "Percent of its visits that a recovered trajectory must keep."] = 40.0
    strict: Annotated[
        bool, "Also take back what fewer than k published trajectories contain, until nothing of that kind is left."
    ] = False
    unit: ChosenUnit = None

    @property
    def guarantee(self) -> SequenceKAnonymity:
        return SequenceKAnonymity(k=self.k, strict=self.strict, unit=self.unit or "trajectory")

    def anonymize(self, data: Trajectories, context: RunContext) -> PublishedTrajectories:
        groups = individuals_of(data, self.unit, type(self).__name__)
        check_enough(data, groups, self.k, self.unit)
        with context.stage("prefix tree"):
            tree = PrefixTree.of(data, groups, self.k)
        recovery = _Recovery(tree, self.p, context)
        with context.stage("recover"):
            recovery.run(context)
        with context.stage("publish"):
            context.private.update(private_facts(tree))
            codes, starts, lengths = recovery.rows()
            reason = f"no part of at least {self.p:g} percent is frequent"
            if self.strict:
                lengths = _without_rarely_published(codes, starts, lengths, groups, self.k, len(data.locations))
                reason += ", or it would be published too rarely"
            return published_rows(data, codes, starts, lengths, reason, context)

    def anonymize_parts(
        self, data: EncodedTrajectories, executor: Executor, context: RunContext, block: BlockSize
    ) -> PublishedTrajectories | RecodedRecords:
        return anonymize_in_blocks(self, data, executor, context, block, by_place=False)


class _Recovery:
    """Finds for each distinct cut trajectory the pattern that replaces it."""

    def __init__(self, tree: PrefixTree, p: float, context: RunContext) -> None:
        self.tree = tree
        self.cut = Sequences(*tree.paths_to(tree.cut_nodes))
        self.n_codes = len(tree.data.locations)
        others = tree.kept_leaves.copy()
        others[tree.cut_nodes] = True
        with context.stage("index"):
            ends = np.flatnonzero((tree.rows_ending > 0) | others)
            self.corpus = tree.corpus_of(ends)
            number = np.zeros(len(others), np.int32)
            number[ends] = np.arange(len(ends), dtype=np.int32)
            texts = Sequences(self.corpus.text, self.corpus.begins, self.corpus.lengths)
            # Parts of a kept path are frequent, however few end there.
            rows = np.where(tree.kept_leaves[ends], len(tree.data), self.corpus.rows)
            self.compared = ComparedTree(tree.nodes, heights(tree.nodes.parent), others, number, texts, rows)
            self.in_corpus = Others(others[ends], int(self.corpus.lengths.max(initial=0)))
            self.workers = available_workers()
            room = _room_for(self.corpus, self.workers)
            self.best, patterns = _found(self.cut, self.corpus, room, self.tree.k)
        frequent = np.flatnonzero(self.best != RARE)
        self.batches = [frequent]
        self.replacements = [written_out(patterns, self.best[frequent])]
        self.idle = [_Finder(self, self.corpus, patterns)]
        self.missing = np.flatnonzero(self.best == RARE)
        self.least = _shortest_allowed(self.cut.lengths, p)
        with context.stage("find frequent parts"):
            self._find_frequent_parts(context)
        with context.stage("compare with the tree"):
            self._compare_with_frequent(context)

    @contextmanager
    def _finder(self) -> Iterator[_Finder]:
        """What finds replacements in this thread: one that no other thread uses, or a new one."""
        try:
            finder = self.idle.pop()
        except IndexError:
            corpus = with_own_room(self.corpus)
            finder = _Finder(self, corpus, _room_for(corpus, self.workers))
        yield finder
        self.idle.append(finder)

    def _find_frequent_parts(self, context: RunContext) -> None:
        """Try what is frequent in each sequence, short ones first; the undecided are compared with all others later."""
        by_length = self.missing[np.argsort(self.cut.lengths[self.missing], kind="stable")]
        batches = [by_length[first : first + MEMBERS_AT_ONCE] for first in range(0, len(by_length), MEMBERS_AT_ONCE)]

        def try_parts(batch: Int64s) -> tuple[Int64s, tuple[Int64s, Int32s]]:
            with self._finder() as finder:
                return finder.frequent_parts(batch)

        # Few items make patterns that nearly all sequences share: one thread looks each up once, two look it up twice.
        workers = 1 if self.n_codes <= FEW_CODES else self.workers
        self._note_decided(map_in_threads(try_parts, batches, workers, context.report_progress))

    def _compare_by_items(self, context: RunContext) -> None:
        """Compare each with those alone that share enough items with it, where these are few."""
        index = index_of_items(self.corpus, self.in_corpus.compared, self.compared.rows, self.n_codes)
        n_missing = len(self.missing)
        batches = [self.missing[first : first + MEMBERS_AT_ONCE] for first in range(0, n_missing, MEMBERS_AT_ONCE)]

        def compare(batch: Int64s) -> tuple[Int64s, tuple[Int64s, Int32s]]:
            with self._finder() as finder:
                return finder.replacements_by_items(batch, index)

        self._note_decided(map_in_threads(compare, batches, self.workers, context.report_progress))

    def _note_decided(self, found: list[tuple[Int64s, tuple[Int64s, Int32s]]]) -> None:
        """Keep what replaces members of batches; the others stay missing."""
        if not found:
            return
        self.batches += [decided for decided, _ in found]
        self.replacements += [written for _, written in found]
        decided = np.concatenate([decided for decided, _ in found])
        self.missing = np.setdiff1d(self.missing, decided, assume_unique=True)

    def _compare_with_frequent(self, context: RunContext) -> None:
        """Whatever is in common with a frequent one is frequent, so nothing shorter than that is of use."""
        frequent = self.tree.kept.copy()
        frequent[self.tree.cut_nodes[self.best != RARE]] = True
        nodes, _ = pruned(self.tree.nodes, with_ancestors(self.tree.nodes.parent, frequent))
        height = heights(nodes.parent)
        least = self.least.copy()

        def look(part: tuple[Int64s, int]) -> None:
            batch, lane = part
            if lane == LONG:
                long = Sequences(self.cut.codes, self.cut.starts[batch], self.cut.lengths[batch])
                least[batch] = np.maximum(least[batch], closest_paths(long, nodes, height, self.n_codes)[1])
            else:
                masks = np.zeros((self.n_codes, WORDS), np.uint64)
                least[batch] = longest_common_lengths(self.cut, batch, self.least, lane, nodes, height, masks)

        batches = list(_batches(self.cut.lengths, self.least, self.missing))
        map_in_threads(look, batches, self.workers, context.report_progress)
        self.least = least

    def run(self, context: RunContext) -> None:
        """Find replacements for those that are not frequent themselves, batch by batch, in all processors."""
        if self.n_codes > FEW_CODES:
            self._compare_by_items(context)
        groups = list(self._groups())

        def replace(group: _Group) -> tuple[Int64s, Int32s]:
            with self._finder() as finder:
                return finder.replacements(group)

        self.batches += [group.members for group in groups]
        self.replacements += map_in_threads(replace, groups, self.workers, context.report_progress)

    def _groups(self) -> Iterator[_Group]:
        """Batches that are compared with the same tree: the whole one, or what is left of it for few codes."""
        if self.n_codes > FEW_CODES:
            for batch, lane in _batches(self.cut.lengths, self.least, self.missing):
                yield _Group([(batch, lane)], None)
            return
        most = _occurrences(self.cut, self.missing, self.n_codes)
        long = self.cut.lengths[self.missing] > NARROW
        for chosen, key, size in (
            (np.flatnonzero(~long), _item_sets(most), LEAST_IN_GROUP),
            (np.flatnonzero(long), self.least[self.missing].astype(np.int64), LEAST_LONG_IN_GROUP),
        ):
            order = chosen[np.argsort(key[chosen], kind="stable")]
            differs = np.flatnonzero(np.diff(key[order])) + 1
            begin = 0
            for end in (*differs.tolist(), len(order)):
                if end - begin >= size or begin < end == len(order):
                    of_group = order[begin:end]
                    batches = list(_batches(self.cut.lengths, self.least, self.missing[of_group]))
                    yield _Group(batches, most[of_group].max(axis=0))
                    begin = end

    def rows(self) -> tuple[Int32s, Int64s, Int64s]:
        """Codes, and where in them the published form of each trajectory starts and how long it is (0 if lost)."""
        tree = self.tree
        starts, lengths = tree.starts.copy(), tree.nodes.depth.astype(np.int64)
        codes, before = [tree.data.codes], tree.data.visits
        for members, (offsets, found) in zip(self.batches, self.replacements, strict=True):
            starts[tree.cut_nodes[members]] = before + offsets[:-1]
            lengths[tree.cut_nodes[members]] = np.diff(offsets)
            codes.append(found)
            before += len(found)
        return np.concatenate(codes), starts[tree.end_of_row], lengths[tree.end_of_row]


@dataclass(frozen=True)
class _Group:
    """Batches of cut trajectories, with their lanes, that are compared with one tree.

    That is the whole one, or what is left where `most` says how often an item may follow itself.
    """

    batches: list[tuple[Int64s, int]]
    most: Int32s | None

    @property
    def members(self) -> Int64s:
        return np.concatenate([batch for batch, _ in self.batches])


class _Finder:
    """Replaces cut trajectories in one thread. What it finds does not depend on the patterns that it saw before."""

    def __init__(self, recovery: _Recovery, corpus: Corpus, patterns: PatternTree) -> None:
        self.recovery = recovery
        self.corpus = corpus
        self.patterns = patterns
        few_codes = recovery.n_codes <= FEW_CODES
        self.allowance = STEPS_OF_FEW_CODES if few_codes else int(STEPS_PER_NODE * len(recovery.tree.nodes.item))
        self.saved = np.zeros(1, np.int64)
        self.masks = np.zeros((recovery.n_codes, WORDS), np.uint64)
        self.narrow_masks = np.zeros((recovery.n_codes, 1), np.uint64)
        self.best = np.full(len(recovery.best), RARE, np.int64)
        self.parts_decide = True  # until they are undecided for most sequences of a batch; longer ones are then, too

    def frequent_parts(self, batch: Int64s) -> tuple[Int64s, tuple[Int64s, Int32s]]:
        """The members of a batch that are decided by their frequent parts, and what replaces these as below."""
        of = self.recovery
        if not self.parts_decide:
            return batch[:0], written_out(self.patterns, batch[:0])
        self._forget_when_full()
        self.best[batch] = NO_ROOM
        while best_frequent_parts(
            of.cut,
            batch,
            of.compared.number[of.tree.cut_nodes],
            of.least,
            of.in_corpus,
            self.allowance,
            self.saved,
            of.n_codes,
            of.tree.k,
            self.corpus,
            self.patterns,
            self.best,
        ) < len(batch):
            self.patterns = with_more_room(self.patterns)
        decided = batch[self.best[batch] != UNDECIDED]
        self.parts_decide = 2 * len(decided) >= len(batch)
        return decided, written_out(self.patterns, self.best[decided])

    def replacements_by_items(self, batch: Int64s, index: ItemIndex) -> tuple[Int64s, tuple[Int64s, Int32s]]:
        """The same where few others share enough items with a member."""
        of = self.recovery
        self._forget_when_full()
        self.best[batch] = NO_ROOM
        most_entries = len(of.tree.nodes.item) // NODES_PER_ENTRY
        while replacements_by_items(
            of.cut,
            batch,
            of.least,
            index,
            most_entries,
            of.n_codes,
            of.tree.k,
            self.corpus,
            self.patterns,
            self.best,
        ) < len(batch):
            self.patterns = with_more_room(self.patterns)
        decided = batch[self.best[batch] != UNDECIDED]
        return decided, written_out(self.patterns, self.best[decided])

    def replacements(self, group: _Group) -> tuple[Int64s, Int32s]:
        """Offsets and codes of what replaces the members of a group; nothing where no pattern does."""
        self._forget_when_full()
        members = group.members
        compared = self.recovery.compared
        if group.most is not None:
            compared = projected(compared, group.most, int(self.recovery.least[members].min()))
        for batch, lane in group.batches:
            if lane == LONG:
                self._recover_long(int(batch[0]), compared)
            else:
                self._recover(batch, lane, compared)
        return written_out(self.patterns, self.best[members])

    def _forget_when_full(self) -> None:
        """Patterns are kept to save work only."""
        if self.patterns.used[0] > MOST_PATTERNS // self.recovery.workers:
            self.patterns = emptied(self.patterns)

    def _recover(self, batch: Int64s, lane: int, compared: ComparedTree) -> None:
        of = self.recovery
        found = common_lengths(
            of.cut, batch, of.least, lane, compared.nodes, compared.height, compared.chosen, self.masks
        )
        self.best[batch] = NO_ROOM
        while best_replacements(
            of.cut,
            batch,
            found,
            of.least,
            self.narrow_masks,
            compared,
            of.tree.k,
            self.corpus,
            self.patterns,
            self.best,
        ) < len(batch):
            self.patterns = with_more_room(self.patterns)

    def _recover_long(self, number: int, compared: ComparedTree) -> None:
        of = self.recovery
        start, least = int(of.cut.starts[number]), int(of.least[number])
        sequence = of.cut.codes[start : start + int(of.cut.lengths[number])]
        nodes, common = common_lengths_of_long(
            sequence, compared.nodes, compared.height, compared.chosen, of.n_codes, least
        )
        while True:
            self.best[number] = best_replacement_of_long(
                sequence, nodes, common, least, compared, of.tree.k, self.corpus, self.patterns, of.n_codes
            )
            if self.best[number] != NO_ROOM:
                return
            self.patterns = with_more_room(self.patterns)


def _shortest_allowed(lengths: Int32s, p: float) -> Int32s:
    """The smallest number of visits, 1 at least, that is p percent of each length."""
    wanted = p * lengths - 1e-9
    fewest = np.ceil(wanted / 100)
    fewest += 100 * fewest < wanted  # rounding of the division
    fewest -= 100 * (fewest - 1) >= wanted
    return np.maximum(fewest, 1).astype(np.int32)


def _room_for(corpus: Corpus, workers: int = 1) -> PatternTree:
    """A tree whose pool holds the projections of a few patterns at least."""
    n_sequences, n_postings = len(corpus.rows), len(corpus.postings)
    return no_patterns(pool=max(4 * n_sequences, min(POOL // workers, 256 * n_postings), 16))


def _found(patterns: Sequences, corpus: Corpus, tree: PatternTree, k: int) -> tuple[Int64s, PatternTree]:
    """The node of each pattern, RARE where fewer than k have it, and the tree, which may have grown."""
    nodes = np.full(len(patterns.lengths), NO_ROOM, np.int64)
    done = 0
    while (done := patterns_of(tree, corpus, patterns, done, k, nodes)) < len(nodes):
        tree = with_more_room(tree)
    return nodes, tree


def _by_lane(lengths: Int32s, numbers: Int64s) -> Iterator[tuple[int, Int64s]]:
    """Sequences by the bits that each needs to be compared."""
    shortest = 0
    for lane in LANES:
        chosen = numbers[(lengths[numbers] > shortest) & (lengths[numbers] < lane)]
        if len(chosen):
            yield lane, chosen
        shortest = lane - 1
    chosen = numbers[lengths[numbers] > NARROW]
    if len(chosen):
        yield LONG, chosen


def _batch_size(lane: int) -> int:
    """Sequences that are compared at once."""
    return 1 if lane == LONG else WORDS * (64 // lane)


def _batches(lengths: Int32s, least: Int32s, numbers: Int64s) -> Iterator[tuple[Int64s, int]]:
    """Sequences that are compared at once, and the bits that each needs. Those that want least stand together."""
    for lane, chosen in _by_lane(lengths, numbers):
        chosen = chosen[np.argsort(least[chosen], kind="stable")]
        size = _batch_size(lane)
        for first in range(0, len(chosen), size):
            yield chosen[first : first + size], lane


def _occurrences(sequences: Sequences, numbers: Int64s, n_codes: int) -> Int32s:
    """How often each sequence has each code."""
    lengths = sequences.lengths[numbers]
    offsets = offsets_of(lengths)
    owner = np.repeat(np.arange(len(numbers)), lengths)
    codes = sequences.codes[np.arange(offsets[-1]) + (sequences.starts[numbers] - offsets[:-1])[owner]]
    counts = np.bincount(owner * n_codes + codes, minlength=len(numbers) * n_codes)
    return counts.reshape(len(numbers), n_codes).astype(np.int32)


def _item_sets(occurrences: Int32s) -> Int64s:
    """The codes of each sequence as bits, the lowest for the most frequent: neighbours have rare codes in common."""
    occurs = occurrences > 0
    bit_of_code = np.empty(occurs.shape[1], np.uint64)
    bit_of_code[np.argsort(-occurs.sum(axis=0), kind="stable")] = np.uint64(1) << np.arange(
        len(bit_of_code), dtype=np.uint64
    )
    return (occurs @ bit_of_code).astype(np.int64)


def _without_rarely_published(
    codes: Int32s, starts: Int64s, lengths: Int64s, groups: Int32s, k: int, n_codes: int
) -> Int64s:
    """Lengths of the rows, 0 where a row is taken back because fewer than k individuals' published rows contain it."""
    offsets = offsets_of(lengths)
    positions = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths)
    flat = codes[positions]
    order, differs = lexicographic_order(offsets, flat, n_codes)
    number_of_row = np.empty(len(lengths), np.int64)
    number_of_row[order] = np.cumsum(differs)
    number_of_row[lengths == 0] = -1
    while True:
        numbers, first_rows = np.unique(number_of_row, return_index=True)
        published = numbers >= 0
        numbers, first_rows = numbers[published], first_rows[published]
        distinct = Sequences(flat, offsets[:-1][first_rows], lengths[first_rows].astype(np.int32))
        corpus = corpus_of_rows(distinct, numbers, number_of_row, groups, n_codes)
        rare = numbers[_found(distinct, corpus, _room_for(corpus), k)[0] == RARE]
        if len(rare) == 0:
            return np.where(number_of_row < 0, 0, lengths)
        number_of_row[np.isin(number_of_row, rare)] = -1
