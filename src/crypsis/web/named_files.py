"""Files that the text of a run names. Where others are let in they may not name any file of this machine."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from crypsis.errors import NotApplicable

_OF_A_RUN = ("params", "relational", "transaction", "bound", "grid", "sweep")
_BETWEEN = re.compile(r"[=,:;\s]")


def refuse_named_files(tables: Mapping[str, Any]) -> None:
    """Raise where runs or queries name a file outside of the folder of their entry."""
    queries = tables.get("queries")
    named = [*_texts(queries.get("path"))] if isinstance(queries, Mapping) else []
    runs = tables.get("run")
    for run in runs if isinstance(runs, list) else []:
        if isinstance(run, Mapping):
            named += [text for key in _OF_A_RUN for text in _texts(run.get(key)) if _leads_out(text)]
    if named:
        raise NotApplicable("Files of this machine cannot be named while others are let in; upload the file.")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, one in value.items():
            yield str(name)
            yield from _texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)


def _leads_out(text: str) -> bool:
    """Whether some part of it is a path that begins at the root, at a home, or goes up."""
    return any(
        part.startswith(("/", "\\", "~", "$"))
        or ".." in PurePosixPath(part).parts
        or ".." in PureWindowsPath(part).parts
        for part in (text, *_BETWEEN.split(text))
    )
