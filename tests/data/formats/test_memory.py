"""The memory limit: from the environment, or from what the machine has free."""

from __future__ import annotations

from pathlib import Path

import pytest

from crypsis.data.formats import memory
from crypsis.data.formats.memory import LIMIT_VARIABLE, check_fits, in_words, memory_limit
from crypsis.errors import BadParameter, TooLarge


def test_the_environment_sets_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LIMIT_VARIABLE, "1000")
    assert memory_limit() == 1000
    check_fits(1000, "data.csv")
    with pytest.raises(TooLarge) as caught:
        check_fits(1001, "data.csv")
    assert caught.value.message == (
        "data.csv needs about 1.0 kB of memory, 1.0 kB may be used. Have it worked on in parts (executor `serial`), "
        "give a smaller part of it or a machine with more memory, or set CRYPSIS_MEMORY_LIMIT (bytes) if you know "
        "better."
    )
    assert caught.value.details["limit"] == 1000


@pytest.mark.parametrize("wrong", ["0", "-5", "4GB", "1e9"])
def test_a_limit_that_is_no_number_of_bytes_is_a_bad_parameter(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LIMIT_VARIABLE, wrong)
    with pytest.raises(BadParameter, match="positive number of bytes"):
        memory_limit()


def test_without_it_the_free_memory_is_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(LIMIT_VARIABLE, raising=False)
    monkeypatch.setattr(memory, "_free_on_machine", lambda: 1000)
    monkeypatch.setattr(memory, "_free_in_container", lambda: 500)
    assert memory_limit() == 400
    monkeypatch.setattr(memory, "_free_in_container", lambda: None)
    assert memory_limit() == 800
    monkeypatch.setattr(memory, "_free_on_machine", lambda: None)
    assert memory_limit() is None
    check_fits(10**18, "data.csv")


def test_this_machine_tells_its_free_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(LIMIT_VARIABLE, raising=False)
    limit = memory_limit()
    assert limit is not None
    assert 10**6 < limit < 10**15


def test_the_limit_of_a_container_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"/sys/fs/cgroup/memory.max": "1000\n", "/sys/fs/cgroup/memory.current": "400\n"}

    def read(path: Path) -> str:
        if str(path) in files:
            return files[str(path)]
        raise FileNotFoundError(path)

    monkeypatch.setattr(Path, "read_text", read)
    assert memory._free_in_container() == 600
    files["/sys/fs/cgroup/memory.max"] = "max\n"
    assert memory._free_in_container() is None


@pytest.mark.parametrize(
    ("amount", "words"), [(999, "999 bytes"), (1000, "1.0 kB"), (3_200_000_000, "3.2 GB"), (5 * 10**13, "50.0 TB")]
)
def test_amounts_are_told_in_words(amount: int, words: str) -> None:
    assert in_words(amount) == words
