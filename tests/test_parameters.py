"""A parameter's annotation is the only place where its bounds live: check, text, words and schema all follow it."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError, dataclass
from fractions import Fraction
from typing import Annotated, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.errors import BadParameter
from crypsis.methods import SeqAnon
from crypsis.parameters import Above, AtLeast, Between, Checked, OneOf, Parameter, parameters_of


@dataclass(frozen=True, kw_only=True)
class Everything(Checked):
    count: Annotated[int, AtLeast(1), "How many."]
    share: Annotated[float, Above(0), Between(0, 1), "A share above nothing."] = 0.5
    limit: Annotated[float | None, AtLeast(0), "An upper limit."] = None
    way: Annotated[str, OneOf("left", "right"), "Where to."] = "left"
    strict: Annotated[bool, "Look twice."] = False
    note: Annotated[str | None, "Anything."] = None


def parameter(name: str) -> Parameter:
    return next(one for one in parameters_of(Everything) if one.name == name)


@pytest.mark.parametrize(
    ("name", "given_value", "kept"),
    [
        ("count", 1, 1),
        ("count", np.int64(7), 7),
        ("count", np.uint8(200), 200),
        ("count", 10**30, 10**30),
        ("share", 1, 1.0),
        ("share", np.float32(0.5), 0.5),
        ("share", Fraction(1, 4), 0.25),
        ("share", 5e-324, 5e-324),
        ("limit", None, None),
        ("limit", 0, 0.0),
        ("way", "right", "right"),
        ("strict", True, True),
        ("note", "none", "none"),
        ("note", "", ""),
    ],
)
def test_what_is_allowed_is_kept_in_its_declared_type(name: str, given_value: Any, kept: Any) -> None:
    made = Everything(**{"count": 1, name: given_value})
    assert made.parameters()[name] == kept
    assert type(made.parameters()[name]) is type(kept)


BAD: list[tuple[str, Any, str]] = [
    ("count", 0, "an int of at least 1, got 0"),
    ("count", -2, "an int of at least 1, got -2"),
    ("count", 2.5, "an int of at least 1, got 2.5"),
    ("count", 2.0, "an int of at least 1, got 2.0"),
    ("count", True, "an int of at least 1, got True"),
    ("count", np.True_, "an int of at least 1, got np.True_"),
    ("count", "3", "an int of at least 1, got '3'"),
    ("count", None, "an int of at least 1, got None"),
    ("count", math.nan, "an int of at least 1, got nan"),
    ("count", [1], r"an int of at least 1, got \[1\]"),
    ("share", 0, "a finite number above 0 and from 0 to 1, got 0"),
    ("share", 1.0000001, "a finite number above 0 and from 0 to 1, got 1.0000001"),
    ("share", math.nan, "a finite number above 0 and from 0 to 1, got nan"),
    ("share", math.inf, "a finite number above 0 and from 0 to 1, got inf"),
    ("share", "0.5", "a finite number above 0 and from 0 to 1, got '0.5'"),
    ("share", b"0.5", "a finite number above 0 and from 0 to 1, got b'0.5'"),
    ("share", True, "a finite number above 0 and from 0 to 1, got True"),
    ("share", np.True_, "a finite number above 0 and from 0 to 1, got np.True_"),
    ("share", 1j, "a finite number above 0 and from 0 to 1, got 1j"),
    ("limit", -1, "a finite number of at least 0 or nothing, got -1"),
    ("limit", math.inf, "a finite number of at least 0 or nothing, got inf"),
    ("way", "up", "one of 'left', 'right', got 'up'"),
    ("way", None, "one of 'left', 'right', got None"),
    ("way", 1, "one of 'left', 'right', got 1"),
    ("strict", 1, "true or false, got 1"),
    ("strict", "true", "true or false, got 'true'"),
    ("strict", None, "true or false, got None"),
    ("note", 5, "a string or nothing, got 5"),
]


@pytest.mark.parametrize(("name", "given_value", "words"), BAD, ids=[f"{name}={value!r}" for name, value, _ in BAD])
def test_what_is_not_allowed_is_named_with_its_bound_and_what_came(name: str, given_value: Any, words: str) -> None:
    with pytest.raises(BadParameter, match=rf"^Everything: {name} must be {words}\.$") as raised:
        Everything(**{"count": 1, name: given_value})
    assert raised.value.code == "bad-parameter"
    assert raised.value.exit_code == 2
    assert raised.value.details == {"parameter": name, "got": repr(given_value)}


def test_a_number_too_large_for_a_float_is_not_allowed_either() -> None:
    with pytest.raises(BadParameter, match="^Everything: limit must be a finite number"):
        Everything(count=1, limit=10**400)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("count", "12", 12),
        ("share", "0.25", 0.25),
        ("share", "1", 1.0),
        ("limit", "none", None),
        ("limit", "", None),
        ("limit", "1e3", 1000.0),
        ("way", "right", "right"),
        ("strict", "true", True),
        ("strict", "YES", True),
        ("strict", "0", False),
        ("strict", "no", False),
        ("note", "hello", "hello"),
        ("note", "None", None),
    ],
)
def test_typed_text_is_read_by_the_declared_type(name: str, text: str, value: Any) -> None:
    read = parameter(name).parse(text, "Everything")
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("count", "2.5"),
        ("count", "zero"),
        ("count", ""),
        ("count", "0"),
        ("count", "true"),
        ("share", "nan"),
        ("share", "1e999"),
        ("share", "half"),
        ("way", "none"),
        ("strict", "maybe"),
        ("strict", ""),
    ],
)
def test_text_that_cannot_be_read_is_refused_as_it_was_typed(name: str, text: str) -> None:
    with pytest.raises(BadParameter, match=rf"^Everything: {name} must be ") as raised:
        parameter(name).parse(text, "Everything")
    if text not in {"0", "nan", "1e999"}:
        assert str(raised.value).endswith(f"got {text!r}.")


@given(st.integers(-5, 5))
def test_bounds_admit_exactly_what_their_words_say(value: int) -> None:
    assert AtLeast(2).admits(value) == (value >= 2)
    assert Above(2).admits(value) == (value > 2)
    assert Between(-1, 2).admits(value) == (-1 <= value <= 2)
    assert OneOf("1", "2").admits(str(value)) == (value in (1, 2))
    assert [str(bound) for bound in (AtLeast(2), Above(0.5), Between(-1, 2), OneOf("a", "b"))] == [
        "of at least 2",
        "above 0.5",
        "from -1 to 2",
        "out of 'a', 'b'",
    ]


def test_no_bound_admits_a_number_that_is_none() -> None:
    assert not AtLeast(0).admits(math.nan)
    assert not Above(0).admits(math.nan)
    assert not Between(0, 1).admits(math.nan)


def test_the_schema_says_everything_a_form_needs() -> None:
    schema = {one.name: one.to_dict() for one in parameters_of(Everything)}
    assert schema["count"] == {
        "name": "count",
        "type": "int",
        "optional": False,
        "required": True,
        "help": "How many.",
        "range": "of at least 1",
        "unit": None,
        "sweepable": True,
    }
    assert schema["way"]["choices"] == ["left", "right"]
    assert schema["way"]["default"] == "left"
    assert schema["limit"]["optional"]
    assert schema["limit"]["default"] is None
    assert schema["share"]["range"] == "above 0 and from 0 to 1"
    assert not schema["strict"]["sweepable"]


def test_a_required_parameter_has_no_default() -> None:
    with pytest.raises(TypeError):
        Everything()  # type: ignore[call-arg]


def test_a_checked_object_is_frozen_and_comparable() -> None:
    one = Everything(count=np.int32(3))
    assert one == Everything(count=3)
    assert hash(one) == hash(Everything(count=3))
    with pytest.raises(FrozenInstanceError):
        one.count = 4  # type: ignore[misc]
    assert one.parameters() == {
        "count": 3,
        "share": 0.5,
        "limit": None,
        "way": "left",
        "strict": False,
        "note": None,
    }


def test_the_message_of_a_method_names_the_method() -> None:
    with pytest.raises(BadParameter) as raised:
        SeqAnon(k=0)
    assert str(raised.value) == "SeqAnon: k must be an int of at least 1, got 0."
    with pytest.raises(BadParameter) as raised:
        SeqAnon(on_infeasible="ignore")
    assert str(raised.value) == "SeqAnon: on_infeasible must be one of 'error', 'truncate', got 'ignore'."
    with pytest.raises(BadParameter) as raised:
        SeqAnon(unit="person")
    assert str(raised.value) == "SeqAnon: unit must be one of 'trajectory', 'owner' or nothing, got 'person'."
