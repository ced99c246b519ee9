"""`crypsis compare`: several configurations on one dataset; with --all-methods every method that applies to a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from crypsis.cli.command import Command
from crypsis.cli.completion import offer_metrics
from crypsis.cli.experiments import carry_out, is_experiment, usual_folder
from crypsis.cli.reading import Reader
from crypsis.cli.run import Fresh, LimitMemory, LimitSeconds, Out, Seed, Workers, _number, sweep_section
from crypsis.cli.where_to_run import (
    BlockRows,
    ExecutorOption,
    Insecure,
    Memory,
    ScratchOption,
    TlsCa,
    TlsCert,
    TlsKey,
    WhereToRun,
)
from crypsis.errors import BadParameter


@dataclass(frozen=True, kw_only=True)
class Compare(Command):
    """Compare configurations: their losses, times and verdicts side by side, with plots and a report.

    An experiment file lists them; --all-methods tries every method that applies to a file of data. A configuration
    that fails is shown as failed, and the others go on. Exit codes are those of `crypsis run`.
    """

    read: Reader
    input: Annotated[Path, typer.Argument(help="An experiment (.toml or .json), or data with --all-methods.")]
    all_methods: Annotated[bool, typer.Option("--all-methods", help="For data: every method that applies.")] = False
    param: Annotated[
        list[str] | None,
        typer.Option(
            "--param", help="For data: parameter of the methods that have it, such as k=10. Repeat, or write k=1,m=2."
        ),
    ] = None
    sweep: Annotated[
        str | None, typer.Option("--sweep", help="For data: vary a parameter, k=5:50:5 (ends included) or k=5,10,25.")
    ] = None
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", help="For data: metric to compute. Repeat for several.", autocompletion=offer_metrics),
    ] = None
    out: Out = None
    workers: Workers = None
    seed: Seed = None
    fresh: Fresh = False
    limit_seconds: LimitSeconds = None
    limit_memory: LimitMemory = None
    executor: ExecutorOption = None
    memory: Memory = None
    scratch: ScratchOption = None
    block_rows: BlockRows = None
    tls_ca: TlsCa = None
    tls_cert: TlsCert = None
    tls_key: TlsKey = None
    insecure: Insecure = False

    def execute(self) -> None:
        from crypsis.evaluate import Experiment

        if is_experiment(self.input):
            if self.all_methods or self.param or self.sweep or self.metric:
                raise BadParameter(
                    "--all-methods, --param, --sweep and --metric are for data; an experiment says these."
                )
            experiment = Experiment.read(self.input)
            folder = self.out or usual_folder(self.input)
        else:
            if not self.all_methods:
                raise BadParameter(f"{self.input.name} is no experiment (.toml or .json); for data add --all-methods.")
            experiment = Experiment.parse(
                _content(self.input, self.read, self.param or [], self.sweep, self.metric), folder=Path.cwd()
            )
            folder = self.out or Path(f"{self.input.name.split('.')[0]}.results")
        if self.seed is not None:
            experiment = Experiment({**experiment.content, "seed": self.seed}, experiment.folder)
        carry_out(
            experiment,
            folder,
            where=WhereToRun.of(self),
            fresh=self.fresh,
            seconds=self.limit_seconds,
            memory=self.limit_memory,
        )


def _content(
    input: Path, read: Reader, param: list[str], sweep: str | None, metric: list[str] | None
) -> dict[str, Any]:
    from crypsis.cli.reading.column_options import pairs

    one: dict[str, Any] = {"method": "*"}
    one["params"] = {name: _number(text) for name, text in pairs(",".join(param) or None, "--param").items()}
    if sweep is not None:
        one["sweep"] = sweep_section(sweep)
    content = {"name": f"every method on {input.name}", "dataset": read.typed.section(input, None), "run": [one]}
    return content | ({"metrics": {"list": metric}} if metric else {})
