"""The parts of scanned data, which every worker can see."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from crypsis.data.scanned import Part
from crypsis.errors import NotApplicable
from crypsis.executors.executor import Executor

if TYPE_CHECKING:
    from crypsis.data.scanned import ScannedRows
    from crypsis.data.scanned_records import ScannedRecords


def parts_of(scanned: ScannedRows | ScannedRecords, executor: Executor, **options: bool) -> list[Part]:
    """Small enough for a worker; refuses what workers would not see, or would write where it may not be read. `options`
    are those of the scanned data."""
    files: list[Any] = [*scanned.stamps]
    if executor.scratch.key is not None and not all(isinstance(file, Path) for file in files):
        raise NotApplicable(
            "Parts in a store are fetched into scratch as they are, which `encrypt_scratch` does not allow; copy them "
            "to a disk first, or leave it out.",
            option="encrypt_scratch",
        )
    executor.check_input([file for file in files if isinstance(file, Path)])
    return list(scanned.parts(executor.memory, executor.scratch.folder, **options))
