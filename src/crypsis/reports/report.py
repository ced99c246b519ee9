"""Report: one self-contained HTML page that can be saved, or shown in a notebook."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from crypsis.atomic import write_file


@dataclass(frozen=True)
class Report:
    """The page as text."""

    html: str

    def save(self, path: str | Path) -> Path:
        """Write the page; whole or not at all."""
        write_file(Path(path), self.html.encode())
        return Path(path)

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return f"Report({len(self.html):,} characters of HTML)"
