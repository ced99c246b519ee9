"""Descriptions of a release as repositories take them: DataCite, Dataverse, Zenodo and DCAT, ready to upload.

Each is made from what the publisher declares and from facts of the release that stand in its manifest, and from nothing
else; a form whose required fields nobody declared is not written. An identifier such as a DOI is given by the
repository, so there is none.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from crypsis.reports.about import About

_MEDIA = {
    ".csv": "text/csv",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".geojson": "application/geo+json",
    ".html": "text/html",
    ".parquet": "application/vnd.apache.parquet",
}

_IANA = "https://www.iana.org/assignments/media-types/"
_SPDX = "https://spdx.org/licenses/"
_CREATIVE_COMMONS = re.compile(r"CC-(BY(?:-NC)?(?:-SA|-ND)?)-(\d\.\d)")
_SUBJECTS = frozenset(  # the words that Dataverse takes
    {
        *("Agricultural Sciences", "Arts and Humanities", "Astronomy and Astrophysics", "Business and Management"),
        *("Chemistry", "Computer and Information Science", "Earth and Environmental Sciences", "Engineering", "Law"),
        *("Mathematical Sciences", "Medicine, Health and Life Sciences", "Physics", "Social Sciences", "Other"),
    }
)


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
        "creators": [{"name": about.made_by, "affiliation": [{"name": about.controller}]}],
        "publisher": {"name": about.controller},
        "publicationYear": str(manifest["created"])[:4],
        "contributors": [{"name": about.controller, "nameType": "Organizational", "contributorType": "DataManager"}],
        "dates": [{"date": manifest["created"], "dateType": "Created"}],
        "formats": sorted({media_type(name) for name in files}),
        "sizes": [f"{sum(int(file['bytes']) for file in files.values())} bytes"],
        "subjects": [{"subject": word} for word in about.keyword_list],
        "rightsList": _rights(about.license),
        "descriptions": [
            {"description": _description(about, manifest), "descriptionType": "Abstract"},
            {"description": _protection(manifest), "descriptionType": "Methods"},
        ],
    }


def _rights(license: str | None) -> list[dict[str, str]]:
    if license is None:
        return []
    terms = {"rights": license}
    if address := _address(license):
        terms |= {"rightsUri": address}
    if _is_spdx(license):
        terms |= {"rightsIdentifier": license, "rightsIdentifierScheme": "SPDX", "schemeUri": _SPDX}
    return [terms]


def _zenodo(about: About, manifest: Mapping[str, Any], files: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The body of a deposition of Zenodo's REST API."""
    metadata: dict[str, Any] = {
        "upload_type": "dataset",
        "title": about.title,
        "publication_date": manifest["created"],
        "creators": [{"name": about.made_by, "affiliation": about.controller}],
        "description": _as_html(_description(about, manifest)),
        "method": _as_html(_protection(manifest)),
        "keywords": about.keyword_list,
    }
    if about.license is not None:
        metadata |= {"access_right": "open", "license": about.license.lower()}
    else:  # an open record without a license would be put under one that nobody chose
        metadata |= {"access_right": "closed"}
    return {"metadata": metadata}


def _as_html(text: str) -> str:
    """Zenodo reads descriptions as HTML."""
    return f"<p>{html.escape(text, quote=False)}</p>"


def _dataverse(about: About, manifest: Mapping[str, Any], files: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """A dataset version of Dataverse's native API, with the fields of the citation block.

    A subject that Dataverse does not know is a keyword, and a license that it may not offer stands in the terms.
    """
    known = about.subject in _SUBJECTS
    subject = about.subject if known else "Other"
    keywords = about.keyword_list if known or about.subject is None else [*about.keyword_list, about.subject]
    fields = [
        _field("title", "primitive", about.title),
        _compounds("author", {"authorName": about.made_by, "authorAffiliation": about.controller}),
        _compounds("datasetContact", {"datasetContactName": about.controller, "datasetContactEmail": about.contact}),
        _compounds("dsDescription", {"dsDescriptionValue": f"{_description(about, manifest)} {_protection(manifest)}"}),
        _field("subject", "controlledVocabulary", [subject], multiple=True),
        _field("productionDate", "primitive", manifest["created"]),
    ]
    if keywords:
        fields.append(_compounds("keyword", *({"keywordValue": word} for word in keywords)))
    version: dict[str, Any] = {"metadataBlocks": {"citation": {"displayName": "Citation Metadata", "fields": fields}}}
    if about.license is not None:
        version |= _dataverse_license(about.license)
    return {"datasetVersion": version}


def _dataverse_license(license: str) -> dict[str, Any]:
    """By the name and address that Dataverse gives the licenses of Creative Commons; others as terms in words."""
    if license == "CC0-1.0":
        return {"license": {"name": "CC0 1.0", "uri": "http://creativecommons.org/publicdomain/zero/1.0"}}
    if found := _CREATIVE_COMMONS.fullmatch(license):
        kind, number = found.groups()
        address = f"http://creativecommons.org/licenses/{kind.lower()}/{number}"
        return {"license": {"name": f"CC {kind} {number}", "uri": address}}
    return {"termsOfUse": license}


def _address(license: str) -> str | None:
    """Where the text of a license is; None where its identifier does not say."""
    if license.startswith(("http://", "https://")):
        return license
    return f"{_SPDX}{license}" if _is_spdx(license) else None


def _is_spdx(license: str) -> bool:
    """Whether it is written as identifiers of SPDX are, such as CC-BY-4.0."""
    return re.fullmatch(r"[A-Za-z][A-Za-z0-9]*(-[A-Za-z0-9]+)*-\d+(\.\d+)*", license) is not None


def _field(name: str, kind: str, value: Any, *, multiple: bool = False) -> dict[str, Any]:
    return {"typeName": name, "typeClass": kind, "multiple": multiple, "value": value}


def _compounds(name: str, *parts: Mapping[str, Any]) -> dict[str, Any]:
    """Several entries of named texts."""
    entries = [{one: _field(one, "primitive", value) for one, value in part.items()} for part in parts]
    return _field(name, "compound", entries, multiple=True)


def _dcat(about: About, manifest: Mapping[str, Any], files: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """A dataset of the W3C's Data Catalog Vocabulary as JSON-LD, with a distribution for each file."""
    record = {
        "@context": {
            "dcat": "http://www.w3.org/ns/dcat#",
            "dct": "http://purl.org/dc/terms/",
            "foaf": "http://xmlns.com/foaf/0.1/",
            "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
            "spdx": "http://spdx.org/rdf/terms#",
            "vcard": "http://www.w3.org/2006/vcard/ns#",
            "xsd": "http://www.w3.org/2001/XMLSchema#",
        },
        "@type": "dcat:Dataset",
        "dct:title": about.title,
        "dct:description": _description(about, manifest),
        "dct:provenance": {"@type": "dct:ProvenanceStatement", "rdfs:label": _protection(manifest)},
        "dct:creator": {"@type": "foaf:Agent", "foaf:name": about.made_by},
        "dct:publisher": {"@type": "foaf:Agent", "foaf:name": about.controller},
        "dct:issued": {"@type": "xsd:date", "@value": manifest["created"]},
        "dcat:keyword": about.keyword_list,
        "dcat:distribution": [_distribution(name, file) for name, file in sorted(files.items())],
    }
    if about.license is not None:
        address = _address(about.license)
        document = {"@type": "dct:LicenseDocument", "dct:title": about.license}
        record["dct:license"] = document if address is None else document | {"@id": address}
    if about.contact is not None:
        mail = {"@id": f"mailto:{about.contact}"}
        record["dcat:contactPoint"] = {"@type": "vcard:Kind", "vcard:fn": about.controller, "vcard:hasEmail": mail}
    return record


def _distribution(name: str, file: Mapping[str, Any]) -> dict[str, Any]:
    """A file; its address is told beside this description, wherever both are put."""
    digest = {
        "@type": "spdx:Checksum",
        "spdx:algorithm": {"@id": "spdx:checksumAlgorithm_sha256"},
        "spdx:checksumValue": {"@type": "xsd:hexBinary", "@value": file["sha256"]},
    }
    return {
        "@type": "dcat:Distribution",
        "dct:title": name,
        "dcat:accessURL": {"@id": quote(name)},
        "dcat:downloadURL": {"@id": quote(name)},
        "dcat:mediaType": {"@id": _IANA + media_type(name)},
        "dcat:byteSize": {"@type": "xsd:nonNegativeInteger", "@value": str(file["bytes"])},
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
