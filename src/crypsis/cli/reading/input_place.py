"""The input of a command that works on parts: a path on disk, or the address of files in a store."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crypsis.data.address import Address


@dataclass(frozen=True)
class Place:
    """Where the input lies."""

    files: Path | Address

    @classmethod
    def named(cls, text: str) -> Place:
        """The place that a text names."""
        if "://" in text:
            from crypsis.data.address import Address

            if (address := Address.of(text)) is not None:
                return cls(address)
        return cls(Path(text))

    @property
    def on_disk(self) -> Path:
        """The path, for what is read into memory."""
        if isinstance(self.files, Path):
            return self.files
        from crypsis.data.formats.tabular import only_in_parts

        raise only_in_parts(str(self.files))
