"""The pictures of risks and track lengths parse, stand alone, and say what they were given."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.drawing.svg import standalone
from crypsis.reports.pictures.reidentification_curve import Risk, reidentification_curve
from crypsis.reports.pictures.track_lengths import track_lengths

shares = st.floats(0, 1)


def check_drawing(picture: str) -> ElementTree.Element:
    root = ElementTree.fromstring(picture)
    assert root.tag == "svg"
    assert root.get("role") == "img"
    assert root.get("aria-label", "").endswith(".")
    width, height = (float(size) for size in root.get("viewBox", "").split()[2:])
    for mark in root.iter():
        for name in ("x", "x1", "x2", "cx"):
            assert 0 <= float(mark.get(name, "0")) <= width
        for name in ("y", "y1", "y2", "cy"):
            assert 0 <= float(mark.get(name, "0")) <= height
    assert "var(" not in standalone(picture)
    return root


def titles(root: ElementTree.Element) -> list[str]:
    return [title.text or "" for title in root.iter("title")]


@given(st.lists(st.tuples(st.integers(1, 9), shares, shares), max_size=8), st.one_of(st.none(), shares))
def test_every_curve_is_a_drawing(points, bound) -> None:
    sizes = np.cumsum([step for step, _, _ in points]).tolist()
    risks = [Risk(size, min(pair), max(pair)) for size, (_, *pair) in zip(sizes, points, strict=True)]
    root = check_drawing(reidentification_curve(risks, bound, promised=3))
    assert len(list(root.iter("circle"))) == 2 * len(risks)
    assert len([mark for mark in root.iter("line") if mark.get("class") == "limit"]) == (
        bound is not None and bool(risks)
    )


def test_the_curve_tells_its_figures_and_the_bound() -> None:
    picture = reidentification_curve([Risk(1, 0.01, 0.1), Risk(2, 0.05, 0.2), Risk(3, 0.3, 1)], 0.2, 2, "visit")
    root = check_drawing(picture)
    assert "2 visits known: highest risk 20 %" in titles(root)
    assert "1 visit known: mean risk 1 %" in titles(root)
    assert root.get("aria-label") == (
        "Curve of the risk of re-identification, from at most 10 % with 1 visit known to at most 100 % with 3 visits; "
        "allowed are 20 % up to 2 visits."
    )
    heights = [float(mark.get("cy", "")) for mark in root.iter("circle")]
    limit = next(float(mark.get("y1", "")) for mark in root.iter("line") if mark.get("class") == "limit")
    assert heights[4] == pytest.approx(limit)  # the highest risk with two visits is what is allowed
    assert heights[5] < limit


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=1, max_size=20), st.floats(0, 1e7))
def test_every_histogram_of_lengths_counts_everything_once(counts, longest) -> None:
    original, published = (np.array([pair[side] for pair in counts], np.int64) for side in (0, 1))
    root = check_drawing(track_lengths(np.linspace(0, longest, len(counts) + 1), original, published))
    told = [re.search(r": ([\d,]+) (original|published)", title).groups() for title in titles(root)]
    for name, expected in (("original", original), ("published", published)):
        assert sum(int(number.replace(",", "")) for number, side in told if side == name) == expected.sum()


def test_lengths_are_told_by_bin() -> None:
    root = check_drawing(track_lengths(np.array([0.0, 500, 1000]), np.array([3, 1]), np.array([0, 4])))
    assert titles(root) == [
        "length 0 to 500: 3 original tracks",
        "length 500 to 1,000: 1 original track",
        "length 500 to 1,000: 4 published tracks",
    ]
