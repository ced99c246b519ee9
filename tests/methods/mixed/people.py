"""Persons of mixed records, counted the slow way."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from crypsis import Mixed

ITEMS = "abcdef"


def most_of_one_person(seed: int, records: int = 60, people: int = 9) -> tuple[pl.DataFrame, list[int]]:
    """About half of the rows are of person 0, who has items that hardly anybody else has."""
    rng = np.random.default_rng(seed)
    person = [0 if rng.random() < 0.5 else int(rng.integers(1, people)) for _ in range(records)]
    rows = []
    for whose in person:
        weights = np.array([6, 6, 1, 1, 1, 1]) if whose == 0 else np.ones(6)
        chosen = rng.choice(6, int(rng.integers(1, 4)), replace=False, p=weights / weights.sum())
        rows.append(sorted(ITEMS[item] for item in chosen))
    frame = pl.DataFrame(
        {
            "who": [f"p{whose}" for whose in person],
            "age": [int(20 + whose * 3 + rng.integers(0, 4)) for whose in person],
            "town": [["Oslo", "Riga", "Bonn"][int(rng.integers(0, 3))] for _ in person],
            "codes": rows,
        }
    )
    return frame, person


def read(frame: pl.DataFrame, **more: Any) -> Mixed:
    roles = {"age": "quasi", "town": "quasi"}
    if more.get("person") is None:
        roles["who"] = "identifier"
    return Mixed.from_frame(frame, roles, {"codes": None}, **more)


def fits(symbols: list[Any], known: tuple[str, ...]) -> bool:
    return all(any(item == one or (isinstance(one, list) and item in one) for one in symbols) for item in known)
