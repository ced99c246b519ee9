"""Darwin Core archives: a zip file or folder with `meta.xml`, a core of taxa and extensions."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from crypsis.errors import MissingFile, UnreadableFile
from crypsis.warehouse.assignments import Vocabulary, assign_name
from crypsis.warehouse.terms import LABEL, PREFIXES, RDF_TYPE, Term, Triple, iri, iri_of, literal, node

DWC = PREFIXES["dwc"]
_TEXT = "{http://rs.tdwg.org/dwc/text/}"
_RANKS = {
    "kingdom": "BT18_Kingdom",
    "phylum": "BT19_Phylum",
    "class": "BT22_Class",
    "order": "BT34_Order",
    "family": "BT25_Family",
    "genus": "BT26_Genus",
    "species": "BT27_Species",
}
_HANDLED = {
    "taxonID", "parentNameUsageID", "scientificName", "scientificNameAuthorship", "taxonRank", "namePublishedIn",
    "vernacularName",
}  # fmt: skip
_LARGEST_META = 1 << 20


@dataclass(frozen=True)
class Part:
    """The core or an extension: its rows by the term of each column."""

    row_type: str
    rows: list[dict[str, str]]


@dataclass
class DarwinCoreArchive:
    """What an archive says, and what could not be used of it."""

    core: Part
    extensions: list[Part]
    warnings: list[str]

    @classmethod
    def read(cls, path: Path) -> DarwinCoreArchive:
        files = _Files(path)
        root = _meta(files.read("meta.xml", _LARGEST_META), path.name)
        core = root.find(f"{_TEXT}core")
        if core is None:
            raise UnreadableFile("meta.xml names no core.", where=path.name)
        return cls(_part(core, files), [_part(each, files) for each in root.findall(f"{_TEXT}extension")], [])

    def triples(self, namespace: str, vocabulary: Vocabulary) -> Iterator[Triple]:
        """Taxa with rank, parent, names and literature; other terms as they are."""
        if not self.core.row_type.endswith("/Taxon"):
            yield from self._plain(namespace)
            return
        subjects = {row["id"]: _taxon(namespace, row) for row in self.core.rows if row.get("id")}
        for row in self.core.rows:
            subject = subjects.get(row.get("id", ""))
            if subject is not None:
                yield from self._taxon(subject, row, subjects, vocabulary)
        for extension in self.extensions:
            for row in extension.rows:
                subject = subjects.get(row.get("id", ""))
                if subject is None:
                    self.warnings.append(f"An extension names the taxon {row.get('id')!r}, which the core lacks.")
                elif name := row.get(DWC + "vernacularName"):
                    kind = vocabulary["BC46_2_Common_Name_Assignment"]
                    lang = row.get(PREFIXES["dcterms"] + "language", "")
                    yield from assign_name(subject, name, kind, vocabulary, lang=lang)

    def _taxon(
        self, subject: Term, row: dict[str, str], subjects: dict[str, Term], core: Vocabulary
    ) -> Iterator[Triple]:
        name, rank = row.get(DWC + "scientificName", ""), row.get(DWC + "taxonRank", "").lower()
        yield subject, RDF_TYPE, core[_RANKS.get(rank, "BT1_Taxon")]
        yield subject, core["hasTaxonID"], literal(row["id"])
        if name:
            yield subject, LABEL, literal(name)
        if parent := row.get(DWC + "parentNameUsageID"):
            if parent in subjects:
                yield subject, core["LT8_usually_belongs_to"], subjects[parent]
            else:
                self.warnings.append(f"The taxon {row['id']!r} names the parent {parent!r}, which the core lacks.")
        if name and rank == "species":
            kind = core["BC46_1_Scientific_Name_Assignment"]
            authorship = row.get(DWC + "scientificNameAuthorship", "")
            yield from assign_name(subject, name, kind, core, authorship=authorship)
        if title := row.get(DWC + "namePublishedIn"):
            document = node(["document", iri_of(subject), title])
            yield subject, core["LX7_type_is_referenced_by"], document
            yield document, RDF_TYPE, core["BC30_Document"]
            yield document, LABEL, literal(title)
        for term, value in row.items():
            if value and term != "id" and term.removeprefix(DWC) not in _HANDLED:
                yield subject, iri(term), literal(value)

    def _plain(self, namespace: str) -> Iterator[Triple]:
        """Records that are no taxa, such as occurrences: every term as a property."""
        for row in self.core.rows:
            if row.get("id"):
                subject = iri(f"{namespace}{row['id']}")
                yield subject, RDF_TYPE, iri(self.core.row_type)
                yield from (
                    (subject, iri(term), literal(value)) for term, value in row.items() if value and term != "id"
                )


def _taxon(namespace: str, row: dict[str, str]) -> Term:
    name = row.get(DWC + "scientificName", "").replace(" ", "_")
    return iri(f"{namespace.rstrip('/')}/entities/{row['id']}/{name}")


class _Files:
    """The files of a folder or of a zip file, by name; never one outside."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.zip: zipfile.ZipFile | None = None
        if path.is_file():
            try:
                self.zip = zipfile.ZipFile(path)
            except (zipfile.BadZipFile, OSError) as error:
                raise UnreadableFile(f"{path.name} is not a zip file: {error}.", where=path.name) from error
        elif not path.is_dir():
            raise MissingFile(f"There is no archive {path.name}.", where=path.name)

    def read(self, name: str, limit: int = 1 << 31) -> bytes:
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise UnreadableFile(f"meta.xml names a file outside the archive: {name!r}.", where=self.path.name)
        try:
            if self.zip is not None:
                with self.zip.open(name) as opened:
                    content = opened.read(limit + 1)
            else:
                with (self.path / name).open("rb") as opened:
                    content = opened.read(limit + 1)
        except (KeyError, OSError, zipfile.BadZipFile, EOFError) as error:
            raise UnreadableFile(f"{self.path.name} has no readable file {name!r}.", where=self.path.name) from error
        if len(content) > limit:
            raise UnreadableFile(f"{name} is larger than {limit:,} bytes.", where=self.path.name)
        return content


def _meta(content: bytes, where: str) -> ElementTree.Element:
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise UnreadableFile("meta.xml declares entities, which no archive needs.", where=where)
    try:
        return ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        raise UnreadableFile(f"meta.xml is not sound XML: {error}.", where=where) from error


def _part(element: ElementTree.Element, files: _Files) -> Part:
    fields = {int(each.get("index", "-1")): str(each.get("term")) for each in element.findall(f"{_TEXT}field")}
    defaults = {
        str(each.get("term")): str(each.get("default"))
        for each in element.findall(f"{_TEXT}field")
        if each.get("index") is None and each.get("default") is not None
    }
    fields.pop(-1, None)
    key = element.find(f"{_TEXT}id")
    key = element.find(f"{_TEXT}coreid") if key is None else key
    fields = {**fields}
    id_index = int(key.get("index", "0")) if key is not None else 0
    separator = _unescaped(element.get("fieldsTerminatedBy", ","))
    quote = _unescaped(element.get("fieldsEnclosedBy", ""))
    skipped = int(element.get("ignoreHeaderLines", "0") or 0)
    rows = []
    for location in element.findall(f"{_TEXT}files/{_TEXT}location"):
        text = files.read(str(location.text).strip()).decode(element.get("encoding", "UTF-8"), errors="replace")
        quoting = {"quotechar": quote} if quote else {"quoting": csv.QUOTE_NONE}
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, **quoting)
        for number, values in enumerate(reader):
            if number >= skipped and values:
                row = {term: values[index].strip() for index, term in fields.items() if index < len(values)}
                rows.append({**defaults, **row, "id": values[id_index].strip() if id_index < len(values) else ""})
    return Part(str(element.get("rowType", "")), rows)


def _unescaped(text: str) -> str:
    return text.replace("\\t", "\t").replace("\\n", "\n").replace("\\r", "\r")
