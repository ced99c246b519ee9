"""Write the catalogue of all texts that people read in the browser and in reports, and bring translations up to date.

python docs/write_catalogue.py           writes src/crypsis/locale/crypsis.pot, and every .po and .mo below it
python docs/write_catalogue.py --missing  prints what a translation lacks

Texts of pages and reports are those inside `_`, `plural`, `marked`, `counted` and `stage`. Words of members (methods,
checks, guarantees, metrics, errors, options) are found where they stand: texts in the families of `MEMBERS` and in the
files of `FACTS`, messages of errors everywhere, the docstrings of methods, and what options and their choices are. A
message with values in it is catalogued as a template.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from numbers import Number
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from crypsis import errors
from crypsis.translation.catalogue import DOMAIN, FOLDER
from crypsis.translation.languages import ENGLISH, LANGUAGES
from crypsis.translation.wording import NOUNS

SOURCE = Path(__file__).parents[1] / "src" / "crypsis"
MEMBERS = ("attacks", "guarantees", "hierarchy", "methods", "metrics", "review", "samples", "verifiers")
FACTS = (  # files that say what was found in data, what was published, and what a question is answered
    "data/column_roles.py",
    "data/count_query.py",
    "data/declared_times.py",
    "data/formats/csv.py",
    "data/formats/encodings.py",
    "data/formats/excel.py",
    "data/formats/header_row.py",
    "data/formats/json_array.py",
    "data/identifier_patterns.py",
    "data/inspection.py",
    "data/kinds_of_data.py",
    "data/national_ids.py",
    "data/person_detection.py",
    "data/steps/",
    "data/synthetic.py",
    "data/timed_places.py",
    "data/written_columns.py",
    "errors.py",
    "evaluate/applicability.py",
    "evaluate/data_checks.py",
    "evaluate/dataset_checks.py",
    "evaluate/first_look.py",
    "evaluate/plot_requests.py",
    "evaluate/problems.py",
    "evaluate/reading.py",
    "evaluate/runner.py",
    "evaluate/runs.py",
    "evaluate/validation.py",
    "evaluate/worker.py",
    "parameters.py",
    "publication/disassociated.py",
    "publication/mixed.py",
    "publication/private_kind.py",
    "publication/relational.py",
    "publication/stream.py",
    "publication/synthetic.py",
    "publication/synthetic_sets.py",
    "publication/trajectory.py",
    "publication/transaction.py",
    "query/",
)
WITHOUT = ("cli", "kernels", "web/api", "translation/")  # where nothing is written for the browser or for reports
CALLS = ("_", "marked", "stage")
BOUNDS = ("of at least {lowest}", "above {limit}", "from {lowest} to {highest}")  # of numbers
ERRORS = {
    name for name, kind in vars(errors).items() if inspect.isclass(kind) and issubclass(kind, errors.CrypsisError)
}
_DATE = datetime(2026, 11, 18, tzinfo=UTC)
_WORD = re.compile(r"[^\W\d_]{2,}")
_NO_TEXT = re.compile(
    r"[a-z0-9_./:=<>%+-]*|[A-Z0-9_]+|[a-z_.]*[A-Z]+[A-Za-z0-9]*[A-Z]\w*|[a-z_]+(\.[A-Za-z_]+)+|.*[<{]/?[a-z]+[ >].*",
    re.DOTALL,
)


@dataclass(frozen=True, order=True)
class Text:
    """A message: its form for one, that for many if there is one, and where it stands."""

    place: str
    line: int
    one: str
    many: str = ""


def texts() -> list[Text]:
    """Every text of the code."""
    found: list[Text] = []
    for path in sorted(SOURCE.rglob("*.py")):
        room = path.relative_to(SOURCE).as_posix()
        if not room.startswith(tuple(f"{one}/" for one in WITHOUT)):
            found += _of_file(path, room)
    return [*found, *_of_nouns(), *_of_docstrings(), *_of_options(), *_of_data()]


def catalogue(found: list[Text]) -> Catalog:
    """The texts as a template for translators."""
    made = Catalog(project="Crypsis", charset="utf-8", fuzzy=False)
    made.creation_date = _DATE  # the same texts give the same file
    for text in found:
        made.add((text.one, text.many) if text.many else text.one, locations=[(text.place, text.line)])
    return made


def template_of(node: ast.JoinedStr) -> str:
    """An f-string as a template whose values have names. What was meant, if anything, is a sentence of its own."""
    template, names = "", {}
    for part in node.values:
        if isinstance(part, ast.Constant):
            template += str(part.value).replace("{", "{{").replace("}", "}}")
        elif isinstance(part, ast.FormattedValue) and not _is_guess(part.value):
            key = ast.dump(part.value)
            if key not in names:
                base = _name_of(part.value)
                same = [name for name in names.values() if re.sub(r"\d+$", "", name) == base]
                names[key] = base if not same else f"{base}{len(same) + 1}"
            template += f"{{{names[key]}}}"
    return template


def _is_guess(node: ast.AST) -> bool:
    """Whether a value is ` Did you mean 'age'?`, or nothing."""
    return isinstance(node, ast.Call) and _called(node) == "did_you_mean"


def _of_file(path: Path, room: str) -> Iterator[Text]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    of_member = room.startswith(tuple(f"{one}/" for one in MEMBERS))
    is_fact = room.startswith(FACTS)
    passed: set[int] = set()
    for node in ast.walk(tree):
        for text in _of_call(node, passed):
            yield Text(room, getattr(node, "lineno", 0), *text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node) in ERRORS:
            for message in _messages(node.args[0], passed) if node.args else ():
                yield Text(room, node.lineno, message)
    if of_member or is_fact:
        _pass_docstrings(tree, passed)
        for node in ast.walk(tree):
            if isinstance(node, (ast.Constant, ast.JoinedStr)) and id(node) not in passed:
                for message in _messages(node, passed):
                    if _reads_as_text(message) and (of_member or _reads_as_sentence(message)):
                        yield Text(room, node.lineno, message)


def _of_call(node: ast.AST, passed: set[int]) -> Iterator[tuple[str, ...]]:
    """The texts of `_`, `marked`, `plural` and `counted`; what they hold is passed by afterwards."""
    if not isinstance(node, ast.Call):
        return
    name, given = _called(node), [one.value if isinstance(one, ast.Constant) else None for one in node.args]
    if name in CALLS and given and isinstance(node.args[0], (ast.Constant, ast.JoinedStr)):
        passed.update(id(part) for part in ast.walk(node.args[0]))
        yield (given[0],) if isinstance(given[0], str) else (template_of(node.args[0]),)  # type: ignore[arg-type]
    elif name == "plural" and len(given) > 1 and isinstance(given[0], str) and isinstance(given[1], str):
        passed.update(map(id, node.args))
        yield given[0], given[1]
    elif name in ("counted", "marked_count"):
        words = [one for one in given[1 if name == "counted" else 0 :] if isinstance(one, str)]
        if words:
            passed.update(map(id, node.args))
            yield f"{{count:,}} {words[0]}", f"{{count:,}} {words[1] if len(words) > 1 else words[0] + 's'}"


def _messages(node: ast.AST, passed: set[int]) -> Iterator[str]:
    """The messages of an expression: both branches of a condition, both parts of a sum, and those within values."""
    passed.add(id(node))
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str) and _WORD.search(node.value):
            yield node.value.strip()
    elif isinstance(node, ast.JoinedStr):
        message = template_of(node).strip()
        for part in node.values:
            passed.add(id(part))
            if isinstance(part, ast.FormattedValue):
                yield from _within(part.value, passed)
        if _WORD.search(re.sub(r"\{\w+\}", "", message)):
            yield message if re.search(r"\{\w+\}", message) else message.replace("{{", "{").replace("}}", "}")
    elif isinstance(node, ast.IfExp):
        yield from _messages(node.body, passed)
        yield from _messages(node.orelse, passed)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield from _messages(node.left, passed)
        yield from _messages(node.right, passed)


def _within(node: ast.AST, passed: set[int]) -> Iterator[str]:
    """Words that a value of a message takes from the code: the branches of its conditions."""
    for part in ast.walk(node):
        if isinstance(part, ast.IfExp):
            yield from _messages(part.body, passed)
            yield from _messages(part.orelse, passed)
        elif isinstance(part, (ast.Constant, ast.JoinedStr)):
            passed.add(id(part))


def _pass_docstrings(tree: ast.AST, passed: set[int]) -> None:
    """Docstrings, keys, comparisons and arguments that are no texts."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                passed.add(id(first.value))
        elif isinstance(node, (ast.Compare, ast.Subscript)) or (
            isinstance(node, ast.Call) and _called(node) == "word_set"
        ):
            kept = {id(part) for figure in _figures_in(node) for part in ast.walk(figure)}
            words = (part for part in ast.walk(node) if isinstance(part, (ast.Constant, ast.JoinedStr)))
            passed.update(id(part) for part in words if id(part) not in kept)
        elif isinstance(node, ast.Dict):
            passed.update(id(key) for key in node.keys)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            continue


def _figures_in(node: ast.AST) -> Iterator[ast.Call]:
    """Figures that stand in an annotation, whose labels and meanings are texts."""
    return (part for part in ast.walk(node) if isinstance(part, ast.Call) and _called(part) == "Figure")


def _of_nouns() -> Iterator[Text]:
    """Nouns, alone and counted."""
    for one, many in NOUNS:
        yield Text("translation/wording.py", 1, f"{{count:,}} {one}", f"{{count:,}} {many}")
        yield Text("translation/wording.py", 1, one)
        yield Text("translation/wording.py", 1, many)


def _of_docstrings() -> Iterator[Text]:
    """What the page Methods shows of each method: the summary and the paragraphs below it."""
    from crypsis.methods import METHODS
    from crypsis.metrics import METRICS

    for method in METHODS.values():
        place = method.__module__.removeprefix("crypsis.").replace(".", "/") + ".py"
        yield Text(place, 1, method.summary())
        for part in re.split(r"\n\s*\n", method.explanation())[1:-1]:
            if not part.lstrip().startswith(">>>"):
                yield Text(place, 1, " ".join(part.split()))
    for metric in METRICS.values():
        yield Text(metric.__module__.removeprefix("crypsis.").replace(".", "/") + ".py", 1, metric.summary())


def _of_options() -> Iterator[Text]:
    """What the options of methods, adversaries, guarantees and ways of reading are, and what may be chosen."""
    from crypsis.attacks import ATTACKS
    from crypsis.data.sources import SOURCES
    from crypsis.data.sources.data_source import Label
    from crypsis.guarantees import GUARANTEES
    from crypsis.methods import METHODS
    from crypsis.parameters import IN_WORDS, SideInput, marks_of, parameters_of

    for kind, words in IN_WORDS.items():
        yield Text("parameters.py", 1, words)
        if issubclass(kind, Number) and kind is not bool:
            yield from (Text("parameters.py", 1, f"{words} {bound}") for bound in BOUNDS)
    yield Text("web/parameter_form.py", 1, "must be {describe}, got {shown}.")  # beside the field, without its name
    names = {method.__name__ for method in METHODS.values()}
    for owner in (*METHODS.values(), *ATTACKS.values(), *GUARANTEES.values()):
        for option in parameters_of(owner):
            place = owner.__module__.removeprefix("crypsis.").replace(".", "/") + ".py"
            chosen = [words for words in option.choice_labels.values() if words not in names]
            yield from (Text(place, 1, one) for one in (option.help, *chosen) if _WORD.search(one))
            if issubclass(option.type, SideInput):
                yield Text(place, 1, option.type.in_words)
    for source in SOURCES.values():
        place = source.__module__.removeprefix("crypsis.").replace(".", "/") + ".py"
        yield Text(place, 1, source.label)
        for option in source.options().values():
            marks = (mark.text for mark in marks_of(option, Label))
            words = (option.help, *option.choice_labels.values(), *marks, option.unit or "")
            yield from (Text(place, 1, one) for one in words if _WORD.search(one))


def _of_data() -> Iterator[Text]:
    """What columns, kinds of data, formats and other members are called, and why a column has its role."""
    from crypsis.attacks import ATTACKS
    from crypsis.data.encoded_column import TYPE_LABELS
    from crypsis.data.formats import FORMATS
    from crypsis.data.steps import STEPS
    from crypsis.fuzzytime.relations import RELATIONS
    from crypsis.guarantees import GUARANTEES
    from crypsis.methods import METHODS
    from crypsis.parameters import parameters_of
    from crypsis.publication import KIND_NAMES

    names = tomllib.loads((SOURCE / "data" / "column_words.toml").read_text(encoding="utf-8"))
    yield from (Text("publication/__init__.py", 1, name) for name in sorted(KIND_NAMES))
    yield from (Text("data/encoded_column.py", 1, words) for words in TYPE_LABELS.values())
    yield from (Text("data/column_words.toml", 1, words) for words in sorted({one["why"] for one in names.values()}))
    yield from (Text("guarantees/guarantee.py", 1, model) for model in GUARANTEES)
    for name, attack in ATTACKS.items():
        yield Text("attacks/attack.py", 1, name.replace("-", " "))
        yield Text("attacks/attack.py", 1, attack.help())
    yield from (Text("fuzzytime/relations.py", 1, name.replace("_", " ")) for name in RELATIONS)
    yield from (Text("data/microdata.py", 1, method.accepts.description) for method in METHODS.values())
    for member in (*FORMATS.values(), *STEPS.values()):
        place = member.__module__.removeprefix("crypsis.").replace(".", "/") + ".py"
        yield Text(place, 1, member.label)
        for option in parameters_of(member):
            words = (option.help, *option.choice_labels.values())
            yield from (Text(place, 1, one) for one in words if _WORD.search(one))


def _reads_as_text(message: str) -> bool:
    """Two words, or one that begins with a capital; no name, path, selector or pattern."""
    words = _WORD.findall(re.sub(r"\{\w+\}", "", message))
    if not words or _NO_TEXT.fullmatch(message) or "\\" in message:
        return False
    return len(words) > 1 or (message[0].isupper() and len(words[0]) > 2)


def _reads_as_sentence(message: str) -> bool:
    """Two words that are no list of words, no pattern and no object as Python prints it."""
    return " " in message and not re.search(r"\n|\||\?[i:]|^\w+\(\{|^[\w ]*\w{2,}( \w+){12}", message)


def _called(node: ast.Call) -> str:
    function = node.func
    return (
        function.id if isinstance(function, ast.Name) else function.attr if isinstance(function, ast.Attribute) else ""
    )


def _name_of(node: ast.AST) -> str:
    """What a value is called in a template."""
    if isinstance(node, ast.Name):
        name = node.id
    elif isinstance(node, ast.Attribute):
        name = node.attr
    elif isinstance(node, ast.Subscript):
        inner = node.slice
        text = isinstance(inner, ast.Constant) and isinstance(inner.value, str)
        return str(inner.value) if text and str(inner.value).isidentifier() else _name_of(node.value)  # type: ignore[attr-defined]
    elif isinstance(node, ast.Call):
        return _name_of(node.args[0]) if node.args and _called(node) != "counted" else _called(node)
    elif isinstance(node, (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.IfExp, ast.GeneratorExp, ast.ListComp)):
        return next((_name_of(part) for part in ast.walk(node) if isinstance(part, ast.Name)), "value")
    else:
        name = "value"
    name = name.strip("_").lower()
    return name if name.isidentifier() and re.fullmatch("[a-z_]+", name) else "value"


def write() -> None:
    """The template, every translation and its compiled form."""
    template = catalogue(texts())
    with (FOLDER / f"{DOMAIN}.pot").open("wb") as file:
        write_po(file, template, width=120, sort_by_file=True, omit_header=False, include_lineno=False)
    for language in LANGUAGES:
        if language != ENGLISH:
            translation = read(language)
            translation.creation_date = translation.revision_date = _DATE
            translation.update(template, no_fuzzy_matching=True)
            translation.obsolete.clear()
            with _file(language, "po").open("wb") as file:
                write_po(file, translation, width=120, sort_by_file=True, ignore_obsolete=True, include_lineno=False)
            with _file(language, "mo").open("wb") as file:
                write_mo(file, translation)


def read(language: str) -> Catalog:
    """A translation as it is; an empty one where there is none yet."""
    path = _file(language, "po")
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        return Catalog(locale=language, project="Crypsis", charset="utf-8", fuzzy=False)
    with path.open("rb") as file:
        return read_po(file, locale=language)


def _file(language: str, ending: str) -> Path:
    return FOLDER / language / "LC_MESSAGES" / f"{DOMAIN}.{ending}"


if __name__ == "__main__":
    write()
    if "--missing" in sys.argv:
        for language in LANGUAGES:
            if language != ENGLISH:
                for message in read(language):
                    if message.id and not (all(message.string) if message.pluralizable else message.string):
                        print(language, message.id)
