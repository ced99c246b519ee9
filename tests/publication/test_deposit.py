"""What is declared about a release stands in it, in its report and in the forms of repositories."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import polars as pl
import pytest

import crypsis
from crypsis.errors import BadRelease
from crypsis.publication.deposit import DEPOSIT_FILES
from crypsis.reports.about import LABELS, REQUIRED, About

ABOUT = About(
    title="Illness by age",
    controller="Town hospital",
    purpose="Research on <seasonal> illness",
    recipient="Institute of epidemiology",
    legal_basis="Art. 6 (1) (e) GDPR",
    made_by="A. Registrar",
    approved_by="B. Officer",
    keywords="illness, age",
    contact="data@hospital.example",
    license="CC-BY-4.0",
    subject="Medicine, Health and Life Sciences",
)


def released(ages: list[int], about: About | None = ABOUT) -> crypsis.Release:
    frame = pl.DataFrame({"age": ages, "ill": ["flu", "cold", "gout"] * 2})
    table = crypsis.Table.from_frame(frame, {"age": "quasi", "ill": "sensitive"})
    release = crypsis.anonymize(table, crypsis.Mondrian(k=3))
    release.about = about
    return release


def parsed(folder: Path, name: str) -> dict:
    return json.loads((folder / name).read_text(encoding="utf-8"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return released([20, 21, 22, 50, 51, 52]).write(tmp_path / "release")


def test_every_declaration_stands_in_report_and_manifest(folder: Path) -> None:
    read = crypsis.read_release(folder)
    assert read.about == ABOUT
    assert read.verify().holds
    page = (folder / "report.html").read_text(encoding="utf-8")
    for name, value in ABOUT.to_dict().items():
        assert LABELS[name] in page
        assert value.replace("<", "&lt;").replace(">", "&gt;") in page
    assert "Place, date, signature" in page


def test_a_declared_release_follows_the_schema_of_manifests(folder: Path) -> None:
    schema = json.loads((Path(__file__).parents[2] / "docs" / "reference" / "release.schema.json").read_text())
    manifest = parsed(folder, "release.json")
    jsonschema.validate(manifest, schema)
    assert set(manifest["about"]) <= set(schema["properties"]["about"]["properties"]) == set(LABELS)
    assert schema["properties"]["about"]["required"] == list(REQUIRED)


def test_the_forms_of_repositories_say_what_was_declared_and_name_the_files(folder: Path) -> None:
    manifest = parsed(folder, "release.json")
    assert set(DEPOSIT_FILES) <= set(manifest["files"])
    cited = parsed(folder, "datacite.json")
    assert cited["titles"] == [{"title": ABOUT.title}]
    assert cited["creators"] == [{"name": ABOUT.made_by, "affiliation": [{"name": ABOUT.controller}]}]
    assert cited["rightsList"][0]["rightsUri"] == "https://spdx.org/licenses/CC-BY-4.0"
    assert cited["publisher"] == {"name": ABOUT.controller}
    assert cited["publicationYear"] == manifest["created"][:4]
    deposition = parsed(folder, "zenodo.json")["metadata"]
    assert deposition["title"] == ABOUT.title
    assert deposition["license"] == "cc-by-4.0"
    assert deposition["access_right"] == "open"
    assert "<seasonal>" not in deposition["description"], "Zenodo reads it as HTML"
    assert "&lt;seasonal&gt;" in deposition["description"]
    assert deposition["keywords"] == ["illness", "age"]
    block = parsed(folder, "dataverse.json")["datasetVersion"]["metadataBlocks"]["citation"]["fields"]
    told = {field["typeName"]: field["value"] for field in block}
    assert told["title"] == ABOUT.title
    assert told["subject"] == [ABOUT.subject]
    assert told["datasetContact"][0]["datasetContactEmail"]["value"] == ABOUT.contact
    named = parsed(folder, "dataverse.json")["datasetVersion"]["license"]
    assert named == {"name": "CC BY 4.0", "uri": "http://creativecommons.org/licenses/by/4.0"}
    dataset = parsed(folder, "dcat.jsonld")
    assert dataset["dct:license"]["@id"] == "https://spdx.org/licenses/CC-BY-4.0"
    parts = {part["dct:title"]: part for part in dataset["dcat:distribution"]}
    for name in ("table.csv", "report.html", "datapackage.json"):
        assert parts[name]["spdx:checksum"]["spdx:checksumValue"]["@value"] == manifest["files"][name]["sha256"]
        assert parts[name]["dcat:byteSize"]["@value"] == str(manifest["files"][name]["bytes"])
        assert parts[name]["dcat:accessURL"] == {"@id": name}


@pytest.mark.parametrize(
    ("license", "told"),
    [
        ("CC0-1.0", {"license": {"name": "CC0 1.0", "uri": "http://creativecommons.org/publicdomain/zero/1.0"}}),
        (
            "CC-BY-NC-SA-4.0",
            {"license": {"name": "CC BY-NC-SA 4.0", "uri": "http://creativecommons.org/licenses/by-nc-sa/4.0"}},
        ),
        ("For members only", {"termsOfUse": "For members only"}),
    ],
)
def test_licenses_and_subjects_are_those_that_dataverse_takes(tmp_path: Path, license: str, told: dict) -> None:
    about = replace(ABOUT, license=license, subject="Hospital care")
    folder = released([20, 21, 22, 50, 51, 52], about).write(tmp_path / "release")
    version = parsed(folder, "dataverse.json")["datasetVersion"]
    blocks = version.pop("metadataBlocks")["citation"]["fields"]
    assert version == told
    fields = {field["typeName"]: field["value"] for field in blocks}
    assert fields["subject"] == ["Other"]
    assert "Hospital care" in [word["keywordValue"]["value"] for word in fields["keyword"]]


def test_nobody_gets_a_license_that_was_not_chosen(tmp_path: Path) -> None:
    folder = released([20, 21, 22, 50, 51, 52], replace(ABOUT, license=None)).write(tmp_path / "release")
    assert parsed(folder, "zenodo.json")["metadata"]["access_right"] == "closed"
    assert parsed(folder, "datacite.json")["rightsList"] == []
    assert "license" not in parsed(folder, "dataverse.json")["datasetVersion"]
    assert "dct:license" not in parsed(folder, "dcat.jsonld")


def test_the_catalogue_entry_is_linked_data(folder: Path) -> None:
    from pyoxigraph import RdfFormat, parse

    base = "https://repository.example/record/1/dcat.jsonld"
    triples = [*parse(path=str(folder / "dcat.jsonld"), format=RdfFormat.JSON_LD, base_iri=base)]
    told = {(triple.predicate.value.rpartition("#")[2], getattr(triple.object, "value", "")) for triple in triples}
    assert ("downloadURL", "https://repository.example/record/1/table.csv") in told
    assert ("mediaType", "https://www.iana.org/assignments/media-types/text/csv") in told
    assert ("algorithm", "http://spdx.org/rdf/terms#checksumAlgorithm_sha256") in told


def test_a_form_without_its_declarations_is_not_written(tmp_path: Path) -> None:
    least = About.of(dict.fromkeys(REQUIRED, "said"))
    folder = released([20, 21, 22, 50, 51, 52], least).write(tmp_path / "least")
    assert not (folder / "dataverse.json").exists()
    assert (folder / "datacite.json").exists()
    folder = released([20, 21, 22, 50, 51, 52], None).write(tmp_path / "nothing")
    assert not {path.name for path in folder.iterdir()} & set(DEPOSIT_FILES)
    assert "Who answers for it" not in (folder / "report.html").read_text(encoding="utf-8")


def test_equal_published_records_give_equal_folders_whatever_they_were_made_of(tmp_path: Path) -> None:
    one = released([20, 21, 22, 50, 51, 52]).write(tmp_path / "one")
    other = released([20, 20, 22, 50, 52, 52]).write(tmp_path / "other")  # inside the published ranges
    names = sorted(path.name for path in one.iterdir())
    assert names == sorted(path.name for path in other.iterdir())
    assert all((one / name).read_bytes() == (other / name).read_bytes() for name in names)


def test_a_form_that_was_changed_breaks_the_release(folder: Path) -> None:
    form = folder / "zenodo.json"
    form.write_text(form.read_text(encoding="utf-8").replace("A. Registrar", "Somebody"), encoding="utf-8")
    assert "zenodo.json" in str(crypsis.read_release(folder).verify().problem)


@pytest.mark.parametrize("about", [[], "x", {}, {"title": "x"}, {**ABOUT.to_dict(), "age": "97"}])
def test_a_declaration_in_another_form_is_refused(folder: Path, about: object) -> None:
    manifest = parsed(folder, "release.json")
    (folder / "release.json").write_text(json.dumps({**manifest, "about": about}), encoding="utf-8")
    with pytest.raises(BadRelease):
        crypsis.read_release(folder)


def test_the_private_report_shows_the_original_and_says_that_it_is_not_for_release() -> None:
    release = released([20, 21, 22, 50, 51, 52])
    private, public = release.private_report().html, release.report().html
    assert "not for release" in private
    assert "age before and after" in private
    assert ABOUT.approved_by in private
    assert "before and after" not in public
    assert "not for release" not in public


def test_a_release_that_is_read_and_written_again_keeps_what_was_declared(folder: Path, tmp_path: Path) -> None:
    read = crypsis.read_release(folder)
    read.about = replace(ABOUT, title="Another title")
    again = read.write(tmp_path / "again")
    assert crypsis.read_release(again).about.title == "Another title"
