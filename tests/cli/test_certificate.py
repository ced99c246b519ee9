"""`crypsis certificate`: from a release and a file of declarations to a PDF."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
from pypdf import PdfReader

import crypsis
from tests.cli.conftest import Run

SAID = ("title", "controller", "purpose", "recipient", "legal_basis", "made_by", "approved_by")


def test_what_is_missing_is_asked_for_and_then_the_pdf_is_written(run: Run, tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": [20, 21, 50, 51], "ill": ["flu", "cold"] * 2})
    table = crypsis.Table.from_frame(frame, {"age": "quasi", "ill": "sensitive"})
    folder = crypsis.anonymize(table, crypsis.Mondrian(k=2)).write(tmp_path / "release")
    out = tmp_path / "c.pdf"
    refused = run("certificate", folder, "--out", out)
    assert refused.code == 2
    assert "--legal-basis" in refused.err
    assert not out.exists()
    (tmp_path / "about.json").write_text(json.dumps(dict.fromkeys(SAID, "said")))
    done = run("certificate", folder, "--about", tmp_path / "about.json", "--out", out, "--title", "Other")
    assert done.code == 0, done.err
    assert out.read_bytes().startswith(b"%PDF-")
    told = ("certificate", folder, "--about", tmp_path / "about.json", "--out", tmp_path / "de.pdf")
    assert run(*told, "--language", "dee").code == 2
    assert not (tmp_path / "de.pdf").exists()
    assert run(*told, "--language", "de").code == 0
    with PdfReader(tmp_path / "de.pdf") as reader:
        assert "Zertifikat einer Veröffentlichung" in reader.pages[0].extract_text()


def test_a_declared_release_asks_no_second_time(run: Run, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age,ill\n20,flu\n21,cold\n50,flu\n51,cold\n")
    about = tmp_path / "about.toml"
    about.write_text('[about]\ntitle = "x"\n')
    settings = ("--method", "mondrian", "-k", "2", "--quasi", "age", "--sensitive", "ill", "--about", about)
    refused = run("anonymize", tmp_path / "people.csv", *settings, "--out", tmp_path / "release")
    assert refused.code == 2
    assert "legal_basis" in refused.err or "--legal-basis" in refused.err
    assert not (tmp_path / "release").exists()
    about.write_text("[about]\n" + "".join(f'{name} = "said of {name}"\n' for name in SAID))
    assert run("anonymize", tmp_path / "people.csv", *settings, "--out", tmp_path / "release").code == 0
    assert crypsis.read_release(tmp_path / "release").about.purpose == "said of purpose"
    done = run("certificate", tmp_path / "release", "--out", tmp_path / "c.pdf")
    assert done.code == 0, done.err


def test_a_pdf_lies_outside_the_folder_and_ends_in_pdf(run: Run, tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": [20, 21, 50, 51], "ill": ["flu", "cold"] * 2})
    table = crypsis.Table.from_frame(frame, {"age": "quasi", "ill": "sensitive"})
    folder = crypsis.anonymize(table, crypsis.Mondrian(k=2)).write(tmp_path / "release")
    for name in (folder / "report.pdf", tmp_path / "report.txt"):
        refused = run("report", folder, "--pdf", name)
        assert refused.code == 2, refused.err
        assert not name.exists()


def test_a_release_that_only_its_publisher_can_count_is_printed_as_it_stands(run: Run, tmp_path: Path) -> None:
    trips = [f"u{owner},t{owner}-{trip}" for owner in range(6) for trip in (0, 1)]
    rows = "".join(f"{trip},{position},{place}\n" for trip in trips for position, place in enumerate("ab"))
    (tmp_path / "trips.csv").write_text("user,trip,position,place\n" + rows)
    options = ("--person", "user", "--id", "trip", "--location", "place", "--unit", "owner")
    done = run("anonymize", tmp_path / "trips.csv", "--method", "kam-cut", "-k", "2", *options, "--out", tmp_path / "r")
    assert done.code == 0, done
    printed = run("report", tmp_path / "r", "--pdf", tmp_path / "report.pdf")
    assert printed.code == 0, printed
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF-")
    with (tmp_path / "r" / "report.html").open("a") as page:
        page.write("changed")
    assert run("report", tmp_path / "r", "--pdf", tmp_path / "report.pdf").code != 0
