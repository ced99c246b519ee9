"""The notebooks in the docs run, and show again what they showed when they were written."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parent.parent / "docs"
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("execute_notebooks", DOCS / "execute_notebooks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_there_are_six_notebooks_and_each_is_listed() -> None:
    listed = (DOCS / "notebooks" / "index.md").read_text(encoding="utf-8")
    assert len(NOTEBOOKS) == 6
    assert all(f"({path.name})" in listed for path in NOTEBOOKS)


@pytest.mark.long
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_again_what_it_showed(path: Path) -> None:
    """`python docs/execute_notebooks.py` writes the outputs anew."""
    stored = json.loads(path.read_text(encoding="utf-8"))
    again = script().executed(stored)
    for number, (before, after) in enumerate(zip(stored["cells"], again["cells"], strict=True), 1):
        assert before == after, f"cell {number} of {path.name} shows something else"


def test_every_notebook_becomes_a_page_with_its_texts_code_and_outputs() -> None:
    spec = importlib.util.spec_from_file_location("notebook_pages", DOCS / "notebook_pages.py")
    assert spec is not None
    assert spec.loader is not None
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    for path in NOTEBOOKS:
        notebook = json.loads(path.read_text(encoding="utf-8"))
        page = hook.page_of(notebook)
        assert page.startswith("# ")
        shown = sum(len(cell.get("outputs", ())) for cell in notebook["cells"])
        assert page.count("```text") + page.count('<div class="notebook-output"') == shown
        assert page.count("```python") == sum(cell["cell_type"] == "code" for cell in notebook["cells"])
