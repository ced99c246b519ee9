"""All figures that a release is measured with unasked, beside the method and the verifier: at most twice their time.

Adult, check-ins of Gowalla and visitors of MSNBC are read from `CRYPSIS_DATA`, and left out where it has none. What is
not free to be passed on is made: a table as wide as CUP with a hierarchy of 100,000 leaves, and baskets as Retail has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks import workloads
from benchmarks.comparison import Row, clocked
from crypsis import Apriori, BFP2kA, Cluster, Disassociation, Method, Mondrian, SeqAnon, TopDown, measure
from crypsis.data.checkins import read_checkins
from crypsis.data.reading import read_table, read_trajectories, read_transactions
from crypsis.data.relational import Table
from crypsis.hierarchy import Hierarchies, Hierarchy
from crypsis.run_context import RunContext
from crypsis.verifiers import verify
from tests.shared_data import dataset

TIMES = 2  # the most time of all figures, as a multiple of the time of method and verifier
LEAVES = 100_000
ADULT = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")

Made = tuple[Any, Method]


def rows(quick: bool = False) -> Iterator[Row]:
    """A row per dataset and method; each is run twice, and the second time counts."""
    scale = 10 if quick else 1
    makers: dict[str, Callable[[], Made]] = {
        f"CUP-like {63_441 // scale:,} x 8, top-down": partial(_cup, 63_441 // scale, TopDown),
        f"CUP-like {63_441 // scale:,} x 8, Mondrian": partial(_cup, 63_441 // scale, Mondrian),
        f"Retail-like {88_162 // scale:,} baskets, disassociation": partial(_retail, 88_162 // scale),
    }
    if dataset("adult").is_dir():
        makers["Adult, Mondrian"] = partial(_adult, dataset("adult"), Mondrian)
        makers["Adult, cluster"] = partial(_adult, dataset("adult"), Cluster)
    if dataset("gowalla_nyc").is_dir():
        makers["Gowalla, SeqAnon"] = partial(_gowalla, dataset("gowalla_nyc"))
    if dataset("msnbc").is_dir() and not quick:
        makers["MSNBC as sets, apriori"] = partial(_pages, dataset("msnbc"))
        makers["MSNBC as walks, BF-P2kA"] = partial(_clicks, dataset("msnbc"))
    for workload, make in makers.items():
        yield _beside_the_release(workload, *make())


def _beside_the_release(workload: str, data: Any, method: Method) -> Row:
    def release() -> Any:
        published = method.anonymize(data, RunContext())
        assert verify(published, method.guarantee_of(data, published), data).holds
        return published

    published = release()
    measure(data, published, side_inputs=method.side_inputs())
    _, making = clocked(release)
    _, measuring = clocked(lambda: measure(data, published, side_inputs=method.side_inputs()))
    words = f"processor time, {measuring / making:.2f} times, at most {TIMES}"
    return Row("default metrics", workload, measuring, "method and verifier", making, required=1 / TIMES, note=words)


def _cup(size: int, method: type[TopDown] | type[Mondrian]) -> Made:
    """Donors: a code of many leaves, of which those near one are alike, and seven columns of few values."""
    random = np.random.Generator(np.random.PCG64(1))
    codes = pl.Series((LEAVES * random.random(size) ** 1.5).astype(np.int64)).cast(pl.String).str.zfill(5)
    few = {f"column {width}": random.integers(0, width, size) for width in (2, 5, 7, 10, 60, 90, 100)}
    frame = pl.DataFrame({"code": codes, **few})
    leaves = (f"{leaf:05}" for leaf in range(LEAVES))
    tree = Hierarchy.from_paths([(leaf, leaf[:4], leaf[:3], leaf[:2], leaf[:1], "*") for leaf in leaves])
    table = Table.from_frame(frame, dict.fromkeys(frame.columns, "quasi"), {"code": "category"})
    return table, method(k=5, hierarchy=Hierarchies({"code": tree}))


def _retail(size: int) -> Made:
    return workloads.baskets(size, 16_470, 10.3), Disassociation(k=5, m=2)


def _adult(folder: Path, method: type[Mondrian] | type[Cluster]) -> Made:
    roles = dict.fromkeys(ADULT, "quasi") | {"salary-class": "sensitive"}
    trees = {name: Hierarchy.from_file(folder / f"adult_hierarchy_{name}.csv") for name in ADULT}
    return read_table(folder / "adult.csv", roles), method(k=5, hierarchy=Hierarchies(trees))


def _gowalla(folder: Path) -> Made:
    return read_checkins(folder / "gowalla_nyc_checkins.csv.xz", one_per="user", cell=1000.0), SeqAnon(k=5, m=2)


def _pages(folder: Path) -> Made:
    return read_transactions(folder / "msnbc990928.txt.xz"), Apriori(k=5, m=2)


def _clicks(folder: Path) -> Made:
    return read_trajectories(folder / "msnbc990928.txt.xz"), BFP2kA(k=50)
