"""Descriptions of a release as repositories take them: DataCite, Dataverse, Zenodo and DCAT, ready to upload.

Each is made from what the publisher declares and from facts of the release that stand in its manifest, and from nothing
else; a form whose required fields nobody declared is not written. An identifier such as a DOI is given by the
repository, so there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from crypsis.reports.about import About

_MEDIA = {
    ".csv": "text/csv",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".geojson": "application/geo+json",
    ".html": "text/html",
    ".parquet": "application/vnd.apache.parquet",
}


@dataclass(frozen=True)
class DepositForm:
    """One form: its file, the optional declarations that it cannot do without, and how it is made."""

    file: str
    make: Callable[[About, Mapping[str, Any], Mapping[str, Mapping[str, Any]]], dict[str, Any]]
    needs: tuple[str, ...] = ()


def deposit_files(
    about: About, manifest: Mapping[str, Any], files: Mapping[str, Mapping[str, Any]]
) -> dict[str, dict[str, Any]]:
    """The forms for which enough was declared, by file name; `files` are those of the release with their checksums."""
    return {
        form.file: form.make(about, manifest, files)
        for form in FORMS
        if all(getattr(about, need) for need in form.needs)
    }


def _datacite(about: About, manifest: Mapping[str, Any], files: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """DataCite Metadata Schema 4.6, as its JSON form."""
    return {
        "schemaVersion": "http://datacite.org/schema/kernel-4",
        "types": {"resourceTypeGeneral": "Dataset", "resourceType": f"Anonymized {manifest['data']['kind']}"},
        "titles": [{"title": about.title}],
        "creators": [{"name": about.made_by}],
        "publisher": {"name": about.controller},
        "publicationYear": str(manifest["created"])[:4],
        "contributors": [{"name": about.controller, "nameType": "Organizational", "contributorType": "DataCollector"}],
        "dates": [{"date": manifest["created"], "dateType": "Created"}],
        "formats": sorted({media_type(name) for name in files}),
        "sizes": [f"{sum(int(file['bytes']) for file in files.values())} bytes"],
        "subjects": [{"subject": word} for word in about.keyword_list],
        "rightsList": [] if about.license is None else [{"rights": about.license, "rightsIdentifier": about.license}],
        "descriptions": [
            {"description": _description(about, manifest), "descriptionType": "Abstract"},
            {"description": _protection(manifest), "descriptionType": "Methods"},
        ],
    }


def _zenodo(about: About, manifest: Mapping[str, Any], files: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The body of a deposition of Zenodo's REST API."""
    metadata: dict[str, Any] = {
        "upload_type": "dataset",
        "title": about.title,
        "publication_date": manifest["created"],
        "creators": [{"name": about.made_by, "affiliation": about.controller}],
        "description": _description(about, manifest),
        "method": _protection(manifest),
        "keywords": about.keyword_list,
    }
    if about.license is not None:
        metadata |= {"access_right": "open", "license": about.license.lower()}
    return {"metadata": metadata}


def _dataverse(about: About, manifest: Mapping[str, Any], files: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """A dataset version of Dataverse's native API, with the fields of the citation block."""
    fields = [
        _field("title", "primitive", about.title),
        _compounds("author", {"authorName": about.made_by, "authorAffiliation": about.controller}),
        _compounds("datasetContact", {"datasetContactName": about.controller, "datasetContactEmail": about.contact}),
        _compounds("dsDescription", {"dsDescriptionValue": f"{_description(about, manifest)} {_protection(manifest)}"}),
        _field("subject", "controlledVocabulary", [about.subject], multiple=True),
        _field("productionDate", "primitive", manifest["created"]),
    ]
    if about.keyword_list:
        fields.append(_compounds("keyword", *({"keywordValue": word} for word in about.keyword_list)))
    version: dict[str, Any] = {"metadataBlocks": {"citation": {"displayName": "Citation Metadata", "fields": fields}}}
    if about.license is not None:
        version["license"] = {"name": about.license}
    return {"datasetVersion": version}


def _field(name: str, kind: str, value: Any, *, multiple: bool = False) -> dict[str, Any]:
    return {"typeName": name, "typeClass": kind, "multiple": multiple, "value": value}


def _compounds(name: str, *parts: Mapping[str, Any]) -> dict[str, Any]:
    """Several entries of named texts."""
    entries = [{one: _field(one, "primitive", value) for one, value in part.items()} for part in parts]
    return _field(name, "compound", entries, multiple=True)


def _dcat(about: About, manifest: Mapping[str, Any], files: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """A dataset of the W3C's Data Catalog Vocabulary as JSON-LD, with a distribution for each file."""
    told = {
        "@context": {
            "dcat": "http://www.w3.org/ns/dcat#",
            "dct": "http://purl.org/dc/terms/",
            "foaf": "http://xmlns.com/foaf/0.1/",
            "spdx": "http://spdx.org/rdf/terms#",
            "vcard": "http://www.w3.org/2006/vcard/ns#",
            "xsd": "http://www.w3.org/2001/XMLSchema#",
        },
        "@type": "dcat:Dataset",
        "dct:title": about.title,
        "dct:description": _description(about, manifest),
        "dct:provenance": {"@type": "dct:ProvenanceStatement", "dct:description": _protection(manifest)},
        "dct:creator": {"@type": "foaf:Agent", "foaf:name": about.made_by},
        "dct:publisher": {"@type": "foaf:Agent", "foaf:name": about.controller},
        "dct:issued": {"@type": "xsd:date", "@value": manifest["created"]},
        "dcat:keyword": about.keyword_list,
        "dcat:distribution": [_distribution(name, file) for name, file in sorted(files.items())],
    }
    if about.license is not None:
        told["dct:license"] = about.license
    if about.contact is not None:
        told["dcat:contactPoint"] = {"@type": "vcard:Kind", "vcard:hasEmail": f"mailto:{about.contact}"}
    return told


def _distribution(name: str, file: Mapping[str, Any]) -> dict[str, Any]:
    digest = {"@type": "spdx:Checksum", "spdx:algorithm": "SHA-256", "spdx:checksumValue": file["sha256"]}
    return {
        "@type": "dcat:Distribution",
        "dct:title": name,
        "dcat:mediaType": media_type(name),
        "dcat:byteSize": file["bytes"],
        "spdx:checksum": digest,
    }


def media_type(name: str) -> str:
    """What kind of file a name says."""
    return _MEDIA.get(name[name.rfind(".") :], "application/octet-stream")


def _description(about: About, manifest: Mapping[str, Any]) -> str:
    return about.description or f"{about.purpose.rstrip('.')}. {manifest['guarantee']['scope']}"


def _protection(manifest: Mapping[str, Any]) -> str:
    """How the data were protected, as the manifest tells it."""
    method = manifest.get("method") or {}
    summary = f" {method['summary']}" if method.get("summary") else ""
    made = f" Made with {method['class']}.{summary}" if method.get("class") else ""
    return f"Anonymized under {manifest['guarantee']['model']}: {manifest['guarantee']['scope']}{made}"


FORMS = (
    DepositForm("datacite.json", _datacite),
    DepositForm("zenodo.json", _zenodo),
    DepositForm("dataverse.json", _dataverse, needs=("contact", "subject")),
    DepositForm("dcat.jsonld", _dcat),
)
DEPOSIT_FILES = tuple(form.file for form in FORMS)
