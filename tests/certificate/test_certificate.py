"""The certificate says all that was asked for, is a function of folder and declarations, and never guesses."""

from __future__ import annotations

import io
import json
from dataclasses import fields
from datetime import date
from pathlib import Path

import polars as pl
import pytest
from fontTools.ttLib import TTFont
from pypdf import PdfReader

import crypsis
from crypsis.certificate import About, certificate_sections, read_about, write_certificate
from crypsis.errors import BadParameter, OutputExists, VerificationFailed
from crypsis.reports.about import REQUIRED
from crypsis.reports.pdf import FONTS
from crypsis.signatures import make_keys, sign_folder
from crypsis.translation import PSEUDO, reading

ABOUT = About(
    title="Visits in Łódź",
    controller="Szpital Miejski",
    purpose="Research on seasonal illness",
    recipient="Институт эпидемиологии",
    legal_basis="Art. 6 (1) (e) GDPR",
    made_by="Ὑπατία Αλεξάνδρου",
    approved_by="Jürgen Groß",
)
DAY = date(2026, 1, 2)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    frame = pl.DataFrame({"age": [20, 21, 22, 50, 51, 52], "ill": ["flu", "flu", "flu", "cold", "gout", "flu"]})
    table = crypsis.Table.from_frame(frame, {"age": "quasi", "ill": "sensitive"})
    return crypsis.anonymize(table, crypsis.Mondrian(k=3)).write(tmp_path / "release")


def text_of(pdf: Path) -> str:
    """The text of all pages, as somebody else's reader copies it, with lines joined."""
    with PdfReader(pdf) as reader:
        return " ".join(" ".join(page.extract_text() for page in reader.pages).split())


def content_of(folder: Path, **more) -> str:
    sections = certificate_sections(folder, ABOUT, **more)
    listed = [text for section in sections for fact in section.facts for text in fact]
    return "\n".join([*(section.title for section in sections), *listed, *(s for x in sections for s in x.sentences)])


def test_every_item_is_on_it(folder: Path) -> None:
    told = content_of(folder)
    for field in fields(ABOUT):
        assert (getattr(ABOUT, field.name) or "") in told
    release = crypsis.read_release(folder)
    for sentence in (*release.guarantee.assumptions, *release.guarantee.not_covered, release.guarantee.scope):
        assert sentence in told
    assert "Mondrian" in told
    assert "People (or records) that must share each combination of quasi-identifiers (k)" in told
    assert "k-anonymity (k=3)" in told
    assert {"Smallest class", "Width of published cells of age"} <= set(told.split("\n"))
    assert "'ill' is revealed for" in told  # one class has flu alone
    assert "unsigned" in told
    for written in json.loads((folder / "release.json").read_text())["files"].values():
        assert written["sha256"] in told


def test_the_signer_is_named_to_whom_trusts_the_key(folder: Path, tmp_path: Path) -> None:
    private, public = make_keys(tmp_path / "key", "Ann")
    sign_folder(folder, private)
    assert "signed by Ann" in content_of(folder, trusted=[public])
    assert "Ann" not in content_of(folder)


def test_another_language_is_chosen_and_english_is_what_nobody_chose(folder: Path, tmp_path: Path) -> None:
    english = write_certificate(folder, tmp_path / "en.pdf", ABOUT, today=DAY)
    with reading("de"):
        again = write_certificate(folder, tmp_path / "again.pdf", ABOUT, today=DAY)
    german = write_certificate(folder, tmp_path / "de.pdf", ABOUT, today=DAY, language="de")
    assert again.read_bytes() == english.read_bytes()
    told = text_of(german)
    for words in (
        "Zertifikat erstellt am 02.01.2026",
        "Wer dafür einsteht",
        "k-Anonymität (k=3) gilt",
        "nicht signiert",
    ):
        assert words in told
    with reading(PSEUDO):
        sections = certificate_sections(folder, ABOUT)
    for section in sections:
        assert all(words.startswith("⟦") for words in (section.title, *section.sentences))


def test_equal_content_gives_equal_bytes_apart_from_the_date(folder: Path, tmp_path: Path) -> None:
    one, other, later = (tmp_path / f"{name}.pdf" for name in ("one", "other", "later"))
    write_certificate(folder, one, ABOUT, today=DAY)
    write_certificate(folder, other, ABOUT, today=DAY)
    write_certificate(folder, later, ABOUT, today=date(2027, 3, 4))
    assert one.read_bytes() == other.read_bytes() != later.read_bytes()
    assert one.read_bytes().startswith(b"%PDF-")


def test_the_text_of_the_pdf_has_every_item_and_letters_of_other_scripts(folder: Path, tmp_path: Path) -> None:
    pdf = write_certificate(folder, tmp_path / "c.pdf", ABOUT, today=DAY)
    assert b"FontFile2" in pdf.read_bytes()  # the font is embedded
    told = text_of(pdf)
    for section in certificate_sections(folder, ABOUT):
        for text in (section.title, *section.sentences, *(text for fact in section.facts for text in fact)):
            assert " ".join(text.split()) in told, text


def test_a_letter_that_the_font_lacks_is_refused_and_another_font_helps(folder: Path, tmp_path: Path) -> None:
    about = About.of(ABOUT.to_dict() | {"made_by": "東京"})
    with pytest.raises(BadParameter, match="font='FILE"):
        write_certificate(folder, tmp_path / "c.pdf", about)
    assert not (tmp_path / "c.pdf").exists()
    font = TTFont(FONTS / "DejaVuSans.ttf")
    for table in font["cmap"].tables:
        if table.isUnicode():
            table.cmap.update({ord("東"): "A", ord("京"): "B"})
    content = io.BytesIO()
    font.save(content)
    font.close()
    (tmp_path / "other.ttf").write_bytes(content.getvalue())
    assert write_certificate(folder, tmp_path / "c.pdf", about, font=tmp_path / "other.ttf").exists()


def test_a_broken_or_changed_release_gets_no_certificate(folder: Path, tmp_path: Path) -> None:
    (folder / "table.csv").write_text((folder / "table.csv").read_text() + "\n")
    with pytest.raises(VerificationFailed):
        write_certificate(folder, tmp_path / "c.pdf", ABOUT)
    assert not (tmp_path / "c.pdf").exists()


def test_it_never_lies_in_the_folder_and_replaces_nothing_unasked(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(BadParameter, match="outside"):
        write_certificate(folder, folder / "c.pdf", ABOUT)
    write_certificate(folder, tmp_path / "c.pdf", ABOUT)
    with pytest.raises(OutputExists):
        write_certificate(folder, tmp_path / "c.pdf", ABOUT)
    assert crypsis.read_release(folder).verify().holds


def test_what_nobody_said_is_asked_for_by_name(folder: Path) -> None:
    with pytest.raises(BadParameter) as caught:
        About.of({"title": "x"})
    assert caught.value.details["missing"] == [name for name in REQUIRED if name != "title"]
    with pytest.raises(BadParameter, match="purpose"):
        About.of(ABOUT.to_dict() | {"purpose": " "})
    with pytest.raises(BadParameter, match="controller"):
        About.of({"controler": "x"})


@pytest.mark.parametrize(
    ("name", "text"), [("a.json", '{"title": 1, "title": 2}'), ("a.toml", "= x"), ("b.json", "[]")]
)
def test_a_file_that_says_nothing_usable_is_refused(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(BadParameter):
        read_about(tmp_path / name)
