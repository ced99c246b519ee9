"""A role for every column of a table as a statistician would give it, with the reason and how sure it is.

In this order, the first that fits: values that are written like direct identifiers; a name that identifies; a name that
says what the column means; what the counts tell. What nothing is known of is a quasi-identifier, which protects it.
Every suggestion is a proposal: whoever publishes decides.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import polars as pl

from crypsis.data.column_words import Meaning, meanings_of
from crypsis.data.identifier_patterns import PATTERNS, identifying
from crypsis.data.national_ids import checked_number
from crypsis.data.person_detection import holds_ids, identifies_by_name, word_set, words_of
from crypsis.data.set_valued_cells import LIST_LITERAL
from crypsis.data.usual_columns import names_a_degree
from crypsis.translation import marked

HIGH, MEDIUM, LOW = marked("high"), marked("medium"), marked("low")

_SEPARATORS = ("|", ";", ",", " ")  # a blank may follow the others
_LOOKED_AT = 2_000  # distinct values whose form is looked at
_SEVERAL = 0.2  # share of the values that must hold more than one item
_FEWEST_SETS = 20  # different sets from which on words that recur are items
_RECURRING = 0.2  # different items per different set
_CODE_LIKE = 0.8  # share of the items that are written like codes
_RARE = 2.0  # records of a mean item below which a set is as good as a name
_CONTINUOUS = 0.9  # a number that differs in this share of the records tells everybody apart
_TELLING = 30  # records from which on it tells something that no two have the same value
_FEW = 20
_MOST_CODES = 1_000
_WEIGHTS = word_set("weight weights gewicht peso poids")
_LIGHTEST = 10  # of the weights of bodies, in kilograms, in the middle of a file
_SHORT_SCALE = 11  # answers from 0 to 10
_SENTENCE = 5  # words from which on a value is a sentence
_MOSTLY = 0.5
_NEARLY_ALL = 0.95
_PLURALS = word_set(
    """
    ids codes items tags keywords products diagnoses diagnosen categories genres symptoms drugs medications
    procedures terms labels interests hobbies skills languages places locations
    """
)
_ICD10 = r"^[A-TV-Z]\d[0-9AB](\.[0-9A-Z]{1,4})?$"
_CALENDAR = r"^(?:1[89]|20)\d{2}(?:-?W\d{2}|-?Q[1-4]|-\d{2}(?:-\d{2})?)?$"  # 2024-W05, 2024Q1, 2024-05, 2024
_POSTCODE = r"^([A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d)$"  # United Kingdom, Canada


@dataclass(frozen=True)
class SuggestedRole:
    """A role for a column, why, and how sure that is (high, medium or low).

    `separator` stands between items where the column holds sets; `type` is another type than the values suggest by
    themselves; `hierarchy` is the recipe of one that suits the values.
    """

    role: str
    reason: str
    confidence: str = LOW
    separator: str | None = None
    type: str | None = None
    hierarchy: str | None = None


@dataclass(frozen=True)
class ColumnFacts:
    """What is known of a column: its distinct values as they are written, and counts."""

    name: str
    type: str
    rows: int
    distinct: int
    unique: bool
    values: pl.Series

    @property
    def is_text(self) -> bool:
        return self.type == "category" and self.values.dtype == pl.String

    @property
    def may_identify(self) -> bool:
        return self.type in ("category", "int") and self.distinct > 2


def suggest_role(column: ColumnFacts) -> SuggestedRole:
    """The role of one column."""
    separator = item_separator(column)
    if separator is not None:
        recurring = _records_per_item(column.values, separator)
        if recurring >= _RARE:
            return SuggestedRole("quasi", "holds sets of items", MEDIUM, separator)
        why = f"holds sets of items that hardly recur ({recurring:.1f} records each), which cannot be hidden; left out"
        return SuggestedRole("identifier", why, MEDIUM, separator)
    meanings = meanings_of(column.name)
    found = _identifier(column, meanings) or _weight(column) or _by_name(column, meanings) or _by_values(column)
    if (found is None or found.role == "quasi") and column.is_text and _share(column.values, _CALENDAR) == 1:
        why = "says when something happened, which others may have seen; its first characters are the longer time"
        return SuggestedRole("quasi", why, MEDIUM, hierarchy="prefix")
    return found or SuggestedRole("quasi", "may be known to others; nothing says more")


def _identifier(column: ColumnFacts, meanings: tuple[Meaning, ...]) -> SuggestedRole | None:
    values = column.values.head(_LOOKED_AT)
    if column.type in ("category", "int") and column.distinct > 1:
        pattern = next((one for one, _ in identifying(PATTERNS, column.name, values)), None)
        words = pattern.words if pattern is not None else checked_number(values)
        if words is not None and not (pattern is not None and pattern.named is not None and not column.may_identify):
            return SuggestedRole("identifier", f"holds {words}", HIGH)
    if column.type != "float" and column.distinct > 2 and names_people(column.name, values):
        return SuggestedRole("identifier", "has a name that identifies", HIGH)
    for meaning in meanings:
        if meaning.text and (not column.is_text or _are_categories(column)):
            continue
        if meaning.role == "identifier" and column.may_identify:
            return SuggestedRole("identifier", meaning.why, HIGH)
    return None


def names_people(name: str, values: pl.Series) -> bool:
    """Whether a name identifies and the values could be ids."""
    return identifies_by_name(name) and holds_ids(values)


def _weight(column: ColumnFacts) -> SuggestedRole | None:
    """A survey weight that is called like the weight of a body, which is no small decimal number."""
    if column.type != "float" or not _WEIGHTS.issuperset(words_of(column.name)):
        return None
    middle = column.values.cast(pl.String).str.replace(",", ".").cast(pl.Float64, strict=False).median()
    if not isinstance(middle, float) or middle >= _LIGHTEST:
        return None
    return SuggestedRole("other", "is a survey weight, which scales records and is known to nobody", MEDIUM)


def _by_name(column: ColumnFacts, meanings: tuple[Meaning, ...]) -> SuggestedRole | None:
    constant = column.distinct <= 1
    moment = column.type in ("date", "timestamp")
    for meaning in meanings:
        if meaning.role == "identifier" or (moment and meaning.role == "sensitive"):
            continue  # that somebody was ill is one thing, when they came is seen by others
        if meaning.role == "quasi" and constant:
            continue
        if meaning.number and column.type not in ("int", "float"):
            continue
        if meaning.few and column.distinct > _FEW:
            continue
        coded = meaning.codes and column.type == "int" and 1 < column.distinct <= _MOST_CODES
        coded = coded and not names_a_degree(column.name)
        why = f"{meaning.why}; its numbers are codes" if coded else meaning.why
        prefix = meaning.prefix and (coded or column.is_text) and _are_codes(column.values)
        return SuggestedRole(
            meaning.role,
            why,
            HIGH,
            type="category" if coded else None,
            hierarchy="prefix" if prefix else None,
        )
    return None


def _by_values(column: ColumnFacts) -> SuggestedRole | None:
    if column.distinct <= 1:
        return SuggestedRole("other", "is the same in every record", HIGH)
    if column.type in ("date", "timestamp"):
        return SuggestedRole("quasi", "says when something happened, which others may have seen", MEDIUM)
    if column.is_text:
        if _share(column.values, _ICD10) >= _NEARLY_ALL and column.values.str.contains(".", literal=True).any():
            return SuggestedRole("sensitive", "holds codes of diagnoses (ICD-10)", MEDIUM, hierarchy="prefix")
        if _share(column.values, _POSTCODE) >= _NEARLY_ALL and column.distinct >= _FEW:
            return SuggestedRole("quasi", "holds postcodes", MEDIUM, hierarchy="prefix")
        if _is_free_text(column):
            return SuggestedRole("identifier", "is free text, in which anybody may be named", MEDIUM)
    if column.unique and column.type in ("category", "int") and column.rows >= _TELLING:
        return SuggestedRole("identifier", "differs in every record", MEDIUM)
    if column.type == "float" and column.distinct > _CONTINUOUS * column.rows > 100:
        return SuggestedRole("other", "is a measurement that hardly anybody knows", LOW)
    return None


def _share(values: pl.Series, form: str) -> float:
    looked_at = values.head(_LOOKED_AT)
    return float(looked_at.str.contains(form).mean() or 0) if len(looked_at) else 0.0  # type: ignore[arg-type]


def _are_codes(values: pl.Series) -> bool:
    return _share(values.cast(pl.String), r"^[0-9A-Za-z][0-9A-Za-z. -]{1,9}$") >= _NEARLY_ALL


def _is_free_text(column: ColumnFacts) -> bool:
    """Most values are sentences, and most stand there once."""
    words = column.values.head(_LOOKED_AT).str.count_matches(r"\S+\s+").fill_null(0) + 1
    return float((words >= _SENTENCE).mean() or 0) >= _MOSTLY and column.distinct > _MOSTLY * column.rows  # type: ignore[arg-type]


def _are_categories(column: ColumnFacts) -> bool:
    """Whether a few short values stand for all records, as grades do and sentences do not."""
    few = column.rows >= _TELLING and column.distinct <= min(_FEW, _SEVERAL * column.rows)
    return few and bool((column.values.str.count_matches(r"\S+").fill_null(0) < _SENTENCE).all())


def item_separator(column: ColumnFacts) -> str | None:
    """Separator of the items of a set-valued column; None where cells hold single values.

    Items are told from words of a sentence or a name: they are written like codes, the name of the column is a plural,
    or few different ones recur in many sets.
    """
    if not column.is_text or (column.unique and column.rows < _TELLING) or not len(column.values):
        return None
    cells = column.values.head(10 * _LOOKED_AT).drop_nulls()
    if len(cells) and cells.str.strip_chars().str.contains(LIST_LITERAL).all():
        return ","
    plural = not _PLURALS.isdisjoint(words_of(column.name))
    for separator in _SEPARATORS:
        several = cells.filter(cells.str.contains(separator, literal=True))
        if len(several) < _SEVERAL * len(cells) or len(several) < 2:
            continue
        parts = cells.str.split(separator)
        lengths = parts.list.len()
        if (lengths.n_unique() <= 2 and not plural) or not _mostly_without_repeats(parts):
            continue
        items = parts.explode(empty_as_null=False).str.strip_chars()
        recurring = items.n_unique() < len(cells) and (
            separator != " " or plural or (len(cells) >= _FEWEST_SETS and items.n_unique() < _RECURRING * len(cells))
        )
        if recurring or (len(cells) >= _FEWEST_SETS and (plural or separator == " ") and _written_as_codes(items)):
            return separator
    return None


def _records_per_item(cells: pl.Series, separator: str) -> float:
    items = cells.drop_nulls().str.split(separator).explode(empty_as_null=False)
    return len(items) / max(items.n_unique(), 1)


def _mostly_without_repeats(parts: pl.Series) -> bool:
    return float((parts.list.n_unique() == parts.list.len()).mean() or 0) >= _NEARLY_ALL  # type: ignore[arg-type]


def _written_as_codes(items: pl.Series) -> bool:
    distinct = items.unique().head(_LOOKED_AT)
    if not len(distinct):
        return False
    coded = distinct.str.contains(r"\d|^[A-Z._-]+$") | _of_one_length(distinct)
    return float(coded.mean() or 0) >= _CODE_LIKE  # type: ignore[arg-type]


def _of_one_length(texts: pl.Series) -> bool:
    lengths = texts.str.len_chars()
    return len(texts) >= _FEW and lengths.n_unique() == 1 and int(lengths[0]) > 1


def repeated_columns(frame: pl.DataFrame) -> list[list[str]]:
    """Columns that are one set in several columns: a stem with running numbers, such as dx01 to dx15.

    Answers to numbered questions are none: each column has its own values, or all have an answer from one short scale.
    """
    return [names for names in _numbered(frame.columns) if _may_be_set(frame.select(names))]


def _numbered(names: list[str]) -> list[list[str]]:
    """Columns whose names are a stem with running numbers."""
    stems: dict[str, list[tuple[int, str]]] = {}
    for name in names:
        match = re.fullmatch(r"(.*?[^\d])(\d{1,3})", name.strip())
        if match and match[1] != "column_":  # so are columns called that have no name
            stems.setdefault(match[1].lower(), []).append((int(match[2]), name))
    columns = []
    for members in stems.values():
        numbers = sorted(number for number, _ in members)
        if len(numbers) >= 3 and numbers == list(range(numbers[0], numbers[0] + len(numbers))) and numbers[0] <= 1:
            columns.append([name for _, name in sorted(members)])
    return columns


def _may_be_set(frame: pl.DataFrame) -> bool:
    """Whether columns may be one set: not decimal numbers, and not where each holds an answer to its own question.

    Answers are there in every column, and come from a short scale or differ between columns.
    """
    if any(dtype.is_float() or dtype.is_nested() for dtype in frame.dtypes):
        return False
    texts = frame.select(pl.all().cast(pl.String).str.strip_chars())
    if texts.select(pl.any_horizontal(pl.all().is_null() | (pl.all() == "")).any()).item():
        return True
    items = pl.concat([texts[name].unique().alias("item") for name in texts.columns]).value_counts(name="columns")
    shared = int(items.filter(pl.col("columns") > 1)["columns"].sum())
    return items.height > _SHORT_SCALE and shared >= _MOSTLY * int(items["columns"].sum())
