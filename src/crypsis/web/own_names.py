"""Errors about a file of the workspace, told with the name that its owner knows it by."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from crypsis.errors import CrypsisError


@contextmanager
def known_as(path: Path, name: str) -> Iterator[None]:
    """Within, an error that names the file by its path in the workspace names it as its owner does."""
    try:
        yield
    except CrypsisError as error:
        error.message = error.message.replace(str(path), name)
        error.args = (error.message,)
        error.where = error.where and error.where.replace(str(path), name)
        if error.where == name and name in error.message:
            error.where = None
        error.details = {key: _renamed(value, str(path), name) for key, value in error.details.items()}
        raise


def _renamed(value: Any, path: str, name: str) -> Any:
    return value.replace(path, name) if isinstance(value, str) else value
