"""What an adversary with original locations can match, and whether published rows recode the original at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

Symbol = tuple[str, ...]
Path = Sequence[str]


def is_compatible(knowledge: Path, row: Sequence[Symbol]) -> bool:
    """Some choice of positions, in order, has each known location inside the symbol there."""
    return any(
        all(location in symbol for location, symbol in zip(knowledge, chosen, strict=True))
        for chosen in combinations(row, len(knowledge))
    )


def compatible_rows(knowledge: Path, published: Sequence[Sequence[Symbol]]) -> list[int]:
    """The published rows that may belong to somebody of whom this is known."""
    return [number for number, row in enumerate(published) if is_compatible(knowledge, row)]


def knowledge_of_size(original: Sequence[Path], size: int) -> set[tuple[str, ...]]:
    """Everything of this size that may be known about somebody."""
    return {known for path in original for known in combinations(path, size)}


def is_global_recoding(
    original: Sequence[Path], published: Sequence[Sequence[Symbol]], longest: int | None = None
) -> bool:
    """Cut to `longest`, every location replaced by the one symbol that holds it: the same rows, in any order."""
    symbols = {symbol for row in published for symbol in row}
    if any(set(one) & set(other) for one, other in combinations(symbols, 2)):
        return False
    image = {location: symbol for symbol in symbols for location in symbol}
    kept = [list(path)[:longest] for path in original]
    if any(location not in image for path in kept for location in path):
        return False
    recoded = Counter(tuple(image[location] for location in path) for path in kept)
    return recoded == Counter(tuple(row) for row in published)
