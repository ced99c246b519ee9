"""Serial runs the four verbs in this process, and leaves nothing behind."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from crypsis.errors import BadParameter, BadRow, InternalError, OptionWithoutEffect, WriteFailed
from crypsis.executors.choice import chosen_executor
from crypsis.executors.executor import bytes_of
from crypsis.executors.scratch import Scratch, load
from crypsis.executors.serial import Serial
from crypsis.noise import ExactNoise
from tests.executors import tasks
from tests.noise.providers import SeededEntropy


def test_results_come_in_the_order_of_the_shards() -> None:
    with Serial() as executor:
        assert executor.map(tasks.scale, [3, 1, 2], 10) == [30, 10, 20]
        assert executor.fold(tasks.scale, tasks.add, [3, 1, 2], 10) == 60


def test_a_target_reads_its_pieces_in_the_order_of_the_shards() -> None:
    with Serial() as executor:
        pieces = executor.exchange(tasks.send, [5, 0, 3, 1], 2, 2)
        assert [[load(file) for file in files] for files in pieces] == [[[0]], [[5], [-5], [-0], [3], [-3], [1], [-1]]]


def test_residents_keep_their_state() -> None:
    with Serial() as executor:
        residents = executor.resident(tasks.count_from, [1, 2], 10)
        assert residents.call("add", 5) == [16, 17]
        assert residents.call("add", 1) == [17, 18]


def test_an_error_of_ours_is_raised_as_it_is_and_a_bug_does_not_tell_its_text() -> None:
    with Serial() as executor:
        with pytest.raises(BadRow, match="this is wrong"):
            executor.map(tasks.fail, [2], "this")
        with pytest.raises(InternalError) as told:
            executor.map(tasks.fail, [1], "zq-secret-417")
        assert "zq-secret-417" not in str(told.value)
        with pytest.raises(WriteFailed, match="No space left on device") as full:
            executor.map(tasks.fill_the_disk, [1])
        assert "zq-secret-417" not in str(full.value)


def test_scratch_is_its_owners_alone_and_gone_at_the_end(tmp_path: Path) -> None:
    with Serial(scratch=tmp_path) as executor:
        folder = executor.scratch.folder
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        executor.scratch.save("raw", "data")
    assert not folder.exists()
    assert list(tmp_path.iterdir()) == []


def test_scratch_of_a_driver_that_is_gone_is_removed_by_the_next_run(tmp_path: Path) -> None:
    abandoned, running = Scratch.new(tmp_path), Scratch.new(tmp_path)
    (abandoned.folder / "driver.lock").write_text("1 0")  # another process had this number
    Scratch.new(tmp_path)
    assert not abandoned.folder.exists()
    assert running.folder.exists()


def test_a_file_that_is_written_twice_is_there_once(tmp_path: Path) -> None:
    scratch = Scratch.new(tmp_path)
    assert scratch.save("one", 1) == scratch.save("one", 2)
    assert sorted(path.name for path in scratch.folder.iterdir()) == ["driver.lock", "one"]


@pytest.mark.parametrize(("text", "amount"), [("1GiB", 1 << 30), ("512 MB", 512_000_000), (1 << 30, 1 << 30)])
def test_memory_is_an_amount_with_a_unit(text: str | int, amount: int) -> None:
    assert bytes_of(text) == amount


@pytest.mark.parametrize("text", ["1KiB", "many", "-4GiB", ""])
def test_too_little_memory_is_refused(text: str) -> None:
    with pytest.raises(BadParameter, match="memory must be"):
        bytes_of(text)


def test_an_executor_is_chosen_by_name_or_address() -> None:
    with Serial() as given:
        assert chosen_executor(given) is given
    with pytest.raises(BadParameter, match="executor must be"):
        chosen_executor("spark")
    with pytest.raises(OptionWithoutEffect):
        chosen_executor("serial", workers=4)


def test_no_task_draws_noise_or_charges_a_ledger(tmp_path: Path) -> None:
    file = tmp_path / "people.ledger"
    with Serial() as executor:
        for work, given in (
            (tasks.draw_inside, "exact"),
            (tasks.draw_inside, "opendp"),
            (tasks.use_inside, ExactNoise(SeededEntropy(1))),
            (tasks.charge_inside, str(file)),
            (tasks.limit_inside, str(file)),
        ):
            with pytest.raises(InternalError, match="inside a task"):
                executor.map(work, [3], given)
        with pytest.raises(InternalError, match="inside a task"):
            executor.map(tasks.take_words_inside, [3])
    assert not file.exists()
    tasks.draw_inside(3, "exact")  # elsewhere it may
    tasks.charge_inside(3, str(file))
    assert file.exists()
