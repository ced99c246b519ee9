"""KAM_CUT, KAM_REC and BF-P2kA by their definitions: slow, obvious, and independent of the package.

Sequences are tuples of comparable items; `whose` gives the individual of each sequence. Results are aligned with the
input, () meaning "not published".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

Path = tuple[int, ...]


def contains(path: Path, pattern: Path) -> bool:
    rest = iter(path)
    return all(item in rest for item in pattern)


def support(pattern: Path, paths: Sequence[Path], whose: Sequence[int]) -> int:
    """Individuals with a path that contains the pattern."""
    return len({who for path, who in zip(paths, whose, strict=True) if contains(path, pattern)})


def tree(paths: Sequence[Path]) -> Counter[Path]:
    """Every beginning and the number of paths with it."""
    return Counter(path[:length] for path in paths for length in range(1, len(path) + 1))


def kept_beginnings(paths: Sequence[Path], whose: Sequence[int], k: int) -> set[Path]:
    """Beginnings that at least k individuals have."""
    individuals: dict[Path, set[int]] = {}
    for path, who in zip(paths, whose, strict=True):
        for length in range(1, len(path) + 1):
            individuals.setdefault(path[:length], set()).add(who)
    return {beginning for beginning, people in individuals.items() if len(people) >= k}


def common_lengths(one: Path, other: Path) -> list[list[int]]:
    """Entry (i, j): length of the longest common subsequence of one[i:] and other[j:]."""
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i in range(len(one) - 1, -1, -1):
        for j in range(len(other) - 1, -1, -1):
            same = table[i + 1][j + 1] + 1 if one[i] == other[j] else 0
            table[i][j] = max(same, table[i + 1][j], table[i][j + 1])
    return table


def lcs_length(one: Path, other: Path) -> int:
    return common_lengths(one, other)[0][0]


def lcs(one: Path, other: Path) -> Path:
    """The longest common subsequence with the smallest positions of `one`."""
    table = common_lengths(one, other)
    left = table[0][0]
    chosen: list[int] = []
    position, place = 0, 0
    while left:
        item = one[position]
        if item in other[place:]:
            after = other.index(item, place) + 1
            if table[position + 1][after] == left - 1:
                chosen.append(item)
                place, left = after, left - 1
        position += 1
    return tuple(chosen)


def kam_cut(paths: Sequence[Path], whose: Sequence[int], k: int) -> list[Path]:
    kept = kept_beginnings(paths, whose, k) | {()}
    return [next(path[:length] for length in range(len(path), -1, -1) if path[:length] in kept) for path in paths]


def bf_p2ka(paths: Sequence[Path], whose: Sequence[int], k: int) -> list[Path]:
    kept = kept_beginnings(paths, whose, k)
    return [path if path in kept or not path else _closest(path, kept) for path in paths]


def _closest(path: Path, kept: set[Path]) -> Path:
    longest = max((lcs_length(path, other) for other in kept), default=0)
    if longest == 0:
        return ()
    return min((other for other in kept if lcs_length(path, other) == longest), key=lambda other: (len(other), other))


def kam_rec(paths: Sequence[Path], whose: Sequence[int], k: int, p: float, strict: bool = False) -> list[Path]:
    kept = kept_beginnings(paths, whose, k)
    leaves = {path for path in kept if not any(other[:-1] == path for other in kept)}
    cut = {path for path in paths if path and path not in kept}
    published = [_recovered(path, leaves, cut, paths, whose, k, p) if path in cut else path for path in paths]
    while strict:
        rare = {path for path in set(published) - {()} if support(path, published, whose) < k}
        if not rare:
            break
        published = [() if path in rare else path for path in published]
    return published


def _recovered(
    path: Path,
    leaves: set[Path],
    cut: set[Path],
    paths: Sequence[Path],
    whose: Sequence[int],
    k: int,
    p: float,
) -> Path:
    candidates = {path} | {lcs(path, other) for other in leaves | (cut - {path})}
    enough = {
        candidate: support(candidate, paths, whose)
        for candidate in candidates - {()}
        if 100 * len(candidate) >= p * len(path) - 1e-9
    }
    frequent = [candidate for candidate, found in enough.items() if found >= k]
    return min(frequent, key=lambda candidate: (-len(candidate), -enough[candidate], candidate), default=())
