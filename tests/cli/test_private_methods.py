"""Every private method from the command line: charged, released, verified; bad input is named and costs nothing.

The rows of bad input are those of the specification, section 13: the right code, clear words, nothing charged, nothing
written.
"""

from __future__ import annotations

import json

import jsonschema
import pytest

from crypsis.methods import METHODS
from crypsis.methods.private_method import PrivateMethod
from tests.shared_data import ROOT

SCHEMA = json.loads((ROOT / "docs" / "reference" / "release.schema.json").read_text())
PLACES = ("--location-domain", "home,park,work", "--time-domain", "0:24")
COLUMNS = ("--identifier", "name", "--quasi", "age,town", "--label", "pays")
COMMANDS = {
    "safe-path": ("trips.csv", "--height", "2", *PLACES),
    "seq-pt": ("trips.csv", "--height", "1", *PLACES),
    "n-grams": ("trips.csv", "--grams", "2", "--longest", "3", *PLACES),
    "diff-part": ("baskets.csv", "--fan-out", "2", "--item-domain", "beer,bread,milk,tea"),
    "diff-multi": ("people.csv", *COLUMNS, "--domains", "domains.json"),
    "diff-gen": ("people.csv", *COLUMNS, "--specializations", "3", "--domains", "domains.json"),
}
KINDS = {
    "trips.csv": "synthetic-trajectories",
    "baskets.csv": "synthetic-transactions",
    "people.csv": "counted-regions",
}
DOMAINS = {"age": {"low": 0, "high": 100}, "town": ["north", "south"], "pays": ["no", "yes"]}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with data of each kind, in which commands are run."""
    visits = [f"{who},{place},{time}" for who in range(300) for place, time in (("home", 7), ("work", 9))]
    (tmp_path / "trips.csv").write_text("id,location,t\n" + "\n".join(visits) + "\n")
    items = [f"{who},{item}" for who in range(300) for item in ("bread", "milk")]
    (tmp_path / "baskets.csv").write_text("id,item\n" + "\n".join(items) + "\n")
    people = [f"{who},{who % 90},{('north', 'south')[who % 2]},{('no', 'yes')[who % 90 > 40]}" for who in range(300)]
    (tmp_path / "people.csv").write_text("name,age,town,pays\n" + "\n".join(people) + "\n")
    (tmp_path / "domains.json").write_text(json.dumps(DOMAINS))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def options(method, changes=()):
    """The words of a command; `changes` are options with other values, None takes one away."""
    file, *words = COMMANDS[method]
    given = dict(zip(words[::2], words[1::2], strict=True)) | dict(changes)
    return [file, "--method", method, *(word for name, value in given.items() if value is not None
                                        for word in (name, value))]  # fmt: skip


def test_the_table_of_commands_has_every_private_method():
    assert set(COMMANDS) == {name for name, method in METHODS.items() if issubclass(method, PrivateMethod)}


@pytest.mark.parametrize("method", COMMANDS)
def test_a_private_method_is_charged_released_verified_and_reported(run, folder, method):
    done = run("anonymize", *options(method), "--epsilon", "4", "--ledger", "l", "--out", "r", "--private-report", "p")
    assert done.code == 0, done.err
    manifest = json.loads((folder / "r" / "release.json").read_text())
    jsonschema.validate(manifest, SCHEMA)
    assert manifest["data"]["kind"] == KINDS[COMMANDS[method][0]]
    promised = manifest["guarantee"]["parameters"]
    assert {name: promised[name] for name in ("epsilon", "delta", "unit")} == {
        "epsilon": "4", "delta": "0", "unit": "person"
    }  # fmt: skip
    assert promised["relation"] == "add-or-remove-one"
    assert manifest["data"]["budget"]["noise"] == "exact"
    assert manifest["data"]["domains"]
    assert run("verify", "r", "--private-report", "p").code == 0
    assert (folder / "r" / "report.html").stat().st_size > 5_000
    assert json.loads(run("ledger", "show", "l", "--json").out)["spent"] == "4"


EPSILON = [({"--epsilon": wrong}, "bad-epsilon") for wrong in ("0", "-1", "nan", "inf", "11", "1/0", "x")]
TRIPS = [
    ({"--location-domain": None}, "public-input-missing"),
    ({"--time-domain": None}, "public-input-missing"),
    ({"--location-domain": "home,home"}, "bad-domain"),
    ({"--time-domain": "9:1"}, "bad-domain"),
]
TABLES = [
    ({"--domains": None}, "public-input-missing"),
    ({"--domains": "no_town.json"}, "public-input-missing"),
    ({"--domains": "no_class.json"}, "public-input-missing"),
    ({"--domains": "town_twice.json"}, "bad-domain"),
    ({"--domains": "backwards.json"}, "bad-domain"),
    ({"--domains": "no_town.json", "--trees": "two_parents.json"}, "bad-taxonomy"),
    ({"--trees": "other_leaves.json"}, "bad-taxonomy"),
]
FILES = {
    "no_town.json": {name: domain for name, domain in DOMAINS.items() if name != "town"},
    "no_class.json": {name: domain for name, domain in DOMAINS.items() if name != "pays"},
    "town_twice.json": {**DOMAINS, "town": ["north", "north"]},
    "backwards.json": {**DOMAINS, "age": {"low": 9, "high": 3}},
    "two_parents.json": {"town": {"any": {"a": ["north"], "b": ["north", "south"]}}},
    "other_leaves.json": {"town": {"any": ["north", "west"]}},
}
BAD = {
    "safe-path": [
        *TRIPS,
        ({"--height": "0"}, "bad-parameter"),
        ({"--threshold": "0"}, "bad-parameter"),
        ({"--scheme": "printed", "--location-height": "5"}, "budget-scheme"),
        ({"--taxonomy": "cycle.csv"}, "bad-taxonomy"),
        ({"--taxonomy": "leaves.csv"}, "bad-taxonomy"),
    ],
    "seq-pt": [
        *TRIPS,
        ({"--height": "0"}, "bad-parameter"),
        ({"--height": "6", "--time-domain": "0:4000"}, "too-large"),
    ],
    "n-grams": [*TRIPS, ({"--grams": "0"}, "bad-parameter"), ({"--longest": "0"}, "bad-parameter")],
    "diff-part": [
        ({"--item-domain": None}, "public-input-missing"),
        ({"--item-domain": "tea,tea"}, "bad-domain"),
        ({"--fan-out": "1"}, "bad-parameter"),
    ],
    "diff-multi": [*TABLES, ({"--specializations": "-1"}, "bad-parameter")],
    "diff-gen": [*TABLES, ({"--specializations": "-1"}, "bad-parameter"), ({"--most-regions": "0"}, "bad-parameter")],
}


@pytest.mark.long
@pytest.mark.parametrize(
    ("method", "wrong", "code"),
    [(method, *row) for method, rows in BAD.items() for row in (*EPSILON, *rows)],
    ids=str,
)
def test_bad_input_is_named_and_nothing_is_charged_or_written(run, folder, method, wrong, code):
    for name, content in FILES.items():
        (folder / name).write_text(json.dumps(content))
    (folder / "cycle.csv").write_text("child,parent\nhome,park\npark,work\nwork,home\n")
    (folder / "leaves.csv").write_text("child,parent\nhome,all\nelsewhere,all\n")
    before = sorted(path.name for path in folder.iterdir())
    refused = run("anonymize", *options(method, wrong.items()), "--ledger", "l", "--out", "r")
    assert refused.code == (5 if code == "too-large" else 2), refused.err
    said = refused.err.splitlines()[-1]
    assert said.startswith(f"{code}:"), refused.err
    assert len(said) > len(code) + 25  # words, not a code alone
    assert sorted(path.name for path in folder.iterdir()) == before


@pytest.mark.parametrize("method", COMMANDS)
def test_a_release_beyond_the_limit_is_refused_and_nothing_is_charged(run, folder, method):
    run("ledger", "limit", "l", "1/2")
    refused = run("anonymize", *options(method), "--epsilon", "1", "--ledger", "l", "--out", "r")
    assert refused.code == 3
    assert refused.err.splitlines()[-1].startswith("budget-exhausted:")
    assert json.loads(run("ledger", "show", "l", "--json").out)["spent"] == "0"
    assert not (folder / "r").exists()


@pytest.mark.parametrize("method", COMMANDS)
def test_data_outside_the_domains_are_released_like_any_others(run, folder, method):
    """No record lies in the domains: the release is noise, and no error tells that it is."""
    elsewhere = {
        "trips.csv": {"--location-domain": "moon,mars"},
        "baskets.csv": {"--item-domain": "salt,rum"},
        "people.csv": {"--domains": "elsewhere.json"},
    }
    (folder / "elsewhere.json").write_text(json.dumps({**DOMAINS, "town": ["moon", "mars"]}))
    changes = elsewhere[COMMANDS[method][0]]
    done = run("anonymize", *options(method, changes.items()), "--out", "r")
    assert done.code == 0, done.err
    assert run("verify", "r").code == 0


@pytest.mark.parametrize("method", COMMANDS)
@pytest.mark.parametrize("typed", [("--confirm", "age"), ("--executor", "serial", "--block-rows", "3")])
def test_what_says_nothing_of_a_private_release_is_refused_and_costs_nothing(run, folder, method, typed):
    refused = run("anonymize", *options(method), "--ledger", "ledger.jsonl", "--dataset", "d", "--out", "out", *typed)
    assert refused.code == 2
    assert f"option-without-effect: {typed[-2]}" in refused.err
    assert not (folder / "ledger.jsonl").exists()
    assert not (folder / "out").exists()


@pytest.mark.parametrize("method", COMMANDS)
@pytest.mark.parametrize(
    ("typed", "code"),
    [
        (("--out", "taken", "--overwrite"), "output-exists"),
        (("--out", "s3://bucket/out"), "bad-parameter"),
        (("--out", "out", "--private-report", "taken"), "output-exists"),
        (("--out", "out", "--publish-figures", "ncp_loss"), "figure-not-publishable"),
    ],
)
def test_what_cannot_be_written_is_refused_before_anything_is_spent(run, folder, method, typed, code):
    (folder / "taken").write_text("the only copy")
    refused = run("anonymize", *options(method), "--ledger", "ledger.jsonl", "--dataset", "d", *typed)
    assert refused.code == 2
    assert refused.err.startswith(code), refused.err
    assert not (folder / "ledger.jsonl").exists()
    assert not (folder / "out").exists()
    assert (folder / "taken").read_text() == "the only copy"
