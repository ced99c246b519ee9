"""Archives of folders: what is downloaded, and what is uploaded to be verified."""

from __future__ import annotations

import io
import os
import time
import zipfile
from pathlib import Path

import httpx
import polars as pl
import pytest

import crypsis
from crypsis.errors import BadRelease, UnlistedFile
from crypsis.web.packing import pack_folder
from crypsis.web.verification import Verification
from tests.web.conftest import Server


def test_equal_folders_become_equal_archives(tmp_path: Path) -> None:
    names = ["release.json", "table/part-00001.parquet", "table/part-00000.parquet", "a.csv"]
    archives = []
    for place, order, mode in (("one", names, 0o600), ("other", names[::-1], 0o644)):
        folder = tmp_path / place / "release"
        (folder / "table").mkdir(parents=True)
        for index, name in enumerate(order):
            (folder / name).write_text(name)
            (folder / name).chmod(mode)
            os.utime(folder / name, (10**9 + index * 1000, 10**9 + index * 1000))
        archives.append(pack_folder(folder, tmp_path / f"{place}.zip").read_bytes())
    assert archives[0] == archives[1]
    with zipfile.ZipFile(io.BytesIO(archives[0])) as packed:
        assert packed.namelist() == sorted(f"release/{name}" for name in names)
        assert packed.read("release/a.csv") == b"a.csv"


@pytest.fixture
def release(tmp_path: Path) -> Path:
    frame = pl.DataFrame({"age": [20 + row % 4 for row in range(40)], "ill": ["flu", "cold"] * 20})
    made = crypsis.anonymize(crypsis.Table(frame, quasi=["age"], sensitive=["ill"]), crypsis.Mondrian(k=4))
    folder: Path = made.write(tmp_path / "release", format="parts")
    return folder


class Uploads:
    """A workspace that knows files by their names, and nothing else."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def upload(self, number: str) -> Path:
        return self.folder / number

    def unfinished(self) -> Path:
        return self.folder / "unpacked"


def test_the_archive_of_a_release_in_parts_is_verified(release: Path, tmp_path: Path) -> None:
    pack_folder(release, tmp_path / "archive")
    assert Verification(Uploads(tmp_path)).of_upload("archive").verdict.holds  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["release/raw/names.csv", "names.csv", "release/table/names.csv", "__MACOSX/._names"])
def test_what_lies_beside_a_release_in_an_archive_is_not_passed_over(name: str, release: Path, tmp_path: Path) -> None:
    packed = pack_folder(release, tmp_path / "archive")
    with zipfile.ZipFile(packed, "a") as archive:
        archive.writestr(name, "row,name\n0,Ann\n")
    with pytest.raises(UnlistedFile, match="not of the release"):
        Verification(Uploads(tmp_path)).of_upload("archive")  # type: ignore[arg-type]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_files_of_one_name_are_refused(release: Path, tmp_path: Path) -> None:
    packed = pack_folder(release, tmp_path / "archive")
    with zipfile.ZipFile(packed, "a") as archive:
        archive.writestr("release/report.html", "another")
    with pytest.raises(BadRelease, match="twice"):
        Verification(Uploads(tmp_path)).of_upload("archive")  # type: ignore[arg-type]


def test_only_a_release_that_holds_and_is_of_now_is_downloaded(
    api: httpx.Client, server: Server, tmp_path: Path
) -> None:
    (tmp_path / "visits").mkdir()
    for part in range(2):
        frame = pl.DataFrame({"age": [20 + row % 5 for row in range(60)], "ill": ["flu", "cold", "none"] * 20})
        frame.write_parquet(tmp_path / "visits" / f"{part}.parquet")
    at = f"/api/parts/{api.post('/api/parts', json={'path': str(tmp_path / 'visits')}).json()['id']}"
    ended(api, at)
    roles = {"age": {"role": "quasi"}, "ill": {"role": "sensitive"}}
    section = {"kind": "table", "columns": roles, "each_row_is_a_person": True}
    api.put(f"{at}/section", json={"section": section})
    asked = {"method": "mondrian", "params": {"k": 3}, "where": {"executor": "serial"}}
    assert api.post(f"{at}/run", json=asked).status_code == 202
    assert ended(api, at)["error"] is None
    first, again = (api.get(f"{at}/release.zip") for _ in range(2))
    assert first.status_code == 200
    assert first.content == again.content
    frame.write_parquet(tmp_path / "visits" / "2.parquet")  # other data
    assert api.get(at).json()["outdated"]
    refused = api.get(f"{at}/release.zip")
    assert refused.status_code == 400
    assert refused.json()["error"]["code"] == "stale-result"
    assert api.get(f"{at}/release.zip", params={"stale": "true"}).content == first.content
    (tmp_path / "visits" / "2.parquet").unlink()
    assert not api.get(at).json()["outdated"]
    (release,) = server.workspace.glob(f"**/{at.rsplit('/', 1)[1]}/release")
    (release / "report.html").write_text("another")
    refused = api.get(f"{at}/release.zip")
    assert refused.json()["error"]["code"] == "verification-failed"


def ended(api: httpx.Client, at: str) -> dict[str, object]:
    """How the task ended."""
    until = time.monotonic() + 240
    while time.monotonic() < until:
        seen: dict[str, object] = api.get(f"{at}/run").json()
        if not seen["running"]:
            return seen
        time.sleep(0.1)
    raise AssertionError("The task does not end.")
