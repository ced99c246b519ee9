"""Suggestions for the public datasets agree with a statistician's labels, and the page says how far."""

from __future__ import annotations

import pytest

from tests.data.suggestions.agreement import PAGE, Compared, compared, page, truth

FOLDERS = sorted({told["path"].partition("/")[0] for told in truth()})
LEAST = 0.9


@pytest.fixture(scope="module")
def files() -> list[Compared]:
    return [compared(told) for told in truth()]


@pytest.mark.long
@pytest.mark.real_data(*FOLDERS)
def test_every_kind_and_nine_of_ten_roles_are_right_and_the_page_says_so(files: list[Compared]) -> None:
    assert [one.path for one in files if one.kind != one.right_kind] == []
    total = sum(len(one.columns) for one in files)
    assert sum(one.agreeing for one in files) >= LEAST * total
    assert page(files) == PAGE.read_text(encoding="utf-8")


@pytest.mark.long
@pytest.mark.real_data("citibike_jc")
def test_trips_are_told(files: list[Compared]) -> None:
    told = next(one for one in files if "citibike" in one.path)
    assert told.reason.startswith("each row is a trip")


def test_the_page_counts_as_it_says() -> None:
    text = PAGE.read_text(encoding="utf-8")
    rows = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("| ") and "/" in line]
    assert len(rows) == len(truth())
    counts = [(int(row[3]), int(row[4])) for row in rows if row[3].strip() != "–"]
    total, right = (sum(column) for column in zip(*counts, strict=True))
    assert f"right for {right} of {total} columns" in text
    assert right >= LEAST * total
