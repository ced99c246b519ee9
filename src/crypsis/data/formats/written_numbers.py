"""Numbers as people write them: 1.234,56 and 1,234.56 and 1 234,5, with the marks declared or told by a whole column.

Which mark is which follows only from what can be read in one way: a cell with both marks, a comma with other than
three digits behind it, or an apostrophe, which is no decimal mark. `1,234` alone, or `123,456,789`, which may be three
codes, is asked about.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import polars as pl

_BLANK = "[ \u00a0\u2007\u2009\u202f]"
_PLAIN = r"^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$"


def _form(decimal: str, groups: str) -> str:
    return rf"^[+-]?(?:{groups}|\d+)(?:{decimal}\d+)?(?:[eE][+-]?\d+)?$"


# decimal mark, mark of thousands (as a pattern): how such numbers look
_FORMS = {
    (",", r"\."): _form(",", r"\d{1,3}(?:\.\d{3})+"),
    (",", _BLANK): _form(",", rf"\d{{1,3}}(?:{_BLANK}\d{{3}})+"),
    (",", "['’]"): _form(",", r"\d{1,3}(?:['’]\d{3})+"),
    (".", ","): _form(r"\.", r"\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d{2})+,\d{3}"),  # 12,34,567 as in India
    (".", _BLANK): _form(r"\.", rf"\d{{1,3}}(?:{_BLANK}\d{{3}})+"),
    (".", "['’]"): _form(r"\.", r"\d{1,3}(?:['’]\d{3})+"),
}
_CERTAIN = {  # what a form must have once to be certain: both marks, or a fraction of other than 3 digits
    ",": r"[.'’ \u00a0\u2007\u2009\u202f]\d{3},|,\d{1,2}$|,\d{4,}$|^[+-]?0,|,\d+[eE]",
    ".": r"[,'’ \u00a0\u2007\u2009\u202f]\d{3}\.|\d['’\u00a0\u2007\u2009\u202f]\d{3}$|\d,\d{2},\d{3}",
}
_UNITS = ("€", "$", "£", "¥", "₹", "%", "EUR", "USD", "GBP", "CHF", "JPY", "INR")
_ANY_UNIT = "|".join(map(re.escape, _UNITS))
_UNIT = rf"^\s*(?:{_ANY_UNIT})?\s*(?P<number>[+-]?\d.*?)\s*(?:{_ANY_UNIT})?\s*$"
_MEASURES = "kg|g|mg|km|m|cm|mm|lbs?|ft|in|yrs?|h|min|s|ms"  # which may touch their number
_WORD = re.compile(  # 34 years, 171cm, 1 234,50 zł, 90 km/h
    rf"^\s*[+-]?\d(?:[\d.,'’]|{_BLANK}(?=\d))*"
    rf"(?:\s+([^\W\d_]{{1,8}}\.?(?:/[^\W\d_]{{1,8}}[²³]?)?|°[CF])|({_MEASURES}))\s*$"
)
_MARKS = {",": ",", ".": r"\.", " ": _BLANK, "'": "['’]"}
_SIGNS = (  # how a minus is written: −3, (3) and 3-
    (r"^[\u2212\u2013](\d)", "-${1}"),
    (r"^\((\d[^()]*)\)$", "-${1}"),
    (r"^(\d.*)-$", "-${1}"),
)
_DEGREES = (
    r"^(?P<first>[NESWO])?\s*(?P<d>[0-9]{1,3}(?:[.,][0-9]+)?)\s*[°º]?\s*(?:(?P<m>[0-9]{1,2}(?:[.,][0-9]+)?)\s*['′’]\s*)?"
    r"(?:(?P<s>[0-9]{1,2}(?:[.,][0-9]+)?)\s*(?:[\"″”]|''))?\s*(?P<last>[NESWO])?$"
)
_DIGITS = {chr(zero + digit): str(digit) for zero in (0x660, 0x6F0, 0x966, 0x9E6, 0xFF10) for digit in range(10)}


@dataclass(frozen=True)
class PlainNumbers:
    """Numbers rewritten with a decimal point, and the marks that they had; `certain` if they can be read in one way."""

    texts: pl.Series
    words: str
    certain: bool


def recognise_numbers(texts: pl.Series, largest: float | None = None) -> PlainNumbers | None:
    """A column of numbers with a decimal comma, marks between thousands or a unit; None where some cell is none.

    Where no value is larger than `largest`, such as degrees, a comma that could mark thousands is a decimal one.
    """
    unit = _unit_of(texts)
    if unit is not None:
        bare = texts.str.strip_chars().str.strip_prefix(unit).str.strip_suffix(unit).str.strip_chars()
        if bare.str.contains(_PLAIN).all():
            return PlainNumbers(bare, f"the unit {unit}", True)
        numbers = recognise_numbers(bare)
        return numbers and PlainNumbers(numbers.texts, f"{numbers.words} and the unit {unit}", numbers.certain)
    stripped = texts.str.strip_chars()
    plain, words = _with_usual_signs(stripped)
    if words:
        if plain.str.contains(_PLAIN).all():
            return PlainNumbers(plain, words, True)
        numbers = recognise_numbers(plain, largest)
        return numbers and PlainNumbers(numbers.texts, f"{numbers.words} and {words}", numbers.certain)
    if not len(texts) or not stripped.str.contains(rf"[,'’]|{_BLANK}|\..*\.|\d[eE]").any():
        padded = len(texts) > 0 and stripped.str.contains(_PLAIN).all() and not stripped.equals(texts)
        return PlainNumbers(stripped, "blanks around it", True) if padded else None
    fitting = [
        (decimal, thousands, bool(stripped.str.contains(_CERTAIN[decimal]).any()))
        for (decimal, thousands), form in _FORMS.items()
        if stripped.str.contains(form).all()
    ]
    certain = [form for form in fitting if form[2]] or fitting
    if not certain:
        return None
    decimal, thousands, sure = certain[0]
    if not sure and decimal == "," and largest is not None:
        plain = stripped.str.replace(",", ".", literal=True)
        sure = bool((plain.cast(pl.Float64, strict=False).abs() <= largest).all())
    words = "a decimal comma" if decimal == "," else "marks between thousands"
    return PlainNumbers(_plain(stripped, decimal, thousands), words, sure)


def recognise_degrees(texts: pl.Series) -> PlainNumbers | None:
    """Degrees with minutes and seconds, or with a direction (52°31'12" N, 13.4E); None where some cell is none."""
    parts = texts.str.strip_chars().str.to_uppercase().str.extract_groups(_DEGREES).struct.unnest()
    side = parts["first"].fill_null("") + parts["last"].fill_null("")
    degrees, minutes, seconds = (parts[name].str.replace(",", ".").cast(pl.Float64) for name in ("d", "m", "s"))
    if degrees.has_nulls() or not side.is_in([*"NESWO"]).all():
        return None
    values = degrees + minutes.fill_null(0) / 60 + seconds.fill_null(0) / 3600
    signed = values * side.is_in(["S", "W"]).replace_strict({True: -1, False: 1})
    return PlainNumbers(signed.cast(pl.String), "degrees with a direction", True)


def _with_usual_signs(texts: pl.Series) -> tuple[pl.Series, str]:
    """Digits of other scripts as those of ASCII, a minus as a hyphen in front; and in words what there was."""
    words = []
    if texts.str.contains(r"[\u0660-\uff19&&\p{Nd}]").any():
        texts = texts.str.replace_many(_DIGITS)
        words.append("digits of another script")
    before = texts
    for form, minus in _SIGNS:
        if not texts.str.contains(form).all():  # (1), (2) are labels
            texts = texts.str.replace(form, minus)
    if not texts.equals(before):
        words.append("another sign than a hyphen for minus")
    return texts, " and ".join(words)


def _unit_of(texts: pl.Series) -> str | None:
    """The sign of a currency or of percent, or the word behind a number, that stands in every cell; else None."""
    first = next((text for text in texts.head(1) if text is not None), "")
    word = _WORD.match(first)
    if word is not None:
        unit = word[1] or word[2]
        gap = r"\s*" if word[2] else r"\s+"
        return unit if texts.str.contains(rf"\d{gap}{re.escape(unit)}\s*$").all() else None
    unit = next((unit for unit in _UNITS if unit in first), None)
    return unit if unit is not None and texts.str.contains(unit, literal=True).all() else None


def rewrite_numbers(
    frame: pl.DataFrame, decimal: str | None, thousands: str | None, *, by_record: bool = False
) -> pl.DataFrame:
    """The columns that hold nothing but numbers with the declared marks, rewritten with a decimal point.

    By record, each cell that is such a number is, whatever stands in the others.
    """
    decimal = decimal or other_mark(thousands)
    point = _MARKS[decimal]
    groups = rf"\d{{1,3}}(?:{_MARKS[thousands]}\d{{3}})+|" if thousands else ""
    form = rf"^\s*[+-]?(?:{groups}\d+)(?:{point}\d+)?\s*$"
    rewritten = []
    for name in frame.columns:
        if frame[name].dtype != pl.String:
            continue
        cells = frame[name].str.replace(_UNIT, "$number")
        numbers = cells.str.contains(form).fill_null(False)
        if not numbers.any() or not (by_record or (numbers | (cells.str.strip_chars() == "")).all()):
            continue
        plain = _plain(cells.str.strip_chars(), decimal, _MARKS[thousands] if thousands else None)
        rewritten.append(frame[name].zip_with(~numbers, plain).alias(name))
    return frame.with_columns(rewritten)


def other_mark(thousands: str | None) -> str:
    """The decimal mark beside a mark of thousands."""
    return "," if thousands == "." else "."


def _plain(texts: pl.Series, decimal: str, thousands: str | None) -> pl.Series:
    ungrouped = texts.str.replace_all(thousands, "") if thousands else texts
    return ungrouped.str.replace(",", ".", literal=True) if decimal == "," else ungrouped
