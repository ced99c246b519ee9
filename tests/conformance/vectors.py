"""Golden vectors: which files there are, what they hold, and how their cases become tests.

A vector is `<family>/<name>.json`. Families may keep READMEs and `sources/` beside their vectors. Some files belong to
several methods; `parts_of` names what such a file is made of.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from functools import cache
from types import ModuleType
from typing import Any

import pytest

from tests import shared_data

_ID = re.compile(r"(?P<file>\w+/\w+\.json)(?:#(?P<part>[^:]+))?(?:: .+)?")

_PARTS: dict[str, Callable[[Any], Iterable[str]]] = {
    "rt/edges_random.json": lambda vector: vector.keys() - {"about"},
    "trajectory/errors.json": lambda vector: (entry["algorithm"] for entry in vector["cases"]),
    "trajectory/metrics_utility.json": lambda vector: vector.keys() - {"provenance"},
    "trajectory/privacy_analysis.json": lambda vector: (item["name"] for item in vector["items"]),
    "trajectory/seqanon_40x12.json": lambda vector: (key for key in vector if key.endswith("seqanon")),
    "rt/rt_figures.json": lambda vector: {
        "claims",  # what the figures promise and whether they are truthful
        "ncp",
        "ul",
        *(vector.keys() & {"cluster_first_seed", "rmerge", "transaction_generalization", "tum_bound"}),
    },
    "rt/rt_methods_random.json": lambda vector: vector["cases"][0].keys() & {"are", "runs"},
    "rt/ul_btd_diversity_random.json": lambda vector: vector.keys(),
}


def all_files() -> set[str]:
    """Every vector, as `family/name.json`."""
    folder = shared_data.vectors_folder()
    return {path.relative_to(folder).as_posix() for path in folder.glob("*/*.json")}


def other_files() -> set[str]:
    """Whatever else lies in the folder."""
    folder = shared_data.vectors_folder()
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()} - all_files()


@cache
def load(file: str) -> Any:
    """The content of a vector file. Read only: every test sees the same object."""
    return json.loads((shared_data.vectors_folder() / file).read_text(encoding="utf-8"))


def divided_files() -> set[str]:
    """The files that are run in parts."""
    return set(_PARTS)


def parts_of(file: str) -> set[str]:
    """What a divided file is made of."""
    return set(_PARTS[file](load(file)))


def case(file: str, *values: Any, part: str | None = None, name: object = None) -> Any:
    """One test case. Its id names family, file, part and case, so that `-k` selects by any of them."""
    return pytest.param(
        *values, id=file + (f"#{part}" if part is not None else "") + (f": {name}" if name is not None else "")
    )


def cases_run_by(module: ModuleType) -> list[tuple[str, str | None]]:
    """File and part of every case that the tests of a module are given: what is really run."""
    run = []
    for test in vars(module).values():
        for mark in getattr(test, "pytestmark", ()):
            if mark.name == "parametrize":
                for parameters in mark.args[1]:
                    found = _ID.fullmatch(parameters.id)
                    assert found, f"{module.__name__}: {parameters.id!r} is not the id of a vector's case"
                    run.append((found["file"], found["part"]))
    return run
