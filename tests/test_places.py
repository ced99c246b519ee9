"""Messages in the words of the place where they are read: one mechanism, for every error that names an option."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import crypsis
from crypsis import errors
from crypsis.cli.main import main
from crypsis.errors import BadParameter, CrypsisError
from crypsis.places import BROWSER, COMMAND_LINE, EXPERIMENT, PLACES, PYTHON, REQUEST, reword, speaking

SOURCE = Path(crypsis.__file__).parent
OF_ONE_PLACE = ("cli/", "web/", "runtime/", "warehouse/", "drawing/")  # they speak to one place only
ERRORS = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, CrypsisError)}

MENTIONS = [
    ("sort=True", "--sort", "sort = true", '"sort": true', "“Sort”"),
    ("header=False", "--no-header", "header = false", '"header": false', "“Header” (off)"),
    ("k=5", "-k 5", "k = 5", '"k": 5', "“K”: 5"),
    ("person='user id'", "--person 'user id'", 'person = "user id"', '"person": "user id"', "“Who”: user id"),
    ("locations='FILE'", "--locations FILE", 'locations = "FILE"', '"locations": "FILE"', "“Locations”"),
    ("original=DATA", "--original FILE", 'original = "FILE"', '"original": "FILE"', "“Original”"),
    ("quasi=['a', 'b']", "--quasi a,b", 'quasi = ["a", "b"]', '"quasi": ["a", "b"]', "“Quasi”: a, b"),
    ("confirm=['a', 'b']", "--confirm a --confirm b", 'confirm = ["a", "b"]', '"confirm": ["a", "b"]', "“Okay”: a, b"),
    ("`max_suppressed`", "--max-suppressed", "max_suppressed", '"max_suppressed"', "“Max suppressed”"),
    ("unparsable='missing'", "--as-missing", "as_missing = true", '"as_missing": true', "“As missing”"),
]  # fmt: skip


@pytest.mark.parametrize("mention", MENTIONS, ids=[one[0] for one in MENTIONS])
def test_an_option_is_written_as_one_writes_it_there(mention):
    labels = {"person": "Who", "confirm": "Okay"}
    for place, expected in zip((PYTHON, COMMAND_LINE, EXPERIMENT, REQUEST, BROWSER), mention, strict=True):
        assert reword(f"Read it with {mention[0]}.", place, labels) == f"Read it with {expected}."
        assert reword(f"Read it ({mention[0]}).", place, labels) == f"Read it ({expected})."


@pytest.mark.parametrize("place", PLACES)
def test_text_of_data_is_not_touched(place):
    text = "Column 'sort=True' is not in this table; got 'a=1' and \"b=2\"."
    assert reword(text, place) == text


def test_the_parameter_of_a_message_is_named_as_it_is_typed():
    with pytest.raises(BadParameter) as refused:
        crypsis.Incognito(max_suppressed=7)
    assert str(refused.value).startswith("Incognito: max_suppressed must be")
    assert str(refused.value.in_words_of(COMMAND_LINE)).startswith("Incognito: --max-suppressed must be")
    assert str(refused.value.in_words_of(BROWSER, {"max_suppressed": "Most records"})).startswith(
        "Incognito: “Most records”"
    )


def test_a_process_speaks_in_one_place_at_a_time():
    error = errors.BadRow("Order the rows (sort=True).")
    with speaking(COMMAND_LINE):
        assert str(error) == "Order the rows (--sort)."
        assert error.to_dict()["message"] == "Order the rows (--sort)."
    assert str(error) == error.sentence == "Order the rows (sort=True)."


def test_the_same_refusal_in_python_on_the_command_line_and_in_an_experiment(tmp_path, capsys):
    path = tmp_path / "visits.csv"
    path.write_text("trajectory_id,position,location\n1,1,b\n1,0,a\n")
    with pytest.raises(errors.BadRow, match=re.escape("read with sort=True")):
        crypsis.read_trajectories(path)
    with pytest.raises(SystemExit):
        main(["anonymize", str(path), "--method", "seq-anon", "--out", str(tmp_path / "release")])
    assert "read with --sort" in capsys.readouterr().err
    section = {"path": str(path), "kind": "trajectories"}
    content = {"name": "x", "dataset": section, "run": [{"method": "seq-anon", "params": {"k": 2}}]}
    with pytest.raises(errors.BadExperiment, match="read with sort = true"):
        crypsis.Experiment(content, tmp_path).require_sound()


def test_a_field_of_the_browser_is_called_by_its_label():
    from crypsis.web.telling import error_words

    assert "“Put the rows in order”" in error_words(errors.BadRow("Order the rows or read with sort=True."))
    labels = error_words(errors.BadParameter("Mondrian: k must be an int.", parameter="k"))
    assert labels.startswith("Mondrian: “")


def _literal(node: ast.AST) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(_literal(part) if isinstance(part, ast.Constant) else "…" for part in node.values)
    if isinstance(node, ast.BinOp):
        return _literal(node.left) + _literal(node.right)
    return ""


@cache
def _messages() -> list[tuple[str, str]]:
    """The text of every error that is raised below the places."""
    found: list[tuple[str, str]] = []
    for path in sorted(SOURCE.rglob("*.py")):
        name = str(path.relative_to(SOURCE))
        if name.startswith(OF_ONE_PLACE):
            continue
        calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
        found += [
            (f"{name}:{node.lineno}", _literal(node.args[0]))
            for node in calls
            if isinstance(node.func, ast.Name) and node.func.id in ERRORS and node.args
        ]
    return found


def test_every_error_names_options_in_the_words_of_python():
    messages = _messages()
    assert len(messages) > 400
    typed = [(where, text) for where, text in messages if re.search(r"(?<![\w-])--[a-z]", text)]
    assert typed == []


@pytest.mark.parametrize("place", [COMMAND_LINE, EXPERIMENT, REQUEST, BROWSER])
def test_no_error_names_an_option_in_the_words_of_python_elsewhere(place):
    assert [
        text for _, text in _messages() if re.search(r"(?<![\w'\"])[a-z_]+=(True|False|'\w)", reword(text, place))
    ] == []
