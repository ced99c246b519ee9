"""The ledger of a dataset: it adds up over runs, refuses what is too much, and forgets nothing, whatever dies."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from fractions import Fraction

import pytest

from crypsis import DifferentialPrivacy, SafePath
from crypsis.errors import (
    AnotherDataset,
    BadEpsilon,
    BadLedger,
    BadParameter,
    BudgetExhausted,
    LedgerDamaged,
    MissingFile,
    WriteFailed,
)
from crypsis.ledger import BudgetLedger
from crypsis.verifiers.run_ledger import check_run_ledger
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


def rechained(lines):
    """The lines with digests that fit, as somebody would write them who knows the format."""
    last, made = "", []
    for line in lines:
        entry = json.loads(line) | {"previous": last}
        text = json.dumps(entry, ensure_ascii=False).encode()
        last = hashlib.sha256(text).hexdigest()[:32]
        made.append(text + b"\n")
    return made


@pytest.mark.parametrize("how", ["cut", "newline", "rechained", "gone", "empty", "no head", "odd head", "shorter twin"])
def test_a_ledger_that_is_behind_its_head_is_refused(ledger, how):
    for what in "abc":
        ledger.charge(Fraction(1), what)
    lines = lines_of(ledger)
    if how == "cut":
        ledger.path.write_bytes(b"".join(lines[:-1]))
    elif how == "newline":
        ledger.path.write_bytes(b"".join(lines)[:-1])
    elif how == "rechained":
        ledger.path.write_bytes(b"".join(rechained([lines[0], lines[2], lines[3], lines[3]])))
    elif how == "gone":
        ledger.path.unlink()
    elif how == "empty":
        ledger.path.write_bytes(b"")
    elif how == "no head":
        ledger.head.unlink()
    elif how == "odd head":
        ledger.head.write_text('{"count": 1e9}')
    else:  # another ledger of the same length
        ledger.path.write_bytes(b"".join(rechained([lines[0], *[lines[1].replace(b'"1"', b'"1/9"')] * 3])))
    before = ledger.path.read_bytes() if ledger.path.exists() else None
    for use in (ledger.state, lambda: ledger.charge(Fraction(1), "d"), lambda: ledger.set_limit(Fraction(9))):
        with pytest.raises(LedgerDamaged) as raised:
            use()
        assert raised.value.code == "ledger-damaged"
    assert (ledger.path.read_bytes() if ledger.path.exists() else None) == before


@pytest.mark.parametrize("charges", [0, 1, 2])
def test_a_crash_between_line_and_head_counts_as_spent_and_goes_on(ledger, monkeypatch, charges):
    for what in "ab"[:charges]:
        ledger.charge(Fraction(1), what)

    def dies(self, content):
        if charges or b'"count": 1' not in content:
            raise KeyboardInterrupt
        write(self, content)

    write = BudgetLedger._write_head
    with monkeypatch.context() as patched:
        patched.setattr(BudgetLedger, "_write_head", dies)
        with pytest.raises(KeyboardInterrupt):
            ledger.charge(Fraction(1, 2), "dies")
    assert ledger.state().spent == charges + Fraction(1, 2)
    ledger.charge(Fraction(1, 4), "next")
    assert ledger.state().spent == charges + Fraction(3, 4)
    assert json.loads(ledger.head.read_text())["count"] == len(lines_of(ledger))


def test_a_crash_before_the_first_head_leaves_a_ledger_that_can_be_used(ledger, monkeypatch):
    def dies(self, content):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(BudgetLedger, "_write_head", dies)
        with pytest.raises(KeyboardInterrupt):
            ledger.charge(Fraction(1), "dies")
    assert ledger.state().spent == 0
    ledger.charge(Fraction(1), "next")
    assert ledger.state().spent == 1


def test_a_ledger_is_of_one_dataset(ledger):
    ledger.charge(Fraction(1), "a")
    assert ledger.state().dataset == "trips"
    ledger.charge(Fraction(1), "b", dataset="trips")
    for use in (
        lambda: ledger.charge(Fraction(1), "c", dataset="visits"),
        lambda: ledger.set_limit(5, dataset="visits"),
    ):
        with pytest.raises(AnotherDataset, match="'trips'"):
            use()
    assert ledger.state().spent == 2
    named = BudgetLedger(ledger.path.with_name("x"))
    named.set_limit(Fraction(3), dataset="Visits of 2024")
    assert named.state().dataset == "Visits of 2024"
    for odd in ("", " ", "a\nb", "x" * 201):
        with pytest.raises(BadParameter):
            named.charge(Fraction(1), "d", dataset=odd)


def test_a_ledger_of_an_earlier_version_gets_a_name_and_a_head(ledger):
    old = [
        b'{"schema": "crypsis-ledger/1", "unit": "person", "relation": "add-or-remove-one"}',
        b'{"charge": "1/3", "what": "safe-path", "id": "5e1d", "when": "2026-03-01T12:00:05Z"}',
    ]
    ledger.path.write_bytes(b"".join(rechained(old)))
    assert ledger.state().spent == Fraction(1, 3)
    assert ledger.state().dataset is None
    ledger.charge(Fraction(1), "next")
    assert (ledger.state().dataset, ledger.state().spent) == ("trips", Fraction(4, 3))
    ledger.path.write_bytes(b"".join(lines_of(ledger)[:2]))
    with pytest.raises(LedgerDamaged):
        ledger.state()


@pytest.mark.parametrize(
    "number", ["1e99999999", "-1e99999999", "1e-99999999", "9" * 3000, "1/" + "9" * 3000, "1_0", "x"]
)
def test_a_long_number_is_refused_at_once(ledger, number):
    ledger.charge(Fraction(1), "a")
    lines = [*lines_of(ledger), json.dumps({"charge": number, "what": "b", "id": "c", "when": "d"}).encode()]
    ledger.path.write_bytes(b"".join(rechained(lines)))
    started = time.process_time()  # of this process alone, however busy the machine is
    with pytest.raises(BadLedger):
        ledger.state()
    for made in (lambda: DifferentialPrivacy(epsilon=number), lambda: SafePath(epsilon=number, large_epsilon=True)):
        with pytest.raises(BadEpsilon):
            made()
    assert not check_run_ledger({"epsilon": number, "root": {"seq": []}}).holds
    call = {"mechanism": "dlaplace", "epsilon": number, "sensitivity": "1", "node": "", "provider": ""}
    assert not check_run_ledger({"epsilon": "1", "root": {"call": call}}).holds
    assert time.process_time() - started < 5


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


@pytest.mark.long
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


@pytest.mark.long
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
