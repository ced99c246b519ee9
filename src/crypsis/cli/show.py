"""`crypsis show`: the results of an experiment, or what one of its cells published."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crypsis.cli.experiments import show_cell, show_rows
from crypsis.cli.output import note, show, show_table
from crypsis.cli.settings import SETTINGS
from crypsis.errors import BadParameter, did_you_mean
from crypsis.wording import counted

if TYPE_CHECKING:
    from crypsis.evaluate.output_page import OutputPage

CHANGED = "*"


def show_results(
    folder: Annotated[Path, typer.Argument(help="The results of an experiment, or a release.")],
    cell: Annotated[str | None, "Show what this cell published. Give the first digits of its id."] = (None),
    start: Annotated[int, typer.Option("--start", min=0, help="First row to show.")] = 0,
    rows: Annotated[int, typer.Option("--rows", min=1, max=1000, help="How many rows to show.")] = 20,
) -> None:
    """Show the cells of an experiment; of one cell its verdict and its published rows, changed cells marked with *."""
    from crypsis.evaluate import Store
    from crypsis.evaluate.output_page import output_page

    store = Store(folder)
    if not store.exists() and (folder / "release.json").is_file():
        from crypsis._api import read_release

        _show_page(output_page(None, read_release(folder).data, start, rows), {})
        return
    experiment = store.experiment()
    outdated = store.outdated()
    listed = store.results(outdated=outdated)
    if cell is None:
        if SETTINGS.get().json:
            show({"results": listed}, "")
            return
        current, stale = ([row for row in listed if row["stale"] is old] for old in (False, True))
        if current or not stale:
            show_rows(current, cells=True)
        if stale:
            title = "stale: of data or settings that have changed since"
            show_rows([{**row, "stale": False} for row in stale], title, cells=True)
            next_step = "`crypsis run` runs them again" if outdated else "those above are of the data as they are now"
            note(f"{counted(len(stale), 'result is', 'results are')} stale; {next_step}")
        return
    id = chosen_cell([str(row["cell"]) for row in listed], cell)
    row = next(row for row in listed if row["cell"] == id)
    stored = store.cell(id)
    if not SETTINGS.get().json:
        show_cell(stored, row)
    if store.published_folder(id) is None:
        if SETTINGS.get().json:
            show({"cell": stored.to_dict()}, "")
        return
    original: Any = None
    if not row["stale"]:
        original = experiment.data_for(next(one for one in store.cells() if one.id == id))
    _show_page(output_page(original, store.release(id).data, start, rows), {"cell": stored.to_dict()})


def chosen_cell(known: list[str], asked: str) -> str:
    """The cell whose identity begins so."""
    matching = [id for id in dict.fromkeys(known) if id.startswith(asked)]
    if len(matching) != 1:
        if matching:
            raise BadParameter(
                f"Several cells begin with {asked!r}: {', '.join(matching[:5])}; give more digits.", parameter="cell"
            )
        raise BadParameter(
            f"There is no cell {asked!r}; `crypsis show FOLDER` lists them.{did_you_mean(asked, known)}",
            parameter="cell",
        )
    return matching[0]


def _show_page(page: OutputPage, more: dict[str, Any]) -> None:
    if SETTINGS.get().json:
        show({**more, "output": asdict(page)}, "")
        return
    changed = page.changed or [[False] * len(page.columns)] * len(page.rows)
    cells = [
        [f"{value}{CHANGED if differs else ''}" for value, differs in zip(row, marks, strict=True)]
        for row, marks in zip(page.rows, changed, strict=True)
    ]
    last = page.start + len(cells)
    show_table(page.columns, cells, f"rows {page.start:,} to {max(last - 1, 0):,} of {page.total:,}")
