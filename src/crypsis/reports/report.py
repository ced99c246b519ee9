"""Report: one self-contained HTML page that can be saved, or shown in a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from crypsis.atomic import write_file
from crypsis.translation import _


@dataclass(frozen=True)
class Report:
    """The page as text, and its pictures as SVG files by name."""

    html: str
    pictures: Mapping[str, str] = field(default_factory=dict)
    private: bool = False

    def save(self, path: str | Path) -> Path:
        """Write the page, or a PDF where the name ends so, whole or not at all; a private one for its owner alone."""
        content = self.to_pdf() if Path(path).suffix.lower() == ".pdf" else self.html.encode()
        write_file(Path(path), content, mode=0o600 if self.private else None)
        return Path(path)

    def to_pdf(self) -> bytes:
        """The page as a PDF; needs the extra `pdf`."""
        from crypsis.reports.pdf import pdf_of

        return pdf_of(self.html, private=self.private)

    def save_pictures(self, folder: str | Path) -> list[Path]:
        """Write each picture as an SVG file."""
        paths = [Path(folder) / _("{name}.svg", name=name) for name in self.pictures]
        for path, picture in zip(paths, self.pictures.values(), strict=True):
            write_file(path, picture.encode())
        return paths

    def _repr_html_(self) -> str:
        # Inside a frame, so that the page's style does not spill into the notebook.
        return f'<iframe srcdoc="{escape(self.html)}" style="width:100%;height:720px;border:0"></iframe>'

    def __repr__(self) -> str:
        return _("Report({html:,} characters of HTML)", html=len(self.html))
