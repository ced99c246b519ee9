"""Every public dataset goes from its raw file to a verified release by a command that `data inspect` printed."""

from __future__ import annotations

import gzip
import lzma
from itertools import islice
from pathlib import Path

import polars as pl
import pytest

from tests.cli.conftest import Run
from tests.cli.suggested_commands import commands
from tests.shared_data import dataset

WHOLE = 10**9
# The rows of each file that are taken, so that one walk costs seconds: every n-th, of at most so many.
FILES: dict[str, tuple[int, int]] = {
    "adult/adult.csv": (10, WHOLE),
    "adult/adult_uci.csv.xz": (20, WHOLE),
    "bms_pos_subset/bms_pos_subset.dat.gz": (1, WHOLE),
    "bms_webview1/bms_webview1.dat.gz": (10, WHOLE),
    "citibike_jc/citibike_jc_202003_202004.parquet": (10, WHOLE),
    "fars/fars_subset.csv": (4, WHOLE),
    "geolife_sample/geolife_11users.csv.xz": (40, WHOLE),
    "german_credit/german_credit.csv": (1, WHOLE),
    "gowalla_nyc/gowalla_nyc_checkins.csv.xz": (40, WHOLE),
    "groceries/groceries.csv.gz": (2, WHOLE),
    "informs2005/conditions05.csv.gz": (1, 8_000),
    "informs2005/demographics05.csv.gz": (1, 4_000),
    "msnbc/msnbc990928.txt.xz": (1, 2_000),
    "mushroom/mushroom.dat.gz": (8, WHOLE),
    "oldenburg/oldenburg_400.dat.xz": (10, WHOLE),
    "spmf_sequences/leviathan.txt.gz": (10, WHOLE),
    "spmf_sequences/sign.txt.gz": (2, WHOLE),
    "t10i4d100k/t10i4d100k.dat.gz": (1, 2_000),
    "youtube_sample/youtube_sample.csv.gz": (1, WHOLE),
}
TWO_PEOPLE = "geolife_sample/geolife_skmob_sample.csv.xz"
_OPENERS = {".xz": lzma.open, ".gz": gzip.open}


def part_of(path: str, folder: Path) -> Path:
    """Some rows of a public file under its name, unpacked."""
    source = dataset(path.partition("/")[0]) / path.partition("/")[2]
    step, most = FILES[path]
    if source.suffix == ".parquet":
        pl.read_parquet(source).gather_every(step).write_parquet(folder / source.name)
        return folder / source.name
    file = folder / source.name.removesuffix(".xz").removesuffix(".gz")
    opened = _OPENERS.get(source.suffix, open)
    with opened(source, "rt", encoding="utf-8") as lines, file.open("w", encoding="utf-8") as kept:
        if ".csv" in file.name:
            kept.write(next(lines))
        kept.writelines(islice(islice(lines, 0, None, step), most))
    return file


def verified(run: Run, command: list[str], file: Path, release: Path) -> bool:
    """Whether a release keeps its promise: from its files alone, or beside its original where it cannot be told so."""
    alone = run("verify", release)
    if "original-required" not in alone.err:
        return alone.code == 0
    reading = command[2 : command.index("--method")]
    report = release.with_name(f"{release.name}.private.json")
    beside = run("verify", release, "--original", file, "--private-report", report, *reading)
    return beside.code == 0


@pytest.mark.long
@pytest.mark.real_data(*sorted({path.partition("/")[0] for path in FILES}))
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.partition("/")[2].partition(".")[0])
def test_a_printed_command_gives_a_verified_release(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    file = part_of(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    printed = commands(run, file)
    assert printed
    command = list(printed.values())[-1]
    made = run(*command, "--quiet")
    assert made.code == 0, made.err
    assert verified(run, command, file, tmp_path / command[command.index("--out") + 1])


@pytest.mark.long
@pytest.mark.real_data("geolife_sample")
def test_tracks_of_two_people_are_said_to_be_too_few(run: Run) -> None:
    file = dataset("geolife_sample") / TWO_PEOPLE.partition("/")[2]
    inspected = run("data", "inspect", file)
    assert "This will be refused (too few tracks: 2" in inspected.out
