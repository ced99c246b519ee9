"""How processor time grows with the data: one curve for each method that was once steeper than it has to be.

Every point runs in a process of its own, `python -m benchmarks.methods.growth CURVE SIZE FILE`, after a run on few
records that loads its kernels. So the peak of memory is that of the point.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks import workloads
from benchmarks.comparison import Row, clocked
from benchmarks.processes import spent_by
from crypsis import BFP2kA, Cluster, Disassociation, KAMRec, Method, Mondrian, RumBound, SeqAnon, TumBound
from crypsis.arrays import offsets_of
from crypsis.data.mixed import Mixed
from crypsis.data.reading import read_trajectories
from crypsis.data.relational import Table
from crypsis.data.trajectory import Locations, Trajectories
from crypsis.data.vocabulary import Vocabulary
from crypsis.run_context import RunContext
from tests import shared_data

_TOLD = ("k", "m", "p", "merge", "categories")  # settings that tell curves of a method apart
MOST_EXPONENT = 1.2  # from the first size that is not too small to tell to the last


@dataclass(frozen=True)
class Curve:
    """A method on more and more records. `limit` is in seconds of processor time, for the largest."""

    method: Method
    workload: str
    data: Callable[[int], Any]
    sizes: tuple[int, ...]
    limit: float | None = None
    few: int = 1_000


def table(n: int) -> Table:
    """People with four quasi-identifiers: two of numbers, two of categories."""
    quasi = ("age", "zip", "sex", "education")
    frame = workloads.people(n).select(*quasi, "disease")
    return Table.from_frame(frame, {**dict.fromkeys(quasi, "quasi"), "disease": "sensitive"})


def towns(n: int) -> Table:
    """People whose town is one of 2,000 names without a hierarchy, so that it is published as a set of names."""
    random = np.random.Generator(np.random.PCG64(2))
    names = pl.Series([f"town {number:04}" for number in range(2_000)])
    town = names.gather(pl.Series((2_000 * random.random(n) ** 2).astype(np.int64)))
    frame = workloads.people(n).select("age", "sex", "education", "disease").with_columns(town=town)
    return Table.from_frame(frame, {**dict.fromkeys(("age", "sex", "education", "town"), "quasi"), "disease": "other"})


def patients(n: int) -> Mixed:
    """The same people, each with some of 500 items."""
    baskets = workloads.baskets(n, 500, 4.0)
    return Mixed(table(n), baskets, "items", ("items",))


def clicks(n: int) -> Trajectories:
    """The first sessions of MSNBC."""
    return read_trajectories(shared_data.dataset("msnbc") / "msnbc990928.txt.xz", format="fimi").take(np.arange(n))


def histories(n: int, places: int = 5_000) -> Trajectories:
    """Check-ins of months, 137 on average, at popular places and at those that the person goes to again and again."""
    random = np.random.Generator(np.random.PCG64(3))
    lengths = 20 + np.minimum(random.negative_binomial(1.5, 1.5 / (1.5 + 117), n), 900)
    offsets = offsets_of(lengths)
    owner = np.repeat(np.arange(n), lengths)
    own = (places * random.random((n, 12)) ** 2).astype(np.int64)  # the places of each person
    usual = own[owner, random.integers(0, 12, len(owner))]
    any_of_all = (places * random.random(len(owner)) ** 3).astype(np.int64)
    codes = np.where(random.random(len(owner)) < 0.6, usual, any_of_all).astype(np.int32)
    side = int(np.ceil(np.sqrt(places)))
    row, column = np.divmod(random.permutation(places), side)
    labels = Vocabulary(map(str, range(places)))
    return Trajectories(offsets, codes, Locations(labels, 100.0 * column, 100.0 * row))


CURVES = {
    "kam_rec": Curve(KAMRec(k=8, p=40), "check-ins", lambda n: workloads.checkins(n=n), (20_000, 40_000, 86_061)),
    "kam_rec_fifa": Curve(KAMRec(k=20, p=40), "FIFA-like", workloads.page_views, (5_000, 10_000, 20_450), 30.0),
    "bfp2ka": Curve(BFP2kA(k=8), "check-ins", lambda n: workloads.checkins(n=n), (20_000, 40_000, 86_061)),
    "refine": Curve(
        Disassociation(k=5, m=2, max_cluster_size=30), "baskets", workloads.baskets, (100_000, 300_000, 1_000_000), 8.0
    ),
    "cluster": Curve(Cluster(k=5), "people", table, (80_000, 160_000, 320_000, 640_000)),
    "rum_bound": Curve(RumBound(k=25), "people with items", patients, (20_000, 40_000, 80_000)),
    "rum_bound_items": Curve(RumBound(k=25, merge="t"), "people with items", patients, (20_000, 40_000, 80_000)),
    "tum_bound": Curve(TumBound(k=25), "people with items", patients, (20_000, 40_000, 80_000)),
    "mondrian_sets": Curve(Mondrian(k=5), "people and towns", towns, (100_000, 300_000, 1_000_000)),
    "mondrian_halves": Curve(
        Mondrian(k=5, categories="halves"), "people and towns", towns, (100_000, 300_000, 1_000_000)
    ),
    "seq_anon_histories": Curve(
        SeqAnon(k=5, m=2, on_infeasible="truncate"), "long histories", histories, (270, 541, 1_083), few=60
    ),
    "seq_anon": Curve(
        SeqAnon(k=5, m=2, on_infeasible="truncate"), "check-ins", workloads.million, (100_000, 300_000, 1_000_000)
    ),
    "kam_rec_msnbc": Curve(KAMRec(k=50, p=40), "MSNBC", clicks, (250_000, 500_000, 989_818), 60.0),
}


def rows(quick: bool = False) -> Iterator[Row]:
    """Processor time of each point and its exponent since the point before; the last says that of the whole curve."""
    for name, curve in CURVES.items():
        if curve.data is clicks and not (shared_data.data_folder() / "msnbc").is_dir():
            continue
        yield from _curve(name, curve, curve.sizes[:2] if quick else curve.sizes)


def _curve(name: str, curve: Curve, sizes: tuple[int, ...]) -> Iterator[Row]:
    points: list[tuple[int, float]] = []
    for size in sizes:
        seconds, memory = _point(name, size)
        points.append((size, seconds))
        words, whole, last = f"cpu, {memory / 2**20:,.0f} MiB", 0.0, size == curve.sizes[-1]
        if len(points) > 1:
            whole = _exponent(points[0], points[-1])
            words += f", exponent {_exponent(points[-2], points[-1]):.2f}, {whole:.2f} from {points[0][0]:,}"
        yield Row(
            f"growth of {_told(curve.method)}",
            f"{curve.workload} {size:,}",
            seconds,
            limit=curve.limit if last else None,
            note=words,
            sound=not last or whole <= MOST_EXPONENT,
        )


def _told(method: Method) -> str:
    settings = [f"{name}={value}" for name, value in method.parameters().items() if name in _TOLD]
    return " ".join([type(method).__name__, *settings])


def _exponent(before: tuple[int, float], after: tuple[int, float]) -> float:
    return float(np.log(after[1] / before[1]) / np.log(after[0] / before[0]))


def _point(name: str, size: int) -> tuple[float, int]:
    """Seconds of processor time of the method alone, and the peak of memory of its process."""
    with tempfile.TemporaryDirectory(prefix="crypsis-bench-") as place:
        told = Path(place) / "seconds.json"
        spent = spent_by((sys.executable, "-m", "benchmarks.methods.growth", name, str(size), str(told)))
        return float(json.loads(told.read_text())), spent.memory


def main() -> None:
    """One point."""
    curve, size, told = CURVES[sys.argv[1]], int(sys.argv[2]), Path(sys.argv[3])
    curve.method.anonymize(curve.data(curve.few), RunContext())
    data = curve.data(size)
    _, busy = clocked(lambda: curve.method.anonymize(data, RunContext()))
    told.write_text(json.dumps(busy))


if __name__ == "__main__":
    main()
