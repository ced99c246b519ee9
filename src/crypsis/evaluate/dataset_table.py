"""DatasetTable: the table `[dataset]` in a file, an entry of the workspace, a request or a form, and its parts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from crypsis.data.formats import format_options
from crypsis.data.relational import PERSON, ROLES
from crypsis.data.sources import every_option
from crypsis.data.sources.table import ITEMS_TYPE
from crypsis.data.steps import STEP
from crypsis.data.values import COLUMN_TYPES
from crypsis.parameters import Checked, OneOf, SideInput


class DatasetTable(Mapping[str, Any]):
    """Which file is read and how, key by key. It does not change: `changed` gives another one."""

    def __init__(self, keys: Mapping[str, Any] | None = None) -> None:
        self._keys = dict(keys or {})

    def __getitem__(self, key: str) -> Any:
        return self._keys[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def changed(self, keys: Mapping[str, Any]) -> DatasetTable:
        """With these keys in place of its own."""
        return DatasetTable({**self._keys, **keys})

    def of_file(self, path: str) -> DatasetTable:
        """For the file at this path, which comes first."""
        return DatasetTable({"path": path}).changed(self.without(("path",)))

    def only(self, keys: Collection[str]) -> DatasetTable:
        """Those of these keys that say something."""
        return DatasetTable({key: self[key] for key in keys if self.get(key) not in (None, "")})

    def without(self, keys: Collection[str]) -> DatasetTable:
        return DatasetTable({key: value for key, value in self.items() if key not in keys})

    @property
    def sets(self) -> Mapping[str, Mapping[str, Any]]:
        """The files of sets beside the records."""
        return self.get("sets") or {}

    def located(self, locate: Callable[[str], str]) -> DatasetTable:
        """With the path of each file that it names, of the data and beside them, as `locate` has it."""
        named = [key for key in ("path", *side_input_files()) if self.get(key) is not None]
        return self.changed({key: locate(str(self[key])) for key in named}).with_sets_at(locate)

    def with_sets_at(self, locate: Callable[[str], str]) -> DatasetTable:
        """With the paths of the files of sets as `locate` has them."""
        sets = {name: {**section, "path": locate(str(section["path"]))} for name, section in self.sets.items()}
        return self.changed({"sets": sets}) if sets else self


@dataclass(frozen=True)
class NotEmpty:
    """A text with something in it."""

    def admits(self, value: str) -> bool:
        return bool(value)

    def __str__(self) -> str:
        return "that is not empty"


@dataclass(frozen=True, kw_only=True)
class ColumnSection(Checked):
    """What is declared about a column: `[dataset.columns]`."""

    type: Annotated[str | None, OneOf(*COLUMN_TYPES, ITEMS_TYPE), "How its values are read."] = None
    role: Annotated[str | None, OneOf(*ROLES, PERSON), "What it is in the hands of an attacker."] = None
    item_separator: Annotated[str | None, NotEmpty(), "What separates the items of a set."] = None
    sensitive: Annotated[tuple[str, ...] | None, "Items that must not be learnt."] = None


@dataclass(frozen=True, kw_only=True)
class SetSection(Checked):
    """A file of sets beside the records: `[dataset.sets]`."""

    path: Annotated[str, "The file."]
    id: Annotated[str, "The column that names the record."]
    item: Annotated[str, "The column with one item in each row."]
    missing: Annotated[tuple[str, ...] | None, "Codes that stand for no item."] = None
    separator: Annotated[str | None, NotEmpty(), "What separates the fields of the file."] = None
    sensitive: Annotated[tuple[str, ...] | None, "Items that must not be learnt."] = None


def keys_of_every_kind() -> tuple[str, ...]:
    """The keys of every kind: which file, how it is written, and what is done with its rows."""
    return ("path", "kind", *keys_of_the_file(), "edits", "rows", STEP)


def keys_of_the_file() -> tuple[str, ...]:
    """The keys that say how a file is written: its format, and the options of formats."""
    return ("format", *format_options())


def side_input_files() -> tuple[str, ...]:
    """The keys that name a file beside the data."""
    return tuple(name for name, option in every_option().items() if issubclass(option.type, SideInput))
