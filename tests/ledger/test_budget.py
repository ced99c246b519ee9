"""The ledger of a dataset: it adds up over runs, refuses what is too much, and forgets nothing, whatever dies."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
from fractions import Fraction

import pytest

from crypsis.errors import BadEpsilon, BadLedger, BudgetExhausted, MissingFile, WriteFailed
from crypsis.ledger import BudgetLedger
from tests.shared_data import ROOT


@pytest.fixture
def ledger(tmp_path):
    return BudgetLedger(tmp_path / "trips.ledger")


def test_charges_add_up_exactly(ledger):
    for _ in range(3):
        ledger.charge(Fraction(1, 10), "table")
    assert ledger.state().spent == Fraction(3, 10)
    assert [charge.what for charge in ledger.state().charges] == ["table"] * 3
    assert ledger.state().limit is None
    assert ledger.state().left is None


def test_the_charge_that_would_exceed_the_limit_is_refused_and_not_written(ledger):
    ledger.set_limit(Fraction(1))
    ledger.charge(Fraction(2, 3), "first")
    before = ledger.path.read_bytes()
    with pytest.raises(BudgetExhausted, match="only 1/3 is left") as raised:
        ledger.charge(Fraction(1, 2), "second")
    assert raised.value.exit_code == 3
    assert ledger.path.read_bytes() == before
    ledger.charge(Fraction(1, 3), "what is left")
    assert ledger.state().left == 0


def test_a_limit_can_be_moved_and_does_not_undo_what_was_spent(ledger):
    ledger.charge(Fraction(2), "before there was a limit")
    assert ledger.set_limit(Fraction(1)).left == 0
    with pytest.raises(BudgetExhausted):
        ledger.charge(Fraction(1, 100), "too much")
    assert ledger.set_limit(Fraction(5)).left == 3


@pytest.mark.parametrize("epsilon", [0, -1])
def test_charges_and_limits_are_positive(ledger, epsilon):
    with pytest.raises(BadEpsilon):
        ledger.charge(Fraction(epsilon), "nothing")
    with pytest.raises(BadEpsilon):
        ledger.set_limit(Fraction(epsilon))
    assert not ledger.path.exists()


def test_budgets_of_different_units_are_not_added(ledger):
    ledger.charge(Fraction(1), "people")
    with pytest.raises(BadLedger, match="do not add up"):
        ledger.charge(Fraction(1), "records", unit="record")
    assert ledger.state().spent == 1


def test_a_ledger_that_is_not_there_is_named(ledger):
    with pytest.raises(MissingFile, match=r"trips\.ledger"):
        ledger.state()


def test_only_the_owner_may_read_it(ledger):
    ledger.charge(Fraction(1), "x")
    assert ledger.path.stat().st_mode & 0o077 == 0


def lines_of(ledger):
    return ledger.path.read_bytes().splitlines(keepends=True)


@pytest.mark.parametrize("change", ["drop", "alter", "swap", "garbage"])
def test_a_changed_ledger_is_noticed(ledger, change):
    for what in "abc":
        ledger.charge(Fraction(1), what)
    lines = lines_of(ledger)
    if change == "drop":
        del lines[2]
    elif change == "alter":
        lines[1] = lines[1].replace(b'"charge": "1"', b'"charge": "1/9"')
    elif change == "swap":
        lines[1], lines[2] = lines[2], lines[1]
    else:
        lines[2] = b"not json\n"
    ledger.path.write_bytes(b"".join(lines))
    with pytest.raises(BadLedger, match="line"):
        ledger.state()
    with pytest.raises(BadLedger):
        ledger.charge(Fraction(1), "d")


def test_an_empty_file_is_no_ledger_to_read(ledger):
    ledger.path.write_bytes(b"")
    with pytest.raises(BadLedger, match="empty"):
        ledger.state()


def test_a_torn_last_line_was_never_acted_upon(ledger):
    """The power failed while a line was written: nothing was drawn after it, so it does not count."""
    ledger.charge(Fraction(1), "whole")
    whole = ledger.path.read_bytes()
    ledger.path.write_bytes(whole + b'{"charge": "5", "wha')
    assert ledger.state().spent == 1
    ledger.charge(Fraction(1, 2), "next")
    assert ledger.state().spent == Fraction(3, 2)
    assert ledger.path.read_bytes().startswith(whole)


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(WriteFailed, match="Nothing was drawn"):
        BudgetLedger(tmp_path / "file" / "x.ledger").charge(Fraction(1), "x")


def charge_often(path, times):
    for _ in range(times):
        BudgetLedger(path).charge(Fraction(1, 100), "one of many")


def test_processes_that_charge_at_once_lose_nothing(ledger):
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=charge_often, args=(ledger.path, 15)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    assert ledger.state().spent == Fraction(45, 100)


DIES_BEFORE_RELEASING = """
import os, sys, time
import crypsis
from crypsis.noise import ExactNoise

def stuck(self, counts, epsilon):
    print("drawing", flush=True)
    time.sleep(60)

ExactNoise.laplace = stuck
data = crypsis.Events.from_lists([("p", "a", 1)])
method = crypsis.SafePath(
    epsilon="1/3",
    location_domain=crypsis.LocationDomain(["a"]),
    time_domain=crypsis.TimeDomain(0, 3),
    ledger=crypsis.BudgetLedger(sys.argv[1]),
)
crypsis.anonymize(data, method).write(sys.argv[2])
"""


def test_killed_between_charge_and_release_charged_is_charged(ledger, tmp_path):
    ledger.set_limit(Fraction(1, 2))
    process = subprocess.Popen(
        [sys.executable, "-c", DIES_BEFORE_RELEASING, str(ledger.path), str(tmp_path / "release")],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "drawing\n"
    os.kill(process.pid, signal.SIGKILL)
    process.wait(60)
    process.stdout.close()
    assert not (tmp_path / "release").exists()
    assert ledger.state().spent == Fraction(1, 3)
    with pytest.raises(BudgetExhausted):
        ledger.charge(Fraction(1, 3), "again")


def test_what_is_written_is_on_disk_before_a_charge_returns(ledger, monkeypatch):
    """The file is forced to disk after the line is there."""
    synced = []
    sync = os.fsync

    def recording(handle):
        try:
            synced.append(json.loads(ledger.path.read_bytes().splitlines()[-1]))
        except (OSError, IndexError, ValueError):
            synced.append({})
        sync(handle)

    monkeypatch.setattr(os, "fsync", recording)
    ledger.charge(Fraction(1), "now")
    assert synced[-1].get("what") == "now"
