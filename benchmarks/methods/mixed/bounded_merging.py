"""Clusters of tables with items, united within a bound: against the C++ port, and with the generalization of items."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from benchmarks import ports
from benchmarks.comparison import Row, clocked
from crypsis import RumBound
from crypsis.data.mixed import Mixed
from crypsis.data.relational import Table
from crypsis.data.transaction import Transactions
from crypsis.hierarchy import Hierarchies, Hierarchy
from crypsis.methods.mixed.merging import Order, merged_within
from crypsis.run_context import RunContext

DELTA = 0.65


def rows(quick: bool = False) -> Iterator[Row]:
    """Inputs of the ports' generator; without its source there is nothing to time."""
    generator = ports.SOURCE / "gen.py"
    if not generator.is_file():
        return
    with tempfile.TemporaryDirectory(prefix="crypsis-bench-") as place:
        folder = Path(place)
        names = ["informs"] if quick else ["informs", "youtube"]
        subprocess.run([sys.executable, str(generator), "--out", place, *names], capture_output=True, check=True)
        yield _against_the_port(folder, "informs", 1.0)
        if not quick:
            yield _against_the_port(folder, "youtube", 3.0)
            for merge, limit in (("r", 20.0), ("t", 30.0), ("rt", 40.0)):
                yield _whole(folder, "informs", 25, merge, limit)
            for merge in ("r", "t", "rt"):  # compiled by the three before
                yield _whole(folder, "youtube", 100, merge, 120.0, warm=True)


def _against_the_port(folder: Path, name: str, required: float) -> Row:
    data, trees = generated(folder, name)
    method = RumBound(k=25, delta=DELTA, hierarchy=trees)

    def ours() -> int:
        prepared = method.prepare(data)
        formed = method.formed(prepared)
        return len(merged_within(formed, prepared.recoder, Order("r", "btd"), DELTA, False, RunContext()))

    ours()  # which compiles
    turns = [(clocked(ours), _port_seconds(folder, name)) for _ in range(2)]  # in turn, for the sake of busy machines
    seconds, busy = (min(times) for times in zip(*(own for own, _ in turns), strict=True))
    theirs = min((port for _, port in turns if port is not None), default=None)
    workload, note = f"{name}-like {len(data):,} k=25", f"cpu {busy:.2f} s"
    return Row("CLUSTER + RMERGE_R", workload, seconds, "C++ port", theirs, required, note=note)


def _port_seconds(folder: Path, name: str) -> float | None:
    programs = ports.folder()
    if programs is None:
        return None
    command = [str(programs / "cluster_rmerge"), str(folder / f"{name}.rt"), str(folder / f"{name}.schema")]
    done = subprocess.run([*command, "--k", "25", "--delta", str(DELTA)], capture_output=True, text=True, check=True)
    found = re.search(r"elapsed_s=([\d.]+)", done.stdout)
    return None if found is None else float(found[1])


def _whole(folder: Path, name: str, k: int, merge: str, limit: float, *, warm: bool = False) -> Row:
    data, trees = generated(folder, name)
    method = RumBound(k=k, m=2, delta=DELTA, merge=merge, hierarchy=trees)
    context = RunContext()
    if not warm:
        method.anonymize(data, RunContext())
    seconds, busy = clocked(lambda: method.anonymize(data, context))
    words = f"cpu {busy:.1f} s, NCP {context.private['ncp']:.4f}, UL {context.private['ul']:.4f}"
    return Row(f"RumBound merge={merge}", f"{name}-like {len(data):,} k={k} m=2", seconds, limit=limit, note=words)


def generated(folder: Path, name: str) -> tuple[Mixed, Hierarchies]:
    """A generated table with its items; the schema lists columns, categories with the parents of their nodes."""
    lines = [line.partition("|") for line in (folder / f"{name}.rt").read_text().splitlines()]
    cells = [left.split() for left, _, _ in lines]
    sets = Transactions.from_lists([[f"i{item}" for item in right.split()] for _, _, right in lines])
    columns: dict[str, pl.Series] = {}
    trees: dict[str, Hierarchy] = {}
    for place, described in enumerate((folder / f"{name}.schema").read_text().splitlines()[1:]):
        kind, column, *rest = described.split()
        if kind == "num":
            columns[column] = pl.Series([int(row[place]) for row in cells])
            continue
        columns[column] = pl.Series([f"n{row[place]}" for row in cells])
        parents = list(map(int, rest[2:]))
        trees[column] = Hierarchy({f"n{node}": f"n{above}" for node, above in enumerate(parents) if above >= 0})
    table = Table.from_frame(pl.DataFrame(columns), dict.fromkeys(columns, "quasi"))
    return Mixed(table, sets, "items", ("items",)), Hierarchies(trees)
