"""A disassociated release on disk: written, read, rechecked with and without the private report, shown, refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import crypsis
from crypsis.data.transaction import Transactions
from crypsis.errors import BadPublication, BadRelease, VerificationFailed
from crypsis.methods.transaction.disassociation import Disassociation
from crypsis.release import Release, read_release
from crypsis.samples.quest import quest
from tests.releases_of_sets import LEAF, published

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "reference" / "release.schema.json").read_text())


@pytest.fixture(scope="module")
def original() -> Transactions:
    return quest(600, terms=80, length=5)


@pytest.fixture(scope="module")
def release(original: Transactions) -> Release:
    return crypsis.anonymize(original, Disassociation(k=4, m=2))


@pytest.mark.parametrize("format", ["json", "parquet"])
def test_a_release_reads_back_and_verifies(release: Release, tmp_path: Path, format: str) -> None:
    folder = release.write(tmp_path / "release", format=format)
    again = read_release(folder)
    assert again.data == release.data
    assert again.verify().holds
    assert len(again.data) == again.manifest["data"]["rows"] == 600
    jsonschema.validate(json.loads((folder / "release.json").read_text(encoding="utf-8")), SCHEMA)


def test_nothing_private_is_written(release: Release, tmp_path: Path) -> None:
    folder = release.write(tmp_path / "release")
    files = list(folder.iterdir())
    assert len(files) > 3
    for file in files:
        content = file.read_text(encoding="utf-8")
        assert "leaf_of_record" not in content
        assert "cluster_of_record" not in content
        assert "seed" not in content


@pytest.mark.parametrize("format", ["json", "parquet"])
def test_with_its_private_report_a_release_is_compared_record_by_record(
    release: Release, original: Transactions, tmp_path: Path, format: str
) -> None:
    folder = release.write(tmp_path / "release", format=format, private_report=tmp_path / "private.json")
    again = read_release(folder, private_report=tmp_path / "private.json")
    assert again.data.leaf_of_record is not None
    verdict = again.verify(original)
    assert verdict.holds
    assert "cluster by cluster" in verdict.counted
    order = np.arange(len(original))
    leaves = again.data.leaf_of_record
    one, other = 0, int(np.flatnonzero(leaves != leaves[0])[0])
    order[[one, other]] = order[[other, one]]
    assert read_release(folder).verify(original.take(order)).holds  # without it the order of records does not matter
    assert not again.verify(original.take(order)).holds


@pytest.mark.parametrize("clusters", [None, [], "all", [0] * 599, [-1] * 600, [10**9] * 600])
def test_a_private_report_of_something_else_is_refused(release: Release, tmp_path: Path, clusters: Any) -> None:
    folder = release.write(tmp_path / "release", private_report=tmp_path / "private.json")
    facts = json.loads((tmp_path / "private.json").read_text(encoding="utf-8"))
    facts["cluster_of_record"] = clusters
    (tmp_path / "private.json").write_text(json.dumps(facts), encoding="utf-8")
    with pytest.raises(BadRelease):
        read_release(folder, private_report=tmp_path / "private.json")


def test_a_changed_file_fails_verification_and_a_damaged_one_is_a_format_error(
    release: Release, tmp_path: Path
) -> None:
    folder = release.write(tmp_path / "release")
    file = folder / "disassociated.json"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('"count":4', '"count":5', 1), encoding="utf-8")
    verdict = read_release(folder).verify()
    assert not verdict.holds
    file.write_text(text.replace('"type":"leaf"', '"type":"bud"', 1), encoding="utf-8")
    with pytest.raises(BadPublication):
        read_release(folder)


def test_a_broken_release_is_not_written(tmp_path: Path) -> None:
    broken = published({**LEAF, "size": 2})
    release = Release(data=broken, guarantee=crypsis.DisassociationAnonymity(k=3, m=2))
    with pytest.raises(VerificationFailed):
        release.write(tmp_path / "release")
    assert not (tmp_path / "release").exists()


def test_sensitive_terms_and_empty_records_are_told(tmp_path: Path) -> None:
    records = [["a", "b"], ["a", "b"], ["a", "b"], ["a", "secret"], ["b"], ["a"], []]
    data = Transactions.from_lists(records, sensitive=["secret"])
    release = crypsis.anonymize(data, Disassociation(k=2, m=2, l=2))
    folder = release.write(tmp_path / "release")
    again = read_release(folder)
    assert again.data.sensitive == ("secret",)
    assert again.data.empty_records == 1
    assert again.verify(data).holds
    assert release.kind.notes(release.data)
    manifest = json.loads((folder / "release.json").read_text(encoding="utf-8"))
    assert manifest["data"]["sensitive"] == ["secret"]


def test_the_report_says_what_was_hidden_and_what_remains_to_be_guessed(release: Release) -> None:
    page = str(release.report().html if hasattr(release.report(), "html") else release.report())
    for words in ("What was hidden", "What remains to be guessed", "cover problem", "Cluster sizes", "600"):
        assert words in page
    assert set(release.kind.report.draw(release.manifest, release.data, None)) == {"cluster-sizes", "term-chunk-sizes"}


def test_labels_are_text_in_the_report_whatever_they_hold() -> None:
    leaf = {**LEAF, "term_chunk": ["<script>alert(1)</script>"]}
    release = Release(data=published(leaf), guarantee=crypsis.DisassociationAnonymity(k=3, m=2))
    manifest = release.describe()
    page = release.kind.report.render(manifest, release.data, None)
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_a_manifest_that_is_not_understood_is_refused(release: Release, tmp_path: Path) -> None:
    folder = release.write(tmp_path / "release")
    manifest = json.loads((folder / "release.json").read_text(encoding="utf-8"))
    for change in ({"file": "other.json"}, {"sensitive": "a"}, {"format": "csv"}, {"rows": "many"}):
        changed = {**manifest, "data": {**manifest["data"], **change}}
        (folder / "release.json").write_text(json.dumps(changed), encoding="utf-8")
        with pytest.raises(BadRelease):
            read_release(folder)


def test_a_release_without_chunks_can_be_shown() -> None:
    bare = {"type": "leaf", "size": 3, "record_chunks": [], "term_chunk": ["a"]}
    release = Release(data=replace(published(bare), sensitive=("a",)), guarantee=crypsis.DisassociationAnonymity(k=3))
    assert "1 sensitive term" in release.kind.report.render(release.describe(), release.data, None)
