"""The verifier of private releases notices every change of form, of budget and of ledger."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from fractions import Fraction

import jsonschema
import numpy as np
import pytest

import crypsis
from crypsis import DifferentialPrivacy, Events, LocationDomain, SafePath, SyntheticTrajectories, TimeDomain
from crypsis.errors import BadRelease, NotApplicable
from crypsis.verifiers.run_ledger import check_run_ledger
from tests.shared_data import ROOT

SCHEMA = json.loads((ROOT / "docs" / "reference" / "release.schema.json").read_text())
TRIPS = [(who, place, time) for who in range(300) for place, time in (("home", 1), ("work", 2))]


@pytest.fixture(scope="module")
def release():
    method = SafePath(
        epsilon=4,
        height=2,
        scheme="flat",
        location_domain=LocationDomain(["home", "park", "work"]),
        time_domain=TimeDomain(0, 4),
    )
    return crypsis.anonymize(Events.from_lists(TRIPS), method)


def checked(data, release):
    return crypsis.verify(data, release.guarantee)


def test_an_honest_release_holds(release):
    verdict = release.verify()
    assert verdict.holds
    assert verdict.figures == {"spent": "4", "allowed": "4", "dataset": None, "dataset_ledger": "none"}
    assert "4.0 spent, 4.0 allowed" in str(verdict)


def changed(array, place, value):
    array = array.copy()
    array[place] = value
    return array


TAMPERED = {
    "a location outside the domain": lambda data: replace(
        data, location_codes=changed(data.location_codes, 0, len(data.locations))
    ),
    "a location that is unknown": lambda data: replace(data, location_codes=changed(data.location_codes, 0, -1)),
    "a time outside the domain": lambda data: replace(data, time_codes=changed(data.time_codes, 0, 4)),
    "no copies": lambda data: replace(data, copies=changed(data.copies, 0, 0)),
    "negative copies": lambda data: replace(data, copies=changed(data.copies, 0, -5)),
    "rows that are too long": lambda data: replace(data, height=1),
    "an unknown rule": lambda data: replace(data, order="any"),
    "a row twice": lambda data: data.take(np.append(np.arange(len(data)), 0)),
    "times that fall": lambda data: replace(
        data, time_codes=changed(data.time_codes, data.offsets[np.argmax(data.lengths)], 3)
    ),
    "more spent than allowed": lambda data: replace(data, budget={**data.budget, "spent": "5"}),
    "nothing said about the noise": lambda data: replace(data, budget={**data.budget, "noise": ""}),
    "a budget that is no number": lambda data: replace(data, budget={**data.budget, "spent": "much"}),
    "another epsilon": lambda data: replace(data, budget={**data.budget, "epsilon": "3"}),
    "less spent than the ledger says": lambda data: replace(data, budget={**data.budget, "spent": "1"}),
    "another ledger": lambda data: replace(data, ledger=with_entry(data.ledger, "epsilon", "1/100")),
    "another key": lambda data: replace(data, ledger={**data.ledger, "key": "00" * 32}),
    "no ledger in the ledger": lambda data: replace(data, ledger={"key": "00"}),
    "test entropy": lambda data: replace(data, unpublishable="made for a test"),
}


def with_entry(ledger, name, value):
    ledger = copy.deepcopy(dict(ledger))
    ledger["ledger"]["root"]["seq"][0]["seq"][0]["call"][name] = value
    return ledger


@pytest.mark.parametrize("how", TAMPERED)
def test_tampering_is_noticed(release, how):
    assert len(release.data.lengths) >= 1
    verdict = checked(TAMPERED[how](release.data), release)
    assert not verdict.holds
    assert verdict.problem


def test_an_empty_row_is_noticed(release):
    rows = SyntheticTrajectories.from_lists([(3, [])], release.data.locations, release.data.times)
    assert "empty" in checked(replace(rows, budget=release.data.budget), release).problem


@pytest.mark.parametrize(("order", "row", "holds"), [
    ("canonical", [("a", 1), ("b", 1)], True),
    ("canonical", [("b", 1), ("a", 1)], False),
    ("canonical", [("a", 1), ("a", 1)], False),
    ("nondecreasing", [("b", 1), ("a", 1)], True),
    ("nondecreasing", [("b", 2), ("a", 1)], False),
    ("strict", [("a", 1), ("b", 2)], True),
    ("strict", [("a", 1), ("b", 1)], False),
])  # fmt: skip
def test_each_rule_of_order(release, order, row, holds):
    rows = SyntheticTrajectories.from_lists([(1, row)], LocationDomain(["a", "b"]), TimeDomain(0, 4), order)
    assert checked(replace(rows, budget=release.data.budget), release).holds is holds


def test_a_promise_of_less_than_was_allowed_is_broken(release):
    assert not crypsis.verify(release.data, DifferentialPrivacy(epsilon=3)).holds


def test_other_data_are_not_checked():
    published = crypsis.PublishedTrajectories.from_lists([["a"]])
    with pytest.raises(NotApplicable):
        crypsis.verify(published, DifferentialPrivacy(epsilon=1))


@pytest.mark.parametrize("ledger", [{}, {"root": 3, "epsilon": "1"}, {"root": {"seq": [{}]}, "epsilon": "1"},
                                    {"root": {"seq": []}, "epsilon": "a lot"}])  # fmt: skip
def test_what_is_no_ledger_is_not_sound(ledger):
    found = check_run_ledger(ledger)
    assert (found.holds, found.spent, found.error) == (False, None, "not a ledger")


def call(**changes):
    return {"call": {"mechanism": "dlaplace", "epsilon": "1/2", "sensitivity": 1, **changes}}


@pytest.mark.parametrize(("wrong", "error"), [
    (call(sensitivity=0), "wrong sensitivity"),
    (call(sensitivity="1/2"), "wrong sensitivity"),
    (call(count=3), "parallel scope without a disjointness argument"),
    (call(count=-1), "negative count"),
    (call(epsilon="0"), "negative epsilon"),
])  # fmt: skip
def test_unsound_calls_are_named(wrong, error):
    assert check_run_ledger({"epsilon": "9", "root": {"seq": [call(), wrong]}}).error == error


def test_a_call_on_disjoint_records_counts_once():
    found = check_run_ledger({"epsilon": "1", "root": {"seq": [call(count=50, disjoint_by="place"), call()]}})
    assert (found.holds, found.spent, found.calls) == (True, Fraction(1), 51)


# On disk


@pytest.fixture
def written(release, tmp_path):
    release.write(tmp_path / "release", private_report=tmp_path / "private.json")
    return tmp_path / "release"


@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_a_release_comes_back_as_it_was(release, tmp_path, format):
    release.write(tmp_path / "r", format=format)
    back = crypsis.read_release(tmp_path / "r")
    assert back.data == release.data
    assert back.guarantee == release.guarantee
    assert (back.data.order, back.data.height, back.data.budget) == ("canonical", 2, release.data.budget)
    assert back.verify().holds


def test_the_ledger_is_added_up_anew_with_the_private_report(written):
    back = crypsis.read_release(written, private_report=written.parent / "private.json")
    assert "adding up the ledger" in back.verify().counted
    report = json.loads((written.parent / "private.json").read_text())
    report["ledger"]["ledger"]["root"]["seq"][0]["seq"][0]["call"]["epsilon"] = "1/9"
    (written.parent / "private.json").write_text(json.dumps(report))
    tampered = crypsis.read_release(written, private_report=written.parent / "private.json")
    assert "digest differs" in tampered.verify().problem


def test_nothing_counted_in_the_original_is_in_the_release(written):
    """The number of people, of their visits, or what was measured on them would be a release without noise."""
    manifest = json.loads((written / "release.json").read_text())
    assert manifest["figures"] == {}
    assert "input" not in manifest["provenance"]
    assert set(manifest["verdict"]) == {
        "holds", "achieved", "required", "counted", "problem", "witness", "spent", "allowed", "recounted_from",
        "dataset", "dataset_ledger",
    }  # fmt: skip
    private = json.loads((written.parent / "private.json").read_text())
    assert private["records_with_a_visit"] == 300
    assert private["utility"]
    assert "published_row_of_input_row" not in private
    for path in written.iterdir():
        assert "records_with_a_visit" not in path.read_text(encoding="utf-8")


def test_the_manifest_states_what_was_promised_and_spent(written):
    manifest = json.loads((written / "release.json").read_text())
    jsonschema.validate(manifest, SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**manifest, "data": {**manifest["data"], "people": 300}}, SCHEMA)
    promised = manifest["guarantee"]["parameters"]
    stated = {"epsilon": "4", "delta": "0", "unit": "person", "relation": "add-or-remove-one"}
    assert promised | stated == promised
    budget = manifest["data"]["budget"]
    assert (budget["spent"], budget["noise"], budget["exactness"]) == ("4", "exact", "exact")
    domains = manifest["data"]["domains"]
    assert domains["locations"]["size"] == 3
    assert domains["locations"]["digest"] == LocationDomain(["home", "park", "work"]).digest


def test_another_domain_than_the_manifest_names_is_refused(written):
    content = json.loads((written / "domains.json").read_text())
    content["locations"]["labels"][1] = "bar"
    (written / "domains.json").write_text(json.dumps(content))
    with pytest.raises(BadRelease, match="locations that the manifest names"):
        crypsis.read_release(written)


@pytest.mark.parametrize("line", ["{}", '{"copies": 1.5, "visits": [["home", 1]]}', '{"copies": 1, "visits": 3}', "x"])
def test_rows_that_are_none_are_refused(written, line):
    (written / "synthetic.jsonl").write_text(line + "\n")
    with pytest.raises(BadRelease, match=r"synthetic\.jsonl"):
        crypsis.read_release(written)


def test_a_changed_row_is_noticed(written):
    rows = (written / "synthetic.jsonl").read_text()
    (written / "synthetic.jsonl").write_text(rows.replace('"copies":', '"copies":1', 1))
    assert "checksum" in crypsis.read_release(written).verify().problem


def test_the_report_shows_the_promise_the_budget_and_no_figures_of_utility(written):
    page = (written / "report.html").read_text(encoding="utf-8")
    for words in ("differential privacy", "exp(4)", "Declared as public", "4 spent", "no file can show it"):
        assert words in page
    assert "Relative error of how many people" not in page
