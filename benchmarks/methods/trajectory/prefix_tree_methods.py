"""KAMCut, KAMRec and BFP2kA against the plain C++ port on its check-ins, on regions, and on a day of web clicks."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from benchmarks import ports, workloads
from benchmarks.comparison import Row, best_of, clocked, peak_memory
from crypsis import BFP2kA, KAMCut, KAMRec, Method
from crypsis.arrays import offsets_of
from crypsis.data.reading import read_trajectories
from crypsis.data.trajectory import Locations, Trajectories
from crypsis.data.vocabulary import Vocabulary
from crypsis.run_context import RunContext
from crypsis.verifiers import verify
from tests import shared_data

K = 8
COMPARED = 20_000  # the port of KAM_REC is quadratic: minutes for all of them
CURVE = (5_000, 10_000, 20_000, 40_000, 80_000)
CLICKS = (50_000, 200_000)
MEMORY_LIMIT = 4 * 2**30
FIFA_LIMIT = 30.0  # seconds of KAMRec on as many and as long visits
MSNBC_LIMIT = 60.0  # seconds of KAMRec on all sessions


def rows(quick: bool = False) -> Iterator[Row]:
    """Ratios to the port at the same size, the curves, regions, and MSNBC where the data are."""
    data = ports.gowalla_like() or workloads.checkins()
    yield _against_the_port(KAMCut(k=K), "cut", data, required=1.0)
    yield _against_the_port(BFP2kA(k=K), "bfp2ka", data, required=1.0)
    some = data.take(np.arange(len(data) // 4 if quick else COMPARED))
    yield _against_the_port(KAMRec(k=K, p=40), "rec", some, required=10.0)
    for method in (KAMCut(k=K), BFP2kA(k=K), KAMRec(k=K, p=40)):
        yield from _curve(method, data, "check-ins", CURVE[:2] if quick else (*CURVE, len(data)))
    yield _timed(BFP2kA(k=50), regions(), "regions", limit=10.0)
    if not quick:
        yield _timed(KAMRec(k=20, p=40), workloads.page_views(), "FIFA-like", FIFA_LIMIT)
    clicks = shared_data.data_folder() / "msnbc" / "msnbc990928.txt.xz"
    if clicks.is_file() and not quick:
        msnbc = read_trajectories(clicks, format="fimi")
        yield from _curve(BFP2kA(k=50), msnbc, "MSNBC", (*CLICKS, len(msnbc)))
        yield from _curve(KAMRec(k=50, p=40), msnbc, "MSNBC", (*CLICKS, len(msnbc)), MSNBC_LIMIT)


def regions(n: int = 82_341, n_regions: int = 113, seed: int = 1) -> Trajectories:
    """Sequences of regions, 8.3 on average, that move to nearby and popular ones."""
    random = np.random.Generator(np.random.PCG64(seed))
    lengths = np.minimum(1 + random.negative_binomial(3, 3 / 10.3, n), 60)
    offsets = offsets_of(lengths)
    popularity = 1 / np.arange(1, n_regions + 1) ** 0.8
    side = int(np.ceil(np.sqrt(n_regions)))
    where = random.permutation(n_regions)
    x, y = where % side, where // side
    near = np.exp(-np.hypot(x[:, None] - x, y[:, None] - y)) * popularity
    np.fill_diagonal(near, 0)
    steps = np.cumsum(near / near.sum(axis=1, keepdims=True), axis=1)
    codes = np.empty(int(offsets[-1]), np.int32)
    here = np.searchsorted(np.cumsum(popularity / popularity.sum()), random.random(n)).clip(max=n_regions - 1)
    for step in range(int(lengths.max())):
        moving = np.flatnonzero(lengths > step)
        if step:
            drawn = random.random(len(moving))
            here[moving] = (steps[here[moving]] < drawn[:, None]).sum(axis=1).clip(max=n_regions - 1)
        codes[offsets[:-1][moving] + step] = here[moving]
    return Trajectories(offsets, codes, Locations(Vocabulary([f"{region:03}" for region in range(n_regions)])))


def _against_the_port(method: Method, mode: str, data: Trajectories, required: float) -> Row:
    context = RunContext()
    method.anonymize(data, context)
    cut = context.private["tree"]["cut_sequences"]
    ours = best_of(3, lambda: method.anonymize(data, RunContext()))
    port = ports.kam_seconds(data, mode, K, repeats=1 if mode == "rec" else 3)
    same = port is None or mode == "cut" or port[1] == cut  # the port counts them only where it needs them
    return Row(
        f"{type(method).__name__} k={K}",
        f"check-ins {len(data):,} x {len(data.locations)}",
        ours,
        "C++ port" if port else "",
        port[0] if port else None,
        required,
        note=f"{cut:,} cut" if same else f"{cut:,} cut, PORT DIFFERS",
    )


def _curve(
    method: Method, data: Trajectories, name: str, sizes: Sequence[int], limit: float | None = None
) -> Iterator[Row]:
    """Growing pieces of the data, each with the exponent of processor time since the size before; a limit for all."""
    method.anonymize(data.take(np.arange(sizes[0])), RunContext())  # compiles
    before: tuple[int, float] | None = None
    for size in sizes:
        piece = data.take(np.arange(size))
        _, busy = clocked(lambda: method.anonymize(piece, RunContext()))  # noqa: B023
        grown = "" if before is None else f", exponent {np.log(busy / before[1]) / np.log(size / before[0]):.2f}"
        before = size, busy
        row = _timed(method, piece, name, limit if size == len(data) else None)
        yield replace(row, note=f"cpu {busy:.2f} s{grown}, {row.note}")


def _timed(method: Method, data: Trajectories, name: str, limit: float | None = None) -> Row:
    context = RunContext()
    started = time.perf_counter()
    published = method.anonymize(data, context)
    seconds = time.perf_counter() - started
    started = time.perf_counter()
    holds = verify(published, method.guarantee, data).holds
    checked = time.perf_counter() - started
    facts, peak = context.private, peak_memory()
    note = (
        f"{facts['tree']['cut_sequences']:,} cut, {facts['accounting']['lost']:,} lost, verified in {checked:.1f} s, "
        f"{peak / 2**30:.2f} GB"
    )
    if not holds or peak > MEMORY_LIMIT:
        note += ", NOT AS PROMISED"
    k = method.parameters()["k"]
    workload = f"{name} {len(data):,} x {len(data.locations)}"
    return Row(f"{type(method).__name__} k={k}", workload, seconds, limit=limit, note=note)
