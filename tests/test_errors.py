"""Errors: the built-in ones that Python programs expect, readable, and whole after a trip between processes."""

import ast
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import crypsis
from crypsis import errors
from crypsis.errors import CrypsisError

SOURCE = Path(crypsis.__file__).parent
EVERY = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, CrypsisError)]
# What names no wrong argument, file or state: no release exists, a limit, a light, a stop; and the roots of branches.
PLAIN = {
    errors.CrypsisError,
    errors.InputError,
    errors.Infeasible,
    errors.TooFewTrajectories,
    errors.TooFewRecords,
    errors.InfeasibleLength,
    errors.InfeasibleDiversity,
    errors.BudgetExhausted,
    errors.PoliciesConflict,
    errors.UtilityConstraintsUnsatisfied,
    errors.LimitReached,
    errors.TooLarge,
    errors.BlockTooLarge,
    errors.CapacityReached,
    errors.ReviewAmber,
    errors.ReviewRed,
    errors.Cancelled,
}


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.__name__)
def test_every_error_is_readable_and_travels_whole(kind):
    error = kind("Column 'agee' is not there.", where="people.csv", column="agee", known=["age"])
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) == "Column 'agee' is not there. (people.csv)"
    assert type(again) is kind
    assert again.to_dict() == error.to_dict()
    assert again.args == error.args


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.__name__)
def test_every_error_about_an_argument_a_file_or_a_state_is_a_built_in_one(kind):
    built_in = [base for base in kind.__mro__ if base.__module__ == "builtins" and base not in (Exception, object)]
    assert bool([base for base in built_in if base is not BaseException]) == (kind not in PLAIN)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (errors.BadParameter, ValueError),
        (errors.BadEpsilon, ValueError),
        (errors.BadExperiment, ValueError),
        (errors.BadRow, ValueError),
        (errors.MissingFile, FileNotFoundError),
        (errors.OutputExists, FileExistsError),
        (errors.WriteFailed, OSError),
        (errors.UnknownColumn, KeyError),
        (errors.UnknownMethod, KeyError),
        (errors.MissingExtra, ImportError),
        (errors.SourceUnreachable, ConnectionError),
        (errors.StateInUse, RuntimeError),
    ],
)
def test_errors_are_the_built_in_ones(kind, expected):
    assert issubclass(kind, expected)


def test_errors_raised_by_calls_are_caught_as_built_in_ones(tmp_path):
    with pytest.raises(FileNotFoundError) as missing:
        crypsis.read_table(tmp_path / "none.csv", {})
    assert missing.value.filename == str(tmp_path / "none.csv")
    with pytest.raises(ValueError, match="k must be"):
        crypsis.Mondrian(k=0)
    table = crypsis.Table.from_frame({"age": [1, 2]}, {"age": "quasi"})
    with pytest.raises(KeyError) as unknown:
        table.column("agee")
    assert str(unknown.value).startswith("Column 'agee' is not")


def test_an_error_of_another_process_is_the_same_error(tmp_path):
    code = (
        "import pickle, sys, crypsis\n"
        f"try: crypsis.read_locations({str(tmp_path / 'none.csv')!r})\n"
        "except FileNotFoundError as error: sys.stdout.buffer.write(pickle.dumps(error))\n"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    error = pickle.loads(told)
    assert isinstance(error, errors.MissingFile)
    assert error.where == str(tmp_path / "none.csv")


def _caught(handler: ast.ExceptHandler) -> list[str]:
    return [] if handler.type is None else [name.id for name in ast.walk(handler.type) if isinstance(name, ast.Name)]


def _swallowed(tree: ast.AST) -> list[int]:
    """Lines that raise an error of ours inside a block that catches the built-in error that it also is."""
    lines = []
    for block in (node for node in ast.walk(tree) if isinstance(node, ast.Try)):
        for raised in (node for part in block.body for node in ast.walk(part) if isinstance(node, ast.Raise)):
            called = raised.exc.func if isinstance(raised.exc, ast.Call) else raised.exc
            kind = getattr(errors, called.id, None) if isinstance(called, ast.Name) else None
            if not (isinstance(kind, type) and issubclass(kind, CrypsisError)):
                continue
            lineage = [base.__name__ for base in kind.__mro__]
            first = next((names for names in map(_caught, block.handlers) if set(names) & set(lineage)), [])
            ours = [base.__name__ for base in kind.__mro__ if issubclass(base, CrypsisError)]
            if first and not set(first) & set(ours):
                lines.append(raised.lineno)
    return lines


def test_no_block_takes_an_error_of_ours_for_the_built_in_one():
    found = {
        f"{path.relative_to(SOURCE)}:{line}"
        for path in SOURCE.rglob("*.py")
        for line in _swallowed(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found == set()
