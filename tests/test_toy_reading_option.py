"""A new option of reading is one annotation: Python, commands, experiments, REST and the browser have it then."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any

import httpx
import polars as pl
import pytest
from fastapi import FastAPI

import crypsis
from crypsis.cli.main import main
from crypsis.data.sources import SOURCES, DataFile, TransactionSource
from crypsis.data.sources.data_source import Label, OnlyIn
from crypsis.data.sources.transactions import ROW_PER_ITEM
from crypsis.errors import OptionWithoutEffect
from crypsis.evaluate.dataset import Dataset
from crypsis.evaluate.dataset_checks import section_problems
from crypsis.web.api.datasets import router
from crypsis.web.datasets import Datasets
from crypsis.web.parameter_labels import reading_label
from crypsis.web.reading_form import options_used
from crypsis.web.workspace import Workspace

HELP = "Read items in capitals."
BASKETS = "id,item\n1,tea\n1,milk\n2,tea\n"


@dataclass(frozen=True, kw_only=True)
class ToySource(TransactionSource):
    """Baskets whose items can be read in capitals."""

    shout: Annotated[bool, Label("Shout"), OnlyIn(ROW_PER_ITEM), HELP] = False  # the one line

    def load(self, file: DataFile, declared: Any) -> Any:
        changed = replace(file, change=_in_capitals) if self.shout else file
        return super().load(changed, declared)


def _in_capitals(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.col("item").str.to_uppercase())


@contextmanager
def toy_read() -> Iterator[None]:
    """The toy in place of the source that it extends."""
    SOURCES["transactions"] = ToySource
    try:
        yield
    finally:
        SOURCES["transactions"] = TransactionSource


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "baskets.csv"
    path.write_text(BASKETS, encoding="utf-8")
    with toy_read():
        yield path


def test_python_reads_with_it(file: Path) -> None:
    assert crypsis.read_transactions(file).to_lists() == [["milk", "tea"], ["tea"]]
    assert crypsis.read_transactions(file, shout=True).to_lists() == [["MILK", "TEA"], ["TEA"]]


def test_it_is_refused_where_it_has_no_effect(file: Path) -> None:
    lists = file.with_name("lists.dat")
    lists.write_text("tea milk\ntea\n")
    with pytest.raises(OptionWithoutEffect, match="`shout` has no effect here: one list of items per line"):
        crypsis.read_transactions(lists, shout=True)
    (file.with_name("people.csv")).write_text("age\n3\n")
    with pytest.raises(OptionWithoutEffect, match="`shout` has no effect here"):
        crypsis.read_table(file.with_name("people.csv"), {"age": "quasi"}, shout=True)


def test_commands_have_the_option_and_its_help(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["anonymize"], ["run"], ["verify"], ["plot"], ["queries", "make"]):
        with pytest.raises(SystemExit):
            main([*command, "--help"])
        shown = " ".join(capsys.readouterr().out.split())
        below = shown[shown.index(" Transactions: ") :]
        assert f"--shout {HELP}" in below[: below.index(" Movement ")]
    out = file.with_name("queries.txt")
    with pytest.raises(SystemExit) as stopped:
        main(["queries", "make", str(file), "--shout", "--id", "id", "--count", "9", "--out", str(out)])
    assert stopped.value.code == 0, capsys.readouterr().err
    assert "TEA" in out.read_text()
    people = file.with_name("people.csv")
    people.write_text("age\n3\n")
    with pytest.raises(SystemExit):
        main(["anonymize", str(people), "--quasi", "age", "--shout", "--method", "mondrian", "--out", str(out) + ".d"])
    assert "--shout says how transactions are read; here tables are." in capsys.readouterr().err


def test_an_experiment_has_the_key(file: Path) -> None:
    section = {"path": "baskets.csv", "kind": "transactions", "shout": True}
    assert Dataset(section, file.parent).load().to_lists() == [["MILK", "TEA"], ["TEA"]]
    assert not section_problems(section)
    problems = section_problems({**section, "shout": "loud"})
    assert any("shout must be true or false" in problem.message for problem in problems)


def test_rest_has_the_field(file: Path, tmp_path: Path) -> None:
    datasets = Datasets(Workspace(tmp_path / "workspace"), allow_paths=True)
    app = FastAPI()
    app.include_router(router(SimpleNamespace(datasets=datasets, side_inputs=None)))  # type: ignore[arg-type]

    async def ask() -> tuple[httpx.Response, httpx.Response]:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://here") as client:
            added = {"path": str(file), "kind": "transactions", "shout": True}
            return await client.get("/openapi.json"), await client.post("/datasets", json=added)

    schema, added = asyncio.run(ask())
    assert HELP in schema.text
    assert added.status_code == 201, added.text
    assert added.json()["section"]["shout"] is True
    entry = datasets.entries()[0]
    assert datasets.load(entry.number).to_lists() == [["MILK", "TEA"], ["TEA"]]
    assert "Shout" in [reading_label(option) for option in options_used(datasets.dataset(entry))]


@pytest.mark.long
def test_the_browser_has_the_field(file: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-m", "tests.test_toy_reading_option", str(tmp_path), str(file)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout
    assert "Shout" in shown
    assert HELP in shown


def show_page(folder: Path, file: Path) -> None:
    """The page of the toy data, as a browser gets it; pages are made once in a process."""
    from nicegui import core

    from crypsis.web.app import build_app
    from crypsis.web.security import Access
    from crypsis.web.workbench import Workbench

    access = Access(port=8000, hosts=frozenset({"127.0.0.1"}))
    app = build_app(Workbench(Workspace(folder / "served"), access))

    async def page() -> str:
        core.loop = asyncio.get_running_loop()
        headers = {"Authorization": f"Bearer {access.token}"}
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000", headers=headers) as client:
            added = await client.post("/api/datasets", json={"path": str(file), "kind": "transactions"})
            return (await client.get(f"/data?dataset={added.json()['id']}")).text

    print(json.dumps(asyncio.run(page())))


if __name__ == "__main__":
    with toy_read():
        show_page(Path(sys.argv[1]), Path(sys.argv[2]))
