"""Experiment: a dataset, what goes with it, runs of methods over ranges of their parameters, metrics and plots.

It is written as TOML, or as JSON with the same content. Relative paths begin at the experiment file.

>>> experiment = Experiment.parse('''
... [dataset]
... path = "visits.csv"
... [[run]]
... method = "seq-anon"
... sweep = {param = "k", start = 2, end = 6, step = 2}
... ''')
>>> [(run.method, run.settings()) for run in experiment.runs]
[('seq-anon', [{'k': 2}, {'k': 4}, {'k': 6}])]
>>> Experiment.parse(experiment.to_toml()).content == experiment.content
True
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, time
from functools import cached_property
from pathlib import Path
from typing import Any

from crypsis.data.declarations import Declarations
from crypsis.data.formats.compression import existing_file
from crypsis.errors import BadExperiment, UnreadableFile
from crypsis.evaluate.applicability import applicable_methods, declares_domains
from crypsis.evaluate.cells import Cell, cell_id
from crypsis.evaluate.dataset import Dataset, resolved, view_of
from crypsis.evaluate.inputs import Inputs
from crypsis.evaluate.plot_requests import PlotRequest
from crypsis.evaluate.problems import Problem, refuse
from crypsis.evaluate.runs import EVERY_METHOD, Run
from crypsis.evaluate.toml import toml_text
from crypsis.evaluate.validation import Limits, Measuring, Sections, check, read_sections
from crypsis.executors.choice import PATHS, WhereToRun
from crypsis.hierarchy import Hierarchies
from crypsis.methods import Method, known_name, method_named
from crypsis.methods.scaling import BLOCK_ROWS, Scaling
from crypsis.parameters import SideInput, parameters_of
from crypsis.reports.about import About
from crypsis.strict_json import parse_json

_DEEPEST = 64
_HALF = re.compile("[\ud800-\udfff]")  # of a character, which JSON can write and UTF-8 cannot


@dataclass(frozen=True, eq=False)
class Experiment:
    """The content of an experiment file as it stands there, and the folder where its paths begin."""

    content: Mapping[str, Any]
    folder: Path = field(default_factory=Path)

    @classmethod
    def read(cls, path: str | Path) -> Experiment:
        """Read a TOML or JSON file."""
        file = existing_file(path)
        try:
            text = file.read_text(encoding="utf-8")
        except (UnicodeDecodeError, OSError) as error:
            raise UnreadableFile(f"{file.name} is no UTF-8 text: {error}.", where=str(file)) from error
        try:
            return cls.parse(text, folder=file.parent)
        except BadExperiment as error:
            error.where = error.where or str(file)
            raise

    @classmethod
    def parse(cls, content: str | Mapping[str, Any], *, folder: str | Path = ".") -> Experiment:
        """From the text of a file (TOML, or JSON where it begins with a brace), or from tables."""
        if isinstance(content, str):
            try:
                content = parse_json(content) if content.lstrip().startswith("{") else tomllib.loads(content)
            except (ValueError, RecursionError) as error:
                raise BadExperiment(f"The experiment is neither TOML nor JSON: {error}.") from error
            _refuse_unspeakable(content)
        if not isinstance(content, Mapping):
            raise BadExperiment(f"An experiment is a table, got {type(content).__name__}.")
        return cls(_with_known_methods(_said(content)), Path(folder))

    def to_toml(self) -> str:
        """The text of the file; reading it gives an equal experiment."""
        return toml_text(self.content)

    @property
    def name(self) -> str:
        return str(self.content.get("name", "experiment"))

    @property
    def seed(self) -> int:
        return int(self.content.get("seed") or 0)

    @property
    def workers(self) -> int | None:
        return self.content.get("workers")

    @cached_property
    def _sections(self) -> tuple[Sections, list[Problem]]:
        return read_sections(self.content, self.folder)

    @property
    def runs(self) -> list[Run]:
        """The runs that could be read; `check` reports the others."""
        return self._sections[0].runs

    @property
    def measuring(self) -> Measuring:
        return self._sections[0].measuring

    @property
    def plots(self) -> list[PlotRequest]:
        """The plots that could be read; `check` reports the others."""
        return self._sections[0].plots

    @property
    def limits(self) -> Limits:
        return self._sections[0].limits

    @property
    def inputs(self) -> Inputs:
        return self._sections[0].inputs

    @cached_property
    def where(self) -> WhereToRun | None:
        """Where cells are worked on in parts; None: in the processes that run them. Paths begin at the file."""
        section = self.content.get("executor")
        if section is None:
            return None
        paths = {
            name: str(resolved(str(section[name]), self.folder)) for name in PATHS if section.get(name) is not None
        }
        where = WhereToRun(**{**section, **paths})
        if where.executor is None:
            raise BadExperiment("The section executor names one: executor = 'serial', 'dask', or an address.")
        where.check()
        return where

    @property
    def about(self) -> About | None:
        """What is declared about releases of this experiment."""
        section = self.content.get("about")
        return None if section is None else About.of(section)

    @cached_property
    def dataset(self) -> Dataset:
        return Dataset(self.content.get("dataset") or {}, self.folder)

    def check(self, *, read: bool = True) -> list[Problem]:
        """Everything that is wrong, at once; nothing is run. Without `read` no file is looked into.

        An experiment is checked once: its data are read once as well.
        """
        return list(self._problems) if read else check(self, self._sections[1], read=False)

    @cached_property
    def _problems(self) -> list[Problem]:
        return check(self, self._sections[1], read=True)

    def require_sound(self) -> None:
        """Raise `BadExperiment` with all problems, if there are any."""
        refuse(self.check())

    def cells(self) -> list[Cell]:
        """Every cell in order: run by run, setting by setting, repeat by repeat. The experiment must be sound."""
        return [cell for run in self.runs for each in self.expand(run) for cell in self._cells_of(each)]

    def expand(self, run: Run) -> list[Run]:
        """The run itself; one of every method as one run for each method that applies to the data.

        A method that needs declared domains takes part where the run declares them: nobody else may do so.
        """
        if run.method != EVERY_METHOD:
            return [run]
        return [
            run.of_method(name)
            for name in applicable_methods(self.dataset.load(), run.columns)
            if name not in run.excluded
            and declares_domains(name, run.params)
            and (self.where is None or method_named(name).scaling is not Scaling.NONE)
        ]

    def _cells_of(self, run: Run) -> list[Cell]:
        method = method_named(run.method)
        seeded = any(parameter.name == "seed" for parameter in parameters_of(method))
        blocks: tuple[Any, ...] = ()
        if self.where is not None and method.scaling is Scaling.BLOCKS:  # else where it runs never shows
            blocks = ("blocks", self.where.block_rows or BLOCK_ROWS)
        cells = []
        for setting in run.settings():
            given = {**run.params, **setting}
            first = int(given.pop("seed", self.seed)) if seeded else None
            params = self.inputs.identity(method, given)
            params.pop("seed", None)
            for repeat in range(run.repeats):
                seed = None if first is None else first + repeat
                identity = cell_id(
                    dataset=self.dataset.digest,
                    inputs=self.inputs.digest,
                    method=run.method,
                    params=params,
                    rest=(run.columns, seed, repeat, *blocks),
                )
                cells.append(Cell(identity, run.label, run.method, given, repeat, seed, run.columns, tuple(setting)))
        return cells

    def data_for(self, cell: Cell) -> Any:
        """The data as the method of a cell takes them."""
        method = method_named(cell.method)
        return view_of(self.dataset.load(self.declarations(method, cell.params)), method.accepts, cell.columns)

    def declarations(self, method: type[Method], params: Mapping[str, Any]) -> Declarations:
        """What the sections and the run declare about columns, before the data are read."""
        known = parameters_of(method)
        types = self.inputs.column_types() if any(one.type is Hierarchies for one in known) else {}
        for parameter in known:
            if parameter.name in params and issubclass(parameter.type, SideInput):
                types |= self.inputs.value(parameter, params[parameter.name], method.__name__).column_types()
        return Declarations(types, by_record=method.by_record)


def _said(content: Any) -> Any:
    """Without what is null in JSON: it was not said. A date is its text."""
    if isinstance(content, Mapping):
        return {str(name): _said(value) for name, value in content.items() if value is not None}
    if isinstance(content, (list, tuple)):
        return [_said(one) for one in content]
    return content.isoformat() if isinstance(content, (date, time)) else content


def _with_known_methods(content: dict[str, Any]) -> dict[str, Any]:
    """The methods of the runs under the names that the rest knows, whatever their spelling."""
    if not isinstance(content.get("run"), list):
        return content
    return {**content, "run": [_with_known_names(run) if isinstance(run, dict) else run for run in content["run"]]}


def _with_known_names(run: dict[str, Any]) -> dict[str, Any]:
    named: dict[str, Any] = {}
    if isinstance(run.get("method"), str):
        named["method"] = known_name(run["method"])
    if isinstance(run.get("except"), list):
        named["except"] = [known_name(name) if isinstance(name, str) else name for name in run["except"]]
    for part in ("relational", "transaction"):
        table = run.get(part)
        if isinstance(table, dict) and isinstance(table.get("method"), str):
            named[part] = {**table, "method": known_name(table["method"])}
    return {**run, **named}


def _refuse_unspeakable(content: Any, depth: int = 0) -> None:
    """What a file may hold by the rules of its language, and no JSON could say again."""
    if depth > _DEEPEST:
        raise BadExperiment(f"Tables of an experiment are nested up to {_DEEPEST} deep.")
    if isinstance(content, dict):
        for name, value in content.items():
            _refuse_unspeakable(name, depth)
            _refuse_unspeakable(value, depth + 1)
    if isinstance(content, list):
        for one in content:
            _refuse_unspeakable(one, depth + 1)
    if isinstance(content, float) and not math.isfinite(content):
        raise BadExperiment(f"Numbers of an experiment are finite, got {content}.")
    if isinstance(content, int) and not -(2**63) <= content < 2**63:
        raise BadExperiment("Whole numbers of an experiment have up to 64 bits.")
    if isinstance(content, str) and not content.isascii() and _HALF.search(content):
        raise BadExperiment("The experiment holds a half of a surrogate pair, which is no character.")
