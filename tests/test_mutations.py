"""Damaged files of every format: read, or refused with an error of ours; the server that is sent them goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from crypsis.errors import CrypsisError, InternalError, UnreadableFile
from tests.mutations.__main__ import damaged_files_are_read
from tests.mutations.process import made_file, read_by_command, read_in_process
from tests.mutations.seeds import Seed, made_seeds


@pytest.fixture(scope="module")
def seeds(tmp_path_factory: pytest.TempPathFactory) -> list[Seed]:
    return made_seeds(tmp_path_factory.mktemp("seeds"))


def test_the_files_of_a_run_are_the_same_each_time(seeds: list[Seed]) -> None:
    assert [made_file(seeds, number, 3) for number in range(50)] == [
        made_file(seeds, number, 3) for number in range(50)
    ]
    assert made_file(seeds, 1, 3) != made_file(seeds, 1, 4)


def test_what_is_sound_is_read(seeds: list[Seed], tmp_path: Path) -> None:
    for seed in seeds:
        path = tmp_path / f"file{seed.suffix}"
        path.write_bytes(seed.content if seed.pack is None else seed.pack(seed.content))
        seed.readers[0](path)


def test_what_is_no_error_of_ours_is_found(tmp_path: Path) -> None:
    def fail(error: BaseException) -> Seed:
        def read(path: Path) -> None:
            raise error

        return Seed("bad", ".csv", b"", (read,), ("data", "inspect", "FILE"))

    assert "KeyError" in (read_in_process(fail(KeyError("x")), tmp_path) or "")
    assert "InternalError" in (read_in_process(fail(InternalError("x")), tmp_path) or "")
    assert read_in_process(fail(UnreadableFile("x")), tmp_path) is None
    assert read_by_command(fail(KeyError("x")), tmp_path / "missing.csv", tmp_path) is None


@pytest.mark.long
def test_the_first_damaged_files_are_read_or_refused(seeds: list[Seed], tmp_path: Path) -> None:
    for number in range(150):
        seed, content = made_file(seeds, number, 7)
        path = tmp_path / f"file{seed.suffix}"
        path.write_bytes(content)
        assert read_in_process(seed, path) is None, (number, seed.name)


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("sensitive values", b'{"fare": {"values": ["half"], "C": "1e99999999%"}}', "bad-parameter"),
        ("published sets", b"record,item\n0,milk\n9223372036854775806,tea\n", "format-error"),
        ("published sets", b"record,item\n-5,milk\n0,tea\n", "format-error"),
        ("event csv", b"x" * 200_000 + b",loc,t\n", "unknown-column"),
        ("event csv", b"x" * 70_000 + b"\x81\xe9,loc,t\n", "unknown-column"),
    ],
)
def test_files_that_once_hung_or_crashed_are_refused(
    seeds: list[Seed], tmp_path: Path, name: str, content: bytes, code: str
) -> None:
    seed = next(seed for seed in seeds if seed.name == name)
    path = tmp_path / f"file{seed.suffix}"
    path.write_bytes(content)
    with pytest.raises(CrypsisError) as told:
        seed.readers[0](path)
    assert told.value.code == code


@pytest.mark.long
def test_a_minute_of_damaged_files_by_every_road() -> None:
    outcome = damaged_files_are_read(20_000, 60, seed=1, server=True)
    assert outcome["failures"] == []
    assert outcome["files"] > 100
