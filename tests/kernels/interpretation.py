"""Running chosen kernels in the interpreter: a compiled kernel keeps the constants that it was compiled with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

from crypsis.kernels import nearest_merging
from crypsis.methods.trajectory import merging


def interpreted(kernel: Any) -> Any:
    """The Python function behind a kernel; the kernel itself where nothing is compiled."""
    return getattr(kernel, "py_func", kernel)


@contextmanager
def entries_per_visit(entries: int) -> Iterator[None]:
    """Move counts always in bulk (a huge number) or never (0)."""
    with ExitStack() as patches:
        patches.enter_context(patch.object(nearest_merging, "ENTRIES_PER_VISIT", entries))
        join_records = interpreted(nearest_merging.join_records)
        patches.enter_context(patch.object(nearest_merging, "join_records", join_records))
        merge = interpreted(nearest_merging.merge_until_safe)
        patches.enter_context(patch.object(merging, "merge_until_safe", merge))
        yield


@contextmanager
def constants(**values: int) -> Iterator[None]:
    """Other limits for the merging than the usual ones."""
    with ExitStack() as patches:
        for name, value in values.items():
            patches.enter_context(patch.object(merging, name, value))
        yield


# Every way in which counts are kept while symbols merge; all must come to the same result.
WAYS = {
    "as it comes": lambda: constants(),
    "hashed": lambda: constants(DENSE_ENTRIES=0),
    "in small steps": lambda: constants(MERGES_PER_STEP=1, INDIVIDUALS_PER_STEP=1),
    "always in bulk": lambda: entries_per_visit(1 << 40),
    "one by one": lambda: entries_per_visit(0),
}
