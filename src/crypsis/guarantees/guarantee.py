"""Guarantee: what a release promises, for people and for programs. How to check it is a verifier's work."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

from crypsis.errors import BadRelease, MissingParameters
from crypsis.parameters import Checked, SideInput, parameters_of
from crypsis.translation import marked

TRUTHFUL = "That every published record is a true, if coarser, statement about its original."

# What several guarantees assume, or do not cover.
POOLED_KNOWLEDGE = "Several adversaries who pool what they know, or knowledge about several victims at once."
KNOWN_GENERALIZATIONS = "Conclusions from knowing which generalizations the algorithm would have chosen (minimality)."
KNOWN_MERGES = "Conclusions from knowing which merges the algorithm would have chosen (minimality)."
ABSENT_ITEMS = "Knowing that an item is not in the victim's record, or how many items are."
EACH_UNIT = "Each counted unit (a trajectory, or all trajectories of an owner) is one individual."
COLUMNS_UNCHANGED = "Columns that are published as they are, where the adversary knows them."
QUASI_IDENTIFIERS_KNOWN = "All that the adversary knows about the victim is in the quasi-identifiers."
MISSING_EQUALS_MISSING = "A missing value equals a missing value and nothing else."


@dataclass(frozen=True, kw_only=True)
class Guarantee(Checked, ABC):
    """A privacy model with its parameters."""

    model: ClassVar[str]
    protects_from: ClassVar[str]  # who is kept from learning what, for somebody who has never read a paper
    assumptions: ClassVar[tuple[str, ...]]
    not_covered: ClassVar[tuple[str, ...]]
    level_words: ClassVar[tuple[str, str]] = (marked("reached"), marked("required"))
    recounts: ClassVar[str]  # what the verifier counts, in one sentence
    told_where_given: ClassVar[tuple[str, ...]] = ()  # parameters whose default is the weaker promise and is not told
    from_original: ClassVar[tuple[str, ...]] = (TRUTHFUL,)  # what is checked beside it, with the original only

    @property
    @abstractmethod
    def scope(self) -> str:
        """The promise in one sentence."""

    def meaning_for(self, known: Sequence[str]) -> str:
        """What it means for a dataset with these quasi-identifiers or items, for people; else the promise itself."""
        return self.scope

    @property
    def trivial(self) -> bool:
        """These parameters protect nothing; a release must say so."""
        return False

    def stated(self, name: str) -> tuple[str, ...]:
        """The `assumptions` or what is `not_covered`, with these parameters."""
        sentences: tuple[str, ...] = getattr(self, name)
        return sentences

    @property
    def needs_original(self) -> bool:
        """What is counted does not follow from the published data, so that only the publisher can count it."""
        return getattr(self, "unit", None) in ("owner", "person")

    @property
    def recountable(self) -> tuple[str, ...]:
        """What a recipient can recount from the files of a release."""
        return () if self.needs_original else (self.recounts,)

    @property
    def publisher_only(self) -> tuple[str, ...]:
        """What only the publisher can check, with the original and the private report."""
        return (*((self.recounts,) if self.needs_original else ()), *self.from_original)

    def to_dict(self) -> dict[str, Any]:
        """All of it, so that whoever reads a release can check it: side inputs are written out."""
        return {
            "model": self.model,
            "parameters": {name: _written(value) for name, value in self.parameters().items() if self._is_told(name)},
            "scope": self.scope,
            "assumptions": list(self.stated("assumptions")),
            "not_covered": list(self.stated("not_covered")),
            "recountable": list(self.recountable),
            "publisher_only": list(self.publisher_only),
            "trivial": self.trivial,
        }

    def _is_told(self, name: str) -> bool:
        return name not in self.told_where_given or getattr(self, name) != getattr(type(self), name)

    @classmethod
    def from_parameters(cls, described: Mapping[str, Any]) -> Self:
        """From the parameters that `to_dict` wrote: all of them, no default is assumed."""
        kinds: dict[str, Any] = {parameter.name: parameter.type for parameter in parameters_of(cls)}
        lacking = [name for name in kinds if name not in described and name not in cls.told_where_given]
        if lacking:
            raise MissingParameters(
                f"The manifest does not say which {' and '.join(lacking)} {cls.model} has; nothing is assumed.",
                parameters=lacking,
            )
        unknown = [name for name in described if name not in kinds]
        if unknown:
            raise BadRelease(f"The manifest gives {cls.model} the unknown parameter {unknown[0][:40]!r}.")
        return cls(
            **{
                name: kinds[name].from_json(value) if issubclass(kinds[name], SideInput) else value
                for name, value in described.items()
            }
        )

    def __str__(self) -> str:
        told = [
            f"{parameter.name}={getattr(self, parameter.name)}"
            for parameter in parameters_of(type(self))
            if getattr(self, parameter.name) is not None
            and (parameter.type not in (str, bool) or getattr(self, parameter.name) != parameter.default)
        ]
        return f"{self.model} ({', '.join(told)})"


def _written(value: Any) -> Any:
    """A parameter as JSON has it: a side input in full, a fraction as text, which keeps it exact."""
    if isinstance(value, SideInput):
        return value.to_json()
    return str(value) if isinstance(value, Fraction) else value
