"""The plain C++ ports that we measure against, compiled where a compiler and their source are present."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Int32s, Int64s
from crypsis.data.attribute_domains import MOST_BINS, AttributeDomains, CategoryDomain, NumericDomain
from crypsis.data.category_trees import CategoryTrees
from crypsis.data.reading import read_trajectories
from crypsis.data.relational import Table
from crypsis.data.stream import Events
from crypsis.data.trajectory import Trajectories

SOURCE = Path(os.environ.get("CRYPSIS_BASELINES", Path(__file__).parents[2] / "shared" / "baselines"))
PROGRAMS: tuple[str, ...] = ()  # those that are compiled; all without one named


@cache
def folder() -> Path | None:
    """Where the compiled ports are, or None where they cannot be made."""
    if shutil.which("g++") is None or shutil.which("make") is None or not SOURCE.is_dir():
        return None
    target = Path(tempfile.mkdtemp(prefix="crypsis-ports-"))
    wanted = [str(target / program) for program in PROGRAMS]
    done = subprocess.run(["make", "-s", "-C", str(SOURCE), f"BIN={target}", *wanted], capture_output=True, check=False)
    return target if done.returncode == 0 else None


def missing() -> str:
    """Why there are no ports, in words; empty where there are."""
    if folder() is not None:
        return ""
    return f"no C++ comparators: a compiler, make and the sources in {SOURCE.name}/ are needed"


def remove() -> None:
    """Delete the compiled ports."""
    place = folder()
    if place is not None:
        shutil.rmtree(place, ignore_errors=True)


def seqanon_seconds(data: Trajectories, k: int, m: int, repeats: int = 3) -> tuple[float, int] | None:
    """Best time of the SEQANON port and its number of merges."""
    programs = folder()
    if programs is None or data.locations.x is None or data.locations.y is None:
        return None
    with tempfile.TemporaryDirectory(prefix="crypsis-bench-") as place:
        sequences, points = Path(place) / "data.seq", Path(place) / "data.xy"
        sequences.write_text("".join(" ".join(map(str, path)) + "\n" for path in data.paths()))
        points.write_text(
            "".join(
                f"{code} {x!r} {y!r}\n"
                for code, (x, y) in enumerate(zip(data.locations.x.tolist(), data.locations.y.tolist(), strict=True))
            )
        )
        command = [str(programs / "seqanon"), str(sequences), str(points), "--k", str(k), "--m", str(m)]
        outputs = [subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(repeats)]
    times = [float(re.search(r"elapsed_s=([\d.]+)", output)[1]) for output in outputs]  # type: ignore[index]
    return min(times), int(re.search(r"merges=(\d+)", outputs[0])[1])  # type: ignore[index]


def kam_seconds(data: Trajectories, mode: str, k: int, repeats: int = 1) -> tuple[float, int] | None:
    """Best time of the KAM_CUT (`cut`), KAM_REC (`rec`) or BF-P2kA (`bfp2ka`) port and its distinct cut sequences."""
    programs = folder()
    if programs is None:
        return None
    with tempfile.TemporaryDirectory(prefix="crypsis-bench-") as place:
        sequences = Path(place) / "data.seq"
        sequences.write_text("".join(" ".join(map(str, path)) + "\n" for path in data.paths()))
        command = [str(programs / "kam"), str(sequences), "--mode", mode, "--k", str(k), "--p", "0.4"]
        outputs = [subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(repeats)]
    times = [float(re.search(r"elapsed_s=([\d.]+)", output)[1]) for output in outputs]  # type: ignore[index]
    return min(times), int(re.search(r"cut_distinct=(\d+)", outputs[0])[1])  # type: ignore[index]


@cache
def gowalla_like() -> Trajectories | None:
    """The check-ins that the ports' generator makes: 86,061 x 662, mean length 3.92; None without its source."""
    generator = SOURCE / "gen.py"
    if not generator.is_file():
        return None
    with tempfile.TemporaryDirectory(prefix="crypsis-bench-") as place:
        subprocess.run([sys.executable, str(generator), "--out", place, "gowalla"], capture_output=True, check=True)
        return read_trajectories(Path(place) / "gowalla.seq", format="fimi")


def safepath_seconds(
    data: Events, *, times: int, height: int, seqpt: bool = False, stop: int = 60, limit: int | None = None
) -> tuple[float, str] | None:
    """Time of the SafePath port, or of SeqPT without taxonomies, with what it says; SeqPT is stopped in the end."""
    programs = folder()
    if programs is None:
        return None
    with tempfile.TemporaryDirectory(prefix="crypsis-bench-") as place:
        file = Path(place) / "data.traj"
        _write_visits(data, file)
        command = [str(programs / "safepath"), str(file), "--locs", str(len(data.locations)), "--times", str(times)]
        command += ["--h", str(height), "--eps", "1"]
        command += ["--seqpt", "--stop", str(stop)] if seqpt else []
        command += ["--limit", str(limit)] if limit is not None else []
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"elapsed_s=([\d.]+)", done.stdout)
    return (float(found[1]), done.stdout) if found else None


def _write_visits(data: Events, file: Path) -> None:
    """A line per person: location and time of every visit, by time."""
    order = np.lexsort((data.location_codes, data.t, data.persons))
    persons, places, times = data.persons[order], data.location_codes[order].tolist(), data.t[order].tolist()
    bounds = np.flatnonzero(np.diff(persons, prepend=-1, append=-1)).tolist()
    visits = [f"{place} {time}" for place, time in zip(places, times, strict=True)]
    with file.open("w", encoding="utf-8") as stream:
        stream.writelines(" ".join(visits[start:end]) + "\n" for start, end in pairwise(bounds))


@cache
def adult_like(name: str) -> tuple[Table, AttributeDomains, CategoryTrees, Path] | None:
    """Adult, or a million records like it, with domains and trees, and the folder that the port reads them from.

    Our domains are those of the port, but for numbers with more values than a domain may have, which get 256 bins.
    """
    generator = SOURCE / "gen.py"
    if folder() is None or not generator.is_file():
        return None
    place = Path(tempfile.mkdtemp(prefix="crypsis-bench-", dir=folder()))
    subprocess.run([sys.executable, str(generator), "--out", str(place), name], capture_output=True, check=True)
    if not (place / f"{name}.rel").is_file():
        return None
    (place / f"{name}.rel").rename(place / "data.rel")
    (place / f"{name}.schema").rename(place / "data.schema")
    columns: list[str] = []
    domains: dict[str, NumericDomain | CategoryDomain] = {}
    trees: dict[str, dict[str, Any]] = {}
    for line in (place / "data.schema").read_text().splitlines()[1:]:
        kind, column, *numbers = line.split()
        columns.append(column)
        terms = [int(number) for number in numbers]
        if kind == "num":
            low, high = terms
            domains[column] = NumericDomain(low, high, None if high - low <= MOST_BINS else 256)
        else:
            trees[column] = _nested(terms[2:])
    domains["class"] = CategoryDomain(("0", "1"))
    frame = pl.read_csv(place / "data.rel", separator=" ", has_header=False, new_columns=[*columns, "class"])
    frame = frame.with_columns(pl.col(*trees, "class").cast(pl.String))
    roles = dict.fromkeys(columns, "quasi") | {"class": "label"}
    return Table.from_frame(frame, roles), AttributeDomains(domains), CategoryTrees(trees), place


def _nested(parents: list[int]) -> dict[str, Any]:
    """The tree that parents describe, leaves first; names of inner nodes differ from those of leaves."""
    inner = set(parents)
    name = [f"node {node}" if node in inner else str(node) for node in range(len(parents))]
    below: list[dict[str, Any]] = [{} for _ in parents]
    for node, parent in enumerate(parents):
        if parent >= 0:
            below[parent][name[node]] = below[node]
    root = parents.index(-1)
    return {name[root]: below[root]}


def diffmulti_seconds(place: Path, specializations: int) -> tuple[float, int] | None:
    """Processor time of the DiffMulti port, without reading, and the specializations that it made."""
    programs = folder()
    if programs is None:
        return None
    command = [str(programs / "diffmulti"), str(place / "data.rel"), str(place / "data.schema")]
    done = subprocess.run(
        [*command, "--h", str(specializations), "--eps", "1"], capture_output=True, text=True, check=True
    )
    seconds = re.search(r"cpu_s=([\d.]+)", done.stdout)
    made = re.search(r"specializations=(\d+)", done.stdout)
    return (float(seconds[1]), int(made[1])) if seconds and made else None


Stream = tuple[
    "Int32s", "Int32s", "Int64s", "Int32s"
]  # person, place, time of each event by time; value of each person


@cache
def metro_like(people: int) -> tuple[Path, Stream] | None:
    """The metro stream that the ports' generator makes for 100,000 or 1,000,000 people, as a file and as events."""
    generator, programs = SOURCE / "gen.py", folder()
    if not generator.is_file() or programs is None:
        return None
    name = {100_000: "metro100k", 1_000_000: "metro1m"}[people]
    subprocess.run([sys.executable, str(generator), "--out", str(programs), name], capture_output=True, check=True)
    file = programs / f"{name}.strm"
    return file, _events(file, pages=None)


def pages_like(source: Path, longest: int) -> tuple[Path, Stream] | None:
    """Sequences of pages, position by position, as a file for the ports and as events; two of ten values sensitive."""
    programs = folder()
    if programs is None:
        return None
    data = read_trajectories(source).truncated(longest)
    file = programs / "pages.seq"
    file.write_text("".join(" ".join(map(str, path)) + "\n" for path in data.paths()))
    return file, _events(file, pages=longest)


def _events(file: Path, pages: int | None) -> Stream:
    numbers = np.fromstring(file.read_text().replace("\n", " -1 "), np.int64, sep=" ")
    ends = np.flatnonzero(numbers == -1)
    starts = np.concatenate([[0], ends[:-1] + 1])
    person = np.repeat(np.arange(len(ends)), ends - starts)
    inside = np.flatnonzero(numbers != -1)
    position = inside - starts[person]
    if pages is not None:
        place, time, who = numbers[inside], position + 1, person
        value = np.random.Generator(np.random.PCG64(1)).integers(0, 10, len(ends))
    else:
        value = numbers[starts]
        at = position % 2 == 1
        place, time, who = numbers[inside[at]], numbers[inside[at] + 1], person[at]
    order = np.argsort(time, kind="stable")
    return who[order].astype(np.int32), place[order].astype(np.int32), time[order], value.astype(np.int32)


def stream_seconds(
    program: str, file: Path, windows: int, repeats: int = 1, **options: object
) -> tuple[float, float] | None:
    """Best mean time of a slide of the ITSA port (of a window of the static one), and of its first window."""
    programs = folder()
    if programs is None:
        return None
    command = [str(programs / program), str(file), "--windows", str(windows)]
    for name, value in options.items():
        command += [f"--{name}", str(value)]
    outputs = [subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(repeats)]
    label = r"mean_slide_s=([\d.]+)" if program == "itsa" else r"mean_window_s=([\d.]+)"
    slides = [float(re.search(label, output)[1]) for output in outputs]  # type: ignore[index]
    firsts = [found for output in outputs for found in re.findall(r"first_window_s=([\d.]+)", output)]
    return min(slides), min(map(float, firsts), default=0.0)
