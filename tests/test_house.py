"""What holds for all files: everything installed is pinned, test files stand alone, and signatures can be read."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SHELL = ("web", "evaluate", "cli", "reports", "publication", "data/formats")
MOST_PARAMETERS = 8


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


def test_no_function_of_the_shell_has_many_parameters() -> None:
    """What belongs together is one object: the options of a command, the columns of a table, the form of a file."""
    files = [path for room in SHELL for path in sorted((ROOT / "src" / "crypsis" / room).rglob("*.py"))]
    assert len(files) > 200
    offenders = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path in files
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and len(node.args.posonlyargs + node.args.args + node.args.kwonlyargs) > MOST_PARAMETERS
    ]
    assert offenders == []


WRITERS = ("to_dict", "to_files", "change")  # what makes JSON of an object, or alters the JSON of an entry


def test_web_and_evaluate_talk_in_types() -> None:
    """A public function takes and returns objects with fields; dictionaries end where JSON and TOML are read."""
    offenders = [
        f"{path.relative_to(ROOT / 'src' / 'crypsis').as_posix()} {name}"
        for room in ("web", "evaluate")
        for path in sorted((ROOT / "src" / "crypsis" / room).rglob("*.py"))
        for name, function in public_functions(ast.parse(path.read_text(encoding="utf-8")))
        if function.name not in WRITERS and any("dict[str, Any]" in text for text in annotations_of(function))
    ]
    assert offenders == []


def public_functions(tree: ast.AST, within: str = "") -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Functions of a module and methods of its classes whose names do not begin with an underscore."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from public_functions(node, f"{within}{node.name}.")
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not node.name.startswith("_"):
            yield f"{within}{node.name}", node


def annotations_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """The types of the parameters and of what is returned, as they are written."""
    given = function.args
    parameters = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    return [
        ast.unparse(one) for one in (*(each.annotation for each in parameters), function.returns) if one is not None
    ]


ENTRY_POINTS = ("register", "router")  # of a page and of a room of the API: the docstring of the file says what it is


def test_public_functions_classes_and_kernels_have_docstrings() -> None:
    """What `help()` and editors show; a kernel is often the only place that says what its arrays mean."""
    files = sorted((ROOT / "src" / "crypsis").rglob("*.py"))
    definitions = [
        (path, node)
        for path in files
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and is_shown(node)
    ]
    assert len(definitions) > 2000
    lacking = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path, node in definitions
        if not ast.get_docstring(node)
    ]
    assert lacking == []


def is_shown(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    decorators = {ast.unparse(decorator).partition("(")[0] for decorator in node.decorator_list}
    if "overload" in decorators or node.name in ENTRY_POINTS:
        return False
    return "njit" in decorators or not node.name.startswith("_")


def test_the_places_that_the_guide_names_exist() -> None:
    """Who has not seen the project finds there where a figure, a sentence and a plot come from."""
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## Where to find it")[1].split("\n## ")[0]
    named = re.findall(r"`(src/crypsis/[\w/.]+)", guide)
    assert len(named) > 6
    assert [place for place in named if not (ROOT / place).exists()] == []
    mondrian = ast.parse((ROOT / "src/crypsis/methods/relational/mondrian.py").read_text(encoding="utf-8"))
    stated = {target.id for node in ast.walk(mondrian) for target in targets_of(node) if isinstance(target, ast.Name)}
    assert {"choose_when", "costs"} <= stated


def targets_of(node: ast.AST) -> list[ast.expr]:
    """What an assignment names, with or without an annotation."""
    if isinstance(node, ast.AnnAssign):
        return [node.target]
    return node.targets if isinstance(node, ast.Assign) else []
