"""`crypsis stream run` and `crypsis demo stream` from a shell."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest


def crypsis(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "crypsis", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=300)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[privacy", "bad-configuration"),
        ('[privacy]\nN = 2\nstep_size = 3\n[run]\nstate = "state"\n', "bad-configuration"),
        (
            '[source]\nkind = "csv"\npath = "nothing.csv"\n[sink]\nkind = "stdout"\n[run]\nstate = "state"\n',
            "missing-file",
        ),
    ],
)
def test_a_bad_configuration_exits_with_2_and_its_code(text: str, code: str, tmp_path: Path) -> None:
    (tmp_path / "stream.toml").write_text(text, encoding="utf-8")
    done = crypsis("stream", "run", "stream.toml", "--json", "--quiet", folder=tmp_path)
    assert done.returncode == 2, done.stderr
    assert json.loads(done.stdout)["error"]["code"] == code


@pytest.mark.long
def test_the_demo_shows_a_live_metro(tmp_path: Path) -> None:
    done = crypsis("demo", "stream", "--json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["windows"] == 54
    assert len((tmp_path / "demo-stream" / "windows.ndjson").read_bytes().splitlines()) == 54


def test_an_unknown_demo_is_refused(tmp_path: Path) -> None:
    done = crypsis("demo", "strem", folder=tmp_path)
    assert done.returncode == 2
    assert "Did you mean 'stream'?" in done.stderr
