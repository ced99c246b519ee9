"""Persons of baskets, counted the slow way."""

from __future__ import annotations

from typing import Any

import numpy as np

ITEMS = "abcdefg"


def most_of_one_person(seed: int, records: int = 40, people: int = 7) -> tuple[list[list[str]], list[int]]:
    """Records of which person 0 owns about two thirds, with favourite items that hardly anybody else has."""
    rng = np.random.default_rng(seed)
    person = [int(rng.integers(1, people)) if rng.random() < 0.35 else 0 for _ in range(records)]
    rows = []
    for whose in person:
        weights = np.ones(len(ITEMS)) if whose else np.array([8, 8, 1, 1, 1, 1, 1])
        size = int(rng.integers(1, 4))
        rows.append([ITEMS[one] for one in rng.choice(len(ITEMS), size, replace=False, p=weights / weights.sum())])
    return rows, person


def people_of(rows: list[list[Any]], person: list[int], known: tuple[str, ...]) -> set[int]:
    """Whose records fit the known items, each of them inside some symbol."""
    return {
        whose
        for row, whose in zip(rows, person, strict=True)
        if all(any(item in symbol if isinstance(symbol, list) else item == symbol for symbol in row) for item in known)
    }
