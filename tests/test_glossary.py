"""Pages, help, messages, reports and documents keep to the glossary: no phrasing that it rules out is anywhere."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "crypsis"
FAMILIES = sorted(path.name for path in SOURCE.iterdir() if path.is_dir() and path.name != "__pycache__")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@cache
def ruled_out() -> dict[str, str]:
    """Phrasings of the last column, each with the term to use instead."""
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")][1:]
    return {phrase.strip(): row[0] for row in rows if len(row) == 3 for phrase in row[2].split(";")}


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """The strings of a module with their lines; docstrings only where they are help."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    expressions = [node for node in ast.walk(tree) if isinstance(node, ast.Expr)]
    docstrings = set() if "cli" in path.parts else {id(expression.value) for expression in expressions}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.lineno, node.value


def violations(text: str) -> list[str]:
    joined = " ".join(text.split()).lower()
    return [
        f"{phrase!r} (say: {term})"
        for phrase, term in ruled_out().items()
        if re.search(rf"\b{re.escape(phrase)}\b", joined)
    ]


def test_the_glossary_rules_phrasings_out() -> None:
    assert {"found out", "anew", "what is left for analysis", "stand out"} <= set(ruled_out())
    assert violations("What stands between fields (found\nout where empty)")
    assert not violations("Field separator (detected if empty)")


@pytest.mark.parametrize("family", [".", *FAMILIES])
def test_texts_of_the_program_keep_to_the_glossary(family: str) -> None:
    found = [
        f"{path.relative_to(SOURCE)}:{line}: {', '.join(wrong)}"
        for path in sorted((SOURCE / family).glob("*.py") if family == "." else (SOURCE / family).rglob("*.py"))
        for line, text in texts(path)
        if (wrong := violations(text))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_documents_keep_to_the_glossary(page: Path) -> None:
    if page.name == "glossary.md":
        return
    found = [
        f"line {number}: {', '.join(wrong)}"
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1)
        if (wrong := violations(line))
    ]
    assert not found, "\n".join(found)
