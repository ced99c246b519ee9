"""The verifier of synthetic sets notices every change of form, of budget and of ledger."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest

import crypsis
from crypsis import DifferentialPrivacy, DiffPart, ItemDomain, SyntheticTransactions, Transactions
from crypsis.errors import BadRelease, NotApplicable

DOMAIN = ItemDomain(["beer", "bread", "milk", "tea"])


@pytest.fixture(scope="module")
def release():
    data = Transactions.from_lists([["bread", "milk"]] * 500 + [["beer"]] * 400)
    return crypsis.anonymize(data, DiffPart(epsilon=4, fan_out=2, item_domain=DOMAIN))


def changed(array, place, value):
    array = array.copy()
    array[place] = value
    return array


def with_entry(ledger, name, value):
    ledger = copy.deepcopy(dict(ledger))
    scope = ledger["ledger"]["root"]
    while "call" not in scope:
        scope = (scope.get("seq") or scope.get("par"))[0]
    scope["call"][name] = value
    return ledger


TAMPERED = {
    "an item outside the domain": lambda data: replace(data, items=changed(data.items, 0, len(DOMAIN))),
    "an unknown item": lambda data: replace(data, items=changed(data.items, 0, -1)),
    "no copies": lambda data: replace(data, copies=changed(data.copies, 0, 0)),
    "negative copies": lambda data: replace(data, copies=changed(data.copies, 0, -5)),
    "a set twice": lambda data: data.take(np.append(np.arange(len(data)), 0)),
    "an item twice": lambda data: replace(
        data, items=changed(data.items, data.offsets[1] + 1, data.items[data.offsets[1]])
    ),
    "an empty set": lambda data: replace(data, offsets=np.append(data.offsets, data.offsets[-1]),
                                         copies=np.append(data.copies, 3)),
    "more spent than allowed": lambda data: replace(data, budget={**data.budget, "spent": "5"}),
    "nothing said about the noise": lambda data: replace(data, budget={**data.budget, "noise": ""}),
    "another epsilon": lambda data: replace(data, budget={**data.budget, "epsilon": "3"}),
    "less spent than the ledger says": lambda data: replace(data, budget={**data.budget, "spent": "1"}),
    "another ledger": lambda data: replace(data, ledger=with_entry(data.ledger, "epsilon", "1/100")),
    "another key": lambda data: replace(data, ledger={**data.ledger, "key": "00" * 32}),
    "test entropy": lambda data: replace(data, unpublishable="made for a test"),
}  # fmt: skip


def test_an_honest_release_holds(release):
    assert len(release.data) >= 2
    verdict = release.verify()
    assert verdict.holds
    assert verdict.figures == {"spent": "4", "allowed": "4", "dataset": None, "dataset_ledger": "none"}


@pytest.mark.parametrize("how", TAMPERED)
def test_tampering_is_noticed(release, how):
    verdict = crypsis.verify(TAMPERED[how](release.data), release.guarantee)
    assert not verdict.holds
    assert verdict.problem


def test_a_promise_of_less_than_was_allowed_is_broken(release):
    assert not crypsis.verify(release.data, DifferentialPrivacy(epsilon=3)).holds


def test_another_original_is_refused(release):
    with pytest.raises(NotApplicable):
        crypsis.verify(release.data, release.guarantee, original=crypsis.Trajectories.from_lists([["a"]]))


def test_changed_files_are_noticed(release, tmp_path):
    folder = release.write(tmp_path / "r", private_report=tmp_path / "p.json")
    rows = (folder / "synthetic.jsonl").read_text()
    domains = (folder / "domains.json").read_text()
    (folder / "domains.json").write_text(domains.replace('"tea"', '"rum"'))
    with pytest.raises(BadRelease):
        crypsis.read_release(folder)
    (folder / "domains.json").write_text(domains)
    (folder / "synthetic.jsonl").write_text(rows + '{"copies":1.5,"items":["tea"]}\n')
    with pytest.raises(BadRelease):
        crypsis.read_release(folder)


def test_rows_come_back_from_lists():
    rows = [(3, ["beer", "tea"]), (1, ["milk"])]
    made = SyntheticTransactions.from_lists(rows, DOMAIN)
    assert made.to_lists() == rows
    assert (made.records, made.occurrences, len(made)) == (4, 7, 2)
    assert SyntheticTransactions.from_lists([(1, ["rum"])], DOMAIN).to_lists() == [(1, ["?"])]
    assert [sorted(row) for row in made.repeated().to_lists()] == [["beer", "tea"]] * 3 + [["milk"]]
