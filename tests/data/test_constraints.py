"""Utility constraints: read in every form, refused in words, made from coordinates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data.constraints import AutomaticConstraints, UtilityConstraints
from crypsis.data.spatial_packing import packed
from crypsis.data.trajectory import Trajectories
from crypsis.errors import BadConstraints, BadCoordinate, BadParameter, BadRow, MissingFile, UnknownLocation
from tests.strategies import Dataset, datasets

GROUPS = [["b", "c"], ["a", "d", "e"]]
TEXTS = {
    "semicolons": "b;c\na;d;e\n",
    "commas": "b,c\n\na, d, e",
    "tabs": "b\tc\na\td\te\n",
    "bars": "b|c\na|d|e\n",
    "blanks": "b c\na d e\n",
    "one JSON list": '[["b", "c"],\n ["a", "d", "e"]]\n',
    "JSON lines": '["b", "c"]\n["a", "d", "e"]\n',
}


@pytest.mark.parametrize("form", TEXTS)
def test_every_form_of_file_gives_the_same_constraints(form: str, tmp_path: Path) -> None:
    file = tmp_path / "constraints"
    file.write_text(TEXTS[form], encoding="utf-8")
    assert UtilityConstraints.from_file(file) == UtilityConstraints(GROUPS)
    assert UtilityConstraints.from_text(str(file)).groups == tuple(map(tuple, GROUPS))


def test_a_separator_can_be_chosen(tmp_path: Path) -> None:
    file = tmp_path / "constraints"
    file.write_text("Café, north+Bar\nShop\n", encoding="utf-8")
    assert UtilityConstraints.from_file(file, separator="+").groups == (("Café, north", "Bar"), ("Shop",))


def test_order_does_not_matter_for_equality() -> None:
    other = UtilityConstraints([["e", "d", "a"], ["c", "b"]])
    assert other == UtilityConstraints(GROUPS)
    assert hash(other) == hash(UtilityConstraints(GROUPS))
    assert UtilityConstraints.from_json(other.to_json()) == other


@pytest.mark.parametrize(
    ("text", "words", "line"),
    [
        ("a;b\nb;c\n", "'b' is listed in two constraints, 1 and 2", 2),
        ("a;b\n\nc;c\n", "'c' is listed twice in one constraint", 3),
        ('["a"]\n[]\n', "names no location", 2),
        ('["a"]\n[1]\n', "got 1", 2),
        ('["a"]\n{"b": 1}\n', "must be a list of labels", 2),
    ],
)
def test_what_is_no_partition_is_refused_with_its_line(text: str, words: str, line: int, tmp_path: Path) -> None:
    file = tmp_path / "bad"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadConstraints, match=words) as raised:
        UtilityConstraints.from_file(file)
    assert raised.value.details["line"] == line
    assert raised.value.exit_code == 2


def test_broken_json_and_missing_files_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "bad"
    file.write_text('["a"]\n["b"\n', encoding="utf-8")
    with pytest.raises(BadRow, match="line 2"):
        UtilityConstraints.from_file(file)
    with pytest.raises(MissingFile):
        UtilityConstraints.from_text(str(tmp_path / "nowhere"))


def test_locations_are_found_and_every_visited_one_must_be_covered() -> None:
    points = dict.fromkeys("abcdex", (0.0, 0.0))
    data = Trajectories.from_lists([["a", "b"], ["e"]], locations=points)
    assert UtilityConstraints(GROUPS).groups_of(data).tolist() == [1, 0, 0, 1, 1, -1]
    with pytest.raises(BadConstraints, match="'e' is visited but lies in no constraint"):
        UtilityConstraints([["a", "b"]]).groups_of(data)
    with pytest.raises(UnknownLocation, match="Constraint 2 names 'q'"):
        UtilityConstraints([["a", "b", "e"], ["q"]]).groups_of(data)


@given(datasets(max_locations=20), st.integers(1, 8))
def test_constraints_made_from_coordinates_are_a_partition_into_equal_parts(dataset: Dataset, size: int) -> None:
    data = dataset.trajectories()
    made = AutomaticConstraints(size).make(data)
    assert sorted(label for group in made.groups for label in group) == sorted(dataset.labels)
    sizes = [len(group) for group in made.groups]
    assert max(sizes) <= size
    assert max(sizes) - min(sizes) <= 1
    assert AutomaticConstraints(size).make(data) == made
    assert len(made.groups_of(data)) == len(data.locations)


@given(st.integers(1, 40), st.integers(1, 12), st.randoms(use_true_random=False))
def test_packing_gives_every_point_one_part(n_points: int, n_parts: int, draw: object) -> None:
    n_parts = min(n_parts, n_points)
    x = np.array([draw.randrange(5) for _ in range(n_points)], np.float64)  # type: ignore[attr-defined]
    y = np.array([draw.randrange(5) for _ in range(n_points)], np.float64)  # type: ignore[attr-defined]
    parts = packed(x, y, np.arange(n_points), n_parts)
    assert len(parts) == n_parts
    assert sorted(np.concatenate(parts).tolist()) == list(range(n_points))
    sizes = [len(part) for part in parts]
    assert max(sizes) - min(sizes) <= 1


def test_recipes_are_read_and_refused_in_words() -> None:
    assert UtilityConstraints.from_text("auto:25") == AutomaticConstraints(25)
    assert str(AutomaticConstraints(25)) == "auto:25"
    for text in ("auto", "auto:", "auto:ten", "auto:0"):
        with pytest.raises(BadParameter):
            UtilityConstraints.from_text(text)
    with pytest.raises(BadCoordinate, match="needs coordinates"):
        AutomaticConstraints().make(Trajectories.from_lists([["a"]]))


def test_constraints_show_themselves_and_hide_their_content_from_a_summary() -> None:
    constraints = UtilityConstraints(GROUPS)
    assert constraints.show() == "1  b, c\n2  a, d, e"
    assert str(constraints) == "2 constraints on 5 locations"
