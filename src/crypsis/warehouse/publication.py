"""Publish a release as linked data: rows as nodes, a description with provenance, and a check before writing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from crypsis.atomic import new_folder
from crypsis.errors import BadParameter, VerificationFailed
from crypsis.release import Release
from crypsis.version import VERSION
from crypsis.warehouse.linked_data import (
    Distribution,
    ReleaseDescription,
    SourceOfRelease,
    check_release,
    describe_release,
    describe_rows,
)
from crypsis.warehouse.terms import Term, Triple, iri, literal

ROWS = "rows.nt"
DESCRIPTION = "description.nt"
TABLE_METADATA = "rows.csv-metadata.json"
CSV_TABLE = "rows.csv"


@dataclass(frozen=True)
class Publication:
    """What a recipient learns about linked data, beside the rows. `iri` names the release on the web."""

    iri: str
    title: str
    license: str
    sources: Sequence[SourceOfRelease] = ()
    small_count_threshold: int | None = None  # the k of the guarantee if empty
    concepts: Mapping[str, str] = field(default_factory=dict)  # published label: IRI of its concept
    started: datetime | None = None
    ended: datetime | None = None


def publish_linked_data(
    release: Release,
    folder: str | Path,
    about: Publication,
    *,
    subjects: Collection[Term] = (),
    overwrite: bool = False,
) -> Path:
    """Write a verified release as linked data into a new folder, whole or not at all.

    Rows get random numbers, fresh for each release. `subjects` are the names of data subjects in the warehouse; linked
    data that would hold one of them, or tell where a row comes from, are refused.
    """
    verdict = release.verify()
    if not verdict.holds:
        raise VerificationFailed(f"Nothing was written: {verdict}", **verdict.to_dict())
    if "://" not in about.iri:
        raise BadParameter(f"The IRI of a release must be an address, got {about.iri!r}.", parameter="iri")
    base = about.iri.rstrip("/#")
    columns, rows = _table_of(release)
    threshold = about.small_count_threshold or int(getattr(release.guarantee, "k", 0) or 5)
    nodes = describe_rows(base, columns, ([_value(value, about.concepts) for value in row] for row in rows))
    now = datetime.now(UTC).replace(microsecond=0)
    with new_folder(Path(folder), overwrite=overwrite) as partial:
        _write_triples(partial / ROWS, nodes)
        files = [_distribution(partial / ROWS, "application/n-triples")]
        description = describe_release(
            ReleaseDescription(
                iri=base,
                title=about.title,
                issued=now.date().isoformat(),
                license=about.license,
                started=_instant(about.started or now),
                ended=_instant(about.ended or now),
                version=VERSION,
                method=_method(release),
                parameters=_parameters(release),
                truthful=_is_truthful(release),
                guarantees={
                    release.guarantee.model: {"value": _guarantee_text(release), "verified": verdict.holds},
                },
                small_count_threshold=threshold,
                sources=about.sources,
                distributions=files,
                triples=len(nodes),
            )
        )
        check_release(
            [*nodes, *description], subjects, row_prefix=f"{base}/row/", small_count_threshold=threshold,
            public_columns=[iri(f"{base}/column/{column}") for column in columns],
        )  # fmt: skip
        _write_triples(partial / DESCRIPTION, description)
        metadata = json.dumps(_csv_on_the_web(base, about, columns), indent=2, ensure_ascii=False)
        (partial / TABLE_METADATA).write_text(metadata + "\n", encoding="utf-8")
    return Path(folder)


def _table_of(release: Release) -> tuple[list[str], Iterator[Sequence[Any]]]:
    frame = release.data.to_frame()
    names = [name for name in frame.columns if name not in ("trajectory_id", "id")]
    return names, frame.select(names).iter_rows()


def _value(value: Any, concepts: Mapping[str, str]) -> str | None:
    """The IRI of a concept, or the text of a value as a term."""
    if value is None:
        return None
    text = str(value)
    return iri(concepts[text]) if text in concepts else literal(text)


def _method(release: Release) -> str:
    if release.method is not None:
        return release.method.name()
    described = release.manifest.get("method") or {}
    return str(described.get("name", "unknown"))


def _parameters(release: Release) -> dict[str, Any]:
    described = (release.manifest.get("method") or {}).get("parameters", {})
    if release.method is not None:
        described = release.method.described_parameters()
        described = described.get("parameters", described)
    return {
        str(name): value
        for name, value in described.items()
        if isinstance(value, (int, float, str, bool)) and name not in ("seed", "key", "pseudonym_key", "name")
    }


def _guarantee_text(release: Release) -> str:
    described = release.guarantee.to_dict()
    parameters = described.get("parameters", {})
    return ", ".join(f"{name}={value}" for name, value in parameters.items()) or release.guarantee.model


def _is_truthful(release: Release) -> bool:
    """Whether published records are generalizations of true ones: so unless noise or synthesis made them."""
    return release.guarantee.model != "differential-privacy"


def _instant(moment: datetime) -> str:
    return moment.astimezone(UTC).replace(microsecond=0).isoformat().replace("+00:00", "Z")


def _distribution(path: Path, kind: str) -> Distribution:
    content = path.read_bytes()
    return Distribution(path.name, kind, len(content), hashlib.sha256(content).hexdigest())


def _write_triples(path: Path, triples: Sequence[Triple]) -> None:
    path.write_text("".join(f"{s} {p} {o} .\n" for s, p, o in triples), encoding="utf-8")


def _csv_on_the_web(base: str, about: Publication, columns: Sequence[str]) -> dict[str, Any]:
    """How the columns of the rows are to be read, in the form of CSV on the Web."""
    return {
        "@context": "http://www.w3.org/ns/csvw",
        "url": CSV_TABLE,
        "dc:title": about.title,
        "tableSchema": {
            "aboutUrl": f"{base}/row/{{_row}}",
            "columns": [
                {"name": column, "titles": column, "propertyUrl": f"{base}/column/{column}"} for column in columns
            ],
        },
    }
