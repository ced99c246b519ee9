"""A new method, guarantee or metric is one file and one line: toys of each are found wherever people look."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import polars as pl
import pytest

import crypsis
from crypsis.cli.main import main
from docs import generate_reference
from tests.toys import ToyAnonymity, ToyLoss, ToySplit, listed

PEOPLE = pl.DataFrame({"age": [20, 22, 38, 41], "ill": ["flu", "cold", "flu", "cold"]})
SENTENCES = (ToySplit.choose_when, ToySplit.costs, ToyAnonymity.protects_from)


@pytest.fixture(autouse=True)
def toys() -> Iterator[None]:
    with listed():
        yield


def release() -> crypsis.Release:
    table = crypsis.Table.from_frame(PEOPLE, {"age": "quasi", "ill": "sensitive"})
    return crypsis.anonymize(table, ToySplit(k=2))


def test_toys_work_in_python() -> None:
    made = release()
    assert made.verify().holds
    assert made.utility()["toy_loss"] == 0
    assert crypsis.METHODS["toy-split"].describe()["choose_when"] == ToySplit.choose_when


def test_toys_are_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    PEOPLE.write_csv("people.csv")
    reading = ("--quasi", "age", "--sensitive", "ill", "--each-row-is-a-person")
    assert "toy-split" in printed(capsys, "methods")
    described = printed(capsys, "methods", "toy-split")
    for sentence in (*SENTENCES, "without a noise"):
        assert sentence in " ".join(described.split())
    printed(capsys, "anonymize", "people.csv", *reading, "--method", "toy-split", "-k", "2", "--out", "release")
    assert "toy-anonymity" in printed(capsys, "verify", "release")
    measured = printed(capsys, "measure", "release", "--original", "people.csv", *reading, "--metric", "tl")
    assert "Lost toys (TL)" in measured
    assert "lower is better" in measured


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as stopped:
        main(list(arguments))
    shown = capsys.readouterr()
    assert stopped.value.code == 0, shown.err
    return shown.out


@pytest.mark.long
def test_toys_are_in_the_browser(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-m", "tests.test_new_members", str(tmp_path)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout
    for words in (*SENTENCES, "toy-split", "toy-anonymity", "without a noise"):
        assert words in shown


def test_toys_are_in_the_reference() -> None:
    methods, guarantees, metrics = (
        getattr(generate_reference, f"_{family}")() for family in ("methods", "guarantees", "metrics")
    )
    for sentence in (*SENTENCES, "`gently`: without a noise"):
        assert sentence in methods
    assert ToyAnonymity.protects_from in guarantees
    for words in (ToyLoss.summary(), "Lost toys (TL)", "lower is better", "`tl`"):
        assert words in metrics


def test_toys_are_in_the_reports(tmp_path: Path) -> None:
    made = release()
    made.write(tmp_path / "release", private_report=tmp_path / "private.json")
    public = (tmp_path / "release" / "report.html").read_text()
    assert ToyAnonymity.protects_from in public
    assert "ToySplit" in public
    assert "Lost toys (TL)" in (tmp_path / "private.html").read_text()


def show_page(folder: Path) -> None:
    """The page of the toy method, as a browser gets it; pages are made once in a process."""
    from crypsis.web.app import build_app
    from crypsis.web.security import Access
    from crypsis.web.workbench import Workbench
    from crypsis.web.workspace import Workspace

    access = Access(port=8000, hosts=frozenset({"127.0.0.1"}))
    transport = httpx.ASGITransport(app=build_app(Workbench(Workspace(folder), access)))

    async def page() -> str:
        headers = {"Authorization": f"Bearer {access.token}"}
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000", headers=headers) as client:
            return (await client.get("/methods?name=toy-split")).text

    print(asyncio.run(page()))


if __name__ == "__main__":
    with listed():
        show_page(Path(sys.argv[1]))
