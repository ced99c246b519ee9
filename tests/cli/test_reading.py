"""Every kind of data is read with the options that speak of it, and no other."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from crypsis.cli import reading
from crypsis.cli.reading.options import listed, pairs
from crypsis.cli.reading.tables import declared_roles
from crypsis.data.mixed import Mixed
from crypsis.data.relational import Table
from crypsis.data.stream import Events
from crypsis.data.transaction import Transactions
from crypsis.errors import BadParameter, NotApplicable, OptionWithoutEffect, UndeclaredRole

PATIENTS = "name,age,zip,diagnoses\nAnn,30,14122,flu cold\nBob,31,14123,flu\n"


@pytest.fixture
def read(tmp_path: Path):
    def from_text(text: str, kind: type, name: str = "file.csv", **options: object):
        (tmp_path / name).write_text(text, encoding="utf-8")
        chosen = dict.fromkeys(reading._every_option()) | options
        return partial(reading._read, chosen)(tmp_path / name, kind)

    return from_text


def test_a_table_is_read_with_a_role_for_every_column(read) -> None:
    table = read(PATIENTS, Table, quasi="age,zip", identifier="name", sensitive="diagnoses", types="zip=category")
    assert (table.quasi, table.identifiers, table.sensitive) == (("age", "zip"), ("name",), ("diagnoses",))
    assert table.column("zip").type == "category"
    assert reading.words_on(table) == "read 2 records with 4 columns, 2 of them quasi-identifiers"


def test_columns_without_a_role_are_an_error_unless_the_rest_may_be_published(read) -> None:
    with pytest.raises(UndeclaredRole, match="diagnoses"):
        read(PATIENTS, Table, quasi="age,zip", identifier="name")
    assert read(PATIENTS, Table, quasi="age,zip", identifier="name", other="rest").others == ("diagnoses",)


def test_a_column_has_one_role() -> None:
    with pytest.raises(BadParameter, match="'age' is given the roles quasi and sensitive"):
        declared_roles(["age"], quasi="age", sensitive="age")
    assert declared_roles(["rest", "age"], quasi="age", other="rest") == {"age": "quasi", "rest": "other"}


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
    assert reading.words_on(lines) == "read 2 transactions with 3 items of 2 kinds; 1 repeated items count once"


def test_events_are_read_with_their_sensitive_column(read) -> None:
    events = read("id,location,t,illness\n1,a,0,flu\n1,b,60,flu\n", Events, sensitive="illness")
    assert len(events) == 2


def test_an_option_of_another_kind_of_data_is_refused(read) -> None:
    with pytest.raises(OptionWithoutEffect, match="--grid says how trajectories are read; here transactions are"):
        read("a b\n", Transactions, "file.dat", grid=100.0)
    with pytest.raises(OptionWithoutEffect, match="--quasi says how tables or mixed data are read"):
        read("a b\n", Transactions, "file.dat", quasi="a")
    with pytest.raises(NotApplicable, match="int cannot be read"):
        read("a b\n", int)


def test_options_that_kinds_share_are_described_once() -> None:
    for kind in reading.KINDS:
        for name, option in reading._options_of(kind).items():
            assert option.annotation == reading._every_option()[name].annotation, (kind, name)
            assert option.default in (None, False)  # else it could not be told from one that was given


def test_lists_come_from_the_line_or_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("a\n\n b \n", encoding="utf-8")
    assert listed(str(tmp_path / "list.txt")) == ["a", "b"]
    assert listed("a, b,") == ["a", "b"]
    assert pairs("age=int, zip = category", "--types") == {"age": "int", "zip": "category"}
    with pytest.raises(BadParameter, match=r"--types takes name=value.*'age'"):
        pairs("age", "--types")
