"""No golden vector is overlooked: each is run or listed as pending, and the copies are those of the specification."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from tests import shared_data
from tests.conformance import summary, vectors
from tests.conformance.pending import PENDING, PENDING_PARTS

MODULES = [
    import_module(f"tests.conformance.{path.stem}")
    for path in sorted(Path(__file__).parent.glob("test_*.py"))
    if path != Path(__file__)
]
RUN = {one for module in MODULES for one in vectors.cases_run_by(module)}


def test_every_vector_is_run_or_pending() -> None:
    run = {file for file, _ in RUN}
    assert run | PENDING.keys() == vectors.all_files()
    assert run & PENDING.keys() == set()


def test_every_module_keeps_to_the_family_that_it_is_named_for() -> None:
    for module in MODULES:
        (family,) = {file.split("/")[0] for file, _ in vectors.cases_run_by(module)}
        assert f"{module.__name__.rpartition('.test_')[2]}_".startswith(f"{family}_")


@pytest.mark.parametrize("file", sorted(vectors.divided_files()))
def test_every_part_of_a_vector_is_run_or_pending(file: str) -> None:
    run = {part for one, part in RUN if one == file}
    waiting = PENDING_PARTS.get(file, {}).keys()
    assert run | waiting == vectors.parts_of(file)
    assert run & waiting == set()


def test_only_divided_files_are_pending_in_part() -> None:
    assert PENDING_PARTS.keys() <= vectors.divided_files()
    assert {file for file, part in RUN if part is not None} <= vectors.divided_files()


def test_beside_vectors_there_are_only_notes_and_sources() -> None:
    for file in vectors.other_files():
        _, *inside = file.split("/")
        assert inside == ["README.md"] or inside[:1] == ["sources"], file


def test_the_summary_counts_every_file_once() -> None:
    lines = summary.lines()
    counted = [[int(word) for word in line.replace("(", " ").split() if word.isdigit()] for line in lines]
    assert [line.split()[0] for line in lines] == sorted({file.split("/")[0] for file in vectors.all_files()})
    assert sum(numbers[0] + numbers[-1] for numbers in counted) == len(vectors.all_files())


def test_a_file_that_nobody_knows_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "trajectory").mkdir()
    (tmp_path / "trajectory" / "brand_new.json").write_text("{}", encoding="utf-8")
    monkeypatch.setenv("CRYPSIS_VECTORS", str(tmp_path))
    assert vectors.all_files() == {"trajectory/brand_new.json"}
    with pytest.raises(AssertionError):
        test_every_vector_is_run_or_pending()


if (source := shared_data.source_of_vectors()) is not None:

    def test_the_kept_vectors_are_those_of_the_specification() -> None:
        kept, specified = contents(shared_data.GOLDEN), contents(source)
        assert kept.keys() == specified.keys()
        assert [file for file in kept if kept[file] != specified[file]] == []


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
