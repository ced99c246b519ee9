"""Mixed data in blocks: Mondrian's first splits cut the records into blocks, and each is anonymized by itself.

Every block keeps the promise by itself, and together they keep it: supports inside classes add up, and a bound on a
mean loss that each block keeps is kept by all, because the domains are those of all records. Costs, domains and trees
are global; where blocks publish the same class with different recodings of items, the release tells them apart. All
records of a person are in one block.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s, offsets_of, take_records
from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.data.transaction import Transactions
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import Infeasible
from crypsis.executors.executor import Executor
from crypsis.executors.scratch import Scratch, load
from crypsis.kernels.class_diversity import NOT_COUNTED
from crypsis.kernels.row_order import sorted_rows
from crypsis.methods.joined_blocks import try_blocks
from crypsis.methods.mixed.clusters import Clusters
from crypsis.methods.mixed.item_recoding import Recoded
from crypsis.methods.mixed.recoded_clusters import (
    Prepared,
    publish_clusters,
    recode_clusters,
    refuse_frequent,
    refuse_frequent_secrets,
)
from crypsis.methods.mixed.separate_recodings import separate_recodings
from crypsis.methods.relational.diversity import constraints_on
from crypsis.methods.relational.mondrian_blocks import Problem, layout_of, people_by_target, rows_by_target
from crypsis.methods.relational.quasi_identifiers import QuasiIdentifier, QuasiIdentifiers, warn_of_empty_columns
from crypsis.methods.relational.relational_method import facts_of_quasi
from crypsis.methods.relational.split_blocks import Cut, Files, deal_people, dealt, split_blocks
from crypsis.methods.scaling import BlockSize
from crypsis.run_context import RunContext
from crypsis.shards.mixed import EncodedMixed, MixedShard
from crypsis.shards.people import PersonShard
from crypsis.shards.ragged import joined_rows

if TYPE_CHECKING:
    from crypsis.methods.mixed.mixed_method import MixedMethod

BYTES_PER_RECORD = 256
BYTES_PER_CELL = 64
BYTES_PER_ITEM = 128
ADDED = ("clusters_formed", "merges")  # facts of blocks that add up
HELD = ("codes", "rows", "person")  # of each record of a block
ALONE = ("ul_after_each_merge",)  # facts that only one block has


@dataclass(frozen=True, eq=False)
class MixedProblem:
    """What all tasks know: the method, the columns with the facts of all records, and the items."""

    method: MixedMethod
    table: Problem
    grouped: Problem  # the columns as the relational method takes them
    vocabulary: Vocabulary
    sensitive: Bools | None
    column: str
    parts: tuple[str, ...]

    @classmethod
    def of(cls, method: MixedMethod, data: EncodedMixed) -> MixedProblem:
        """With the costs and trees of all records."""
        table = _columns(method, data, type(method).__name__, trees=False)
        relational, grouped = method.relational_method(), table
        if relational.every_column_has_a_tree:
            grouped = _columns(method, data, type(relational).__name__, trees=True)
        return cls(method, table, grouped, data.sets.vocabulary, data.sets.sensitive, data.column, data.parts)

    def prepare(self, codes: Int32s, offsets: Int64s, items: Int32s, person: Int64s | None) -> Prepared:
        """Some records, with the facts of all; `person` says whose they are, where somebody has several."""
        quasi = _of_people(self.table.identifiers(codes), person)
        grouped = quasi if self.grouped is self.table else _of_people(self.grouped.identifiers(codes), person)
        sets = Transactions(offsets, items, self.vocabulary, self.sensitive)
        data = Mixed(quasi.table, sets, self.column, self.parts)
        return Prepared(data, quasi, grouped, self.method.recoder(data.transactions))


def _of_people(quasi: QuasiIdentifiers, person: Int64s | None) -> QuasiIdentifiers:
    return quasi if person is None else replace(quasi, table=quasi.table.change(person=person))


def _columns(method: MixedMethod, data: EncodedMixed, owner: str, *, trees: bool) -> Problem:
    quasi, attributes, denominator, exact = facts_of_quasi(
        data.table, method.hierarchy, method.weights, owner, trees=trees
    )
    layout, nothing_asked = layout_of(data.table, quasi, ()), constraints_on([], [], owner)
    shown: tuple[QuasiIdentifier, ...] = tuple(quasi)
    people = None if data.person is None else NOT_COUNTED  # nothing is asked of whole columns
    return Problem(
        data.table.columns, shown, attributes, denominator, exact, layout, nothing_asked, method.k, False, people
    )


def anonymize_in_blocks(
    method: MixedMethod, data: EncodedMixed, executor: Executor, context: RunContext, block: BlockSize
) -> PublishedMixed:
    """What the method publishes of all blocks; of one block it is the release of data in memory."""
    whole = data.whole
    problem, done = run_blocks(method, data, executor, context, block)
    with context.stage("publish"):
        codes = np.stack([column.codes for column in whole.table.columns if column.role != "identifier"], axis=1)
        sets = whole.transactions
        prepared = replace(problem.prepare(codes, sets.offsets, sets.items, whole.person), data=whole)
        cluster_of = np.full(len(whole), -1, np.int64)
        recoded: list[Recoded] = []
        block_of: list[int] = []
        for index, one in enumerate(done):
            content = load(one["file"])
            own = content["cluster_of"]
            cluster_of[content["rows"]] = np.where(own < 0, -1, own + len(recoded))
            recoded += content["recoded"]
            block_of += [index] * len(content["recoded"])
        quasi = replace(prepared.quasi, table=whole.table)
        clusters = Clusters(quasi, cluster_of)
        if len(done) > 1:
            recoded = separate_recodings(clusters.classes(), np.array(block_of, np.int64), recoded)
            context.private["blocks"] = [load(one["file"])["rows"].tolist() for one in done]
        return publish_clusters(whole, clusters, prepared.recoder, recoded, context)


def run_blocks(
    method: MixedMethod, data: EncodedMixed, executor: Executor, context: RunContext, block: BlockSize
) -> tuple[MixedProblem, list[dict[str, Any]]]:
    """What is asked of all records, and the file of what was found for each block."""
    items = -(-int(data.sets.supports.sum()) // max(len(data), 1))
    needed = BYTES_PER_RECORD + BYTES_PER_CELL * len(data.table.columns) + BYTES_PER_ITEM * items
    block.check_fits(needed, len(data), executor)
    with context.stage("prepare"):
        problem = MixedProblem.of(method, data)
        known = method.recoder(data.sets.one_of_each)
        secrets = [data.sets.vocabulary.code(label) for label in known.secret_labels]
        counted = "records" if data.person is None else "people"
        refuse_frequent(known, data.holders(executor)[secrets], data.n_people, counted)
        warn_of_empty_columns(problem.table.quasi, len(data), context)
    folder = str(executor.scratch.below("blocks").folder)
    with context.stage("split"):
        cut = Cut(data.whole_people, send_rows, deal_rows)
        blocks = split_blocks(data.table, problem.table, block.rows, executor, context, cut)

    def attempt(chosen: Sequence[Files]) -> list[dict[str, Any] | None]:
        return executor.map(anonymize_block, list(chosen), folder, problem)

    with context.stage("blocks"):
        tried = try_blocks(blocks, attempt, lambda one, other: (*one, *other)) if len(blocks) > 1 else None
        if tried is None:
            every = tuple(file for files in blocks for file in files)
            done = executor.map(anonymize_block, [every], folder, problem, True)
        else:
            done = [result for _, result in tried]
    for warning in dict.fromkeys(warning for one in done for warning in one["warnings"]):
        context.warn(warning)
    for name in ADDED:
        if any(name in one["facts"] for one in done):
            context.private[name] = sum(one["facts"][name] for one in done)
    if len(done) == 1:
        context.private.update({name: value for name, value in done[0]["facts"].items() if name in ALONE})
    return problem, done


def send_rows(shard: MixedShard, *common: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    """The records of a shard by the block that they are in; those of a person stay together."""
    by_target = people_by_target(shard.table, *common) if isinstance(shard.table, PersonShard) else None
    for target, piece in by_target or rows_by_target(shard.table, *common):
        offsets, items = shard.sets_of(piece["rows"])
        yield target, {**piece, "offsets": offsets, "items": items}


def deal_rows(files: Files, problem: Problem, several: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """Records in the order of their codes, then of their items, then of the input, dealt out to several blocks."""
    held, offsets, items = rows_of_block(files, problem)
    quasi = problem.layout.quasi_codes(held["codes"])
    width = quasi.shape[1]
    lengths = np.diff(offsets) + width
    starts = offsets_of(lengths)
    values = np.empty(int(starts[-1]), np.int32)
    places = starts[:-1, None] + np.arange(width)
    values[places] = quasi + 1
    is_item = np.ones(len(values), np.bool_)
    is_item[places] = False
    values[is_item] = items
    order, person = sorted_rows(starts, values), held.get("person")
    for target, own in dealt(order, several) if person is None else deal_people(person, order, several):
        taken, positions = take_records(offsets, own)
        sets = {"offsets": taken, "items": items[positions]}
        yield target, {**{name: column[own] for name, column in held.items()}, **sets}


def rows_of_block(files: Files, problem: Problem) -> tuple[dict[str, Any], Int64s, Int32s]:
    """Codes, numbers in the input, and persons where these are told, of some records in the order of the input; and
    their sets."""
    pieces = [load(file) for file in files]
    held = {name: np.concatenate([piece[name] for piece in pieces]) for name in HELD if pieces and name in pieces[0]}
    if not held:
        held = {"codes": np.zeros((0, len(problem.columns)), np.int32), "rows": np.zeros(0, np.int64)}
    offsets, items = joined_rows([(piece["offsets"], piece["items"]) for piece in pieces])
    order = np.argsort(held["rows"], kind="stable")
    taken, positions = take_records(offsets, order)
    return {name: column[order] for name, column in held.items()}, taken, items[positions]


def anonymize_block(files: Files, folder: str, problem: MixedProblem, must: bool = False) -> dict[str, Any] | None:
    """The clusters of a block and their generalized items; None where no release of it exists."""
    held, offsets, items = rows_of_block(files, problem.table)
    rows = held["rows"]
    prepared = problem.prepare(held["codes"], offsets, items, held.get("person"))
    context = RunContext()
    try:
        refuse_frequent_secrets(prepared.recoder, prepared.data.transactions.people)
        clusters = problem.method.clusters(prepared, context)
        recoded = recode_clusters(clusters, prepared.recoder, context, type(problem.method).__name__)
    except Infeasible:
        if must:
            raise
        return None
    content = {"rows": rows, "cluster_of": clusters.cluster_of, "recoded": recoded}
    facts = {name: context.private[name] for name in (*ADDED, *ALONE) if name in context.private}
    file = Scratch.at(folder).save(f"block-{int(rows[0]) if len(rows) else 0}-{len(rows)}", content)
    warnings = list(context.warnings)
    return {"file": file, "files": files, "rows": len(rows), "facts": facts, "warnings": warnings}
