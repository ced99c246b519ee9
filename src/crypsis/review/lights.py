"""Review: three answers about a release. Does its guarantee hold, what does it disclose beside it, what is left?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import total_ordering
from typing import Any, Self

from crypsis import notebook
from crypsis.translation import marked

NAMES = ("guarantee", "disclosure", "usefulness")


@total_ordering
class Colour(Enum):
    """Green is fine, amber is to be looked at, red is to be mended before anything is published."""

    GREEN = marked("green")
    AMBER = marked("amber")
    RED = marked("red")

    def __lt__(self, other: object) -> bool:
        return isinstance(other, Colour) and _ORDER[self] < _ORDER[other]

    def __str__(self) -> str:
        return self.value


_ORDER = {colour: index for index, colour in enumerate(Colour)}


@dataclass(frozen=True)
class Remedy:
    """What would mend a finding: words, and where one setting does it, the parameter or option and its value."""

    words: str
    parameter: str | None = None
    value: Any = None

    @property
    def option(self) -> str | None:
        """As it is typed on the command line: `-l 2`, `--max-suppressed 0.05`."""
        if self.parameter is None:
            return None
        dashes = "-" if len(self.parameter) == 1 else "--"
        return f"{dashes}{self.parameter.replace('_', '-')} {self.value}"

    def to_dict(self) -> dict[str, Any]:
        return {"words": self.words, "parameter": self.parameter, "value": self.value, "option": self.option}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        return cls(str(content["words"]), content.get("parameter"), content.get("value"))


@dataclass(frozen=True)
class Finding:
    """One thing that was found: how many (of how many, which share), in a sentence, and what would mend it.

    `column` is what it is about, where it is about one column; `confirmable` findings refuse the release until the
    publisher confirms this column.
    """

    code: str
    colour: Colour
    sentence: str
    number: int | None = None
    total: int | None = None
    share: float | None = None
    remedy: Remedy | None = None
    column: str | None = None
    confirmable: bool = False

    def to_dict(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "colour": str(self.colour),
            "sentence": self.sentence,
            "number": self.number,
            "total": self.total,
            "share": self.share,
            "column": self.column,
            "confirmable": self.confirmable,
            "remedy": None if self.remedy is None else self.remedy.to_dict(),
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        remedy = content.get("remedy")
        return cls(
            str(content["code"]),
            Colour(content["colour"]),
            str(content["sentence"]),
            content.get("number"),
            content.get("total"),
            content.get("share"),
            None if remedy is None else Remedy.from_dict(remedy),
            content.get("column"),
            bool(content.get("confirmable")),
        )


@dataclass(frozen=True)
class Light:
    """A colour, which is the worst of its findings, and the findings, worst first."""

    colour: Colour = Colour.GREEN
    findings: tuple[Finding, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {"colour": str(self.colour), "findings": [finding.to_dict() for finding in self.findings]}

    @classmethod
    def of(cls, findings: Iterable[Finding]) -> Self:
        """The light of these findings."""
        ordered = tuple(sorted(findings, key=lambda finding: -_ORDER[finding.colour]))
        return cls(ordered[0].colour if ordered else Colour.GREEN, ordered)

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        return cls.of(Finding.from_dict(finding) for finding in content["findings"])


@dataclass(frozen=True)
class Review:
    """The three lights. `basis` says what they were computed from."""

    guarantee: Light
    disclosure: Light
    usefulness: Light
    basis: str = ""

    def lights(self) -> Iterator[tuple[str, Light]]:
        """Each light with its name, in order."""
        for name in NAMES:
            yield name, getattr(self, name)

    def _repr_html_(self) -> str:
        content = [
            (name.capitalize(), str(light.colour), " ".join(finding.sentence for finding in light.findings))
            for name, light in self.lights()
        ]
        return notebook.framed(notebook.rows(("Light", "Colour", "Findings"), content, "Three lights", longest=None))

    @property
    def colour(self) -> Colour:
        """The worst of the three."""
        return max(light.colour for _, light in self.lights())

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding for _, light in self.lights() for finding in light.findings)

    @property
    def refused(self) -> tuple[Finding, ...]:
        """What stands against publishing until its column is confirmed."""
        return tuple(finding for finding in self.findings if finding.confirmable and finding.colour == Colour.RED)

    def to_dict(self) -> dict[str, Any]:
        return {**{name: light.to_dict() for name, light in self.lights()}, "basis": self.basis}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        guarantee, disclosure, usefulness = (Light.from_dict(content[name]) for name in NAMES)
        return cls(guarantee, disclosure, usefulness, str(content.get("basis", "")))

    def __str__(self) -> str:
        lines = []
        for name, light in self.lights():
            first, *others = light.findings or (None,)
            lines.append(f"{name:<12}{light.colour!s:<7}{'nothing was found' if first is None else _told(first)}")
            lines += [f"{'':<12}{other.colour!s:<7}{_told(other)}" for other in others]
        return "\n".join(lines)


def _told(finding: Finding) -> str:
    remedy = finding.remedy
    if remedy is None or finding.colour == Colour.GREEN:
        return finding.sentence
    option = "" if remedy.option is None else f" ({remedy.option})"
    return f"{finding.sentence} {remedy.words.rstrip('.')}{option}."
