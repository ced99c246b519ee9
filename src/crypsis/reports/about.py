"""What only the publisher can say about a release. It is asked for, never guessed."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from crypsis.errors import BadParameter, CrypsisError, MissingFile, did_you_mean
from crypsis.translation import marked
from crypsis.translation.languages import ENGLISH, LANGUAGES

LONGEST = 2000
_LARGEST_FILE = 1 << 20


def _said(label: str, help: str) -> Any:
    return field(metadata={"label": label, "help": help})


def _may_be_said(label: str, help: str) -> Any:
    return field(default=None, metadata={"label": label, "help": help})


@dataclass(frozen=True, kw_only=True)
class About:
    """What the publisher declares. Every field has a text; those after the first seven may be left out."""

    title: str = _said(marked("Dataset"), marked("What the dataset is called."))
    controller: str = _said(marked("Controller"), marked("Who is responsible for the data."))
    purpose: str = _said(marked("Purpose"), marked("What the release is for."))
    recipient: str = _said(marked("Recipient"), marked("Who receives it."))
    legal_basis: str = _said(marked("Legal basis"), marked("On which legal basis."))
    made_by: str = _said(marked("Made by"), marked("Who made the release."))
    approved_by: str = _said(marked("Approved by"), marked("Who approved it."))
    description: str | None = _may_be_said(
        marked("Description"), marked("A few sentences on the dataset, for a repository.")
    )
    keywords: str | None = _may_be_said(marked("Keywords"), marked("Separated by commas, for a repository."))
    contact: str | None = _may_be_said(marked("Contact"), marked("E-mail address, for a repository."))
    license: str | None = _may_be_said(marked("License"), marked("Identifier of the license, such as CC-BY-4.0."))
    subject: str | None = _may_be_said(marked("Subject"), marked("As Dataverse names it, such as Social Sciences."))
    language: str | None = _may_be_said(
        marked("Language of the report"), marked("Reports and releases are written in it: en or de.")
    )

    def __post_init__(self) -> None:
        for name, value in self.to_dict().items():
            if not isinstance(value, str) or not value.strip() or len(value) > LONGEST:
                raise BadParameter(
                    f"{name} must be a text of up to {LONGEST} characters, got {str(value)[:40]!r}.", parameter=name
                )
            if not value.replace("\n", " ").isprintable():
                raise BadParameter(f"{name} has characters that cannot be printed.", parameter=name)
        if self.language is not None and self.language not in LANGUAGES:
            raise BadParameter(
                f"language is one of {', '.join(LANGUAGES)}, got {self.language[:40]!r}.", parameter="language"
            )

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> About:
        """From what was given; everything that is missing is named at once."""
        known = [*LABELS]
        for name in given:
            if name not in known:
                raise BadParameter(
                    f"A declaration has no {str(name)[:40]!r}; it has {', '.join(known)}."
                    f"{did_you_mean(str(name), known)}",
                    parameter=str(name)[:40],
                )
        missing = [name for name in REQUIRED if given.get(name) is None]
        if missing:
            options = ", ".join(f"`{name}`" for name in missing)
            raise BadParameter(
                f"A release that is declared says who answers for what, and nobody said {', '.join(missing)}; give "
                f"{options}, or about='FILE'.",
                parameter=missing[0],
                missing=missing,
            )
        return cls(**given)

    def to_dict(self) -> dict[str, str]:
        """What was said, by name."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    @property
    def keyword_list(self) -> list[str]:
        return [word.strip() for word in (self.keywords or "").split(",") if word.strip()]


REQUIRED = tuple(one.name for one in fields(About) if one.default is MISSING)
LABELS: dict[str, str] = {one.name: one.metadata["label"] for one in fields(About)}
HELP: dict[str, str] = {one.name: one.metadata["help"] for one in fields(About)}
STATEMENTS = {name: label for name, label in LABELS.items() if name != "language"}  # which a report shows by itself
PEOPLE = ("made_by", "approved_by")


def report_language(about: About | None) -> str:
    """The language in which reports are written; English where none is declared."""
    return ENGLISH if about is None or about.language is None else about.language


def read_about(path: str | Path) -> dict[str, Any]:
    """What a TOML or JSON file says; fields may be missing. An experiment file says it in its table `about`."""
    from crypsis.strict_json import parse_json

    file = Path(path)
    try:
        if not file.is_file() or file.stat().st_size > _LARGEST_FILE:
            raise MissingFile(f"There is no file {file} of up to {_LARGEST_FILE:,} bytes.", where=str(file))
        text = file.read_text(encoding="utf-8")
        content = parse_json(text) if file.suffix == ".json" else tomllib.loads(text)
    except CrypsisError:
        raise
    except (ValueError, OSError, RecursionError) as error:
        raise BadParameter(f"{file.name} cannot be read: {error}.", where=str(file), parameter="about") from error
    if not isinstance(content, dict):
        raise BadParameter(f"{file.name} must name the fields of a declaration.", where=str(file), parameter="about")
    told = content.get("about", content)
    return dict(told) if isinstance(told, dict) else content
