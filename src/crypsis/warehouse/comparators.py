"""How alike two texts are."""

from __future__ import annotations


def levenshtein(a: str, b: str) -> int:
    """The least number of letters to insert, delete or replace."""
    if len(a) < len(b):
        a, b = b, a
    row = list(range(len(b) + 1))
    for i, sign in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, other in enumerate(b, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (sign != other))
    return row[-1]


def jaro(a: str, b: str) -> float:
    """Share of letters that agree nearby, less half of those in another order."""
    if a == b:
        return 1.0
    if not a or not b:
        return 0.0
    reach = max(len(a), len(b)) // 2 - 1
    taken = [False] * len(b)
    matched = []
    for i, sign in enumerate(a):
        for j in range(max(0, i - reach), min(len(b), i + reach + 1)):
            if not taken[j] and b[j] == sign:
                taken[j] = True
                matched.append(sign)
                break
    if not matched:
        return 0.0
    in_b = [sign for sign, hit in zip(b, taken, strict=True) if hit]
    moved = sum(sign != other for sign, other in zip(matched, in_b, strict=True)) / 2
    share = len(matched)
    return (share / len(a) + share / len(b) + (share - moved) / share) / 3


def jaro_winkler(a: str, b: str) -> float:
    """Jaro's similarity, raised for a common beginning of up to four letters."""
    similarity = jaro(a, b)
    common = 0
    for sign, other in zip(a[:4], b[:4], strict=False):
        if sign != other:
            break
        common += 1
    return similarity + common * 0.1 * (1 - similarity)


def token_jaccard(a: str, b: str) -> float:
    """Share of words that both have among all words."""
    left, right = set(a.split()), set(b.split())
    return len(left & right) / len(left | right) if left or right else 1.0
