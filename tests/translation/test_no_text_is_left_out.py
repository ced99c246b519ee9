"""Whatever a page, a picture or a report says goes through the catalogue.

In the files below every literal that reads as words is looked at, wherever it stands: an argument, a default, a table
of labels, the text between the tags of HTML. It passes if it is inside `_`, `plural`, `marked` or `counted`, if it is
the message of an error (those are templates of the catalogue), or if its place says that nobody reads it: the key of a
dict, one side of a comparison, a class or a style, an attribute of a picture, a message of the log.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from crypsis.translation.catalogue import catalogue

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))
import write_catalogue

ROOMS = ("web/", "reports/", "drawing/", "evaluate/plots/", "evaluate/report.py")
WITHOUT = (
    "web/api/",
    "web/security.py",
    "web/app.py",
    "drawing/paper.py",
)  # read by programs, or on paper
TELLS = {"_", "plural", "marked", "counted", "translated"}
# What is called with words that a machine reads: selectors, styles, scripts, files, names of members.
MACHINE = {
    "props", "classes", "style", "run_javascript", "add_head_html", "add_slot", "on", "page", "get", "join", "split",
    "replace", "compile", "sub", "fullmatch", "match", "search", "startswith", "endswith", "TypeVar",
    "ParamSpec", "urlencode", "coordinates", "warning", "exception", "error", "resource", "parse", "strftime",
    "_Remedy", "removeprefix", "removesuffix",
}  # fmt: skip
CODE = {"class_", "accept", "kind", "command", "content", "replace"}  # arguments, and keys of attributes
_WORD = re.compile(r"[^\W\d_]{2,}")
_ICON = re.compile(r"<span class=\"material-icons[^>]*>[^<]*</span>")
_TAG = re.compile(r"<[a-zA-Z/!?](?:\"[^\"]*\"|'[^']*'|[^<>\"'])*>|<[a-zA-Z/][^<>]*$|^[^<>]*\">|\{\{.*?\}\}|&\w+;")
# A style sheet, a script, a path of a picture, an address, a command, an option or an example of what is typed.
_CODE = re.compile(
    r"[\w./:=%+\-#?&,\0()\[\]{}]*|.*[{;]\s*(?:\n|\0|[\w-]+\s*:).*|.*=>.*|\S*[a-z]=.*|M[\d. ]+.*|crypsis[ .].*|import .*"
    r"|const .*|.*(?:^| )--\w.*|.* in [\[{].*|.*-src .*|.*&&.*|.*sans-serif|.*\(\?:.*"
    r"|[a-z]+(?: [a-z]+)* [a-z]+-[a-z\0]+(?: \S+)*",
    re.DOTALL,
)


def literals(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The texts of a file that somebody might read, with their lines; values in them are a NUL."""
    if isinstance(tree, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        first = tree.body[0] if tree.body else None
        documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
        inside: list[ast.AST] = [*tree.body[1 if documented else 0 :]]
        if isinstance(tree, (ast.FunctionDef, ast.AsyncFunctionDef)):
            inside += [one for one in (*tree.args.defaults, *tree.args.kw_defaults) if one is not None]
    elif isinstance(tree, ast.AnnAssign):
        inside = [] if tree.value is None else [tree.value]
    elif (
        isinstance(tree, ast.Assign) and any(isinstance(one, ast.Name) and one.id == "__all__" for one in tree.targets)
    ) or isinstance(tree, (ast.Compare, ast.Import, ast.ImportFrom, ast.Raise, ast.Assert)):
        inside = []
    elif isinstance(tree, ast.Subscript):
        inside = [tree.value]
    elif isinstance(tree, ast.Dict):
        keys = [one.value if isinstance(one, ast.Constant) else "" for one in tree.keys]
        inside = [value for key, value in zip(keys, tree.values, strict=True) if key not in CODE]
    elif isinstance(tree, ast.Call):
        name = write_catalogue._called(tree)
        if name in TELLS or name in write_catalogue.ERRORS:
            return
        kept = [] if name in MACHINE else [*tree.args]
        inside = [tree.func, *kept, *(one.value for one in tree.keywords if one.arg not in CODE)]
    elif isinstance(tree, ast.JoinedStr):
        yield tree.lineno, "".join(str(one.value) if isinstance(one, ast.Constant) else "\0" for one in tree.values)
        inside = [one.value for one in tree.values if isinstance(one, ast.FormattedValue)]
    elif isinstance(tree, ast.Constant):
        if isinstance(tree.value, str) and "\0" not in tree.value:
            yield tree.lineno, tree.value
        return
    else:
        inside = [*ast.iter_child_nodes(tree)]
    for one in inside:
        yield from literals(one)


def _names_members(tree: ast.AST) -> bool:
    """`__all__`."""
    return isinstance(tree, ast.Assign) and any(
        isinstance(one, ast.Name) and one.id == "__all__" for one in tree.targets
    )


def reads_as_words(text: str) -> bool:
    """Two words, or one with a capital; tags of HTML, style sheets, scripts and commands are none."""
    between = _TAG.sub(" ", _ICON.sub(" ", text)) if "<" in text or '="' in text else text
    words = [word for word in _WORD.findall(between) if word != "Crypsis"]
    alone = between.strip(" .:\0\n")
    if not words or (_CODE.fullmatch(alone) and not re.fullmatch(r"[A-Z][a-z]{2,}", alone)):
        return "<" in text and bool(words) and not _CODE.fullmatch(alone.replace(" ", "_"))
    return len(words) > 1 or alone[:1].isupper()


def left_out(source: str, known: set[str]) -> list[tuple[int, str]]:
    """The texts of a file that do not go through the catalogue; one that it knows is looked up where it is shown."""
    found = [(line, text) for line, text in literals(ast.parse(source)) if reads_as_words(text)]
    return [(line, text.replace("\0", "{}")) for line, text in found if text.strip() not in known]


def files() -> list[Path]:
    every = write_catalogue.SOURCE.rglob("*.py")
    rooms = {path: path.relative_to(write_catalogue.SOURCE).as_posix() for path in every}
    return sorted(path for path, room in rooms.items() if room.startswith(ROOMS) and not room.startswith(WITHOUT))


def test_every_text_of_pages_pictures_and_reports_is_in_the_catalogue() -> None:
    known = set(catalogue("de").known)
    found = [
        f"{path.relative_to(write_catalogue.SOURCE)}:{line}: {text[:120]!r}"
        for path in files()
        for line, text in left_out(path.read_text(encoding="utf-8"), known)
    ]
    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        'ui.label("Nothing is left to do")',
        'ui.label(f"{count} rows were read")',
        'LABELS = {"int": "whole number"}',
        'ui.html("<h2>As a file</h2>", sanitize=False)',
        'ui.html(f"<table class=plain><thead><tr><th scope=col>Rows</th></tr></thead>{rows}</table>")',
        'ui.button("Run", on_click=go)',
        'ui.notify("Saved")',
        'def field(label: str = "Dataset"): ...',
        'words = "active" if shown else "not built yet"',
        'ui.html(f"<div aria-hidden=true>Drawing the map</div>")',
        'Axis("count", "records in the cluster")',
    ],
)
def test_a_text_that_is_left_out_is_found(source: str) -> None:
    assert left_out(source, set())


@pytest.mark.parametrize(
    "source",
    [
        'ui.label(_("Nothing is left to do"))',
        'raise BadParameter(f"{name} must be a number.")',
        'ui.column().classes("muted small").style("width: 100%; gap: 10px")',
        'if kind == "differential privacy": ...',
        '"""A docstring of two words."""',
        'element("path", d=path, class_="curve intact")',
        'ui.html(f\'<svg width="20"><circle r="9" class="ring big"/>{inside}</svg>\')',
    ],
)
def test_what_nobody_reads_is_passed_by(source: str) -> None:
    assert left_out(source, set()) == []
