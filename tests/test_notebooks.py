"""What data, releases, verdicts, lights and hierarchies look like in a notebook."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import polars as pl
import pytest

import crypsis
from crypsis import notebook
from crypsis.data.transaction import Transactions
from crypsis.hierarchy.hierarchy import Hierarchy
from crypsis.samples import SAMPLES

EVIL = "<script>alert(1)</script>"


def people(town: str = "Rome") -> crypsis.Table:
    frame = pl.DataFrame({"age": [20 + n % 7 for n in range(30)], "town": [town] * 30, "ill": ["x", "y"] * 15})
    return crypsis.Table.from_frame(frame, {"age": "quasi", "town": "quasi", "ill": "sensitive"})


def parsed(shown: Any) -> ElementTree.Element:
    """The markup; it must be well formed."""
    return ElementTree.fromstring(shown._repr_html_())


def test_data_show_their_first_rows_and_how_many_there_are() -> None:
    page = parsed(people())
    assert len(page.findall(".//tbody/tr")) == notebook.ROWS
    assert [head.text for head in page.findall(".//th")] == ["age", "town", "ill"]
    assert "30 rows" in "".join(page.itertext())


def test_a_release_shows_verdict_lights_rows_and_a_picture() -> None:
    release = crypsis.anonymize(people(), crypsis.Mondrian(k=5))
    page = parsed(release)
    words = "".join(page.itertext())
    assert "k-anonymity (k=5) holds" in words
    assert all(name in words for name in ("Guarantee", "Disclosure", "Usefulness"))
    (image,) = page.findall(".//img")
    assert image.get("src", "").startswith("data:image/svg+xml;base64,")
    assert image.get("alt")


def test_a_verdict_and_a_hierarchy_are_shown() -> None:
    verdict = crypsis.anonymize(people(), crypsis.Mondrian(k=5)).verify()
    assert "✓" in "".join(parsed(verdict).itertext())
    tree = Hierarchy({"Oslo": "North", "Riga": "North", "Rome": "South", "North": "Any", "South": "Any"})
    assert "North (2)" in "".join(parsed(tree).itertext())
    long = Hierarchy.flat([f"v{n:03}" for n in range(100)])
    assert "61 more" in "".join(parsed(long).itertext())


def test_what_comes_from_data_is_text_and_never_markup() -> None:
    shown = [
        people(EVIL),
        crypsis.anonymize(people(EVIL), crypsis.Mondrian(k=5)),
        Transactions.from_lists([[EVIL, "b"]] * 3),
        Hierarchy({EVIL: "Any", "b": "Any"}),
    ]
    for one in shown:
        assert "<script" not in one._repr_html_()


@pytest.mark.parametrize("name", ["patients", "baskets", "checkins", "tracks", "metro"])
def test_every_kind_of_data_can_be_shown(name: str) -> None:
    assert parsed(SAMPLES[name].make(20)) is not None
