"""Run the notebooks of docs/notebooks and write their outputs into them. Jupyter is not needed.

python docs/execute_notebooks.py
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import tempfile
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "notebooks"


def executed(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook with the outputs of its cells, which run in order in an empty folder."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = []
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                cell = {**cell, "execution_count": None, "outputs": _outputs("".join(cell["source"]), names)}
            cells.append(cell)
    return {**notebook, "cells": cells}


def _outputs(source: str, names: dict[str, Any]) -> list[dict[str, Any]]:
    """What a cell prints, and its last expression as text and, where it has a form for notebooks, as HTML."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        value = None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())})
    if value is not None:
        shown = getattr(value, "_repr_html_", None)
        data = {"text/html": _lines(shown())} if shown is not None else {"text/plain": _lines(repr(value))}
        outputs.append({"data": data, "execution_count": None, "metadata": {}, "output_type": "execute_result"})
    return outputs


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def as_text(notebook: dict[str, Any]) -> str:
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    for path in sorted(FOLDER.glob("*.ipynb")):
        path.write_text(as_text(executed(json.loads(path.read_text(encoding="utf-8")))), encoding="utf-8")
