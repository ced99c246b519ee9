"""What a page says outside of the catalogue, as the pseudo-language shows it: words that stand between no brackets."""

from __future__ import annotations

import re
from collections.abc import Collection

from playwright.sync_api import BrowserContext, Page

from crypsis.translation import PSEUDO
from crypsis.web.reader import LANGUAGE_COOKIE
from tests.web.conftest import Server

_WORD = re.compile(r"[^\W\d_]{2,}")
_ENTITY = re.compile(r"&\w+;|<[^>]*>")

# Texts in the page and those that wait to be shown: tooltips, options of selects, menus that are closed. What widgets
# say by themselves comes from catalogues of their own.
_TEXTS = """() => {
  const found = [];
  const no_text = "script, style, code, pre, textarea, .code, .q-icon, .material-icons, .ag-cell, [translate=no]," +
    " .nicegui-error-popup";
  const say = (text, place) => text && String(text).trim() && found.push([String(text).trim(), place]);
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (!parent.closest(no_text)) say(walker.currentNode.textContent, parent.closest("[class]")?.getAttribute("class"));
  }
  for (const element of document.querySelectorAll("*"))
    if (!element.closest("script, style, [translate=no]"))
      for (const name of ["aria-label", "title", "placeholder", "alt", "aria-valuetext", "aria-description"])
        if (name !== "title" || !element.closest(".ag-cell")) say(element.getAttribute(name), name);
  const elements = document.getElementById("app")._vnode.component.proxy.elements;
  for (const element of Object.values(elements)) {
    const props = element.props;
    if (element.tag === "q-icon" || "translate" in props || "lang" in props) continue;
    if (!["code", "pre", "nicegui-code"].includes(element.tag)) say(element.text, element.tag);
    for (const name of ["label", "hint", "placeholder", "aria-label", "title", "prefix", "suffix", "error-message"])
      if (typeof props[name] === "string") say(props[name], `${element.tag} ${name}`);
    for (const option of Array.isArray(props.options) ? props.options : [])
      say(option.label ?? option, `${element.tag} option`);
  }
  return found;
}"""


def read_between_brackets(context: BrowserContext, server: Server) -> None:
    """From now on the pages of a window are in the pseudo-language."""
    context.add_cookies([{"name": LANGUAGE_COOKIE, "value": PSEUDO, "url": server.base}])


def unmarked(page: Page, names: Collection[str]) -> set[str]:
    """Texts of a page with words outside of brackets that are no names of the data."""
    known = {word.lower() for name in names for word in _WORD.findall(name)}
    found = set()
    for text, place in page.evaluate(_TEXTS):
        words = _WORD.findall(_ENTITY.sub(" ", outside(text)))
        if any(word.lower() not in known for word in words):
            found.add(f"{text[:160]}  ({place})")
    return found


def outside(text: str) -> str:
    """What of a text is between no brackets; a text that was cut may lack one of them."""
    kept: list[str] = []
    depth = 0
    for letter in text:
        depth += letter == "⟦"
        kept.append(" " if depth else letter)
        if letter == "⟧":
            kept = kept if depth else []
            depth = max(0, depth - 1)
    return "".join(kept)
