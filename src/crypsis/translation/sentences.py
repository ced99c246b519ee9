"""Sentences of members and errors, which come with their values already in them.

The catalogue has them as templates (`{column} is not a column.`). A sentence is compared with the templates, those with
most words first; what stands at the place of a value is translated in turn if it is in the catalogue, and put into the
translated template.
"""

from __future__ import annotations

import re
import string
from dataclasses import dataclass
from functools import cache, lru_cache

from crypsis.translation.catalogue import catalogue
from crypsis.translation.languages import ENGLISH
from crypsis.translation.templates import localized_within

_LEAST_LETTERS = 3  # of a template; with fewer it would be found everywhere
_DEPTH = 3  # values within values
_LONGEST = 4000  # characters
_END = re.compile(r"(?<=[.?!:;]) ")


@dataclass(frozen=True)
class _Template:
    pattern: re.Pattern[str]
    anchor: str  # the longest run of letters that is no value
    names: tuple[str, ...]
    parts: tuple[tuple[str, str | None], ...]  # of the translation: words, then the name of a value


def sentence(words: str, language: str) -> str:
    """Words in a language: as a whole, as a template, or sentence by sentence."""
    if language == ENGLISH or not words.strip() or len(words) > _LONGEST:
        return words
    return _translated(words, language, _DEPTH)


@lru_cache(8192)
def _translated(words: str, language: str, depth: int) -> str:
    found = _looked_up(words, language, depth)
    if found is not None:
        return found
    ends = [match.start() for match in _END.finditer(words)]
    for end in reversed(ends):  # a message may have several sentences; as many as are known together are told so
        known = _looked_up(words[:end], language, depth)
        if known is not None or end == ends[0]:
            return f"{known or words[:end]} {_translated(words[end + 1 :], language, depth)}"
    return words


def _looked_up(words: str, language: str, depth: int) -> str | None:
    known = catalogue(language).known.get(words)
    if known is not None:
        return known
    if depth:
        for template in _templates(language):
            if template.anchor in words and (found := template.pattern.fullmatch(words)):
                values = dict(zip(template.names, found.groups(), strict=True))
                return "".join(
                    part + ("" if name is None else _value(values[name], language, depth - 1))
                    for part, name in template.parts
                )
    return None


def _value(words: str, language: str, depth: int) -> str:
    number = localized_within(words, language)
    return number if number != words else _translated(words, language, depth)


@cache
def _templates(language: str) -> tuple[_Template, ...]:
    pairs = catalogue(language).known.items()
    found = [one for message, words in pairs if "{" in message and (one := _template(message, words))]
    return tuple(sorted(found, key=lambda one: -len(one.pattern.pattern)))


def _template(message: str, words: str) -> _Template | None:
    parts = _parts(message)
    letters = [run for part, _ in parts for run in re.findall(r"[^\W\d_]+", part)]
    if sum(map(len, letters)) < _LEAST_LETTERS or not all(name is None or name.isidentifier() for _, name in parts):
        return None
    names: list[str] = []
    pattern = ""
    for part, name in parts:
        pattern += re.escape(part)
        if name is not None:
            pattern += f"(?P={name})" if name in names else f"(?P<{name}>.+?)"
            if name not in names:
                names.append(name)
    translated = _parts(words)
    if not names or any(name is not None and name not in names for _, name in translated):
        return None
    return _Template(re.compile(pattern, re.DOTALL), max(letters, key=len), tuple(names), tuple(translated))


def _parts(template: str) -> list[tuple[str, str | None]]:
    try:
        return [(part, name) for part, name, _, _ in string.Formatter().parse(template)]
    except ValueError:
        return [(template, None)]
