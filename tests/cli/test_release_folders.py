"""What a release folder tells that was made from the command line, and what stays with whoever made it."""

from __future__ import annotations

import json
import re
import stat

import pytest

ROWS = [f"{10 + number % 2}1{number % 3}0,{20 + number % 2}" for number in range(100)]


def anonymize(run, place, *more):
    (place / "people.csv").write_text("zip,age\n" + "\n".join([*ROWS, "99990,77"]) + "\n")
    return run(
        *("anonymize", place / "people.csv", "--method", "top-down", "-k", "40", "--quasi", "zip,age"),
        *("--types", "zip=category", "--hierarchy", "zip=prefix,age=flat", "--max-suppressed", "0.02"),
        *("--each-row-is-a-person", "--out", place / "release", *more),
    )


def told(folder):
    """Every word of a folder, checksums and pictures aside."""
    manifest = json.loads((folder / "release.json").read_text())
    del manifest["files"]
    page = re.sub(r"<svg.*?</svg>|<style.*?</style>", " ", (folder / "report.html").read_text(), flags=re.DOTALL)
    others = [(folder / name).read_text() for name in ("table.csv", "datapackage.json")]
    return set(re.findall(r"\w+", " ".join([json.dumps(manifest), page, *others])))


def test_the_code_of_a_suppressed_person_is_not_told(run, tmp_path):
    done = anonymize(run, tmp_path)
    assert done.code == 0, done.err
    assert not {"99990", "77"} & told(tmp_path / "release")
    manifest = json.loads((tmp_path / "release" / "release.json").read_text())
    for column in manifest["data"]["columns"]:
        assert set(column["hierarchy"] or {}) <= {"nodes"}
    assert manifest["method"]["parameters"]["hierarchy"] == "zip: prefix; age: flat"


def test_figures_against_the_original_are_shown_as_private_and_kept_beside_the_folder(run, tmp_path):
    done = anonymize(run, tmp_path)
    assert "against the original (private, not in the release)\n  lower is better\n    ncp loss" in done.out
    assert "release.private.html (yours alone)" in done.out
    private = json.loads((tmp_path / "release.private.json").read_text())
    assert private["utility"]["ncp_loss"] > 0
    assert "99990" in json.dumps(private["applied_mapping"])
    for name in ("release.private.json", "release.private.html"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
        assert str(tmp_path) not in (tmp_path / name).read_text()
    assert "ncp_loss" not in told(tmp_path / "release")


def test_the_private_report_can_be_left_out_or_put_elsewhere(run, tmp_path):
    assert anonymize(run, tmp_path, "--no-private-report").code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv", "release"]
    assert anonymize(run, tmp_path, "--overwrite", "--private-report", tmp_path / "p.json").code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.html", "p.json", "people.csv", "release"]
    both = anonymize(run, tmp_path, "--overwrite", "--no-private-report", "--private-report", tmp_path / "p.json")
    assert both.code == 2


def test_what_is_measured_can_be_chosen_or_left_out(run, tmp_path):
    for options, expected in (
        (["--measure", "ncp, granularity_score"], {"ncp", "granularity_score"}),
        (["--no-measure"], set()),
    ):
        done = anonymize(run, tmp_path, "--overwrite", *options)
        assert done.code == 0, done.err
        private = json.loads((tmp_path / "release.private.json").read_text())
        assert {name for name in private["utility"] if " of " not in name} == expected
        assert ("against the original" in done.out) == bool(expected)
        assert "usefulness" in done.out


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--measure", "nonsense"], "no metric 'nonsense'"),
        (["--measure", ","], "at least one figure"),
        (["--measure", "ncp", "--no-measure"], "give one"),
        (["--no-measure", "--figures"], "--figures contradict"),
        (["--no-measure", "--publish-figures", "ncp_loss"], "--publish-figures contradict"),
        (["--no-measure", "--executor", "serial"], "no effect with --executor"),
    ],
)
def test_measures_that_contradict_each_other_are_refused(run, tmp_path, options, word):
    refused = anonymize(run, tmp_path, *options)
    assert refused.code == 2
    assert word in refused.err
    assert not (tmp_path / "release").exists()


def test_chosen_figures_are_published_and_others_refused(run, tmp_path):
    done = anonymize(run, tmp_path, "--publish-figures", "ncp_loss,granularity_score")
    assert done.code == 0, done.err
    manifest = json.loads((tmp_path / "release" / "release.json").read_text())
    assert set(manifest["figures_against_original"]) == {"ncp_loss", "granularity_score"}
    assert "not covered" in manifest["verdict"]["note"]
    refused = anonymize(run, tmp_path, "--overwrite", "--publish-figures", "suppressed_records_loss")
    assert refused.code == 2
    assert (
        "figure-not-publishable"
        in anonymize(run, tmp_path, "--overwrite", "--publish-figures", "suppressed_records_loss", "--json").out
        + refused.err
    )


def test_the_publisher_verifies_and_measures_with_the_private_report(run, tmp_path):
    anonymize(run, tmp_path)
    with_private = ("--private-report", tmp_path / "release.private.json", "--each-row-is-a-person")
    checked = run("verify", tmp_path / "release", "--original", tmp_path / "people.csv", *with_private)
    assert checked.code == 0, checked.out + checked.err
    measured = run("measure", tmp_path / "release", "--original", tmp_path / "people.csv", *with_private, "--json")
    assert json.loads(measured.out)["ncp_loss"] > 0, measured.err
