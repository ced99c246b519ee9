"""Labels for people: every method, guarantee, parameter and choice has its own."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from crypsis.cli.main import main
from crypsis.evaluate.plots import Results
from crypsis.guarantees import GUARANTEES
from crypsis.hierarchy.hierarchies import recipe_words
from crypsis.methods import METHODS
from crypsis.parameters import Parameter, parameters_of
from crypsis.samples import SAMPLES
from crypsis.web.actions import number
from crypsis.web.data_labels import DATA_KINDS, commands, data_labels
from crypsis.web.figures import best_in_words, rough_duration
from crypsis.web.parameter_form import label_of


def test_every_method_and_every_guarantee_describes_itself() -> None:
    for method in METHODS.values():
        assert method.choose_when.endswith("."), method
        assert method.costs.endswith("."), method
    for guarantee in GUARANTEES.values():
        assert guarantee.protects_from.endswith("."), guarantee
    assert {data_labels(method) for method in METHODS.values()} == set(DATA_KINDS.values())
    assert {data.sample for data in DATA_KINDS.values()} <= set(SAMPLES)


@pytest.mark.parametrize("name", ["kam-cut", "mondrian", "ppsg"])
def test_the_commands_that_are_shown_work(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for line in commands(name):
        with pytest.raises(SystemExit) as stopped:
            main([*shlex.split(line)[1:], "--quiet"])
        assert stopped.value.code == 0, line
    assert (tmp_path / "release" / "release.json").is_file()


@pytest.mark.parametrize(
    ("told", "label", "rest"),
    [
        ("Records that must share each set.", "Records that must share each set", ""),
        ("When too few are long: stop, or cut them.", "When too few are long", "Stop, or cut them."),
        ("For cluster: which starts; any.", "For cluster: which starts", "Any."),
        ("What it may spend; smaller is safer. Exact: 0.1 is a tenth.", "What it may spend",
         "Smaller is safer. Exact: 0.1 is a tenth."),
    ],
)  # fmt: skip
def test_the_help_of_a_parameter_is_its_label_and_what_is_left(told: str, label: str, rest: str) -> None:
    assert label_of(Parameter("p", int, False, (), told, 1)) == (label, rest)


def test_every_choice_of_a_list_has_words_of_its_own() -> None:
    for described in (*METHODS.values(), *GUARANTEES.values()):
        for parameter in parameters_of(described):
            labels = list(parameter.choice_labels.values())
            assert len(set(labels)) == len(labels), (described, parameter.name)
            assert not set(labels) & set(parameter.choices), (described, parameter.name)


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.2, "1 s"), (42.4, "42 s"), (100, "2 min"), (3000, "50 min"), (9000, "2.5 h")]
)
def test_an_estimate_is_as_exact_as_estimates_are(seconds: float, words: str) -> None:
    assert rough_duration(seconds) == words


def test_the_best_configuration_is_told_for_every_value_of_what_varies() -> None:
    rows = [
        {"label": label, "parameters": {"k": k}, "metrics": {"ncp_loss": loss}}
        for label, losses in (("A", (0.1, 0.5)), ("B", (0.2, 0.4)))
        for k, loss in zip((5, 10), losses, strict=True)
    ]
    assert best_in_words(Results(rows), "k", "ncp_loss") == "Best by this figure: A at k 5; B at k 10."
    rows[1]["metrics"] = {"ncp_loss": 0.3}
    assert best_in_words(Results(rows), "k", "ncp_loss") == "Best by this figure at every k: A."
    assert best_in_words(Results(rows[:2]), "k", "ncp_loss") == ""  # there is nothing to choose from


@pytest.mark.parametrize(
    ("value", "words"), [(0.10444, "0.104"), (999.4, "999"), (1013.6, "1,014"), (3020.1, "3,020"), (12, "12")]
)
def test_a_figure_is_never_written_with_an_exponent(value: float, words: str) -> None:
    assert number(value) == words


@pytest.mark.parametrize(
    ("recipe", "words"),
    [("equi_width:8", "8 ranges of equal width"), ("prefix", "by the beginning of the value"), ("auto:{}", "auto:{}")],
)
def test_a_recipe_of_a_hierarchy_is_told_in_words(recipe: str, words: str) -> None:
    assert recipe_words(recipe) == words


def test_no_words_of_a_help_are_lost_between_label_and_rest() -> None:
    for method in METHODS.values():
        for parameter in parameters_of(method):
            label, rest = label_of(parameter)
            assert label, parameter
            assert len(label) + len(rest) >= len(parameter.help) - 3, (label, rest, parameter.help)
