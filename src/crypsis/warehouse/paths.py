"""Paths of a configuration: relative to its file, or below the folder of shared data."""

from __future__ import annotations

import os
from pathlib import Path

from crypsis.errors import MissingFile

DATA_FOLDER = "CRYPSIS_DATA"
_SIGN = "${" + DATA_FOLDER + "}/"


def name_below(path: str) -> str:
    """The name under which a file is kept as it was fetched."""
    return path.removeprefix(_SIGN)


def find_file(folder: Path, path: str) -> Path:
    """Where a path of a configuration leads; what was fetched into the folder comes first."""
    here = folder / name_below(path)
    if here.exists() or not path.startswith(_SIGN):
        return here
    home = os.environ.get(DATA_FOLDER)
    if not home:
        raise MissingFile(
            f"{path} lies below the folder that the environment variable {DATA_FOLDER} names, and it is not set.",
            where=path,
        )
    return Path(home) / name_below(path)
