"""Pictures for the browser: well-formed, self-contained, escaped, with every value and a second sign beside colour."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from crypsis.drawing.palette import SIGNS, sign
from crypsis.drawing.svg import LogScale
from crypsis.evaluate.plots import PLOT_SCRIPT, PLOT_STYLE, interactive_svg
from tests.drawing.frames import frames
from tests.reports.releases import NASTY

FRAMES = frames()
SVG = "{http://www.w3.org/2000/svg}"


def drawn(name: str) -> ElementTree.Element:
    return ElementTree.fromstring(interactive_svg(FRAMES[name], alone=False))


def having(picture: ElementTree.Element, class_: str) -> list[ElementTree.Element]:
    return [part for part in picture.iter() if class_ in (part.get("class") or "").split()]


def shown_views(picture: ElementTree.Element) -> list[ElementTree.Element]:
    return [view for view in having(picture, "view") if view.get("display") is None]


def tips(picture: ElementTree.Element) -> list[str]:
    return [mark.findtext(f"{SVG}title") or "" for view in shown_views(picture) for mark in having(view, "mark")]


@pytest.mark.parametrize("name", FRAMES)
def test_every_frame_is_well_formed_named_and_loads_nothing(name: str) -> None:
    text = interactive_svg(FRAMES[name])
    picture = ElementTree.fromstring(text)
    assert (picture.get("aria-label") or "").startswith(FRAMES[name].title)
    without_namespace = text.replace("http://www.w3.org/2000/svg", "")
    assert "://" not in without_namespace
    assert not re.search(r"\b(href|src)=", text)
    assert " style=" not in text  # a page's policy may forbid styles inside elements


@pytest.mark.parametrize("name", [name for name, frame in FRAMES.items() if frame.data.height])
def test_exactly_one_mark_is_reached_with_the_tabulator_and_all_have_words(name: str) -> None:
    picture = drawn(name)
    marks = having(picture, "mark")
    assert [mark.get("tabindex") for mark in marks].count("0") == 1
    assert all(mark.findtext(f"{SVG}title") for mark in marks)
    first = next(mark for mark in marks if mark.get("tabindex") == "0")
    assert any(first in list(view.iter()) for view in shown_views(picture))


def test_points_tell_their_values_and_gaps_their_reason() -> None:
    told = tips(drawn("line"))
    assert "generalize\nk: 5\nNormalized certainty penalty (NCP): 0.2" in told
    assert "generalize\nk: 2\nNormalized certainty penalty (NCP): infeasible" in told
    assert "suppress\nk: 5\nNormalized certainty penalty (NCP): 0.4 ± 0.1414" in told


def test_a_line_breaks_at_a_gap() -> None:
    (shown,) = shown_views(drawn("merges"))
    (curve,) = having(shown, "curve")
    assert (curve.get("d") or "").count("M") == 1  # the gap is at its beginning
    assert len(having(shown, "mark")) == 3


def test_bars_tell_their_names_and_counts() -> None:
    assert any(tip == "ordinary\nrecords: 1" for tip in tips(drawn("names")))
    assert any(tip.startswith("value: 1 to ") for tip in tips(drawn("numbers")))


def test_every_series_has_a_switch_with_its_name() -> None:
    keys = having(drawn("phases"), "series-key")
    assert [key.get("aria-label") for key in keys] == ["prepare", "publish"]
    assert {key.get("role") for key in keys} == {"switch"}
    groups = {group.get("data-series") for group in having(drawn("phases"), "series")}
    assert groups == {key.get("data-series") for key in keys}


def test_both_scales_can_be_chosen_where_all_values_are_positive_and_one_view_is_shown() -> None:
    picture = drawn("line")
    assert {(view.get("data-x"), view.get("data-y")) for view in having(picture, "view")} == {
        ("linear", "linear"), ("linear", "log"), ("log", "linear"), ("log", "log"),
    }  # fmt: skip
    assert len(shown_views(picture)) == 1
    assert len(having(picture, "switch")) == 2
    assert not having(drawn("phases"), "switch")  # pieces of a bar cannot be stacked on a logarithmic axis
    sizes = drawn("sizes")
    assert shown_views(sizes)[0].get("data-x") == "log"


def test_the_cells_that_are_not_beaten_are_joined_and_say_so() -> None:
    picture = drawn("tradeoff")
    (best,) = having(shown_views(picture)[0], "best")
    assert (best.get("d") or "").count("L") == 2
    assert sum("not beaten" in tip for tip in tips(picture)) == 3


@pytest.mark.parametrize("name", [name for name in FRAMES if name.startswith("nasty")] + ["names"])
def test_names_stay_text(name: str) -> None:
    text = interactive_svg(FRAMES[name], alone=False)
    assert "<script" not in text
    assert not [part for part in ElementTree.fromstring(text).iter() if part.get("onload")]
    assert any(NASTY[0] in "".join(part.itertext()) for part in ElementTree.fromstring(text).iter(f"{SVG}title"))


def test_no_two_series_of_a_plot_have_the_same_signs() -> None:
    signs = [sign(series) for series in range(len(SIGNS) ** 2)]
    assert len({(one.light, one.marker) for one in signs}) == len(signs)
    assert len({(one.dark, one.dash) for one in signs}) == len(signs)
    first = signs[: len(SIGNS)]
    for field in ("light", "dark", "marker", "dash", "hatch"):
        assert len({getattr(one, field) for one in first}) == len(SIGNS), field


def test_pieces_of_bars_are_hatched_and_the_hatching_is_defined() -> None:
    picture = drawn("phases")
    used = set(re.findall(r"url\(#([^)]+)\)", interactive_svg(FRAMES["phases"], alone=False)))
    defined = {pattern.get("id") for pattern in picture.iter(f"{SVG}pattern")}
    assert used == defined
    assert len(defined) == 1  # the first series is plain


def test_the_script_may_stand_in_html_and_in_svg() -> None:
    assert "<" not in PLOT_SCRIPT
    assert "&" not in PLOT_SCRIPT
    assert "innerHTML" not in PLOT_SCRIPT
    assert "<" not in PLOT_STYLE


def test_a_plot_alone_brings_style_and_script_and_one_of_many_does_not() -> None:
    alone, one_of_many = interactive_svg(FRAMES["line"]), interactive_svg(FRAMES["line"], alone=False)
    assert PLOT_SCRIPT in alone
    assert PLOT_STYLE in alone
    assert "<style" not in one_of_many
    assert "<script" not in one_of_many


def test_very_many_points_keep_the_page_light() -> None:
    from crypsis.evaluate.plots import frame_of

    frame = frame_of("ul_vs_merges", private=[1 / (n + 1) for n in range(20_000)])
    assert len(interactive_svg(frame, alone=False)) < 500_000


@pytest.mark.parametrize(("low", "high"), [(109, 110), (3, 4), (7, 9), (20, 31), (1000, 1100), (5, 6), (0.31, 0.33)])
def test_a_logarithmic_axis_has_numbers_also_where_it_is_short(low: float, high: float) -> None:
    ticks = LogScale(low, high, 0, 100).ticks(8)
    assert len(ticks) > 1
    assert all(low <= value <= high for value in ticks)
