"""The certificate as a PDF, without a browser: fonts are embedded, and equal content gives equal bytes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from crypsis.atomic import check_place, write_file
from crypsis.certificate.content import Section, certificate_sections
from crypsis.errors import BadParameter, MissingExtra, OutputExists
from crypsis.reports.about import About, report_language
from crypsis.reports.pdf import FONTS
from crypsis.signatures import PublicKey
from crypsis.translation import _, reading
from crypsis.translation.wording import date_text

REGULAR, BOLD = FONTS / "DejaVuSans.ttf", FONTS / "DejaVuSans-Bold.ttf"
_MARGIN, _NAMES, _LINE = 20.0, 52.0, 5.2


def write_certificate(
    folder: str | Path,
    out: str | Path,
    about: About,
    *,
    trusted: Iterable[str | Path | PublicKey] = (),
    font: str | Path | None = None,
    today: date | None = None,
    overwrite: bool = False,
    language: str | None = None,
) -> Path:
    """Write the certificate of a release folder, in the declared language or another.

    `font` is a TrueType file for letters that DejaVu Sans lacks.
    """
    target = Path(out)
    check_place(target)
    if Path(os.path.realpath(target)).is_relative_to(os.path.realpath(folder)):
        raise BadParameter("The certificate must lie outside the release folder, which holds its own files only.")
    if target.exists() and not overwrite:
        raise OutputExists(f"{target} exists already; choose another name or allow overwriting (overwrite=True).")
    with reading(language or report_language(about)):
        sections = certificate_sections(folder, about, trusted=trusted)
        content = render_certificate(sections, about.title, today or datetime.now(UTC).date(), font)
    write_file(target, content)
    return target


def render_certificate(sections: Sequence[Section], title: str, made: date, font: str | Path | None = None) -> bytes:
    """The bytes of the PDF."""
    fpdf = _fpdf()
    regular, bold = (REGULAR, BOLD) if font is None else (Path(font), Path(font))
    page = fpdf.FPDF(format="A4")
    page.set_creation_date(datetime(made.year, made.month, made.day, tzinfo=UTC))
    page.set_title(_("Certificate of a release: {title}", title=title))
    page.set_margin(_MARGIN)
    page.set_auto_page_break(auto=True, margin=_MARGIN)
    try:
        _add_fonts(page, regular, bold)
        _refuse_missing_letters(page, [title, *_texts(sections)])
        page.add_page()
        page.set_font("text", "B", 17)
        page.multi_cell(0, 9, _("Certificate of a release"), new_x="LMARGIN", new_y="NEXT")
        page.set_font("text", "", 9)
        day = _("Certificate made on {day}", day=date_text(made))
        page.multi_cell(0, _LINE, day, new_x="LMARGIN", new_y="NEXT")
        for section in sections:
            _write_section(page, section)
        return bytes(page.output())
    finally:
        for opened in page.fonts.values():
            opened.ttfont.close()


def _add_fonts(page: Any, regular: Path, bold: Path) -> None:
    try:
        page.add_font("text", "", str(regular))
        page.add_font("text", "B", str(bold))
    except Exception as error:  # the packages below raise errors of their own on what is no font
        raise BadParameter(f"{regular.name} is not a TrueType font.", parameter="font") from error


def _write_section(page: Any, section: Section) -> None:
    if page.will_page_break(28):
        page.add_page()
    page.ln(4)
    page.set_font("text", "B", 11)
    page.multi_cell(0, 7, section.title, new_x="LMARGIN", new_y="NEXT")
    page.set_draw_color(150)
    page.line(_MARGIN, page.get_y(), page.w - _MARGIN, page.get_y())
    page.ln(1.5)
    for name, value in section.facts:
        _write_fact(page, name, value)
    page.set_font("text", "", 9)
    for sentence in section.sentences:
        page.multi_cell(0, _LINE, sentence, new_x="LMARGIN", new_y="NEXT", align="L")
        page.ln(0.8)


def _write_fact(page: Any, name: str, value: str) -> None:
    """Two columns; the lower end of the longer one is where the next fact begins."""
    width = page.w - 2 * _MARGIN - _NAMES
    page.set_font("text", "B", 9)
    high = len(page.multi_cell(_NAMES - 2, _LINE, name, align="L", dry_run=True, output="LINES"))
    page.set_font("text", "", _size_of(value))
    high = max(high, len(page.multi_cell(width, _LINE, value, align="L", dry_run=True, output="LINES")))
    if page.will_page_break(min(high, 40) * _LINE):
        page.add_page()
    top = page.get_y()
    page.set_font("text", "B", 9)
    page.multi_cell(_NAMES - 2, _LINE, name, align="L", new_x="LMARGIN", new_y="NEXT")
    first = (page.page, page.get_y())
    page.set_xy(_MARGIN + _NAMES, top)
    page.set_font("text", "", _size_of(value))
    page.multi_cell(width, _LINE, value, align="L", new_x="LMARGIN", new_y="NEXT")
    if (page.page, page.get_y()) < first:
        page.set_y(first[1])


def _size_of(value: str) -> float:
    """A checksum stands on one line."""
    return 7.5 if len(value) == 64 and " " not in value else 9


def _texts(sections: Sequence[Section]) -> list[str]:
    texts = [section.title for section in sections]
    texts += [text for section in sections for fact in section.facts for text in fact]
    return texts + [sentence for section in sections for sentence in section.sentences]


def _refuse_missing_letters(page: Any, texts: Sequence[str]) -> None:
    """A box in place of a letter could hide a name."""
    known = page.fonts["text"].cmap
    lacking = sorted({sign for text in texts for sign in text if sign not in "\n\t" and ord(sign) not in known})
    if lacking:
        raise BadParameter(
            f"The font has no sign for {''.join(lacking[:20])!r}; name a TrueType font that has it (font='FILE.ttf').",
            parameter="font",
        )


def _fpdf() -> Any:
    try:
        import fpdf
    except ImportError as error:
        raise MissingExtra(
            "A certificate needs the package fpdf2: pip install 'crypsis[certificate]'.", extra="certificate"
        ) from error
    return fpdf
