"""`crypsis run`: an experiment from its file, or one method on a file of data."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from crypsis.cli.completion import offer_methods, offer_metrics
from crypsis.cli.experiments import carry_out, is_experiment, usual_folder
from crypsis.cli.reading import Reader
from crypsis.cli.settings import SETTINGS
from crypsis.cli.where_to_run import InBlocks, WhereToRun
from crypsis.errors import BadParameter
from crypsis.parameters import SideInput, parameters_of

StrictRun = Annotated[
    bool, typer.Option("--strict", help="Exit with 6 where a light of a result is amber, with 7 where one is red.")
]


@dataclass(frozen=True, kw_only=True)
class RunsCells(InBlocks):
    """A command that runs an experiment, or makes one for a file of data."""

    sweep: Annotated[str | None, "For data: vary a parameter, k=5:50:5 (ends included) or k=5,10,25."] = None
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", help="For data: metric to compute. Repeat for several.", autocompletion=offer_metrics),
    ] = None
    out: Annotated[Path | None, "Folder of the results (default: NAME.results next to the experiment)."] = None
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            min=1,
            help="Number of processes that run cells; with --executor dask, of the cluster. The results do not depend "
            "on it.",
        ),
    ] = None
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="Seed of randomized methods, instead of the file's.")
    ] = None
    fresh: Annotated[bool, "Run finished cells again."] = False
    limit_seconds: Annotated[float | None, "Longest time that one cell may take."] = None
    limit_memory: Annotated[float | None, "Most megabytes that one cell may use."] = None

    def carry_out(self, file: Path, *, strict: bool = False) -> None:
        """Run the experiment of the file, or the one that the options make for its data."""
        from crypsis.evaluate import Experiment

        if is_experiment(file):
            self.refuse_options_for_data()
            experiment, folder = Experiment.read(file), usual_folder(file)
        else:
            content, ending = self.experiment_on(file)
            metrics = {"metrics": {"list": self.metric}} if self.metric else {}
            experiment = Experiment.parse({**content, **metrics}, folder=Path.cwd())
            folder = Path(f"{file.name.split('.')[0]}{ending}")
        if self.seed is not None:
            experiment = Experiment({**experiment.content, "seed": self.seed}, experiment.folder)
        carry_out(
            experiment,
            self.out or folder,
            where=WhereToRun.of(self),
            fresh=self.fresh,
            seconds=self.limit_seconds,
            memory=self.limit_memory,
            strict=strict,
        )

    @abstractmethod
    def refuse_options_for_data(self) -> None:
        """Refuse options that say what an experiment says itself."""

    @abstractmethod
    def experiment_on(self, file: Path) -> tuple[dict[str, Any], str]:
        """The tables of an experiment on a file of data, and how the name of its results ends."""


@dataclass(frozen=True, kw_only=True)
class Run(RunsCells):
    """Run an experiment; what is finished already is not run again.

    One setting is shown with its verdict, losses and times, several as a table. Infeasible settings are
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
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="For data: how often to repeat each setting.")] = 1
    strict: StrictRun = False

    def execute(self) -> None:
        self.carry_out(self.input, strict=self.strict)

    def refuse_options_for_data(self) -> None:
        if self.method is not None or self.sweep is not None or self.metric:
            raise BadParameter("--method, --sweep and --metric are for data; an experiment says these itself.")

    def experiment_on(self, file: Path) -> tuple[dict[str, Any], str]:
        from crypsis.methods import method_named

        if self.method is None:
            raise BadParameter(f"{file.name} is no experiment (.toml or .json); for data name a --method.")
        method = method_named(self.method)
        name = method.name()
        run: dict[str, Any] = {"label": name, "method": name, "params": given_params(method)}
        run |= {} if self.sweep is None else {"sweep": sweep_section(self.sweep)}
        run |= {"repeats": self.repeats} if self.repeats > 1 else {}
        content = {
            "name": f"{name} on {file.name}",
            "dataset": self.read.typed.section(file, method.accepts.__name__.lower()),
            "run": [run],
        }
        return content, f".{name}.results"


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
        numbers = [number_in(end) for end in ends]
        if all(isinstance(number, (int, float)) for number in numbers):
            return {"param": name, "start": numbers[0], "end": numbers[1], "step": numbers[2]}
    if len(ends) != 1:
        raise BadParameter(f"--sweep takes k=START:END:STEP with numbers, or k=A,B,C, got {text!r}.")
    return {"param": name, "values": [number_in(value) for value in values.split(",")]}


def number_in(text: str) -> int | float | str:
    """Read a whole or decimal number; any other text stays one."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text.strip()
