"""`crypsis compare`: several configurations on one dataset; with --all-methods every method that applies to a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from crypsis.cli.reading import Reader
from crypsis.cli.run import RunsCells, number_in, sweep_section
from crypsis.errors import BadParameter


@dataclass(frozen=True, kw_only=True)
class Compare(RunsCells):
    """Compare configurations: their losses, times and verdicts side by side, with plots and a report.

    An experiment file lists them; --all-methods tries every method that applies to a file of data. A configuration
    that fails is shown as failed, and the others go on. Exit codes are those of `crypsis run`.
    """

    read: Reader
    input: Annotated[Path, typer.Argument(help="An experiment (.toml or .json), or data with --all-methods.")]
    all_methods: Annotated[bool, "For data: every method that applies."] = False
    param: Annotated[
        list[str] | None,
        "For data: parameter of the methods that have it, such as k=10. Repeat, or write k=1,m=2.",
    ] = None

    def execute(self) -> None:
        self.carry_out(self.input)

    def refuse_options_for_data(self) -> None:
        if self.all_methods or self.param or self.sweep or self.metric:
            raise BadParameter("--all-methods, --param, --sweep and --metric are for data; an experiment says these.")

    def experiment_on(self, file: Path) -> tuple[dict[str, Any], str]:
        from crypsis.cli.reading.column_options import pairs

        if not self.all_methods:
            raise BadParameter(f"{file.name} is no experiment (.toml or .json); for data add --all-methods.")
        typed = pairs(",".join(self.param or ()) or None, "--param")
        run: dict[str, Any] = {"method": "*", "params": {name: number_in(text) for name, text in typed.items()}}
        run |= {} if self.sweep is None else {"sweep": sweep_section(self.sweep)}
        content = {
            "name": f"every method on {file.name}",
            "dataset": self.read.typed.section(file, None),
            "run": [run],
        }
        return content, ".results"
