"""A release on disk: whole, verified before it is written, safe to read again, and silent about the input."""

from __future__ import annotations

import hashlib
import json
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import jsonschema
import numpy as np
import polars as pl
import pytest
from frictionless import Package, validate

import crypsis
from crypsis import KmAnonymity, PublishedTrajectories, RunContext, SeqAnon, Trajectories
from crypsis.errors import (
    BadParameter,
    BadRelease,
    Cancelled,
    NotApplicable,
    OutputExists,
    VerificationFailed,
)
from crypsis.run_context import Progress
from crypsis.samples.checkins import checkins

SCHEMA = json.loads((Path(__file__).parents[1] / "docs" / "reference" / "release.schema.json").read_text())
FILES = {"datapackage.json", "locations.csv", "release.json", "report.html"}
PLACES = {"a": (0, 0), "b": (1, 0), "c": (9, 9), "d": (9, 8)}
SMALL = [["a", "c"], ["b", "d"], ["a", "d"], ["b", "c"], ["a"], []]


def small(owners: list[str] | None = None) -> Trajectories:
    return Trajectories.from_lists(SMALL, PLACES, owners)


@pytest.fixture(scope="module")
def town() -> crypsis.Release:
    return crypsis.anonymize(checkins(), SeqAnon(k=5, m=2))


@pytest.fixture
def written(town: crypsis.Release, tmp_path: Path) -> Path:
    return town.write(tmp_path / "release")


@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_a_release_reads_back_equal_and_verifies(town, tmp_path, format):
    folder = town.write(tmp_path / "release", format=format)
    assert {path.name for path in folder.iterdir()} == FILES | {f"trajectories.{format}"}
    again = crypsis.read_release(folder)
    assert sorted(map(repr, again.data.to_lists())) == sorted(map(repr, town.data.to_lists()))
    assert again.guarantee == town.guarantee
    assert again.verify().holds
    assert again.verify(checkins()).holds
    assert again.utility() == again.figures() == town.figures()
    assert again.with_original(checkins()).utility() == town.utility()


def test_rows_are_written_sorted_so_that_their_order_says_nothing(written):
    rows = crypsis.read_release(written).data.to_lists()
    keys = [[[symbol] if isinstance(symbol, str) else symbol for symbol in row] for row in rows]
    assert keys == sorted(keys)


def test_the_order_of_the_input_does_not_show_in_what_is_written(tmp_path):
    data = checkins(people=500)
    shuffled = data.take(np.random.Generator(np.random.PCG64(3)).permutation(len(data)))
    method = SeqAnon(k=3, m=2, on_infeasible="truncate")
    one = crypsis.anonymize(data, method).write(tmp_path / "one")
    other = crypsis.anonymize(shuffled, method).write(tmp_path / "other")
    assert (one / "trajectories.jsonl").read_bytes() == (other / "trajectories.jsonl").read_bytes()


def test_input_order_is_kept_when_asked_for_and_said_so(town, tmp_path):
    folder = town.write(tmp_path / "release", order="input")
    again = crypsis.read_release(folder)
    assert again.data.to_lists() == town.data.to_lists()
    assert again.manifest["data"]["order"] == "input"


def test_the_manifest_follows_its_schema(written):
    manifest = json.loads((written / "release.json").read_text())
    jsonschema.validate(manifest, SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**manifest, "guarantee": None}, SCHEMA)
    assert manifest["verdict"]["holds"] is True
    assert manifest["method"]["parameters"] == {
        "k": 5,
        "m": 2,
        "on_infeasible": "error",
        "unit": None,
        "apriori": True,
    }


def test_the_data_package_is_valid_for_somebody_elses_reader(written):
    assert Package.validate_descriptor is not None
    report = validate(str(written / "datapackage.json"))
    assert report.valid, report.flatten(["message"])


def test_nothing_private_is_in_the_release(tmp_path):
    data = Trajectories.from_lists(SMALL, {**PLACES, "secret-bunker": (50, 50)})
    data = replace(data, ids=pl.Series([f"person-{row}" for row in range(6)]))
    folder = crypsis.anonymize(data, SeqAnon(k=2, m=2)).write(
        tmp_path / "release", private_report=tmp_path / "private.json"
    )
    everything = b"".join(path.read_bytes() for path in folder.iterdir())
    for private in (b"person-", b"secret-bunker", str(tmp_path).encode(), b'"merges"', b"published_row"):
        assert private not in everything, private
    assert b"person-0" in (tmp_path / "private.json").read_bytes()


def test_the_private_report_is_readable_by_the_publisher_alone(tmp_path):
    release = crypsis.anonymize(small(), SeqAnon(k=2, m=2))
    release.write(tmp_path / "release", private_report=tmp_path / "private.json")
    private = tmp_path / "private.json"
    assert private.stat().st_mode & 0o777 == 0o600
    report = json.loads(private.read_text())
    rows = crypsis.read_release(tmp_path / "release").data.to_lists()
    for row, published in enumerate(release.data.to_lists()):
        assert rows[report["published_row_of_input_row"][row]] == published
    assert report["accounting"] == {"input": 6, "published": 5, "published_as_empty": 1, "lost": 0}
    assert {"feasibility", "verify", "write"} <= set(report["timings"])


def test_the_private_report_must_lie_elsewhere(tmp_path):
    release = crypsis.anonymize(small(), SeqAnon(k=2, m=2))
    with pytest.raises(BadParameter, match="inside the release"):
        release.write(tmp_path / "release", private_report=tmp_path / "release" / "private.json")
    assert list(tmp_path.iterdir()) == []


def test_a_release_that_fails_verification_is_not_written(tmp_path):
    unsafe = Trajectories.from_lists([["c"], ["a", "b"], ["a", "b"]], PLACES)
    release = crypsis.anonymize(unsafe, SeqAnon(k=2, m=2, apriori=False))
    with pytest.raises(VerificationFailed, match=r"\(c\) occurs in 1 trajectory, 2 are required") as raised:
        release.write(tmp_path / "release")
    assert raised.value.exit_code == 4
    assert list(tmp_path.iterdir()) == []


def test_a_baseline_is_marked_as_not_assured(tmp_path):
    release = crypsis.anonymize(small(), SeqAnon(k=2, m=2, apriori=False))
    manifest = json.loads((release.write(tmp_path / "release") / "release.json").read_text())
    assert manifest["method"]["assured"] is False


def test_data_assigned_after_a_verdict_are_verified_anew():
    release = crypsis.anonymize(small(), SeqAnon(k=2, m=2))
    assert release.verify().holds
    release.data = PublishedTrajectories.from_lists([["a", "c"], *release.data.to_lists()[1:]])
    assert not release.verify().holds


def test_the_verdict_says_when_no_protection_was_requested(tmp_path):
    release = crypsis.anonymize(small(), SeqAnon(k=1, m=2))
    assert "protects nothing" in str(release.verify())
    assert json.loads((release.write(tmp_path / "r") / "release.json").read_text())["guarantee"]["trivial"] is True


def test_owners_are_counted_but_never_written(tmp_path):
    owners = ["ann", "bob", "ann", "bob", "cid", "dan"]
    release = crypsis.anonymize(small(owners), SeqAnon(k=2, m=2, unit="owner"))
    folder = release.write(tmp_path / "release")
    again = crypsis.read_release(folder)
    with pytest.raises(crypsis.CrypsisError, match="original=DATA") as raised:
        again.verify()
    assert raised.value.code == "original-required"
    assert again.verify(small(owners)).holds
    assert not again.verify(small(["ann"] * 6)).holds


def test_truncation_is_accounted_for_with_the_private_report_or_where_it_explains_the_rows(tmp_path):
    data = Trajectories.from_lists([["a", "b", "c"], *[["a"], ["b"], ["a"], ["c"], ["b"], ["c"]]], PLACES)
    release = crypsis.anonymize(data, SeqAnon(k=2, m=2, on_infeasible="truncate"))
    folder = release.write(tmp_path / "release", private_report=tmp_path / "private.json")
    assert "longest" not in json.loads((folder / "release.json").read_text())["data"]
    assert crypsis.read_release(folder).verify(data).holds
    again = crypsis.read_release(folder, private_report=tmp_path / "private.json")
    assert again.data.longest == 1
    assert again.verify(data).holds
    undeclared = replace(again, data=replace(again.data, longest=None))
    assert not undeclared.verify(data).holds


def test_an_existing_release_is_replaced_only_when_asked(written):
    release = crypsis.anonymize(small(), SeqAnon(k=2, m=2))
    with pytest.raises(OutputExists):
        release.write(written)
    release.write(written, overwrite=True)
    assert len(crypsis.read_release(written).data) == 6
    assert [path.name for path in written.parent.iterdir()] == ["release"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda folder: (folder / "release.json").unlink(), "has no release.json"),
        (lambda folder: (folder / "release.json").write_text("{"), "cannot be read"),
        (lambda folder: (folder / "release.json").write_text("{}"), "must have the schema"),
        (lambda folder: (folder / "trajectories.jsonl").unlink(), "lacks its file"),
    ],
)
def test_a_folder_that_is_not_whole_is_refused_in_words(written, change, words):
    change(written)
    with pytest.raises(BadRelease, match=words):
        crypsis.read_release(written)


@pytest.mark.parametrize("name", ["trajectories.jsonl", "locations.csv", "report.html", "datapackage.json"])
def test_one_changed_byte_in_any_file_is_noticed(written, name):
    path = written / name
    path.write_bytes(path.read_bytes() + b"\n")
    verdict = crypsis.read_release(written).verify()
    assert not verdict.holds
    assert name in str(verdict)


def test_a_dropped_row_is_noticed_even_with_a_forged_checksum(written):
    path = written / "trajectories.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[1:]))
    manifest = json.loads((written / "release.json").read_text())
    manifest["files"][path.name]["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    (written / "release.json").write_text(json.dumps(manifest))
    assert not crypsis.read_release(written).verify().holds
    manifest["data"]["rows"] -= 1
    (written / "release.json").write_text(json.dumps(manifest))
    assert not crypsis.read_release(written).verify(checkins()).holds


def test_a_run_can_be_cancelled_between_two_steps():
    seen: list[Progress] = []

    def impatient(message: Progress) -> None:
        seen.append(message)
        if message.stage.startswith("merge"):
            raise Cancelled("enough")

    with pytest.raises(Cancelled):
        crypsis.anonymize(checkins(), SeqAnon(k=5, m=2), listener=impatient)
    assert seen[0].stage == "feasibility"
    assert all(message.share is None or 0 <= message.share <= 1 for message in seen)


def test_without_the_original_there_are_figures_of_the_published_data_only(written):
    again = crypsis.read_release(written)
    assert again.utility() == again.manifest["figures"]
    assert "distance_loss" not in again.utility()


def test_the_report_can_be_made_again_from_the_folder(written, tmp_path):
    saved = crypsis.read_release(written).report().save(tmp_path / "again.html")
    assert "· kᵐ-anonymity" in saved.read_text()


def test_a_method_refuses_another_kind_of_data():
    with pytest.raises(NotApplicable, match="SeqAnon anonymizes Trajectories, got list"):
        crypsis.anonymize([["a"]], SeqAnon())


def test_verify_is_a_function_of_published_data_and_a_guarantee():
    published = SeqAnon(k=2, m=2).anonymize(small(), RunContext())
    assert crypsis.verify(published, KmAnonymity(k=2, m=2), original=small()).holds
    assert not crypsis.verify(published, KmAnonymity(k=6, m=2)).holds


DYING_WRITE = """
import os, signal, sys
import crypsis
from crypsis import SeqAnon
from crypsis.samples.checkins import checkins
release = crypsis.anonymize(checkins(people=300), SeqAnon(k=3, m=2, on_infeasible="truncate"))
release.verify(); release.utility()
step, seen, opened = int(sys.argv[2]), 0, os.open
def dying(event, arguments):
    global seen
    if event in ("open", "os.rename", "os.remove", "os.mkdir", "os.chmod") and sys.argv[1] in repr(arguments):
        seen += 1
        if seen == step:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(dying)
release.write(sys.argv[1] + "/release", overwrite=True)
print("whole")
"""


@pytest.mark.long
def test_killed_at_any_instant_of_a_write_the_folder_holds_a_whole_release(tmp_path):
    old = crypsis.anonymize(small(), SeqAnon(k=2, m=2)).write(tmp_path / "release")
    outcomes = set()
    for step in (1, 2, 3, 5, 8, 12, 16, 20, 24, 60):
        done = subprocess.run(
            [sys.executable, "-c", DYING_WRITE, str(tmp_path), str(step)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode in (0, -signal.SIGKILL), done.stderr
        outcomes.add(done.returncode)
        found = crypsis.read_release(old)
        assert found.verify().holds
        assert not found.damage
        assert len(found.data) in (6, 300)
    assert outcomes == {0, -signal.SIGKILL}
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


FULL_DISK = """
import resource, signal, sys
import crypsis
from crypsis import SeqAnon
from crypsis.samples.checkins import checkins
release = crypsis.anonymize(checkins(people=300), SeqAnon(k=3, m=2, on_infeasible="truncate"))
release.write(sys.argv[1] + "/first", format=sys.argv[3])  # compiles what writing needs while there is room
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    release.write(sys.argv[1] + "/release", format=sys.argv[3])
except crypsis.CrypsisError as error:
    print(error.code, error)
"""


@pytest.mark.long
@pytest.mark.parametrize(("room", "format"), [(100, "jsonl"), (100, "parquet"), (8000, "jsonl")])
def test_when_the_disk_takes_no_more_nothing_is_left_behind(tmp_path, room, format):
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(tmp_path), str(room), format],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith("write-failed"), done.stdout + done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["first"]
