"""Markup that escapes by default: text from users stays text, whatever characters it holds."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

# Not allowed in XML 1.0: control characters, lone surrogates (which UTF-8 cannot write either), two non-characters.
_NOT_ALLOWED = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff"
_UNPRINTABLE = re.compile(f"[{_NOT_ALLOWED}]")
_SPECIAL = re.compile(f"[&<>\"'{_NOT_ALLOWED}]")

Attribute = str | int | float | None


class Markup(str):
    """Text that is markup already. Everything else is escaped; a formatted string is everything else."""

    __slots__ = ()


def escape(text: str) -> Markup:
    """Text as markup shows it; markup as it is."""
    if isinstance(text, Markup):
        return text
    if _SPECIAL.search(text) is None:  # as nearly all texts and numbers of a drawing
        return Markup(text)
    return Markup(html.escape(_UNPRINTABLE.sub("�", text), quote=True))


def element(name: str, /, *children: str, **attributes: Attribute) -> Markup:
    """One element. In attribute names `_` stands for `-` and a last `_` is dropped; None leaves one out."""
    opening = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value if isinstance(value, str) else number(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    content = join(children)
    if not content and name in _EMPTY:
        return Markup(f"<{name}{opening}/>")
    return Markup(f"<{name}{opening}>{content}</{name}>")


def join(parts: Iterable[str], between: str = "") -> Markup:
    """Parts one after another, each escaped unless it is markup."""
    return Markup(escape(between).join(map(escape, parts)))


def number(value: float) -> str:
    """A coordinate or size, to a tenth."""
    text = f"{value:.1f}"
    return "0" if text == "-0.0" else text.removesuffix(".0")


def model_name(name: str) -> Markup:
    """The name of a privacy model with its exponent raised: k^m-anonymity."""
    return Markup(re.sub(r"(?<=[a-z)])\^(\w)", r"<sup>\1</sup>", escape(name)))


_EMPTY = frozenset({"path", "rect", "circle", "line", "polygon", "br", "meta"})
