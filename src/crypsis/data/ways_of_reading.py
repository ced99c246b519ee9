"""The ways in which files become data, and the refusal of options that a way does not use.

An option, key or field that was given and is not among those that the way uses would be passed over in silence, and
somebody would believe in it; so it is an error, whoever asks: Python, the command line, an experiment file or the
browser. Which way uses which option stands in the annotations of `crypsis.data.sources`.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from crypsis.errors import BadParameter, OptionWithoutEffect


@dataclass(frozen=True)
class Way:
    """How a file is read, in words."""

    words: str


def is_given(value: Any) -> bool:
    """Whether something was said: no, none and nothing are not."""
    return value is not None and value is not False and not (isinstance(value, Collection) and not value)


def option_without_effect(
    option: str, words: str, uses: Collection[str], kind: str | None = None
) -> OptionWithoutEffect:
    """The refusal, and what is used instead."""
    known = ", ".join(f"`{name}`" for name in uses)
    return OptionWithoutEffect(
        f"`{option}` has no effect here: {words} is read with {known}. Leave it out.",
        option=option,
        way=words,
        uses=list(uses),
        kind=kind,
    )


def the_person(person: str | None, each_row_is_a_person: bool, **aliases: str | None) -> str | None:
    """The column that names the person, by whichever of its names it was given."""
    named = {option: column for option, column in {"person": person, **aliases}.items() if column}
    if len(set(named.values())) > 1:
        raise BadParameter(
            f"One column names the person, got {', '.join(f'{name}={column!r}' for name, column in named.items())}.",
            parameter="person",
        )
    column = next(iter(named.values()), None)
    if column is not None and each_row_is_a_person:
        raise BadParameter(
            f"Column '{column}' names the person, so records are not persons of their own; give one of `person` and "
            "`each_row_is_a_person`.",
            parameter="each_row_is_a_person",
        )
    return column
