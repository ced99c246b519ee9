"""Disassociated transactions in a release: one forest, as canonical JSON or Parquet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from crypsis.arrays import Int64s
from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.formats.disassociated import read_disassociated, write_disassociated
from crypsis.data.transaction import Transactions
from crypsis.errors import BadPublication, BadRelease
from crypsis.metrics.cluster_structure import structure_of
from crypsis.publication.kind import PublishedKind


class DisassociatedKind(PublishedKind):
    """Clusters with record chunks, shared chunks and term chunks."""

    name: ClassVar[str] = "disassociated"
    files: ClassVar[dict[str, str]] = {"json": "disassociated.json", "parquet": "disassociated.parquet"}
    report_place: ClassVar[str] = "disassociation_report.DISASSOCIATION_REPORT"

    def side_file(self, original: Transactions, published: DisassociatedTransactions) -> None:
        return None

    def sorted_rows(self, published: DisassociatedTransactions) -> Int64s:
        """There are no rows: what is written has one order whatever the input's was."""
        return np.zeros(0, np.int64)

    def write(
        self, folder: Path, published: DisassociatedTransactions, side_file: None, rows: Int64s, format: str
    ) -> None:
        write_disassociated(published, folder / self.files[format], format=format)

    def read_file(self, path: Path) -> DisassociatedTransactions:
        return read_disassociated(path)

    def read(self, folder: Path, manifest: Mapping[str, Any]) -> tuple[DisassociatedTransactions, None]:
        described = manifest["data"]
        published = read_disassociated(folder / described["file"], described["format"])
        return replace(published, sensitive=tuple(described.get("sensitive", ()))), None

    def private_facts(self, published: DisassociatedTransactions) -> dict[str, Any]:
        """The cluster of each record, by the number of its node in the published order."""
        if published.leaf_of_record is None:
            return {}
        ordered = published.canonical().leaf_of_record
        return {} if ordered is None else {"cluster_of_record": ordered.tolist()}

    def with_private_facts(
        self, published: DisassociatedTransactions, facts: Mapping[str, Any]
    ) -> DisassociatedTransactions:
        """With the cluster of each record, so that every chunk can be compared with the records."""
        clusters = facts.get("cluster_of_record")
        try:
            leaves = np.array(clusters, np.int64)
            if leaves.shape != (len(published),):
                raise ValueError
            return replace(published, leaf_of_record=leaves)
        except (TypeError, ValueError, OverflowError, BadPublication) as error:
            raise BadRelease("The private report does not list the clusters of the records of this release.") from error

    def notes(self, published: DisassociatedTransactions) -> list[str]:
        if not published.empty_records:
            return []
        return [f"{published.empty_records:,} empty records were set aside; the release tells their number"]

    def describe(self, published: DisassociatedTransactions) -> dict[str, Any]:
        shared = int(published.is_shared.sum())
        return {
            "rows": len(published),
            "empty_records": published.empty_records,
            "clusters": len(published.leaves),
            "joint_nodes": published.n_nodes - len(published.leaves),
            "record_chunks": published.n_chunks - shared,
            "shared_chunks": shared,
            "terms": int(np.count_nonzero((published.visible_supports > 0) | (published.hidden_leaves > 0))),
            "sensitive": _shown_terms(published, published.sensitive),
        }

    def figures(self, published: DisassociatedTransactions) -> dict[str, Any]:
        return structure_of(published).figures()

    def resources(self, described: Mapping[str, Any], side_file: None) -> list[dict[str, Any]]:
        json = described["format"] == "json"
        return [
            {
                "name": "disassociated",
                "type": "file",
                "path": described["file"],
                "format": described["format"],
                "mediatype": "application/json" if json else "application/vnd.apache.parquet",
                "description": "A forest of clusters. Subrecords of one chunk are parts of different records; nothing "
                "says which subrecords of two chunks are of one record. Terms of a term chunk occur in their cluster.",
            }
        ]

    def is_sound(self, described: Mapping[str, Any]) -> bool:
        sensitive = described.get("sensitive", [])
        return (
            super().is_sound(described)
            and described.get("format") in self.files
            and isinstance(sensitive, list)
            and all(isinstance(label, str) for label in sensitive)
        )


def _shown_terms(published: DisassociatedTransactions, labels: tuple[str, ...]) -> list[str]:
    """Those of the labels that occur in some chunk, sorted: of others a release says nothing."""
    occurs = (published.visible_supports > 0) | (published.hidden_leaves > 0)
    shown = {published.vocabulary[code] for code in np.flatnonzero(occurs).tolist()}
    return sorted(shown.intersection(labels))
