"""Releases as linked data: nobody is named, small counts stay hidden, and planted leaks are refused."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import crypsis
from crypsis.errors import UnsafeRelease
from crypsis.warehouse import Warehouse, check_release
from crypsis.warehouse.linked_data import SourceOfRelease, describe_rows
from crypsis.warehouse.publication import Publication, publish_linked_data
from crypsis.warehouse.sources.rdf import read_rdf
from crypsis.warehouse.terms import SAME_AS, expand, iri, literal, node
from tests.warehouse import sample

BASE = "https://example.org/releases/people-1"
ABOUT = Publication(
    BASE,
    "People",
    "https://creativecommons.org/licenses/by/4.0/",
    sources=[
        SourceOfRelease("register", "https://example.org/register", "Register", 40),
        SourceOfRelease("clinic", "https://example.org/clinic", "Clinic", 2),
    ],
    concepts={"north": "https://example.org/places/north"},
)


@pytest.fixture(scope="module")
def release() -> crypsis.Release:
    frame = pl.DataFrame({"age": [20 + number % 7 for number in range(40)], "town": ["north", "south"] * 20})
    table = crypsis.Table.from_frame(frame, {"age": "quasi", "town": "quasi"})
    return crypsis.anonymize(table, crypsis.Mondrian(k=5))


def test_a_release_is_written_with_random_rows_and_its_provenance(release: crypsis.Release, tmp_path: Path) -> None:
    folders = [publish_linked_data(release, tmp_path / name, ABOUT) for name in ("one", "two")]
    rows, others = (read_rdf(folder / "rows.nt", "rows") for folder in folders)
    subjects = {s for s, _, _ in rows}
    assert len(subjects) == 40
    assert not subjects & {s for s, _, _ in others}
    assert any(o == iri("https://example.org/places/north") for _, _, o in rows)
    description = read_rdf(folders[0] / "description.nt", "description")
    counts = {p: o for s, p, o in description if "contribution/clinic" in s}
    assert expand("cr:records") not in counts
    assert counts[expand("cr:recordsBelow")].startswith('"5"')
    assert (iri(BASE), expand("prov:wasDerivedFrom"), iri("https://example.org/register")) in description
    assert sorted(path.name for path in folders[0].iterdir()) == ["description.nt", "rows.csv-metadata.json", "rows.nt"]


def test_a_release_that_names_a_subject_is_refused_and_nothing_is_written(
    release: crypsis.Release, tmp_path: Path
) -> None:
    leaking = Publication(**{**ABOUT.__dict__, "concepts": {"north": "https://example.org/person/7"}})
    with pytest.raises(UnsafeRelease, match="names a data subject"):
        publish_linked_data(release, tmp_path / "out", leaking, subjects=[iri("https://example.org/person/7")])
    assert not (tmp_path / "out").exists()


ROW = iri(f"{BASE}/row/0123456789abcdef")
PLANTED = {
    "names a data subject": (ROW, iri(f"{BASE}/column/age"), iri("https://example.org/person/7")),
    "intermediate node": (ROW, iri(f"{BASE}/column/age"), node(["person", "7"])),
    "owl:sameAs": (ROW, SAME_AS, iri("https://example.org/other")),
    "tells where a row comes from": (ROW, expand("prov:wasDerivedFrom"), iri("https://example.org/clinic")),
    "or when it was made": (ROW, expand("prov:generatedAtTime"), literal("2024-05-01T09:00:00Z")),
    "fewer than 5 records": (
        iri(f"{BASE}/contribution/clinic"),
        expand("cr:records"),
        literal("4", datatype="http://www.w3.org/2001/XMLSchema#integer"),
    ),
}


@pytest.mark.parametrize("reason", PLANTED)
def test_a_planted_leak_is_refused(reason: str) -> None:
    rows = describe_rows(BASE, ["age"], [["20"], ["30"]])
    person = iri("https://example.org/person/7")
    check_release(rows, [person], row_prefix=f"{BASE}/row/", small_count_threshold=5)
    with pytest.raises(UnsafeRelease, match=reason):
        check_release([*rows, PLANTED[reason]], [person], row_prefix=f"{BASE}/row/", small_count_threshold=5)


def test_every_name_of_a_subject_is_known_to_the_check(tmp_path: Path) -> None:
    warehouse = Warehouse(sample.configuration(), tmp_path / "work")
    warehouse.build()
    names = warehouse.subjects("tlo:BT27_Species")
    for cluster in warehouse.clusters():
        if "Thunnus_albacares" in cluster.canonical:
            assert set(cluster.members) <= names
    dump = [tuple(line.split(" ", 2)) for line in warehouse.dump().splitlines()[:50]]
    with pytest.raises(UnsafeRelease):
        check_release(dump, {s for s, _, _ in dump}, row_prefix=f"{BASE}/row/", small_count_threshold=5)
