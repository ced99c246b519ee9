"""Cells that are worked on in parts, in this process or on a cluster: the results are those of local runs."""

from __future__ import annotations

import pytest

from crypsis.evaluate import Experiment, Store, run, runner
from crypsis.evaluate.results import frame_of, is_time_column
from tests.evaluate.examples import people, sweep_of_people

SERIAL = '[executor]\nexecutor = "serial"\nmemory = "512MiB"\nblock_rows = 3\nscratch = "."\n'


@pytest.fixture(autouse=True)
def quick_workers(monkeypatch):
    monkeypatch.setattr(runner, "WORKER", "tests.evaluate.odd_worker")


def outcome(text, folder, out):
    """Results without times, and what every cell published."""
    ended = run(Experiment.parse(text, folder=folder), folder / out, workers=1)
    store = Store(folder / out)
    frame = frame_of(store.results())
    cells = [row["cell"] for row in store.results() if row["state"] == "done"]
    told = frame.drop([name for name in frame.columns if is_time_column(name)])
    return ended.counts, told, [store.release(cell).data.to_frame() for cell in cells]


def check_equal(text, section, folder):
    local, there = (outcome(one, folder, out) for one, out in ((text, "local"), (text + section, "there")))
    assert local[0] == there[0]
    assert local[1].equals(there[1])
    assert len(local[2]) > 0
    assert all(one.equals(other) for one, other in zip(local[2], there[2], strict=True))
    assert not list(folder.glob("crypsis-scratch-*"))


def test_cells_in_parts_have_the_results_of_cells_in_memory(tmp_path):
    people(tmp_path)
    check_equal(sweep_of_people(), SERIAL, tmp_path)


@pytest.mark.long
def test_cells_on_a_cluster_have_the_results_of_cells_in_memory(tmp_path):
    people(tmp_path)
    section = '[executor]\nexecutor = "dask"\nworkers = 2\nmemory = "512MiB"\nblock_rows = 3\nscratch = "."\n'
    check_equal(sweep_of_people("[2, 3]"), section, tmp_path)


@pytest.mark.parametrize(
    ("section", "code"),
    [
        ('executor = "spark"', "bad-parameter"),
        ('executor = "serial"\nworkers = 3', "option-without-effect"),
        ('executor = "serial"\nmemory = "1KiB"', "bad-parameter"),
        ('executor = "tcp://10.0.0.1:8786"', "insecure-scheduler"),
        ('executor = "tls://far:8786"', "bad-parameter"),
        ('memory = "1GiB"', "bad-experiment"),
        ('executor = "serial"\nblock_rows = 0', "bad-parameter"),
        ('executor = "serial"\nblocks = 5', "bad-experiment"),
    ],
)
def test_what_cannot_be_started_is_a_problem_of_the_experiment(tmp_path, section, code):
    people(tmp_path)
    problems = Experiment.parse(sweep_of_people() + f"[executor]\n{section}\n", folder=tmp_path).check()
    assert [(problem.where, problem.code) for problem in problems] == [("executor", code)]


def test_a_method_that_does_not_scale_is_a_problem_of_its_run(tmp_path):
    people(tmp_path)
    other = sweep_of_people().replace("[[run]]", '[[run]]\nmethod = "itsa"\n[[run]]', 1)
    assert "not-scalable" in {one.code for one in Experiment.parse(other + SERIAL, folder=tmp_path).check(read=False)}


def test_where_cells_run_changes_their_identity_only_in_blocks(tmp_path):
    people(tmp_path)
    for method, equal in (("mondrian", True), ("cluster", False)):
        text = sweep_of_people().replace('"mondrian"', f'"{method}"')
        ids = [[cell.id for cell in Experiment.parse(one, folder=tmp_path).cells()] for one in (text, text + SERIAL)]
        assert (ids[0] == ids[1]) == equal


def test_scratch_of_a_cell_whose_process_died_is_removed(tmp_path):
    people(tmp_path)
    ended = run(Experiment.parse(sweep_of_people("[13]") + SERIAL, folder=tmp_path), tmp_path / "out", workers=1)
    assert ended.counts == {"failed": 1}
    assert not list(tmp_path.glob("crypsis-scratch-*"))
