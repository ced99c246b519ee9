"""The samples are what they promise: reproducible, of the asked size, well formed, and fit to show a method."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import crypsis
from crypsis.errors import BadParameter, OutputExists, UnknownFormat
from crypsis.samples import SAMPLES, baskets, checkins, metro, metro_flow, patients, tracks
from crypsis.samples.baskets import products_frame
from crypsis.samples.metro import _LINES

EVERY_SAMPLE = pytest.mark.parametrize("name", SAMPLES)


@EVERY_SAMPLE
def test_the_same_seed_gives_the_same_bytes(name: str, tmp_path: Path) -> None:
    for file in ("one.csv", "two.csv"):
        SAMPLES[name].write(tmp_path / file, size=200, seed=3)
    SAMPLES[name].write(tmp_path / "other.csv", size=200, seed=4)
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()
    assert (tmp_path / "one.csv").read_bytes() != (tmp_path / "other.csv").read_bytes()


@EVERY_SAMPLE
def test_the_data_and_the_table_say_the_same(name: str) -> None:
    data = SAMPLES[name].make(150, 2).to_frame()
    frame = SAMPLES[name].frame(150, 2)
    if name == "patients":
        frame = frame.with_columns(pl.col("diagnoses").str.split(" ").list.sort())
        data = data.with_columns(pl.col("diagnoses").list.sort()).select(frame.columns)
    assert data.equals(frame)


@EVERY_SAMPLE
@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl"])
def test_a_sample_is_written_as_its_file_name_asks(name: str, suffix: str, tmp_path: Path) -> None:
    (path,) = SAMPLES[name].write(tmp_path / f"sample.{suffix}", size=20)
    read = {"csv": pl.read_csv, "parquet": pl.read_parquet, "jsonl": pl.read_ndjson}[suffix](path)
    assert read.shape == SAMPLES[name].frame(20, 1).shape


def test_a_sample_knows_no_other_formats(tmp_path: Path) -> None:
    with pytest.raises(UnknownFormat, match="xlsx"):
        SAMPLES["metro"].write(tmp_path / "metro.xlsx")
    assert not any(tmp_path.iterdir())


def test_a_sample_does_not_replace_a_file(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("mine", encoding="utf-8")
    with pytest.raises(OutputExists):
        SAMPLES["checkins"].write(tmp_path / "new.csv", locations=tmp_path / "mine.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.csv"]


def test_only_check_ins_have_a_map(tmp_path: Path) -> None:
    data, places = SAMPLES["checkins"].write(tmp_path / "checkins.csv", locations=tmp_path / "places.csv", size=50)
    read = crypsis.Trajectories.from_frame(pl.read_csv(data), locations=pl.read_csv(places))
    assert read == checkins(50)
    with pytest.raises(BadParameter, match="no location table"):
        SAMPLES["metro"].write(tmp_path / "metro.csv", locations=tmp_path / "stations.csv")


@EVERY_SAMPLE
@pytest.mark.parametrize("size", [1, 73])
def test_a_sample_has_the_size_that_was_asked_for(name: str, size: int) -> None:
    data = SAMPLES[name].make(size)
    assert (len(data.people) if name.startswith("metro") else len(data)) == size


@EVERY_SAMPLE
def test_nothing_is_also_a_size(name: str) -> None:
    assert len(SAMPLES[name].make(0)) == 0


@EVERY_SAMPLE
def test_a_large_sample_crosses_the_chunks_it_is_made_in(name: str) -> None:
    data = SAMPLES[name].make(50_003)
    assert (len(data.people) if name.startswith("metro") else len(data)) == 50_003


@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize("m", [1, 2, 3])
def test_check_ins_can_be_made_anonymous(seed: int, m: int) -> None:
    lengths = checkins(seed=seed).lengths
    for size in range(1, m + 1):
        long_enough = np.count_nonzero(lengths >= size)
        assert long_enough == 0 or long_enough >= 5


def test_check_ins_are_generalized_in_part_and_only_to_places_nearby() -> None:
    data = checkins()
    release = crypsis.anonymize(data, crypsis.SeqAnon(k=5, m=2))
    symbols = {tuple([text] if isinstance(text, str) else text) for row in release.data.to_lists() for text in row}
    intact = sum(len(symbol) == 1 for symbol in symbols)
    assert 10 <= intact <= 30
    assert 25 <= len(symbols) <= 45
    where = dict(zip(data.locations.labels, zip(*data.locations.coordinates("the test"), strict=True), strict=True))
    for symbol in symbols:
        points = np.array([where[label] for label in symbol])
        assert np.ptp(points, axis=0).max() < 250


def test_every_place_of_the_town_is_visited() -> None:
    assert checkins().occurring.all()
    assert len(checkins().locations) == 60


def test_tracks_follow_streets_and_never_stand_still_in_time() -> None:
    data = tracks(60)
    for track in data.to_lists():
        assert 17 <= len(track) <= 77
        assert all(before[2] < after[2] for before, after in pairwise(track))
        x, y, _ = np.array(track).T
        off_street = np.minimum(np.abs(x - 100 * np.round(x / 100)), np.abs(y - 100 * np.round(y / 100)))
        assert off_street.max() < 25
        steps = np.hypot(np.diff(x), np.diff(y))
        assert steps.max() < 25 + 40


def test_baskets_hold_products_of_the_shelves_and_some_are_sensitive() -> None:
    data = baskets()
    shelves = products_frame()
    assert shelves["item"].is_unique().all()
    assert shelves["category"].n_unique() == 12
    assert set(data.vocabulary.labels) == set(shelves["item"])
    assert data.lengths.min() >= 1
    assert data.sensitive is not None
    assert {data.vocabulary[code] for code in np.flatnonzero(data.sensitive)} == {
        "nicotine gum",
        "painkillers",
        "pregnancy test",
    }


def test_bread_and_butter_are_bought_together_more_often_than_by_chance() -> None:
    rows = [set(row) for row in baskets().to_lists()]
    bread, butter = (sum(item in row for row in rows) / len(rows) for item in ("bread", "butter"))
    both = sum({"bread", "butter"} <= row for row in rows) / len(rows)
    assert both > 1.5 * bread * butter


def test_patients_have_the_roles_that_a_release_needs() -> None:
    data = patients()
    assert data.table.identifiers == ("patient_id",)
    assert data.table.quasi == ("age", "sex", "zip", "admitted")
    assert data.table.sensitive == ("ward",)
    assert data.column == "diagnoses"
    assert data.table.column("zip").type == "category"
    assert 0 < data.table.column("zip").missing < len(data) / 20
    assert data.transactions.lengths.min() >= 1


def test_patients_are_plausible() -> None:
    frame = patients().to_frame().explode("diagnoses")
    of = {code: frame.filter(pl.col("diagnoses") == code) for code in ("C61", "O80", "S72", "J06")}
    assert set(of["C61"]["sex"]) == {"male"}
    assert set(of["O80"]["sex"]) == {"female"}
    assert of["S72"]["age"].median() > 65 > 20 > of["J06"]["age"].median()  # type: ignore[operator]


def test_metro_passengers_ride_from_neighbour_to_neighbour_one_station_a_minute() -> None:
    data = metro(200)
    assert data.is_ordered
    assert 300 <= data.t.min()
    assert data.t.max() < 24 * 60
    connected = {frozenset(pair) for line in _LINES.values() for pair in pairwise(line)}
    for (_,), ride in data.to_frame().group_by("id", maintain_order=True):
        stops = list(zip(ride["t"], ride["location"], strict=True))
        assert ride["t"].is_unique().all()
        for (before, here), (after, there) in pairwise(stops):
            assert after - before > 1 or frozenset((here, there)) in connected


def test_the_fare_of_a_metro_passenger_stays_the_same_all_day() -> None:
    data = metro()
    assert [attribute.name for attribute in data.sensitive] == ["fare"]
    fares = data.to_frame().group_by("id").agg(pl.col("fare").n_unique())
    assert fares["fare"].to_list() == [1] * 3_000


def test_a_flow_of_passengers_rides_along_lines_within_its_minutes() -> None:
    data = metro_flow(500, stations=9, lines=2, minutes=20, mean_stops=4)
    assert data.is_ordered
    assert data.t.min() >= 1
    assert data.t.max() <= 20
    assert set(np.unique(data.location_codes)) <= set(range(9))
    order = np.lexsort((data.t, data.persons))
    same_person = np.diff(data.persons[order]) == 0
    assert (np.diff(data.t[order])[same_person] == 1).all()
    fares = {
        (person, fare) for person, fare in zip(data.persons.tolist(), data.sensitive[0].codes.tolist(), strict=True)
    }
    assert len(fares) == len({person for person, _ in fares})


def test_the_flow_of_a_station_says_how_many_board_there() -> None:
    only_one = metro_flow(200, stations=9, lines=2, flows=[0, 0, 0, 1, 0, 0, 0, 0, 0])
    first = {}
    for person, station in zip(only_one.persons.tolist(), only_one.location_codes.tolist(), strict=True):
        first.setdefault(person, station)
    assert set(first.values()) == {3}


@pytest.mark.parametrize("wrong", [{"flows": [1.0]}, {"flows": [0.0] * 9}, {"lines": 5}, {"lines": 0}])
def test_a_metro_that_cannot_be_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadParameter, match="metro_flow"):
        metro_flow(10, **{"stations": 9, "lines": 2, **wrong})
