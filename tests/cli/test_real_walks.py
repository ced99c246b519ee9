"""Real data by the command that `data inspect` prints: safe by our own attacks, refused, or marked with the number.

Whole files; every command costs up to twenty seconds of a quiet processor.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Outcome, Run
from tests.cli.suggested_commands import commands
from tests.people_with_codes import people_with_codes
from tests.shared_data import dataset

K = 5  # of every suggested method


def published(run: Run, command: list[str], folder: Path, *more: str) -> Outcome:
    """The outcome of a printed command, with its release and its private report in a folder."""
    place = command.index("--out")
    return run(*command[:place], "--out", folder / "release", "--json", "--quiet", *more)


def findings(made: Outcome) -> dict[str, dict[str, Any]]:
    """What the lights found, by code; of several the first."""
    assert made.code == 0, made.err
    review = json.loads(made.out)["review"]
    told = [one for light in ("guarantee", "disclosure", "usefulness") for one in review[light]["findings"]]
    return {one["code"]: one for one in reversed(told)}


def attack(run: Run, command: list[str], folder: Path, name: str, *more: str) -> dict[str, Any]:
    """What an adversary finds, with the reading options of the command that published."""
    reading = [
        word
        for option in ("--id", "--t", "--repeated", "--sort", "--person")
        if option in command
        for word in command[command.index(option) : command.index(option) + (1 if option == "--sort" else 2)]
    ]
    done = run(
        "attack", folder / "release", "--original", command[1], *reading, "--private-report",
        folder / "release.private.json", "--attack", name, "--json", "--quiet", *more,
    )  # fmt: skip
    assert done.code == 0, done.err
    return dict(json.loads(done.out))


@pytest.mark.real_data("geolife_sample")
def test_geolife_is_published_by_user_and_its_still_tracks_are_counted(run: Run, tmp_path: Path) -> None:
    (command,) = commands(run, dataset("geolife_sample") / "geolife_11users.csv.xz").values()
    assert command[-4:-2] == ["--unit", "owner"]
    found = findings(published(run, command, tmp_path))
    assert (found["still-tracks"]["colour"], found["still-tracks"]["number"]) == ("red", 109)
    assert (found["repeated-people"]["colour"], found["repeated-people"]["number"]) == ("amber", 11)
    assert (found["known-pairs"]["colour"], found["known-pairs"]["number"]) == ("green", 0)
    told = attack(run, command, tmp_path, "unique-location")
    assert (told["individuals"], told["share_unique"]) == (11, 0)
    assert told["fewest_candidates"] >= K


@pytest.mark.real_data("geolife_sample")
def test_geolife_of_two_people_is_refused(run: Run, tmp_path: Path) -> None:
    (command,) = commands(run, dataset("geolife_sample") / "geolife_skmob_sample.csv.xz").values()
    refused = published(run, command, tmp_path)
    assert refused.code == 3
    assert "2 tracks were given, 5 are required" in refused.err
    assert not (tmp_path / "release").exists()


@pytest.mark.real_data("gowalla_nyc")
def test_gowalla_is_marked_with_its_still_tracks(run: Run, tmp_path: Path) -> None:
    (command,) = commands(run, dataset("gowalla_nyc") / "gowalla_nyc_checkins.csv.xz").values()
    assert "--sort" in command
    found = findings(published(run, command, tmp_path))
    assert (found["still-tracks"]["colour"], found["still-tracks"]["number"]) == ("amber", 1_968)
    assert (found["known-pairs"]["number"], found["known-pairs"]["total"]) == (274, 6_423)


@pytest.mark.real_data("citibike_jc")
def test_bikes_are_asked_about_and_counted(run: Run, tmp_path: Path) -> None:
    by_answer = commands(run, dataset("citibike_jc") / "citibike_jc_202003_202004.parquet")
    by_bike = by_answer["Where bikeid names the person"]
    undecided = [word for word in by_bike if word not in ("--person", "bikeid")]
    undecided[2:2] = ["--identifier", "bikeid"]
    refused = published(run, undecided, tmp_path)
    assert (refused.code, "person-undecided" in refused.err) == (2, True)
    found = findings(published(run, by_bike, tmp_path))
    assert (found["repeated-people"]["colour"], found["repeated-people"]["number"]) == ("amber", 551)
    assert found["repeated-people"]["total"] == 555
    told = attack(run, by_bike, tmp_path, "linkage")
    assert told["individuals"] == 555
    assert told["fewest_candidates"] >= K


@pytest.mark.real_data("citibike_jc")
def test_trips_as_people_say_so_beside_the_verdict_and_an_attack_by_bike_shows_it(run: Run, tmp_path: Path) -> None:
    file = dataset("citibike_jc") / "citibike_jc_202003_202004.parquet"
    command = commands(run, file)["Where nobody has several records"]
    made = published(run, command, tmp_path)
    assert "each record is a person of its own" in findings(made)["verdict"]["sentence"]
    told = attack(run, [*command, "--person", "bikeid"], tmp_path, "linkage")
    assert told["individuals"] == 555
    assert told["fewest_candidates"] < K  # five rows, not five bikes


@pytest.mark.real_data("informs2005")
@pytest.mark.parametrize(
    ("answer", "number", "total"),
    [("Where DUID names the person", 3_841, 11_918), ("Where nobody has several records", 6_504, 33_961)],
)
def test_informs_is_marked_with_the_incomes_that_are_revealed(
    run: Run, tmp_path: Path, answer: str, number: int, total: int
) -> None:
    command = commands(run, dataset("informs2005") / "demographics05.csv.gz")[answer]
    found = findings(published(run, command, tmp_path))
    revealed = found["revealed-values"]
    assert (revealed["colour"], revealed["number"], revealed["total"]) == ("red", number, total)
    assert (revealed["column"], revealed["remedy"]["option"]) == ("income", "-l 2")
    assert found["information-loss"]["colour"] == "green"


@pytest.mark.real_data("informs2005")
def test_informs_conditions_are_sets_of_codes_and_pass_every_light(run: Run, tmp_path: Path) -> None:
    by_answer = commands(run, dataset("informs2005") / "conditions05.csv.gz")
    command = by_answer["Where nobody has several records"]
    assert command[2:6] == ["--id", "DUPERSID", "--item", "ICD9CODX"]
    made = published(run, command, tmp_path)
    findings(made)
    review = json.loads(made.out)["review"]
    assert [review[light]["colour"] for light in ("guarantee", "disclosure", "usefulness")] == ["green"] * 3


@pytest.mark.real_data("adult")
def test_adult_is_marked_with_the_salaries_that_are_revealed(run: Run, tmp_path: Path) -> None:
    (command,) = commands(run, dataset("adult") / "adult.csv").values()
    revealed = findings(published(run, command, tmp_path))["revealed-values"]
    assert (revealed["colour"], revealed["number"], revealed["total"]) == ("red", 10_091, 30_162)
    told = attack(run, command, tmp_path, "linkage")
    assert told["fewest_candidates"] >= K


@pytest.mark.real_data("informs2005")
def test_informs_with_codes_is_marked_with_the_information_that_is_lost(run: Run, tmp_path: Path) -> None:
    """A sample of 3,000 people, so that it ends within seconds."""
    (command,) = commands(run, people_with_codes(tmp_path, 3_000)).values()
    assert command[command.index("--method") + 1] == "rum-bound"
    made = published(run, command, tmp_path)
    lost = findings(made)["information-loss"]
    assert lost["colour"] == "amber"
    assert lost["sentence"] == "65 % of the information in the quasi-identifiers is lost."
    assert findings(made)["known-pairs"]["number"] == 0
    assert attack(run, command, tmp_path, "linkage", "--known-items", "2")["fewest_candidates"] >= K
