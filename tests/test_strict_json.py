"""The strict reader of JSON: what others could not read or write back is refused, and nothing else."""

from __future__ import annotations

import json
import math
from json import JSONDecodeError
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.strict_json import DEEPEST, WholeNumbers, indented_json, nested_deeper, parse_json, read_json

contents = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc", max_size=3), inner, max_size=4),
)


@given(contents, st.booleans())
def test_whatever_can_be_written_is_read_back(content, ascii):
    text = json.dumps(content, ensure_ascii=ascii)
    assert parse_json(text) == content
    assert parse_json(text.encode()) == content


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"k": 5, "k": 2}', "twice"),
        ('[{"a": {"k": 5, "k": 5}}]', "twice"),
        ("NaN", "NaN"),
        ("[Infinity]", "Infinity"),
        ('{"a": -Infinity}', "Infinity"),
        ("1e999", "too large"),
        ("9223372036854775808", "too large"),
        ("-9223372036854775809", "too large"),
        ("1" * 5000, "too large"),
        ("0." + "1" * 1000, "digits"),
        ('"\\ud800"', "surrogate"),
        ("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), "deeper"),
        ('{"a":' * 100_000 + "1" + "}" * 100_000, "deeper"),
        ("[" * 1_000_000, "deeper"),
        (b"\xff\xfe", "UTF-8"),
        ("", "Expecting value"),
        ('{"a": 1} x', "Extra data"),
    ],
)
def test_what_is_not_strictly_json_is_refused(text, words):
    with pytest.raises(JSONDecodeError, match=words):
        parse_json(text)


tricky = st.recursive(
    st.none() | st.integers(0, 9) | st.text('ab"\\\\[]{}\n'),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('a"[}', max_size=2), inner, max_size=3),
    max_leaves=12,
)


def depth(content):
    if isinstance(content, (list, dict)):
        return 1 + max(map(depth, content if isinstance(content, list) else content.values()), default=0)
    return 0


@given(tricky, st.booleans())
def test_depth_is_counted_exactly_whatever_stands_in_texts(content, ascii):
    text = json.dumps(content, ensure_ascii=ascii).encode()
    reached = depth(content)
    assert not nested_deeper(text, reached)
    assert reached == 0 or nested_deeper(text, reached - 1)


def test_numbers_at_the_edge_are_read():
    assert parse_json("[9223372036854775807,-9223372036854775808,1e308,1e-400]") == [2**63 - 1, -(2**63), 1e308, 0.0]


def test_a_byte_order_mark_is_no_content():
    assert parse_json(b'\xef\xbb\xbf{"k": 5}') == {"k": 5}


def test_one_hundred_levels_are_read():
    assert parse_json("[" * DEEPEST + "]" * DEEPEST) is not None


def test_errors_do_not_repeat_what_was_read():
    with pytest.raises(JSONDecodeError) as caught:
        parse_json('{"name": "Ann", "name": }')
    assert caught.value.doc == ""
    assert "Ann" not in str(caught.value)


def test_a_file_that_is_too_large_or_no_file_is_not_read(tmp_path: Path):
    (tmp_path / "a.json").write_text("[1, 2, 3]")
    assert read_json(tmp_path / "a.json") == [1, 2, 3]
    with pytest.raises(ValueError, match="bytes"):
        read_json(tmp_path / "a.json", largest=5)
    with pytest.raises(OSError):
        read_json(tmp_path)
    with pytest.raises(OSError):
        read_json("/dev/zero")


SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()
)
KEYS = st.one_of(st.text(), st.integers(), st.booleans(), st.none(), st.floats(allow_nan=False, allow_infinity=False))
CONTENTS = st.recursive(
    SCALARS,
    lambda below: st.one_of(st.lists(below), st.tuples(below, below), st.dictionaries(KEYS, below)),
    max_leaves=20,
)


@given(CONTENTS)
def test_indented_json_is_that_of_python(content: object) -> None:
    assert indented_json(content) == json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False)


@given(st.lists(st.integers(-(2**63), 2**63 - 1)))
def test_long_lists_of_numbers_are_written_as_python_writes_them(numbers: list[int]) -> None:
    content = {"rows": WholeNumbers(np.array(numbers, np.int64)), "last": [1, {"a": WholeNumbers(np.arange(2))}]}
    plain = {"rows": numbers, "last": [1, {"a": [0, 1]}]}
    assert indented_json(content) == json.dumps(plain, ensure_ascii=False, indent=1)


@pytest.mark.parametrize("content", [math.nan, [math.inf], {"a": {"b": [1, -math.inf]}}])
def test_indented_json_has_no_number_that_is_none(content: object) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        indented_json(content)
