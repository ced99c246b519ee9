"""The report of a release: one page that shows what the manifest says, holds nothing unpublished and loads nothing."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest

from crypsis.data.symbols import Symbols
from crypsis.data.trajectory import Locations, PublishedTrajectories
from crypsis.data.vocabulary import Vocabulary
from crypsis.guarantees import KmAnonymity
from crypsis.reports.release_report import TRAJECTORY_REPORT
from tests.reports.releases import NASTY, Case, broken, cases, manifest_of, of_rows, town

render = TRAJECTORY_REPORT.render
CASES = cases()


def parsed(page: str) -> ElementTree.Element:
    """The page is well-formed XML as well, so a strict parser can read it."""
    return ElementTree.fromstring(page.removeprefix("<!doctype html>").encode())


def words(part: ElementTree.Element) -> str:
    return " ".join("".join(part.itertext()).split())


def section(page: str, heading: str) -> ElementTree.Element:
    return next(part for part in parsed(page).iter("section") if part.findtext("h2") == heading)


def tiles(page: str) -> dict[str, str]:
    found = section(page, "At a glance").iter("div")
    return {
        tile.findtext("dt") or "": tile.find(".//data").get("value")
        for tile in found
        if tile.find(".//data") is not None
    }


@pytest.mark.parametrize("case", CASES)
def test_every_release_has_a_report_that_parses(case: str) -> None:
    page = parsed(render(*CASES[case]))
    assert page.find("body/main/header/h1") is not None


@pytest.mark.parametrize("case", CASES)
def test_headings_come_in_order(case: str) -> None:
    levels = [int(tag.tag[1]) for tag in parsed(render(*CASES[case])).iter() if re.fullmatch("h[1-6]", tag.tag)]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


@pytest.mark.parametrize("case", CASES)
def test_every_drawing_has_words_or_is_hidden_from_readers(case: str) -> None:
    drawings = list(parsed(render(*CASES[case])).iter("svg"))
    assert drawings
    for drawing in drawings:
        assert drawing.get("aria-hidden") == "true" or (drawing.get("role") == "img" and drawing.get("aria-label"))


@pytest.mark.parametrize("case", CASES)
def test_nothing_is_loaded_and_nothing_runs(case: str) -> None:
    text = render(*CASES[case])
    page = parsed(text)
    assert not {"script", "link", "img", "iframe", "object", "embed", "use", "image", "a", "form"} & {
        part.tag for part in page.iter()
    }
    for part in page.iter():
        assert not [
            name for name in part.attrib if name.startswith("on") or name in {"href", "src", "srcset", "action"}
        ]
    style = page.findtext("head/style") or ""
    assert "url(" not in style
    assert "@import" not in style
    assert "://" not in text
    policy = next(part.get("content") for part in page.iter("meta") if part.get("http-equiv"))
    assert policy.startswith("default-src 'none'")


def test_labels_from_users_stay_text_wherever_they_stand() -> None:
    manifest, published, places = CASES["nasty labels"]
    nasty = NASTY[0]
    manifest |= {
        "created": nasty,
        "software": {"name": nasty, "version": nasty},
        "method": {"name": nasty, "class": nasty, "summary": nasty, "parameters": {nasty: nasty}, "assured": False},
        "guarantee": {"model": nasty, "parameters": {nasty: nasty, "unit": nasty}, "scope": nasty,
                      "assumptions": [nasty], "not_covered": [nasty], "trivial": False},
        "figures": {nasty: 1.0, "plain": nasty},
        "utility": {nasty: 1.0, "plain": nasty},
        "private": {"timings": {nasty: 1.0}},
        "data": {"file": nasty, "format": nasty, "order": nasty},
        "files": {nasty: {"bytes": 1, "sha256": nasty}},
        "provenance": {nasty: {nasty: [nasty]}},
    }  # fmt: skip
    for verdict in (manifest["verdict"] | {"counted": nasty}, broken() | {"problem": nasty}):
        text = render(manifest | {"verdict": verdict}, published, places)
        assert "<script" not in text
        tags = {part.tag for part in parsed(text).iter()}
        assert not {"script", "b"} & tags
        assert words(parsed(text)).count("<script>alert(1)</script>") > 20


def test_every_label_is_shown() -> None:
    page = words(parsed(render(*CASES["nasty labels"])))
    for label in NASTY[1:4]:
        assert " ".join(label.split()) in page


def test_the_figures_are_those_of_the_manifest() -> None:
    manifest, published, places = town()
    page = render(manifest, published, places)
    shown = tiles(page)
    assert shown["Trajectories"] == repr(manifest["data"]["rows"])
    assert shown["Visits"] == repr(manifest["data"]["visits"])
    assert shown["Smallest support"] == repr(manifest["verdict"]["achieved"])
    table = [data.get("value") for data in section(page, "Remaining utility").iter("data")]
    assert table == [repr(value) for value in manifest["figures"].values()]
    assert f"Release of {len(published):,} trajectories" == parsed(page).findtext(".//h1")


UTILITY = {"distance_loss": 12.345678, "normalized_distance_loss": 0.0123456, "kl_divergence_loss": None}


def test_the_private_report_says_that_it_is_one_and_shows_the_figures_against_the_original() -> None:
    manifest, published, places = town()
    private = {**manifest, "utility": UTILITY, "private": {"timings": {"merge pairs": 0.25}}}
    page = render(private, published, places)
    assert "must not be passed on" in words(parsed(page))
    assert tiles(page)["Distance loss"] == repr(UTILITY["distance_loss"])
    table = [data.get("value") for data in section(page, "Compared with the original").iter("data")]
    assert table == ["null" if value is None else repr(value) for value in UTILITY.values()]
    assert "Merge pairs" in words(section(page, "How long it took"))
    public = render(manifest, published, places)
    assert "Compared with the original" not in public
    assert "must not be passed on" not in public


def test_figures_against_the_original_that_were_published_are_marked() -> None:
    page = render(*of_rows([["a"]], figures_against_original={"distance_loss": 12.0}))
    table = words(section(page, "Remaining utility"))
    assert "does not cover" in table
    assert "Distance loss (DL)12" in table


def test_symbols_are_counted_in_the_published_rows() -> None:
    shown = tiles(render(*of_rows([["a", ["b", "c"], "d"], ["a"]])))
    assert (shown["Intact symbols"], shown["Generalized symbols"], shown["Locations"]) == ("2", "1", "4")


def test_null_figures_are_infinite_and_unknown_ones_are_listed() -> None:
    page = render(*of_rows([["a"]], figures={"kl_divergence_loss": None, "brand_new_score": 0.25}))
    table = words(section(page, "Remaining utility"))
    assert "infinite" in table
    assert "Brand new score0.25↑ higher is better" in table


@pytest.mark.parametrize(
    ("case", "sentence", "sign"),
    [
        ("a town", "km-anonymity holds", "Tick"),
        ("broken", "km-anonymity is broken: do not publish", "Cross"),
        ("trivial", "km-anonymity holds, but protects nothing", "Warning"),
    ],
)
def test_the_verdict_is_told_in_words_and_by_a_sign_of_its_own_shape(case: str, sentence: str, sign: str) -> None:
    header = parsed(render(*CASES[case])).find(".//header")
    assert words(header.find(".//strong")) == sentence
    assert header.find(".//svg").get("aria-label") == sign


def test_a_broken_promise_is_explained() -> None:
    assert "(c) occurs in 1 trajectory, 5 are required." in words(parsed(render(*CASES["broken"])).find(".//header"))


def test_what_is_promised_and_what_is_not_covered_stand_in_full() -> None:
    promised = KmAnonymity(k=5, m=2)
    found = words(section(render(*CASES["a town"]), "What is guaranteed, and what is not"))
    for sentence in (promised.scope, *promised.assumptions, *promised.not_covered):
        assert sentence in found


def test_nothing_that_was_not_published_is_shown() -> None:
    vocabulary = Vocabulary(["open", "secret", "concealed"])
    symbols = Symbols(vocabulary, np.array([0, 1, 3]), np.array([0, 1, 2], np.int32))
    published = PublishedTrajectories(np.array([0, 1]), np.array([0], np.int32), symbols)
    places = Locations.of({"open": (1, 1), "secret": (900, 900), "concealed": (800, 0)})
    page = render(manifest_of(published), published, places)
    assert "secret" not in page
    assert "concealed" not in page
    assert page == render(manifest_of(published), published, Locations.of({"open": (1, 1)}))


def test_owners_are_never_used() -> None:
    manifest, published, places = town(n_rows=50)
    owned = replace(published, owners=np.zeros(50, np.int32))
    assert render(manifest, owned, places) == render(manifest, published, places)


def test_the_order_of_rows_and_the_numbers_of_symbols_do_not_show() -> None:
    manifest, published, places = town()
    shuffled = published.take(np.random.default_rng(0).permutation(len(published)))
    renumbered = PublishedTrajectories.from_lists(shuffled.to_lists())
    assert renumbered.symbols.label_lists != published.symbols.label_lists
    page = render(manifest, published, places)
    assert render(manifest, shuffled, places) == page
    assert render(manifest, renumbered, places) == page


def test_long_groups_are_cut_and_say_so() -> None:
    labels = [f"place {number:02d}" for number in range(20)]
    merged = words(section(render(*of_rows([[list(labels)]] * 5)), "What was merged"))
    assert "place 07 and 12 more" in merged
    assert "place 08" not in merged


def test_how_it_was_made_and_how_to_check_it_are_told() -> None:
    made = words(section(render(*CASES["a town"]), "How it was made, and how to check it"))
    assert "SeqAnon" in made
    assert "Trajectories that must share each subsequence (k)" in made
    assert "crypsis 0.1.0" in made
    assert "crypsis verify FOLDER" in made
    assert "--original" not in made


def test_a_promise_about_owners_can_only_be_checked_with_the_original() -> None:
    page = render(*CASES["owners"])
    assert "crypsis verify FOLDER --original FILE" in words(section(page, "How it was made, and how to check it"))
    assert "the guarantee counts owners" in words(section(page, "How many share it"))


def test_places_without_coordinates_are_owned_up_to() -> None:
    assert "No coordinates were published" in words(
        section(render(*CASES["no coordinates"]), "Where locations were merged")
    )
    assert "1 location without coordinates" in words(
        section(render(*CASES["a place unknown"]), "Where locations were merged")
    )


@pytest.fixture(scope="module")
def city() -> Case:
    return town(n_locations=10_000, n_rows=100_000)


def test_ten_thousand_locations_fit_into_a_page_that_opens(city: Case) -> None:
    page = render(*city)
    assert len(page.encode()) < 3_000_000
    marks = sum(1 for part in parsed(page).iter() if part.tag in {"path", "rect", "circle", "line", "text"})
    assert marks < 3500


def test_what_a_large_map_leaves_out_is_said(city: Case) -> None:
    caption = words(section(render(*city), "Where locations were merged"))
    assert re.search(r"1,200 of [\d,]+ symbols are marked", caption)


def test_endless_labels_do_not_make_an_endless_page() -> None:
    manifest, published, places = town(n_locations=2_000, n_rows=20_000)
    labels = [f"{number:05d} {'long ' * 400}" for number in range(2_000)]
    vocabulary = Vocabulary(labels)
    renamed = replace(published, symbols=replace(published.symbols, vocabulary=vocabulary))
    page = render(manifest, renamed, Locations(vocabulary, places.x, places.y))
    assert len(page.encode()) < 3_000_000


def test_the_names_of_squares_are_explained() -> None:
    manifest, published, places = town(30, 200)
    grid = {"crs": "EPSG:32618", "origin": [0.0, 0.0], "size": 2000.0}
    told = {"data": {**manifest["data"], "crs": "EPSG:32618", "grid": grid}}
    page = TRAJECTORY_REPORT.render(manifest | told, published, places)
    assert "A name cX_Y is a square of 2 km" in page
    assert "cX_Y" not in TRAJECTORY_REPORT.render(manifest, published, places)


@pytest.mark.parametrize("unit", ["trajectory", "owner"])
def test_a_level_that_only_the_publisher_counted_is_not_told(unit: str) -> None:
    manifest, published, places = town(30, 200)
    verdict = {"holds": True, "achieved": None, "required": 5, "counted": "x", "recounted_from": "original"}
    told = {"verdict": verdict, "guarantee": KmAnonymity(k=5, m=2, unit=unit).to_dict()}
    page = TRAJECTORY_REPORT.render(manifest | told, published, places)
    assert "nothing occurs that could be rare" not in page
    assert "counted with the original; 5 required" in page
    assert "required: 5" not in page
    assert "crypsis verify FOLDER --original FILE" in page
