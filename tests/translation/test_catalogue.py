"""The catalogue is that of the code, and translations keep to it."""

from __future__ import annotations

import io
import json
import re
import string
import sys
from datetime import datetime
from pathlib import Path

import polars as pl
import pytest
from babel.messages.mofile import write_mo

import crypsis
from crypsis.data.relational import Table
from crypsis.errors import BadParameter
from crypsis.evaluate.experiment import Experiment
from crypsis.methods import METHODS, Mondrian
from crypsis.parameters import parameters_of
from crypsis.release import read_release
from crypsis.reports.about import About
from crypsis.translation import LANGUAGES, PSEUDO, _, best_language, plural, reading, translated
from crypsis.translation.catalogue import FOLDER
from crypsis.translation.wording import date_text

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))
import write_catalogue


@pytest.fixture(scope="module")
def german() -> object:
    return write_catalogue.read("de")


def names(template: str) -> set[str]:
    return {name for _part, name, _spec, _conversion in string.Formatter().parse(template) if name is not None}


def test_the_translation_has_exactly_the_texts_of_the_code(german) -> None:
    of_code = {message.id for message in write_catalogue.catalogue(write_catalogue.texts()) if message.id}
    assert {message.id for message in german if message.id} == of_code


def test_nothing_lacks_a_translation(german) -> None:
    missing = [
        message.id
        for message in german
        if message.id and not (all(message.string) if message.pluralizable else message.string)
    ]
    assert missing == []


def test_no_translation_is_fuzzy_and_each_has_the_values_of_its_text(german) -> None:
    for message in german:
        if message.id and message.string:
            forms = (
                zip(message.id, message.string, strict=True) if message.pluralizable else [(message.id, message.string)]
            )
            for text, words in forms:
                assert not words or names(text) == names(words), text
        assert not message.fuzzy


def test_compiled_messages_are_those_of_the_translation(german) -> None:
    compiled = io.BytesIO()
    write_mo(compiled, german)
    assert compiled.getvalue() == (FOLDER / "de" / "LC_MESSAGES" / "crypsis.mo").read_bytes()


def test_numbers_and_plurals_follow_the_language() -> None:
    assert plural("{count:,} row", "{count:,} rows", 1200) == "1,200 rows"
    with reading("de"):
        assert plural("{count:,} row", "{count:,} rows", 1200) == "1.200 Zeilen"
        assert plural("{count:,} row", "{count:,} rows", 1) == "1 Zeile"
        assert _("Run") == "Ausführen"
    assert _("Run") == "Run"


def test_a_sentence_with_values_is_known_by_its_template() -> None:
    with reading("de"):
        assert translated("Column age: give a type and a role.") == (
            "Spalte age: Geben Sie einen Typ und eine Rolle an."
        )
        assert translated("Nobody wrote this.") == "Nobody wrote this."


def test_a_value_that_is_of_the_data_is_not_translated() -> None:
    with reading("de"):
        assert translated("columns id, date and item look like events") == (
            "die Spalten id, date und item sehen nach Ereignissen aus"
        )


def test_a_sentence_is_put_together_from_parts_that_are_known() -> None:
    with reading("de"):
        assert translated(
            "Somebody who knows a person's age, town and sex is left with at least 5 people, if no two records are of "
            "one person."
        ) == (
            "Wer von einer Person age, town und sex kennt, dem bleiben mindestens 5 Personen, sofern keine zwei "
            "Datensätze einer Person gehören."
        )
        assert translated("k^m-anonymity (k=5, m=2)") == "k^m-Anonymität (k=5, m=2)"
        assert translated("10 of 60 people (17 %)") == "10 von 60 Personen (17 %)"


def test_every_problem_of_an_experiment_is_in_the_catalogue() -> None:
    runs = [
        *({}, 5, {"method": "mondrin"}, {"method": "*", "params": {"kk": 5}}, {"method": "mondrian", "params": 5}),
        {"method": "mondrian", "repeats": 0, "label": 5, "columns": 5, "except": ["mondrin"]},
        *({"method": "mondrian", "params": params} for params in ({"kk": 5}, {"k": 0}, {"k": "x"}, {"distance": "x"})),
        {"method": "mondrian", "sweep": {"param": "k", "start": 1, "end": 5, "step": 0}},
        {"bound": {"method": "rmerge"}},
    ]
    columns = {"age": {"type": "x", "role": "y", "sensitive": 5, "item_separator": ""}}
    content = {
        "sed": 1,
        "dataset": {"kind": "relationl", "rows": 0, "columns": columns, "sets": {"d": {}}, "edits": 5},
        "hierarchy": {"age": {}},
        "queries": {"path": "a", "generate": {"count": 10**9}},
        "limits": {"seconds": "x"},
        "metrics": {"list": ["npc"]},
        "plot": [{"kind": "line", "x": "kk", "y": "nothing", "run": "none"}],
        "run": runs,
    }
    problems = [problem.message for problem in Experiment(content).check(read=False)]
    assert len(problems) > 30
    with reading(PSEUDO):
        assert [words for words in problems if not translated(words).startswith("⟦")] == []
    with reading("de"):
        assert translated("Mondrian: k must be an int of at least 1, got 0.") == (
            "Mondrian: k muss eine ganze Zahl ab 1 sein, angegeben ist 0."
        )
        assert translated("must be an int of at least 1 or nothing, got 0.") == (
            "muss eine ganze Zahl ab 1 oder nichts sein, angegeben ist 0."
        )
        assert translated("label must be a text, got 5.") == "label muss ein Text sein, angegeben ist 5."


@pytest.mark.parametrize("guess", ["", " Did you mean 'age'?"])
def test_what_may_have_been_meant_is_a_sentence_of_its_own(guess: str) -> None:
    with reading("de"):
        assert translated(f"there is no column 'aeg' in the data.{guess}") == (
            "in den Daten gibt es keine Spalte 'aeg'." + (" Meinten Sie 'age'?" if guess else "")
        )


def test_dates_are_written_as_the_language_writes_them() -> None:
    moment = datetime(2024, 3, 1, 7, 30)
    assert date_text(moment.date()) == "2024-03-01"
    assert date_text(moment) == "2024-03-01 07:30"
    with reading("de"):
        assert date_text(moment.date()) == "01.03.2024"
        assert date_text(moment) == "01.03.2024 07:30"
        assert date_text(moment, "YM") == "03.2024"
        assert date_text(moment.date(), "MD") == "01.03."


def test_a_label_is_cut_from_its_help_at_the_same_place_in_every_language() -> None:
    breaks = re.compile(r"(?<=[^.])(: |; |\. )")
    with reading("de"):
        for method in METHODS.values():
            for option in parameters_of(method):
                assert len(breaks.split(option.help)) == len(breaks.split(translated(option.help))), option.help


def test_the_browser_is_answered_in_the_best_language_that_there_is() -> None:
    assert best_language("fr;q=0.9, de-AT;q=0.8, en;q=0.5") == "de"
    assert best_language("fr, it;q=x") == best_language("") == "en"
    assert list(LANGUAGES) == ["en", "de"]


def test_a_report_is_in_the_language_asked_for_and_the_folder_stays_english(tmp_path: Path) -> None:
    people = pl.DataFrame({"age": [30, 31, 40, 41], "ill": ["flu", "flu", "cold", "flu"]})
    table = Table.from_frame(people, {"age": "quasi", "ill": "sensitive"})
    release = crypsis.anonymize(table, Mondrian(k=2))
    assert '<html lang="de">' in release.report("de").html
    assert "Auf einen Blick" in release.report("de").html
    with reading("de"):
        folder = release.write(tmp_path / "release")
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert '<html lang="en">' in page
    assert "At a glance" in page


ANSWERS = {"title": "Illness", "controller": "Hospital", "purpose": "Research", "recipient": "Institute"}
ANSWERS |= {"legal_basis": "Art. 6 GDPR", "made_by": "A. Registrar", "approved_by": "B. Officer"}


def test_the_folder_is_in_the_declared_language_whoever_writes_it(tmp_path: Path) -> None:
    """What programs read is the same in every language; the report follows the manifest alone."""
    people = pl.DataFrame({"age": [30, 31, 40, 41], "ill": ["flu", "flu", "cold", "flu"]})
    release = crypsis.anonymize(Table.from_frame(people, {"age": "quasi", "ill": "sensitive"}), Mondrian(k=2))
    folders = {}
    for name, declared in (("en", {}), ("de", {"language": "de"})):
        release.about = About.of(ANSWERS | declared)
        with reading("de" if name == "en" else "en"):
            folders[name] = release.write(tmp_path / name, private_report=tmp_path / f"{name}.private.json")
    for name, heading in (("en", "At a glance"), ("de", "Auf einen Blick")):
        public, private = folders[name] / "report.html", tmp_path / f"{name}.private.html"
        assert public.read_text(encoding="utf-8") == read_release(folders[name]).report().html
        for page in (public, private):
            assert f'<html lang="{name}">' in page.read_text(encoding="utf-8")
            assert heading in page.read_text(encoding="utf-8")
    english, german = (json.loads((folder / "release.json").read_text()) for folder in folders.values())
    assert german["about"].pop("language") == "de"
    for manifest in (english, german):
        del manifest["files"]  # with their checksums, which the deposit forms hold, too
    assert english == german
    assert (folders["en"] / "table.csv").read_bytes() == (folders["de"] / "table.csv").read_bytes()


def test_reports_are_declared_in_a_language_that_there_is() -> None:
    with pytest.raises(BadParameter, match="language is one of en, de, got 'fr'"):
        About.of(ANSWERS | {"language": "fr"})
