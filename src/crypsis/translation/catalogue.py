"""The catalogue of a language: compiled messages of gettext that lie beside the code."""

from __future__ import annotations

import gettext
import io
import struct
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Protocol

from crypsis.translation.languages import ENGLISH, LANGUAGES, PSEUDO

FOLDER = Path(__file__).parents[1] / "locale"
DOMAIN = "crypsis"


class Catalogue(Protocol):
    """Where texts are looked up; a text that is not there is answered as it is. `known` has every one that is."""

    @property
    def known(self) -> Mapping[str, str]: ...
    def text(self, message: str) -> str: ...
    def for_count(self, one: str, many: str, count: int) -> str: ...


class English:
    """The language of the code."""

    known: Mapping[str, str] = {}

    def text(self, message: str) -> str:
        return message

    def for_count(self, one: str, many: str, count: int) -> str:
        return one if count == 1 else many


class Compiled:
    """A `.mo` file. A message with forms for counts is known by both its English forms."""

    def __init__(self, content: bytes) -> None:
        self._messages = gettext.GNUTranslations(io.BytesIO(content))
        self.known = dict(_pairs(content))

    def text(self, message: str) -> str:
        return self.known.get(message, message)

    def for_count(self, one: str, many: str, count: int) -> str:
        return self._messages.ngettext(one, many, count)


class Bracketed:
    """English between brackets, for texts that another catalogue knows."""

    def __init__(self, behind: Catalogue) -> None:
        self.known = {message: f"⟦{message}⟧" for message in behind.known}

    def text(self, message: str) -> str:
        return self.known.get(message, message)

    def for_count(self, one: str, many: str, count: int) -> str:
        return self.text(one if count == 1 else many)


@cache
def catalogue(language: str) -> Catalogue:
    """The catalogue of a language, read once."""
    if language == ENGLISH:
        return English()
    if language == PSEUDO:
        return Bracketed(catalogue(next(name for name in LANGUAGES if name != ENGLISH)))
    return Compiled((FOLDER / language / "LC_MESSAGES" / f"{DOMAIN}.mo").read_bytes())


def _pairs(content: bytes) -> Iterator[tuple[str, str]]:
    """Every message of a `.mo` file with its translation; of those with forms, the first and the last."""
    _, _, count, messages, words = struct.unpack("<5I", content[:20])
    for place in range(count):
        message, translated = (_text(content, table + 8 * place) for table in (messages, words))
        if message:
            yield message.split("\0")[0], translated.split("\0")[0]
            yield message.split("\0")[-1], translated.split("\0")[-1]


def _text(content: bytes, entry: int) -> str:
    length, begin = struct.unpack("<2I", content[entry : entry + 8])
    return content[begin : begin + length].decode("utf-8")
