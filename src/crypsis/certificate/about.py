"""What only the publisher can say about a release. It is asked for, never guessed."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from crypsis.errors import BadParameter, CrypsisError, MissingFile, did_you_mean
from crypsis.strict_json import parse_json

LONGEST = 2000
_LARGEST_FILE = 1 << 20


@dataclass(frozen=True, kw_only=True)
class About:
    """The declared part of a certificate; every field has a text."""

    title: str
    controller: str
    purpose: str
    recipient: str
    legal_basis: str
    made_by: str
    approved_by: str

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, str) or not value.strip() or len(value) > LONGEST:
                raise BadParameter(
                    f"{field.name} must be a text of up to {LONGEST} characters, got {str(value)[:40]!r}.",
                    parameter=field.name,
                )
            if not value.replace("\n", " ").isprintable():
                raise BadParameter(f"{field.name} has characters that cannot be printed.", parameter=field.name)

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> About:
        """From what was given; everything that is missing is named at once."""
        known = [field.name for field in fields(cls)]
        for name in given:
            if name not in known:
                raise BadParameter(
                    f"A certificate has no {str(name)[:40]!r}; it has {', '.join(known)}.{did_you_mean(name, known)}",
                    parameter=str(name)[:40],
                )
        missing = [name for name in known if given.get(name) is None]
        if missing:
            options = ", ".join(f"`{name}`" for name in missing)
            raise BadParameter(
                f"A certificate says who answers for what, and nobody said {', '.join(missing)}; give {options}, or "
                "about='FILE'.",
                parameter=missing[0],
                missing=missing,
            )
        return cls(**given)


def read_about(path: str | Path) -> dict[str, Any]:
    """What a TOML or JSON file says; fields may be missing."""
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
        raise BadParameter(f"{file.name} must name the fields of a certificate.", where=str(file), parameter="about")
    return content
