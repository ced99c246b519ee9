"""Moving objects of Brinkhoff's generator, in both layouts."""

from __future__ import annotations

from pathlib import Path

import pytest

from crypsis.data.reading import read_tracks
from crypsis.errors import BadRow

NINE = "0\t7\t1\t0.0\t10\t20\t5.0\t11\t21\n0\t8\t1\t0.0\t1\t2\t5\t1\t2\n1\t7\t1\t2.5\t12\t22\t5.0\t13\t23\n"
TEN = "newpoint\t7\t1\t0\t0\t10\t20\t5\t11\t21\npoint\t7\t2\t0\t3\t12\t22\t5\t13\t23\n"


def test_the_reports_of_an_object_are_its_track(tmp_path: Path) -> None:
    file = tmp_path / "400.dat"
    file.write_text(NINE)
    tracks = read_tracks(file, format="brinkhoff")
    assert tracks.to_lists() == [[(10, 20, 0), (12, 22, 2.5)], [(1, 2, 0)]]
    assert tracks.ids.to_list() == ["7", "8"]


def test_files_with_sequence_numbers_are_read_too(tmp_path: Path) -> None:
    file = tmp_path / "town.brinkhoff"
    file.write_text(TEN)
    assert read_tracks(file).to_lists() == [[(10, 20, 0), (12, 22, 3)]]


def test_a_row_with_another_number_of_fields_is_named_by_its_line(tmp_path: Path) -> None:
    file = tmp_path / "bad.brinkhoff"
    file.write_text(NINE + "1\t7\t1\n")
    with pytest.raises(BadRow, match="line 4") as raised:
        read_tracks(file)
    assert "found 3" in str(raised.value)


@pytest.mark.real_data("oldenburg")
def test_oldenburg_has_as_many_objects_as_its_notes_say() -> None:
    from tests import shared_data

    tracks = read_tracks(
        shared_data.dataset("oldenburg") / "oldenburg_400.dat.xz", format="brinkhoff", repeated="first"
    )
    assert len(tracks) == 1400
    assert tracks.points + tracks.repeated == 52102
