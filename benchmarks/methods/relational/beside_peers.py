"""Adult, k=5: our methods for tables beside anjana and anonypy, times and losses of one run.

Times are processor time of both. The losses are NCP, computed by our code on what each of them published; rows that a
peer leaves out count as suppressed. No loss of ours may be greater where both do the same: whole levels (Incognito
and anjana), parts without hierarchies (Mondrian, Cluster and anonypy). TopDown and BottomUp are greedy over subtrees,
which anjana is not; their losses stand beside for information. ARX is not timed here: no package index carries it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks import peers
from benchmarks.comparison import Row
from benchmarks.methods.relational.anonymizers import QUASI, adult, adult_trees
from crypsis import BottomUp, Cluster, Incognito, Mondrian, TopDown
from crypsis.data.cells import Cell, write_cell
from crypsis.data.relational import NodeLeaves, PublishedTable, Table
from crypsis.guarantees import KAnonymity
from crypsis.hierarchy import Hierarchies
from crypsis.methods.relational.relational_method import RelationalMethod
from crypsis.metrics.certainty_penalty import ncp_loss
from crypsis.run_context import RunContext
from crypsis.verifiers import verify
from tests.shared_data import dataset

K = 5

ANJANA = """
from anjana.anonymity import k_anonymity
quasi, share = {quasi!r}, {share!r}
trees = {{}}
for name in quasi:
    levels = pandas.read_csv({folder!r} + "/adult_hierarchy_" + name + ".csv", sep=";", header=None)
    trees[name] = {{level: levels[level].values for level in levels.columns}}
def work(frame):
    return k_anonymity(frame, [], quasi, {k}, share, dict(trees))
def told(result):
    counts = result.groupby(quasi, observed=True).size().reset_index(name="count")
    return counts.astype(str).values.tolist()
"""

ANONYPY = """
import anonypy
quasi = {quasi!r}
def work(frame):
    frame = frame.copy()
    for name in quasi:
        if name != "age":
            frame[name] = frame[name].astype("category")
    return anonypy.Preserver(frame, quasi, "salary-class").anonymize_k_anonymity(k={k})
def told(result):
    return [[str(row[name][0]) for name in quasi] + [str(row["count"])] for row in result]
"""


def rows(quick: bool = False) -> Iterator[Row]:
    """Nothing without Adult; a slice of it where it has to be quick, because anonypy takes most of a minute."""
    if not dataset("adult").is_dir():
        return
    table = adult(QUASI)
    if quick:
        table = table.take(np.arange(3_000))
    trees = adult_trees(QUASI)
    with tempfile.TemporaryDirectory(prefix="crypsis-bench-") as place:
        file = Path(place) / "adult.csv"
        table.to_frame().write_csv(file)
        for share in (0.0, 0.02):
            yield from _beside_anjana(table, trees, file, share)
        yield from _beside_anonypy(table, file)


def _beside_anjana(table: Table, trees: Hierarchies, file: Path, share: float) -> Iterator[Row]:
    """The same hierarchies, k and share of records that may be suppressed."""
    code = ANJANA.format(quasi=QUASI, share=100 * share, folder=str(dataset("adult")), k=K)
    found = peers.measured("anjana", code, file)
    theirs = None if found is None else nodes_published(table, trees, found[1])
    seconds = None if found is None else found[0]
    for kind in (Incognito, TopDown, BottomUp):
        method = kind(k=K, hierarchy=trees, max_suppressed=share)
        same_task = kind is Incognito
        yield _row(method, table, "anjana", seconds, theirs, f", {share:.0%} suppressed", same_task)


def _beside_anonypy(table: Table, file: Path) -> Iterator[Row]:
    """Without hierarchies, of which anonypy knows nothing: ranges of numbers and sets of values."""
    found = peers.measured("anonypy", ANONYPY.format(quasi=QUASI, k=K), file, repeats=1, limit=1200.0)
    theirs = None if found is None else sets_published(table, found[1])
    for method in (Mondrian(k=K, categories="halves"), Cluster(k=K)):
        yield _row(method, table, "anonypy", None if found is None else found[0], theirs, ", no hierarchies")


def _row(
    method: RelationalMethod,
    table: Table,
    peer: str,
    theirs: float | None,
    their_table: PublishedTable | None,
    what: str,
    same_task: bool = True,
) -> Row:
    published = method.anonymize(table, RunContext())
    assert verify(published, method.guarantee, table).holds
    seconds = peers.processor_time(2, lambda: method.anonymize(table, RunContext()))
    own_loss = ncp_loss(table, published).total
    if their_table is None:
        note, sound = f"cpu, NCP {float(own_loss):.4f}; {peers.missing() or f'{peer} failed'}", True
    else:
        their_loss = ncp_loss(table, their_table).total
        reached = verify(their_table, KAnonymity(k=K)).holds
        kept = "" if reached else f"; what {peer} published is not {K}-anonymous"
        note = f"cpu, NCP {float(own_loss):.4f}, theirs {float(their_loss):.4f}{kept}"
        sound = own_loss <= their_loss or not same_task
    return Row(
        f"{type(method).__name__} k={K}{what}",
        f"adult {len(table):,} x {len(table.quasi)}",
        seconds,
        peer,
        theirs,
        required=1.0,
        note=note,
        sound=sound,
    )


def nodes_published(table: Table, trees: Hierarchies, classes: Sequence[Sequence[str]]) -> PublishedTable:
    """What was published as nodes of hierarchies: the cells of each class and its size; the rest is suppressed."""
    leaves = {}
    nodes = {}
    for name in table.quasi:
        tree = trees[name]
        nodes[name] = set(tree.names) - set(tree.leaf_labels)
        leaves[name] = NodeLeaves({node: tree.leaves_below(node) for node in nodes[name]}, tree.n_leaves)
    left_out = len(table) - sum(int(one[-1]) for one in classes)
    suppressed = [["~"] * len(table.quasi) + [str(left_out)]] if left_out else []
    types = dict.fromkeys(table.quasi, "category")
    return PublishedTable.from_frame(
        _repeated(table.quasi, [*classes, *suppressed]),
        dict.fromkeys(table.quasi, "quasi"),
        types,
        nodes=nodes,
        hierarchies=leaves,
    )


def sets_published(table: Table, classes: Sequence[Sequence[str]]) -> PublishedTable:
    """What was published as `17-20` or `a,b`: the cells of each class and the number of its rows."""
    types = {name: table.column(name).type for name in table.quasi}
    texts = []
    for *cells, count in classes:
        read = [_cell(cell, types[name]) for name, cell in zip(table.quasi, cells, strict=True)]
        texts.append([*map(write_cell, read), count])
    return PublishedTable.from_frame(
        _repeated(table.quasi, texts), dict.fromkeys(table.quasi, "quasi"), types, nodes={}
    )


def _cell(text: str, type: str) -> Cell:
    if type == "category":
        return Cell.set(text.split(","))
    low, _, high = text.partition("-")
    return Cell.range(int(low), int(high or low))


def _repeated(names: Sequence[str], classes: Sequence[Sequence[str]]) -> pl.DataFrame:
    frame = pl.DataFrame(list(classes), schema=[*names, "count"], orient="row")
    return frame.with_columns(pl.col("count").cast(pl.Int64)).select(pl.col(names).repeat_by("count")).explode(names)
