"""Puts the parameters of a method, as the reference lists them, into its page when the documentation is built.

A page asks with a comment: `<!-- parameters of SeqAnon -->`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

REQUEST = re.compile(r"<!-- parameters of (\w+) -->")
METHODS = Path(__file__).parent / "reference" / "methods.md"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Called by mkdocs for each page before it is rendered."""
    return REQUEST.sub(lambda request: parameter_table(request[1]), markdown)


def parameter_table(method: str) -> str:
    """The table that stands under the method's heading in the reference."""
    _, _, section = METHODS.read_text(encoding="utf-8").partition(f"\n## {method}\n")
    return "\n".join(line for line in section.partition("\n## ")[0].splitlines() if line.startswith("|"))
