"""Taxonomies and constraints on the command line: files and recipes go in, only a few words come out."""

from __future__ import annotations

import json

import pytest

from crypsis.data.constraints import UtilityConstraints
from crypsis.data.reading import read_locations
from crypsis.hierarchy import Taxonomy


def anonymize(run, town, method, *more):
    return run(
        *("anonymize", town / "checkins.csv", "--locations", town / "places.csv"),
        *("--method", method, "-k", "5", "-m", "2", "--out", town / "release", *more),
    )


def manifest_of(town):
    return json.loads((town / "release" / "release.json").read_text(encoding="utf-8"))


def private_report_of(town):
    return json.loads((town / "release.private.json").read_text(encoding="utf-8"))


def test_a_taxonomy_comes_from_a_recipe_or_the_same_from_a_file(run, town):
    done = anonymize(run, town, "sd-seq-anon", "--taxonomy", "auto:4")
    assert done.code == 0, done.err
    by_recipe = (town / "release" / "trajectories.jsonl").read_bytes()
    assert manifest_of(town)["method"]["parameters"]["taxonomy"] == "auto:4"
    assert "semantic_penalty_loss" in private_report_of(town)["utility"]
    file = Taxonomy.near(read_locations(town / "places.csv"), 4).write(town / "taxonomy.csv")
    done = anonymize(run, town, "sd-seq-anon", "--taxonomy", str(file), "--overwrite")
    assert done.code == 0, done.err
    assert (town / "release" / "trajectories.jsonl").read_bytes() == by_recipe
    assert "taxonomy.csv" not in (town / "release" / "release.json").read_text(encoding="utf-8")
    assert run("verify", town / "release").code == 0
    measured = run(
        *("measure", town / "release", "--original", town / "checkins.csv", "--locations", town / "places.csv"),
        *("--taxonomy", "auto:4", "--metric", "semantic_penalty_loss", "--json"),
    )
    assert json.loads(measured.out)["semantic_penalty_loss"] == pytest.approx(
        private_report_of(town)["utility"]["semantic_penalty_loss"]
    )


def test_constraints_are_published_with_the_promise_and_checked_from_the_folder(run, town):
    done = anonymize(run, town, "u-seq-anon", "--constraints", "auto:12", "--delta", "60")
    assert done.code == 0, done.err
    suppressed = private_report_of(town)["suppressed_labels"]
    assert suppressed
    assert f"all visits to {len(suppressed)} locations were left out" in done.err
    checked = run("verify", town / "release")
    assert checked.code == 0
    assert manifest_of(town)["guarantee"]["parameters"]["constraints"] == {"recipe": "auto:12"}
    strict = run("verify", town / "release", "--original", town / "checkins.csv", "--locations", town / "places.csv")
    assert strict.code == 0
    assert "were compared with the 5 constraints" in strict.out

    useful = town / "constraints.txt"
    groups = UtilityConstraints.near(read_locations(town / "places.csv"), 12).groups
    useful.write_text("".join(";".join(group) + "\n" for group in groups), encoding="utf-8")
    file = town / "release" / "trajectories.jsonl"
    model = ("--model", "constrained-km-anonymity", "-k", "5", "-m", "2", "--constraints", useful, "--delta", "60")
    hidden = [word for label in suppressed for word in ("--suppressed", label)]
    assert run("verify", file, *model, *hidden).code == 0
    narrow = town / "narrow.txt"
    narrow.write_text("".join(f"{label};\n" for group in groups for label in group), encoding="utf-8")
    broken = run("verify", file, *model[:-4], "--constraints", narrow, "--delta", "60")
    assert broken.code == 4
    assert "lies in no single constraint" in broken.out + broken.err


def test_constraints_that_cannot_be_kept_are_a_result_and_nothing_is_written(run, town):
    done = anonymize(run, town, "u-seq-anon", "--constraints", "auto:2", "--delta", "1", "--json")
    assert done.code == 3
    error = json.loads(done.out)["error"]
    assert error["code"] == "utility-constraints-unsatisfied"
    assert error["percent"] > 1
    assert len(error["suppressed"]) >= 1
    assert not (town / "release").exists()


@pytest.mark.parametrize(
    ("option", "content", "code"),
    [
        ("--taxonomy", "Market Square,all\n", "bad-taxonomy"),
        ("--taxonomy", "a,b\nb,a\n", "bad-taxonomy"),
        ("--constraints", "Market Square;Nowhere\n", "unknown-location"),
        ("--constraints", "Market Square;\n", "bad-constraints"),
        ("--constraints", "Market Square;Toy Museum\nToy Museum\n", "bad-constraints"),
    ],
)
def test_bad_side_inputs_end_with_their_code_and_write_nothing(run, town, option, content, code):
    file = town / "bad.txt"
    file.write_text(content, encoding="utf-8")
    method = "sd-seq-anon" if option == "--taxonomy" else "u-seq-anon"
    done = anonymize(run, town, method, option, file, "--json")
    assert done.code == 2
    assert json.loads(done.out)["error"]["code"] == code
    assert not (town / "release").exists()


def test_the_parameters_say_what_may_be_typed(run):
    shown = run("methods", "sd-seq-anon", "--json")
    (entry,) = (one for one in json.loads(shown.out)["parameters"] if one["name"] == "taxonomy")
    assert entry["type"] == "Taxonomy"
    assert entry["default"] == "auto:5"
    assert "auto:FANOUT" in entry["reads"]
    assert "--constraints" in run("methods", "u-seq-anon").out
