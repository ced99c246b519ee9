"""Every kind of bad input: its code, words that say what and where, the exit code, and no output folder."""

from __future__ import annotations

import json

import pytest

from tests.conformance.vectors import load

SPECIFIED = [case for case in load("trajectory/errors.json")["cases"] if case["algorithm"] == "SEQANON"]
PLACES = "location,x,y\na,0,0\nb,3,4\n"
VISITS = "trajectory_id,position,location\n1,0,a\n1,1,b\n2,0,a\n2,1,b\n"

BAD = {
    "no such file": (VISITS, PLACES, ("missing.csv",), "missing-file", 2, "missing.csv"),
    "unknown suffix": (VISITS, PLACES, ("places.xyz",), "unknown-column", 2, "trajectory_id"),
    "unknown location": (VISITS + "3,0,z\n", PLACES, (), "unknown-location", 2, "'z'"),
    "duplicate location": (VISITS, PLACES + "a,1,1\n", (), "duplicate-location", 2, "line 4"),
    "empty label in the table": (VISITS, PLACES + ",1,1\n", (), "bad-label", 2, "line 4"),
    "empty label in the data": (VISITS + "3,0,\n", PLACES, (), "bad-label", 2, "line 6"),
    "coordinate not a number": (VISITS, PLACES + "c,east,1\n", (), "bad-row", 2, "line 4"),
    "coordinate missing": (VISITS, PLACES + "c,,1\n", (), "bad-coordinate", 2, "line 4"),
    "coordinate infinite": (VISITS, PLACES + "c,inf,1\n", (), "bad-coordinate", 2, "line 4"),
    "too many fields": (VISITS + "3,0,a,b\n", PLACES, (), "bad-row", 2, "line 6"),
    "too few fields": (VISITS + "3,0\n", PLACES, (), "bad-row", 2, "line 6"),
    "position not a number": (VISITS + "3,x,a\n", PLACES, (), "bad-row", 2, "line 6"),
    "positions not increasing": (VISITS + "3,1,a\n3,1,b\n", PLACES, (), "bad-row", 2, "line 7"),
    "column missing": (VISITS.replace("location", "place"), PLACES, (), "unknown-column", 2, "location"),
    "k of zero": (VISITS, PLACES, ("-k", "0"), "bad-parameter", 2, "at least 1"),
    "k not a number": (VISITS, PLACES, ("-k", "many"), "bad-parameter", 2, "'many'"),
    "m negative": (VISITS, PLACES, ("-m", "-1"), "bad-parameter", 2, "at least 0"),
    "unknown choice": (VISITS, PLACES, ("--on-infeasible", "pray"), "bad-parameter", 2, "'truncate'"),
    "unknown option": (VISITS, PLACES, ("--kk", "3"), "bad-parameter", 2, "--kk"),
    "parameter twice": (VISITS, PLACES, ("-k", "3", "-k", "4"), "bad-parameter", 2, "twice"),
    "parameter without a value": (VISITS, PLACES, ("-k",), "bad-parameter", 2, "requires an argument"),
    "unknown output format": (VISITS, PLACES, ("--format", "xml"), "bad-parameter", 2, "jsonl"),
    "too few trajectories": (VISITS, PLACES, ("-k", "3"), "too-few-trajectories", 3, "2 trajectories"),
    "one long trajectory": (
        VISITS.replace("2,1,b\n", "") + "3,0,a\n",
        PLACES,
        ("-k", "2"),
        "infeasible-length",
        3,
        "truncate",
    ),
    "owners repeat": (
        "trajectory_id,position,location,who\n1,0,a,x\n2,0,a,x\n3,0,a,y\n",
        PLACES,
        ("-k", "2", "--owner", "who"),
        "owner-repeated",
        2,
        "--unit owner",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named_and_nothing_is_written(run, tmp_path, name):
    visits, places, more, code, exit_code, words = BAD[name]
    (tmp_path / "visits.csv").write_text(visits)
    (tmp_path / "places.csv").write_text(places)
    (tmp_path / "places.xyz").write_text(places)
    source = tmp_path / (more[0] if more and not more[0].startswith("-") else "visits.csv")
    options = more if more and more[0].startswith("-") else ()
    defaults = () if "-k" in options else ("-k", "1")
    done = run(
        "anonymize",
        source,
        "--method",
        "seq-anon",
        *defaults,
        "--locations",
        tmp_path / "places.csv",
        "--out",
        tmp_path / "release",
        *options,
    )
    assert done.code == exit_code, done
    assert done.err.splitlines()[-1].startswith(f"{code}: "), done.err
    assert words in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["places.csv", "places.xyz", "visits.csv"]


@pytest.mark.parametrize("case", SPECIFIED, ids=lambda case: case["name"])
def test_the_specifications_malformed_inputs_through_files(run, tmp_path, case):
    locations = case["input"]["locations"]
    rows = "".join(f"{place['location']},{shown(place['x'])},{shown(place['y'])}\n" for place in locations)
    (tmp_path / "places.csv").write_text("location,x,y\n" + rows)
    lines = "".join(json.dumps(path) + "\n" for path in case["input"]["trajectories"])
    (tmp_path / "visits.jsonl").write_text(lines)
    parameters = [part for name, value in case["params"].items() for part in (f"-{name}", str(value))]
    done = run(
        "anonymize",
        tmp_path / "visits.jsonl",
        "--method",
        "seq-anon",
        *parameters,
        "--locations",
        tmp_path / "places.csv",
        "--out",
        tmp_path / "release",
    )
    infeasible = case["error"] in ("too-few-trajectories", "infeasible-length")
    assert done.code == (3 if infeasible else 2), done
    assert done.err.splitlines()[-1].startswith(case["error"] + ": "), done.err
    assert not (tmp_path / "release").exists()


def shown(value: object) -> str:
    return "" if value is None else str(value)


def test_an_unknown_method_is_refused_with_the_known_ones(run, tmp_path):
    done = run("anonymize", "x.csv", "--method", "seqanon", "--out", tmp_path / "r")
    assert done.code == 2
    assert done.err.startswith("unknown-method: ")
    assert "Did you mean 'seq-anon'?" in done.err


def test_errors_are_objects_with_json(run, tmp_path):
    done = run("verify", tmp_path / "nothing", "--json")
    result = json.loads(done.out)
    assert result["exit_code"] == done.code == 2
    assert result["error"]["code"] in done.err


def test_an_existing_folder_stops_the_run_before_anything_is_read(run, tmp_path):
    (tmp_path / "release").mkdir()
    done = run("anonymize", tmp_path / "missing.csv", "--method", "seq-anon", "--out", tmp_path / "release")
    assert done.code == 2
    assert done.err.startswith("output-exists: ")


def test_a_bug_of_ours_exits_with_1_and_does_not_blame_the_user(run, monkeypatch, tmp_path):
    def broken(folder: object, **given: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("crypsis._api.read_release", broken)
    (tmp_path / "r").mkdir()
    done = run("verify", tmp_path / "r")
    assert done.code == 1
    assert done.err.startswith("internal-error: This is a bug of Crypsis: ZeroDivisionError in ")
    assert "oops" not in done.err  # what an error says may hold values of the data
    assert "Traceback" not in done.err
