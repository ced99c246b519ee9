"""A release of many records with sets in parts: published, sorted and verified part by part, committed at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from crypsis.data.formats.published_sets import read_meanings
from crypsis.data.microdata import ITEMS
from crypsis.errors import BadParameter
from crypsis.guarantees import Guarantee, KAnonymity, KKmAnonymity, KLmDiversity, Verdict
from crypsis.metrics.published_symbols import symbol_figures
from crypsis.parts_release import PartsRelease, figures_of_counts
from crypsis.publication import PublishedKind, kind_named
from crypsis.publication.figures import finite, rounded
from crypsis.publication.kind import shown_labels
from crypsis.publication.mixed_parts import checksum_of_part, items_of_part
from crypsis.publication.published_parts import PublishedParts
from crypsis.publication.table_parts import PARTS
from crypsis.reports.manifest_facts import ManifestFacts
from crypsis.reports.mixed_report import MixedFacts
from crypsis.reports.transaction_facts import TransactionFacts
from crypsis.review import CHECKS, Finding
from crypsis.verifiers.counted_rows import CountedRows, added_checksums, count_rows
from crypsis.verifiers.kkm_anonymity import HONEST, other_sensitive_item
from crypsis.verifiers.loss_bounds import exceeded, loss_of_counts
from crypsis.verifiers.mixed_parts import MixedColumns, verify_mixed_parts
from crypsis.verifiers.table_parts import CountedParts, PublishedColumns, count_parts


@dataclass(frozen=True, eq=False)
class CountedMixedParts:
    """What was counted: the cells as those of a table, the sets as rows of symbols, and the verdict on both."""

    n_records: int
    table: CountedParts
    items: CountedRows
    verdict: Verdict
    checksum: tuple[int, int]


@dataclass(eq=False)
class MixedPartsRelease(PartsRelease):
    """What `crypsis.anonymize` makes of more records with sets than are put together in memory."""

    not_measured = (
        "Not measured on parts: which sensitive values classes reveal, who is unique by unchanged columns or by two "
        "items they have, and how many records lack a value. Look at them on a sample before publishing."
    )

    @property
    def kind(self) -> PublishedKind:
        return kind_named("mixed")

    @property
    def is_whole(self) -> bool:
        return False

    @cached_property
    def data(self) -> PublishedParts:
        """The published records."""
        facts = self.parts.columns
        hierarchies = {fact.name: fact.hierarchy for fact in facts if fact.hierarchy is not None}
        columns = PublishedColumns(
            {fact.name: fact.role for fact in facts},
            {fact.name: fact.type for fact in facts},
            {name: list(hierarchy.leaves) for name, hierarchy in hierarchies.items()},
            (self.parts.items, *([] if self.parts.scopes is None else [self.parts.scopes])),
        )
        return PublishedParts(self.parts.files, columns, self.parts.n_records, hierarchies)

    def verify(self) -> Verdict:
        """Recount the guarantee from the published parts, in bounded memory; each record was compared with its original
        when it was published."""
        counted = self._count()
        verdict: Verdict = replace(counted.verdict, counted=f"{counted.verdict.counted}{HONEST}")
        problem = self._problem(counted) if verdict.holds else None
        return verdict if problem is None else replace(verdict, holds=False, achieved=None, problem=f"{problem}.")

    def _problem(self, counted: CountedMixedParts) -> str | None:
        """What only the publisher can tell: other sensitive items than those of the original, or too wide cells."""
        promised, known = self.guarantee, self.encoded.facts
        assert isinstance(promised, (KKmAnonymity, KLmDiversity))
        if isinstance(promised, KLmDiversity):
            problem = other_sensitive_item(frozenset(self.parts.symbols.sensitive), known.transactions)
            if problem is not None:
                return problem
        if promised.ncp is None:
            return None
        shown = []
        for name in self.data.quasi:
            column, records = self.data.column_of_counts(name, counted.table)
            shown.append((column, np.bincount(column.codes, records, len(column.cells)).astype(np.int64)))
        return exceeded("NCP", loss_of_counts(shown, known.table, self.parts.n_records), promised.ncp)

    def _count_parts(self, files: tuple[str, ...]) -> CountedMixedParts:
        own = MixedColumns(self.data.columns, self.parts.items, self.parts.scopes, self._sensitive)
        meanings, executor = read_meanings(Path(files[0]).parents[1]), self.executor
        n_records, verdict = verify_mixed_parts(files, own, meanings, self.guarantee, executor)
        table = count_parts(files, self.data.columns, KAnonymity(k=1), executor)
        items = count_rows(files, partial(items_of_part, columns=own, meanings=meanings), executor)
        sums = executor.map(checksum_of_part, list(files), own, meanings, self.parts.lists, self.parts.seeds)
        return CountedMixedParts(n_records, table, items, verdict, added_checksums(sums))

    @property
    def _sensitive(self) -> tuple[str, ...]:
        """The sensitive items that are published, as the manifest tells them."""
        return tuple(shown_labels(self.parts.symbols.sensitive, self.parts.symbols))

    def _recount(self, counted: CountedMixedParts, promised: Guarantee) -> Verdict:
        return counted.verdict

    def figures(self) -> dict[str, Any]:
        """Figures of the published data alone."""
        counted = self._count()
        shown = counted.items
        told: dict[str, Any] = {
            **figures_of_counts(self.data, counted.table),
            **rounded(finite(symbol_figures(shown.names, shown.occurrences, shown.supports))),
        }
        return told

    def _refused(self, counted: CountedMixedParts, verdict: Verdict, confirmed: frozenset[str]) -> list[Finding]:
        """What stands against publishing a column, looked for in every distinct cell and in every label."""
        items = self._subject_of(self.parts.symbols, np.array([self.parts.n_records], np.int64), verdict, confirmed)
        return [
            *super()._refused(counted.table, verdict, confirmed),
            *(
                finding
                for check in CHECKS.values()
                if check.refuses
                for finding in check.findings(items, self.thresholds)
            ),
        ]

    def _confirmable(self, confirm: Iterable[str]) -> frozenset[str]:
        names = (confirm,) if isinstance(confirm, str) else tuple(confirm)
        for name in names:
            if name != ITEMS and name not in self.data.names:
                raise BadParameter(f"Column {name!r} cannot be confirmed: it is not published.", parameter="confirm")
        return frozenset(names)

    def _described(self, counted: CountedMixedParts) -> dict[str, Any]:
        return {
            **self.data.describe(counted.table),
            "kind": self.kind.name,
            "file": self.kind.files[PARTS],
            "items": self.parts.items,
            "sensitive": list(self._sensitive),
            "scopes": self.parts.scopes,
            "occurrences": self.parts.occurrences,
            "symbols": len(counted.items.names),
        }

    def _facts(self, manifest: Mapping[str, Any], counted: CountedMixedParts) -> ManifestFacts:
        shown = counted.items
        lengths = np.repeat(np.arange(len(shown.lengths)), shown.lengths)
        table = self._table_facts(manifest, counted.table, self.parts.items)
        return MixedFacts(manifest, table, TransactionFacts(manifest, shown.names, shown.supports, lengths))

    def _place_beside(self, folder: Path) -> None:
        self.kind.write_beside_parts(folder, self.parts.symbols)
