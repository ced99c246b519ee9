"""What private releases of every kind have in common: rows that noise covers, the declared domains, what was spent.

Nothing that was counted in the original stands in the manifest: not its size, not the utility that the publisher
measured. Such figures would be a release without noise. They go to the private report.

Rows are JSON Lines or Parquet; the declared domains stand beside them.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from crypsis.arrays import Int64s
from crypsis.data.formats import parquet
from crypsis.data.formats.columns import refuse_other_columns
from crypsis.data.formats.compression import readable_file
from crypsis.data.formats.failures import writing
from crypsis.errors import BadRelease, InputError, MissingFile, UnreadableFile
from crypsis.publication.kind import PublishedKind
from crypsis.strict_json import parse_json, read_json

DOMAINS = "domains.json"
_DAMAGE = (
    ValueError, KeyError, TypeError, AttributeError, OverflowError, OSError, pl.exceptions.PolarsError,
)  # fmt: skip


class PrivateKind(PublishedKind):
    """A kind that a differentially private method publishes. The domains belong to the rows; nothing is beside them."""

    private = True
    files_beside = frozenset([DOMAINS])
    aligned = False
    row_name: ClassVar[str]  # of the resource with the rows, and of its file
    row_meaning: ClassVar[str]
    domain_meaning: ClassVar[str]
    empty_note: ClassVar[str | None] = None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.files = {format: f"{cls.row_name}.{format}" for format in ("jsonl", "parquet")}

    @property
    def in_words(self) -> str:
        """What its rows are."""
        return self.name.replace("-", " ")

    def side_file(self, original: Any, published: Any) -> None:
        return None

    def write(self, folder: Path, published: Any, side_file: None, rows: Int64s, format: str) -> None:
        """Write the rows and the domains."""
        chosen, file = published.take(rows), folder / self.files[format]
        with writing(file):
            if format == "parquet":
                chosen.to_frame().write_parquet(file, compression="zstd", statistics=False)
            else:
                lines = (json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in self.lines(chosen))
                with file.open("w", encoding="utf-8") as stream:
                    stream.writelines(f"{line}\n" for line in lines)
            content = json.dumps(self.domains(chosen), ensure_ascii=False, indent=1)
            file.with_name(DOMAINS).write_text(content + "\n", encoding="utf-8")

    def read(self, folder: Path, manifest: Mapping[str, Any]) -> tuple[Any, None]:
        described = manifest["data"]
        file = readable_file(folder / described["file"])
        try:
            domains = read_json(folder / DOMAINS)
            published = self.assemble(file, domains, described)
            self._refuse_more(published, file, domains, described["format"])
        except (BadRelease, MissingFile, UnreadableFile):
            raise
        except (InputError, *_DAMAGE) as error:
            raise BadRelease(f"{file.name} does not hold {self.in_words}: {error}.", where=str(file)) from error
        for name, told in self.digests(published, described["domains"]).items():
            if told[0] != told[1]:
                raise BadRelease(f"{DOMAINS} does not hold the {name} that the manifest names.", where=str(folder))
        return published, None

    def _refuse_more(self, published: Any, file: Path, domains: Any, format: str) -> None:
        """Rows and domains hold what was understood, and nothing that stands beside it."""
        if _as_read(self.domains(published)) != domains:
            raise BadRelease(f"{DOMAINS} holds something else than domains.", where=str(file.parent))
        if format == "parquet":
            refuse_other_columns(parquet.column_names(file), published.take([]).to_frame().columns, str(file))
        elif [_as_read(row) for row in self.lines(published)] != read_json_rows(file):
            raise BadRelease(f"{file.name} holds something else than {self.in_words}.", where=str(file))

    @abstractmethod
    def lines(self, published: Any) -> Iterable[Mapping[str, Any]]:
        """The rows as objects of JSON."""

    @abstractmethod
    def domains(self, published: Any) -> dict[str, Any]:
        """What the publisher declared."""

    @abstractmethod
    def assemble(self, file: Path, domains: Mapping[str, Any], described: Mapping[str, Any]) -> Any:
        """The data of a file with rows, as the manifest describes them; any error says that it does not hold them."""

    @abstractmethod
    def digests(self, published: Any, told: Mapping[str, Any]) -> dict[str, tuple[Any, str]]:
        """The digest that the manifest tells of each domain, and the one that it has."""

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


def _as_read(content: Any) -> Any:
    """The same as it comes back from a file."""
    return parse_json(json.dumps(content))


def read_json_rows(file: Path) -> list[Any]:
    """The rows of JSON Lines; blank lines are skipped."""
    return [parse_json(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]


def read_typed_rows(file: Path, columns: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """The rows of Parquet, which has these columns of these types."""
    frame, _ = parquet.read_frame(file, columns=list(columns))
    if dict(frame.schema) != columns:
        raise ValueError(f"its columns are {dict(frame.schema)}")
    return frame
