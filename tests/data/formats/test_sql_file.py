"""A query in a file, run on a database whose address an environment variable holds."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import crypsis
from crypsis.cli.main import main
from crypsis.data.formats.sql_file import holds_secret
from crypsis.errors import BadParameter, MissingFile, NotApplicable, UnreadableFile
from crypsis.evaluate.dataset import Dataset, forget_loaded
from crypsis.web.datasets import Datasets
from crypsis.web.workspace import Workspace

SECRET = "hunter2-and-more"
ROLES = {"age": "quasi", "town": "quasi"}


@pytest.fixture
def query(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    database = tmp_path / "people.db"
    with closing(sqlite3.connect(database)) as opened, opened:
        opened.execute("create table people (age integer, town text)")
        opened.executemany("insert into people values (?, ?)", [(20 + n % 4, "Rome") for n in range(20)])
    monkeypatch.setenv("PEOPLE_DATABASE", f"sqlite:///{database}")
    file = tmp_path / "people.sql"
    file.write_text("select age, town from people;\n")
    return file


def test_every_road_reads_what_the_query_gives(query: Path, capsys: pytest.CaptureFixture[str]) -> None:
    read = crypsis.read_table(query, ROLES, connection="PEOPLE_DATABASE", each_row_is_a_person=True)
    section = {"path": query.name, "kind": "table", "rest": "quasi", "connection": "PEOPLE_DATABASE"}
    assert len(read) == len(Dataset(section, query.parent).load()) == 20
    with pytest.raises(SystemExit) as ended:
        main(["data", "inspect", str(query), "--connection", "PEOPLE_DATABASE", "--json"])
    assert ended.value.code in (0, None)
    told = json.loads(capsys.readouterr().out)
    assert [column["name"] for column in told["columns"]] == ["age", "town"]
    assert all("--connection PEOPLE_DATABASE" in command for command in told["commands"].values())


@pytest.mark.parametrize(
    ("name", "said"),
    [("people", {}), ("people of Rome", {"query": "people"}), ("rome", {"query": "select * from people;"})],
    ids=["a table", "a table as query", "a query"],
)
def test_a_table_needs_no_file(
    query: Path, name: str, said: dict[str, str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {"connection": "PEOPLE_DATABASE", **said}
    read = crypsis.read_table(name, ROLES, each_row_is_a_person=True, **options)
    section = {"path": name, "kind": "table", "rest": "quasi", **options}
    assert len(read) == len(Dataset(section, query.parent).load()) == 20
    monkeypatch.chdir(query.parent)
    typed = [word for option, value in options.items() for word in (f"--{option}", value)]
    roles = ("--quasi", "age,town", "--each-row-is-a-person")
    with pytest.raises(SystemExit) as ended:
        main(["anonymize", name, *typed, *roles, "--method", "mondrian", "-k", "5", "--out", "release"])
    assert ended.value.code in (0, None), capsys.readouterr().err
    forget_loaded()


def test_a_table_that_is_not_there_is_refused(query: Path) -> None:
    with pytest.raises(UnreadableFile, match="refused the query"):
        crypsis.read_table("nobody", ROLES, connection="PEOPLE_DATABASE")
    with pytest.raises(MissingFile, match="There is no file people"):
        crypsis.read_table("people", ROLES)


def test_rows_that_were_added_are_read(query: Path) -> None:
    section = {"path": query.name, "kind": "table", "rest": "quasi", "connection": "PEOPLE_DATABASE"}
    before = Dataset(section, query.parent)
    assert len(before.load()) == 20
    with closing(sqlite3.connect(query.parent / "people.db")) as opened, opened:
        opened.execute("insert into people values (99, 'Oslo')")
    after = Dataset(section, query.parent)
    assert len(after.load()) == 21
    assert after.digest != before.digest
    forget_loaded()


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://me:{SECRET}@host/db",
        f"mysql://me:{SECRET}@host:1/db?x=1",
        f"postgresql://host/db?user=me&password={SECRET}",
        f"mssql://host/db?PWD={SECRET}",
        f"http://[{SECRET}",
    ],
)
def test_an_address_with_a_password_is_refused_and_never_repeated(
    query: Path, address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert holds_secret(address)
    with pytest.raises(BadParameter) as caught:
        crypsis.read_table(query, ROLES, connection=address)
    assert SECRET not in str(caught.value) + repr(caught.value.details)
    with pytest.raises(SystemExit):
        main(["data", "inspect", str(query), "--connection", address])
    out, err = capsys.readouterr()
    assert SECRET not in out + err
    assert "environment variable" in err


def test_a_password_of_a_variable_is_in_no_message(
    query: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PEOPLE_DATABASE", f"sqlite:///no/such/folder/{SECRET}.db")
    with pytest.raises(UnreadableFile) as caught:
        crypsis.read_table(query, ROLES, connection="PEOPLE_DATABASE")
    assert SECRET not in str(caught.value)
    with pytest.raises(SystemExit):
        main(["data", "inspect", str(query), "--connection", "PEOPLE_DATABASE"])
    out, err = capsys.readouterr()
    assert SECRET not in out + err


def test_a_database_is_named_and_a_query_only_reads(query: Path) -> None:
    with pytest.raises(BadParameter, match="name the environment variable"):
        crypsis.read_table(query, ROLES)
    with pytest.raises(BadParameter, match="There is no environment variable 'NOWHERE'"):
        crypsis.read_table(query, ROLES, connection="NOWHERE")
    query.write_text("delete from people")
    with pytest.raises(UnreadableFile):
        crypsis.read_table(query, ROLES, connection="PEOPLE_DATABASE")
    with closing(sqlite3.connect(query.parent / "people.db")) as opened:
        assert opened.execute("select count(*) from people").fetchone() == (20,)


def test_where_others_are_let_in_no_database_is_named(tmp_path: Path) -> None:
    datasets = Datasets(Workspace(tmp_path / "workspace"), allow_paths=False)
    with pytest.raises(NotApplicable, match="Databases cannot be named"):
        datasets.check_settings({"connection": "PEOPLE_DATABASE"})
