"""Rows that can contain a part, counted side by side, against looking at every row."""

from __future__ import annotations

import random

import numpy as np
import pytest

from crypsis.kernels.supporters import add_supporter, can_be_contained, no_supporters
from tests.reference.prefix_tree import Path, contains

N_CODES = 5
LONGEST = 256


@pytest.mark.parametrize("longest", [8, 64, 65, 128, 129, 256, 400])
@pytest.mark.parametrize("seed", range(3))
def test_a_part_is_possible_up_to_the_rows_that_contain_it(longest: int, seed: int) -> None:
    chance = random.Random(1000 * longest + seed)
    sequence = chance.choices(range(N_CODES - 1), k=chance.randint(2, 40))  # others also go where it never does
    paths: list[Path] = [
        tuple(chance.choices(range(N_CODES), weights=[1, 1, 1, 1, 9], k=chance.randint(1, longest))) for _ in range(80)
    ]
    paths.append(tuple(chance.choices(range(N_CODES), k=longest)))
    rows = [chance.choice([0, 1, 1, 3]) for _ in paths]
    with np.errstate(over="ignore"):  # words wrap; only interpreted kernels would warn
        supporters = no_supporters(
            np.array(sequence, np.int32),
            np.array([len(path) for path in paths], np.int32),
            np.arange(len(paths), dtype=np.int32),
            N_CODES,
        )
        members: list[tuple[Path, int]] = []
        for path, count in zip(paths, rows, strict=True):
            add_supporter(supporters, np.array(path, np.int32), count)
            members.append((path, count))
            places = sorted(chance.sample(range(len(sequence)), chance.randint(1, len(sequence))))
            part = tuple(sequence[place] for place in places)
            possible = sum(n for path, n in members if len(path) > LONGEST or contains(path, part))
            assert can_be_contained(supporters, np.array(part, np.int32), possible)
            assert not can_be_contained(supporters, np.array(part, np.int32), possible + 1)
