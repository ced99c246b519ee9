"""An encrypted state: the same windows, nothing to read in the files, and no other key opens it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from crypsis.errors import BadConfiguration, ConfigurationChanged, DamagedCheckpoint
from crypsis.runtime import StreamConfiguration, StreamRun, stream
from crypsis.runtime.sealing import Sealing
from crypsis.runtime.spool import Spool
from tests.runtime.kills import killed_again_and_again
from tests.runtime.streams import lively_lines, prepared, published, tables

LINES = [line.replace('"p', '"Person').replace('"loc": "', '"loc": "Gate ') for line in lively_lines(seed=6)]
SEALED = {"run": {"encrypt_state": True, "state_key": "../key", "keep_late": True}}


@pytest.fixture
def keyed(tmp_path: Path) -> Path:
    (tmp_path / "key").write_text("ab" * 32 + "\n", encoding="ascii")
    return tmp_path


def stopped(configuration: StreamConfiguration) -> None:
    running = StreamRun(configuration)
    running.listener = lambda observed: running.stop() if observed.windows > 10 else None
    assert not running.execute()["finished"]


def test_nothing_of_people_can_be_read_in_an_encrypted_state(keyed: Path) -> None:
    stream(prepared(keyed / "open", LINES, run={"keep_late": True}))
    configuration = prepared(keyed / "sealed", LINES, **SEALED)
    stopped(configuration)
    stream(configuration)
    assert published(keyed / "sealed") == published(keyed / "open")
    assert b"Person" in b"".join(path.read_bytes() for path in (keyed / "open" / "state").glob("checkpoint*"))
    late = (keyed / "open" / "state" / "late.ndjson").read_bytes().splitlines()
    assert late
    assert len((keyed / "sealed" / "state" / "late.ndjson").read_bytes().splitlines()) == len(late)
    for file in (keyed / "sealed" / "state").iterdir():
        assert b"Person" not in file.read_bytes(), file.name


@pytest.mark.long
def test_an_encrypted_state_survives_kills(keyed: Path) -> None:
    lines = lively_lines(seed=5, timestamps=20)
    stream(prepared(keyed / "whole", lines))
    prepared(keyed / "killed", lines, **SEALED)
    assert killed_again_and_again(keyed / "killed", "sync", 3, **SEALED) >= 4
    assert published(keyed / "killed") == published(keyed / "whole")


def test_another_key_does_not_open_it(keyed: Path) -> None:
    configuration = prepared(keyed / "run", LINES, **SEALED)
    stopped(configuration)
    (keyed / "key").write_text("cd" * 32, encoding="ascii")
    with pytest.raises(DamagedCheckpoint, match="another key"):
        stream(configuration)


def test_encryption_cannot_be_turned_off_on_the_way(keyed: Path) -> None:
    stopped(prepared(keyed / "run", LINES, **SEALED))
    with pytest.raises(ConfigurationChanged):
        stream(StreamConfiguration.from_tables(tables(), keyed / "run"))


@pytest.mark.parametrize("key", [None, "", "ab" * 31, "no hex at all" * 8])
def test_without_a_whole_key_nothing_begins(key: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CRYPSIS_STATE_KEY", raising=False)
    if key is not None:
        monkeypatch.setenv("CRYPSIS_STATE_KEY", key)
    with pytest.raises(BadConfiguration, match="openssl rand -hex 32"):
        stream(StreamConfiguration.from_tables(tables(run={"encrypt_state": True}), tmp_path))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_the_command_line_asks_for_it_and_takes_the_key_from_the_environment(tmp_path: Path) -> None:
    (tmp_path / "events.ndjson").write_text("".join(f"{line}\n" for line in LINES[:300]), encoding="utf-8")
    (tmp_path / "stream.toml").write_text(
        '[privacy]\nN = 2\n[source]\nkind = "ndjson"\npath = "events.ndjson"\n[sink]\nkind = "ndjson"\n'
        'path = "windows.ndjson"\n[run]\nstate = "state"\n',
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "crypsis", "stream", "run", "stream.toml", "--encrypt-state", "--json"]
    for environment, code in (({}, 2), ({"CRYPSIS_STATE_KEY": "ab" * 32}, 0)):
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, timeout=300, env={**_inherited(), **environment}
        )
        assert done.returncode == code, done.stderr
    assert json.loads(done.stdout)["windows"] > 0
    assert all(
        path.read_bytes().startswith(b"crypsis sealed") for path in (tmp_path / "state").glob("checkpoint-*.state")
    )


def _inherited() -> dict[str, str]:
    import os

    return {name: value for name, value in os.environ.items() if name != "CRYPSIS_STATE_KEY"}


def test_each_sealing_is_new_and_any_change_is_noticed() -> None:
    sealing, later = Sealing(b"k" * 32), Sealing(b"k" * 32)
    made = {sealing.seal(b"same", b"x") for _ in range(100)} | {later.seal(b"same", b"x") for _ in range(100)}
    assert len(made) == 200
    one = sealing.seal(b"same", b"x")
    assert later.opened(one, b"x") == b"same"
    for at in range(len(one)):
        changed = bytearray(one)
        changed[at] ^= 1
        with pytest.raises(ValueError, match="another key"):
            sealing.opened(bytes(changed), b"x")
    with pytest.raises(ValueError, match="another key"):
        sealing.opened(one, b"y")
    with pytest.raises(ValueError, match="another key"):
        Sealing(b"j" * 32).opened(one, b"x")


def test_a_sealed_spool_gives_back_its_lines_and_refuses_changed_ones(tmp_path: Path) -> None:
    import threading

    spool = Spool(tmp_path, 1 << 20, Sealing(b"k" * 32))
    first = b"a line too long to come about by chance"
    spool.append([first, b"two\n2", b""])
    spool.finish()
    read = [line for lines, _ in spool.read(0, threading.Event()) for line in lines]
    assert read == [first + b"\n", b"two 2\n", b"\n"]
    spool.close()
    (file,) = tmp_path.iterdir()
    content = file.read_bytes()
    assert first not in content
    file.write_bytes(content[:30] + (b"A" if content[30:31] != b"A" else b"B") + content[31:])
    spool = Spool(tmp_path, 1 << 20, Sealing(b"k" * 32))
    with pytest.raises(DamagedCheckpoint, match="spool"):
        next(iter(spool.read(0, threading.Event())))
    spool.close()
