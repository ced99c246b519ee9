"""Texts with values in them: `{count:,} people`. Numbers are written as the language writes them."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from typing import Any

_GERMAN = str.maketrans(",.", ".,")
_NUMBER = re.compile(r"(?<![\w.,:/-])-?\d{1,3}(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?(?![\w:/-]|[.,]\d)")


def localized(number: str, language: str) -> str:
    """A number as English writes it, as the language writes it: `1,234.5` is `1.234,5` in German."""
    return number.translate(_GERMAN) if language == "de" else number


def localized_within(text: str, language: str) -> str:
    """A text that is nothing but a number, perhaps with a unit behind it, as the language writes it."""
    match = _NUMBER.match(text)
    if language != "de" or match is None or not re.fullmatch(r"(?:\s?[%a-zA-Zµ²³/]{0,6})?", text[match.end() :]):
        return text
    return localized(match.group(), language) + text[match.end() :]


class _Filler(string.Formatter):
    def __init__(self, language: str) -> None:
        self.language = language

    def format_field(self, value: Any, format_spec: str) -> str:
        written = super().format_field(value, format_spec)
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return localized(written, self.language) if is_number else str(written)


def filled(template: str, values: Mapping[str, object], language: str) -> str:
    """The template with its values; without values it is a text, whatever braces it has."""
    return _Filler(language).vformat(template, (), values) if values else template
