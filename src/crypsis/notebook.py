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
    """Write a title with a fainter note beside it."""
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
    """Write lines as plain text."""
    return f"<pre>{_text(chr(10).join(lines))}</pre>"


def state(good: bool | None, words: str) -> str:
    """A sign and a sentence; `None` stands between good and bad."""
    sign = {True: "✓", False: "✗", None: "!"}[good]
    return f'<p><span aria-hidden="true">{sign}</span> {_text(words)}</p>'


def picture(svg: str, words: str) -> str:
    """A drawing as an image of its own, so that its style stays inside it."""
    content = base64.b64encode(svg.encode()).decode()
    return f'<img alt="{_text(words)}" style="max-width:480px" src="data:image/svg+xml;base64,{content}"/>'


def bars(values: Sequence[tuple[str, float]], words: str) -> str:
    """One bar for each value, all on one scale."""
    most = max((value for _, value in values), default=0) or 1
    lines = "".join(
        f'<text x="0" y="{20 * n + 14}" font-size="12">{_cut(label, 30)}</text>'
        f'<rect x="200" y="{20 * n + 3}" width="{max(0.0, 200 * value / most):.1f}" height="14" fill="#00796b"/>'
        f'<text x="405" y="{20 * n + 14}" font-size="12">{value:.3g}</text>'
        for n, (label, value) in enumerate(values)
    )
    size = f'width="480" height="{20 * len(values) + 4}"'
    style = 'font-family="sans-serif" fill="#777"'
    return picture(f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>{lines}</svg>', words)


def progress(stage: str, share: float | None, left: float | None) -> str:
    """A bar with its stage; without a share it only says that work goes on."""
    value = "" if share is None else f' value="{share:.3f}"'
    words = stage if share is None or left is None else f"{stage}, {share:.0%}, {left:,.0f} s left"
    return framed(f'<progress max="1"{value} aria-label="{_text(stage)}"></progress> {_text(words)}')


def framed(*parts: str) -> str:
    """Put parts into the frame that Crypsis has in notebooks."""
    return f'<div class="crypsis">{"".join(parts)}</div>'


def _cut(value: Any, longest: int | None) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return _text(text if longest is None or len(text) <= longest else text[: longest - 1] + "…")


def _text(words: str) -> str:
    return html.escape(words, quote=True)
