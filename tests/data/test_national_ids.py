"""Numbers with check digits: found where nearly all pass, whatever the column is called."""

from __future__ import annotations

import random

import polars as pl
import pytest
from stdnum import luhn
from stdnum.iso7064 import mod_97_10

from crypsis.data.national_ids import checked_number


def cards(count: int) -> list[str]:
    chance = random.Random(1)
    bodies = [f"4{chance.randrange(10**14):014}" for _ in range(count)]
    return [body + luhn.calc_check_digit(body) for body in bodies]


def ibans(count: int) -> list[str]:
    chance = random.Random(2)
    bodies = [f"{chance.randrange(10**18):018}" for _ in range(count)]
    return [f"DE{mod_97_10.calc_check_digits(body + 'DE')}{body}" for body in bodies]


def spanish(count: int) -> list[str]:
    numbers = random.Random(3).sample(range(10**7, 10**8), count)
    return [f"{number}{'TRWAGMYFPDXBNJZSQVHLCKE'[number % 23]}" for number in numbers]


def brazilian(count: int) -> list[str]:
    found = []
    for number in random.Random(4).sample(range(10**8, 10**9), count):
        digits = [int(sign) for sign in str(number)]
        for _ in range(2):
            total = sum(digit * (len(digits) + 1 - place) for place, digit in enumerate(digits))
            digits.append((11 - total % 11) % 11 % 10)
        found.append("".join(map(str, digits)))
    return found


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (cards(20), "numbers of payment cards"),
        (ibans(20), "bank account numbers (IBAN)"),
        (spanish(20), "national identity numbers"),
        (brazilian(20), "national identity numbers"),
    ],
)
def test_check_digits_tell_what_numbers_are(values: list[str], words: str) -> None:
    assert checked_number(pl.Series(values)) == words
    assert checked_number(pl.Series(values[:5])) is None  # too few to be sure


@pytest.mark.parametrize("digits", [9, 10, 11, 12, 13, 15, 16, 18])
def test_random_and_running_numbers_are_none(digits: int) -> None:
    chance = random.Random(digits)
    drawn = [chance.randrange(10 ** (digits - 1), 10**digits) for _ in range(300)]
    running = range(10 ** (digits - 1), 10 ** (digits - 1) + 300)
    assert checked_number(pl.Series(drawn)) is None
    assert checked_number(pl.Series(list(running))) is None
    assert checked_number(pl.Series([str(number) for number in drawn])) is None
