"""The verifier of counted regions notices every change that breaks their form or their budget."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import crypsis
from crypsis import (
    AttributeDomains,
    CategoryDomain,
    CategoryTrees,
    DifferentialPrivacy,
    DiffMulti,
    NumericDomain,
    Table,
)
from crypsis.errors import BadRelease
from crypsis.verifiers import verify

PROMISE = DifferentialPrivacy(epsilon=1)


@pytest.fixture(scope="module")
def release():
    frame = pl.DataFrame({"age": [20 + n % 40 for n in range(600)], "town": ["ab"[n % 2] for n in range(600)]})
    table = Table.from_frame(frame, {"age": "quasi", "town": "quasi"})
    method = DiffMulti(
        specializations=6,
        domains=AttributeDomains({"age": NumericDomain(0, 100, 10), "town": CategoryDomain(("a", "b", "c"))}),
        trees=CategoryTrees({"town": {"all": {"ab": ["a", "b"], "c": {}}}}),
    )
    return crypsis.anonymize(table, method)


def tampered(data, name, region, place, value):
    changed = getattr(data, name).copy()
    changed[region, place] = value
    return replace(data, **{name: changed})


def test_a_release_as_made_holds_with_and_without_its_ledger(release):
    assert verify(release.data, PROMISE).holds
    assert verify(replace(release.data, ledger=None), PROMISE).holds


def test_a_negative_count_is_noticed(release):
    assert "negative" in verify(tampered(release.data, "counts", 0, 0, -1), PROMISE).problem


def test_a_region_outside_its_domain_is_noticed(release):
    assert "not within" in verify(tampered(release.data, "high", 0, 0, 11), PROMISE).problem
    assert "not within" in verify(tampered(release.data, "low", 0, 0, -1), PROMISE).problem


def test_a_region_that_says_another_node_than_it_spans_is_noticed(release):
    node = 1 if release.data.node[0, 1] != 1 else 2
    assert "its node" in verify(tampered(release.data, "node", 0, 1, node), PROMISE).problem
    assert "names no node" in verify(tampered(release.data, "node", 0, 1, 99), PROMISE).problem


def test_a_missing_region_and_a_repeated_one_are_noticed(release):
    data = release.data
    assert "leave a part" in verify(data.take(np.arange(1, len(data))), PROMISE).problem
    assert "overlap" in verify(data.take(np.append(np.arange(len(data)), 0)), PROMISE).problem
    assert "no region" in verify(data.take(np.zeros(0, np.int64)), PROMISE).problem


def test_every_widened_region_is_noticed(release):
    data = release.data
    for region in range(len(data)):
        if data.high[region, 0] < 10:
            wider = tampered(data, "high", region, 0, data.high[region, 0] + 1)
            assert "overlap" in verify(wider, PROMISE).problem


def test_another_budget_is_noticed(release):
    for name, value in (("spent", "2"), ("epsilon", "2"), ("spent", "x"), ("noise", "")):
        assert not verify(replace(release.data, budget={**release.data.budget, name: value}), PROMISE).holds
    assert not verify(release.data, DifferentialPrivacy(epsilon="1/2")).holds
    ledger = json.loads(json.dumps(dict(release.data.ledger)))
    ledger["key"] = "00" * 32
    assert "digest" in verify(replace(release.data, ledger=ledger), PROMISE).problem


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("regions.jsonl", '"counts"', '"numbers"'),
        ("domains.json", '"bins": 10', '"bins": 20'),
        ("domains.json", "{", "["),
    ],
)
def test_files_that_were_changed_are_refused_or_fail(release, tmp_path, file, old, new):
    folder = release.write(tmp_path / "out")
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new))
    with suppress(BadRelease):
        assert not crypsis.read_release(folder).verify().holds
