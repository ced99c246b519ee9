"""`crypsis data inspect` prints the command to begin with; what it prints runs, and asks who a person is."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.suggested_commands import commands

BASKETS = "order_id,customer,date,product,price\n" + "".join(
    f"o{order},c{order % 20},2020-01-0{1 + order % 9},{item},{1 + order % 7}\n"
    for order in range(120)
    for item in "abcd"[: 1 + order % 4]
)


def cab_rides(folder: Path) -> Path:
    chance = random.Random(8)
    corners = [(37.78 + 0.01 * up, -122.42 + 0.01 * across) for up in range(2) for across in range(3)]
    lines = ["ride,cab_id,gps_time,lat,lon"]
    for ride in range(60):
        for step, (lat, lon) in enumerate(chance.sample(corners, 3)):
            moved = f"{lat + chance.uniform(0, 2e-3):.5f},{lon + chance.uniform(0, 2e-3):.5f}"
            lines.append(f"r{ride},{ride % 6},2008-06-{1 + ride % 28:02} {10 + step}:00:00,{moved}")
    file = folder / "rides.csv"
    file.write_text("\n".join(lines) + "\n")
    return file


def test_rides_are_suggested_as_tracks_by_cab(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = cab_rides(tmp_path)
    monkeypatch.chdir(tmp_path)
    inspected = run("data", "inspect", file)
    assert "looks like tracks" in inspected.out
    assert "Does one person have several tracks? Column 'cab_id'" in inspected.out
    by_answer = commands(run, file)
    person = by_answer["Where cab_id names the person"]
    assert person[2:8] == ["--id", "ride", "--t", "gps_time", "--person", "cab_id"]
    assert "--each-row-is-a-person" in by_answer["Where nobody has several records"]
    made = run(*person)
    assert made.code == 0, made.err
    assert "unit=owner" in made.out
    undecided = run(*(word for word in person if word not in ("--person", "cab_id")), "--overwrite")
    assert (undecided.code, "person-undecided" in undecided.err) == (2, True)


def test_baskets_with_many_columns_are_baskets_and_ask_for_the_customer(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "baskets.csv").write_text(BASKETS)
    monkeypatch.chdir(tmp_path)
    inspected = run("data", "inspect", "baskets.csv")
    assert "looks like transactions" in inspected.out
    assert "Does one person have several records? Column 'customer'" in inspected.out
    for words, command in commands(run, tmp_path / "baskets.csv").items():
        made = run(*command, "--overwrite")
        assert made.code == 0, made.err
        assert ("--unite" in command) == (words == "Where customer names the person")
    text = run("data", "inspect", "baskets.csv", "--as-experiment").out
    assert '#   person = "customer", and unite = "person"' in text


def test_long_tables_of_two_columns_need_no_question(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "baskets.csv"
    file.write_text("customer,product\n" + "".join(f"c{row // 3},p{row % 7}\n" for row in range(90)))
    assert list(commands(run, file)) == ["To begin with"]


def test_a_table_gets_its_roles_typed(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "people.csv").write_text(
        "age,zip code,disease\n"
        + "".join(f"{20 + row % 9},8{row % 4}00,{'flu' if row % 2 else 'cold'}\n" for row in range(80))
    )
    monkeypatch.chdir(tmp_path)
    (command,) = commands(run, tmp_path / "people.csv").values()
    assert ["--quasi", "age,zip code", "--sensitive", "disease"] == command[2:6]
    assert run(*command).code == 0
    assert "--out people-release" in run("data", "inspect", "people.csv").out
    assert "--out people-release" in run("data", "inspect", "people*.csv").out


def test_names_with_commas_and_quotes_are_typed_in_quotes(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "people.csv"
    rows = "".join(f"{20 + row % 9},t{row % 4},{row % 3},u{row % 2}\n" for row in range(40))
    file.write_text('"age, in years","the ""town""",a=b,"two\nlines"\n' + rows)
    (command,) = commands(run, file).values()
    assert '"age, in years","the ""town""",a=b,two lines' in command
    assert run(*command).code == 0


def test_fixes_at_one_instant_are_told_in_the_command(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "fixes.csv"
    rows = [f"{user},2020-01-01T10:0{minute}:00,47.{user},8.{minute}\n" for user in range(9) for minute in (3, 1, 1)]
    file.write_text("uid,time,lat,lon\n" + "".join(rows))
    (command,) = commands(run, file).values()
    assert "--sort" in command
    assert command[command.index("--repeated") + 1] == "first"


@pytest.mark.parametrize(
    ("header", "kind"),
    [
        ("uid,trajectory,lat,lon,alt_ft,datetime_gmt", "tracks"),
        ("ride,cab_id,time,lat,lon", "tracks"),
        ("taxi_id,longitude,latitude,timestamp_ms", "tracks"),
        ("uid,lat,lon,start_time,end_time", "table"),  # which of the two?
        ("lat,lon,time", "table"),  # of whom?
        ("order_id,customer,product,price,shop", "transactions"),
        ("id,age,sex,code", "table"),  # the code of an area, for all we know
        ("id,age,item,sex", "table"),  # every id once
    ],
)  # fmt: skip
def test_kinds_follow_from_the_words_of_columns(run: Run, tmp_path: Path, header: str, kind: str) -> None:
    columns = header.split(",")
    once = kind == "table"
    rows = [[str(row if once or place else row // 2) for place, _ in enumerate(columns)] for row in range(1, 9)]
    (tmp_path / "f.csv").write_text("\n".join([header, *map(",".join, rows)]) + "\n")
    assert json.loads(run("data", "inspect", tmp_path / "f.csv", "--json").out)["kind"] == kind


def test_roles_have_reasons_and_codes_are_typed_with_prefixes(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(9)
    rows = [
        f"Mia Li{row},{chance.randrange(1, 3)},{chance.randrange(60, 70) * 100},{20 + row % 30},{row % 7}\n"
        for row in range(120)
    ]
    (tmp_path / "people.csv").write_text("Nachname,sex,PLZ,alter,Gehalt\n" + "".join(rows))
    monkeypatch.chdir(tmp_path)
    told = json.loads(run("data", "inspect", "people.csv", "--json").out)
    assert [column["role"] for column in told["columns"]] == ["identifier", "quasi", "quasi", "quasi", "sensitive"]
    assert all(column["why"] and column["confidence"] == "high" for column in told["columns"])
    assert [column["type"] for column in told["columns"]][1:3] == ["category", "category"]
    (command,) = commands(run, tmp_path / "people.csv").values()
    assert command[command.index("--types") + 1] == "sex=category,PLZ=category"
    assert command[command.index("--hierarchy") + 1] == "PLZ=prefix"
    made = run(*command)
    assert made.code == 0, made.err
    published = [file.read_text() for file in (tmp_path / "people-release").glob("*.csv")]
    assert published
    assert not any("Li7" in text for text in published)


def test_baskets_called_csv_and_sequences_are_published_as_printed(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(10)
    sets = [sorted(chance.sample("abcdefgh", chance.randint(1, 5))) for _ in range(100)]
    (tmp_path / "baskets.csv").write_text("\n".join("|".join(items) for items in sets) + "\n")
    (tmp_path / "clicks.txt").write_text("\n".join(f"1 2 {row % 3} 1" for row in range(60)) + "\n")
    monkeypatch.chdir(tmp_path)
    for name, words in (("baskets.csv", ["--input-format", "fimi"]), ("clicks.txt", ["--method", "kam-cut"])):
        (command,) = commands(run, tmp_path / name).values()
        place = command.index(words[0])
        assert command[place : place + 2] == words
        made = run(*command)
        assert made.code == 0, made.err


def test_too_few_people_are_said_before_the_method_refuses(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "fixes.csv"
    rows = [f"{user},2020-01-01T10:0{minute}:00,47.{user},8.{minute}\n" for user in range(2) for minute in range(5)]
    file.write_text("uid,time,lat,lon\n" + "".join(rows))
    assert "This will be refused (too few tracks: 2, and 5 must look alike)" in run("data", "inspect", file).out


NAMED = {
    "names that repeat.csv": "Name,age,zip\n"
    + "".join(f"Li {row % 7},{20 + row % 9},8{row % 4}00\n" for row in range(80)),
    "visits without coordinates.csv": "user,time,station\n"
    + "".join(f"u{row // 3},2024-03-01 1{row % 3}:00,{'ABC'[row % 3]}\n" for row in range(90)),
    "unordered fixes.csv": "user,time,lat,lon\n"
    + "".join(f"u{row % 9},2024-03-01 1{9 - row // 9}:00,47.{row},8.{row}\n" for row in range(90)),
    "aligned.txt": f"{'id':>6}{'age':>6}{'income':>12}\n"
    + "".join(f"{row:>6}{20 + row % 9:>6}{1000.25 * (row + 1):>12}\n" for row in range(80)),
}


@pytest.mark.parametrize("name", NAMED)
def test_a_file_in_a_folder_gets_the_same_commands_however_its_path_is_written(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / "export").mkdir()
    file = tmp_path / "export" / name
    file.write_text(NAMED[name])
    monkeypatch.chdir(tmp_path)
    relative, absolute = (
        json.loads(run("data", "inspect", path, "--json").out) for path in (Path("export") / name, file)
    )
    assert relative["commands"]
    assert relative["commands"] == {
        words: command.replace(f"{tmp_path}/", "") for words, command in absolute["commands"].items()
    }
    assert relative.get("person") == absolute.get("person")
    for command in commands(run, Path("export") / name).values():
        made = run(*command, "--overwrite")
        assert made.code == 0, made.err
    assert run("data", "inspect", Path("export") / name, "--as-experiment").code == 0


def test_a_command_that_cannot_run_says_so_before(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "fixes.csv"
    file.write_text(
        "user,time,lat,lon\n" + "".join(f"u{n // 9},2008060807{n % 9 + 10}00,47.{n},8.{n}\n" for n in range(90))
    )
    said = run("data", "inspect", file).out
    assert "This will be refused (The numbers of column 'time' seem to be the digits of a day and a time" in said
    assert "--time-format %Y%m%d%H%M%S" in said
    file.write_text("user\n" + "".join(f"u{row}\n" for row in range(30)))
    assert "This will be refused (no column is a quasi-identifier" in run("data", "inspect", file).out
