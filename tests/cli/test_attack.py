"""`crypsis attack` shows what an adversary could do with a release, and never whose risk it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from crypsis.attacks import ATTACKS
from tests.cli.conftest import Outcome, Run


@pytest.fixture
def release(run: Run, town: Path) -> Path:
    done = run(
        *("anonymize", town / "checkins.csv", "--locations", town / "places.csv", "--method", "seq-anon"),
        *("-k", "5", "-m", "2", "--out", town / "release"),
    )
    assert done.code == 0, done.err
    return town / "release"


def attack(run: Run, town: Path, release: Path, *more: str) -> Outcome:
    return run("attack", release, "--original", town / "checkins.csv", "--locations", town / "places.csv", *more)


@pytest.mark.parametrize("name", ["containment", "location-sequence", "location", "unique-location"])
def test_a_release_withstands_as_much_knowledge_as_it_promises(run: Run, town: Path, release: Path, name: str) -> None:
    done = attack(run, town, release, "--attack", name, "--knowledge", "2", "--json")
    assert done.code == 0, done.err
    result = json.loads(done.out)
    assert result["attack"] == name
    assert result["parameters"]["knowledge"] == 2
    assert result["individuals"] == 2000
    assert result["max_risk"] <= 1 / 5
    assert result["fewest_candidates"] >= 5
    assert [point["knowledge"] for point in result["curve"]][:2] == [1, 2]


def test_without_an_adversary_the_first_that_fits_is_taken_and_named(run: Run, town: Path, release: Path) -> None:
    done = attack(run, town, release, "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["attack"] == "containment"
    assert "The adversary is containment, the first that fits; others that fit: location-sequence" in done.err


def test_of_a_table_the_adversary_links_quasi_identifiers(run: Run, tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text("age,town\n" + "".join(f"{20 + n % 9},{'ab'[n % 2]}\n" for n in range(40)))
    release = tmp_path / "release"
    options = ("--quasi", "age,town", "--each-row-is-a-person")
    assert run("anonymize", table, "--method", "mondrian", "-k", "3", *options, "--out", release).code == 0
    done = run("attack", release, "--original", table, "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["attack"] == "linkage"


def test_more_knowledge_means_more_risk(run: Run, town: Path, release: Path) -> None:
    done = attack(run, town, release, "--attack", "location-sequence", "--knowledge=4", "--json")
    risks = [point["max_risk"] for point in json.loads(done.out)["curve"]]
    assert risks == sorted(risks)
    assert risks[3] > risks[1]


def test_people_get_a_table(run: Run, town: Path, release: Path) -> None:
    done = attack(run, town, release, "--attack", "containment", "--knowledge", "2", "--beyond", "1")
    assert done.code == 0, done.err
    assert "fewest candidates" in done.out
    assert len([line for line in done.out.splitlines() if line.strip()[:1].isdigit()]) == 3


def test_the_curve_can_be_drawn(run: Run, town: Path, release: Path) -> None:
    done = attack(
        run, town, release, "--attack", "containment", "--knowledge", "2", "--picture", str(town / "risk.svg")
    )
    assert done.code == 0, done.err
    drawn = (town / "risk.svg").read_text()
    assert "allowed are 20 % up to 2 pieces" in drawn
    again = attack(run, town, release, "--attack", "home-work", "--picture", str(town / "home.svg"), "--json")
    assert json.loads(again.out)["picture"] == str(town / "home.svg")
    assert "allowed" not in (town / "home.svg").read_text()


@pytest.mark.parametrize("name", ATTACKS)
def test_the_help_names_every_adversary(run: Run, name: str) -> None:
    words = "".join(run("attack", "--help").out.split())  # a line may end behind a hyphen
    assert name in words


def test_bad_requests_are_refused_by_name(run: Run, town: Path, release: Path) -> None:
    for more, message in (
        (("--attack", "locatoin"), "Did you mean 'location'"),
        (("--attack", "location", "--knowledge", "0"), "knowledge must be an int of at least 1, got 0"),
        (("--attack", "home-work", "--knowledge", "3"), "--knowledge"),
        (("--attack", "location", "--unit", "owner"), "give the original with the column that names them"),
        (("--knowledge", "3"), "--knowledge"),  # whose knowledge?
    ):
        done = attack(run, town, release, *more)
        assert done.code == 2, done
        assert message in done.err
        assert done.out == ""
