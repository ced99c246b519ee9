"""The sample warehouse of the golden vectors: five small sources around tuna species, as a configuration."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path
from typing import Any

from crypsis.warehouse.configuration import Configuration
from tests import shared_data
from tests.conformance import vectors

SOURCES = "sources"
PREFIXES = {
    "eco": "http://www.ecoscope.org/ontologies/ecosystems_def/",
    "cc": "http://www.fao.org/figis/flod/onto/codedentityclassification.owl#",
    "ls": "http://www.fao.org/figis/flod/onto/linneanspecies.owl#",
    "flo": "http://www.fao.org/figis/flod/onto/",
    "dbo": "http://dbpedia.org/ontology/",
}
SCIENTIFIC = "tlo:BC46_1_Scientific_Name_Assignment"
COMMON = "tlo:BC46_2_Common_Name_Assignment"
CLASSES = {
    "species": "tlo:BT27_Species",
    "genus": "tlo:BT26_Genus",
    "family": "tlo:BT25_Family",
    "water_area": "tlo:BC12_Water_Area",
}


def sources_folder() -> Path:
    return shared_data.vectors_folder() / "warehouse" / SOURCES


def content(**changes: Any) -> dict[str, Any]:
    """The configuration as a file would hold it."""
    return {
        "prefixes": PREFIXES,
        "warehouse": {
            "name": "tuna",
            "core": "core.ttl",
            "mappings": ["mappings.ttl"],
            "canonical_priority": vectors.load("warehouse/matching.json")["canonical_priority"],
            **changes.pop("warehouse", {}),
        },
        "source": [
            {"id": "ecoscope", "kind": "rdf", "files": ["ecoscope.ttl"], "namespace": "http://www.ecoscope.org/"},
            {"id": "flod", "kind": "rdf", "files": ["flod.ttl"], "namespace": "http://www.fao.org/"},
            {"id": "worms", "kind": "dwca", "path": "worms", "namespace": "http://www.marinespecies.org/"},
            {"id": "dbpedia", "kind": "rdf", "files": ["dbpedia.ttl"], "namespace": "http://dbpedia.org/"},
            {
                "id": "fishbase",
                "kind": "table",
                "mapping": "fishbase/mapping.json",
                "namespace": "http://www.fishbase.org/",
            },
        ],
        "rule": RULES,
        "match": matches(),
        "competence": [
            {"id": name, "sparql": query, "sources": vectors.load("warehouse/competence.json")["answerable"][name]}
            for name, query in vectors.load("warehouse/competence.json")["queries"].items()
        ],
        **changes,
    }


def configuration(*, folder: Path | None = None, **changes: Any) -> Configuration:
    return Configuration.from_dict(content(**changes), sources_folder() if folder is None else folder)


def copy_to(target: Path) -> None:
    """A copy of the sources that a test may change."""
    shutil.copytree(sources_folder(), target)
    for path in [target, *target.rglob("*")]:
        path.chmod(0o700 if path.is_dir() else 0o600)


def people(file: str) -> list[dict[str, str]]:
    with (sources_folder() / "individuals" / file).open(encoding="utf-8", newline="") as rows:
        return list(csv.DictReader(rows))


def _insert(name: str, source: str, sparql: str) -> dict[str, Any]:
    return {"id": name, "kind": "insert", "source": source, "sparql": sparql}


def _coded(name: str, code: str, kind: str) -> dict[str, Any]:
    return _insert(
        name,
        "flod",
        f"INSERT {{ GRAPH $source {{ ?x a {kind} }} }} "
        f"WHERE {{ GRAPH $source {{ ?x cc:isClassifiedByCode ?c . ?c a {code} }} }}",
    )


RULES = [
    {"id": "eco_names", "kind": "name_assignment", "source": "ecoscope", "on": "eco:fish",
     "property": "skos:prefLabel", "name_class": SCIENTIFIC},
    {"id": "eco_common", "kind": "name_assignment", "source": "ecoscope", "on": "eco:fish",
     "property": "skos:altLabel", "name_class": COMMON},
    {"id": "eco_codes", "kind": "code_assignment", "source": "ecoscope", "path": "eco:irdCode", "organisation": "IRD"},
    _coded("flod_species", "ls:SpeciesCode", "tlo:FLOD_Species"),
    _coded("flod_vessels", "flo:VesselCode", "tlo:BC21_Vessel"),
    _coded("flod_gears", "flo:GearCode", "tlo:BC22_Gear"),
    {"id": "flod_names", "kind": "name_assignment", "source": "flod", "on": "tlo:FLOD_Species",
     "property": "rdfs:label", "languages": ["la"], "name_class": SCIENTIFIC, "keep_language": False, "unpack": True},
    {"id": "flod_common", "kind": "name_assignment", "source": "flod", "on": "tlo:FLOD_Species",
     "property": "rdfs:label", "other_languages": ["la"], "name_class": COMMON, "unpack": True},
    {"id": "flod_codes", "kind": "code_assignment", "source": "flod", "on": "tlo:FLOD_Species",
     "path": ["cc:isClassifiedByCode", "flo:codeValue"], "organisation": "FAO"},
    {"id": "worms_codes", "kind": "code_assignment", "source": "worms", "on": "tlo:BT27_Species",
     "path": "tlo:hasTaxonID", "transforms": ["integer"], "organisation": "WoRMS"},
    _insert("dbpedia_genera", "dbpedia", "INSERT { ?g a tlo:BT26_Genus } WHERE { ?x dbo:genus ?g }"),
    _insert("dbpedia_families", "dbpedia", "INSERT { ?f a tlo:BT25_Family } WHERE { ?x dbo:family ?f }"),
    {"id": "dbpedia_names", "kind": "name_assignment", "source": "dbpedia", "on": "dbo:Fish",
     "property": "dbo:binomial", "authorship": "dbo:binomialAuthority", "name_class": SCIENTIFIC},
    {"id": "dbpedia_common", "kind": "name_assignment", "source": "dbpedia", "on": "dbo:Fish",
     "property": "rdfs:label", "name_class": COMMON},
    {"id": "competitors", "kind": "insert", "scope": "warehouse",
     "sparql": "INSERT { ?x tlo:LT22_usually_is_competitor_of ?y } WHERE { ?x tlo:LT20_usually_is_predator_of ?z . "
               "?y tlo:LT20_usually_is_predator_of ?z . FILTER(?x != ?y) }"},
]  # fmt: skip


def matches() -> list[dict[str, Any]]:
    """The rules of the vectors, as a configuration writes them."""
    return [
        {"id": rule["id"], "link": rule["link"], "left": _side(rule["left"]), "right": _side(rule["right"])}
        for rule in vectors.load("warehouse/matching.json")["rules"]
    ]


def _side(side: dict[str, Any]) -> dict[str, Any]:
    given = {"source": side["source"], "path": side["path"], "class": CLASSES[side["cls"]]}
    if side["transforms"]:
        given["transforms"] = side["transforms"]
    if side["lang"] is not None:
        given["languages"] = side["lang"]
    return given
