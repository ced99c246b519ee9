"""A report of every kind as a PDF: made without a browser, nothing is loaded, nothing is cut, every item is there."""

from __future__ import annotations

import io
import re
from html import unescape
from pathlib import Path

import polars as pl
import pytest
from PIL import ImageFont
from weasyprint.formatting_structure.boxes import ReplacedBox, TextBox

import crypsis
from crypsis.reports.pdf import FONTS, laid_out, pdf_of
from tests.reports.kinds import ABOUT, KINDS, cells, replaced, sequences, several_promises
from tests.reports.releases import town

pytestmark = pytest.mark.long
FONT = ImageFont.truetype(FONTS / "DejaVuSans.ttf", 100)


def pages(pdf: bytes) -> list[str]:
    from pypdf import PdfReader

    with PdfReader(io.BytesIO(pdf)) as reader:
        return [page.extract_text() for page in reader.pages]


def letters(text: str) -> str:
    """Without spaces, which a line end may put anywhere."""
    return re.sub(r"\s+", "", text)


def sentences(html: str) -> list[str]:
    """Everything that the page says in words, outside pictures."""
    plain = re.sub(r"<(svg|style|script|head)\b.*?</\1>", " ", html, flags=re.DOTALL)
    plain = re.sub(r'<(\w+) class="only-screen">.*?</\1>', " ", plain, flags=re.DOTALL)
    return [unescape(text) for text in re.split(r"<[^>]+>", plain) if text.strip()]


# What a data protection officer looks for; `DONE` is what was done to the data, which depends on the method.
HEADINGS = [
    *("Who answers for it", "Three lights", "Guarantee:", "Disclosure:", "Usefulness:"),
    *("What is guaranteed, and what is not", "Its parameters", "Assumed", "Not covered"),
    *("How to check it again", "crypsis verify FOLDER", "Place, date, signature"),
]
DONE = [
    *("Classes and columns", "What was generalized", "What was merged", "What was hidden", "What was suppressed"),
    *("How people move", "How finely attributes were divided", "What is public, and what was spent"),
]


@pytest.mark.parametrize("made", KINDS, ids=lambda made: made.__name__)
def test_nothing_lies_outside_its_page_or_its_picture(made) -> None:
    release = made()
    release.about = ABOUT
    for report in (release.report(), release.private_report()):
        for number, page in enumerate(laid_out(report.html, private=report.private).pages, 1):
            box = page._page_box
            left, right = box.margin_left - 1, page.width - box.margin_right + 1
            for part in box.descendants():
                if isinstance(part, (TextBox, ReplacedBox)):
                    assert left <= part.position_x, (number, part)
                    assert part.position_x + part.width <= right, (number, part)
        for picture in re.findall(r"<svg\b[^>]*viewBox.*?</svg>", report.html, re.DOTALL):
            assert outside(picture) == []


def outside(picture: str) -> list[str]:
    """Texts of a picture that are cut at its left or right in the letters of the PDF."""
    width = float(re.search(r'viewBox="0 0 (\S+) ', picture)[1])
    size = 11 if "crypsis-plot" in picture else 12
    shown = re.sub(r'<g class="toggle switch".*?</g>|<g[^>]* display="none">.*?</g>|<title>.*?</title>', "", picture)
    cut = []
    for tag, words in re.findall(r"<text\b([^>]+)>([^<]+)</text>", shown):
        x, room = float(re.search(r'\bx="([^"]*)"', tag)[1]), FONT.getlength(unescape(words)) * size / 100
        start = x - (room if 'anchor="end"' in tag else room / 2 if 'anchor="middle"' in tag else 0)
        if start < -1 or start + room > width + 1:
            cut.append(words)
    return cut


@pytest.mark.parametrize("made", KINDS, ids=lambda made: made.__name__)
def test_everything_the_page_says_is_in_the_pdf(made, tmp_path: Path) -> None:
    release = made()
    release.about = ABOUT
    for report in (release.report(), release.private_report()):
        told = pages(report.save(tmp_path / "report.pdf").read_bytes())
        whole = letters(" ".join(told))
        assert [one for one in sentences(report.html) if letters(one) not in whole] == []
        assert all(f"{number}/{len(told)}" in letters(page) for number, page in enumerate(told, 1))
        assert all("Private: not for release" in page for page in told) is report.private
        for value in ABOUT.to_dict().values():
            assert letters(value) in whole
        assert [heading for heading in HEADINGS if letters(heading) not in whole] == []
        assert any(letters(heading) in whole for heading in DONE)
        beside = len(letters(ABOUT.title)) + 50  # title, number and mark of each page
        assert min(len(letters(page)) for page in told) > beside + 40, "a page is empty"
        signed = letters(told[-1])  # whoever signs sees what for
        assert "Signatures" in signed
        assert letters("of memory by then" if report.private else "crypsis verify FOLDER") in signed
        assert "`" not in whole
        assert "^" not in whole
    assert oct((tmp_path / "report.pdf").stat().st_mode)[-3:] == "600"


def test_the_foot_of_a_page_names_the_guarantee_in_letters_of_the_reader(tmp_path: Path) -> None:
    """Without a declared title the guarantee stands there, and no name that is meant for programs."""
    for made, english, german in (
        (sequences, "kᵐ-anonymity", "kᵐ-Anonymität"),
        (several_promises, "k-anonymity and l-diversity", "k-Anonymität und l-Diversität"),
    ):
        release = made()
        for language, name in (("en", english), ("de", german)):
            told = pages(release.report(language).save(tmp_path / f"{language}.pdf").read_bytes())
            assert all(letters(f"· {name}") in letters(page) for page in told), (language, told[0][-200:])


def test_no_page_has_a_heading_alone_before_its_pictures() -> None:
    rows = 200
    columns = {"age": [number % 90 for number in range(rows)], "sex": ["female", "male"] * (rows // 2)}
    columns |= {name: [f"{name}{number * step % 21}" for number in range(rows)] for name, step in (("a", 1), ("b", 2))}
    roles = dict.fromkeys(columns, "quasi")
    release = crypsis.anonymize(crypsis.Table.from_frame(pl.DataFrame(columns), roles), crypsis.Mondrian(k=5))
    for page in laid_out(release.private_report().html, private=True).pages:
        parts = list(page._page_box.descendants())
        words = " ".join(part.text for part in parts if isinstance(part, TextBox))
        if "these pictures show the original" in words:
            assert any(isinstance(part, ReplacedBox) for part in parts)
            break
    else:
        pytest.fail("nothing is shown before and after")


def test_no_page_goes_on_with_a_single_row() -> None:
    for rows in range(70, 90):  # wherever the page ends in it
        cells = "".join(f"<tr><td>row {row}</td></tr>" for row in range(rows))
        table = f"<table><thead><tr><th>Head</th></tr></thead><tbody>{cells}</tbody></table>"
        told = pages(pdf_of(f"<html><head></head><body><main><section>{table}</section></main></body></html>"))
        assert all(page.count("row ") > 2 for page in told), rows


def test_the_private_report_says_what_it_rests_on() -> None:
    for made in (sequences, replaced, cells):
        release = made()
        words = " ".join(sentences(release.private_report().html))
        assert "Everything in this report comes from" not in words
        assert "Everything in this report comes from" in " ".join(sentences(release.report().html))
        assert ("from the published files alone" in words) is (made is sequences)
        assert ("true of its original" in words) is (made is sequences)
        assert ("a true, if coarser, statement" in words) is (made is sequences)


def test_a_report_with_maps_is_drawn() -> None:
    from crypsis.reports.release_report import TRAJECTORY_REPORT

    manifest, published, places = town(30, 200)
    told = pages(pdf_of(TRAJECTORY_REPORT.render(manifest | {"about": ABOUT.to_dict()}, published, places)))
    assert "Where locations were merged" in " ".join(told)
    assert "required: 5" in " ".join(told)  # text inside a picture


def test_nothing_is_loaded_from_anywhere(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("a secret of this machine")
    loaded = f'<img src="file://{secret}" alt=""><object data="{secret}"></object>'
    html = f"<html><head></head><body><p>Page</p>{loaded}</body></html>"
    made = pdf_of(html)
    assert b"secret" not in made
    assert "Page" in pages(made)[0]
