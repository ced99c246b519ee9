"""Roles of columns from names, values and counts, each with a reason and how sure it is."""

from __future__ import annotations

import random
from pathlib import Path

import polars as pl
import pytest

from crypsis.data.column_roles import repeated_columns
from crypsis.data.inspection import ColumnSummary, inspect_file

ROWS = 200
CHANCE = random.Random(5)
COLUMNS: dict[str, tuple[list[object], str, str]] = {  # name: values, role, confidence
    "Name": ([f"{chr(65 + row % 26)}nn Lee{row}" for row in range(ROWS)], "identifier", "high"),
    "contact": ([f"p{row}@example.org" for row in range(ROWS)], "identifier", "high"),
    "host": ([f"10.0.{row % 7}.{row}" for row in range(ROWS)], "identifier", "high"),
    "电话": ([f"1380000{row:04}" for row in range(ROWS)], "identifier", "high"),
    "notes": ([f"came in {row} days after the fall on ice" for row in range(ROWS)], "identifier", "high"),
    "report": ([f"seen on day {row} and sent home again" for row in range(ROWS)], "identifier", "medium"),
    "plz": ([f"{CHANCE.randrange(1, 99) * 1000:05}" for _ in range(ROWS)], "quasi", "high"),
    "wohnort": ([f"city {row % 9}" for row in range(ROWS)], "quasi", "high"),
    "sex": ([1 + row % 2 for row in range(ROWS)], "quasi", "high"),
    "Krankheit": (["flu", "cold", "gout", "none"] * (ROWS // 4), "sensitive", "high"),
    "kode": ([f"{'ABC'[row % 3]}{row % 90:02}.{row % 4}" for row in range(ROWS)], "sensitive", "medium"),
    "income": ([row * 100 % 7700 for row in range(ROWS)], "sensitive", "high"),
    "survey_weight": ([1 + row / 7 for row in range(ROWS)], "other", "high"),
    "wave": ([3] * ROWS, "other", "high"),
    "admission_date": ([f"2024-01-{1 + row % 28:02}" for row in range(ROWS)], "quasi", "high"),
    "q17": ([row % 6 for row in range(ROWS)], "quasi", "low"),
    "telephone": (["yes", "none"] * (ROWS // 2), "quasi", "low"),
    "comments": ([row % 50 for row in range(ROWS)], "quasi", "low"),
}


@pytest.fixture(scope="module")
def summaries(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ColumnSummary]:
    file = tmp_path_factory.mktemp("roles") / "people.csv"
    pl.DataFrame({name: pl.Series(values).cast(pl.String) for name, (values, *_) in COLUMNS.items()}).write_csv(file)
    return {column.name: column for column in inspect_file(file).columns}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_gets_the_role_of_its_meaning(summaries: dict[str, ColumnSummary], name: str) -> None:
    _, role, confidence = COLUMNS[name]
    found = summaries[name]
    assert (found.role, found.confidence) == (role, confidence), found.why
    assert found.why


def test_codes_are_categories_and_postcodes_get_prefixes(summaries: dict[str, ColumnSummary]) -> None:
    assert (summaries["sex"].type, summaries["sex"].suggested_type) == ("int", "category")
    assert summaries["plz"].hierarchy == "prefix"
    assert summaries["kode"].hierarchy == "prefix"
    assert summaries["income"].suggested_type is None
    assert summaries["q17"].suggested_type is None


def sets(tmp_path: Path, name: str, cells: list[str]) -> ColumnSummary:
    file = tmp_path / "sets.csv"
    pl.DataFrame({"age": list(range(len(cells))), name: cells}).write_csv(file)
    return inspect_file(file).columns[1]


def test_sets_are_told_from_sentences_and_names(tmp_path: Path) -> None:
    chance = random.Random(6)
    words = ["grove", "park", "hall", "inn", "bar", "shop", "gate", "mill", "view", "house", "yard", "lane"]
    codes = [" ".join(chance.sample([f"E{n}" for n in range(30)], chance.randint(1, 4))) for _ in range(80)]
    assert sets(tmp_path, "seen", codes).item_separator == " "
    baskets = ["|".join(chance.sample(words, chance.randint(1, 4))) for _ in range(80)]
    assert sets(tmp_path, "bought", baskets).item_separator == "|"
    venues = [
        " ".join(f"{chance.choice(words)}{row}" for _ in range(chance.randint(1, 4))).title() for row in range(80)
    ]
    venues = [venue.translate(str.maketrans("0123456789", "abcdefghij")) for venue in venues]
    assert sets(tmp_path, "venue", venues).item_separator is None
    fish = ["سمك أزرق كبير", "سمك صغير", "سمك", "حوت بحر"] * 20
    letters = "ابتثجحخدذر", "سشصضطظعغ"
    names = [f"{text} {letters[0][row % 10]}{letters[1][row % 8]}" for row, text in enumerate(fish)]
    assert sets(tmp_path, "Name_Ar", names).item_separator is None


def test_sets_of_items_that_hardly_recur_are_left_out(tmp_path: Path) -> None:
    cells = [" ".join(f"v{row}x{n}" for n in range(1 + row % 5)) for row in range(80)]
    found = sets(tmp_path, "related_ids", cells)
    assert (found.item_separator, found.role) == (" ", "identifier")
    assert "hardly recur" in str(found.why)


def test_columns_with_running_numbers_are_one_set() -> None:
    def found(*names: str) -> list[list[str]]:
        return repeated_columns(pl.DataFrame({name: ["E11", None] for name in names}))

    assert found("id", "dx01", "dx02", "dx03", "age") == [["dx01", "dx02", "dx03"]]
    assert found("q1", "q2") == []
    assert found("icd9", "icd10", "year2020", "year2021", "year2022") == []


def test_answers_to_numbered_questions_are_no_set() -> None:
    scales = {"q1": [1, 2, 3, 4], "q2": [4, 4, 1, 2], "q3": [2, 2, 3, 1]}
    assert repeated_columns(pl.DataFrame(scales)) == []
    assert repeated_columns(pl.DataFrame({f"m{n}": [1.5, 2.5, None] for n in (1, 2, 3)})) == []
    own = {f"q{n}": [f"{n}{letter}" for letter in "abcdefgh"] for n in (1, 2, 3)}
    assert repeated_columns(pl.DataFrame(own)) == []
    items = [f"i{n}" for n in range(20)]
    drawn = {f"item{n}": items[n:] + items[:n] for n in (1, 2, 3)}
    assert repeated_columns(pl.DataFrame(drawn)) == [["item1", "item2", "item3"]]


def test_repeated_columns_are_told_and_hold_diagnoses(tmp_path: Path) -> None:
    file = tmp_path / "stays.csv"
    rows = [f"{20 + row % 50},E{row % 30:02},I{row % 20:02},\n" for row in range(60)]
    file.write_text("age,dx01,dx02,dx03\n" + "".join(rows))
    found = inspect_file(file)
    assert any("dx01 to dx03 look like one set" in question for question in found.understood.questions)
    assert found.columns[1].role == "sensitive"


def test_negative_codes_of_typed_columns_are_asked_about(tmp_path: Path) -> None:
    file = tmp_path / "survey.parquet"
    pl.DataFrame({"schooling": [-9, -8, 1, 2, 3, 4, 5, 6] * 10}).write_parquet(file)
    assert any("-8, -9 in 'schooling'" in question for question in inspect_file(file).understood.questions)


def test_a_text_among_numbers_and_a_high_code_are_asked_about(tmp_path: Path) -> None:
    file = tmp_path / "survey.csv"
    rows = "".join(f"{20 + row},{(0, 1, 99)[row % 3]}\n" for row in range(40))
    file.write_text(f"age,smokes\n{rows}Total,\n")
    asked = " ".join(inspect_file(file).understood.questions)
    assert "its numbers include 'Total'" in asked
    assert "missing_tokens=['age=Total']" in asked
    assert "99 in 'smokes' may be codes" in asked


def test_a_weight_that_no_body_has_is_one_of_a_survey(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    for weight, role in ((0.4, "other"), (55.5, "quasi")):
        file.write_text("age,weight\n" + "".join(f"{20 + row},{weight + row / 40:.3f}\n" for row in range(40)))
        assert inspect_file(file).columns[1].role == role


def test_postcodes_with_leading_zeros_are_not_asked_about(tmp_path: Path) -> None:
    file = tmp_path / "towns.csv"
    file.write_text("zip,b\n" + "".join(f"{number:05d},{number % 3}\n" for number in range(9990, 10030)))
    assert inspect_file(file).understood.questions == ()


def test_numbers_that_are_no_days_are_not_taken_for_dates(tmp_path: Path) -> None:
    file = tmp_path / "parts.csv"
    file.write_text("number,b\n" + "".join(f"{20240228 + number},{number % 3}\n" for number in range(10)))
    assert inspect_file(file).understood.questions == ()
