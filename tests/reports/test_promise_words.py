"""Settings of a promise inside a sentence are read as words, its exponents as raised letters."""

from __future__ import annotations

import re

import pytest

from crypsis.guarantees import GUARANTEES, KmAnonymity
from crypsis.methods import METHODS
from crypsis.parameters import parameters_of
from crypsis.reports.parameter_labels import named_label
from crypsis.reports.promise_words import promise_in_words, raised
from crypsis.translation import reading
from tests.reports.kinds import a_table


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (
            "k^m-anonymity (k=5, m=2, unit=owner) holds",
            "k^m-anonymity (k=5, m=2, each owner, with all of theirs) holds",
        ),
        ("k-anonymity (k=5, unit=person)", "k-anonymity (k=5, each person)"),
        ("LKC-privacy (C=1, sensitive_values=all)", "LKC-privacy (C=1, which values are sensitive: all)"),
        ("(k=3, ncp=0.25)", "(k=3, largest loss of the table, all quasi-identifiers alike: 0.25)"),
        ("sequence-k-anonymity (k=2)", "sequence-k-anonymity (k=2)"),
    ],
)
def test_settings_are_told_in_words(told: str, words: str) -> None:
    assert promise_in_words(told) == words


def test_settings_are_told_in_the_language_of_the_reader() -> None:
    with reading("de"):
        assert promise_in_words("k-Anonymität (k=5, unit=person)") == "k-Anonymität (k=5, jede Person)"


def test_exponents_are_raised() -> None:
    assert raised(str(KmAnonymity(k=5, m=2))) == "kᵐ-anonymity (k=5, m=2)"
    assert raised("(k,l)^m-anonymity, (k,k^m)-anonymity") == "(k,l)ᵐ-anonymity, (k,kᵐ)-anonymity"


def test_no_label_of_a_parameter_shows_its_name_for_programs() -> None:
    for described in (*METHODS.values(), *GUARANTEES.values()):
        for parameter in parameters_of(described):
            for language in ("en", "de"):
                with reading(language):
                    assert not re.search(r"\w_\w|\([a-z]{2,}\)(?<!\(epsilon\))(?<!\(delta\))$", named_label(parameter))


def test_a_report_names_no_option_of_the_command_line() -> None:
    html = a_table().report().html  # everybody of a class has the same illness
    assert "Ask for two sensitive values in every class (l\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}2)" in re.sub(
        "<[^>]+>", "", html
    )
    assert "-l 2" not in html
