"""Each picture is a drawing that parses, and its marks say what the release says."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest

import crypsis
from crypsis.data.trajectory import Locations, Trajectories
from crypsis.reports.facts import ReleaseFacts
from crypsis.reports.pictures import (
    PICTURES,
    flow_map,
    location_map,
    smallest_supports,
    standalone,
    support_histogram,
    symbol_sizes,
    tessellation,
    trajectory_lengths,
)
from crypsis.reports.sections.movement import movement
from crypsis.reports.sections.places import places as places_section
from tests.reports.releases import Case, cases, of_rows, town

SVG = "{http://www.w3.org/2000/svg}"
CASES = cases()
STACK = {"a": (0.0, 0.0), "b": (10.0, 0.0), "c": (10.0, 5.0), "d": (0.0, 5.0)}


def facts_of(case: Case) -> ReleaseFacts:
    return ReleaseFacts.of(*case)


def titles(picture: str) -> list[str]:
    return [title.text or "" for title in ElementTree.fromstring(picture).iter("title")]


def counts(picture: str) -> int:
    """Sum of the counts that the tooltips of bars tell."""
    return sum(int(re.search(r": ([\d,]+) ", title).group(1).replace(",", "")) for title in titles(picture))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", PICTURES)
def test_every_picture_of_every_release_parses_and_is_labelled(name: str, case: str) -> None:
    root = ElementTree.fromstring(PICTURES[name](facts_of(CASES[case])))
    assert root.tag == "svg"
    assert root.get("role") == "img"
    assert root.get("aria-label", "").endswith(".")
    assert re.fullmatch(r"0 0 [\d.]+ [\d.]+", root.get("viewBox", ""))
    for mark in root.iter():
        for name, value in mark.attrib.items():
            assert not re.search(r"nan|inf(?!or)", value) or name == "aria-label"


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_can_stand_alone(name: str) -> None:
    text = standalone(PICTURES[name](facts_of(CASES["a town"])))
    root = ElementTree.fromstring(text.encode())
    assert root.tag == SVG + "svg"
    assert "var(" not in text
    assert len(root.findall(SVG + "style")) == 1
    assert float(root.get("width", "0")) > 400


@pytest.mark.parametrize("case", CASES)
def test_histograms_count_everything_once(case: str) -> None:
    facts = facts_of(CASES[case])
    assert counts(support_histogram(facts)) == len(facts.names)
    assert counts(symbol_sizes(facts)) == len(facts.names)
    assert counts(trajectory_lengths(facts)) == facts.rows


def test_bars_tell_support_by_kind() -> None:
    facts = facts_of(of_rows([["a", "a"], ["a", ["b", "c"]], [["b", "c"], "d"]]))
    assert sorted(titles(support_histogram(facts))) == [
        "support 1: 1 symbol, intact",
        "support 2: 1 symbol, generalized",
        "support 2: 1 symbol, intact",
    ]


def test_no_bar_of_a_release_that_holds_begins_before_the_limit() -> None:
    for seed in range(5):
        manifest, published, places = town(seed=seed)
        lowest = int(ReleaseFacts.of(manifest, published, places).supports.min())
        manifest["verdict"]["required"] = lowest
        picture = ElementTree.fromstring(support_histogram(ReleaseFacts.of(manifest, published, places)))
        limit = next(float(mark.get("x1", "")) for mark in picture.iter("line") if mark.get("class") == "limit")
        bars = [float(mark.get("x", "")) for mark in picture.iter("rect") if len(mark)]
        assert bars
        assert min(bars) >= limit


def test_the_rarest_sequences_stand_beside_what_is_required() -> None:
    picture = ElementTree.fromstring(smallest_supports(facts_of(CASES["a town"])))
    x = [float(mark.get("cx", "")) for mark in picture.iter("circle")]
    limit = next(float(mark.get("x1", "")) for mark in picture.iter("line") if mark.get("class") == "limit")
    assert x[0] > x[1] > limit
    assert "1,084" in [text.text for text in picture.iter("text")]


def test_a_broken_promise_is_a_cross_before_the_line() -> None:
    picture = ElementTree.fromstring(smallest_supports(facts_of(CASES["broken"])))
    assert [mark.get("class") for mark in picture.iter("path")] == ["missed"]
    assert not list(picture.iter("circle"))


def test_the_map_names_members_and_support() -> None:
    rows: list[list[str | list[str]]] = [["a", ["b", "c"]], ["a"], [["b", "c"]], ["a"]]
    found = titles(location_map(facts_of(of_rows(rows, STACK))))
    assert found == ["One of 2: b, c\n2 rows", "a\n3 rows, intact"]


def test_a_pair_is_a_line_and_more_are_a_hull_through_their_places() -> None:
    pair = ElementTree.fromstring(location_map(facts_of(of_rows([["a", ["b", "d"], "c"]], STACK))))
    square = ElementTree.fromstring(location_map(facts_of(of_rows([[list("abcd")]], STACK))))
    (line,) = hulls(pair)
    (area,) = hulls(square)
    assert line.count("L") == 1
    assert not line.endswith("z")
    assert area.count("L") == 3
    assert area.endswith("z")
    corners = re.findall(r"([\d.]+) ([\d.]+)", area)
    width, height = (np.ptp([float(corner[axis]) for corner in corners]) for axis in (0, 1))
    assert width == pytest.approx(2 * height, abs=0.3)


def hulls(picture: ElementTree.Element) -> list[str]:
    return [
        mark.get("d", "")
        for mark in picture.iter("path")
        if mark.get("class") == "hull" and mark.get("d") != "M8 9L24 9"
    ]


def test_discs_grow_with_support_by_area() -> None:
    places = {"a": (0, 0), "b": (1, 1)}
    picture = location_map(facts_of(of_rows([["a", "b"]] * 25 + [["a"]] * 75, places)), legend=False)
    radius = {
        (disc.findtext("title") or "")[0]: float(disc.get("r", ""))
        for disc in ElementTree.fromstring(picture).iter("circle")
    }
    assert radius["a"] == pytest.approx(2 * radius["b"], rel=0.02)


def test_the_scale_bar_is_as_long_as_it_says() -> None:
    picture = ElementTree.fromstring(location_map(facts_of(of_rows([["a", "b"]], {"a": (0, 0), "b": (1000, 0)}))))
    bar = next(mark.get("d", "") for mark in picture.iter("path") if mark.get("class") == "scale")
    said = next(text.text or "" for text in picture.iter("text") if (text.text or "").endswith("units of the map"))
    discs = sorted(float(disc.get("cx", "")) for disc in picture.iter("circle") if disc.get("class") == "whole")[-2:]
    drawn = float(re.search(r"h([\d.]+)m", bar).group(1))
    assert drawn / (discs[1] - discs[0]) == pytest.approx(float(said.split()[0].replace(",", "")) / 1000, rel=0.01)


def test_a_large_map_draws_a_bounded_number_of_marks() -> None:
    facts = facts_of(town(n_locations=30_000, n_rows=60_000))
    picture = location_map(facts)
    marks = sum(1 for mark in ElementTree.fromstring(picture).iter() if mark.tag in {"path", "circle"})
    assert len(facts.names) > 3000
    assert marks < 3000
    assert len(picture) < 1_000_000


def test_no_two_discs_of_the_key_overlap() -> None:
    picture = ElementTree.fromstring(location_map(facts_of(CASES["a town"])))
    key = [disc for disc in picture.iter("circle") if disc.get("class") == "size-key"]
    spans = sorted(
        (float(disc.get("cx", "")) - float(disc.get("r", "")), float(disc.get("cx", "")) + float(disc.get("r", "")))
        for disc in key
    )
    assert len(spans) == 2
    assert all(left[1] < right[0] for left, right in pairwise(spans))


def cells() -> Case:
    places = {"c0": (0.0, 0.0), "c1": (100.0, 0.0), "c2": (100.0, 80.0)}
    manifest, published, side_file = of_rows([["c0", "c1", "c2"], ["c0", "c1"], ["c1", "c0", "c1"], ["c2"]], places)
    return {**manifest, "data": {**manifest["data"], "places": "cells"}}, published, side_file


def test_the_flow_map_counts_each_row_once_per_direction() -> None:
    told = titles(flow_map(facts_of(cells())))
    assert [title for title in told if "→" in title] == ["c1 → c2\n1 row", "c1 → c0\n1 row", "c0 → c1\n3 rows"]
    assert [title for title in told if "→" not in title] == ["c0\n3 rows", "c1\n3 rows", "c2\n2 rows"]


def test_the_areas_of_the_tessellation_fill_the_map_and_hold_their_points() -> None:
    root = ElementTree.fromstring(tessellation(facts_of(cells())))
    frame = next(mark for mark in root.iter("rect"))
    areas = [
        [tuple(map(float, corner.split())) for corner in mark.get("d", "")[1:-1].split("L")]
        for mark in root.iter("path")
        if mark.get("class") == "area"
    ]
    assert len(areas) == 3
    total = sum(abs(sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in pairwise([*area, area[0]]))) / 2 for area in areas)
    assert total == pytest.approx(float(frame.get("width")) * float(frame.get("height")), rel=1e-3)


def test_only_cells_have_the_section_on_movement() -> None:
    assert "How people move" in movement(facts_of(cells()))
    assert movement(facts_of(CASES["a town"])) == ""
    assert places_section(facts_of(cells())) == ""


def test_maps_of_a_projection_are_in_metres_and_show_north() -> None:
    manifest, published, side_file = cells()
    named = {**manifest, "data": {**manifest["data"], "crs": "EPSG:32650"}}
    told = [str(draw(facts_of((named, published, side_file)))) for draw in (flow_map, location_map)]
    assert all(re.search(r">\d+ m<", picture) and ">N<" in picture for picture in told)
    assert all(">N<" not in str(draw(facts_of(cells()))) for draw in (flow_map, location_map))


def test_a_flow_map_of_many_moves_has_at_most_a_hundred_arrows() -> None:
    manifest, published, side_file = town(n_locations=200, n_rows=4_000)
    facts = facts_of((manifest, published, side_file))
    assert len(facts.flows) > 1_000
    picture = ElementTree.fromstring(flow_map(facts))
    arrows = [mark for mark in picture.iter("g") if mark.get("class") == "move"]
    assert 10 < len(arrows) <= 100


def test_movement_is_compared_with_its_original_on_two_maps_of_the_same_view() -> None:
    data = Trajectories.from_lists([["a", "b"]] * 3, locations=Locations.of({"a": (0, 0), "b": (900, 400)}))
    page = crypsis.anonymize(data, crypsis.SeqAnon(k=2, m=1)).private_report().html
    assert page.index(">Map before<") < page.index(">Map after<")
    boxes = re.findall(r'<svg data-corners=\'[^\']+\' [^>]*viewBox="([^"]+)"', page)
    assert len(boxes) == 2
    assert boxes[0] == boxes[1]
    assert "Map before" not in crypsis.anonymize(data, crypsis.SeqAnon(k=2, m=1)).report().html
