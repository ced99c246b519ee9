"""The list of public names is true: sorted, importable, typed, and loaded only when used."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import crypsis
from crypsis.errors import CrypsisError


def test_every_public_name_can_be_imported():
    for name in crypsis.__all__:
        assert getattr(crypsis, name) is not None
    assert set(dir(crypsis)) == set(crypsis.__all__)


def test_the_names_are_the_same_for_type_checkers_and_at_run_time():
    tree = ast.parse(Path(crypsis.__file__).read_text(encoding="utf-8"))
    guarded = next(node for node in tree.body if isinstance(node, ast.If))
    typed = {alias.name for node in guarded.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert typed | {"__version__"} == set(crypsis.__all__)
    for node in guarded.body:
        assert isinstance(node, ast.ImportFrom)
        assert {alias.name for alias in node.names} == set(crypsis._HOME[node.module])


def test_importing_the_package_loads_nothing_heavy():
    loaded = "import sys, crypsis; print([m for m in ('numpy', 'numba', 'polars', 'typer') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def _all_errors(kind: type[CrypsisError]) -> list[type[CrypsisError]]:
    return [kind, *(error for child in kind.__subclasses__() for error in _all_errors(child))]


def test_every_error_has_a_code_of_its_own_and_stands_in_the_tree():
    import crypsis.errors

    errors = _all_errors(CrypsisError)
    codes = [error.code for error in errors]
    assert len(set(codes)) == len(codes)
    drawn = crypsis.errors.__doc__
    for error in errors[1:]:
        assert f"{error.__name__} " in drawn
        assert f" {error.code} " in drawn
        assert error.code == error.code.lower().replace("_", "-")
