"""How an option is written where a message is read: `sort=True` in Python, `--sort` on the command line.

Messages are written in the words of Python: an option with its value (`sort=True`, `person='COLUMN'`, `original=DATA`),
or its name alone between backquotes. Wherever else they are shown, the same mentions are written as one writes them
there: in an experiment file, in a request, or by the label of the field in the browser. Text of data stands in quotes
and is never touched.
"""

from __future__ import annotations

import ast
import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

PYTHON, COMMAND_LINE, EXPERIMENT, REQUEST, BROWSER = "python", "command line", "experiment", "request", "browser"
PLACES = (PYTHON, COMMAND_LINE, EXPERIMENT, REQUEST, BROWSER)

_VALUE = r"True|False|'[^'\n]*'|\"[^\"\n]*\"|\[[^\]\n]*\]|-?\d+(?:\.\d+)?|DATA|FILE"
_MENTION = re.compile(rf"(?<![\w'\"=.-])([A-Za-z][A-Za-z_0-9]*)=({_VALUE})(?!\w)")
_PLAIN = re.compile(r"[^\s$`;&|<>'\"\\*?()]+")  # what a shell takes as it is
_MARKED = re.compile(r"`([A-Za-z][A-Za-z_0-9]*)`")
_SAME = {  # options of Python that are called otherwise where they are typed
    "missing_tokens": "missing",
    "lng": "lon",
}
_REPEATED = ("confirm",)  # options that are typed once for each value

_speaking: tuple[str, Mapping[str, str]] = (PYTHON, {})


@contextmanager
def speaking(place: str, labels: Mapping[str, str] | None = None) -> Iterator[None]:
    """Within, errors of this process are told in the words of a place; `labels` are those of fields in the browser."""
    global _speaking
    before, _speaking = _speaking, (place, labels or {})
    try:
        yield
    finally:
        _speaking = before


def reword(
    message: str, place: str | None = None, labels: Mapping[str, str] | None = None, parameter: object = None
) -> str:
    """The message in the words of a place, or of the place where this process speaks.

    The `parameter` that a message is about is also found where it only says what it must be (`k must be an int`).
    """
    spoken, known = _speaking
    place, labels = place or spoken, labels or known
    if place == PYTHON:
        return message
    write = _WRITERS[place]

    def option(found: re.Match[str]) -> str:
        name, text = found[1], found[2]
        value = _FILE if text in ("DATA", "FILE") else ast.literal_eval(text)
        if (name, value) == ("unparsable", "missing"):
            name, value = "as_missing", True
        return write(_SAME.get(name, name), value, labels)

    if isinstance(parameter, str) and parameter.isidentifier():
        message = re.sub(rf"(?<![\w'`=]){parameter}(?= must )", f"`{parameter}`", message, count=1)
    reworded = _MENTION.sub(option, message)
    return _MARKED.sub(lambda found: write(_SAME.get(found[1], found[1]), None, labels), reworded)


class _File:
    def __str__(self) -> str:
        return "FILE"


_FILE = _File()


def _on_the_command_line(name: str, value: Any, labels: Mapping[str, str]) -> str:
    option = f"-{name}" if len(name) == 1 else "--" + name.replace("_", "-")
    if value is None or value is True:
        return option
    if value is False:
        return f"--no-{option.lstrip('-')}"
    if isinstance(value, list):
        texts = [shlex.quote(str(one)) for one in value]
        return " ".join(f"{option} {text}" for text in texts) if name in _REPEATED else f"{option} {','.join(texts)}"
    shown = str(value)
    return f"{option} {shown if _PLAIN.fullmatch(shown) else shlex.quote(shown)}"


def _in_an_experiment(name: str, value: Any, labels: Mapping[str, str]) -> str:
    return name if value is None else f"{name} = {_json(value)}"


def _in_a_request(name: str, value: Any, labels: Mapping[str, str]) -> str:
    return f'"{name}"' if value is None else f'"{name}": {_json(value)}'


def _in_the_browser(name: str, value: Any, labels: Mapping[str, str]) -> str:
    label = labels.get(name) or name.replace("_", " ").capitalize()
    if value is None or isinstance(value, (bool, _File)):
        return f"“{label}”" + (" (off)" if value is False else "")
    shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return f"“{label}”" if shown.isupper() and len(shown) > 1 else f"“{label}”: {shown}"


def _json(value: Any) -> str:
    return json.dumps(str(value) if isinstance(value, _File) else value, ensure_ascii=False)


_WRITERS: dict[str, Callable[[str, Any, Mapping[str, str]], str]] = {
    COMMAND_LINE: _on_the_command_line,
    EXPERIMENT: _in_an_experiment,
    REQUEST: _in_a_request,
    BROWSER: _in_the_browser,
}
