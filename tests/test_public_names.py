"""The list of public names is true: sorted, importable, typed, and loaded only when used."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import crypsis
from crypsis.errors import CrypsisError


def test_every_public_name_can_be_imported():
    for name in crypsis.__all__:
        assert getattr(crypsis, name) is not None
    assert {*dir(crypsis), "__version__"} == set(crypsis.__all__)


def test_members_are_also_in_the_namespaces_of_their_kind():
    assert crypsis.methods.Mondrian is crypsis.Mondrian
    assert crypsis.guarantees.KAnonymity is crypsis.KAnonymity
    assert crypsis.data.Table is crypsis.Table


def test_executors_are_found_without_the_engine():
    program = (
        "import sys, crypsis; crypsis.executors.Serial; crypsis.executors.Dask; print('distributed' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_name_is_listed_once_and_a_wrong_one_is_an_attribute_error():
    init = Path(crypsis.__file__)
    assert len(init.read_text(encoding="utf-8").splitlines()) < 40
    listed = [alias.name for node in ast.parse(init.with_suffix(".pyi").read_text()).body for alias in node.names]
    assert len(set(listed)) == len(listed)
    assert {*listed, "__version__"} == set(crypsis.__all__)
    with pytest.raises(AttributeError, match="Mondrain"):
        _ = crypsis.Mondrain


def test_importing_the_package_loads_nothing_heavy():
    loaded = "import sys, crypsis; print([m for m in ('numpy', 'numba', 'polars', 'typer') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_method_loads_no_other_method():
    program = (
        "import sys, crypsis; crypsis.methods.Mondrian; print('crypsis.methods.trajectory.seq_anon' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def _all_errors(kind: type[CrypsisError]) -> list[type[CrypsisError]]:
    return [kind, *(error for child in kind.__subclasses__() for error in _all_errors(child))]


def test_every_error_has_a_code_of_its_own_and_says_what_is_wrong():
    errors = _all_errors(CrypsisError)[1:]
    codes = [error.code for error in errors]
    assert len(errors) > 80
    assert len(set(codes)) == len(codes)
    for error in errors:
        assert error.code == error.code.lower().replace("_", "-")
        assert (error.__doc__ or "").splitlines()[0].endswith("."), error.__name__
