"""Disassociation against the plain C++ port: with and without sharing, and curves against records, domain and k.

The port makes clusters below k as printed, so its output is not the same; its work is.
"""

from __future__ import annotations

import gc
import re
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks import ports, workloads
from benchmarks.comparison import Row, best_of, peak_memory
from crypsis import Disassociation
from crypsis.data.reading import read_transactions
from crypsis.data.transaction import Transactions
from crypsis.executors.serial import Serial
from crypsis.methods.transaction.horizontal_partition import partition_horizontally
from crypsis.methods.transaction.horpart_rounds import Splitting, partition_shards
from crypsis.methods.transaction.ranked_records import RankedRecords
from crypsis.run_context import RunContext
from crypsis.shards.ragged import cut_ragged, save_ragged
from crypsis.verifiers import verify
from tests import shared_data

SETTING = Disassociation(k=5, m=2, max_cluster_size=30)
MEMORY_LIMIT = 4 * 2**30
RECORDS = (10_000, 30_000, 100_000, 300_000)
DOMAINS = (500, 1_500, 5_000, 15_000)
KS = (2, 5, 10, 25, 50)


def rows(quick: bool = False) -> Iterator[Row]:
    """The targets first, largest data last; then the curves."""
    real = _webview()
    if real is not None:
        yield _against_port("BMS-WebView-1", real, refine="none", required=1.0, repeats=7)
        yield _against_port("BMS-WebView-1", real, refine="uniform", required=None, repeats=3)
    smaller = workloads.baskets(100_000)
    yield _against_port("baskets", smaller, refine="none", required=None, repeats=3)
    yield _against_port("baskets", smaller, refine="uniform", required=10.0, repeats=3)
    if not quick:
        yield _against_port("baskets", workloads.baskets(1_000_000), refine="none", required=2.0, repeats=1)
        yield _verified("BMS-POS-like", workloads.baskets(515_597, 1_657, 6.5), 10.0)
        yield _verified("baskets", workloads.baskets(1_000_000), 30.0)
    yield _on_shards(workloads.baskets(30_000 if quick else 1_000_000))
    yield from _curves(quick)


def _webview() -> Transactions | None:
    """A real dataset, or None where it is not at hand."""
    path = shared_data.data_folder() / "bms_webview1" / "bms_webview1.dat.gz"
    return read_transactions(path, format="fimi") if path.is_file() else None


def _against_port(name: str, data: Transactions, *, refine: str, required: float | None, repeats: int) -> Row:
    method = replace(SETTING, refine=refine)
    ours = best_of(repeats, lambda: method.anonymize(data, RunContext()))
    theirs = port_seconds(data, refine != "none", min(repeats, 3 if refine == "none" else 1))
    task = "Disassociation" if refine == "uniform" else "HORPART+VERPART"
    return Row(
        f"{task} k=5 m=2",
        f"{name} {len(data):,} x {len(data.vocabulary):,}",
        ours,
        "C++ port" if theirs else "",
        theirs,
        required,
        note=f"{peak_memory() / 2**30:.2f} GB",
    )


def _on_shards(data: Transactions) -> Row:
    """HORPART by rounds on four shards, in blocks of a tenth of the records, beside HORPART in memory: at most twice
    its processor time."""
    records = RankedRecords.of(data)
    rank = np.empty(len(records.codes), np.int32)
    rank[records.codes] = np.arange(len(records.codes))
    splitting = Splitting(rank, records.sensitive, 5, 1, 100, False)
    cuts = [len(data) * index // 4 for index in range(5)]
    with Serial() as executor:
        shards = save_ragged(executor.scratch.below("shards"), cut_ragged(data.offsets, data.items, cuts))
        ours = _processor_seconds(lambda: partition_shards(shards, len(records), splitting, len(data) // 10, executor))
    theirs = _processor_seconds(lambda: partition_horizontally(records, 5, 1, 100, False, data.vocabulary.labels))
    workload = f"baskets {len(data):,} x {len(data.vocabulary):,}"
    return Row("HORPART on shards k=5", workload, ours, "HORPART in memory", theirs, 0.5, note="processor time")


def _processor_seconds(work: Callable[[], object]) -> float:
    work()  # compiles
    started = time.process_time()
    work()
    return time.process_time() - started


def _verified(name: str, data: Transactions, limit: float) -> Row:
    """The whole method within its limit; verifying costs no more than making."""
    method = SETTING
    method.anonymize(workloads.baskets(5_000), RunContext())  # compiles
    gc.collect()
    context = RunContext()
    started = time.perf_counter()
    published = method.anonymize(data, context)
    ours = time.perf_counter() - started
    peak = peak_memory()
    started = time.perf_counter()
    holds = verify(published, method.guarantee, data).holds
    checked = time.perf_counter() - started
    facts = context.private["refinement"]
    note = f"{facts['joins']:,} joins in {facts['passes']} passes, verified in {checked:.1f} s, {peak / 2**30:.2f} GB"
    if not holds or peak > MEMORY_LIMIT or checked > ours:
        note += ", NOT AS PROMISED"
    return Row(
        "Disassociation k=5 m=2", f"{name} {len(data):,} x {len(data.vocabulary):,}", ours, limit=limit, note=note
    )


def _curves(quick: bool) -> Iterator[Row]:
    for n in RECORDS[:2] if quick else RECORDS:
        yield _point(f"records {n:,}", workloads.baskets(n), 5)
    for terms in DOMAINS[:2] if quick else DOMAINS:
        yield _point(f"terms {terms:,}", workloads.baskets(30_000, terms), 5)
    middle = workloads.baskets(30_000)
    for k in KS[:2] if quick else KS:
        yield _point(f"k={k}", middle, k)


def _point(what: str, data: Transactions, k: int) -> Row:
    ours = {
        refine: best_of(1, lambda: Disassociation(k=k, m=2, refine=refine).anonymize(data, RunContext()))  # noqa: B023
        for refine in ("none", "uniform")
    }
    note = f"{1000 * ours['none']:,.0f} ms without sharing chunks"
    return Row(
        "Disassociation m=2, default cluster size",
        f"{what} of {len(data):,} x {len(data.vocabulary):,}",
        ours["uniform"],
        note=note,
    )


def port_seconds(data: Transactions, refine: bool, repeats: int = 1) -> float | None:
    """Best time of the disassociation port."""
    programs = ports.folder()
    if programs is None:
        return None
    with tempfile.TemporaryDirectory(prefix="crypsis-bench-") as place:
        file = Path(place) / "data.trn"
        items, bounds = data.items.tolist(), data.offsets.tolist()
        with file.open("w") as stream:
            for start, end in pairwise(bounds):
                if end > start:
                    stream.write(" ".join(map(str, items[start:end])) + "\n")
        command = [str(programs / "disassociation"), str(file), "--k", "5", "--m", "2", "--max", "30"]
        command += ["--refine"] if refine else []
        outputs = [subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(repeats)]
    return min(float(re.search(r"elapsed_s=([\d.]+)", output)[1]) for output in outputs)  # type: ignore[index]
