"""`crypsis export`: published data as one file with a sidecar, or everything an experiment was given as files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crypsis.cli.command import Command
from crypsis.cli.declaring import AboutFile, declared
from crypsis.cli.disassociated_input import is_disassociated_file
from crypsis.cli.experiments import is_experiment
from crypsis.cli.keys import Sign
from crypsis.cli.output import show
from crypsis.cli.reviewing import Confirm, Strict
from crypsis.cli.show import chosen_cell
from crypsis.errors import BadParameter, OptionWithoutEffect, OutputExists

if TYPE_CHECKING:
    from crypsis.evaluate import Store
    from crypsis.evaluate.export import ExportedFile
    from crypsis.guarantees import Verdict
    from crypsis.release import Release


@dataclass(frozen=True, kw_only=True)
class Export(Command):
    """Export published data, sorted by what they say, with a sidecar on method, guarantee and verdict.

    A cell of an experiment becomes one file, or a whole release where --out has no suffix. Of disassociated data a
    table has a line per record slot: every chunk is shuffled on its own with randomness of the operating system, so
    what stands on one line belongs to nobody in particular. An experiment is exported as the files it stands on: the
    edited data, hierarchies, policies and queries.
    """

    source: Annotated[
        Path,
        typer.Argument(
            help="A release, results of an experiment with --cell, an experiment, or a disassociated .json or .parquet."
        ),
    ]
    out: Annotated[Path, "File (.csv, .jsonl, .parquet, .json), or a folder."]
    cell: Annotated[str | None, "Cell of the results, by the first digits of its id."] = None
    separator: Annotated[str, "Field separator of CSV."] = ","
    spreadsheet_safe: Annotated[bool, "Put ' before cells that a spreadsheet would calculate."] = False
    i_know: Annotated[bool, "Also export a cell that failed verification."] = False
    overwrite: Annotated[bool, "Replace an existing file."] = False
    connection: Annotated[
        str | None,
        "Write into a database: the environment variable with its address; --out is the name of the table.",
    ] = None
    sign: Sign = None
    about: AboutFile = None
    confirm: Confirm = None
    strict: Strict = False

    def execute(self) -> None:
        from crypsis.evaluate import Experiment, Store
        from crypsis.evaluate.export import Publishing, export_inputs, export_published, export_release

        store = Store(self.source)
        if self.connection is not None:
            self._into_database(self.connection, store)
            return
        if self.out.suffix or not (self.source.is_dir() and store.exists()):
            if self.sign is not None:
                raise OptionWithoutEffect(
                    "--sign signs a release folder, and here a file is written; export a cell to a folder, or sign a "
                    "release with `crypsis sign`.",
                    parameter="sign",
                )
            if self.about is not None:
                raise OptionWithoutEffect(
                    "--about is declared in a release folder, and here a file is written; export a cell to a folder.",
                    parameter="about",
                )
        if self.source.is_file() and is_experiment(self.source) and not is_disassociated_file(self.source):
            if self.confirm or self.strict:
                option = "--confirm" if self.confirm else "--strict"
                raise OptionWithoutEffect(f"{option} is for published data; an experiment publishes nothing.")
            written = export_inputs(Experiment.read(self.source), self.out)
        elif self.source.is_dir() and store.exists():
            id = _cell_to_export(store, self.cell)
            if self.out.suffix:
                written = export_published(
                    store, id, self._file(), i_know=self.i_know, confirm=self.confirm or (), strict=self.strict
                )
            else:
                if self.i_know:
                    raise BadParameter(
                        "--i-know exports a file (--out NAME.csv); a release is written of what holds only."
                    )
                how = Publishing(
                    overwrite=self.overwrite,
                    confirm=self.confirm or (),
                    strict=self.strict,
                    sign=self.sign,
                    about=declared(self.about),
                )
                written = [export_release(store, id, self.out, how)]
        elif self.source.is_file() and not is_disassociated_file(self.source) and self.source.suffix != ".parquet":
            raise BadParameter(
                f"{self.source.name} is no experiment (.toml or .json) and no published data: `crypsis anonymize` or "
                "`crypsis run` publish data, `crypsis data save` writes a table with its edits."
            )
        else:
            written = self._release_as_file()
        show(
            {"file": str(written[0]), "files": [str(path) for path in written]},
            "\n".join(f"wrote {path}" for path in written),
        )

    def _file(self) -> ExportedFile:
        from crypsis.evaluate.export import ExportedFile

        return ExportedFile(
            path=self.out,
            separator=self.separator,
            spreadsheet_safe=self.spreadsheet_safe,
            overwrite=self.overwrite,
        )

    def _release_as_file(self) -> list[Path]:
        from crypsis.evaluate.export import write_about, write_published

        if os.path.lexists(self.out) and not self.overwrite:
            raise OutputExists(f"{self.out} exists already; choose another name or remove it.")
        release, verdict = self._checked_release()
        file = write_published(release, self._file())
        return [file, write_about(file, release.manifest, verdict.to_dict())]

    def _into_database(self, connection: str, store: Store) -> None:
        """The published table beside other tables; the release folder stays what is verified and told of it."""
        from crypsis.evaluate.export import write_into_database

        given = {"--sign": self.sign, "--about": self.about, "--cell": self.cell, "--i-know": self.i_know}
        given |= {"--spreadsheet-safe": self.spreadsheet_safe, "--separator": self.separator != ","}
        for option, value in given.items():
            if value:
                raise OptionWithoutEffect(f"{option} has no effect on a table of a database; leave it out.")
        if not self.source.is_dir() or store.exists():
            raise BadParameter(
                f"{self.source} is no release folder; a database is given what a release holds. Write one first "
                "(`crypsis anonymize`, or `crypsis export RESULTS --cell ID --out FOLDER`)."
            )
        release, _ = self._checked_release()
        write_into_database(release, str(self.out), connection, overwrite=self.overwrite)
        content = {"table": str(self.out), "connection": connection, "release": str(self.source)}
        show(content, f"wrote table {self.out}; {self.source} stays the release that says what is guaranteed of it")

    def _checked_release(self) -> tuple[Release, Verdict]:
        """The release, verified and reviewed once more."""
        from crypsis.errors import VerificationFailed
        from crypsis.release import read_release
        from crypsis.review.refusal import refuse_colours

        release = read_release(self.source) if self.source.is_dir() else _release_of_file(self.source)
        verdict = release.verify()
        if not verdict.holds and not self.i_know:
            raise VerificationFailed(
                f"Nothing was exported: {verdict} --i-know exports it all the same.", **verdict.to_dict()
            )
        release.refuse_unconfirmed(self.confirm or ())
        if self.strict:
            refuse_colours(release.review(confirm=self.confirm or ()))
        return release, verdict


def _cell_to_export(store: Store, asked: str | None) -> str:
    """The cell that was asked for; an experiment of one cell has no other."""
    if asked is not None:
        return chosen_cell([str(row["cell"]) for row in store.results()], asked)
    cells = [cell.id for cell in store.cells()]
    if len(cells) != 1:
        raise BadParameter(
            f"--cell must say which of the {len(cells):,} results to export; `crypsis show {store.folder}` lists them.",
            parameter="cell",
        )
    return cells[0]


def _release_of_file(source: Path) -> Release:
    """Disassociated data say themselves what they promise; of their method nothing is known."""
    from crypsis.cli.disassociated_input import disassociated_input, own_promise
    from crypsis.release import Release

    data = disassociated_input(source)
    promise = own_promise(data)
    return Release(data=data, guarantee=promise, manifest={"method": None, "guarantee": promise.to_dict()})
