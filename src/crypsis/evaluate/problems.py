"""Problems of an experiment, gathered one by one and reported together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn, TypeVar

from polars.exceptions import PolarsError

from crypsis.errors import BadExperiment, CrypsisError, did_you_mean
from crypsis.parameters import Checked, parameters_of
from crypsis.places import EXPERIMENT
from crypsis.wording import counted

Section = TypeVar("Section", bound=Checked)
MISUNDERSTOOD = (
    TypeError,
    ValueError,
    KeyError,
    AttributeError,
    IndexError,
    OverflowError,
    RecursionError,
    PolarsError,
)


@dataclass(frozen=True)
class Problem:
    """One problem: where it stands in the file, a stable code, and a sentence."""

    where: str
    code: str
    message: str

    def __str__(self) -> str:
        return f"{self.code}: {self.message} ({self.where})" if self.where else f"{self.code}: {self.message}"

    def to_dict(self) -> dict[str, str]:
        return {"where": self.where, "code": self.code, "message": self.message}


def refuse(problems: Sequence[Problem]) -> None:
    """Raise `BadExperiment` with all problems, if there are any."""
    if problems:
        _raise(problems)


def _raise(problems: Sequence[Problem]) -> NoReturn:
    number = "a problem" if len(problems) == 1 else counted(len(problems), "problem")
    told = "; ".join(f"{problem.message} ({problem.where})" for problem in problems)
    raise BadExperiment(f"The experiment has {number}: {told}", problems=[problem.to_dict() for problem in problems])


class Findings:
    """Collects problems while the content is walked."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def add(self, where: str, message: str, code: str = "bad-experiment") -> None:
        problem = Problem(where, code, message if message.endswith((".", "?")) else message + ".")
        if problem not in self.problems:
            self.problems.append(problem)

    def attempt(self, where: str, action: Callable[[], Any]) -> Any:
        """What the action gives; an error of ours becomes a problem."""
        try:
            return action()
        except CrypsisError as refusal:
            error = refusal.in_words_of(EXPERIMENT)
            message = error.message + (f" [{error.where}]" if error.where else "")
            self.add(where, message, error.code)
            return None
        except MISUNDERSTOOD as error:  # a value of a type that nobody thought of
            self.add(where, f"it cannot be understood: {type(error).__name__}: {error}")
            return None

    def table(self, content: Any, where: str, known: Collection[str] | None = None) -> Mapping[str, Any]:
        """A table with known keys; anything else is a problem and counts as empty."""
        if content is None:
            return {}
        if not isinstance(content, Mapping):
            self.add(where, f"a table is expected, got {content!r}")
            return {}
        for key in content:
            if known is not None and key not in known:
                self.add(where, f"there is no key {key!r}; known are {', '.join(known)}.{did_you_mean(key, known)}")
        return content

    def section(self, kind: type[Section], content: Any, where: str) -> Section | None:
        """The checked object that a table describes; None where something is wrong with it; all of it is reported."""
        before = len(self.problems)
        parameters = {parameter.name: parameter for parameter in parameters_of(kind)}
        table = self.table(content, where, parameters)
        given = {name: value for name, value in table.items() if name in parameters and value is not None}
        for name, value in given.items():
            self.attempt(where, partial(parameters[name].check, value, where))
        missing = [name for name, parameter in parameters.items() if parameter.required and name not in given]
        for name in missing:
            self.add(where, f"{name} must be given")
        section: Section | None = None
        if len(self.problems) == before:
            section = self.attempt(where, partial(kind, **given))
        return section

    def whole(self, content: Mapping[str, Any], key: str, lowest: int, where: str) -> None:
        value = content.get(key)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < lowest):
            self.add(where, f"{key} must be a whole number of at least {lowest}, got {value!r}")

    def words(self, content: Mapping[str, Any], key: str, where: str) -> None:
        """A text that may be empty."""
        if not isinstance(content.get(key, ""), str):
            self.add(where, f"{key} must be a text, got {content[key]!r}")

    def texts(self, content: Mapping[str, Any], key: str, where: str) -> None:
        value = content.get(key)
        if value is not None and not (isinstance(value, list) and all(isinstance(one, str) for one in value)):
            self.add(where, f"{key} must be a list of texts, got {value!r}")
