"""Counting queries: what a text says, what it cannot mean and where, and that it is written as it is read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data.count_query import (
    CountQuery,
    InList,
    InRange,
    as_queries,
    parse_query,
    query_from_json,
    read_queries,
    write_queries,
)
from crypsis.errors import BadQuery

EXAMPLE = "age in [20:30] and origin in {France, Greece} and items all {E, F}"


def test_the_example_of_the_specification_is_understood() -> None:
    query = parse_query(EXAMPLE)
    assert query.relational == (("age", InRange("20", "30")), ("origin", InList(("France", "Greece"))))
    assert (query.items, query.items_column) == (("E", "F"), "items")
    assert str(query) == EXAMPLE
    described = {"rel": {"age": ["range", 20, 30.0], "origin": ["in", ["France", "Greece"]]}, "items": ["E", "F"]}
    assert query_from_json(described) == query
    assert query_from_json(query.to_json()) == query


def test_blanks_quotes_and_repeated_values_are_read_as_they_are_meant() -> None:
    query = parse_query('  "home town" in{ "a, b" ,c d,c d, "say \\"hi\\"" }  and t in ["10:30":"11:00"]')
    assert query.relational[0] == ("home town", InList(("a, b", "c d", 'say "hi"')))
    assert query.relational[1] == ("t", InRange("10:30", "11:00"))
    assert parse_query("android in {and, in, all}").relational == (("android", InList(("and", "in", "all"))),)


@pytest.mark.parametrize(
    ("text", "character", "message"),
    [
        ("", 1, "at least one column or item"),
        ("age", 4, "after 'age' comes 'in'"),
        ("age is [1:2]", 5, "not 'is'"),
        ("age in 20", 8, "a range [low:high] or a list {a, b}"),
        ("age in [20:30", 8, "'[' is not closed"),
        ("age in [20]", 11, "a range is written [low:high]"),
        ("age in [:30]", 9, "a value is missing"),
        ("t in [10:30:11:00]", 12, "in double quotes"),
        ("age in {}", 9, "a value is missing"),
        ("age in {a, }", 12, "a value is missing"),
        ("age in {a", 8, "'{' is not closed"),
        ("age in {a} or b in {c}", 12, "joined by 'and'"),
        ("age in {a} and", 15, "the name of a column is expected"),
        ("age in {a} and age in {b}", 16, "asked for twice"),
        ("items all {a} and items all {b}", 19, "items are asked for twice"),
        ("items all [a:b]", 11, "a list of items is written {a, b}"),
        ('age in {"a}', 9, "quotes are not closed"),
        ("{a}", 1, "the name of a column is expected"),
    ],
)
def test_what_cannot_be_read_is_refused_at_its_character(text: str, character: int, message: str) -> None:
    with pytest.raises(BadQuery) as refused:
        parse_query(text, where="queries.txt, line 3")
    assert message in refused.value.message
    assert refused.value.details["character"] == character
    assert refused.value.where == f"queries.txt, line 3, character {character}"


@pytest.mark.parametrize(
    "content",
    [
        [],
        {"relational": {}},
        {"rel": {"age": ["between", 1, 2]}},
        {"rel": {"age": ["range", 1]}},
        {"rel": {"age": ["range", None, 2]}},
        {"rel": {"age": ["in", []]}},
        {"rel": {"age": ["in", [True]]}},
        {"rel": [], "items": ["a"]},
        {"items": "ab"},
        {"items": [""]},
        {"rel": {}, "items": []},
    ],
)
def test_json_that_is_no_query_is_refused(content: object) -> None:
    with pytest.raises(BadQuery):
        query_from_json(content)


texts = st.text(st.characters(blacklist_categories=["Cs", "Cc"]), min_size=1, max_size=6)
predicates = st.one_of(
    st.builds(InRange, texts, texts), st.builds(InList, st.lists(texts, min_size=1, max_size=3, unique=True).map(tuple))
)


@given(st.dictionaries(texts, predicates, max_size=3), st.lists(texts, max_size=3, unique=True), texts)
def test_a_query_is_read_back_as_it_was_written(asked: dict[str, object], items: list[str], column: str) -> None:
    if not asked and not items:
        return
    query = CountQuery(tuple(asked.items()), tuple(items), column if items else "items")
    assert parse_query(str(query)) == query
    plain = CountQuery(query.relational, query.items)
    assert query_from_json(json.loads(json.dumps(query.to_json()))) == plain


def test_files_hold_texts_objects_or_one_array(tmp_path: Path) -> None:
    file = tmp_path / "queries.txt"
    file.write_text(f'# mine\n\n{EXAMPLE}\n{{"items": ["a"]}}\n', encoding="utf-8")
    first, second = read_queries(file)
    assert str(first) == EXAMPLE
    assert first.where == f"{file}, line 3"
    assert second.items == ("a",)
    array = tmp_path / "queries.json"
    array.write_text(json.dumps([first.to_json(), second.to_json()], indent=1), encoding="utf-8")
    assert [str(query) for query in read_queries(array)] == [str(first), str(second)]
    write_queries([first, second], tmp_path / "again.txt")
    assert [str(query) for query in as_queries(tmp_path / "again.txt")] == [str(first), str(second)]
    assert as_queries(EXAMPLE) == (parse_query(EXAMPLE),)
    assert as_queries([EXAMPLE, second, second.to_json()])[2].items == ("a",)


@pytest.mark.parametrize(
    ("content", "where"),
    [
        ("age in [1:2]\nage in [\n", "line 2, character 8"),
        ('{"items": ["a"]\n', "line 1"),
        ('[{"items": ["a"]},\n {"items": []}]', "query 2"),
        ('[{"items": ["a"]},\n oops]', "line 2"),
        ("# nothing\n", "queries.txt"),
        ("[]", "queries.txt"),
    ],
)
def test_a_bad_file_is_refused_with_the_place(tmp_path: Path, content: str, where: str) -> None:
    (tmp_path / "queries.txt").write_text(content, encoding="utf-8")
    with pytest.raises(BadQuery) as refused:
        read_queries(tmp_path / "queries.txt")
    assert where in str(refused.value)
