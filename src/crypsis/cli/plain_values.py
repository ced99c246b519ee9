"""Texts, paths and whole numbers taken as they were typed.

The parser checks every value, also one that was not given, with a library that takes a tenth of a second to load and
as long again for the options of one command. It is asked only about what is not plain.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from typer import core


def take_plain_values() -> None:
    """Let the parameters of commands take plain values by themselves, where this version of the parser asks them so."""
    parameter: Any = getattr(core, "_TyperParameter", None)
    if hasattr(parameter, "get_runtime_param"):
        parameter.get_runtime_param = _who_checks


def _who_checks(parameter: Any) -> _PlainValues:
    return _PLAIN


class _PlainValues:
    """Checks the values of a parameter; the parser's own check follows where a value is not plain."""

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        several = param.multiple or param.nargs == -1
        if value is None:
            return () if several else None
        about = param.type_descriptor
        if several and isinstance(value, (list, tuple)) and about.annotation in (list[str], list[Path]):
            kind = str if about.annotation == list[str] else Path
            taken = [_plain(item, kind, about.parameter_info) for item in value]
            if None not in taken:
                return taken
        plain = None if several else _plain(value, about.annotation, about.parameter_info)
        if plain is not None:
            return plain
        from typer._coercion import build_runtime_param

        return build_runtime_param(about).coerce(value, param=param, ctx=ctx)


_PLAIN = _PlainValues()


def _plain(value: Any, kind: Any, rules: Any) -> Any:
    """The value where it is plain and nothing is asked of it, or its own function takes it; None otherwise."""
    if not isinstance(value, str):
        return None
    if rules.parser is not None:
        try:
            return rules.parser(value)
        except ValueError:  # said by the parser's own check
            return None
    if kind is str:
        return value
    if kind is int and rules.min is None and rules.max is None and value.isascii() and value.isdecimal():
        return int(value) if len(value) < 19 else None
    asks = rules.exists or rules.writable or rules.resolve_path or rules.allow_dash or rules.path_type is not None
    if kind is Path and not asks and rules.file_okay and rules.dir_okay and "\0" not in value:
        return Path(value) if os.access(value, os.R_OK) or not os.path.lexists(value) else None
    return None
