"""Exact samplers on integers. Words are 32 random bits; a rational is a pair of 64-bit integers.

Every function reads `words` from `cursor[0]` on. When they run out it sets `cursor[1]` and returns something worthless;
whoever asked for the draw then puts the cursor back to where the draw began and tries again with more words. Nothing
here rounds: an event of probability exp(-a/b) has exactly that probability.

Canonne, Kamath, Steinke. The discrete Gaussian for differential privacy. NeurIPS 2020: algorithms 1 and 2.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crypsis.arrays import Int64s
from crypsis.compilation import njit

Words = NDArray[np.uint32]

LAYERS = 24  # of points by how little they weigh
LARGEST = 1 << 62  # products stay below it; `cursor[2]` says when one would not
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_ONE = np.uint64(1)


@njit
def word(words: Words, cursor: Int64s) -> np.uint64:
    """The next 32 random bits."""
    index = cursor[0]
    if index >= len(words):
        cursor[1] = 1
        return np.uint64(0)
    cursor[0] = index + 1
    return np.uint64(words[index])


@njit
def below(words: Words, cursor: Int64s, n: int) -> int:
    """A whole number from 0 to n - 1, all equally likely."""
    if n <= 4294967296:
        wide = np.uint64(n)
        product = word(words, cursor) * wide
        if (product & _LOW) < wide:
            smallest = ((_LOW - wide) + _ONE) % wide
            while (product & _LOW) < smallest and cursor[1] == 0:
                product = word(words, cursor) * wide
        return np.int64(product >> _HALF)  # type: ignore[return-value]
    wide = np.uint64(n)
    largest = _ALL - (_ALL % wide + _ONE) % wide  # the last number of the last whole round of n
    while True:
        value = (word(words, cursor) << _HALF) | word(words, cursor)
        if value <= largest or cursor[1] != 0:
            return np.int64(value % wide)  # type: ignore[return-value]


@njit
def _exp_of_part(words: Words, cursor: Int64s, a: int, b: int) -> bool:
    """True with probability exp(-a / b), for 0 <= a <= b."""
    k = 1
    while cursor[1] == 0:
        if a < b and below(words, cursor, b) >= a:
            break
        if k > 1 and below(words, cursor, k) != 0:
            break
        k += 1
    return k % 2 == 1


@njit
def exp_bernoulli(words: Words, cursor: Int64s, a: int, b: int) -> bool:
    """True with probability exp(-a / b), for a >= 0 and b >= 1."""
    while a > b:
        if not _exp_of_part(words, cursor, 1, 1) or cursor[1] != 0:
            return False
        a -= b
    return _exp_of_part(words, cursor, a, b)


@njit
def geometric(words: Words, cursor: Int64s, s: int, t: int) -> int:
    """z with probability (1 - c) c^z for z = 0, 1, 2, ..., where c = exp(-s / t)."""
    part = below(words, cursor, t)
    while not _exp_of_part(words, cursor, part, t) and cursor[1] == 0:
        part = below(words, cursor, t)
    whole = 0
    while cursor[1] == 0 and _exp_of_part(words, cursor, 1, 1):
        whole += 1
        if whole > (LARGEST - part) // t:
            cursor[2] = 1
            return 0
    return (part + whole * t) // s


@njit
def discrete_laplace(words: Words, cursor: Int64s, s: int, t: int) -> int:
    """x with probability (1 - c) / (1 + c) c^|x| for all whole x, where c = exp(-s / t)."""
    while True:
        size = geometric(words, cursor, s, t)
        negative = below(words, cursor, 2) == 1
        if cursor[1] != 0 or cursor[2] != 0:
            return 0
        if not (negative and size == 0):
            return -size if negative else size


@njit
def _ran_out(cursor: Int64s, begin: int) -> bool:
    """Whether the words did not suffice for the draw that began at `begin`; then the cursor is back there."""
    if cursor[1] == 0:
        return False
    cursor[0] = begin
    cursor[1] = 0
    return True


@njit
def fill_noise(words: Words, cursor: Int64s, s: int, t: int, two_sided: bool, drawn: Int64s, start: int) -> int:
    """Draw discrete Laplace noise, or its one-sided part, into `drawn[start:]`; returns where it stopped.

    It stops where the words run out, or with `cursor[2]` where a number becomes too large.
    """
    for index in range(start, len(drawn)):
        begin = cursor[0]
        drawn[index] = discrete_laplace(words, cursor, s, t) if two_sided else geometric(words, cursor, s, t)
        if _ran_out(cursor, begin):
            return index
        if cursor[2] != 0:
            cursor[0] = begin
            return index
    return len(drawn)


@njit
def fill_below(words: Words, cursor: Int64s, n: int, drawn: Int64s, start: int) -> int:
    """Draw numbers below n into `drawn[start:]`; returns where it stopped because the words ran out."""
    for index in range(start, len(drawn)):
        begin = cursor[0]
        drawn[index] = below(words, cursor, n)
        if _ran_out(cursor, begin):
            return index
    return len(drawn)


@njit
def permute_and_flip(words: Words, cursor: Int64s, gaps: Int64s, b: int, order: Int64s) -> int:
    """Visit the candidates in random order and take the first that is accepted, which i is with exp(-gaps[i] / b).

    `gaps` are distances from the best score, which is accepted at once; `order` is scratch of the same length. Returns
    -1 when the words ran out.
    """
    n = len(gaps)
    for index in range(n):
        order[index] = index
    for index in range(n):
        other = index + below(words, cursor, n - index)
        chosen = order[other]
        order[other] = order[index]
        if exp_bernoulli(words, cursor, gaps[chosen], b) and cursor[1] == 0:
            return chosen  # type: ignore[no-any-return]
        if cursor[1] != 0:
            return -1
    return -1


@njit
def exponential_choice(words: Words, cursor: Int64s, gaps: Int64s, b: int) -> int:
    """Candidate i with probability proportional to exp(-gaps[i] / b), by rejection; -1 when the words ran out."""
    n = len(gaps)
    while True:
        chosen = below(words, cursor, n)
        accepted = exp_bernoulli(words, cursor, gaps[chosen], b)
        if cursor[1] != 0:
            return -1
        if accepted:
            return chosen


@njit
def exp_gap(words: Words, cursor: Int64s, gap: int, s: int, b: int) -> bool:
    """True with probability exp(-gap * s / b), for gap >= 0 of any size and s * b well below `LARGEST`."""
    for _ in range(gap // b * s):
        if not _exp_of_part(words, cursor, 1, 1) or cursor[1] != 0:
            return False
    return exp_bernoulli(words, cursor, gap % b * s, b)


@njit
def fill_selections(
    words: Words, cursor: Int64s, scores: Int64s, offsets: Int64s, s: int, b: int, drawn: Int64s, start: int
) -> int:
    """Permute-and-flip in each list `scores[offsets[i]:offsets[i + 1]]`; returns where the words ran out.

    A candidate whose score is `gap` below the best of its list is accepted with probability exp(-gap * s / b).
    """
    longest = 0
    for index in range(start, len(drawn)):
        longest = max(longest, offsets[index + 1] - offsets[index])
    order = np.empty(longest, np.int64)
    for index in range(start, len(drawn)):
        begin = cursor[0]
        first, n = offsets[index], offsets[index + 1] - offsets[index]
        best = scores[first]
        for candidate in range(n):
            order[candidate] = candidate
            best = max(best, scores[first + candidate])
        for at in range(n):
            other = at + below(words, cursor, n - at)
            chosen = order[other]
            order[other] = order[at]
            if exp_gap(words, cursor, best - scores[first + chosen], s, b) or cursor[1] != 0:
                drawn[index] = chosen
                break
        if _ran_out(cursor, begin):
            return index
    return len(drawn)


@njit
def _two_over_e(words: Words, cursor: Int64s) -> bool:
    """True with probability 2 / e = 1 - 2/3! + 2/4! - 2/5! + ..."""
    k = 3
    while cursor[1] == 0 and below(words, cursor, k) == 0:
        k += 1
    return k % 2 == 1


@njit
def _weighs(words: Words, cursor: Int64s, gap: int, layer: int, s: int, b: int) -> bool:
    """True with probability exp(layer - gap * s / b), where that is no more than 1."""
    whole, part = gap // b * s - layer, gap % b * s
    if whole < 0:
        part += whole * b
        whole = 0
    for _ in range(whole):
        if not _exp_of_part(words, cursor, 1, 1) or cursor[1] != 0:
            return False
    return exp_bernoulli(words, cursor, part, b)


@njit
def fill_points(
    words: Words,
    cursor: Int64s,
    offsets: Int64s,
    first: Int64s,
    last: Int64s,
    score: Int64s,
    slope: Int64s,
    s: int,
    b: int,
    drawn: Int64s,
    start: int,
) -> int:
    """The exponential mechanism on the points of each list of blocks; returns where the words ran out.

    Block j holds the points `first[j]` to `last[j]`, of which the first has the score `score[j]` and each following one
    `slope[j]` more. A point `gap` below the best weighs exp(-x) with x = gap * s / b. Blocks are sorted into layers by
    the whole part of their smallest x, all beyond the last layer into that. A layer l is drawn by its points times
    2^-l and kept with probability (2/e)^l, which makes e^-l; then one of its points, evenly, which is kept with
    probability exp(l - x). Where something is not kept all begins again, so a point is drawn in proportion to exp(-x).
    """
    sizes = np.empty(LAYERS + 1, np.int64)
    for index in range(start, len(drawn)):
        begin = cursor[0]
        low, high = offsets[index], offsets[index + 1]
        best = score[low]
        for block in range(low, high):
            best = max(best, score[block], score[block] + slope[block] * (last[block] - first[block]))
        layers = np.empty(high - low, np.int64)
        sizes[:] = 0
        for block in range(low, high):
            length = last[block] - first[block]
            gap = best - max(score[block], score[block] + slope[block] * length)
            layer = min(gap // b * s + gap % b * s // b, LAYERS)
            layers[block - low] = layer
            sizes[layer] += length + 1
        total = 0
        for layer in range(LAYERS + 1):
            total += sizes[layer] << (LAYERS - layer)
        while cursor[1] == 0:
            rest, layer = below(words, cursor, total), 0
            while rest >= sizes[layer] << (LAYERS - layer):
                rest -= sizes[layer] << (LAYERS - layer)
                layer += 1
            kept = True
            for _ in range(layer):
                if not _two_over_e(words, cursor):
                    kept = False
                    break
            if not kept:
                continue
            number = rest >> (LAYERS - layer)  # even among the points of the layer, for `rest` is even there
            block = low
            while layers[block - low] != layer or number > last[block] - first[block]:
                if layers[block - low] == layer:
                    number -= last[block] - first[block] + 1
                block += 1
            gap = best - (score[block] + slope[block] * number)
            if _weighs(words, cursor, gap, layer, s, b):
                drawn[index] = first[block] + number
                break
        if _ran_out(cursor, begin):
            return index
    return len(drawn)
