"""What keeping time costs on real check-ins, as a page.

    python -m benchmarks.reproductions.times

writes docs/reproductions/times.md. Gowalla's check-ins are read from `CRYPSIS_DATA` or `../shared/data`.
"""

# ruff: noqa: E501 (the lines of the page are text)

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from crypsis import SeqAnon, anonymize
from crypsis.data.checkins import read_checkins
from crypsis.data.trajectory import Trajectories

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reproductions" / "times.md"
FILE = "gowalla_nyc/gowalla_nyc_checkins.csv.xz"
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

`--no-collapse` matters: with it a check-in is an instant. Stays made of several check-ins in one square last for days, and their ends differ from person to person.

This page is written by

```text
python -m benchmarks.reproductions.times
```
"""


def written(ks: tuple[int, ...] = KS) -> str:
    """The page."""
    file = Path(os.environ.get("CRYPSIS_DATA", ROOT.parent / "shared" / "data")) / FILE
    data = read_checkins(file, cell=SQUARE, one_per="day", collapse=False)
    rows = "\n".join("| " + " | ".join(row) + " |" for row in _rows(data, ks))
    return TEXT.format(trajectories=len(data), visits=data.visits, rows=rows)


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
