"""Published sets in a release: what is written reads back equal, verifies, and is refused when damaged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import crypsis
from crypsis.data.formats.published_sets import read_published_sets, write_published_sets
from crypsis.data.transaction import PublishedTransactions
from crypsis.errors import BadPublication, BadRelease, UnknownFormat

FORMATS = ("jsonl", "parquet", "csv")
KINDS = [("milk", "dairy"), ("cream", "dairy"), ("beer", "drinks"), ("wine", "drinks"), ("dairy", "*"), ("drinks", "*")]
BASKETS = [["milk", "beer"], ["cream", "wine"], [], ["milk", "wine"], ["cream"]]

labels = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1, max_size=4).map(
    lambda text: f"{text}x"
)
rows = st.lists(st.sets(labels, min_size=1, max_size=4).map(sorted), min_size=1, max_size=4, unique_by=tuple).flatmap(
    lambda pool: st.lists(st.lists(st.sampled_from(pool), max_size=4, unique_by=tuple), max_size=6)
)


@pytest.mark.parametrize("format", FORMATS)
@given(rows=rows)
def test_whatever_is_written_reads_back_equal(
    tmp_path_factory: pytest.TempPathFactory, format: str, rows: list[list[list[str]]]
) -> None:
    published = PublishedTransactions.from_lists(rows)
    file = tmp_path_factory.mktemp("sets") / f"transactions.{format}"
    write_published_sets(published, file, format)
    assert read_published_sets(file) == published


def released(**setting: object) -> crypsis.Release:
    data = crypsis.Transactions.from_lists(BASKETS)
    return crypsis.anonymize(data, crypsis.Apriori(k=2, m=2, hierarchy=crypsis.ItemHierarchy(KINDS), **setting))  # type: ignore[arg-type]


@pytest.mark.parametrize("format", FORMATS)
def test_a_release_is_written_sorted_and_verifies(tmp_path: Path, format: str) -> None:
    release = released()
    folder = release.write(tmp_path / "r", format=format)
    back = crypsis.read_release(folder)
    assert back.data.to_lists() == [
        [],
        [["beer", "wine"], ["cream", "milk"]],
        [["beer", "wine"], ["cream", "milk"]],
        [["beer", "wine"], ["cream", "milk"]],
        [["cream", "milk"]],
    ]
    assert back.verify(release.original).holds
    assert back.data.domain is None  # how many items there were is not told
    manifest = json.loads((folder / "release.json").read_text())
    assert manifest["data"]["empty_records"] == 1
    assert manifest["guarantee"]["model"] == "itemset-k^m-anonymity"
    assert "generalized_items.csv" in manifest["files"]
    assert "dairy" in (folder / "generalized_items.csv").read_text()


def test_a_file_that_was_changed_fails_verification(tmp_path: Path) -> None:
    folder = released().write(tmp_path / "r")
    file = folder / "generalized_items.csv"
    file.write_text(file.read_text().replace("dairy,milk", "dairy,mulk"))
    verdict = crypsis.read_release(folder).verify()
    assert not verdict.holds
    assert "checksum" in str(verdict.problem)


def test_the_private_report_puts_records_back_beside_their_originals(tmp_path: Path) -> None:
    data = crypsis.Transactions.from_lists([["milk"], ["milk"], ["beer"], ["wine"], ["milk"], ["cream"]])
    method = crypsis.LRA(k=2, m=1, hierarchy=crypsis.ItemHierarchy(KINDS), partition_size=2)
    release = crypsis.anonymize(data, method)
    release.write(tmp_path / "r", private_report=tmp_path / "private.json")
    back = crypsis.read_release(tmp_path / "r", private_report=tmp_path / "private.json")
    assert back.data.to_lists() == release.data.to_lists()
    assert "recodes its original" in back.verify(data).counted
    (tmp_path / "other.json").write_text('{"schema": "crypsis-private-report/1", "published_row_of_input_row": [0]}')
    with pytest.raises(BadRelease):
        crypsis.read_release(tmp_path / "r", private_report=tmp_path / "other.json")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("transactions.csv", "record,thing\n0,a\n", "columns record and item"),
        ("transactions.csv", "record,item\n1,a\n0,b\n", "ascending"),
        ("transactions.jsonl", '["a","a"]\n', "lists a name twice"),
    ],
)
def test_published_files_of_another_form_are_refused(tmp_path: Path, name: str, content: str, words: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(BadPublication, match=words) as raised:
        read_published_sets(tmp_path / name)
    assert raised.value.code == "format-error"


def test_meanings_of_another_form_are_refused(tmp_path: Path) -> None:
    (tmp_path / "transactions.jsonl").write_text('["n"]\n')
    (tmp_path / "generalized_items.csv").write_text("name,item\nn,a\nn,a\n")
    with pytest.raises(BadPublication, match="listed twice"):
        read_published_sets(tmp_path / "transactions.jsonl")
    with pytest.raises(UnknownFormat):
        read_published_sets(tmp_path / "transactions.xml")


def test_a_symbol_is_never_called_like_an_item() -> None:
    published = PublishedTransactions.from_lists([["(a,b)", ["a", "b"], "a"]])
    assert sorted(published.symbol_names) == ["(a,b)", "(a,b)'", "a"]


def test_the_report_names_items_and_not_people() -> None:
    page = released().report().html
    assert "What was generalized" in page
    assert "<bdi>cream</bdi>" in page
    assert "trajector" not in page
