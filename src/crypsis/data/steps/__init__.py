"""Steps that shape a table before it becomes data. To add one: write its file (see `step.py`), then its line here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import polars as pl

from crypsis.data.steps.bins import Bins
from crypsis.data.steps.drop import Drop
from crypsis.data.steps.drop_rows import DropRows
from crypsis.data.steps.ends import Ends
from crypsis.data.steps.instant import Instant
from crypsis.data.steps.join import Join
from crypsis.data.steps.keep_first import KeepFirst
from crypsis.data.steps.per_day import PerDay
from crypsis.data.steps.prefix import Prefix
from crypsis.data.steps.recode import Recode
from crypsis.data.steps.sort import Sort
from crypsis.data.steps.split import Split
from crypsis.data.steps.step import Step
from crypsis.data.steps.unite import Unite
from crypsis.data.steps.year import Year
from crypsis.errors import BadParameter, CrypsisError, did_you_mean
from crypsis.parameters import parameters_of

STEPS: dict[str, type[Step]] = {
    step.name: step
    for step in (Unite, Split, Ends, PerDay, Sort, KeepFirst, Drop, DropRows, Recode, Year, Instant, Prefix, Bins, Join)
}
__all__ = ["STEP", "STEPS", "Ends", "Join", "Step", "Unite", "shape", "shaping", "step_of", "steps_of"]
STEP = "step"  # the key of `[dataset]`
_TYPED = re.compile(r"\s*(\w+)\s*\((.*)\)\s*", re.DOTALL)


def step_of(told: Any) -> Step:
    """The step that a table of an experiment file, a dict or a text stands for."""
    if isinstance(told, Step):
        return told
    content = _parsed(told) if isinstance(told, str) else told
    if not isinstance(content, Mapping):
        raise BadParameter(f"A step is a table such as {{step='drop', columns=['a']}}, got {told!r}.", parameter=STEP)
    kind = _known(content.get(STEP))
    options = {option.name: option for option in parameters_of(kind)}
    given = {key: value for key, value in content.items() if key != STEP and value is not None}
    for key in given:
        if key not in options:
            raise BadParameter(
                f"{kind.name}: there is no {key!r}; it takes {', '.join(options)}.{did_you_mean(key, options)}",
                parameter=STEP,
            )
    lacking = [name for name, option in options.items() if option.required and name not in given]
    if lacking:
        meant = options[lacking[0]].help
        raise BadParameter(f"{kind.name}: {', '.join(lacking)} must be given. {meant}", parameter=STEP)
    return kind(**given)


def shape(frame: pl.DataFrame, steps: Iterable[Any]) -> pl.DataFrame:
    """The table after all steps, in order; an error names the step that cannot be carried out."""
    for number, told in enumerate(steps, 1):
        step = step_of(told)
        try:
            frame = step.apply(frame)
        except CrypsisError as error:
            error.where = error.where or f"step {number}, {step.name}"
            raise
    return frame


def steps_of(told: Any) -> list[Step]:
    """The steps that somebody gave: one, or a list."""
    listed = [told] if isinstance(told, (str, Mapping, Step)) else told or ()
    if not isinstance(listed, (list, tuple)):
        raise BadParameter(f"Steps are a list of tables, got {told!r}.", parameter=STEP)
    return [*map(step_of, listed)]


def shaping(told: Any) -> Callable[[pl.DataFrame], pl.DataFrame] | None:
    """What these steps do with a table; None without steps."""
    steps = steps_of(told)
    return partial(shape, steps=steps) if steps else None


def _known(name: Any) -> type[Step]:
    if name is None:
        raise BadParameter(f"A step says by `step` what it does: {', '.join(STEPS)}.", parameter=STEP)
    if not isinstance(name, str) or name not in STEPS:
        known = f"{', '.join(STEPS)}.{did_you_mean(str(name), STEPS)}"
        raise BadParameter(f"There is no step {name!r}; the steps are {known}", parameter=STEP)
    return STEPS[name]


def _parsed(text: str) -> dict[str, Any]:
    """`unite(columns=dx01..dx15, to=diagnoses)`: a value ends where the next parameter of the step begins."""
    typed = _TYPED.fullmatch(text)
    if typed is None:
        raise BadParameter(f"A step is typed as unite(columns=dx01..dx15, to=diagnoses), got {text!r}.", parameter=STEP)
    kind = _known(typed[1])
    options = {option.name: option for option in parameters_of(kind)}
    content: dict[str, Any] = {STEP: kind.name}
    for part in re.split(rf",\s*(?=(?:{'|'.join(options)})=)", typed[2]) if typed[2].strip() else ():
        name, equals, value = part.partition("=")
        option = options.get(name.strip())
        if option is None or not equals:
            raise BadParameter(f"{kind.name} takes {', '.join(options)}, got {part!r}.", parameter=STEP)
        several = [one.strip() for one in value.split(",")]
        content[option.name] = several if option.type is tuple else option.parse(value, kind.name)
    return content
