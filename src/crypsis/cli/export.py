"""`crypsis export`: published data as one file with a sidecar, or everything an experiment was given as files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crypsis.cli.disassociated_input import is_disassociated_file
from crypsis.cli.experiments import is_experiment
from crypsis.cli.keys import Sign
from crypsis.cli.output import show
from crypsis.cli.reviewing import Confirm, Strict
from crypsis.cli.show import chosen_cell
from crypsis.errors import BadParameter, OptionWithoutEffect, OutputExists

if TYPE_CHECKING:
    from crypsis.evaluate import Store
    from crypsis.release import Release


def export(
    source: Annotated[
        Path,
        typer.Argument(
            help="A release, results of an experiment with --cell, an experiment, or a disassociated .json or .parquet."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", help="File (.csv, .jsonl, .parquet, .json), or a folder.")],
    cell: Annotated[str | None, typer.Option("--cell", help="Cell of the results; its first digits do.")] = None,
    separator: Annotated[str, typer.Option("--separator", help="Field separator of CSV.")] = ",",
    spreadsheet_safe: Annotated[
        bool, typer.Option("--spreadsheet-safe", help="Put ' before cells that a spreadsheet would calculate.")
    ] = False,
    i_know: Annotated[
        bool, typer.Option("--i-know", help="Also export a cell whose guarantee the verifier found broken.")
    ] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing file.")] = False,
    sign: Sign = None,
    confirm: Confirm = None,
    strict: Strict = False,
) -> None:
    """Export published data, sorted by what they say, with a sidecar on method, guarantee and verdict.

    A cell of an experiment becomes one file, or a whole release where --out has no suffix. Of disassociated data a
    table has a line per record slot: every chunk is shuffled on its own with randomness of the operating system, so
    what stands on one line belongs to nobody in particular. An experiment is exported as the files it stands on: the
    edited data, hierarchies, policies and queries.
    """
    from crypsis.evaluate import Experiment, Store
    from crypsis.evaluate.export import export_inputs, export_published, export_release

    store = Store(source)
    if sign is not None and (out.suffix or not (source.is_dir() and store.exists())):
        raise OptionWithoutEffect(
            "--sign signs a release folder, and here a file is written; export a cell to a folder, or sign a release "
            "with `crypsis sign`.",
            parameter="sign",
        )
    if source.is_file() and is_experiment(source) and not is_disassociated_file(source):
        if confirm or strict:
            option = "--confirm" if confirm else "--strict"
            raise OptionWithoutEffect(f"{option} is for published data; an experiment publishes nothing.")
        written = export_inputs(Experiment.read(source), out)
    elif source.is_dir() and store.exists():
        id = _cell_to_export(store, cell)
        if out.suffix:
            written = export_published(
                store,
                id,
                out,
                separator=separator,
                spreadsheet_safe=spreadsheet_safe,
                i_know=i_know,
                overwrite=overwrite,
                confirm=confirm or (),
                strict=strict,
            )
        else:
            if i_know:
                raise BadParameter("--i-know exports a file (--out NAME.csv); a release is written of what holds only.")
            written = [
                export_release(store, id, out, overwrite=overwrite, confirm=confirm or (), strict=strict, sign=sign)
            ]
    elif source.is_file() and not is_disassociated_file(source) and source.suffix != ".parquet":
        raise BadParameter(
            f"{source.name} is no experiment (.toml or .json) and no published data: `crypsis anonymize` or "
            "`crypsis run` publish data, `crypsis data save` writes a table with its edits."
        )
    else:
        written = _release_as_file(source, out, separator, spreadsheet_safe, overwrite, i_know, confirm or (), strict)
    show(
        {"file": str(written[0]), "files": [str(path) for path in written]},
        "\n".join(f"wrote {path}" for path in written),
    )


def _cell_to_export(store: Store, asked: str | None) -> str:
    """The cell that was asked for; an experiment of one cell has no other."""
    if asked is not None:
        return chosen_cell([row["cell"] for row in store.results()], asked)
    cells = [cell.id for cell in store.cells()]
    if len(cells) != 1:
        raise BadParameter(
            f"--cell must say which of the {len(cells):,} results to export; `crypsis show {store.folder}` lists them.",
            parameter="cell",
        )
    return cells[0]


def _release_as_file(
    source: Path,
    out: Path,
    separator: str,
    spreadsheet_safe: bool,
    overwrite: bool,
    i_know: bool,
    confirm: Iterable[str],
    strict: bool,
) -> list[Path]:
    from crypsis.errors import VerificationFailed
    from crypsis.evaluate.export import write_about, write_published
    from crypsis.release import read_release
    from crypsis.review.refusal import refuse_colours

    if os.path.lexists(out) and not overwrite:
        raise OutputExists(f"{out} exists already; choose another name or remove it.")
    release = read_release(source) if source.is_dir() else _release_of_file(source)
    verdict = release.verify()
    if not verdict.holds and not i_know:
        raise VerificationFailed(
            f"Nothing was exported: {verdict} --i-know exports it all the same.", **verdict.to_dict()
        )
    release.refuse_unconfirmed(confirm)
    if strict:
        refuse_colours(release.review(confirm=confirm))
    file = write_published(release, out, separator=separator, spreadsheet_safe=spreadsheet_safe, overwrite=overwrite)
    return [file, write_about(file, release.manifest, verdict.to_dict())]


def _release_of_file(source: Path) -> Release:
    """Disassociated data say themselves what they promise; of their method nothing is known."""
    from crypsis.cli.disassociated_input import disassociated_input, own_promise
    from crypsis.release import Release

    data = disassociated_input(source)
    promise = own_promise(data)
    return Release(data=data, guarantee=promise, manifest={"method": None, "guarantee": promise.to_dict()})
