"""A report of every kind as a PDF: made without a browser, nothing is loaded, nothing is cut, every item is there."""

from __future__ import annotations

import io
import re
from html import unescape
from pathlib import Path

import polars as pl
import pytest

import crypsis
from crypsis.reports.about import About
from crypsis.reports.pdf import pdf_of
from tests.reports.releases import town

pytestmark = pytest.mark.long

ABOUT = About(
    title="Łódź & Zürich <2026>",
    controller="Town hospital",
    purpose="Research",
    recipient="Institute",
    legal_basis="Art. 6 (1) (e) GDPR",
    made_by="A. Registrar",
    approved_by="B. Officer",
)


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
    return [unescape(text) for text in re.split(r"<[^>]+>", plain) if text.strip()]


def a_table() -> crypsis.Release:
    frame = pl.DataFrame({"age": [20, 21, 22, 50, 51, 52] * 4, "ill": ["flu", "cold", "gout"] * 8})
    table = crypsis.Table.from_frame(frame, {"age": "quasi", "ill": "sensitive"})
    return crypsis.anonymize(table, crypsis.Mondrian(k=3))


def sets() -> crypsis.Release:
    records = [["milk", "bread"], ["milk", "beer"], ["bread", "beer"], ["milk", "bread", "wine"]] * 6
    return crypsis.anonymize(crypsis.Transactions.from_lists(records), crypsis.Apriori(k=3, m=2))


def chunks() -> crypsis.Release:
    records = [["milk", "bread"], ["milk", "beer"], ["bread", "beer"], ["milk", "bread", "wine"]] * 6
    return crypsis.anonymize(crypsis.Transactions.from_lists(records), crypsis.Disassociation(k=3, m=2))


def sequences() -> crypsis.Release:
    rows = [["home", "shop", "work"], ["home", "work"], ["shop", "work"], ["home", "shop"]] * 6
    return crypsis.anonymize(crypsis.Trajectories.from_lists(rows), crypsis.SeqAnon(k=3, m=2, seed=1))


@pytest.mark.parametrize("made", [a_table, sets, chunks], ids=lambda made: made.__name__)
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
    assert oct((tmp_path / "report.pdf").stat().st_mode)[-3:] == "600"


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
