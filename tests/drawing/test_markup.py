"""Text from users stays text."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from crypsis.drawing.markup import Markup, element, escape, join, model_name, number

UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
anything = st.text(st.characters(exclude_categories=()))


@given(anything, anything)
def test_any_text_comes_back_as_text(content: str, title: str) -> None:
    found = ElementTree.fromstring(element("p", content, title=title).encode())
    assert len(found) == 0
    assert set(found.attrib) == {"title"}
    assert (found.text or "") == UNWRITABLE.sub("�", content).replace("\r\n", "\n").replace("\r", "\n")


def test_markup_inside_markup_is_kept_and_text_inside_it_is_not() -> None:
    assert element("p", element("b", "<i>"), "<i>") == "<p><b>&lt;i&gt;</b>&lt;i&gt;</p>"


def test_a_formatted_string_is_text_again() -> None:
    assert escape(f"{Markup('<b>')}") == "&lt;b&gt;"


def test_joining_escapes_what_is_between() -> None:
    assert join(["a", Markup("<br/>")], " & ") == "a &amp; <br/>"


def test_attributes_are_renamed_and_left_out_when_none() -> None:
    assert (
        element("g", class_="a", stroke_width=1.25, id=None, name="n")
        == '<g class="a" stroke-width="1.2" name="n"></g>'
    )


def test_exponents_of_models_are_raised() -> None:
    assert model_name("k^m-anonymity <b>") == "k<sup>m</sup>-anonymity &lt;b&gt;"


def test_numbers_of_drawings_have_a_tenth_at_most_and_no_negative_nought() -> None:
    assert [number(value) for value in (3, 2.04, -0.01, 10.96)] == ["3", "2", "0", "11"]


def test_quotes_do_not_end_an_attribute() -> None:
    assert element("g", title="\" onload='x'") == '<g title="&quot; onload=&#x27;x&#x27;"></g>'
