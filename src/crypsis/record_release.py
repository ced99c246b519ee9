"""A release of many sets or trajectories in parts: published, sorted and verified part by part, committed at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Int64s
from crypsis.data.formats.published import read_published_trajectories
from crypsis.data.formats.published_sets import read_set_part
from crypsis.encrypted_files import load
from crypsis.guarantees import Guarantee, Verdict
from crypsis.metrics.cluster_structure import structure_of_counts
from crypsis.metrics.published_symbols import symbol_figures
from crypsis.parts_release import PartsRelease
from crypsis.publication import PublishedKind, kind_of
from crypsis.publication.disassociated import describe_forest, read_disassociated
from crypsis.publication.figures import finite, rounded
from crypsis.publication.table_parts import PARTS
from crypsis.reports.disassociated_facts import DisassociatedFacts
from crypsis.reports.facts import ReleaseFacts
from crypsis.reports.manifest_facts import ManifestFacts
from crypsis.reports.symbol_flows import symbol_flows
from crypsis.reports.transaction_facts import TransactionFacts
from crypsis.review import CHECKS, Finding, Subject
from crypsis.review.refusal import confirmable_names
from crypsis.verifiers.counted_rows import CountedRows, count_rows
from crypsis.verifiers.forest_parts import CountedForests, count_forests, verify_forest_parts
from crypsis.verifiers.set_parts import verify_set_parts
from crypsis.verifiers.trajectory_parts import shown_symbols, verify_trajectory_parts


@dataclass(frozen=True, eq=False)
class PublishedRecordParts:
    """Published records that lie in files, and are never whole in memory."""

    files: tuple[str, ...]
    n_records: int

    def scan(self) -> pl.LazyFrame:
        """All parts, to be read when they are asked for."""
        return pl.scan_parquet(list(self.files))

    def __len__(self) -> int:
        return self.n_records


@dataclass(eq=False)
class RecordPartsRelease(PartsRelease):
    """What `crypsis.anonymize` makes of more records than are put together in memory."""

    @property
    def kind(self) -> PublishedKind:
        return kind_of(self.parts.symbols)

    @property
    def data(self) -> PublishedRecordParts:
        """The published records."""
        return PublishedRecordParts(self.parts.files, self.parts.n_records)

    @property
    def is_whole(self) -> bool:
        return False

    @property
    def _n_published(self) -> int:
        return int(self.parts.n_records)

    def figures(self) -> dict[str, Any]:
        """Figures of the published data alone."""
        counted = self._count()
        told: dict[str, Any] = rounded(finite(symbol_figures(counted.names, counted.occurrences, counted.supports)))
        return told

    def _refused(self, counted: CountedRows, verdict: Verdict, confirmed: frozenset[str]) -> list[Finding]:
        """What stands against publishing, looked for in every label."""
        subject = self._subject(verdict, confirmed)
        return [
            finding
            for check in CHECKS.values()
            if check.refuses
            for finding in check.findings(subject, self.thresholds)
        ]

    def _subject(self, verdict: Verdict, confirmed: frozenset[str]) -> Subject:
        return self._subject_of(self.parts.symbols, np.array([self.parts.n_records], np.int64), verdict, confirmed)

    def _confirmable(self, confirm: Iterable[str]) -> frozenset[str]:
        return confirmable_names(self.parts.symbols, confirm)

    def _described(self, counted: CountedRows) -> dict[str, Any]:
        kind = self.kind
        return {
            "kind": kind.name,
            "file": kind.files[PARTS],
            "format": PARTS,
            "order": "sorted",
            **kind.describe(self.parts.symbols),
            "rows": counted.n_records,
            **self._described_counts(counted),
            **kind.describe_side_file(self._side_file),
        }

    def _described_counts(self, counted: CountedRows) -> dict[str, Any]:
        """What the manifest says of all rows together."""
        raise NotImplementedError

    def _place_beside(self, folder: Path) -> None:
        self.kind.write_beside_parts(folder, self.parts.symbols)

    def _write_beside(self, folder: Path, described: Mapping[str, Any]) -> list[dict[str, Any]]:
        self.kind.write_side_files(folder, self.parts.symbols, self._side_file)
        return self.kind.resources(described, self._side_file)

    @property
    def _side_file(self) -> Any:
        return self.kind.side_file(self.parts.original, self.parts.symbols)


@dataclass(eq=False)
class TrajectoryPartsRelease(RecordPartsRelease):
    """A release of many trajectories."""

    not_measured = (
        "Not measured on parts: who is unique by two places they visited. Look at it on a sample before publishing."
    )

    def verify(self) -> Verdict:
        """Recount the guarantee from the published parts, in bounded memory; each row was compared with its original
        when it was published."""
        return verify_trajectory_parts(
            self._count(), self.guarantee, self.parts.symbols, self.parts.original, self.encoded.shards
        )

    def _count_parts(self, files: tuple[str, ...]) -> CountedRows:
        return count_rows(files, read_published_trajectories, self.executor, self.parts.seeds)

    def _recount(self, counted: CountedRows, promised: Guarantee) -> Verdict:
        return verify_trajectory_parts(counted, promised, shown_symbols(counted, self.parts.symbols.sensitive))

    def _described_counts(self, counted: CountedRows) -> dict[str, Any]:
        return {"visits": int(counted.occurrences.sum())}

    def _facts(self, manifest: Mapping[str, Any], counted: CountedRows) -> ReleaseFacts:
        flows = self.executor.map(flows_of_part, counted.coded, len(counted.names))
        return ReleaseFacts.of_counts(
            manifest, counted.names, counted.supports, _lengths(counted), _added_flows(flows), self._side_file
        )


@dataclass(eq=False)
class SetPartsRelease(RecordPartsRelease):
    """A release of many sets."""

    not_measured = (
        "Not measured on parts: who is unique by two items they have. Look at it on a sample before publishing."
    )

    def verify(self) -> Verdict:
        """Recount the guarantee from the published parts, in bounded memory; each record was compared with its original
        when it was published."""
        return verify_set_parts(self._count(), self.guarantee, self.parts.symbols.sensitive, self.parts.original)

    def _count_parts(self, files: tuple[str, ...]) -> CountedRows:
        return count_rows(files, read_set_part, self.executor, self.parts.seeds)

    def _recount(self, counted: CountedRows, promised: Guarantee) -> Verdict:
        return verify_set_parts(counted, promised, self.parts.symbols.sensitive)

    def _described_counts(self, counted: CountedRows) -> dict[str, Any]:
        return {"empty_records": int(counted.lengths[0]), "occurrences": int(counted.occurrences.sum())}

    def _facts(self, manifest: Mapping[str, Any], counted: CountedRows) -> ManifestFacts:
        return TransactionFacts(manifest, counted.names, counted.supports, _lengths(counted))


@dataclass(eq=False)
class ForestPartsRelease(RecordPartsRelease):
    """A release of many disassociated sets."""

    def verify(self) -> Verdict:
        """Recheck every part, in bounded memory; each cluster was compared with its records when it was published."""
        original, n_empty = self.parts.original, self.parts.n_empty
        return verify_forest_parts(
            self._count(), self.guarantee, self.parts.symbols.sensitive, original, self.encoded.n_filled, n_empty
        )

    def figures(self) -> dict[str, Any]:
        told: dict[str, Any] = rounded(finite(structure_of_counts(self._count().counts).figures()))
        return told

    def _count_parts(self, files: tuple[str, ...]) -> CountedForests:
        return count_forests(files, read_disassociated, self.guarantee, self.executor, self.parts.seed)

    def _recount(self, counted: CountedForests, promised: Guarantee) -> Verdict:
        return verify_forest_parts(counted, promised, self.parts.symbols.sensitive)

    def _described(self, counted: Any) -> dict[str, Any]:
        return {
            "kind": self.kind.name,
            "file": self.kind.files[PARTS],
            "format": PARTS,
            "order": "sorted",
            **describe_forest(counted.counts, self.parts.symbols.sensitive),
        }

    def _facts(self, manifest: Mapping[str, Any], counted: CountedForests) -> DisassociatedFacts:
        return DisassociatedFacts(manifest, counted.counts, tuple(manifest["data"]["sensitive"]))

    def _rows_of_part(self, file: str, first: int) -> pl.DataFrame:
        """The cluster of each record, by the number of its node in the published order."""
        records, clusters = load(file)
        return pl.DataFrame({"record": records, "cluster": clusters})


def flows_of_part(file: str, n_symbols: int) -> Int64s:
    """Direct moves between symbols in a part that was written in their numbers."""
    offsets, codes = load(file)
    return symbol_flows(offsets, codes, n_symbols)


def _lengths(counted: CountedRows) -> Int64s:
    return np.repeat(np.arange(len(counted.lengths)), counted.lengths)


def _added_flows(flows: list[Int64s]) -> Int64s:
    """Moves of all parts: origin, target and rows."""
    every = np.concatenate([*flows, np.zeros((0, 3), np.int64)])
    pairs, place = np.unique(every[:, :2], axis=0, return_inverse=True)
    rows = np.bincount(place.ravel(), weights=every[:, 2], minlength=len(pairs)).astype(np.int64)
    return np.column_stack((pairs, rows)).astype(np.int64)
