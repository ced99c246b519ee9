"""The experiments of chapters 5 and 6 of Al-Hussaeni's thesis (Concordia, 2017), SafePath and DiffMulti, as a page.

    python -m benchmarks.reproductions.dp

measures everything, writes the numbers to benchmarks/reproductions/dp.json and the page and its pictures to
docs/reproductions. `--only NAME` measures one section anew, `--words` none: the page is then written from the numbers
that are there. Real data are read from `CRYPSIS_DATA` or `../shared/data`; what the thesis used and we do not have is
replaced by synthetic data of the same size, and the page says so.
"""

# ruff: noqa: E501 (the lines of the page are text)

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy as np
import polars as pl

from benchmarks import workloads
from benchmarks.reproductions import adult_census
from benchmarks.reproductions.line_chart import line_chart
from crypsis import DiffGen, DiffMulti, Mondrian, SafePath, SeqPT
from crypsis.data.domains import LocationDomain, TimeDomain
from crypsis.data.relational import Table
from crypsis.data.stream import Events
from crypsis.data.synthetic import SyntheticTrajectories
from crypsis.metrics.count_queries import trip_query_error
from crypsis.metrics.region_classification import region_classification, split_for_training
from crypsis.metrics.region_penalties import region_penalties
from crypsis.run_context import RunContext
from crypsis.verifiers import verify
from crypsis.version import VERSION

ROOT = Path(__file__).parents[2]
NUMBERS = Path(__file__).with_suffix(".json")
PAGES = ROOT / "docs" / "reproductions"
REPEATS = 5
HOURS = 168
Measured = dict[str, Any]


def data_folder() -> Path:
    return Path(os.environ.get("CRYPSIS_DATA") or ROOT.parent / "shared" / "data")


def said(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def processor_seconds(work: Callable[[], Any]) -> tuple[Any, float]:
    started = time.process_time()
    made = work()
    return made, time.process_time() - started


# ---------------------------------------------------------------------------------------------- Adult and DiffMulti


@cache
def adult() -> Table:
    return adult_census.as_table(adult_census.records(data_folder() / "adult"))


@cache
def declared() -> dict[str, Any]:
    return {"domains": adult_census.domains(), "trees": adult_census.trees(data_folder() / "adult")}


def diff_multi(epsilon: str, specializations: int, **settings: Any) -> DiffMulti:
    return DiffMulti(
        epsilon=Fraction(epsilon), specializations=specializations, **{"score": "max", **settings}, **declared()
    )


def spread(values: Sequence[float]) -> list[float]:
    return [mean(values), stdev(values) if len(values) > 1 else 0.0]


@cache
def split(learner: str, seed: int) -> tuple[Table, Table]:
    return split_for_training(adult(), learner=learner, seed=seed)


def accuracies(learner: str, method: DiffMulti | DiffGen, repeats: int) -> list[float]:
    found = []
    for seed in range(repeats):
        training, tested = split(learner, seed)
        made = method.anonymize(training, RunContext())
        assert verify(made, method.guarantee).holds
        found.append(adult_census.accuracy(made, tested, learner))
    return spread(found)


def bounds(learner: str, repeats: int) -> Measured:
    """The same learner on the raw training records, and the commonest class."""
    found = []
    for seed in range(repeats):
        training, tested = split(learner, seed)
        made = diff_multi("1", 0).anonymize(training, RunContext())
        found.append(region_classification(tested, made, training=training, learner=learner, seed=0))
    return {"best": spread([one.best for one in found]), "least": spread([one.least for one in found])}


def mondrian(learner: str, repeats: int, k: int = 60) -> list[float]:
    found = []
    like = diff_multi("1", 0).anonymize(adult(), RunContext())
    method = Mondrian(k=k)
    for seed in range(repeats):
        training, tested = split(learner, seed)
        made = method.resolve(training).anonymize(training, RunContext())
        assert verify(made, method.guarantee_of(training, made), training).holds
        found.append(adult_census.accuracy_of_classes(made, training, tested, like, learner))
    return spread(found)


def accuracy_by_epsilon(quick: bool) -> Measured:
    repeats = 1 if quick else REPEATS
    rows = []
    for depth in (None, 63):
        for specializations in (20, 300, 900, 1_500):
            for epsilon in ("0.1", "0.25", "0.5", "1"):
                said(f"  depth {depth}, h = {specializations}, epsilon = {epsilon}")
                settings = {} if depth is None else {"max_depth": depth, "accounting": "printed"}
                found = accuracies("tree", diff_multi(epsilon, specializations, **settings), repeats)
                rows.append([depth or 12, specializations, epsilon, *found])
    return {"rows": rows, **bounds("tree", repeats)}


def accuracy_by_method(quick: bool) -> Measured:
    repeats = 1 if quick else REPEATS
    multi, gen = [], []
    for specializations in (10, 100, 1_000, 4_000, 10_000):
        said(f"  DiffMulti, h = {specializations}")
        multi.append([specializations, *accuracies("tree", diff_multi("1", specializations), repeats)])
    for rounds in (2, 6, 10, 14, 20):
        said(f"  DiffGen, h = {rounds}")
        method = DiffGen(epsilon=Fraction(1), specializations=rounds, score="max", **declared())
        gen.append([rounds, *accuracies("tree", method, repeats)])
    said("  Mondrian")
    return {"multi": multi, "gen": gen, "mondrian": mondrian("tree", repeats), **bounds("tree", repeats)}


def accuracy_of_svm(quick: bool) -> Measured:
    repeats = 1 if quick else REPEATS
    rows = []
    for specializations in (100, 10_000):
        for epsilon in ("0.1", "0.25", "0.5", "1"):
            said(f"  h = {specializations}, epsilon = {epsilon}")
            found = accuracies("svm", diff_multi(epsilon, specializations), repeats)
            rows.append([specializations, epsilon, *found])
    said("  Mondrian and the bounds")
    return {"rows": rows, "mondrian": mondrian("svm", repeats), **bounds("svm", repeats)}


def penalties(quick: bool) -> Measured:
    rows = []
    methods: list[DiffMulti | DiffGen] = []
    for score in ("ncp_gain", "discernibility"):
        methods += [diff_multi("1", specializations, score=score) for specializations in (100, 1_000, 10_000)]
    methods += [
        DiffGen(epsilon=Fraction(1), specializations=rounds, score="ncp_gain", **declared()) for rounds in (2, 10, 20)
    ]
    for method in methods:
        context = RunContext()
        made = method.anonymize(adult(), context)
        assert verify(made, method.guarantee).holds
        found = region_penalties(adult(), made)
        share = None if found.share is None else float(found.share)
        ncp = None if found.ncp is None else float(found.ncp)
        rows.append(
            [type(method).__name__, method.score, method.specializations, context.private["specializations"],
             len(made), made.records, ncp, share]
        )  # fmt: skip
    return {"rows": rows, "records": len(adult())}


def runtime_of_tables(quick: bool) -> Measured:
    """Processor seconds from a table in memory to its release; the first run, which may compile, is not counted."""
    by_h, by_records = [], []
    diff_multi("1", 100).anonymize(adult(), RunContext())
    for specializations in (1_000, 10_000, 100_000):
        context = RunContext()
        method = diff_multi("1", specializations, max_depth=63)
        _, seconds = processor_seconds(lambda: method.anonymize(adult(), context))  # noqa: B023
        by_h.append([specializations, context.private["specializations"], seconds])
    frame = adult_census.records(data_folder() / "adult")
    for size in (50_000, 100_000) if quick else (200_000, 600_000, 1_000_000):
        said(f"  {size:,} records")
        table = adult_census.as_table(adult_census.more_like(frame, size))
        context = RunContext()
        made, seconds = processor_seconds(lambda: diff_multi("1", 10_000).anonymize(table, context))  # noqa: B023
        assert verify(made, diff_multi("1", 10_000).guarantee).holds
        by_records.append([size, context.private["specializations"], seconds])
    return {"by_h": by_h, "by_records": by_records, "records": len(adult())}


# ---------------------------------------------------------------------------------------------- transit and SafePath

METRO, BUS, TRIPS, BIKES = "Metro-like", "Bus-like", "Citi Bike trips", "Citi Bike bikes"


@cache
def transit(name: str, quick: bool) -> tuple[Events, LocationDomain, TimeDomain]:
    if name in (METRO, BUS):
        make, size = (workloads.metro, 847_668) if name == METRO else (workloads.bus, 773_296)
        data = make(size // 20 if quick else size)
        return data, LocationDomain(data.locations.labels), TimeDomain(0, HOURS)
    frame = pl.read_parquet(data_folder() / "citibike_jc" / "citibike_jc_202003_202004.parquet").with_row_index("trip")
    if name == TRIPS:  # start and end of each trip, by hour of the day
        ends = [
            frame.select(
                pl.col("trip").cast(pl.String).alias("id"),
                pl.col(f"{end}_station_id").cast(pl.String).alias("location"),
                pl.col(moment).dt.hour().cast(pl.Int64).alias("t"),
            )
            for end, moment in (("start", "starttime"), ("end", "stoptime"))
        ]
        data = Events.from_frame(pl.concat(ends))
        return data, LocationDomain(data.locations.labels), TimeDomain(0, 24)
    starts = frame.select(
        pl.col("bikeid").cast(pl.String).alias("id"),
        pl.col("start_station_id").cast(pl.String).alias("location"),
        pl.col("starttime").dt.month().cast(pl.Int64).alias("t"),
    )
    data = Events.from_frame(starts)
    return data, LocationDomain(data.locations.labels), TimeDomain(3, 5)


def safe_path(name: str, quick: bool, **settings: Any) -> SafePath:
    _, places, times = transit(name, quick)
    return SafePath(**{"epsilon": Fraction(1), **settings}, location_domain=places, time_domain=times)


def query_errors(
    data: Events, made: SyntheticTrajectories, quick: bool, sizes: tuple[int, ...] = (1, 2)
) -> list[float]:
    """For each size of non-empty queries, then for uniform ones: error of the release, and of publishing nothing."""
    found = trip_query_error(data, made, n_queries=2_000 if quick else 10_000, sizes=sizes)
    return [value for pair in (*found.nonempty.values(), found.uniform) for value in pair]


def errors_of(name: str, quick: bool, method: SafePath | SeqPT) -> list[float]:
    data = transit(name, quick)[0]
    context = RunContext()
    made = method.anonymize(data, context)
    assert verify(made, method.guarantee).holds
    return [*query_errors(data, made, quick), len(made), made.trajectories]


def transit_data(quick: bool) -> Measured:
    rows = []
    for name in (METRO, BUS, TRIPS, BIKES):
        data, places, times = transit(name, quick)
        lengths = np.bincount(data.persons)
        rows.append([name, len(data.people), len(places), len(times), int(lengths.max()), float(lengths.mean())])
    return {"rows": rows}


def error_by_taxonomy(quick: bool) -> Measured:
    rows = []
    plans: list[tuple[str, str, int, int]] = []
    for name in (METRO, TRIPS):
        plans += [(name, "uniform", 2, height) for height in (0, 2, 4, 6, 9)]
        plans += [(name, "uniform", 6, height) for height in (2, 4)]
        plans += [(name, "flat", 2, 0)]
    plans += [(METRO, "printed", 2, height) for height in (2, 4, 6)]
    plans += [(BUS, "uniform", 2, height) for height in (2, 6)] + [(BUS, "flat", 2, 0)]
    for name, scheme, fan_out, height in plans:
        said(f"  {name}, {scheme}, fan-out {fan_out}, taxonomy height {height}")
        method = safe_path(
            name, quick, height=2, scheme=scheme, fan_out=fan_out, location_height=height, time_height=height
        )
        rows.append([name, scheme, fan_out, height, *errors_of(name, quick, method)])
    return {"rows": rows}


def error_by_height(quick: bool) -> Measured:
    rows = []
    plans = [(METRO, "flat", h, epsilon) for epsilon in ("0.5", "1.25") for h in (1, 2, 4, 12, 26)]
    plans += [(METRO, "uniform", h, "1.25") for h in (1, 2, 4, 12, 26)]
    plans += [(BUS, "flat", h, "1.25") for h in (1, 2, 6)]
    plans += [(TRIPS, "flat", h, epsilon) for h in (1, 2) for epsilon in ("0.5", "1.25")]
    plans += [(BIKES, "flat", h, "1.25") for h in (1, 2, 6)]
    for name, scheme, h, epsilon in plans:
        said(f"  {name}, {scheme}, h = {h}, epsilon = {epsilon}")
        method = safe_path(
            name, quick, height=h, scheme=scheme, epsilon=Fraction(epsilon), location_height=6, time_height=6
        )
        rows.append([name, scheme, h, epsilon, *errors_of(name, quick, method)])
    return {"rows": rows}


def against_seqpt(quick: bool) -> Measured:
    """The small version of Bus on which the thesis compares: 20 locations, 24 times, 200,000 records of 1.5 visits."""
    data = workloads.smart_cards(10_000 if quick else 200_000, 20, 1.5, 8, 7, hours=24)
    domains: dict[str, Any] = {
        "location_domain": LocationDomain(data.locations.labels),
        "time_domain": TimeDomain(0, 24),
        "epsilon": Fraction(1),
    }
    rows = []
    for h in (2, 3, 4, 5):
        methods: list[tuple[str, SafePath | SeqPT]] = [
            ("SafePath, flat", SafePath(height=h, scheme="flat", **domains)),
            ("SafePath, taxonomies", SafePath(height=h, scheme="uniform", **domains)),
        ]
        if h <= 3 or not quick:
            methods.append(("SeqPT", SeqPT(height=h, **domains)))
        for name, method in methods:
            said(f"  {name}, h = {h}")
            method.anonymize(data, RunContext())
            made, seconds = processor_seconds(lambda: method.anonymize(data, RunContext()))  # noqa: B023
            assert verify(made, method.guarantee).holds
            rows.append([name, h, *query_errors(data, made, quick, (2,)), seconds])
    return {"rows": rows}


def runtime_of_trips(quick: bool) -> Measured:
    rows = []
    safe_path(METRO, quick, height=12, location_height=6, time_height=6).anonymize(
        transit(METRO, quick)[0], RunContext()
    )
    for name in (METRO, BUS):
        data, places, _ = transit(name, quick)
        for hours in (35, 70, 105, 140, 168):
            said(f"  {name}, {hours} hours")
            part = data.take(np.flatnonzero(data.t < hours))
            seconds = []
            for scheme in ("uniform", "flat"):
                method = SafePath(
                    epsilon=Fraction(1), height=12, scheme=scheme, location_height=6, time_height=6,
                    location_domain=places, time_domain=TimeDomain(0, hours),
                )  # fmt: skip
                seconds.append(processor_seconds(lambda: method.anonymize(part, RunContext()))[1])  # noqa: B023
            rows.append([name, hours, len(np.unique(part.persons)), *seconds])
    return {"rows": rows}


SECTIONS: dict[str, Callable[[bool], Measured]] = {
    section.__name__: section
    for section in (
        transit_data, error_by_taxonomy, error_by_height, against_seqpt, runtime_of_trips,
        accuracy_by_epsilon, accuracy_by_method, accuracy_of_svm, penalties, runtime_of_tables,
    )
}  # fmt: skip


# ---------------------------------------------------------------------------------------------- the page


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def accurate(found: Sequence[float]) -> str:
    return f"{100 * found[0]:.1f} ± {100 * found[1]:.1f}"


def shown_transit_data(found: Measured) -> str:
    return table(
        ("Data", "Records", "Locations", "Times", "Longest", "Mean length"),
        [
            [name, f"{n:,}", f"{places:,}", f"{times:,}", f"{longest:,}", f"{length:.2f}"]
            for name, n, places, times, longest, length in found["rows"]
        ],
    )


ERROR_HEADINGS = ("one visit", "nothing", "two visits", "nothing", "uniform", "nothing", "distinct trips", "trips")


def shown_errors(errors: Sequence[float]) -> list[str]:
    return [*(percent(value) for value in errors[:6]), f"{errors[6]:,}", f"{errors[7]:,}"]


def shown_error_by_taxonomy(found: Measured) -> str:
    return table(
        ("Data", "Scheme", "Fan-out", "Taxonomy height", *ERROR_HEADINGS),
        [
            [
                name,
                scheme,
                "–" if scheme == "flat" else str(fan),
                "–" if scheme == "flat" else str(height),
                *shown_errors(errors),
            ]
            for name, scheme, fan, height, *errors in found["rows"]
        ],
    )


def shown_error_by_height(found: Measured) -> str:
    return table(
        ("Data", "Scheme", "h", "ε", *ERROR_HEADINGS),
        [[name, scheme, str(h), epsilon, *shown_errors(errors)] for name, scheme, h, epsilon, *errors in found["rows"]],
    )


def shown_against_seqpt(found: Measured) -> str:
    return table(
        ("Method", "h", "two visits", "nothing", "uniform", "nothing", "processor seconds"),
        [
            [name, str(h), *(percent(value) for value in errors), f"{seconds:.2f}"]
            for name, h, *errors, seconds in found["rows"]
        ],
    )


def shown_runtime_of_trips(found: Measured) -> str:
    return table(
        ("Data", "Times", "Records", "taxonomies of height 6", "flat"),
        [
            [name, str(hours), f"{n:,}", f"{uniform:.2f} s", f"{flat:.2f} s"]
            for name, hours, n, uniform, flat in found["rows"]
        ],
    )


def shown_accuracy_by_epsilon(found: Measured) -> str:
    epsilons = list(dict.fromkeys(row[2] for row in found["rows"]))
    by_plan: dict[tuple[int, int], list[str]] = {}
    for depth, specializations, _, *accuracy in found["rows"]:
        by_plan.setdefault((depth, specializations), []).append(accurate(accuracy))
    rows = [[str(depth), f"{h:,}", *cells] for (depth, h), cells in by_plan.items()]
    shown = table(("Depth", "h", *(f"ε = {epsilon}" for epsilon in epsilons)), rows)
    return f"{shown}\nRaw training records: {accurate(found['best'])}. Commonest class: {accurate(found['least'])}.\n"


def shown_accuracy_by_method(found: Measured) -> str:
    rows = [
        ["raw training records", "", accurate(found["best"])],
        ["Mondrian, k = 60", "", accurate(found["mondrian"])],
    ]
    rows += [["DiffMulti, ε = 1", f"{h:,}", accurate(accuracy)] for h, *accuracy in found["multi"]]
    rows += [["DiffGen, ε = 1", f"{h:,}", accurate(accuracy)] for h, *accuracy in found["gen"]]
    return table(("Trained on", "h", "Accuracy"), [*rows, ["the commonest class", "", accurate(found["least"])]])


def shown_accuracy_of_svm(found: Measured) -> str:
    rows = [
        ["raw training records", "", "", accurate(found["best"])],
        ["Mondrian, k = 60", "", "", accurate(found["mondrian"])],
    ]
    rows += [["DiffMulti", f"{h:,}", epsilon, accurate(accuracy)] for h, epsilon, *accuracy in found["rows"]]
    return table(
        ("Trained on", "h", "ε", "Accuracy"), [*rows, ["the commonest class", "", "", accurate(found["least"])]]
    )


def shown_penalties(found: Measured) -> str:
    return table(
        (
            "Method",
            "Score",
            "h",
            "Specializations made",
            "Regions",
            "Records counted",
            "NCP",
            "Discernibility, as a share",
        ),
        [
            [
                method,
                score,
                f"{h:,}",
                f"{made:,}",
                f"{regions:,}",
                f"{counted:,}",
                "–" if ncp is None else f"{ncp:.3f}",
                "–" if share is None else f"{share:.5f}",
            ]
            for method, score, h, made, regions, counted, ncp, share in found["rows"]
        ],
    )


def shown_runtime_of_tables(found: Measured) -> str:
    rows = [[f"{found['records']:,}", f"{h:,}", f"{made:,}", f"{seconds:.2f} s"] for h, made, seconds in found["by_h"]]
    rows += [[f"{n:,}", "10,000", f"{made:,}", f"{seconds:.2f} s"] for n, made, seconds in found["by_records"]]
    return table(("Records", "h", "Specializations made", "Processor seconds"), rows)


def pictures(found: Mapping[str, Measured]) -> dict[str, str]:
    """The pictures of the page by file name."""
    made: dict[str, str] = {}
    by_epsilon = found["accuracy_by_epsilon"]
    epsilons = [float(epsilon) for epsilon in dict.fromkeys(row[2] for row in by_epsilon["rows"])]
    curves: dict[str, list[tuple[float, float]]] = {}
    for depth, h, epsilon, accuracy, _ in by_epsilon["rows"]:
        if depth == 12:
            curves.setdefault(f"DiffMulti, h = {h:,}", []).append((float(epsilon), 100 * accuracy))
    ends = (min(epsilons), max(epsilons))
    curves |= {
        "raw training records": [(x, 100 * by_epsilon["best"][0]) for x in ends],
        "Mondrian, k = 60": [(x, 100 * found["accuracy_by_method"]["mondrian"][0]) for x in ends],
        "commonest class": [(x, 100 * by_epsilon["least"][0]) for x in ends],
    }
    made["dp-accuracy-epsilon.svg"] = line_chart(
        "Accuracy of a decision tree on Adult against epsilon", "ε", "accuracy in %", curves, from_zero=False
    )
    by_method = found["accuracy_by_method"]
    ends = (min(row[0] for row in by_method["gen"]), max(row[0] for row in by_method["multi"]))
    made["dp-accuracy-h.svg"] = line_chart(
        "Accuracy of a decision tree on Adult against the number of specializations, epsilon 1",
        "specializations h (DiffGen: rounds)", "accuracy in %",
        {
            "DiffMulti": [(h, 100 * accuracy) for h, accuracy, _ in by_method["multi"]],
            "DiffGen": [(h, 100 * accuracy) for h, accuracy, _ in by_method["gen"]],
            "raw training records": [(x, 100 * by_method["best"][0]) for x in ends],
            "Mondrian, k = 60": [(x, 100 * by_method["mondrian"][0]) for x in ends],
            "commonest class": [(x, 100 * by_method["least"][0]) for x in ends],
        },
        log=True, from_zero=False,
    )  # fmt: skip
    errors: dict[str, list[tuple[float, float]]] = {}
    of_nothing = 0.0
    for name, scheme, h, epsilon, one, nothing, *_ in found["error_by_height"]["rows"]:
        if name == METRO:
            errors.setdefault(f"{scheme}, ε = {epsilon}", []).append((h, 100 * one))
            of_nothing = 100 * nothing
    heights = [h for points in errors.values() for h, _ in points]
    errors["publishing nothing"] = [(min(heights), of_nothing), (max(heights), of_nothing)]
    made["dp-error-h.svg"] = line_chart(
        "Relative error of counting one visit on Metro-like data against the height of the prefix tree",
        "height h of the prefix tree", "relative error in %, non-empty queries of one visit", errors, log=True,
    )  # fmt: skip
    by_taxonomy: dict[str, list[tuple[float, float]]] = {}
    for name, scheme, fan, height, one, nothing, *_ in found["error_by_taxonomy"]["rows"]:
        if name == METRO and scheme != "flat":
            by_taxonomy.setdefault(f"{scheme}, fan-out {fan}", []).append((height, 100 * one))
        elif name == METRO:
            by_taxonomy["flat, no taxonomy"] = [(0, 100 * one), (9, 100 * one)]
            by_taxonomy["publishing nothing"] = [(0, 100 * nothing), (9, 100 * nothing)]
    made["dp-error-taxonomy.svg"] = line_chart(
        "Relative error of counting one visit on Metro-like data against the height of the taxonomies, h = 2, epsilon 1",
        "height of both taxonomies", "relative error in %, non-empty queries of one visit", by_taxonomy,
    )  # fmt: skip
    seconds: dict[str, list[tuple[float, float]]] = {}
    for name, hours, _, uniform, flat in found["runtime_of_trips"]["rows"]:
        seconds.setdefault(f"{name}, taxonomies", []).append((hours, uniform))
        seconds.setdefault(f"{name}, flat", []).append((hours, flat))
    made["dp-runtime.svg"] = line_chart(
        "Processor seconds of SafePath against the number of times", "times |T| (and with them records |D|)",
        "processor seconds", seconds,
    )  # fmt: skip
    return made


TEXT = (Path(__file__).with_name("dp_page.md")).read_text(encoding="utf-8")


def page(found: Mapping[str, Measured]) -> str:
    """The page: the words of dp_page.md around the tables of the numbers."""
    words = TEXT.replace("{version}", found["run"]["version"]).replace("{quick}", found["run"]["quick"])
    for name in SECTIONS:
        words = words.replace("{" + name + "}", globals()["shown_" + name](found[name]).rstrip())
    return words.rstrip() + "\n"


def main() -> None:
    """Make the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reproductions.dp", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a twentieth of the synthetic records, no repetitions")
    parser.add_argument("--only", action="append", choices=list(SECTIONS), help="measure this section anew")
    parser.add_argument("--words", action="store_true", help="measure nothing")
    parser.add_argument("--numbers", type=Path, default=NUMBERS, help="the file of the numbers")
    parser.add_argument("--out", type=Path, default=PAGES, help="the folder of the page")
    asked = parser.parse_args()
    kept = bool(asked.only or asked.words) and asked.numbers.is_file()
    found: Measured = json.loads(asked.numbers.read_text(encoding="utf-8")) if kept else {}
    if not asked.words:
        found["run"] = {
            "version": VERSION, "quick": " (quick run: a twentieth of the synthetic records, no repetitions)" if asked.quick else ""
        }  # fmt: skip
        for name in asked.only or SECTIONS:
            said(name)
            found[name] = SECTIONS[name](asked.quick)
            asked.numbers.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if set(SECTIONS) <= set(found):
        asked.out.mkdir(parents=True, exist_ok=True)
        for file, picture in pictures(found).items():
            (asked.out / file).write_text(picture, encoding="utf-8")
        (asked.out / "dp.md").write_text(page(found), encoding="utf-8")
        print(f"written to {asked.out / 'dp.md'}")


if __name__ == "__main__":
    main()
