"""Kernels work wherever they run: with a cache, without a place for one, and not compiled at all."""

from __future__ import annotations

import gc
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from crypsis import compilation, kernel_typing
from crypsis.kernels.subsequences import rename_symbol
from tests.shared_data import ROOT

PACKAGE = Path(compilation.__file__).parent

# Renames symbol 0 to symbol 1 in a table of two symbols: small, so that it compiles quickly.
RUN_A_KERNEL = """
import numpy as np
from crypsis.kernels.subsequences import rename_symbol
counts = np.array([3, 4], np.int32)
rename_symbol(counts, 1, 2, 0, 1)
print(counts.tolist())
"""


def in_a_process(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    variables = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**variables, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_without_a_writable_cache_kernels_are_compiled_anew_and_a_warning_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    ended = in_a_process(RUN_A_KERNEL, NUMBA_CACHE_DIR=str(tmp_path / "file" / "below"))
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "[0, 7]\n"
    assert ended.stderr.count("Set NUMBA_CACHE_DIR to a writable directory.") == 1
    assert "RuntimeWarning" in ended.stderr


def test_a_cache_that_is_a_file_is_no_cache(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    ended = in_a_process(RUN_A_KERNEL, NUMBA_CACHE_DIR=str(tmp_path / "file"))
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "[0, 7]\n"
    assert "Set NUMBA_CACHE_DIR" in ended.stderr
    assert (tmp_path / "file").read_text(encoding="utf-8") == "in the way"


@pytest.mark.long
def test_a_chosen_cache_is_filled_and_used_again(tmp_path: Path) -> None:
    first = in_a_process(RUN_A_KERNEL, NUMBA_CACHE_DIR=str(tmp_path / "new" / "cache"))
    assert (first.stdout, first.stderr) == ("[0, 7]\n", "")
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nb?")}
    assert any("rename_symbol" in path.name for path in kept)
    again = in_a_process(RUN_A_KERNEL, NUMBA_CACHE_DIR=str(tmp_path / "new" / "cache"))
    assert (again.stdout, again.stderr) == ("[0, 7]\n", "")
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nb?")} == kept


def test_it_is_told_when_a_kernel_has_to_be_compiled_and_only_then(tmp_path: Path) -> None:
    hearing = (
        "from crypsis.compilation import when_compiling\nheard = []\nwith when_compiling(lambda: heard.append(1)):\n"
    )
    code = hearing + RUN_A_KERNEL.strip().replace("\n", "\n    ").join(["    ", "\nprint(len(heard))\n"])
    told = [in_a_process(code, NUMBA_CACHE_DIR=str(tmp_path / "cache")) for _ in range(2)]
    assert [ended.stdout for ended in told] == ["[0, 7]\n1\n", "[0, 7]\n0\n"], told[0].stderr


@pytest.mark.long
def test_a_copy_of_the_package_uses_the_same_compiled_code(tmp_path: Path) -> None:
    copy = tmp_path / "copy" / "crypsis"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for path in copy.rglob("*.py"):
        os.utime(path, (1e9, 1e9))
    kept = set[Path]()
    for package in (PACKAGE, copy):
        ended = in_a_process(RUN_A_KERNEL, NUMBA_CACHE_DIR=str(tmp_path / "cache"), PYTHONPATH=str(package.parent))
        assert (ended.stdout, ended.stderr) == ("[0, 7]\n", "")
        kept = kept or set((tmp_path / "cache").rglob("*.nb?"))
        assert set((tmp_path / "cache").rglob("*.nb?")) == kept != set()


# A kernel that reads its numbers as what they are: code for the wrong type gives another sum.
A_SUM = """
import sys
import numpy as np
from crypsis.compilation import njit

@njit
def total(numbers):
    found = 0
    for number in numbers:
        found += number
    return found

if __name__ == "__main__":
    print(total(np.arange(1, 5, dtype=sys.argv[1])))
"""


@pytest.fixture
def a_sum(tmp_path: Path) -> Path:
    file = tmp_path / "a_sum.py"
    file.write_text(A_SUM, encoding="utf-8")
    return file


def summed(file: Path, kind: str, code: str = "pass", **environment: str) -> subprocess.CompletedProcess[str]:
    run = f"import runpy, sys; sys.argv = ['', {kind!r}]; {code}; runpy.run_path({str(file)!r}, run_name='__main__')"
    return in_a_process(run, NUMBA_CACHE_DIR=str(file.parent / "cache"), **environment)


def kept_files(file: Path, ending: str) -> list[Path]:
    return sorted(path for path in (file.parent / "cache").rglob(f"*.{ending}") if "total" in path.name)


@pytest.mark.long
def test_code_for_other_types_is_never_run_after_the_index_was_lost_and_a_process_killed(a_sum: Path) -> None:
    assert summed(a_sum, "int32").stdout == "10\n"
    for index in kept_files(a_sum, "nbi"):
        index.unlink()  # numba begins to count anew, and leaves the files that are there
    killed = "import os; os.replace = lambda *names, real=os.replace: (real(*names), os.kill(os.getpid(), 9))"
    assert summed(a_sum, "int64", killed).returncode == -9  # right after the first file that it keeps
    assert summed(a_sum, "int64").stdout == "10\n"
    assert summed(a_sum, "int32").stdout == "10\n"
    assert len(kept_files(a_sum, "nbc")) == 2


@pytest.mark.long
def test_two_processes_never_give_functions_of_their_code_the_same_number(a_sum: Path) -> None:
    """The number is all by which numba tells the inner functions of `np.sort` and `np.argsort` apart when it links."""
    count = "__import__('numba').core.bytecode.FunctionIdentity._unique_ids"
    number = f"import atexit; atexit.register(lambda: print(next({count})))"
    one, other = (int(summed(a_sum, "int32", number).stdout.split()[1]) for _ in range(2))
    assert abs(one - other) > 1_000_000


@pytest.mark.long
def test_a_damaged_file_is_compiled_again_and_mended(a_sum: Path) -> None:
    assert summed(a_sum, "int32").stdout == "10\n"
    for ending in ("nbi", "nbc"):
        (damaged,) = kept_files(a_sum, ending)
        for rest in (b"", b"\x80\x05", bytes(range(256))):
            damaged.write_bytes(rest)
            again = summed(a_sum, "int32")
            assert (again.stdout, again.stderr) == ("10\n", "")
            assert len(damaged.read_bytes()) > 300


@pytest.mark.long
def test_many_that_keep_a_kernel_for_different_types_at_once_keep_them_all(a_sum: Path) -> None:
    kinds = ["int16", "int32", "int64", "uint16"]
    with ThreadPoolExecutor(len(kinds)) as threads:
        assert [one.stdout for one in threads.map(lambda kind: summed(a_sum, kind), kinds)] == ["10\n"] * 4
    assert len(kept_files(a_sum, "nbc")) == 4
    before = {path: path.stat().st_mtime_ns for path in kept_files(a_sum, "nb?")}
    assert [summed(a_sum, kind).stdout for kind in kinds] == ["10\n"] * 4
    assert {path: path.stat().st_mtime_ns for path in kept_files(a_sum, "nb?")} == before


MANY_WAYS = """
import numpy as np
from crypsis.compilation import njit


@njit
def total(numbers, first, end):
    found = 0
    for place in range(first, end):
        found += numbers[place]
    return found


@njit
def entry(numbers, end):
    copied = np.zeros(8, np.int64)
    copied[0:end] = numbers
    return total(copied, 0, 3) + total(copied, 1, len(copied)) + total(numbers, end - 2, end)


writable = np.arange(4)
frozen = writable.copy()
frozen.flags.writeable = False
print([entry(numbers, 4) for numbers in (writable, frozen)])
print(len(entry.signatures), len(total.callee().signatures))
try:
    entry(frozen, 3)
except ValueError as error:
    print(error)
"""


@pytest.mark.long
def test_a_kernel_has_one_form_however_its_numbers_and_arrays_come(tmp_path: Path) -> None:
    """Neither constants nor arrays that must not be written have it compiled again."""
    file = tmp_path / "kernels.py"
    file.write_text(MANY_WAYS, encoding="utf-8")
    ended = in_a_process(
        f"import runpy; runpy.run_path({str(file)!r}, run_name='kernels')", NUMBA_CACHE_DIR=str(tmp_path / "cache")
    )
    refused = "cannot assign slice from input of different size"
    assert ended.stdout.splitlines() == ["[14, 14]", "1 1", refused], ended.stderr


TWO_RESULTS = """
import signal
from typing import NamedTuple
import numpy as np
from crypsis.compilation import njit


class Both(NamedTuple):
    left: np.ndarray
    right: np.ndarray


@njit
def count_twice(most):
    left, right = np.zeros(1, np.int64), np.zeros(1, np.int64)
    for step in range(most):
        left[0] += (right[0] ^ step) & 1
        right[0] += (left[0] ^ step) & 3
    return RESULT


def stop(number, frame):
    raise KeyboardInterrupt


signal.signal(signal.SIGALRM, stop)
for most in (10, 3 * 10**8):  # first compiled and run, then interrupted
    if most > 10:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        left, right = count_twice(most)
    except KeyboardInterrupt:
        print("interrupted")
    else:
        print("returned", len(left), len(right))
"""


@pytest.mark.long
@pytest.mark.parametrize("result", ["left, right", "Both(left, right)"])
def test_a_signal_while_a_kernel_runs_is_handled_after_it_returned(tmp_path: Path, result: str) -> None:
    file = tmp_path / "kernels.py"
    file.write_text(TWO_RESULTS.replace("RESULT", result), encoding="utf-8")
    for _ in range(2):  # compiled, then loaded from the cache
        ended = in_a_process(
            f"import runpy; runpy.run_path({str(file)!r}, run_name='kernels')", NUMBA_CACHE_DIR=str(tmp_path)
        )
        assert (ended.returncode, ended.stdout) == (0, "returned 1 1\ninterrupted\n"), ended.stderr


def test_every_kernel_is_kept_so() -> None:
    assert rename_symbol._cache._cache_file.save.__module__ == "crypsis.compilation"


@pytest.fixture
def numba_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a test makes numba believe is taken back."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", numba.config.CACHE_DIR)
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)


def found_directory() -> Path | None:
    return compilation.cache_directory.__wrapped__()  # without the memory of the first answer


@pytest.mark.usefixtures("numba_cache")
def test_a_read_only_package_keeps_its_kernels_in_the_users_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writable = compilation._writable
    monkeypatch.setattr(compilation, "_writable", lambda path: PACKAGE not in path.parents and writable(path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    found = found_directory()
    assert found is not None
    assert found.is_dir()
    assert tmp_path in found.parents


@pytest.mark.usefixtures("numba_cache")
def test_with_nowhere_to_write_there_is_no_directory_but_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compilation, "_writable", lambda path: False)
    with pytest.warns(RuntimeWarning, match="every process compiles them again"):
        assert found_directory() is None


@pytest.mark.usefixtures("numba_cache")
def test_kernels_that_nothing_asked_for_in_weeks_are_removed_and_others_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    old, young, foreign = tmp_path / "kernels-0000", tmp_path / "kernels-1111", tmp_path / "mine"
    for folder in (old, young, foreign):
        folder.mkdir()
    long_ago = time.time() - 60 * 24 * 3600
    for folder in (old, foreign):
        os.utime(folder, (long_ago, long_ago))
    assert found_directory() == tmp_path
    assert sorted(tmp_path.iterdir()) == sorted([young, foreign])


A_KERNEL = "from crypsis.compilation import njit\n"


@pytest.fixture
def small_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Kernels `a` -> `b` -> `c`, and `d` alone."""
    (tmp_path / "kernels").mkdir()
    for name, text in {
        "a": "from crypsis.kernels import b\n",
        "b": "def late():\n    from crypsis.kernels.c import (\n        one,\n        two,\n    )\n",
        "c": "",
        "d": "",
    }.items():
        (tmp_path / "kernels" / f"{name}.py").write_text(A_KERNEL + text, encoding="utf-8")
    monkeypatch.setattr(compilation, "_PACKAGE", tmp_path)
    forget_sources()
    return tmp_path / "kernels"


def forget_sources() -> None:
    """As a new process begins."""
    compilation._imported.cache_clear()
    compilation._source.cache_clear()


def test_a_change_recompiles_what_may_be_made_of_it_and_nothing_else(small_package: Path) -> None:
    def digests() -> dict[str, str]:
        return {name: compilation._digest_of(small_package / f"{name}.py") for name in "abcd"}

    before = digests()
    (small_package / "c.py").write_text(A_KERNEL + "LIMIT = 3\n", encoding="utf-8")
    assert digests() == before  # this process has the old code, and must not keep it under the name of the new
    forget_sources()
    after = digests()
    assert {name for name in "abcd" if before[name] != after[name]} == {"a", "b", "c"}


def test_a_kernel_outside_the_folders_made_for_them_counts_too(small_package: Path) -> None:
    (small_package.parent / "data").mkdir()
    for name, text in {"plain": "LIMIT = 3\n", "drawn": "@njit\ndef drawn():\n    return 4\n"}.items():
        (small_package.parent / "data" / f"{name}.py").write_text(A_KERNEL + text, encoding="utf-8")
    (small_package / "e.py").write_text("from crypsis.data.drawn import drawn\nfrom crypsis.data import plain\n")
    assert {path.stem for path in compilation._made_of(small_package / "e.py")} == {"drawn", "e"}


def test_kernels_are_imported_by_lines_that_the_search_understands() -> None:
    for folder in compilation._FOLDERS_WITH_KERNELS:
        for path in (PACKAGE / folder).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"^\s*(import crypsis|from \.)", text, re.MULTILINE), path


def test_no_file_goes_to_numba_past_the_one_door() -> None:
    for path in PACKAGE.rglob("*.py"):
        if path.name != "compilation.py":
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"^\s*(import numba|from numba)\b.*njit", text, re.MULTILINE), path
            assert "numba.njit" not in text, path


RUN_THROUGH_THEIR_USERS = (
    "tests/test_every_method.py",
    "tests/metrics/test_clustering.py",
    "tests/methods/trajectory/test_progressive_generalization.py",
    "tests/methods/trajectory/test_regions_of_interest.py",
)


@pytest.mark.long
def test_every_kernel_also_passes_in_the_interpreter() -> None:
    """Each kernel's own tests, and those of the methods, metrics and the verifier that are made of them."""
    ended = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-p", "no:xdist", "--hypothesis-profile=few"),
            *("tests/kernels", "tests/methods/trajectory/test_seq_anon.py", "tests/verifiers/test_km_anonymity.py"),
            *RUN_THROUGH_THEIR_USERS,
            *("-k", "not check_ins and not rows_of_distances"),  # too large for an interpreter
        ],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    passed = re.search(r"(\d+) passed", ended.stdout)
    assert passed
    assert int(passed[1]) > 60


def test_every_kernel_is_run_by_the_test_above() -> None:
    """It has tests of its own, or a method or metric whose tests run there is made of it."""
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests" / "kernels").glob("test_*.py"))
    users = "".join(
        path.read_text(encoding="utf-8")
        for folder in ("methods", "metrics")
        for path in (PACKAGE / folder).rglob("*.py")
    )
    for path in (PACKAGE / "kernels").glob("[a-z]*.py"):
        imported = (f"crypsis.kernels.{path.stem} import", f"crypsis.kernels import {path.stem}")
        assert any(line in tests + users for line in imported), path


# A kernel that Python and another kernel call.
A_HELPER = """
import numpy as np
from crypsis.compilation import njit

@njit
def doubled(number):
    return 2 * number

@njit
def total(numbers):
    found = 0
    for number in numbers:
        found += doubled(number)
    return found

if __name__ == "__main__":
    print(total(np.arange(1, 5)), doubled(21), total(np.arange(1.0, 5.0)))
"""


@pytest.mark.long
def test_a_kernel_called_by_kernels_and_by_python_runs_compiled_and_kept(tmp_path: Path) -> None:
    file = tmp_path / "a_helper.py"
    file.write_text(A_HELPER, encoding="utf-8")
    for _ in range(2):
        ended = summed(file, "int64")
        assert (ended.stdout, ended.stderr) == ("20 42 20.0\n", "")
    machine_code = {path.name: b"ELF" in path.read_bytes() for path in (tmp_path / "cache").rglob("*.nbc")}
    called = {name: native for name, native in machine_code.items() if "-called" in name}
    assert len(called) == 2
    assert len(machine_code) == 5
    if sys.platform == "linux":
        assert not any(called.values())
        assert sum(machine_code.values()) == 3


def test_numba_functions_of_others_are_called_by_python_after_they_were_linked() -> None:
    rename_symbol.compiled()  # numba is changed by now

    @numba.njit
    def doubled(number: int) -> int:
        return 2 * number

    @numba.njit
    def increased(number: int) -> int:
        return int(doubled(number)) + 1

    assert (increased(4), doubled(4)) == (9, 8)


def test_numba_types_functions_of_others_as_ever_after_kernels_were_compiled() -> None:
    rename_symbol.compiled()
    compilation._prepare_to_compile()

    @compilation.njit
    def own(numbers: Any) -> Any:
        return numbers.sum()

    @numba.njit(fastmath=True)
    def fast(numbers: Any) -> Any:
        return numbers.sum() + 1

    @numba.njit(error_model="numpy")
    def divided(numbers: Any) -> Any:
        return numbers.sum() / 0.0

    numbers = np.arange(3.0)
    assert own(numbers) == 3
    assert kernel_typing._found
    assert fast(numbers) == 4
    assert not kernel_typing._found
    assert own(numbers.astype(np.int64)) == 3
    assert divided(numbers) == np.inf


def test_the_garbage_collector_works_again_after_a_kernel_was_or_could_not_be_compiled() -> None:
    @compilation.njit
    def added(numbers: Any) -> Any:
        return numbers + 1

    was_on = gc.isenabled()
    try:
        for on in (True, False):
            (gc.enable if on else gc.disable)()
            assert added(1) == 2
            with pytest.raises(numba.TypingError):
                added("text")
            assert gc.isenabled() is on
            assert kernel_typing._depth == 0
            added.compiled()._reset_overloads()
    finally:
        (gc.enable if was_on else gc.disable)()


def test_variables_of_statements_and_equal_options_are_found_as_numba_finds_them() -> None:
    from numba.core import compiler
    from numba.core.compiler import Flags

    compilation._prepare_to_compile()

    def everything(numbers: Any, *rest: Any, named: int = 1) -> Any:
        table = {1: numbers, named: rest}
        for index, number in enumerate(numbers[named:]):
            numbers[index] = max(number, *rest) if number else -number
        return [table, (numbers, f"{named}")]

    blocks = compiler.run_frontend(everything).blocks.values()
    statements = [statement for block in blocks for statement in block.body]
    found = [[variable.name for variable in statement.list_vars()] for statement in statements]
    usual = [[variable.name for variable in statement._rec_list_vars(statement.__dict__)] for statement in statements]
    assert found == usual
    assert sum(map(len, found)) > 50
    assert Flags() == Flags()
    one, other = Flags(), Flags()
    one.nrt = True
    assert one != other
    other.nrt = True
    assert (one, hash(one)) == (other, hash(other))
    one.boundscheck = one.boundscheck  # set, and yet as if it were not
    assert one == other


@pytest.mark.long
def test_a_numba_that_was_not_tried_compiles_as_it_always_does(tmp_path: Path) -> None:
    code = f"""
import numba
from numba.core.codegen import JITCodeLibrary
from numba.core.types.functions import BaseFunction
usual = JITCodeLibrary.get_pointer_to_function, BaseFunction.get_call_type
numba.version_info = numba.version_info._replace(short=(99, 0))
{RUN_A_KERNEL}
print(usual == (JITCodeLibrary.get_pointer_to_function, BaseFunction.get_call_type))
"""
    for _ in range(2):
        ended = in_a_process(code, NUMBA_CACHE_DIR=str(tmp_path))
        assert (ended.stdout, ended.stderr) == ("[0, 7]\nTrue\n", "")
