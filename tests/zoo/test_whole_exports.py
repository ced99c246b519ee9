"""Files as hospitals, shops and operators export them: the kind is right, and the printed command makes a release."""

from __future__ import annotations

import datetime as dt
import json
import random
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from crypsis.cli.main import main

ROWS = 60
ITEMS = ("milk", "bread", "butter", "beer", "eggs", "cola", "ham", "tea")
Content = Callable[[random.Random], str]


@dataclass(frozen=True)
class Export:
    """A file, the kind that it is, words that its first command holds, and those that stand among the questions."""

    name: str
    file: str
    content: Content
    kind: str
    typed: tuple[str, ...] = ()
    asked: str = ""
    encoding: str = "utf-8"


def rows(head: str, row: Callable[[random.Random, int], str], many: int = ROWS) -> Content:
    return lambda draw: "\n".join([*([head] if head else []), *(row(draw, number) for number in range(many))]) + "\n"


def moment(draw: random.Random, number: int) -> dt.datetime:
    return dt.datetime(2020, 1, 1, 6) + dt.timedelta(minutes=7 * number, seconds=draw.randrange(60))


def near(draw: random.Random, degrees: float) -> str:
    return f"{degrees + draw.random() / 10:.5f}"


def basket(draw: random.Random) -> list[str]:
    return draw.sample(ITEMS, draw.randrange(1, 6))


EXPORTS = [
    Export(
        "a Polish hospital",
        "szpital.csv",
        rows(
            "PESEL;Płeć;Województwo;Data urodzenia;Dochód;Rozpoznanie",
            lambda draw, n: (
                f"{44051401359 + n};{draw.choice(['kobieta', 'mężczyzna'])};{draw.choice(['łódzkie', 'śląskie'])};"
                f"{1940 + n}-05-{n % 28 + 1:02d};{draw.choice(['brak', f'{draw.randrange(2, 9)} {n + 100},00 zł'])};"
                f"{draw.choice(['grypa', 'astma'])}"
            ),
        ),
        "table",
        ("--identifier", "PESEL", "Płeć,Województwo,Data urodzenia", "Dochód,Rozpoznanie"),
        "The encoding cp1250 was guessed",
        "cp1250",
    ),
    Export(
        "grades in German",
        "noten.csv",
        rows("Nr;Jahrgang;Note", lambda draw, n: f"{n};{1990 + n % 9};{draw.choice(['1,3', '2,7', 'entf.'])}"),
        "table",
        ("--sensitive", "Note", "--quasi", "Jahrgang"),
    ),
    Export(
        "weeks and months",
        "weeks.csv",
        rows(
            "person_id,week,month,sex",
            lambda draw, n: f"{n},2024-W{draw.randrange(1, 9):02d},2024-0{draw.randrange(1, 9)},{draw.choice('mf')}",
        ),
        "table",
        ("week=prefix,month=prefix",),
    ),
    Export(
        "a patient as an object with lists",
        "patients.ndjson",
        lambda draw: "".join(
            json.dumps(
                {"id": f"p{n}", "name": [{"family": "x"}], "gender": draw.choice("mf"), "birth": f"19{n + 20}-01-02"}
            )
            + "\n"
            for n in range(ROWS)
        ),
        "table",
        ("drop(columns=name)",),
    ),
    Export(
        "names that need quotes",
        "money.csv",
        rows(
            'id,"Income, EUR","Sex\n(m/f)",Town',
            lambda draw, n: f"{n},{draw.randrange(900, 5000)},{draw.choice('mf')},{draw.choice('ABC')}",
        ),
        "table",
        ('"Income, EUR"', "Sex (m/f),Town"),
    ),
    Export(
        "columns of fixed width",
        "fixed.txt",
        rows(
            f"{'ID':<6}{'AGE':>5} {'CITY':<14}{'PAY':>9}",
            lambda draw, n: (
                f"{n:<6}{20 + n % 50:>5} {draw.choice(['New York', 'Rome', 'Los Angeles']):<14}{n * 7.5:>9.2f}"
            ),
        ),
        "table",
        ("--quasi", "AGE,CITY", "--separator"),
    ),
    Export(
        "a table of R",
        "r.txt",
        rows('"row" "age" "sex"', lambda draw, n: f'"{n + 1}" {20 + n % 50} "{draw.choice("mf")}"'),
        "table",
        ("age,sex",),
    ),
    Export(
        "taps of cards",
        "taps.csv",
        rows(
            "card_id,tap_time,station,line,direction,fare",
            lambda draw, n: f"{n % 12:08d},{moment(draw, n)},{draw.choice('ABCD')},U{n % 2},in,2.40",
        ),
        "events",
        ("--location", "station"),
    ),
    Export(
        "fixes of which one has no coordinates",
        "gaps.csv",
        rows(
            "user,ts,lat,lon", lambda draw, n: f"u{n % 7},{moment(draw, n)},{'' if n == 5 else 52.1},{near(draw, 13)}"
        ),
        "tracks",
        ("drop_rows(column=lat, values=)",),
    ),
    Export(
        "instants as a warehouse exports them",
        "warehouse.csv",
        rows("user,ts,lat,lon", lambda draw, n: f"u{n % 7},{moment(draw, n)} UTC,{near(draw, 52)},{near(draw, 13)}"),
        "tracks",
        ("--t", "ts"),
    ),
    Export(
        "instants without signs between",
        "basic.csv",
        rows(
            "user,ts,lat,lon",
            lambda draw, n: f"u{n % 7},{moment(draw, n):%Y%m%dT%H%M%SZ},{near(draw, 52)},{near(draw, 13)}",
        ),
        "tracks",
        ("--t", "ts"),
    ),
    Export(
        "one column that is told in groups of five",
        "dob.csv",
        rows("id,dob", lambda draw, n: f"{n},{n % 12 + 1}/{n // 12 + 1}/1950"),
        "table",
        ("--quasi", "dob"),
        "can be read with the day first",
    ),
    Export(
        "baskets whose items have names",
        "named.txt",
        lambda draw: (
            "@CONVERTED_FROM_TEXT\n@ITEM=1=apple\n@ITEM=2=milk\n@ITEM=3=tea\n"
            + "".join(" ".join(sorted(draw.sample("123", draw.randrange(1, 4)))) + "\n" for _ in range(ROWS))
        ),
        "transactions",
    ),
    Export(
        "a total at the end",
        "totals.csv",
        lambda draw: rows("name,town,pay", lambda draw, n: f"P{n},{draw.choice('AB')},{n % 7}")(draw) + "Total,,180\n",
        "table",
        (),
        "the last row says 'Total' in 'name'",
    ),
    Export(
        "fixes with a day and a time of day",
        "buses.csv",
        rows(
            "vehicle,date,time,lat,lon",
            lambda draw, n: (
                f"bus{n % 7},{moment(draw, n):%d/%m/%Y},{moment(draw, n):%H:%M:%S},{near(draw, 51)},{near(draw, 0.5)}"
            ).replace("01/01/2020", "13/01/2020"),
        ),
        "tracks",
        ("instant(day=date, clock=time, to=instant)", "--t", "instant"),
    ),
    Export(
        "collars with a grid of metres",
        "collars.csv",
        rows(
            "animal_id,timestamp,easting,northing",
            lambda draw, n: f"a{n % 7},{moment(draw, n)},{400000 + draw.randrange(99)},{5800000 + draw.randrange(99)}",
        ),
        "tracks",
        ("easting", "northing"),
    ),
    Export(
        "stay points of trackintel",
        "stays.csv",
        rows(
            "id;user_id;started_at;finished_at;geom",
            lambda draw, n: (
                f"{n};{n % 7};{moment(draw, n)}+00:00;{moment(draw, n + 1)}+00:00;"
                f"POINT ({near(draw, 8)} {near(draw, 47)})"
            ),
        ),
        "tracks",
        ("--t", "started_at"),
    ),
    Export(
        "fixes of trackintel",
        "fixes.csv",
        rows(
            "id;user_id;tracked_at;geom",
            lambda draw, n: f"{n};{n % 7};{moment(draw, n)}+00:00;POINT ({near(draw, 8)} {near(draw, 47)})",
        ),
        "tracks",
    ),
    Export(
        "fixes of scikit-mobility with an index",
        "skmob.csv",
        rows(
            ",uid,lat,lng,datetime", lambda draw, n: f"{n},{n % 7},{near(draw, 40)},{near(draw, 116)},{moment(draw, n)}"
        ),
        "tracks",
    ),
    Export(
        "ships",
        "ais.csv",
        rows(
            "MMSI,BaseDateTime,LAT,LON,SOG,VesselName",
            lambda draw, n: (
                f"{366 + n % 7},{moment(draw, n):%Y-%m-%dT%H:%M:%S},{near(draw, 29)},{near(draw, -94)},3.1,S{n % 7}"
            ),
        ),
        "tracks",
        ("--id", "MMSI"),
    ),
    Export(
        "passengers in order",
        "fahrgast.csv",
        rows("Fahrgast;Reihenfolge;Haltestelle", lambda draw, n: f"{n // 4};{n % 4 + 1};{draw.choice('ABCD')}", 240),
        "trajectories",
        ("--position", "Reihenfolge"),
    ),
    Export(
        "stops of a timetable",
        "stop_times.csv",
        rows(
            "trip_id,arrival_time,departure_time,stop_id,stop_sequence",
            lambda draw, n: f"{n // 4},0{n % 4 + 5}:00:00,0{n % 4 + 5}:01:00,{draw.choice('ABCD')},{n % 4 + 1}",
            240,
        ),
        "trajectories",
        ("stop_sequence",),
    ),
    Export(
        "baskets of members",
        "members.csv",
        rows(
            "Member_number,Date,itemDescription",
            lambda draw, n: f"{1000 + n % 30},{n % 28 + 1:02d}-07-2015,{draw.choice(ITEMS)}",
            300,
        ),
        "transactions",
        ("--item", "itemDescription"),
    ),
    Export(
        "baskets filled up by a spreadsheet",
        "padded.csv",
        lambda draw: (
            "\n".join(",".join([*(made := basket(draw)), *[""] * (5 - len(made))]) for _ in range(ROWS)) + "\n"
        ),
        "transactions",
        ("fimi", "--separator"),
    ),
    Export(
        "baskets in one cell",
        "cells.csv",
        rows("TransactionID,Items", lambda draw, n: f'{n},"{", ".join(basket(draw))}"'),
        "transactions",
        ("split(column=Items)",),
    ),
]


@pytest.mark.long
@pytest.mark.parametrize("export", EXPORTS, ids=lambda export: export.name)
def test_the_kind_is_right_and_the_printed_command_makes_a_release(
    export: Export, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(export.file).write_bytes(export.content(random.Random(15)).encode(export.encoding))
    with pytest.raises(SystemExit):
        main(["data", "inspect", export.file, "--json"])
    told = json.loads(capsys.readouterr().out)
    assert told["kind"] == export.kind
    assert export.asked in "\n".join(told["understood"]["questions"])
    command = next(iter(told["commands"].values()))
    for word in export.typed:
        assert word in shlex.split(command) or word in command
    with pytest.raises(SystemExit) as ended:
        main(shlex.split(command)[1:])
    assert ended.value.code in (0, None), capsys.readouterr().err
