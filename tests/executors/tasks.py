"""Tasks for the tests of executors: functions at the top level of a module, as workers need them."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np

from crypsis.errors import BadRow
from crypsis.executors import dask
from crypsis.ledger import BudgetLedger
from crypsis.noise import ExactNoise, SystemEntropy, provider_named


def add(one: int, other: int) -> int:
    return one + other


def scale(shard: int, factor: int) -> int:
    return shard * factor


def send(shard: int, targets: int) -> Iterator[tuple[int, list[int]]]:
    yield shard % targets, [shard]
    yield targets - 1, [-shard]


def fail(shard: int, text: str) -> int:
    raise BadRow(f"{text} is wrong.") if shard == 2 else ValueError(text)


def fill_the_disk(shard: int) -> None:
    raise OSError(28, "No space left on device", "zq-secret-417")


def large(shard: int) -> bytes:
    return bytes([shard]) * (9 << 20)


def die_once(shard: int, marker: str) -> int:
    """Ends its worker the first time that shard 1 is worked on."""
    if shard == 1 and not Path(marker).exists():
        Path(marker).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return shard


class Counter:
    """A resident object."""

    def __init__(self, start: int) -> None:
        self.total = start

    def add(self, amount: int) -> int:
        self.total += amount
        return self.total

    def die_once(self, marker: str) -> int:
        return die_once(1, marker) * self.total


def count_from(shard: int, offset: int) -> Counter:
    return Counter(shard + offset)


def residents_here() -> list[tuple[str, int]]:
    return sorted(dask._residents)


def draw_inside(number: int, provider: str) -> None:
    provider_named(provider).laplace(np.zeros(number, np.int64), Fraction(1))


def use_inside(number: int, noise: ExactNoise) -> None:
    noise.passing_zeros(number, Fraction(1), 2)


def take_words_inside(number: int) -> None:
    SystemEntropy().words(number)


def charge_inside(number: int, path: str) -> None:
    BudgetLedger(path).charge(Fraction(number), "by a task")


def limit_inside(number: int, path: str) -> None:
    BudgetLedger(path).set_limit(Fraction(number))
