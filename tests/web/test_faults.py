"""Errors of pages carry their remedy: every one is a fault that makes a control inside."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import crypsis.web

_PAGES = Path(crypsis.web.__file__).parent


def _calls(name: str) -> Iterator[tuple[str, ast.Call]]:
    for file in sorted(_PAGES.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == name:
                yield f"{file.relative_to(_PAGES)}:{node.lineno}", node


def test_no_page_shows_an_error_that_is_not_a_fault() -> None:
    told = [
        where
        for where, call in _calls("message")
        if call.args and isinstance(call.args[0], ast.Constant) and call.args[0].value == "bad"
    ]
    assert [where.partition(":")[0] for where in told] == ["theme.py"]


def test_every_fault_makes_something_inside() -> None:
    with_controls = 0
    for file in _PAGES.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.With) and any("fault(" in ast.unparse(item) for item in node.items):
                made = [ast.unparse(one) for one in node.body]
                assert any("(" in one for one in made) or file.name == "query.py", (file.name, node.lineno)
                with_controls += 1
    assert with_controls >= 15
