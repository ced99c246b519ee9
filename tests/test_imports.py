"""A command imports what it runs. Modules are counted, not seconds."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from crypsis.methods import METHODS
from crypsis.methods.listing import Line, line_of, listing

LOADED = """
import json, sys
{code}
print("\\n" + json.dumps(sorted(sys.modules)))
"""
COMMAND = """
from crypsis.cli.main import main
try:
    main({arguments!r})
except SystemExit as ended:
    assert not ended.code, ended.code
"""


def loaded(code: str) -> set[str]:
    ended = subprocess.run([sys.executable, "-c", LOADED.format(code=code)], capture_output=True, text=True, check=True)
    return set(json.loads(ended.stdout.splitlines()[-1]))


def loaded_by(*arguments: str) -> set[str]:
    return loaded(COMMAND.format(arguments=list(arguments)))


@pytest.mark.parametrize("command", ["--help", "methods"])
def test_a_list_needs_neither_numbers_nor_tables(command: str) -> None:
    assert not loaded_by(command) & {"numba", "numpy", "polars", "scipy", "crypsis.release"}


def test_a_command_is_imported_and_no_other() -> None:
    found = loaded_by("methods")
    assert "crypsis.cli.methods" in found
    assert not found & {"crypsis.cli.anonymize", "crypsis.cli.serve", "crypsis.cli.warehouse", "pydantic"}


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small release of a table."""
    import crypsis

    table = crypsis.Table.from_frame(pl.DataFrame({"age": [31, 34, 31, 34]}), roles={"age": "quasi"})
    return crypsis.anonymize(table, crypsis.Mondrian(k=2)).write(tmp_path_factory.mktemp("written") / "release")


def test_verify_imports_what_it_verifies(release: Path) -> None:
    found = loaded_by("verify", str(release))
    assert {"crypsis.verifiers.k_anonymity", "crypsis.publication.relational"} <= found
    assert not found & {"numba", "scipy", "pandas", "pydantic", "rich", "crypsis.parts_release", "crypsis.data.sources"}
    ours = [name for name in found if name.startswith("crypsis.")]
    assert not [name for name in ours if name.startswith(("crypsis.drawing", "crypsis.reports.sections"))]
    for family, other in {"verifiers": "km_anonymity", "publication": "trajectory", "metrics": "distance"}.items():
        assert f"crypsis.{family}.{other}" not in found
    assert len(ours) < 230, sorted(ours)


def test_reading_options_are_loaded_where_they_are_typed(release: Path, tmp_path: Path) -> None:
    original = tmp_path / "original.csv"
    original.write_text("age\n31\n34\n31\n34\n")
    found = loaded_by("verify", str(release), "--original", str(original), "--missing", "NA")
    assert "crypsis.data.sources" in found


def test_a_release_is_measured_and_reported_by_metrics_of_its_kind(tmp_path: Path) -> None:
    code = (
        "import polars as pl, crypsis\n"
        "table = crypsis.Table.from_frame(pl.DataFrame({'age': [31, 34]}), roles={'age': 'quasi'})\n"
        "release = crypsis.anonymize(table, crypsis.Mondrian(k=2))\n"
        f"release.write({str(tmp_path / 'release')!r}, private_report={str(tmp_path / 'private.json')!r})"
    )
    found = loaded(code)
    assert "crypsis.metrics.granularity" in found
    assert not found & {"crypsis.metrics.clustering", "crypsis.metrics.itemsets", "crypsis.metrics.trip_patterns"}


def test_kernels_are_imported_without_numba_and_scipy() -> None:
    found = loaded("import crypsis.release\nfrom crypsis.methods import METHODS\nlist(METHODS.values())")
    assert {"crypsis.kernels.subsequences", "crypsis.methods.relational.mondrian"} <= found
    assert not found & {"numba", "scipy", "pandas", "pyarrow"}


def test_one_method_is_imported_and_no_other() -> None:
    found = loaded("from crypsis.methods import method_named\nmethod_named('mondrian')")
    assert "crypsis.methods.relational.mondrian" in found
    assert "crypsis.methods.trajectory.seq_anon" not in found
    assert "crypsis.methods.relational.incognito" not in found


def test_a_table_is_read_without_numba(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("age,city\n31,Bonn\n34,Bonn\n", encoding="utf-8")
    found = loaded(f"import crypsis\ncrypsis.read_table({str(file)!r}, dict(age='quasi', city='other'))")
    assert not found & {"numba", "scipy"}


def test_the_place_of_the_input_is_taken_as_it_is_typed(tmp_path: Path) -> None:
    file, out = tmp_path / "people.csv", tmp_path / "release"
    file.write_text("age,city\n31,Bonn\n31,Bonn\n", encoding="utf-8")
    columns = ("--quasi", "age", "--other", "city", "--each-row-is-a-person")
    found = loaded_by("anonymize", str(file), "--method", "mondrian", "-k", "2", *columns, "--out", str(out))
    assert "pydantic" not in found


def test_the_list_of_methods_says_what_they_say() -> None:
    expected = {name: line_of(name) for name in METHODS}
    assert listing() == expected, "run: python docs/generate_reference.py"
    assert all(isinstance(line, Line) for line in listing().values())


def test_kernels_leave_linear_algebra_alone() -> None:
    code = (
        "import sys, numpy as np\n"
        "from crypsis.kernels.row_order import sorted_rows\n"
        "sorted_rows(np.array([0, 1, 2]), np.array([1, 0], np.int32))\n"
        "assert 'numba' in sys.modules and 'scipy.linalg' not in sys.modules\n"
        "import scipy.linalg.cython_blas\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_kept_kernels_are_run_without_what_compiling_needs() -> None:
    code = (
        "import sys, numpy as np\n"
        "from crypsis.kernels.row_order import sorted_rows\n"
        "assert sorted_rows(np.array([0, 1, 2]), np.array([1, 0], np.int32)).tolist() == [1, 0]\n"
        "print(sorted({'cffi', 'yaml', 'numba.np.arraymath', 'numba.np.npyimpl'} & set(sys.modules)))\n"
        "import yaml\n"
    )
    for _ in range(2):  # the first may compile
        ended = subprocess.run([sys.executable, "-c", code], check=True, timeout=120, capture_output=True, text=True)
    assert ended.stdout == "[]\n"
