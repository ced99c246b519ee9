"""`crypsis verify` and `crypsis data risk` on tables that anybody may have published."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from tests.cli.conftest import Run

ROWS = {
    "age": ["[20-30)", "[20-30)", "[20-30)", "*", "*", "~"],
    "zip": ["14*", "14*", "14*", "1", "1", "~"],
    "illness": ["flu", "cold", "flu", "gout", "flu", "~"],
    "pay": ["9", "10", "11", "9", "30", "~"],
    "codes": ["a b", "a", "a b", "c", "c", "~"],
}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    pl.DataFrame(ROWS).write_csv(tmp_path / "table.csv")
    pl.DataFrame(ROWS).write_parquet(tmp_path / "table.parquet")
    pl.DataFrame(ROWS)[:5].write_csv(tmp_path / "whole.csv")
    return tmp_path / "table.csv"


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_the_level_of_each_model_is_told(run: Run, table: Path, ending: str) -> None:
    done = run("verify", table.with_suffix(ending), "--quasi", "age,zip", "--sensitive", "illness,pay", "--json")
    assert done.code == 0, done.err
    levels = json.loads(done.out)["levels"]
    assert (levels["records"], levels["suppressed"], levels["classes"], levels["k"]) == (6, 1, 2, 2)
    illness, pay = levels["sensitive"]
    assert (illness["distinct_l"], illness["recursive_l"], pay["distinct_l"]) == (2, 1, 2)
    assert illness["entropy_l"] == pytest.approx(1.8898815748423097)
    assert illness["equal_t"] is None  # the suppressed value is not known


def test_words_name_every_model(run: Run, table: Path) -> None:
    told = run("verify", table.parent / "whole.csv", "--quasi", "age,zip", "--sensitive", "illness,pay").out
    for words in (
        "k = 2",
        "distinct l-diversity",
        "entropy",
        "recursive",
        "t-closeness, equal",
        "t-closeness, ordered",
    ):
        assert words in told
    only = run("verify", table, "--model", "k-anonymity", "--quasi", "age,zip").out
    assert "k = 2" in only
    assert "diversity" not in only


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        (("--model", "k-anonymity", "-k", "2"), 0),
        (("--model", "k-anonymity", "-k", "3"), 4),
        (("--model", "l-diversity", "-l", "2", "--sensitive", "illness"), 0),
        (("--model", "l-diversity", "-l", "3", "--sensitive", "illness"), 4),
        (("--model", "l-diversity", "-l", "2", "--form", "entropy", "--sensitive", "illness"), 4),
        (("--model", "t-closeness", "-t", "0.9", "--sensitive", "illness"), 0),
        (("--model", "t-closeness", "-t", "0.01", "--sensitive", "illness"), 4),
        (("--model", "kkm-anonymity", "-k", "2", "-m", "2", "--items", "codes= "), 0),
        (("--model", "kkm-anonymity", "-k", "3", "-m", "1", "--items", "codes= "), 4),
        (("--model", "klm-diversity", "-k", "2", "-l", "2", "--items", "codes= ", "--sensitive-items", "c"), 4),
    ],
)
def test_a_model_with_parameters_is_judged(run: Run, table: Path, asked: tuple[str, ...], code: int) -> None:
    done = run("verify", table.parent / "whole.csv", "--quasi", "age,zip", *asked)
    assert done.code == code, done
    assert ("verified" if code == 0 else "NOT SAFE") in done.out
    told = run("verify", table.parent / "whole.csv", "--quasi", "age,zip", *asked, "--json")
    assert json.loads(told.out)["verdict"]["holds"] == (code == 0)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (("--model", "k-anonymity"), "bad-parameter: .*--quasi age,zip"),
        ((), "bad-parameter: .*--quasi age,zip"),
        (("--quasi", "age,zipp"), "unknown-column: .*Did you mean 'zip'"),
        (("--quasi", "age,age"), "bad-parameter: .*named twice"),
        (("--quasi", "age", "--sensitive", "age"), "bad-parameter: .*given the roles quasi and sensitive"),
        (("--quasi", "age", "--model", "l-diversity"), "bad-parameter: .*--sensitive disease"),
        (("--quasi", "age", "--model", "t-closeness", "-t", "0.5"), "bad-parameter: .*--sensitive disease"),
        (("--quasi", "age", "--model", "kkm-anonymity"), "bad-parameter: .*--items"),
        (("--quasi", "age", "--original", "x.csv"), "bad-parameter: .*--original is for releases"),
        (("--quasi", "age", "--grid", "5"), "option-without-effect: --grid says how trajectories"),
        (("--quasi", "age", "--model", "t-closeness", "-t", "0.5", "--sensitive", "pay"), "original-required"),
    ],
)
def test_what_cannot_be_checked_is_refused(run: Run, table: Path, asked: tuple[str, ...], message: str) -> None:
    import re

    done = run("verify", table, *asked)
    assert done.code == 2, done
    assert re.search(message, done.err.replace("\n", " ")), done.err
    assert done.out == ""


def test_a_half_suppressed_record_breaks_any_promise(run: Run, tmp_path: Path) -> None:
    pl.DataFrame({"age": ["1", "1", "~"], "illness": ["flu", "flu", "gout"]}).write_csv(tmp_path / "table.csv")
    done = run("verify", tmp_path / "table.csv", "--quasi", "age", "--sensitive", "illness")
    assert done.code == 4
    assert "suppressed_value" in done.err


def test_a_file_that_is_no_table_is_refused_with_its_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("age,zip\n1,2\n1,2,3\n", encoding="utf-8")
    done = run("verify", tmp_path / "table.csv", "--quasi", "age")
    assert done.code == 2
    assert "line 3" in done.err
    (tmp_path / "twice.csv").write_text("age,age\n1,2\n", encoding="utf-8")
    assert run("verify", tmp_path / "twice.csv", "--quasi", "age").code == 2


def test_risks_are_shown_before_and_after(run: Run, tmp_path: Path) -> None:
    people = pl.DataFrame({"age": [20, 21, 22, 40, 41, 42], "town": ["a", "a", "b", "b", "c", "c"]})
    people.write_csv(tmp_path / "people.csv")
    made = run(
        "anonymize", tmp_path / "people.csv", "--method", "mondrian", "-k", "3", "--quasi", "age,town", "--out",
        tmp_path / "release",
    )  # fmt: skip
    assert made.code == 0, made.err
    asked = (tmp_path / "people.csv", "--quasi", "age,town", "--after", tmp_path / "release")
    done = run("data", "risk", *asked, "--json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert (found["before"]["prosecutor"]["highest"], found["before"]["smallest_class"]) == (1.0, 1)
    assert found["after"]["prosecutor"]["highest"] == pytest.approx(1 / 3)
    shown = run("data", "risk", *asked).out
    for words in ("before", "after", "prosecutor", "journalist", "marketer", "separation"):
        assert words in shown
    alone = run("data", "risk", tmp_path / "release", "--json", "--share", "0.5")
    assert json.loads(alone.out)["smallest_class"] == 3
    attacked = run(
        "attack", tmp_path / "release", "--original", tmp_path / "people.csv", "--quasi", "age,town", "--attack",
        "linkage", "--json",
    )  # fmt: skip
    assert attacked.code == 0, attacked.err
    assert json.loads(attacked.out)["max_risk"] <= 1 / 3
    (tmp_path / "queries.txt").write_text("age in [20:30]\n", encoding="utf-8")
    measured = run(
        "measure", tmp_path / "release", "--original", tmp_path / "people.csv", "--quasi", "age,town", "--queries",
        tmp_path / "queries.txt", "--metric", "count_query_loss", "--json",
    )  # fmt: skip
    assert measured.code == 0, measured.err
    assert json.loads(measured.out)["count_queries_without_record"] == 0


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ((), "--quasi age,zip"),
        (("--quasi", "agee"), "Did you mean 'age'"),
        (("--quasi", "age", "--share", "0"), "share must be"),
        (("--quasi", "age", "--after", "nowhere"), "not a release"),
    ],
)
def test_bad_requests_for_risks_are_refused(run: Run, table: Path, asked: tuple[str, ...], message: str) -> None:
    done = run("data", "risk", table, *asked)
    assert done.code == 2, done
    assert message in done.err
