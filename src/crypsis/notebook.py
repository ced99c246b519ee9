"""What objects look like in a notebook: a heading, rows and states as plain HTML in the colours of the notebook.

Everything that comes from data is escaped. Only the first rows are shown.
"""

from __future__ import annotations

import base64
import html
from collections.abc import Iterable, Sequence
from typing import Any

ROWS, COLUMNS, LONGEST = 10, 20, 60
_FAINT = "opacity:.75"


def heading(title: str, note: str = "") -> str:
    beside = f' <span style="{_FAINT}">{_text(note)}</span>' if note else ""
    return f"<p><strong>{_text(title)}</strong>{beside}</p>"


def rows(names: Sequence[str], content: Iterable[Sequence[Any]], caption: str, *, longest: int | None = LONGEST) -> str:
    """A table with these columns; what is too long is cut."""
    names = names[:COLUMNS]
    heads = "".join(f'<th scope="col">{_text(name)}</th>' for name in names)
    body = "".join(
        "<tr>" + "".join(f"<td>{_cut(value, longest)}</td>" for value in row[:COLUMNS]) + "</tr>" for row in content
    )
    head = f"<caption>{_text(caption)}</caption><thead><tr>{heads}</tr></thead>"
    return f"<table>{head}<tbody>{body}</tbody></table>"


def text(lines: Sequence[str]) -> str:
    return f"<pre>{_text(chr(10).join(lines))}</pre>"


def state(good: bool | None, words: str) -> str:
    """A sign and a sentence; `None` stands between good and bad."""
    sign = {True: "✓", False: "✗", None: "!"}[good]
    return f'<p><span aria-hidden="true">{sign}</span> {_text(words)}</p>'


def picture(svg: str, words: str) -> str:
    """A drawing as an image of its own, so that its style stays inside it."""
    content = base64.b64encode(svg.encode()).decode()
    return f'<img alt="{_text(words)}" style="max-width:480px" src="data:image/svg+xml;base64,{content}"/>'


def framed(*parts: str) -> str:
    return f'<div class="crypsis">{"".join(parts)}</div>'


def _cut(value: Any, longest: int | None) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return _text(text if longest is None or len(text) <= longest else text[: longest - 1] + "…")


def _text(words: str) -> str:
    return html.escape(words, quote=True)
