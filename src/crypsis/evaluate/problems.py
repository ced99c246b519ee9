"""Problems of an experiment, gathered one by one and told all at once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from polars.exceptions import PolarsError

from crypsis.errors import BadExperiment, CrypsisError, did_you_mean
from crypsis.places import EXPERIMENT
from crypsis.wording import counted

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
            error = refusal.told(EXPERIMENT)
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

    def whole(self, content: Mapping[str, Any], key: str, lowest: int, where: str) -> None:
        value = content.get(key)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < lowest):
            self.add(where, f"{key} must be a whole number of at least {lowest}, got {value!r}")

    def number(self, content: Mapping[str, Any], key: str, where: str) -> None:
        value = content.get(key)
        if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0):
            self.add(where, f"{key} must be a number above 0, got {value!r}")

    def text(self, content: Mapping[str, Any], key: str, where: str) -> None:
        value = content.get(key)
        if value is not None and (not isinstance(value, str) or not value):
            self.add(where, f"{key} must be a text, got {value!r}")

    def words(self, content: Mapping[str, Any], key: str, where: str) -> None:
        """A text that may be empty."""
        if not isinstance(content.get(key, ""), str):
            self.add(where, f"{key} must be a text, got {content[key]!r}")

    def flag(self, content: Mapping[str, Any], key: str, where: str) -> None:
        if not isinstance(content.get(key, False), bool):
            self.add(where, f"{key} must be true or false, got {content[key]!r}")

    def texts(self, content: Mapping[str, Any], key: str, where: str) -> None:
        value = content.get(key)
        if value is not None and not (isinstance(value, list) and all(isinstance(one, str) for one in value)):
            self.add(where, f"{key} must be a list of texts, got {value!r}")
