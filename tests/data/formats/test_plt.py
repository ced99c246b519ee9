"""PLT, the format of GeoLife: one track per file."""

from __future__ import annotations

from pathlib import Path

import pytest

from crypsis.data import read_tracks
from crypsis.errors import BadParameter, BadRow, BadTimestamps

HEADER = "Geolife trajectory\nWGS 84\nAltitude is in Feet\nReserved 3\n0,2,255,My Track,0,0,2,8421376\n0\n"
ROW = "39.98{n},116.31{n},0,492,39744.1201851852,2008-10-23,02:53:0{n}\n"


def write(folder: Path, person: str, name: str, rows: str) -> Path:
    file = folder / person / "Trajectory" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(HEADER + rows)
    return file


def test_a_file_is_a_track_and_its_folder_the_owner(tmp_path: Path) -> None:
    rows = ROW.format(n=1) + ROW.format(n=2)
    files = [
        write(tmp_path, "000", "20081023025304.plt", rows),
        write(tmp_path, "000", "20081024020959.plt", rows),
        write(tmp_path, "001", "20081023025304.plt", rows),
    ]
    one = read_tracks(files[0])
    assert (len(one), one.points, one.crs) == (1, 2, "EPSG:32650")
    every = read_tracks(files)
    assert every.owners is not None
    assert (len(every), every.owners.tolist(), every.owner_repeats) == (3, [0, 0, 1], True)
    with pytest.raises(BadParameter, match="at least one file"):
        read_tracks([])


def test_a_bad_row_is_named_with_file_and_line_even_among_many_files(tmp_path: Path) -> None:
    good = write(tmp_path, "000", "1.plt", ROW.format(n=1))
    short = write(tmp_path, "000", "2.plt", ROW.format(n=1) + "39.9,116.3\n")
    with pytest.raises(BadRow, match="7 fields") as caught:
        read_tracks([good, short])
    assert caught.value.where == f"{short}, line 8"
    twice = write(tmp_path, "000", "3.plt", ROW.format(n=1) * 2)
    with pytest.raises(BadTimestamps) as repeated:
        read_tracks([good, twice])
    assert repeated.value.where == f"{twice}, line 8, column 'datetime'"
    text = write(tmp_path, "000", "4.plt", ROW.format(n=1).replace("39.981", "north"))
    with pytest.raises(BadRow, match="got 'north'") as wrong:
        read_tracks([good, text])
    assert wrong.value.where == f"{text}, line 7, column 'lat'"
