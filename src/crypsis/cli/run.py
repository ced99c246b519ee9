"""`crypsis run`: an experiment from its file, or one method on a file of data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from crypsis.cli.command import Command
from crypsis.cli.completion import offer_methods, offer_metrics
from crypsis.cli.experiments import carry_out, is_experiment, usual_folder
from crypsis.cli.reading import Reader
from crypsis.cli.settings import SETTINGS
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
from crypsis.parameters import SideInput, parameters_of

Out = Annotated[
    Path | None, typer.Option("--out", help="Folder of the results (default: NAME.results next to the experiment).")
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        min=1,
        help="Number of processes that run cells; with --executor dask, of the cluster. The results do not depend on "
        "it.",
    ),
]
Seed = Annotated[int | None, typer.Option("--seed", min=0, help="Seed of randomized methods, instead of the file's.")]
Fresh = Annotated[bool, typer.Option("--fresh", help="Run finished cells again.")]
LimitSeconds = Annotated[float | None, typer.Option("--limit-seconds", help="Longest time that one cell may take.")]
StrictRun = Annotated[
    bool, typer.Option("--strict", help="Exit with 6 where a light of a result is amber, with 7 where one is red.")
]
LimitMemory = Annotated[float | None, typer.Option("--limit-memory", help="Most megabytes that one cell may use.")]


@dataclass(frozen=True, kw_only=True)
class Run(Command):
    """Run an experiment; what is finished already is not run again.

    Of one setting the verdict, the losses and the times are shown, of several a table. Infeasible settings are
    results. Exit codes: 0 done and verified, 3 nothing was feasible, 4 a promise is broken, 1 or 2 a cell failed,
    5 a cell reached its limit; with --strict 6 where a light is amber, 7 where one is red.
    """

    read: Reader
    input: Annotated[Path, typer.Argument(help="An experiment (.toml or .json), or data with --method.")]
    method: Annotated[
        str | None,
        typer.Option(
            "--method", help="For data: the method; its parameters are options.", autocompletion=offer_methods
        ),
    ] = None
    sweep: Annotated[
        str | None, typer.Option("--sweep", help="For data: vary a parameter, k=5:50:5 (ends included) or k=5,10,25.")
    ] = None
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="For data: how often to repeat each setting.")] = 1
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
    strict: StrictRun = False
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
        from crypsis.methods import known_name

        if is_experiment(self.input):
            if self.method is not None or self.sweep is not None or self.metric:
                raise BadParameter("--method, --sweep and --metric are for data; an experiment says these itself.")
            experiment = Experiment.read(self.input)
            folder = self.out or usual_folder(self.input)
        else:
            if self.method is None:
                raise BadParameter(f"{self.input.name} is no experiment (.toml or .json); for data name a --method.")
            experiment = Experiment.parse(
                _content(self.input, self.read, self.method, self.sweep, self.repeats, self.metric), folder=Path.cwd()
            )
            folder = self.out or Path(f"{self.input.name.split('.')[0]}.{known_name(self.method)}.results")
        if self.seed is not None:
            experiment = Experiment({**experiment.content, "seed": self.seed}, experiment.folder)
        carry_out(
            experiment,
            folder,
            where=WhereToRun.of(self),
            fresh=self.fresh,
            seconds=self.limit_seconds,
            memory=self.limit_memory,
            strict=self.strict,
        )


def _content(
    input: Path, read: Reader, method: str, sweep: str | None, repeats: int, metric: list[str] | None
) -> dict[str, Any]:
    from crypsis.methods import method_named

    chosen = method_named(method)
    method = chosen.name()
    one: dict[str, Any] = {"label": method, "method": method, "params": given_params(chosen)}
    if sweep is not None:
        one["sweep"] = sweep_section(sweep)
    if repeats > 1:
        one["repeats"] = repeats
    content: dict[str, Any] = {
        "name": f"{method} on {input.name}",
        "dataset": read.typed.section(input, chosen.accepts.__name__.lower()),
        "run": [one],
    }
    return content | ({"metrics": {"list": metric}} if metric else {})


def given_params(method: Any) -> dict[str, Any]:
    """The method's options as they would stand in an experiment file."""
    given = SETTINGS.get().chosen
    params: dict[str, Any] = {}
    for parameter in parameters_of(method):
        if parameter.name in given:
            text = given[parameter.name]
            value = text if issubclass(parameter.type, SideInput) else parameter.parse(text, method.__name__)
            params[parameter.name] = value if isinstance(value, (bool, int, float, str)) else str(value)
    return params


def sweep_section(text: str) -> dict[str, Any]:
    """`k=5:50:5` or `k=5,10,25`."""
    name, equals, values = text.partition("=")
    if not equals or not name or not values:
        raise BadParameter(f"--sweep takes k=START:END:STEP or k=A,B,C, got {text!r}.")
    ends = values.split(":")
    if len(ends) == 3:
        numbers = [_number(end) for end in ends]
        if all(isinstance(number, (int, float)) for number in numbers):
            return {"param": name, "start": numbers[0], "end": numbers[1], "step": numbers[2]}
    if len(ends) != 1:
        raise BadParameter(f"--sweep takes k=START:END:STEP with numbers, or k=A,B,C, got {text!r}.")
    return {"param": name, "values": [_number(value) for value in values.split(",")]}


def _number(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text.strip()
