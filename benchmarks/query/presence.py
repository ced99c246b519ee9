"""Presence bounds on releases of Gowalla's check-ins of New York and of Citi Bike's trips, from a loaded release."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.comparison import Row, clocked
from crypsis import SeqAnon, Trajectories, anonymize, read_release
from crypsis.data.checkins import read_checkins
from crypsis.query.questions import Question, ask

DATA = Path(os.environ.get("CRYPSIS_DATA", Path(__file__).parents[3] / "shared" / "data"))
LIMIT = 0.2  # seconds


CHECK_INS = "gowalla_nyc/gowalla_nyc_checkins.csv.xz"
TRIPS = "citibike_jc/citibike_jc_202003_202004.parquet"


def rows(quick: bool = False) -> Iterator[Row]:
    """A question about half of the places, by time of day, in processor time; the release is read before."""
    if (DATA / CHECK_INS).exists():
        data = read_checkins(DATA / CHECK_INS, cell=3000, one_per="day", collapse=False)
        yield _asked("Gowalla NYC", data.bind_times(width=360, cycle="day"), "owner")
    if (DATA / TRIPS).exists() and not quick:
        station = {"lat": "start_station_latitude", "lon": "start_station_longitude", "time": "starttime"}
        data = read_checkins(DATA / TRIPS, cell=1000, id="bikeid", each_row_is_a_person=True, collapse=False, **station)
        yield _asked("Citi Bike", data.bind_times(width=360, cycle="day"), None)


def _asked(name: str, data: Trajectories, unit: str | None) -> Row:
    with TemporaryDirectory() as folder:
        written = anonymize(data, SeqAnon(k=5, m=1, unit=unit)).write(Path(folder) / "release")
        release = read_release(written)
        places = [row["place"] for row in ask(release, Question(kind="places")).content["places"]]
        question = Question(kind="presence", region=tuple(places[::2]), period="08:00/10:00")
        ask(release, question)
        busy = min(clocked(lambda: ask(release, question))[1] for _ in range(5))
    return Row("presence bounds", f"{name}, {data.visits:,} visits", busy, limit=LIMIT)
