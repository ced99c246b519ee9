"""`crypsis ledger`, and private releases on the command line: charged once each, refused beyond the limit."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def trips(tmp_path):
    rows = [f"{who},{place},{time}" for who in range(400) for place, time in (("home", 7), ("work", 9))]
    (tmp_path / "trips.csv").write_text("id,location,t\n" + "\n".join(rows) + "\n")
    return tmp_path / "trips.csv"


PRIVATE = ("--method", "safe-path", "--height", "2", "--location-domain", "home,park,work", "--time-domain", "0:24")


def test_a_ledger_is_limited_charged_and_shown(run, tmp_path):
    file = tmp_path / "trips.ledger"
    assert run("ledger", "limit", file, "1").code == 0
    assert run("ledger", "charge", file, "1/3", "--what", "press table").code == 0
    shown = run("ledger", "show", file)
    assert "press table" in shown.out
    assert "1/3 was spent per person on trips; the limit is 1, 2/3 is left" in shown.out
    told = json.loads(run("ledger", "show", file, "--json").out)
    assert (told["spent"], told["limit"], told["left"]) == ("1/3", "1", "2/3")
    assert [charge["what"] for charge in told["charges"]] == ["press table"]


def test_too_much_ends_with_3(run, tmp_path):
    run("ledger", "limit", tmp_path / "l", "1")
    refused = run("ledger", "charge", tmp_path / "l", "1.5")
    assert refused.code == 3
    assert refused.err.startswith("budget-exhausted:")


@pytest.mark.parametrize("epsilon", ["0", "x", "1/0", "-1"])
def test_a_bad_number_ends_with_2(run, tmp_path, epsilon):
    refused = run("ledger", "charge", tmp_path / "l", "--", epsilon)
    assert refused.code == 2
    assert refused.err.startswith("bad-epsilon:")
    assert not (tmp_path / "l").exists()


def test_a_missing_ledger_ends_with_2(run, tmp_path):
    assert run("ledger", "show", tmp_path / "l").err.startswith("missing-file:")


def test_releases_are_charged_until_the_limit(run, trips, tmp_path):
    ledger = tmp_path / "trips.ledger"
    run("ledger", "limit", ledger, "1.5")
    command = ("anonymize", trips, *PRIVATE, "--epsilon", "1", "--ledger", ledger)
    done = run(*command, "--out", tmp_path / "one", "--private-report", tmp_path / "private.json")
    assert done.code == 0, done.err
    assert "figures against the original are not shown" in done.err
    refused = run(*command, "--out", tmp_path / "two")
    assert refused.code == 3
    assert not (tmp_path / "two").exists()
    assert json.loads(run("ledger", "show", ledger, "--json").out)["spent"] == "1"
    assert run("verify", tmp_path / "one").code == 0
    checked = run("verify", tmp_path / "one", "--private-report", tmp_path / "private.json")
    assert "adding up the ledger of the run again" in checked.out
    assert run("report", tmp_path / "one").code == 0
    measured = run("measure", tmp_path / "one", "--original", trips, "--json")
    assert "count_error_1_loss" in json.loads(measured.out)


BAD = [
    (("--epsilon", "0"), "bad-epsilon"),
    (("--epsilon", "nan"), "bad-epsilon"),
    (("--epsilon", "100"), "bad-epsilon"),
    (("--height", "0"), "bad-parameter"),
    (("--threshold", "0"), "bad-parameter"),
    (("--location-domain", "home,home"), "bad-domain"),
    (("--location-domain", "none"), "public-input-missing"),
    (("--time-domain", "none"), "public-input-missing"),
    (("--time-domain", "9:1"), "bad-domain"),
    (("--scheme", "printed", "--location-height", "5"), "budget-scheme"),
]


@pytest.mark.parametrize(("wrong", "code"), BAD, ids=lambda value: str(value))
def test_bad_input_is_named_and_nothing_is_charged_or_written(run, trips, tmp_path, wrong, code):
    options = dict(zip(PRIVATE[::2], PRIVATE[1::2], strict=True)) | dict(zip(wrong[::2], wrong[1::2], strict=True))
    arguments = [word for pair in options.items() for word in pair]
    refused = run("anonymize", trips, *arguments, "--ledger", tmp_path / "l", "--out", tmp_path / "release")
    assert refused.code == 2
    assert refused.err.splitlines()[-1].startswith(f"{code}:")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["trips.csv"]


def test_without_a_ledger_a_note_says_so(run, trips, tmp_path):
    done = run("anonymize", trips, *PRIVATE, "--out", tmp_path / "r")
    assert "no ledger was given" in done.err


def test_malformed_rows_are_left_out_without_a_switch(run, trips, tmp_path):
    trips.write_text(trips.read_text() + ",home,7\n9,home,soon\n")
    assert run("anonymize", trips, *PRIVATE, "--out", tmp_path / "r").code == 0
    assert run("anonymize", trips, *PRIVATE, "--drop-malformed", "--out", tmp_path / "s").code == 0


def test_what_cannot_be_written_is_refused_before_the_budget_is_charged(run, trips, tmp_path):
    ledger = tmp_path / "trips.ledger"
    (tmp_path / "file").write_text("in the way")
    for wrong in (
        ("--format", "csv", "--out", tmp_path / "r"),
        ("--order", "backwards", "--out", tmp_path / "r"),
        ("--private-report", tmp_path / "r" / "private.json", "--out", tmp_path / "r"),
        ("--out", tmp_path / "file" / "r"),
        ("--epsilon", "1e99999999", "--out", tmp_path / "r"),
        ("--dataset", "a\tb", "--out", tmp_path / "r"),
        ("--location", "nowhere", "--out", tmp_path / "r"),
    ):
        refused = run("anonymize", trips, *PRIVATE, "--ledger", ledger, *wrong)
        assert refused.code in (1, 2), (wrong, refused.err)
    assert not ledger.exists()
    assert not ledger.with_name("trips.ledger.head").exists()


def test_every_output_says_which_dataset_and_whether_a_ledger_is_kept(run, trips, tmp_path):
    plain = run("anonymize", trips, *PRIVATE, "--out", tmp_path / "a")
    assert "dataset ledger  none" in plain.out
    told = run("anonymize", trips, *PRIVATE, "--out", tmp_path / "b", "--json")
    assert json.loads(told.out)["dataset_ledger"] == "none"
    assert json.loads((tmp_path / "b" / "release.json").read_text())["data"]["budget"]["dataset_ledger"] == "none"
    assert '"dataset_ledger": "none"' in run("verify", tmp_path / "b", "--json").out
    kept = ("--ledger", tmp_path / "x.ledger", "--dataset", "Trips of 2024")
    told = json.loads(run("anonymize", trips, *PRIVATE, "--out", tmp_path / "c", "--json", *kept).out)
    assert (told["dataset"], told["dataset_ledger"]) == ("Trips of 2024", "kept")
    assert "Trips of 2024" in run("ledger", "show", tmp_path / "x.ledger").out
    other = run(
        "anonymize", trips, *PRIVATE, "--out", tmp_path / "d", *kept[:2], "--dataset", "Trips of 2025", "--json"
    )
    assert other.code == 2
    assert "another-dataset" in other.out + other.err


def test_nothing_on_the_terminal_is_counted_in_the_original(run, trips, tmp_path):
    done = run("anonymize", trips, *PRIVATE, "--out", tmp_path / "a", "--json")
    told = json.loads(done.out)
    assert told["utility"] == {}
    assert not {"timings", "memory"} & set(told)
    refused = run("anonymize", trips, *PRIVATE, "--out", tmp_path / "b", "--timings")
    assert (refused.code, (tmp_path / "b").exists()) == (2, False)
    assert "800" not in done.err
    assert "400" not in done.err
