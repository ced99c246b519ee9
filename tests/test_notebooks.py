"""What data, releases, verdicts, lights and hierarchies look like in a notebook."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import polars as pl
import pytest

import crypsis
from crypsis import notebook, progress_bar
from crypsis.data.transaction import Transactions
from crypsis.evaluate.results import comparison_html
from crypsis.hierarchy.hierarchy import Hierarchy
from crypsis.run_context import Progress
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


def row(label: str, loss: float | None, state: str = "done") -> dict[str, Any]:
    """One cell of an experiment, as `Store.results` tells it."""
    lights = dict.fromkeys(("guarantee_light", "disclosure_light", "usefulness_light"), "green")
    first = {
        "cell": label,
        "label": label,
        "method": "mondrian",
        "state": state,
        "stale": False,
        "repeat": 0,
        "seed": 0,
    }
    first["seed"] = 0
    outcome = {"guarantee": "k-anonymity", "verified": True, "achieved": 5, "required": 5, **lights}
    return {**first, "k": len(label), **outcome, "ncp_loss": loss, "code": None, "message": None}


def test_a_comparison_shows_its_settings_lights_directions_and_a_picture() -> None:
    page = ElementTree.fromstring(comparison_html("two", [row("a", 0.25), row("bb", 0.5), row("ccc", None, "failed")]))
    heads = [head.text for head in page.findall(".//th")]
    assert heads[:3] == ["run", "k", "state"]
    assert "ncp_loss (lower is better)" in heads
    assert len(page.findall(".//tbody/tr")) == 3
    assert page.findall(".//img")[0].get("alt") == "ncp_loss (lower is better)"
    assert "<script" not in comparison_html(EVIL, [row(EVIL, 0.5)])


def test_an_empty_comparison_is_shown() -> None:
    assert ElementTree.fromstring(comparison_html("none", [])).findall(".//img") == []


def test_a_bar_names_stage_share_and_time_left() -> None:
    bar = ElementTree.fromstring(notebook.progress("split", 0.5, 3.0))
    assert bar.findall(".//progress")[0].get("value") == "0.500"
    assert "split, 50%, 3 s left" in "".join(bar.itertext())
    assert ElementTree.fromstring(notebook.progress("write", None, None)).findall(".//progress")[0].get("value") is None


def test_a_notebook_shows_a_bar_where_nobody_listens_and_removes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    def show(bar: Any, markup: str) -> None:
        bar.handle = True
        shown.append(markup)

    monkeypatch.setattr(progress_bar.ProgressBar, "_show", show)
    monkeypatch.setattr(progress_bar, "PATIENCE", 0.0)
    with progress_bar.listening(None) as nobody:
        assert nobody is None, "no notebook, no bar"
    monkeypatch.setattr(progress_bar, "in_notebook", lambda: True)
    with progress_bar.listening(print) as own:
        assert own is print
    with progress_bar.listening(None) as bar:
        assert bar is not None
        bar(Progress("split", 0.5, 1.0))
    assert "split" in shown[0]
    assert shown[-1] == ""
