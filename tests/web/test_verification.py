"""Checking uploads: the original of a table is read with the roles that the release tells."""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl
import pytest

import crypsis
from crypsis.errors import BadRelease, NotApplicable
from crypsis.web.verification import Verification


class Uploads:
    """A workspace that knows files by their numbers, and nothing else."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def upload(self, number: str) -> Path:
        return self.folder / number

    def unfinished(self) -> Path:
        return self.folder / "unpacked"


@pytest.fixture
def uploads(tmp_path: Path) -> Path:
    frame = pl.DataFrame({"name": list("pqrstu"), "age": [20, 21, 22, 50, 51, 52], "ill": ["flu", "cold", "gout"] * 2})
    frame.write_csv(tmp_path / "original.csv")
    frame.with_columns(pl.col("age") * 2).write_csv(tmp_path / "other.csv")
    roles = {"name": "identifier", "age": "quasi", "ill": "sensitive"}
    release = crypsis.anonymize(crypsis.Table.from_frame(frame, roles), crypsis.Mondrian(k=3))
    folder = release.write(tmp_path / "release")
    shutil.move(shutil.make_archive(str(tmp_path / "packed"), "zip", folder), tmp_path / "archive")
    return tmp_path


def test_an_uploaded_original_needs_no_roles(uploads: Path) -> None:
    verification = Verification(Uploads(uploads))  # type: ignore[arg-type]
    assert verification.of_upload("archive").verdict.holds
    assert verification.of_upload("archive", original_upload="original.csv").verdict.holds
    broken = verification.of_upload("archive", original_upload="other.csv")
    assert not broken.verdict.holds
    assert "untruthful" in str(broken.verdict)
    assert not (uploads / "unpacked").exists()


def test_an_original_goes_with_the_archive_of_a_release_only(uploads: Path) -> None:
    with pytest.raises((NotApplicable, BadRelease)):
        Verification(Uploads(uploads)).of_upload("other.csv", original_upload="original.csv")  # type: ignore[arg-type]
