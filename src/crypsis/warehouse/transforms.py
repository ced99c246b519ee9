"""Transforms of values before they are compared; one that gives nothing drops the value."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from datetime import datetime

from crypsis.errors import BadWarehouse
from crypsis.warehouse.terms import local_name

Transform = Callable[[str], str | None]

_DATES = ("%Y-%m-%d", "%d/%m/%Y", "%d.%m.%Y", "%Y/%m/%d", "%Y%m%d")


def trim(value: str) -> str:
    """Without outer spaces, inner runs of them collapsed."""
    return " ".join(value.split())


def between_quotes(value: str) -> str:
    """The text between the first two quotes, or the value itself."""
    match = re.search(r'"([^"]*)"', value)
    return match[1] if match else value


def integer(value: str) -> str | None:
    """The first run of digits."""
    match = re.search(r"\d+", value)
    return match[0] if match else None


def strip_accents(value: str) -> str:
    """Letters without their marks."""
    return "".join(sign for sign in unicodedata.normalize("NFKD", value) if not unicodedata.combining(sign))


def person_name(value: str) -> str | None:
    """A name as "first last": without accents, in lower case, letters only; "Last, First" is turned round."""
    plain = strip_accents(value).lower()
    last, comma, first = plain.partition(",")
    words = re.findall(r"[^\W\d_]+", f"{first} {last}" if comma else plain)
    return " ".join(words) or None


def iso_date(value: str) -> str | None:
    """A date as YYYY-MM-DD; day before month where both orders are possible."""
    for form in _DATES:
        try:
            return datetime.strptime(value.strip(), form).date().isoformat()
        except ValueError:
            continue
    return None


TRANSFORMS: dict[str, Transform] = {
    "lower": str.lower,
    "trim": trim,
    "between_quotes": between_quotes,
    "integer": integer,
    "local_name": local_name,
    "underscores_to_spaces": lambda value: value.replace("_", " "),
    "strip_accents": strip_accents,
    "person_name": person_name,
    "iso_date": iso_date,
}


def transform_named(name: str) -> Transform:
    """A transform; `replace:FROM:TO` and `regex:PATTERN` carry their arguments."""
    if name in TRANSFORMS:
        return TRANSFORMS[name]
    kind, _, rest = name.partition(":")
    if kind == "replace" and ":" in rest:
        old, _, new = rest.partition(":")
        return lambda value: value.replace(old, new)
    if kind == "regex" and rest:
        try:
            pattern = re.compile(rest)
        except re.error as error:
            raise BadWarehouse(f"The regular expression of {name!r} cannot be read: {error}.") from error

        def first_group(value: str) -> str | None:
            match = pattern.search(value)
            return None if match is None else match[1] if pattern.groups else match[0]

        return first_group
    raise BadWarehouse(f"There is no transform {name!r}; there are {', '.join(TRANSFORMS)}, replace and regex.")


def apply(value: str, names: Sequence[str]) -> str | None:
    """The value after all transforms in order; None as soon as one gives nothing."""
    for name in names:
        changed = transform_named(name)(value)
        if changed is None:
            return None
        value = changed
    return value
