"""What holds for the files around the package: everything installed is pinned, and test files stand alone."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def pinned() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return {normal(name): version for name, version in (line.split("==") for line in lines)}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_constraints_are_names_and_versions_and_nothing_else() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert len(lines) > 50
    for line in lines:
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][0-9A-Za-z.]*", line), line


def test_every_requirement_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    names = {normal(re.split(r"[^\w.-]", requirement)[0]) for group in groups for requirement in group}
    assert names - {"crypsis"} <= set(pinned())


def test_test_files_do_not_import_each_other() -> None:
    """What two test files share stands in a module of its own, so that either can be changed alone."""
    imported = re.compile(r"^\s*(?:from|import) tests\b[\w.]*(?:\.| import )test_\w+", re.MULTILINE)
    files = sorted((ROOT / "tests").rglob("*.py"))
    assert len(files) > 100
    assert [path.name for path in files if imported.search(path.read_text(encoding="utf-8"))] == []
