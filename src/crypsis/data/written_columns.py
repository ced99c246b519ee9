"""Columns of text as values: type, missing markers, decimal marks and forms of dates, understood from all their values.

Only the distinct values are looked at. A type, a marker or a mark that is declared counts; what is guessed is told. A
known marker such as NA means a missing value where all others are numbers or dates; among other texts it may be a value
(the code of Namibia) and stays. Codes such as -8 or 9999 are asked about, never decided.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import polars as pl

from crypsis.data.column_words import meanings_of
from crypsis.data.formats.columns import parse_timestamps
from crypsis.data.formats.timestamps import Moments, looks_like_dates, recognise
from crypsis.data.formats.written_numbers import recognise_numbers
from crypsis.data.missing import MARKERS, MAY_BE_ANSWERS
from crypsis.data.plain_texts import digits_of, iso_dates
from crypsis.data.projection import LARGEST_DEGREES
from crypsis.data.usual_columns import names_a_degree
from crypsis.data.values import ColumnType, converted, has_long_numbers, inferred_type
from crypsis.errors import BadTimestamps

_CODES = frozenset({-1, -2, -3, -4, -5, -6, -7, -8, -9, -66, -77, -88, -97, -98, -99, -997, -998, -999, -9999})
_HIGH_CODES = (99, 999, 9999, 99999, 999999)
_NO_WORDS = frozenset({*MARKERS, "nan", "inf", "infinity"})  # which stand among numbers and dates, too
_MAY_BE_MORE = re.compile(  # the beginning of a date, which has a year, or of an amount
    r"(?=.*\d{4})[A-Za-z]{3,9}\.?,? (?:\d|[A-Za-z]{3,9}\.? \d)|(?:EUR|USD|GBP|CHF|JPY|INR) "
)
_ASKED_AMONG_TEXTS = MARKERS - MAY_BE_ANSWERS
_LONGEST_MARKER = max(map(len, MARKERS)) + 2
_MOST_CODES = 5
_MOST_ODD = 3  # texts among numbers
_FEWEST_NUMBERS = 20
_SHORT_SCALE = 10
_FEWEST_LONG = 10.0**16
_MAY_BE_THOUSANDS = r"^\s*[+-]?(?:[1-9]\d{0,2}\.\d{3}|\d{1,3})\s*$"
_FIRST_DAY, _LAST_DAY = 18800101, 21001231
_FIRST_COUNTED, _LAST_COUNTED = 10_000, 60_000  # in 1927 and 2064
_SHORT_YEAR = r"^\s*\d{1,2}([./-])(?:\d{1,2}|[A-Za-z]{3})[./-]\d{2}\s*$"
_ISO = r"^\d{4}-\d{2}-\d{2}(?:$|[T ])"
_SAMPLE = 1000  # what does not hold for the first values does not hold for all


@dataclass(frozen=True)
class WrittenColumn:
    """What the distinct texts of a column are: null where they mean none, with what was guessed or is to be asked."""

    values: pl.Series
    absent: pl.Series
    type: ColumnType
    notes: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()


def plain_numbers(cells: pl.Series, type: ColumnType | None) -> pl.Series | None:
    """A column whose every cell is a number as Python writes it; None where some cell is none, or 007."""
    if cells.dtype == pl.Int64:  # read as such, because all are written plainly
        return cells if type != "float" else cells.cast(pl.Float64)
    if not len(cells) or cells.has_nulls() or _begins_as_word(cells[0]):
        return None
    if cells[0] != cells[0].strip():
        cells = cells.str.strip_chars()
    first = _are_numbers(cells.head(_SAMPLE), type)
    if first is None:
        return None
    return _are_numbers(cells, type, decimal=type is None and first.dtype == pl.Float64)


def plain_dates(cells: pl.Series, type: ColumnType | None, missing: Sequence[str]) -> pl.Series | None:
    """A column whose every cell is a date as ISO 8601 writes it, and none means a missing value; None for any other."""
    if type not in (None, "date") or any("-" in token.strip("-") for token in tokens_of(cells.name, missing)):
        return None
    return iso_dates(cells)


def _begins_as_word(text: str) -> bool:
    """Whether a text is no number: the letters of those that are, such as inf and nan, are left out."""
    return text[:1].isalpha() and text[:1] not in "iInN"


def _are_numbers(cells: pl.Series, type: ColumnType | None, *, decimal: bool = False) -> pl.Series | None:
    """`decimal`: some of them are known not to be whole numbers, or not to be written as such."""
    whole = None if decimal else cells.cast(pl.Int64, strict=False)
    if whole is not None and (whole.has_nulls() or not len(whole)):
        whole = None
    if whole is not None and int(cells.str.len_bytes().sum()) == digits_of(whole):
        return whole if type != "float" else whole.cast(pl.Float64)
    odd = cells.filter(cells < "1")  # which is so for every one with a sign in front
    odd = odd.filter(odd.str.starts_with("0") | odd.str.starts_with("-0") | odd.str.starts_with("+"))
    if whole is not None and not (odd != "0").any():
        return whole if type != "float" else whole.cast(pl.Float64)
    if type == "int" or odd.str.contains(r"^[+-]?0\d").any():
        return None
    numbers = converted(cells, "float")
    if numbers.has_nulls() or not numbers.is_finite().all():
        return None
    return (
        None
        if type is None and cast(float, numbers.abs().max()) >= _FEWEST_LONG and has_long_numbers(cells)
        else numbers
    )


def numeric_type(values: pl.Series) -> ColumnType:
    """Name the type of numbers: `int` for 64-bit integers, else `float`."""
    return "int" if values.dtype == pl.Int64 else "float"


def missing_concerns(name: str, missing: Sequence[str]) -> bool:
    """Whether some marker of this column could be a number."""
    return any(token.strip()[:1] in "+-.0123456789" for token in tokens_of(name, missing) if token.strip())


def tokens_of(name: str, missing: Sequence[str]) -> list[str]:
    """The markers that concern a column: those of every column, and `income=-8|-9` for the column income."""
    found: list[str] = []
    for token in missing:
        column, equals, texts = token.partition("=")
        if equals and column and texts:
            found += texts.split("|") if column == name else []
        else:
            found.append(token)
    return found


def understand_texts(
    distinct: pl.Series, name: str, type: ColumnType | None, missing: Sequence[str], *, guess: bool = True
) -> WrittenColumn:
    """The values of distinct texts. Without `guess` only what is declared counts, each value by itself."""
    column = _understand(distinct, name, type, missing, guess=guess)
    if not guess or type is not None or column.type != "category" or column.questions:
        return column
    return replace(column, questions=_markers_asked(column.values, name))


def _understand(
    distinct: pl.Series, name: str, type: ColumnType | None, missing: Sequence[str], *, guess: bool
) -> WrittenColumn:
    if type is None and len(distinct) <= _SAMPLE:
        words = _words(distinct, tokens_of(name, missing))
        if words is not None:
            return replace(words, questions=_among_numbers(words.values.drop_nulls())) if guess else words
    stripped = distinct.str.strip_chars()
    absent = (distinct.is_null() | (stripped == "")).fill_null(True)
    tokens = tokens_of(name, missing)
    if tokens:
        absent |= stripped.is_in(tokens).fill_null(False)
    known = distinct.set(absent, None) if absent.any() else distinct
    if type is None and not known.str.contains(r"\d").any():  # numbers and dates have digits
        return WrittenColumn(converted(known, "category"), absent, "category", (), ())
    chosen = type or inferred_type(known)
    values = converted(known, chosen)
    if guess and type != "category" and (chosen == "category" or values.null_count() > absent.sum()):
        guessed = _guess(known, absent, name, type)
        if guessed is not None:
            return guessed
    questions = (*questions_on(values, name), *points_asked(values, known)) if guess and type is None else ()
    return WrittenColumn(values, absent, chosen, (), questions)


def _words(distinct: pl.Series, tokens: Sequence[str]) -> WrittenColumn | None:
    """A few texts, one of which is a word, so that they are neither numbers nor dates; None where that takes a look."""
    texts = [text.strip(" ") if text is not None else "" for text in distinct.to_list()]
    if not all(text.isascii() and text.isprintable() for text in texts):
        return None
    absent = [not text or text in tokens for text in texts]
    if not any(
        text[0].isalpha() and text.lower() not in _NO_WORDS and not _MAY_BE_MORE.match(text)
        for text, gone in zip(texts, absent, strict=True)
        if not gone
    ):
        return None
    gone = pl.Series(distinct.name, absent, dtype=pl.Boolean)
    return WrittenColumn(distinct.set(gone, None) if any(absent) else distinct, gone, "category")


def _guess(known: pl.Series, absent: pl.Series, name: str, type: ColumnType | None) -> WrittenColumn | None:
    lower = known.str.strip_chars().str.to_lowercase()
    marks = lower.is_in(list(MARKERS)).fill_null(False)
    rest = known.set(marks, None)
    said = rest.drop_nulls()
    if not len(said):
        return None
    notes: list[str] = []
    questions: list[str] = []
    texts = rest
    sample = said.head(_SAMPLE)
    largest = LARGEST_DEGREES if names_a_degree(name) else None
    if inferred_type(sample) == "category" and recognise_numbers(sample) is None and not _may_be_dates(sample):
        odd = (*_among_numbers(said), *_short_years_asked(said)) if type is None else ()
        return WrittenColumn(known, absent, "category", (), odd) if odd else None
    chosen = _fitting(inferred_type(said), type)
    if chosen is None:
        numbers = recognise_numbers(said, largest)
        if numbers is not None and numbers.certain:
            chosen = _fitting(inferred_type(numbers.texts), type)
            texts = recognised_in(rest, numbers.texts)
            notes.append(f"'{name}' is written with {numbers.words}")
        elif numbers is not None:
            questions.append(
                f"'{name}' holds texts like {said[0]!r}: say with `decimal` and `thousands` which marks they are"
            )
    values = None
    if chosen is None:
        try:
            moments = _dates_of(said.str.strip_chars(), name)
        except BadTimestamps as error:
            moments = None
            questions.append(error.sentence)
        if moments is not None:
            days = moments.values.cast(pl.Date)
            whole = bool((days.cast(pl.Datetime("us")) == moments.values).all())
            chosen = _fitting("date" if whole else "timestamp", type)
            notes.append(f"'{name}' holds dates written as {moments.words}")
            if chosen is not None:
                values = recognised_in(rest, days if chosen == "date" else moments.values)
    if chosen is None:
        return WrittenColumn(known, absent, "category", (), tuple(questions)) if questions and type is None else None
    if marks.any():
        shown = ", ".join(sorted(known.filter(marks).str.strip_chars().unique().to_list()))
        notes.append(f"{shown} in '{name}' means a missing value")
    values = converted(texts, chosen) if values is None else values
    return WrittenColumn(
        values, absent | marks, chosen, tuple(notes), questions_on(values, name) if type is None else ()
    )


def _markers_asked(values: pl.Series, name: str) -> tuple[str, ...]:
    """Whether texts such as NA or #NV are no answers: among texts they may be some, as NA is of countries."""
    short = values.filter(values.str.len_chars() <= _LONGEST_MARKER)
    marks = short.filter(short.str.strip_chars().str.to_lowercase().is_in(list(_ASKED_AMONG_TEXTS)).fill_null(False))
    found = sorted(marks.str.strip_chars().unique().to_list())
    if not found or len(found) == values.n_unique() - values.has_nulls():
        return ()
    markers = [f"{name}={'|'.join(found)}"]
    return (f"{', '.join(found)} in '{name}' may mean a missing value; if so, say missing_tokens={markers!r}",)


def _may_be_dates(texts: pl.Series) -> bool:
    """Whether all texts look like dates, some perhaps as ISO 8601 and others not."""
    rest = texts.filter(~texts.str.contains(_ISO))
    return looks_like_dates(rest if len(rest) else texts)


def _dates_of(texts: pl.Series, name: str) -> Moments | None:
    """Dates of one form, or some as ISO 8601 and all others of one form; None where some text is no date."""
    iso = texts.str.contains(_ISO)
    if iso.all() or not iso.any():
        return recognise(texts, name, None)
    parsed = parse_timestamps(texts)
    rest = parsed.is_null()
    others = recognise(texts.filter(rest), name, None) if rest.any() else None
    if others is None:
        return None
    rows = pl.int_range(len(texts), eager=True).filter(rest)
    return Moments(parsed.scatter(rows, others.values), f"{others.words}, and some as ISO 8601")


def _among_numbers(texts: pl.Series) -> tuple[str, ...]:
    """What is asked of a column in which a few texts stand among many numbers, such as a line of totals."""
    others = texts.filter(texts.str.strip_chars().cast(pl.Float64, strict=False).is_null())
    kind = "numbers"
    if len(others) > _MOST_ODD:
        others = texts.filter(~texts.str.contains(r"\d"))
        kind = _numbers_or_dates(texts, others)
    if not kind or not 0 < len(others) <= _MOST_ODD or len(texts) < _FEWEST_NUMBERS:
        return ()  # none: codes that are written like numbers
    shown = ", ".join(map(repr, sorted(others.to_list())))
    markers = [f"{texts.name}={'|'.join(sorted(others.to_list()))}"]
    dropped = "drop_rows(column=" + texts.name + ", values=" + ",".join(sorted(others.to_list())) + ")"
    if kind == "dates":
        return (
            f"'{texts.name}' is read as text, because its dates include {shown}; if a missing value is meant, say "
            f"missing_tokens={markers!r}; if that row is no record (a total, names again), say step={dropped!r}",
        )
    return (
        f"'{texts.name}' is read as text, because its numbers include {shown}; if a missing value is meant, say "
        f"missing_tokens={markers!r}; if that row is no record (a total, units, names again), say step={dropped!r}",
    )


def _numbers_or_dates(texts: pl.Series, others: pl.Series) -> str:
    """What all texts but these hold; where that is neither, these are none of a few."""
    said = texts.filter(texts.str.contains(r"\d")).head(_SAMPLE)
    if not 0 < len(others) <= _MOST_ODD or len(said) < _FEWEST_NUMBERS:
        return "numbers"
    if recognise_numbers(said) is not None:
        return "numbers"
    return "dates" if inferred_type(said) in ("date", "timestamp") or looks_like_dates(said) else ""


def recognised_in(rest: pl.Series, said: pl.Series) -> pl.Series:
    """The rewritten values where there were any, null elsewhere."""
    rows = pl.int_range(len(rest), eager=True).filter(rest.is_not_null())
    return pl.Series([None] * len(rest), dtype=said.dtype).scatter(rows, said).alias(rest.name)


def _fitting(found: ColumnType, type: ColumnType | None) -> ColumnType | None:
    """The type to use: what was found unless that is text, or the declared one where it covers what was found."""
    if found == "category":
        return None
    if type is None:
        return found
    wider = {"int": ("int",), "float": ("int", "float"), "date": ("date",), "timestamp": ("date", "timestamp")}
    return type if found in wider.get(type, ()) else None


def questions_on(values: pl.Series, name: str) -> tuple[str, ...]:
    """What is asked of numbers: whether they are codes for a missing answer, or dates."""
    return (*_codes_asked(values, name), *_dates_asked(values, name), *_days_asked(values, name))


def _dates_asked(values: pl.Series, name: str) -> tuple[str, ...]:
    """Numbers such as 19790214, every one of which is a day."""
    if values.dtype != pl.Int64 or not len(values):
        return ()
    if not _FIRST_DAY <= cast(int, values.min() or 0) <= cast(int, values.max() or 0) <= _LAST_DAY:  # nearly always
        return ()
    days = values.drop_nulls().unique().cast(pl.String)
    if len(days) < 2 or days.str.to_date("%Y%m%d", strict=False).has_nulls():
        return ()
    return (f"'{name}' holds numbers like {days[0]}: if they are dates, say time_format='{name}=%Y%m%d'",)


def _days_asked(values: pl.Series, name: str) -> tuple[str, ...]:
    """Numbers such as 43526 in a column that is called a date: days as spreadsheets count them."""
    if not values.dtype.is_numeric() or not len(values):
        return ()
    if not _FIRST_COUNTED <= cast(float, values.min() or 0) <= cast(float, values.max() or 0) <= _LAST_COUNTED:
        return ()  # nearly always, so that words need not be looked up
    if not _calls_itself_a_date(name):
        return ()
    day = f"{values.drop_nulls()[0]:g}"
    return (f"'{name}' holds numbers like {day}: if a spreadsheet counts days so, say time_format='{name}=excel'",)


def _calls_itself_a_date(name: str) -> bool:
    return any(meaning.name in ("moment", "birth") for meaning in meanings_of(name))


def _short_years_asked(texts: pl.Series) -> tuple[str, ...]:
    """Dates such as 14.02.79, which tell no century: polars takes 69 for 2069."""
    if not texts.str.contains(_SHORT_YEAR).all():
        return ()
    mark = texts[0].lstrip("0123456789")[0]
    formats = (
        mark.join(parts) for parts in (("%d", "%m", "%y"), ("%m", "%d", "%y"), ("%y", "%m", "%d"), ("%d", "%b", "%y"))
    )
    fitting = [form for form in formats if not texts.str.to_date(form, strict=False).has_nulls()]
    if not fitting:
        return ()
    say = " or ".join(f"time_format='{texts.name}={form}'" for form in fitting)
    return (
        f"'{texts.name}' holds texts like {texts[0]!r}: if they are dates, say {say}; years from 70 on are then of the "
        "last century and those below of this one, so write dates of birth with four digits",
    )


def _codes_asked(values: pl.Series, name: str) -> tuple[str, ...]:
    """Numbers that may be codes for a missing answer."""
    if not values.dtype.is_numeric() or not len(values):
        return ()
    if not (cast(float, values.min() or 0) < 0 or values.max() in _HIGH_CODES):  # nearly always
        return ()
    highest = cast(float, values.max())
    high = [highest, highest - 1, highest - 2] if highest in _HIGH_CODES and highest > _SHORT_SCALE**2 else [highest]
    near = highest in _HIGH_CODES and ((values < high[-1]) & (values >= highest / 2)).any()
    if near and cast(float, values.min()) >= 0:  # the highest of many numbers
        return ()
    values = values.drop_nulls().unique()
    below = values.filter(values < 0)
    asked: list[str] = []
    if 0 < len(below) <= _MOST_CODES and _all_codes(below) and _apart(below, values.filter(values >= 0)):
        asked = [f"{value:g}" for value in sorted(below.to_list(), reverse=True)]
    scale = values.filter((values >= 0) & (values < highest))  # 0, 1 and 99
    short = len(scale) > 1 and cast(float, scale.max()) <= _SHORT_SCALE
    if highest in _HIGH_CODES and not near and (short or len(values) > _MOST_CODES):
        asked += [f"{value:.0f}" for value in high if value in values]
    if not asked:
        return ()
    markers = [f"{name}={'|'.join(asked)}"]
    return (f"{', '.join(asked)} in '{name}' may be codes for a missing value; if so, say missing_tokens={markers!r}",)


def points_asked(values: pl.Series, texts: pl.Series) -> tuple[str, ...]:
    """Numbers such as 17.915 and no others: whether their point marks thousands is for people to say."""
    if names_a_degree(texts.name) or values.dtype != pl.Float64:
        return ()
    if not 1 <= cast(float, values.abs().min() or 0) <= cast(float, values.max()) < 1000:
        return ()
    for said in (texts.head(_SAMPLE).drop_nulls(), texts.drop_nulls()):
        if not said.str.contains(_MAY_BE_THOUSANDS).all():
            return ()
    with_point = texts.filter(texts.str.contains(".", literal=True))
    if with_point.is_empty():
        return ()
    example = with_point[0]
    return (f"'{texts.name}' holds numbers like {example}: if the point marks thousands, say thousands='.'",)


def _apart(codes: pl.Series, others: pl.Series) -> bool:
    """Whether the others are a scale of their own: -1, 0, 1 is one scale, -9, -8, 1, 2, 3 are codes beside one."""
    if len(others) >= _MOST_CODES:
        return True
    return len(others) > 1 and cast(float, others.min()) - cast(float, codes.max()) > 1


def _all_codes(values: pl.Series) -> bool:
    return all(float(value).is_integer() and int(value) in _CODES for value in values.to_list())
