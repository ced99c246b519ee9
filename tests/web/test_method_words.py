"""Words for people: every method and promise has them, and no parameter is left without a label."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from crypsis.cli.main import main
from crypsis.methods import METHODS
from crypsis.parameters import Parameter, parameters_of
from crypsis.samples import SAMPLES
from crypsis.web.method_words import CHOOSE, DATA, PROTECTS, commands, data_words
from crypsis.web.parameter_form import label_of


def test_every_method_and_every_promise_is_described_and_nothing_else_is() -> None:
    assert set(CHOOSE) == set(METHODS)
    assert set(PROTECTS) == {method.promises.model for method in METHODS.values()}
    assert {data_words(method) for method in METHODS.values()} == set(DATA.values())
    assert {words.sample for words in DATA.values()} <= set(SAMPLES)


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


def test_no_words_of_a_help_are_lost_between_label_and_rest() -> None:
    for method in METHODS.values():
        for parameter in parameters_of(method):
            label, rest = label_of(parameter)
            assert label, parameter
            assert len(label) + len(rest) >= len(parameter.help) - 3, (label, rest, parameter.help)
