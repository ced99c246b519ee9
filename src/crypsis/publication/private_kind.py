"""What private releases of every kind have in common: rows that noise covers, the declared domains, what was spent.

Nothing that was counted in the original stands in the manifest: not its size, not the utility that the publisher
measured. Such figures would be a release without noise. They go to the private report.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from crypsis.data.formats.private_rows import DOMAINS
from crypsis.errors import BadRelease
from crypsis.publication.kind import PublishedKind


class PrivateKind(PublishedKind):
    """A kind that a differentially private method publishes. The domains belong to the rows; nothing is beside them."""

    private: ClassVar[bool] = True
    aligned: ClassVar[bool] = False
    row_name: ClassVar[str]  # of the resource with the rows
    row_meaning: ClassVar[str]
    domain_meaning: ClassVar[str]
    empty_note: ClassVar[str | None] = None

    def side_file(self, original: Any, published: Any) -> None:
        return None

    def with_private_facts(self, published: Any, facts: Mapping[str, Any]) -> Any:
        """With the ledger of the run, which is then added up again."""
        ledger = facts.get("ledger")
        if not isinstance(ledger, Mapping):
            raise BadRelease("The private report does not hold the ledger of this release.")
        return replace(published, ledger=ledger)

    def resources(self, described: Mapping[str, Any], side_file: None) -> list[dict[str, Any]]:
        rows = {
            "name": self.row_name,
            "type": "file",
            "path": described["file"],
            "format": described["format"],
            "mediatype": "application/jsonl" if described["format"] == "jsonl" else "application/vnd.apache.parquet",
            "description": self.row_meaning,
        }
        domains = {
            "name": "domains",
            "type": "file",
            "path": DOMAINS,
            "format": "json",
            "mediatype": "application/json",
            "description": self.domain_meaning,
        }
        return [rows, domains]

    def notes(self, published: Any) -> list[str]:
        notes = [] if len(published) or self.empty_note is None else [self.empty_note]
        if published.budget.get("dataset_ledger") == "none":
            notes.append("no ledger was given, so nothing adds up what is spent on these data (--ledger FILE)")
        return notes

    def is_sound(self, described: Mapping[str, Any]) -> bool:
        return (
            super().is_sound(described)
            and isinstance(described.get("budget"), dict)
            and isinstance(described.get("domains"), dict)
        )
