"""A new format or option is one file and a line: Python, commands, experiments, REST and the browser have it then."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated

import httpx
import polars as pl
import pytest
from fastapi import FastAPI

import crypsis
from crypsis.cli.main import main
from crypsis.data.formats import FORMATS
from crypsis.data.formats.format import TABLE, Format
from crypsis.errors import OptionWithoutEffect
from crypsis.evaluate.dataset import Dataset
from crypsis.evaluate.dataset_checks import section_problems
from crypsis.web.api.datasets import router
from crypsis.web.datasets import Datasets
from crypsis.web.pages.import_file import known_formats
from crypsis.web.workspace import Workspace, safe_suffix


@dataclass(frozen=True, kw_only=True)
class Toy(Format):
    """One word per line."""

    name, label = "toy", "Toy: one word per line"
    suffixes = (".toy",)
    holds = frozenset({TABLE})

    shout: Annotated[bool, "Whether words are read in capitals."] = False

    def read_frame(self, file: Path, columns: object = None) -> tuple[pl.DataFrame, str]:
        words = file.read_text(encoding="utf-8").split()
        return pl.DataFrame({"word": [word.upper() if self.shout else word for word in words]}), str(file)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setitem(FORMATS, Toy.name, Toy)  # the one line
    path = tmp_path / "words.toy"
    path.write_text("red\ngreen\n", encoding="utf-8")
    return path


def words(table: crypsis.Table) -> list[str]:
    column = table.column("word")
    return [column.domain[int(code)] for code in column.codes]


def test_python_reads_it_with_its_option(file: Path) -> None:
    assert words(crypsis.read_table(file, {"word": "other"})) == ["red", "green"]
    assert words(crypsis.read_table(file, {"word": "other"}, shout=True)) == ["RED", "GREEN"]
    (file.parent / "a.csv").write_text("word\nred\n")
    with pytest.raises(OptionWithoutEffect, match="`shout` has no effect here"):
        crypsis.read_table(file.parent / "a.csv", {"word": "other"}, shout=True)


def test_a_command_has_the_option_and_its_help(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["data", "inspect", str(file), "--shout", "--json"])
    assert json.loads(capsys.readouterr().out)["format"] == "toy"
    for command in (
        ["data", "inspect"],
        ["anonymize"],
        ["run"],
        ["verify"],
        ["hierarchy", "make"],
        ["queries", "make"],
    ):
        with pytest.raises(SystemExit):
            main([*command, "--help"])
        assert "--shout / --no-shout" in capsys.readouterr().out


def test_an_experiment_has_the_key(file: Path) -> None:
    section = {"path": "words.toy", "kind": "table", "rest": "other", "shout": True}
    assert words(Dataset(section, file.parent).load()) == ["RED", "GREEN"]
    problems = section_problems({**section, "shout": "loud"})
    assert any("shout must be true or false" in problem.message for problem in problems)


def test_rest_and_the_browser_offer_it(file: Path, tmp_path: Path) -> None:
    datasets = Datasets(Workspace(tmp_path / "workspace"), allow_paths=True)
    app = FastAPI()
    app.include_router(router(SimpleNamespace(datasets=datasets, side_inputs=None)))  # type: ignore[arg-type]

    async def asked() -> tuple[httpx.Response, httpx.Response]:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://here") as client:
            return await client.get("/openapi.json"), await client.post(
                "/datasets", json={"path": str(file), "shout": True}
            )

    schema, added = asyncio.run(asked())
    assert "Whether words are read in capitals." in schema.text
    assert added.status_code == 201, added.text
    assert added.json()["section"]["shout"] is True
    assert datasets.grid(datasets.entries()[0].number).frame["word"].to_list() == ["RED", "GREEN"]
    assert known_formats()["toy"] == Toy.label
    assert safe_suffix("words.toy") == ".toy"
