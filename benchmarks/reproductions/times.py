"""What keeping time costs on real check-ins, as a page.

    python -m benchmarks.reproductions.times

writes docs/reproductions/times.md. Gowalla, Citi Bike and GeoLife are read from `CRYPSIS_DATA` or `../shared/data`.
"""

# ruff: noqa: E501 (the lines of the page are text)

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from crypsis import LmAnon, Method, Release, SeqAnon, TimedVisitsAttack, anonymize, attack
from crypsis.data.attached_times import in_published_times
from crypsis.data.checkins import read_checkins
from crypsis.data.trajectory import Trajectories
from crypsis.errors import Infeasible, LimitReached, NotApplicable
from crypsis.metrics.distance import distance_loss

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reproductions" / "times.md"
FILE = "gowalla_nyc/gowalla_nyc_checkins.csv.xz"
RIDES = "citibike_jc/citibike_jc_202003_202004.parquet"
STATION = {"lat": "start_station_latitude", "lon": "start_station_longitude", "time": "starttime"}
WALKS = "geolife_sample/geolife_11users.csv.xz"
SQUARE = 3000  # metres
STEPS = (360, 180, 60)  # minutes
KS = (2, 5, 10, 25)

TEXT = """# What keeping time costs

Gowalla check-ins of New York: {trajectories:,} days of people with {visits:,} check-ins, on squares of 3 km, each check-in an instant. SeqAnon protects people (`unit="owner"`) who are known
by one check-in (m = 1). With times the adversary knows the place *and the exact time of day*; without, the place.

| Times | Locations | k | Symbols | Visits published as they are | Holds |
|---|---|---|---|---|---|
{rows}

Locations are squares, or squares with a step of time. *Refused* says how few people remain for somebody who also sees which times the other visits of a row exclude
([why](../guarantees/known_time.md)): counting symbols alone would have let these releases pass. Six hours cost up to ten points of intact visits; an hour
is not to be had this way.

Each release with times is one command, and takes a few seconds:

    crypsis anonymize gowalla_nyc_checkins.csv.xz --grid 3000 --one-per day --no-collapse --method seq-anon -k 5 -m 1 --unit owner --times merge --time-cycle day --time-width 360 --out release

## Every way to keep times

Trajectories are counted (`unit="trajectory"`), m = 1, times of day. GeoLife: {walks:,} tracks, on squares of 20 km. Citi Bike: {bikes:,} bicycles with {rides:,} departures, on squares of 1 km.
`merge` takes the narrowest steps of 6, 12 and 24 hours for which the guarantee holds; `bin` and `cluster` find theirs from 15 minutes on. `drop`, `merge` and `bin` are SeqAnon,
`cluster` is LmAnon (l = 2, the square with the fewest visits sensitive). The two last columns are `crypsis attack --attack timed-visits`: the fewest trajectories that fit somebody of whom one visit is known with its exact time, and the mean risk where two are known,
which m = 1 does not cover.

| Data | Times | k | Steps | Symbols | Loss in space (m) | Uncertainty of times (h) | Fewest who fit one visit | Mean risk, two visits |
|---|---|---|---|---|---|---|---|---|
{ways}

*Loss in space* is the mean distance to what was published for a visit, *uncertainty of times* the time in which its beginning and its end may lie, together. A step of a day says nothing of the time of day.
`bin` keeps places as they are without times and pays with time; `merge` keeps time and pays with places; `cluster` tells one span for a place, which here is as wide as two days.
Where the steps are a day nothing is to be had from time. *Refused* means that no steps hold: drop the times, or lower k.
`cluster` is left out for Citi Bike, whose rows have about fifty visits: attacking it takes longer than the rest of this page.

## Notes

`--no-collapse` matters: with it a check-in is an instant. Stays made of several check-ins in one square last for days, and their ends differ from person to person.

This page is written by

```text
python -m benchmarks.reproductions.times
```
"""


def written(ks: tuple[int, ...] = KS) -> str:
    """The page."""
    folder = Path(os.environ.get("CRYPSIS_DATA", ROOT.parent / "shared" / "data"))
    data = read_checkins(folder / FILE, cell=SQUARE, one_per="day", collapse=False)
    bikes = read_checkins(folder / RIDES, cell=1000, id="bikeid", each_row_is_a_person=True, collapse=False, **STATION)
    walks = read_checkins(folder / WALKS, cell=20_000, time="datetime_gmt", id="trajectory", person="uid")
    rows = _lines(_rows(data, ks))
    ways = _lines(
        [
            *_ways("GeoLife", walks, ks, ("drop", "merge", "bin", "cluster")),
            *_ways("Citi Bike", bikes, ks, ("drop", "merge", "bin")),
        ]
    )
    return TEXT.format(
        trajectories=len(data),
        visits=data.visits,
        rows=rows,
        bikes=len(bikes),
        rides=bikes.visits,
        walks=len(walks),
        ways=ways,
    )


def _lines(rows: Iterable[list[str]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _ways(name: str, data: Trajectories, ks: tuple[int, ...], ways: Sequence[str]) -> Iterator[list[str]]:
    rarest = data.locations.labels[int(np.argmin(np.where(data.label_counts > 0, data.label_counts, data.visits)))]
    secret = replace(data, locations=data.locations.marked([rarest]))
    for way in ways:
        for k in ks:
            known = secret if way == "cluster" else data
            release = _kept(known, way, k)
            if release is None:
                yield [name, way, str(k), "refused", *["-"] * 5]
                continue
            published = release.data
            try:
                loss = f"{distance_loss(in_published_times(known, published.timed), published):,.0f}"
            except NotApplicable:  # rows cannot be told apart by what was suppressed
                loss = "-"
            found = attack(published, known, TimedVisitsAttack(knowledge=1, beyond=1, unit="trajectory")).curve
            thickness = release.figures().get("time_thickness_loss")
            yield [
                name,
                way,
                str(k),
                "-" if published.timed is None else _hours(published.timed.width),
                f"{len(np.unique(published.codes)):,}",
                loss,
                "-" if thickness is None else f"{thickness / 3600:.1f}",
                f"{found[0].fewest_candidates:,}",
                f"{found[-1].mean_risk:.1%}".replace("%", " %"),
            ]


def _hours(seconds: int) -> str:
    return f"{seconds // 60} min" if seconds < 3600 else f"{seconds // 3600} h"


def _kept(data: Trajectories, way: str, k: int) -> Release | None:
    """A release that holds for somebody who knows times; None where there is none."""
    tries: Iterator[Trajectories]
    if way == "merge":
        tries = (data.bind_times(width=width, cycle="day") for width in (360, 720, 1440))
    else:
        tries = iter([data if way == "drop" else data.attach_times(way, cycle="day")])
    for timed in tries:
        if way == "cluster":
            method: Method = LmAnon(k=k, l=2, m=1, unit="trajectory", on_infeasible="suppress")
        else:
            method = SeqAnon(k=k, m=1, unit="trajectory")
        try:
            release = anonymize(timed, method)
        except (Infeasible, LimitReached):
            continue
        if release.verify().holds:
            return release
    return None


def _rows(data: Trajectories, ks: tuple[int, ...]) -> Iterator[list[str]]:
    kept = {"dropped": data}
    for step in STEPS:
        words = f"steps of {step // 60} hour{'s' if step > 60 else ''}"
        kept[words] = data.bind_times(width=step, cycle="day")
    for words, timed in kept.items():
        for k in ks:
            yield [words, f"{len(timed.locations):,}", str(k), *_release(timed, k)]


def _release(data: Trajectories, k: int) -> list[str]:
    release = anonymize(data, SeqAnon(k=k, m=1, unit="owner"))
    published, verdict = release.data, release.verify()
    intact = float(np.mean(published.symbols.sizes[published.codes] == 1))
    people = f"{verdict.achieved} {'person' if verdict.achieved == 1 else 'people'}"
    holds = "yes" if verdict.holds else f"refused: {people}"
    return [f"{len(np.unique(published.codes)):,}", f"{intact:.1%}".replace("%", " %"), holds]


def main() -> None:
    """Make the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reproductions.times", description=__doc__)
    parser.add_argument("--out", type=Path, default=PAGE, help="the page")
    asked = parser.parse_args()
    asked.out.write_text(written(), encoding="utf-8")
    print(f"written to {asked.out}")


if __name__ == "__main__":
    main()
