"""The parts that sections of a report are built from."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Any

from crypsis.drawing.markup import Markup, element, join, model_name
from crypsis.translation import _, language, translated
from crypsis.translation.wording import figure, shown

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def page(title: str, style: str, *content: str, script: str = "") -> str:
    """A whole page that can load nothing and run nothing but the one script given here, whatever it contains."""
    policy = _POLICY
    last: list[str] = []
    if script:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        policy += f"; script-src 'sha256-{digest}'"
        last.append(element("script", Markup(script)))
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", title),
        element("style", Markup(style)),
    )
    return "<!doctype html>\n" + element("html", head, "\n", element("body", *content, *last), lang=language()) + "\n"


def section(heading: str, *content: str, class_: str | None = None) -> Markup:
    """Make a section with its heading."""
    return element("section", element("h2", heading), *content, "\n", class_=class_)


def paragraph(*content: str, class_: str | None = None) -> Markup:
    """Make a paragraph."""
    return element("p", *content, class_=class_)


def columns(*content: str) -> Markup:
    """Side by side; one below the other where there is no room."""
    return element("div", *content, class_="columns")


def pictured(heading: str | None, picture: str, *caption: str, below: str = "") -> Markup:
    """A picture with its heading and what it says."""
    title = [] if heading is None else [element("h3", heading)]
    return element("figure", *title, picture, below, element("figcaption", join(caption, " ")))


def items(sentences: Iterable[str]) -> Markup:
    """Make a list of sentences."""
    return element("ul", *(element("li", in_letters(sentence)) for sentence in sentences), class_="plain")


def in_letters(sentence: str) -> Markup:
    """A sentence with the exponents of its models raised, and names of parameters in the letters of a program."""
    written = sentence if isinstance(sentence, Markup) else model_name(sentence)
    return Markup(re.sub(r"`([^`<>]+)`", r"<code>\1</code>", written))


def facts_list(entries: Iterable[tuple[str, str]]) -> Markup:
    """Names and what they stand for."""
    parts = [element("div", element("dt", name), element("dd", content)) for name, content in entries]
    return element("dl", *parts, class_="facts")


def exact(value: Any) -> Markup:
    """A figure as people read it, with its exact value for programs."""
    if value is None:
        return element("data", figure(None), value="null")
    return element("data", shown(value), value=repr(value))


def settings(parameters: Mapping[str, Any]) -> str:
    """`k = 5, m = 2` with spaces that do not break; what was not set is left out, lists are only counted."""
    words = {
        name: _listed(value) if isinstance(value, list) else shown(_recipe(value))
        for name, value in parameters.items()
        if value is not None
    }
    return ", ".join(f"{name}\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{word}" for name, word in words.items())


def _recipe(value: Any) -> Any:
    """What was made from the data is told by its recipe."""
    return value["recipe"] if isinstance(value, Mapping) and "recipe" in value else value


def _listed(values: list[Any]) -> str:
    """Promises by name; of other lists only how many there are."""
    models = [value.get("model") if isinstance(value, Mapping) else None for value in values]
    return _(" and ").join(map(str, models)) if models and all(models) else _("{values} lists", values=len(values))


def promise_names(promised: Mapping[str, Any]) -> list[str]:
    """The model of a guarantee in the reader's language, or those that it joins, as a heading begins."""
    joined = (promised.get("parameters") or {}).get("promises")
    told = [part.get("model") for part in joined if isinstance(part, Mapping)] if isinstance(joined, list) else []
    names = [str(name) for name in told if name] or [str(promised.get("model") or _("The guarantee"))]
    first, *more = [translated(name) for name in names]
    start = first[:1].upper() if first[1:2].isalpha() else first[:1]  # the k of k-anonymity keeps its letter
    return [start + first[1:], *more]


def tile(name: str, value: Markup, detail: str) -> Markup:
    """One figure of those at a summary, with a word on it."""
    return element(
        "div", element("dt", name), element("dd", value, class_="figure"), element("dd", detail, class_="detail")
    )
