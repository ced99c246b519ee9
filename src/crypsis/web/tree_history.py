"""What a hierarchy was before it was changed: kept in the folder of its entry, so that changes can be undone.

A former state is a recipe, a file `undo-<digest>.csv`, or neither, where a column had no hierarchy of its own.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypedDict

from crypsis.errors import ChangedElsewhere
from crypsis.web.workspace import Entry

FILE, UNDO = "hierarchy.csv", "undo"
MOST_UNDONE = 20


class FormerState(TypedDict):
    """What made a tree: a recipe, a file, or neither."""

    auto: str | None
    file: str | None


def former_states(entry: Entry | None) -> list[FormerState]:
    """The states before, the oldest first."""
    return [] if entry is None else list(entry.content.get(UNDO) or ())


def state_of(entry: Entry | None) -> FormerState:
    """The state of an entry as a later one keeps it."""
    if entry is None:
        return {"auto": None, "file": None}
    tree = entry.folder / FILE
    if not tree.is_file():
        return {"auto": entry.content.get("auto"), "file": None}
    with _still_there(entry):
        return {"auto": None, "file": f"undo-{hashlib.sha256(tree.read_bytes()).hexdigest()[:16]}.csv"}


def copy_states(entry: Entry | None, states: Sequence[FormerState], folder: Path) -> None:
    """Copy the files of these states from an entry, whose own tree is one of them, to another folder."""
    if entry is None:
        return
    with _still_there(entry):
        for name in {state["file"] for state in states if state["file"] is not None}:
            kept = entry.folder / name
            shutil.copyfile(kept if kept.is_file() else entry.folder / FILE, folder / name)


@contextmanager
def _still_there(entry: Entry) -> Iterator[None]:
    """Whoever is replaced or removed while it is read was changed elsewhere."""
    try:
        yield
    except FileNotFoundError:
        raise ChangedElsewhere(f"{entry.name!r} was changed elsewhere in the meantime; look at it again.") from None
