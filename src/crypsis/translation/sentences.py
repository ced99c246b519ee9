"""Sentences of members and errors, which come with their values already in them.

The catalogue has them as templates (`{column} is not a column.`). A sentence is compared with the templates, those with
most words first; what stands at the place of a value is translated in turn if it is in the catalogue, and put into the
translated template. A value in quotes, or one that is called a column, a name or a file, is of the data: a column
`date` stays `date`.
"""

from __future__ import annotations

import re
import string
from dataclasses import dataclass
from functools import cache, lru_cache

from crypsis.translation.catalogue import catalogue
from crypsis.translation.languages import ENGLISH
from crypsis.translation.templates import localized_within

_LEAST_LETTERS = 2  # of a template; with fewer it would be found everywhere
_FEW_SIGNS = 8  # of a template whose values may only be words, lists of words, and counts
_NUMBER = r"-?\d[\d.,]*(?:e[+-]?\d+)?%?"
_ANYTHING, _WORDS = ".+?", r"(?:[\d.,]+(?: [\w%]+)?|[^\s,]+(?:, [^\s,]+)*?)"
_ADDED = re.compile(r"[a-z.]$")  # what stands right behind words may be missing, or right before them
_BOTH = "{first} and {last}"
_DEPTH = 5  # values within values
_LONGEST = 4000  # characters
_OF_DATA = re.compile(
    r"(columns?|end|file|id|item|key|labels?|location|moment|names?|path|person|position|record|sets|start|t|united|varying)\d*"
)
_END = re.compile(r"(?<=[.?!:;]) ")
_NEXT = re.compile(r"(?<=[.?!]) (?=[A-Z])")
_ADDITION = re.compile(r"(?=[,;] )|(?= \()")
_BRACKETS = re.compile(r"(.+) \(([^()]+)\)", re.DOTALL)


@dataclass(frozen=True)
class _Template:
    pattern: re.Pattern[str]
    anchor: str  # the longest run of letters that is no value
    names: tuple[str, ...]
    parts: tuple[tuple[str, str | None], ...]  # of the translation: words, then the name of a value
    letters: int  # that are no values
    of_data: frozenset[str]  # names of values that are not translated

    def depth(self, name: str, depth: int) -> int:
        """How deep a value is looked into: not at all where it is of the data."""
        return 0 if name in self.of_data else depth


def sentence(words: str, language: str) -> str:
    """Words in a language: as a whole, as a template, or sentence by sentence."""
    if language == ENGLISH or not words.strip() or len(words) > _LONGEST:
        return words
    return _translated(words, language, _DEPTH)


@lru_cache(8192)
def _translated(words: str, language: str, depth: int) -> str:
    each = [_looked_up(part, language, depth) for part in _NEXT.split(words)]
    if None not in each:  # sentence by sentence, so that no value reaches into the next one
        return " ".join(map(str, each))
    translation = _looked_up(words, language, depth)
    if translation is not None:
        return translation
    ends = [match.start() for match in _END.finditer(words)]
    for end in reversed(ends):  # a message may have several sentences; as many as are known together are told so
        known = _looked_up(words[:end], language, depth)
        if known is None and end == ends[0]:
            known = f"{_translated(words[: end - 1], language, depth)}{words[end - 1]}"
        if known is not None:
            return f"{known} {_translated(words[end + 1 :], language, depth)}"
    return _added(words, language, depth)


def _added(words: str, language: str, depth: int) -> str:
    """Words with an addition that the catalogue has by itself (`, if no two records are of one person`, `(33 %)`)."""
    if not depth:
        return words
    for match in _ADDITION.finditer(words):
        start = match.start()
        sign = "" if words[start] == " " else words[start : start + 2]
        known = _looked_up(words[start:].lstrip(), language, depth) if start else None
        if known is None and sign and start:  # an addition of which the catalogue has the words alone
            more = _looked_up(words[start + 2 :], language, depth)
            known = None if more is None else f"{sign}{more}"
        if known is not None:
            blank = "" if sign else " "
            return f"{_translated(words[:start], language, depth - 1)}{blank}{known}"
    first, _and, last = words.rpartition(" and ")
    known = _looked_up(last, language, depth) if first else None
    if known is not None:
        return catalogue(language).text(_BOTH).format(first=_translated(first, language, depth - 1), last=known)
    bracketed = _BRACKETS.fullmatch(words)
    if bracketed is None:
        return words
    first, inside = bracketed.groups()
    return f"{_translated(first, language, depth - 1)} ({_value(inside, language, depth)})"


def _looked_up(words: str, language: str, depth: int) -> str | None:
    known = catalogue(language).known.get(words)
    if known is not None:
        return known
    if depth:
        for template in _templates(language):
            if template.anchor in words and (found := template.pattern.fullmatch(words)):
                values = dict(zip(template.names, found.groups(""), strict=True))
                return "".join(
                    part
                    + ("" if name is None else _value(values[name], language, 0 if name in template.of_data else depth))
                    for part, name in template.parts
                )
    if words.endswith("."):  # a message that was made a sentence where it is told
        known = _looked_up(words[:-1], language, depth)
        return None if known is None else f"{known}."
    return None


def _value(words: str, language: str, depth: int) -> str:
    """A value in turn; at depth 0 only numbers are written again."""
    number = localized_within(words, language)
    return number if number != words or not depth else _translated(words, language, depth - 1)


@cache
def _templates(language: str) -> tuple[_Template, ...]:
    pairs = catalogue(language).known.items()
    templates = [one for message, words in pairs if "{" in message and (one := _template(message, words))]
    return tuple(sorted(templates, key=lambda one: (-one.letters, -len(one.names))))


def _template(message: str, words: str) -> _Template | None:
    parts = _parts(message)
    letters = [run for part, _ in parts for run in re.findall(r"[^\W\d_]+", part)]
    size = sum(map(len, letters))
    if size < _LEAST_LETTERS or not all(name is None or name.isidentifier() for _, name in parts):
        return None
    names: list[str] = []
    signs = sum(len(part.replace(" ", "")) for part, _name in parts)
    numbers = {name for _part, name, spec, _how in string.Formatter().parse(message) if spec}
    pattern, value = "", _WORDS if signs < _FEW_SIGNS else _ANYTHING
    for (part, name), (after, _name) in zip(parts, [*parts[1:], ("", None)], strict=True):
        pattern += re.escape(part)
        if name is not None:
            wanted = _NUMBER if name in numbers else value
            wanted = f"(?:{wanted})?" if _ADDED.search(part) or after[:1].isalpha() else wanted
            pattern += f"(?P={name})" if name in names else f"(?P<{name}>{wanted})"
            if name not in names:
                names.append(name)
    translated = _parts(words)
    if not names or any(name is not None and name not in names for _, name in translated):
        return None
    quoted = {name for part, name in parts if name is not None and part.endswith(("'", '"', "`"))}
    of_data = frozenset(quoted | set(filter(_OF_DATA.fullmatch, names)))
    compiled, anchor = re.compile(pattern, re.DOTALL), max(letters, key=len)
    return _Template(compiled, anchor, tuple(names), tuple(translated), size, of_data)


def _parts(template: str) -> list[tuple[str, str | None]]:
    try:
        return [(part, name) for part, name, _, _ in string.Formatter().parse(template)]
    except ValueError:
        return [(template, None)]
