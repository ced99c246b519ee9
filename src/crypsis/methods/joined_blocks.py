"""Blocks in which a method finds no release are joined with their neighbours, until it finds one in each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

Block = TypeVar("Block")
Result = TypeVar("Result")


def try_blocks(
    blocks: Sequence[Block],
    attempt: Callable[[Sequence[Block]], list[Result | None]],
    join: Callable[[Block, Block], Block],
) -> list[tuple[Block, Result]] | None:
    """Blocks with the result of each. The first one without is joined with the next, the last with the one before.

    None where all of them had to be joined: then the method has to say why it cannot be done.
    """
    left, results = list(blocks), attempt(blocks)
    while None in results:
        if len(left) < 2:
            return None
        first = min(results.index(None), len(left) - 2)
        left[first : first + 2] = [join(left[first], left[first + 1])]
        results[first : first + 2] = attempt(left[first : first + 1]) if len(left) > 1 else [None]
    return [(block, result) for block, result in zip(left, results, strict=True) if result is not None]
