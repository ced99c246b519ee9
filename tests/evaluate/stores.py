"""The folder of an experiment without running it: cells as the runner would have left them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

import crypsis
from crypsis.evaluate.cells import Cell
from crypsis.evaluate.experiment import Experiment
from crypsis.evaluate.store import Store
from crypsis.evaluate.stored_cell import End, Phase, Proof, StoredCell, Times

PEOPLE = pl.DataFrame({"age": [20, 22, 38, 41], "city": ["a", "b", "a", "b"]})
NASTY_LABEL = "<b>not bold</b>"


def finished_store(folder: Path, **more: Any) -> Store:
    """A sweep over k of Mondrian (2 done with data, 5 infeasible) and a run with a name that is no markup."""
    data = folder / "people.csv"
    data.parent.mkdir(parents=True, exist_ok=True)
    PEOPLE.write_csv(data)
    content = {
        "name": "a sweep",
        "dataset": {"path": "people.csv", "columns": {name: {"role": "quasi"} for name in PEOPLE.columns}},
        "run": [
            {"label": "mondrian", "method": "mondrian", "params": {}, "grid": {"k": [2, 5]}},
            {"label": NASTY_LABEL, "method": "mondrian", "params": {"k": 4}},
        ],
        **more,
    }
    experiment = Experiment.parse(content, folder=folder)
    store = Store(folder / "results")
    cells = [
        Cell("aa", "mondrian", "mondrian", {"k": 2}, 0, None, (), ("k",)),
        Cell("bb", "mondrian", "mondrian", {"k": 5}, 0, None, (), ("k",)),
        Cell("cc", NASTY_LABEL, "mondrian", {"k": 4}, 0, None, (), ()),
    ]
    store.begin(experiment, cells)
    table = crypsis.Table.from_frame(PEOPLE, dict.fromkeys(PEOPLE.columns, "quasi"))
    release = crypsis.anonymize(table, crypsis.Mondrian(k=2))
    written = folder / "release"
    release.write_working_copy(written, release.utility())
    _write(store, cells[0], "done", {"ncp": 0.25, "dm": 8}, 2.0, published=written)
    _write(store, cells[1], "infeasible", {}, None, message="the table has 4 records, k=5 needs 5")
    _write(store, cells[2], "done", {"ncp": 1.0, "dm": 16}, 0.5)
    return store


def _write(
    store: Store,
    cell: Cell,
    state: str,
    figures: dict[str, float],
    seconds: float | None,
    message: str = "",
    published: Path | None = None,
) -> None:
    times = None if seconds is None else Times(seconds, (Phase("split", seconds, seconds),))
    done = state == "done"
    k = cell.params["k"]
    proof = Proof(f"k-anonymity (k={k})", verified=True, words="it holds") if done else None
    stored = StoredCell(cell.id, End(state, "", message), cell, figures, times=times, proof=proof)
    store.write_cell(stored, published=published)
