"""The first row names the columns, or is a record like those below it."""

from __future__ import annotations

import random

import pytest

from crypsis.data.formats.header_row import names_columns


@pytest.mark.parametrize(
    ("rows", "named"),
    [
        (["age,sex", "39,m", "50,f"], True),
        (["39,m", "50,f"], False),
        (["39,State-gov,77516", "50,?,83311", "38,Private,"], False),
        (["name,town", "Ann,Rome", "Bob,Oslo"], True),
        (["Ann,Rome", "Bob,Oslo"], True),  # nothing tells
        (["land,2019,2020", "DE,1.5,2.5"], True),
        (["Ann,1987", "Bob,1990"], False),
        (["0,1,2", "7,8,9"], True),
        (["x,1,2", "a,8,9"], True),
        (["2008-06-08,a", "2008-06-09,b"], False),
        (["08.06.2008,a", "09.06.2008,b"], False),
        (["born,a", "2008-06-08,b"], True),
        (["p,x,p,s", "e,x,n,s", "p,b,p,y"], False),
        (["a,a,b", "x,y,z", "u,v,w"], True),
        (["NA,5", "3,6"], False),
        ([",5", "a,6"], False),
        (["only"], True),
        (["12"], True),
        (["12", "13"], False),
    ],
)
def test_the_first_row_is_names_or_a_record(rows: list[str], named: bool) -> None:
    assert names_columns([row.split(",") for row in rows]) is named


@pytest.mark.parametrize("seed", range(50))
def test_names_above_records_are_told_from_records(seed: int) -> None:
    """Random tables with at least one column of numbers or dates, with and without a row of names."""
    draw = random.Random(seed)
    makers = (
        lambda: str(draw.randint(-99, 99999)),
        lambda: f"{draw.uniform(0, 9):.2f}",
        lambda: f"{draw.randint(1, 28):02}.{draw.randint(1, 12):02}.{draw.randint(1950, 2020)}",
        lambda: draw.choice(("red", "green", "blue")),
        lambda: f"person {draw.randint(0, 10**6)}",
    )
    kinds = [draw.choice(makers[:3]), *(draw.choice(makers) for _ in range(draw.randint(1, 6)))]
    draw.shuffle(kinds)
    records = [[make() for make in kinds] for _ in range(draw.randint(2, 40))]
    names = [f"{draw.choice(('age', 'born', 'Q', 'x'))}{number}" for number in range(len(kinds))]
    assert names_columns([names, *records])
    assert not names_columns(records)
