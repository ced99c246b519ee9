"""A release of many trajectories in parts: published, sorted and verified part by part, and committed at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl

from crypsis.arrays import Int64s
from crypsis.guarantees import Guarantee, Verdict
from crypsis.metrics.published_symbols import symbol_figures
from crypsis.parts_release import PartsRelease
from crypsis.publication import PublishedKind, kind_of
from crypsis.publication.figures import finite, rounded
from crypsis.publication.table_parts import PARTS
from crypsis.publication.trajectory_parts import flows_of_part, read_trajectory_part
from crypsis.reports.facts import ReleaseFacts
from crypsis.review import CHECKS, Finding, Subject
from crypsis.review.refusal import confirmable_names
from crypsis.verifiers.trajectory_parts import CountedTrajectories, count_trajectories, verify_trajectory_parts


@dataclass(frozen=True, eq=False)
class PublishedTrajectoryParts:
    """Published trajectories that lie in files, and are never whole in memory."""

    files: tuple[str, ...]
    n_records: int

    def scan(self) -> pl.LazyFrame:
        """All parts, to be read when they are asked for."""
        return pl.scan_parquet(list(self.files))

    def __len__(self) -> int:
        return self.n_records


@dataclass(eq=False)
class TrajectoryPartsRelease(PartsRelease):
    """What `crypsis.anonymize` makes of more trajectories than are put together in memory."""

    not_measured: ClassVar[str] = (
        "Not measured on parts: who is unique by two places they visited. Look at it on a sample before publishing."
    )

    @property
    def kind(self) -> PublishedKind:
        return kind_of(self.parts.symbols)

    @property
    def data(self) -> PublishedTrajectoryParts:
        """The published trajectories."""
        return PublishedTrajectoryParts(self.parts.files, self.parts.n_records)

    @property
    def is_whole(self) -> bool:
        return False

    def verify(self) -> Verdict:
        """Recount the guarantee from the published parts, in bounded memory; each row was compared with its original
        when it was published."""
        return verify_trajectory_parts(self._count(), self.guarantee, self.parts.symbols, self.parts.original)

    def figures(self) -> dict[str, Any]:
        """Figures of the published data alone."""
        counted = self._count()
        told: dict[str, Any] = rounded(finite(symbol_figures(counted.names, counted.occurrences, counted.supports)))
        return told

    def _count_parts(self, files: tuple[str, ...]) -> CountedTrajectories:
        return count_trajectories(files, read_trajectory_part, self.executor, self.parts.seeds)

    def _recount(self, counted: CountedTrajectories, promised: Guarantee) -> Verdict:
        return verify_trajectory_parts(counted, promised, counted.shown)

    def _refused(self, counted: CountedTrajectories, verdict: Verdict, confirmed: frozenset[str]) -> list[Finding]:
        """What stands against publishing the places, looked for in every label."""
        subject = self._subject(verdict, confirmed)
        return [
            finding
            for check in CHECKS.values()
            if check.refuses
            for finding in check.findings(subject, self.thresholds)
        ]

    def _subject(self, verdict: Verdict, confirmed: frozenset[str]) -> Subject:
        return Subject(
            self.parts.symbols,
            self.guarantee,
            verdict,
            settings=frozenset(self.method.parameters()),
            confirmed=confirmed,
            public=True,
            weights=np.array([self.parts.n_records], np.int64),
        )

    def _confirmable(self, confirm: Iterable[str]) -> frozenset[str]:
        return confirmable_names(self.parts.symbols, confirm)

    def _described(self, counted: CountedTrajectories) -> dict[str, Any]:
        symbols, kind = self.parts.symbols, self.kind
        return {
            "kind": kind.name,
            "file": kind.files[PARTS],
            "format": PARTS,
            "order": "sorted",
            **kind.describe(symbols),
            "rows": counted.n_records,
            "visits": int(counted.occurrences.sum()),
            **kind.describe_side_file(self._side_file),
        }

    def _facts(self, manifest: Mapping[str, Any], counted: CountedTrajectories) -> ReleaseFacts:
        flows = self.executor.map(flows_of_part, counted.coded, len(counted.names))
        lengths = np.repeat(np.arange(len(counted.lengths)), counted.lengths)
        return ReleaseFacts.of_counts(
            manifest, counted.names, counted.supports, lengths, _added_flows(flows), self._side_file
        )

    def _write_beside(self, folder: Path, described: Mapping[str, Any]) -> list[dict[str, Any]]:
        self.kind.write_side_files(folder, self.parts.symbols, self._side_file)
        return self.kind.resources(described, self._side_file)

    @property
    def _side_file(self) -> Any:
        return self.kind.side_file(self.parts.original, self.parts.symbols)


def _added_flows(flows: list[Int64s]) -> Int64s:
    """Moves of all parts: origin, target and rows."""
    every = np.concatenate([*flows, np.zeros((0, 3), np.int64)])
    pairs, place = np.unique(every[:, :2], axis=0, return_inverse=True)
    rows = np.bincount(place.ravel(), weights=every[:, 2], minlength=len(pairs)).astype(np.int64)
    return np.column_stack((pairs, rows)).astype(np.int64)
