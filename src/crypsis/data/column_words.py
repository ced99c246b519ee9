"""What the name of a column says about its meaning, in fifteen languages; the words stand in column_words.toml.

A name is cut into words (`words_of`), and terms of one or several words are looked up in it. Of several meanings the
role decides: what identifies comes before what should not be learned, and so on; of one role the longest term.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from crypsis.data.person_detection import (
    NUMBER_WORDS,
    OWNER_NOUNS,
    PERSON_NOUNS,
    names_a_thing,
    plain_text,
    word_set,
    words_of,
)

LANGUAGES = ("en", "zh", "hi", "es", "ar", "fr", "bn", "pt", "ru", "id", "ja", "de", "pl", "it", "tr")
_HEAD_FIRST = (
    "es",
    "ar",
    "fr",
    "pt",
    "id",
    "pl",
    "it",
)  # the word that says what it is comes before those that say whose
_BY_ROLE = ("identifier", "sensitive", "other", "quasi")
_INSIDE = 6  # letters from which on the beginning of a word may stand inside one
_LONGEST = 4  # words of a term
_UNIMPORTANT = word_set(
    """
    of for by per from to in at with and or the a de du des del della di da do dos das la le les el los las von
    der und et e y o का की के
    """
)
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")  # Chinese and Japanese


@dataclass(frozen=True)
class Meaning:
    """What columns with such names hold, the role that follows, and why."""

    name: str
    role: str
    why: str
    codes: bool = False
    prefix: bool = False
    head: bool = False
    text: bool = False
    number: bool = False
    few: bool = False


@dataclass(frozen=True)
class _Term:
    meaning: Meaning
    language: str
    words: tuple[str, ...]

    @property
    def length(self) -> int:
        return sum(map(len, self.words))


@dataclass(frozen=True)
class _Words:
    exact: dict[str, list[_Term]]
    beginnings: list[_Term]
    unspaced: list[_Term]


@cache
def _known() -> _Words:
    content = tomllib.loads((Path(__file__).parent / "column_words.toml").read_text(encoding="utf-8"))
    known = _Words({}, [], [])
    for name, told in content.items():
        meaning = Meaning(name, **{key: value for key, value in told.items() if key not in LANGUAGES})
        for language in LANGUAGES:
            for written in told.get(language, "").split(","):
                if _UNSPACED.search(written):
                    known.unspaced.append(_Term(meaning, language, (plain_text(written.strip()),)))
                    continue
                words = tuple(_important(words_of(written.strip().removesuffix("*"))))
                term = _Term(meaning, language, words)
                if written.strip().endswith("*"):
                    known.beginnings.append(term)
                elif words:
                    known.exact.setdefault("".join(words), []).append(term)
    return known


@lru_cache(4096)
def meanings_of(name: str) -> tuple[Meaning, ...]:
    """What a name may mean, the likeliest first; nothing where no word of it is known."""
    known = _known()
    numbered = [word.rstrip("0123456789") or word for word in words_of(name)]
    words = _important(numbered)
    found: dict[Meaning, int] = {}

    def add(term: _Term, begin: int, end: int) -> None:
        if not term.meaning.head or _is_head(term, name, words, begin, end):
            found[term.meaning] = max(found.get(term.meaning, 0), term.length)

    for begin in range(len(words)):
        for end in range(begin + 1, min(begin + _LONGEST, len(words)) + 1):
            for term in known.exact.get("".join(words[begin:end]), ()):
                add(term, begin, end)
        for term in known.beginnings:
            (stem,) = term.words
            if words[begin].startswith(stem) or (len(stem) >= _INSIDE and stem in words[begin]):
                add(term, begin, begin + 1)
    if _UNSPACED.search(name):
        plain = plain_text(name)
        for term in known.unspaced:
            if term.words[0] in plain:
                found[term.meaning] = max(found.get(term.meaning, 0), 3 * term.length)  # a sign says as much as a word
    ordered = sorted(found, key=lambda meaning: (_BY_ROLE.index(meaning.role), -found[meaning]))
    return tuple(ordered)


def _important(words: list[str]) -> list[str]:
    kept = [word for word in words if word not in _UNIMPORTANT]
    return kept or words


def _is_head(term: _Term, name: str, words: list[str], begin: int, end: int) -> bool:
    """Whether the term is what the column holds, and not what something that it holds belongs to.

    `patient_name` and `nombre del paciente` are names of people; `station_name` and `phone brand` are not.
    """
    rest = [*words[:begin], *words[end:]]
    last = all(word in NUMBER_WORDS or word in ("address", "adresse") for word in words[end:])
    first = begin == 0 and term.language in _HEAD_FIRST
    if not (last or first) or names_a_thing(name):
        return False
    if term.meaning.name != "person_name":
        return not any(names_a_thing(word) for word in rest) or term.meaning.name == "address"
    return all(word in PERSON_NOUNS or word in OWNER_NOUNS or word in _WHOSE_NAME for word in rest)


_WHOSE_NAME = word_set(
    """
    first last full given family middle birth maiden contact father mother doctor physician nurse parent child
    next kin emergency legal preferred completo complet paciente medico padre madre pere mere pai mae ayah ibu
    depan belakang lengkap पूरा पिता माता রোগীর গ্রাহকের পিতার মাতার ছাত্রের
    """
)
