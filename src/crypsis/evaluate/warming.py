"""Running a method once on a few records, so that loading or compiling its kernels counts to no cell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from crypsis._api import anonymize
from crypsis.errors import CrypsisError
from crypsis.evaluate.inputs import FROM_SECTIONS, Inputs
from crypsis.evaluate.measures import figures_of
from crypsis.methods import Method
from crypsis.parameters import SideInput, parameters_of
from crypsis.run_context import StagesDone

FEW = 200
_EASY = {"k": 2, "K": 2, "on_infeasible": "truncate"}
_WARM: set[tuple[Any, ...]] = set()


def warm(
    method: Method,
    data: Any,
    working: Path,
    metrics: Sequence[str] | None,
    inputs: Inputs,
    tell_share: Callable[[float], None],
) -> None:
    """Run, verify, measure and write a few records below `working`; once in a process for each set of choices.

    `tell_share` is told how much of that is done, counted in stages.
    """
    kind = type(method)
    parameters = parameters_of(kind)
    choices = tuple(
        (parameter.name, getattr(method, parameter.name))
        for parameter in parameters
        if parameter.choices or parameter.type is bool
    )
    if (kind, choices) in _WARM:
        return
    _WARM.add((kind, choices))
    easy: dict[str, Any] = {
        parameter.name: _EASY[parameter.name]
        for parameter in parameters
        if parameter.name in _EASY and (not parameter.choices or _EASY[parameter.name] in parameter.choices)
    }
    for one in parameters:  # what is no hierarchy or policy may keep a record of its use, as a budget does
        if issubclass(one.type, SideInput) and one.type not in FROM_SECTIONS and not one.required:
            easy[one.name] = one.default
    few = data.take(np.arange(min(FEW, len(data))))
    with suppress(CrypsisError):  # what so few records cannot have; most kernels have run by then
        done = StagesDone(method.stages)
        release = anonymize(
            few, replace(method, **easy), listener=lambda message: tell_share(done.begin(message.stage))
        )
        release.verify()
        tell_share(done.begin("measure"))
        figures_of(few, release.data, metrics, inputs=inputs)
        with TemporaryDirectory(dir=working) as folder:
            release.write_working_copy(Path(folder) / "warm", {})
