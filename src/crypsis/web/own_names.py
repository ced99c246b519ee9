"""Errors about a file of the workspace, told with the name that its owner knows it by."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from crypsis.errors import CrypsisError


@contextmanager
def rename_in_errors(path: Path, name: str) -> Iterator[None]:
    """Within, an error that names the file by where it lies names it as its owner does."""
    try:
        yield
    except CrypsisError as error:
        error.sentence = _renamed(error.sentence, path, name)
        error.args = (error.sentence,)
        error.where = error.where and _renamed(error.where, path, name)
        if error.where == name and name in error.message:
            error.where = None
        error.details = {key: _renamed(value, path, name) for key, value in error.details.items()}
        raise


def _renamed(value: Any, path: Path, name: str) -> Any:
    if not isinstance(value, str):
        return value
    either = f"{re.escape(str(path))}|{re.escape(path.name)}"  # in one pass: the new name may contain the old one
    return re.sub(either, lambda _: name, value)
