"""The rule for missing values: one name and one meaning for the data model, every method and every verifier."""

from __future__ import annotations

from dataclasses import dataclass

MISSING_CODE = -1
"""The code of a missing cell in every dictionary-encoded column."""


# texts that mean a missing value where all others are numbers or dates, in lower case; databases export \N
MARKERS = frozenset(
    {
        "na", "n/a", "#n/a", "#nv", "#na", "#null!", "nan", "null", "none", "nil", "missing", "k. a.", "k.a.", "k. a",
        "keine angabe", "n. v.", "n.v.", "-", "--", "–", "—", ".", "..", "...", "?", "unknown",
        "unbekannt", "n.d.", "n. d.", "nd", "nc", "n.c.", "s/d", "b.d.", "н/д", "нет данных", "不明", "无", "不详",
        "brak", "brak danych", "sin datos", "no aplica", "ns/nc", "inconnu", "non renseigné", "onbekend", "desconocido",
        "non disponibile", "не указано", "неизвестно", "not available", "not applicable", "not known", "(blank)",
        "(null)", "<na>", "#value!", "#div/0!", "#ref!", "#name?", "#num!", "#wert!", "#bezug!", "entfällt", "fehlt",
        "\\n", "00.00.0000", "00/00/0000", "0000-00-00", "0000-00-00 00:00:00",
    }
)  # fmt: skip

# those that are answers of their own where all others are texts: nothing is known, or nothing is there
MAY_BE_ANSWERS = frozenset(
    {
        "none", "nil", "unknown", "not known", "not applicable", "unbekannt", "entfällt", "inconnu", "onbekend",
        "desconocido", "no aplica", "неизвестно", "不明", "无", "nd", "nc", "nan", "-",
    }
)  # fmt: skip


@dataclass(frozen=True)
class MissingRule:
    """How missing values match each other, in a word and in full."""

    name: str
    meaning: str


MISSING_EQUALS_MISSING = MissingRule(
    name="missing-equals-missing",
    meaning=(
        "Two records that are both missing in a quasi-identifier are equal in it, and a missing value equals no other. "
        "A missing value is never imputed and matches no query. In a group that is missing throughout the cell is "
        "'missing'; in a group that is missing in part it is 'any', the whole domain. "
        "A missing sensitive value is no value."
    ),
)
