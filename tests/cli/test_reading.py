"""Every kind of data is read with the options that speak of it, and no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from crypsis.cli import reading
from crypsis.cli.reading.column_options import column_keys, listed, pairs
from crypsis.cli.reading.typed import Typed, options_of, reading_options
from crypsis.data.mixed import Mixed
from crypsis.data.relational import Table
from crypsis.data.sources import SOURCES, every_option
from crypsis.data.stream import Events
from crypsis.data.track import Tracks
from crypsis.data.trajectory import Trajectories
from crypsis.data.transaction import Transactions
from crypsis.errors import BadParameter, NotApplicable, OptionWithoutEffect, UndeclaredRole

PATIENTS = "name,age,zip,diagnoses\nAnn,30,14122,flu cold\nBob,31,14123,flu\n"


@pytest.fixture
def read(tmp_path: Path):
    def from_text(text: str, kind: type, name: str = "file.csv", **options: object):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return Typed(options).read(tmp_path / name, kind)

    return from_text


def test_a_table_is_read_with_a_role_for_every_column(read) -> None:
    table = read(PATIENTS, Table, quasi="age,zip", identifier="name", sensitive="diagnoses", types="zip=category")
    assert (table.quasi, table.identifiers, table.sensitive) == (("age", "zip"), ("name",), ("diagnoses",))
    assert table.column("zip").type == "category"
    counts, *others = reading.words_on(table).splitlines()
    assert counts == "read 2 records with 4 columns, 2 of them quasi-identifiers"
    assert others[-1] == (
        "understood: tables, identifier = name (category), quasi = age (int), zip (category), sensitive = diagnoses "
        "(category), missing = 0 of 8 cells (?, empty); each record counts as a person"
    )


def test_columns_without_a_role_are_an_error_unless_the_rest_may_be_published(read) -> None:
    with pytest.raises(UndeclaredRole, match="diagnoses"):
        read(PATIENTS, Table, quasi="age,zip", identifier="name")
    assert read(PATIENTS, Table, quasi="age,zip", identifier="name", other="rest").others == ("diagnoses",)


def test_a_column_has_one_role() -> None:
    with pytest.raises(BadParameter, match="'age' is given the roles quasi and sensitive"):
        column_keys({"quasi": "age", "sensitive": "age"}, list)
    with pytest.raises(BadParameter, match="The rest of the columns can have one role"):
        column_keys({"identifier": "rest", "other": "rest"}, list)
    roles = {"age": {"role": "quasi"}}
    typed = {"quasi": "age", "other": "rest"}
    assert column_keys(typed, lambda: ["age"]) == {"columns": roles, "rest": "other"}
    assert column_keys(typed, lambda: ["rest", "age"]) == {"columns": roles | {"rest": {"role": "other"}}}


def test_mixed_data_name_their_sets(read) -> None:
    mixed = read(PATIENTS, Mixed, quasi="age,zip", identifier="name", items="diagnoses= ", sensitive_items="cold")
    assert mixed.transactions.to_lists() == [["cold", "flu"], ["flu"]]
    assert mixed.transactions.sensitive.sum() == 1
    with pytest.raises(BadParameter, match="--items"):
        read(PATIENTS, Mixed, quasi="age,zip", identifier="name")


def test_transactions_are_read_from_rows_or_lines(read) -> None:
    assert read("id,item\n1,a\n1,b\n2,a\n", Transactions).to_lists() == [["a", "b"], ["a"]]
    lines = read("a b b\na\n", Transactions, "file.dat", sensitive="b")
    assert lines.to_lists() == [["a", "b"], ["a"]]
    counts = "read 2 transactions with 3 items of 2 kinds; 1 repeated items count once"
    assert reading.words_on(lines).splitlines()[0] == counts


def test_lists_in_json_are_records(read) -> None:
    baskets = '[{"id": 1, "item": ["a", "b"]}, {"id": 2, "item": []}]'
    assert read(baskets, Transactions, "file.json", id="id").to_lists() == [["a", "b"], []]
    twice = '[{"id": 1, "item": ["a"]}, {"id": 1, "item": ["b"]}]'
    with pytest.raises(BadParameter, match="same 'id'.*person='id'"):
        read(twice, Transactions, "file.json", id="id")


def test_events_are_read_with_their_sensitive_column(read) -> None:
    events = read("id,location,t,illness\n1,a,0,flu\n1,b,60,flu\n", Events, sensitive="illness")
    assert len(events) == 2


def test_an_option_of_another_kind_of_data_is_refused(read) -> None:
    with pytest.raises(OptionWithoutEffect, match="--grid says how trajectories are read; here transactions are"):
        read("a b\n", Transactions, "file.dat", grid=100.0)
    with pytest.raises(OptionWithoutEffect, match="--quasi says how tables or mixed data are read"):
        read("a b\n", Transactions, "file.dat", quasi="a")
    with pytest.raises(OptionWithoutEffect, match="--items says how mixed data are read; here tables are. Leave"):
        read(PATIENTS, Table, quasi="age", items="diagnoses")
    with pytest.raises(NotApplicable, match="int cannot be read"):
        read("a b\n", int)


def test_options_that_kinds_share_are_described_once() -> None:
    known = reading_options()
    for source in SOURCES.values():
        for option in source.options().values():
            assert known.get(option.name, option).help.startswith(option.help), (source, option.name)
            assert option.type is every_option()[option.name].type
        assert all(name in known for name in options_of(source))


def test_lists_come_from_the_line_or_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("a\n\n b \n", encoding="utf-8")
    assert listed(str(tmp_path / "list.txt")) == ["a", "b"]
    assert listed("a, b,") == ["a", "b"]
    assert pairs("age=int, zip = category", "--types") == {"age": "int", "zip": "category"}
    with pytest.raises(BadParameter, match=r"--types takes name=value.*'age'"):
        pairs("age", "--types")


@pytest.mark.parametrize(
    ("kind", "text", "name", "options", "told"),
    [
        (
            Table,
            "who,age\na,1\na,-\n",
            "file.csv",
            {"quasi": "age", "person": "who", "missing": "-"},
            "tables, person = who, identifier = who (category), quasi = age (int), missing = 1 of 4 cells (-, empty)",
        ),
        (
            Mixed,
            PATIENTS,
            "file.csv",
            {"quasi": "age,zip", "identifier": "name", "items": "diagnoses= "},
            "mixed data, identifier = name (category), quasi = age (int), zip (int), missing = 0 of 6 cells (?, empty)"
            ", sets of items = diagnoses; each record counts as a person",
        ),
        (
            Transactions,
            "id,item\n1,a\n1,b\n2,a\n",
            "file.csv",
            {"each_row_is_a_person": True},
            "transactions, record = id, item = item; each record counts as a person",
        ),
        (Transactions, "1 2\n2\n", "f.dat", {}, "transactions, record = each line; each record counts as a person"),
        (
            Events,
            "card,gate,when,fare\n1,a,5,half\n",
            "file.csv",
            {"id": "card", "location": "gate", "t": "when", "time_unit": "min", "sensitive": "fare"},
            "events, person = card, location = gate, time = when, unit = min, sensitive = fare",
        ),
    ],
    ids=["table", "mixed", "rows of items", "lines of items", "events"],
)
def test_every_kind_says_what_was_understood(
    kind: type, text: str, name: str, options: dict[str, object], told: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    typed = Typed(options)
    words = reading.words_on(typed.read(tmp_path / name, kind), typed)
    assert words.splitlines()[-1] == f"understood: {told}"


def test_trajectories_and_tracks_say_what_was_understood(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text("trajectory_id,position,location\n1,0,a\n1,1,b\n")
    (tmp_path / "points.csv").write_text("tid,x,y,t,uid\n1,0,0,1,u\n1,5,5,2,u\n")
    typed = Typed()
    for name, kind, told in (("visits.csv", Trajectories, "trajectories, "), ("points.csv", Tracks, "tracks, ")):
        assert f"understood: {told}" in reading.words_on(typed.read(tmp_path / name, kind), typed)


def commands(group: object, path: str = "") -> dict[str, object]:
    """Every command by what is typed."""
    found: dict[str, object] = {}
    for name, command in group.commands.items():  # type: ignore[attr-defined]
        typed = f"{path} {name}".strip()
        found |= commands(command, typed) if hasattr(command, "commands") else {typed: command}
    return found


def test_every_command_that_reads_data_can_shape_the_table_first() -> None:
    from crypsis.cli.app import parser

    readers = {
        name: command for name, command in commands(parser()).items() if isinstance(command, reading.ReadingCommand)
    }
    as_it_stands = {name for name, command in readers.items() if not command.shapes}
    assert as_it_stands == {"data edit", "data save", "data risk"}
    assert {"anonymize", "verify", "measure", "plot", "compare", "hierarchy make", "policy make"} <= set(readers)
    for name, command in readers.items():
        options = {option.name for option in command.get_params(reading.Reader(command))}
        assert {"separator", "encoding", "decimal", "thousands", "header"} <= options, name
        assert ("step" in options) is (name not in as_it_stands), name


@pytest.mark.parametrize(
    "line",
    [
        "hierarchy make {file} --column area --out {out}/tree.csv",
        "plot {file} --kind histogram --column area --out {out}/plots",
    ],
)
def test_commands_read_the_table_as_it_was_shaped(run, tmp_path: Path, line: str) -> None:
    (tmp_path / "people.csv").write_text("zip,ill\n14122,flu\n14123,none\n99999,flu\n99998,flu\n", encoding="utf-8")
    words = line.format(file=tmp_path / "people.csv", out=tmp_path).split(" ")
    done = run(*words, "--step", "prefix(column=zip, length=2, to=area)")
    assert done.code == 0, done.err
    assert run(*words).code == 2  # there is no such column before


def test_a_table_that_is_read_in_parts_is_not_shaped_in_silence(run, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("zip,ill\n14122,flu\n14123,none\n", encoding="utf-8")
    words = ["anonymize", str(tmp_path / "people.csv"), "--method", "mondrian", "--quasi", "area", "--other", "rest"]
    done = run(
        *words,
        "--out",
        str(tmp_path / "out"),
        "--executor",
        "serial",
        "--step",
        "prefix(column=zip, length=2, to=area)",
    )
    assert done.code == 2
    assert "--step" in done.err
