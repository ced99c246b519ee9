"""The script of the plots in a real browser, inside a report whose policy allows nothing else."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crypsis.evaluate.plots import Results, frame_of
from crypsis.evaluate.report import ExperimentReport
from tests.evaluate.plots.rows import sweep

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Any, tmp_path: Path) -> Iterator[Any]:
    """A report with a line plot; whatever the page asks for or complains about fails the test."""
    rows = sweep()
    plots = [({}, frame_of("line", results=rows, x="k", y="ncp"))]
    file = tmp_path / "report.html"
    file.write_text(ExperimentReport("tried", Results(rows), plots).to_html(), encoding="utf-8")
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    asked: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(file.as_uri())
    yield page
    page.close()
    assert asked == [file.as_uri()]
    assert complaints == []


def shown(page: Any, selector: str) -> Any:
    return page.locator(f".crypsis-plot .view:not([display=none]) {selector}")


def tip(page: Any) -> str:
    lines = page.locator(".crypsis-plot .tip:not([display=none]) tspan").all_text_contents()
    return "\n".join(lines)


def test_pointing_at_a_mark_shows_its_values(page: Any) -> None:
    shown(page, ".series[data-series='1'] .mark .shape").first.hover()
    assert tip(page) == "suppress\nk: 2\nNormalized certainty penalty (NCP): 0.1"


def test_the_legend_switches_a_series_off_and_on_with_the_mouse_and_the_keyboard(page: Any) -> None:
    key = page.locator(".series-key").first
    marks = shown(page, ".series[data-series='0'] .mark").first
    assert marks.is_visible()
    key.click()
    assert key.get_attribute("aria-checked") == "false"
    assert not marks.is_visible()
    key.focus()
    page.keyboard.press("Enter")
    assert key.get_attribute("aria-checked") == "true"
    assert marks.is_visible()


def test_a_switch_makes_an_axis_logarithmic_and_keeps_hidden_series_hidden(page: Any) -> None:
    page.locator(".series-key").first.click()
    page.locator(".switch[data-axis='y']").click()
    views = page.locator(".view:not([display=none])")
    assert views.count() == 1
    assert (views.get_attribute("data-x"), views.get_attribute("data-y")) == ("linear", "log")
    assert not shown(page, ".series[data-series='0'] .mark").first.is_visible()
    assert shown(page, ".series[data-series='1'] .mark").first.is_visible()


def test_arrow_keys_move_through_the_marks_and_escape_hides_the_values(page: Any) -> None:
    shown(page, ".mark[tabindex='0']").focus()
    assert tip(page) == "generalize\nk: 2\nNormalized certainty penalty (NCP): infeasible"
    page.keyboard.press("ArrowRight")
    assert tip(page) == "generalize\nk: 5\nNormalized certainty penalty (NCP): 0.2"
    page.keyboard.press("End")
    assert tip(page) == "suppress\nk: 5\nNormalized certainty penalty (NCP): 0.4 ± 0.1414"
    assert page.locator(".mark[tabindex='0']").count() == 1
    page.keyboard.press("Escape")
    assert tip(page) == ""


def test_dark_pages_have_dark_plots(page: Any) -> None:
    def ink() -> str:
        return str(page.locator(".crypsis-plot .axis-title").first.evaluate("node => getComputedStyle(node).fill"))

    page.emulate_media(color_scheme="light")
    light = ink()
    page.emulate_media(color_scheme="dark")
    assert ink() != light
