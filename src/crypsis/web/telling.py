"""Errors in the words of the browser: an option is called as the field is labelled."""

from __future__ import annotations

from functools import cache

from crypsis.data.sources import SOURCES
from crypsis.errors import CrypsisError
from crypsis.methods import METHODS
from crypsis.parameters import parameters_of
from crypsis.places import BROWSER, reword
from crypsis.reports.parameter_labels import label_of
from crypsis.reports.promise_words import promise_in_words, raised
from crypsis.translation import _, language, marked, translated
from crypsis.web.parameter_labels import reading_label

_OF_PAGES = {  # switches and buttons of pages that stand for an option
    "sort": marked("Put the rows in order"),
    "repeated": marked("Keep the first of such rows"),
    "unite": marked("One record of all records of a person"),
    "original": marked("Original"),
    "private_report": marked("Private report"),
    "confirm": marked("Confirm"),
    "overwrite": marked("Replace"),
}


def option_labels() -> dict[str, str]:
    """The label of every option that a page shows, in the reader's language."""
    return _labels_in(language())


@cache
def _labels_in(_language: str) -> dict[str, str]:
    of_methods = {
        parameter.name: label_of(parameter)[0] for method in METHODS.values() for parameter in parameters_of(method)
    }
    of_reading = {
        name: reading_label(option) for source in SOURCES.values() for name, option in source.options().items()
    }
    return {**of_methods, **of_reading, **{name: _(label) for name, label in _OF_PAGES.items()}}


def error_words(error: CrypsisError) -> str:
    """The error with its place."""
    words = error_sentence(error)
    return f"{words} ({translated(error.where)})" if error.where else words


def error_sentence(error: CrypsisError) -> str:
    """The error without its place."""
    if error.final:
        return error.sentence
    return reword(translated(error.sentence), BROWSER, option_labels(), error.details.get("parameter"))


def verdict_words(sentence: str) -> str:
    """What is said of a promise, with its settings in words and its exponents raised."""
    return raised(promise_in_words(translated(sentence)))


def note_words(note: str) -> str:
    """What was understood of a file, or is asked about it."""
    return reword(translated(note), BROWSER, option_labels())
