"""Where golden vectors and real datasets are found. Neither is ever copied from here into a release or a log.

Golden vectors are kept in `tests/golden`; `CRYPSIS_VECTORS` names another folder to read them from. Real datasets are
not part of the project: they are read in place from `CRYPSIS_DATA` or, beside the repository, `../shared/data`.
"""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).parents[1]
GOLDEN = ROOT / "tests" / "golden"


def vectors_folder() -> Path:
    """The folder that the conformance suite reads."""
    return Path(os.environ.get("CRYPSIS_VECTORS") or GOLDEN)


def source_of_vectors() -> Path | None:
    """The specification's own folder of vectors, where the repository stands beside it."""
    folder = ROOT.parent / "shared" / "spec" / "vectors"
    return folder if folder.is_dir() else None


def data_folder() -> Path:
    """Where real datasets are looked for, whether or not it exists."""
    return Path(os.environ.get("CRYPSIS_DATA") or ROOT.parent / "shared" / "data")


def dataset(name: str) -> Path:
    """The folder of one real dataset; tests that call this are marked `real_data(name)`."""
    return data_folder() / name


def required() -> bool:
    """Under CI=true a missing dataset is a failure."""
    return os.environ.get("CI", "").lower() == "true"
