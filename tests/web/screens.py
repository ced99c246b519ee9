"""Screens that pages must fit, and what axe-core finds on a page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import axe_playwright_python
import pytest
from playwright.sync_api import Page, ViewportSize

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
SIZES: dict[str, ViewportSize] = {"phone": {"width": 390, "height": 844}, "desk": {"width": 1440, "height": 900}}


@dataclass(frozen=True)
class Screen:
    """What a tab is looked at with."""

    size: ViewportSize
    colours: Literal["light", "dark"]


_SCREENS = [
    pytest.param(Screen(SIZES["desk"], "light"), id="at a desk, light"),
    pytest.param(Screen(SIZES["phone"], "dark"), id="on a phone, dark", marks=pytest.mark.long),
]
# Of a test that clicks as a person would: once at a desk, once on a phone.
on_every_screen = pytest.mark.parametrize("tab", _SCREENS, indirect=True)


_STILL = """document.getAnimations().every((one) =>
  one.playState !== "running" || one.effect.getComputedTiming().iterations === Infinity)"""


def still(page: Page) -> None:
    """Wait until nothing fades or moves any more, but what turns for ever."""
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    page.wait_for_function(_STILL)


def violations(page: Page, *rules: str) -> list[str]:
    """What axe-core finds, a line for each kind. Of an open dialog it is what is inside, since nobody reaches what is
    behind; colours are not looked at there, since axe takes the page behind for the ground of what is scrolled out."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    dialog = page.locator(".q-dialog").count() > 0
    place = "document.querySelector('.q-dialog')" if dialog else "document"
    options = {"runOnly": list(rules or RULES), "rules": {"color-contrast": {"enabled": not dialog}}}
    found = page.evaluate(f"options => axe.run({place}, options)", options)["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found]


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))


_SPELLED = r"""() => {
  const found = [], words = /\b[a-z]+(_[a-z]+)+\b|\b(True|False|None)\b|\b[a-z_]{2,}=\w+/g;
  const unsaid = "script, style, code, pre, textarea, .code, .mono, .typed, .material-icons, .ag-cell, [translate=no]";
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  const look = (text) => found.push(...(text.match(words) ?? []));
  while (walker.nextNode())
    if (!walker.currentNode.parentElement.closest(unsaid)) look(walker.currentNode.textContent);
  for (const element of document.querySelectorAll("main [aria-label]")) look(element.getAttribute("aria-label"));
  return [...new Set(found)];
}"""


def program_words(page: Page) -> list[str]:
    """Words as programs spell them, outside of code and data: `max_suppressed`, `unit=owner`, `None`."""
    return list(page.evaluate(_SPELLED))


_CUT = """[...document.querySelectorAll(".q-field__label, .q-field__native > span, .tile-label, th, .q-btn .block")]
  .filter((one) => one.offsetParent && getComputedStyle(one).display !== "inline")
  .filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent)"""


def cut_words(page: Page) -> list[str]:
    """Labels, chosen options and buttons of which only the beginning can be read."""
    return list(page.evaluate(_CUT))
