"""What is kept of a cell comes back as it was, and damage is a cell that waits to be run again."""

from __future__ import annotations

import json
from typing import Any

import pytest

import crypsis
from crypsis.evaluate.cells import Cell
from crypsis.evaluate.stored_cell import FILES, End, Phase, Proof, StoredCell, Times
from tests.evaluate.stores import PEOPLE


def whole_cell() -> StoredCell:
    table = crypsis.Table.from_frame(PEOPLE, dict.fromkeys(PEOPLE.columns, "quasi"))
    release = crypsis.anonymize(table, crypsis.Mondrian(k=2))
    verdict = release.verify()
    return StoredCell(
        "aa",
        End("done", measured="x"),
        Cell("aa", "mondrian", "mondrian", {"k": 2}, 0, 7, ("a",), ("k",)),
        {"ncp_loss": 0.25, "dm": 8},
        {"ul": 1},
        Times(1.5, (Phase("split", 1.0, 0.5),), 0.1, 0.2, 0.3, 1.0, 20.0),
        Proof(str(release.guarantee), verdict.holds, verdict.achieved, verdict.required, verdict.to_dict()),
        release.review(),
    )


def written(stored: StoredCell) -> dict[str, Any]:
    return dict(json.loads(json.dumps(stored.to_files())))


def test_a_cell_comes_back_from_its_files_as_it_was() -> None:
    stored = whole_cell()
    assert set(written(stored)) == set(FILES)
    assert StoredCell.from_files("aa", written(stored)) == stored


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("content", [[], "x", {"unknown": 1}, 5])
def test_a_damaged_part_is_never_taken_for_a_result(name: str, content: object) -> None:
    stored = StoredCell.from_files("aa", {**written(whole_cell()), name: content})
    part = {"metrics": stored.figures, "phases": stored.times, "verify": stored.proof, "review": stored.review}
    assert stored == StoredCell("aa") or not part[name]
