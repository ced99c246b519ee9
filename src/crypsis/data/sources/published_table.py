"""A table that somebody else published, read to be checked: what is written counts, not what it means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from crypsis.data.declarations import Declarations
from crypsis.data.foreign_table import read_foreign_table
from crypsis.data.sources.data_source import DataFile, DataSource
from crypsis.data.sources.shared_options import Columns, MissingTexts, Person
from crypsis.data.sources.table import item_separators, sensitive_items
from crypsis.data.ways_of_reading import Way
from crypsis.errors import OptionWithoutEffect

PUBLISHED = Way("a table that somebody published")


@dataclass(frozen=True, kw_only=True)
class PublishedTableSource(DataSource):
    """The quasi-identifiers and sensitive columns, and a set-valued column where one is named."""

    kind, label, plural = "published", "Published table", "tables"
    column_options = ("quasi", "sensitive", "items", "sensitive_items")

    columns: Columns = None
    person: Person = None
    missing: MissingTexts = ("?",)

    def way(self, file: DataFile) -> Way:
        return PUBLISHED

    def load(self, file: DataFile, declared: Declarations) -> Any:
        if file.change is not None:
            raise OptionWithoutEffect("`step` has no effect here: what is published is read as it is.", option="step")
        named = {
            role: [name for name, one in (self.columns or {}).items() if one.get("role") == role] for role in _ROLES
        }
        return read_foreign_table(
            file.path,  # type: ignore[arg-type]
            **named,
            items=item_separators(self.columns) or None,
            sensitive_items=[item for items in sensitive_items(self.columns).values() for item in items],
            person=self.person,
            missing_tokens=self.missing,
            format=file.format,
            **file.options,
        )

    @classmethod
    def describe(cls, data: Any) -> str:
        return f"{len(data):,} published records"

    def understood(self, data: Any) -> dict[str, str]:
        roles: dict[str, list[str]] = {}
        for column in data.columns:
            roles.setdefault(column.role, []).append(column.name)
        return {role: ", ".join(names) for role, names in roles.items()}


_ROLES = ("quasi", "sensitive")
