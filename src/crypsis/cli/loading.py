"""Data for commands that take any kind: read by the reading options, of the kind that these or the file tell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from crypsis.cli.dataset_section import dataset_section
from crypsis.cli.reading import Reader


def loaded(path: Path, read: Reader, kind: str | None = None) -> Any:
    """The data of a file."""
    from crypsis.evaluate import Dataset

    return Dataset(dataset_section(path, read, kind), Path.cwd()).load()


def items_of(data: Any) -> Any:
    """The transactions of mixed data, or the data themselves if they are transactions."""
    from crypsis.data.transaction import Transactions
    from crypsis.errors import NotApplicable

    held = getattr(data, "transactions", data)
    if not isinstance(held, Transactions):
        raise NotApplicable(f"Sets of items are needed, and these data are {type(data).__name__}.")
    return held
