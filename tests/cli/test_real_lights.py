"""What a careless user publishes of real data with suggested settings: safe by our own attacks, refused, or marked."""

from __future__ import annotations

import json

import pytest

import crypsis
from tests.shared_data import dataset

QUASI = "sex,age,race,marital-status,education,native-country,workclass,occupation"


def findings(outcome) -> dict[str, dict]:
    review = json.loads(outcome.out)["review"]
    return {
        one["code"]: one for light in ("guarantee", "disclosure", "usefulness") for one in review[light]["findings"]
    }


@pytest.mark.real_data("adult")
def test_adult_is_marked_with_the_people_whose_salary_is_revealed(run, tmp_path):
    source = dataset("adult") / "adult.csv"
    settings = ("--quasi", QUASI, "--sensitive", "salary-class", "--method", "mondrian", "-k", "5")
    done = run("anonymize", source, *settings, "--out", tmp_path / "r", "--json", "--quiet")
    assert done.code == 0, done.err
    revealed = findings(done)["revealed-values"]
    assert (revealed["colour"], revealed["number"], revealed["total"]) == ("red", 10_091, 30_162)
    assert revealed["remedy"]["option"] == "-l 2"
    strict = run("anonymize", source, *settings, "--out", tmp_path / "s", "--strict", "--quiet")
    assert strict.code == 7
    assert not (tmp_path / "s").exists()
    diverse = run("anonymize", source, *settings, "-l", "2", "--out", tmp_path / "l", "--json", "--quiet")
    assert findings(diverse)["revealed-values"]["number"] == 0
    assert findings(diverse)["revealed-values"]["colour"] == "green"


@pytest.mark.real_data("geolife_sample")
def test_geolife_as_a_table_is_refused_or_red(run, tmp_path):
    source = dataset("geolife_sample") / "geolife_11users.csv.xz"
    settings = ("--quasi", "uid,trajectory,lat,lon,alt_ft,datetime_gmt", "--method", "mondrian", "-k", "5")
    refused = run("anonymize", source, *settings, "--out", tmp_path / "r", "--quiet")
    assert refused.code == 2
    assert "person-undecided" in refused.err
    roles = dict.fromkeys(("uid", "trajectory", "lat", "lon", "alt_ft", "datetime_gmt"), "quasi")
    table = crypsis.read_table(source, roles=roles, each_row_is_a_person=True)
    review = crypsis.anonymize(table, crypsis.Mondrian(k=5)).review(public=True)
    (named,) = [one for one in review.findings if one.code == "unique-by-unchanged-columns" and one.column == "uid"]
    assert (str(named.colour), named.total) == ("red", 164_531)
    assert named.number == 164_286


@pytest.mark.real_data("informs2005")
def test_informs_demographics_are_marked(run, tmp_path):
    source = dataset("informs2005") / "demographics05.csv.gz"
    quasi = "DOBMM,DOBYY,SEX,RACEX,EDUCYEAR,marry"
    done = run(
        "anonymize", source, "--quasi", quasi, "--sensitive", "income", "--identifier", "rest",
        "--each-row-is-a-person", "--method", "mondrian", "-k", "5", "--out", tmp_path / "r", "--json", "--quiet",
    )  # fmt: skip
    assert done.code == 0, done.err
    found = findings(done)
    assert found["reidentification-risk"]["colour"] == "green"
    assert found["revealed-values"]["number"] > 0
