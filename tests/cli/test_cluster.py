"""A cluster of `crypsis scheduler` and `crypsis worker`: TLS with certificates, no pages, no logs, the same release."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import polars as pl
import pytest

from crypsis.errors import BadParameter, MissingFile, OptionWithoutEffect
from crypsis.executors.certificates import Certificates
from tests.certificates import self_signed
from tests.cli.conftest import Run

SECRET = "zq-secret-417"


def test_tls_needs_all_three_files(tmp_path: Path) -> None:
    self_signed(tmp_path)
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    Certificates(certificate, certificate, key).check("tls://far:8786")
    Certificates().check("tcp://127.0.0.1:8786")
    with pytest.raises(BadParameter, match="tls_key"):
        Certificates(certificate, certificate).check("tls://far:8786")
    with pytest.raises(MissingFile, match="private key"):
        Certificates(certificate, certificate, tmp_path / "none.pem").check("tls://far:8786")
    with pytest.raises(OptionWithoutEffect, match="not spoken to with TLS"):
        Certificates(certificate, certificate, key).check("tcp://127.0.0.1:8786")


@pytest.mark.parametrize("command", ["scheduler", "worker"])
def test_processes_of_a_cluster_are_refused_without_tls(run: Run, command: str) -> None:
    assert "insecure-scheduler" in run(command, "tcp://10.1.1.1:8786").err
    assert "--tls-key" in run(command, "tls://10.1.1.1:8786").err


@contextmanager
def started(folder: Path, *command: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A process that prints its address, and that address; it ends cleanly when it is asked to."""
    with (folder / f"{command[0]}-{len(list(folder.glob('*.log')))}.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "crypsis", *command, "--json"], stdout=subprocess.PIPE, stderr=log, cwd=folder
        )
    assert process.stdout is not None
    try:
        yield process, json.loads(process.stdout.readline())["address"]
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
        process.stdout.close()


@pytest.mark.long
def test_a_cluster_with_certificates_gives_the_release_of_one_process(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    self_signed(tmp_path)
    logs = tmp_path / "logs"
    logs.mkdir()
    for part in range(2):
        ages = [20 + (7 * row + part) % 50 for row in range(200)]
        pl.DataFrame({"age": ages, SECRET: [f"{SECRET} {row % 4}" for row in range(200)]}).write_parquet(
            tmp_path / f"{part}.parquet"
        )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tls://127.0.0.1:{port}"
    certificate, key = str(tmp_path / "certificate.pem"), str(tmp_path / "key.pem")
    tls = ("--tls-ca", certificate, "--tls-cert", certificate, "--tls-key", key)
    command = ["anonymize", tmp_path / "*.parquet", "--method", "mondrian", "-k", "10", "--quasi", "age"]
    command += ["--sensitive", SECRET, "--each-row-is-a-person", "--scratch", tmp_path]
    with started(logs, "scheduler", address, *tls) as (scheduler, served):
        assert served == address
        worker = ("worker", address, "--memory", "1GiB", *tls)
        with started(logs, *worker) as (first, _), started(logs, *worker) as (second, _):
            assert run(*command, "--out", tmp_path / "cluster", "--executor", address, *tls).code == 0
            for process in (scheduler, first, second):
                assert not pages_of(process.pid)
            other = tmp_path / "other"
            other.mkdir()
            self_signed(other)
            stranger = (
                "--tls-ca",
                certificate,
                "--tls-cert",
                other / "certificate.pem",
                "--tls-key",
                other / "key.pem",
            )
            refused = run(*command, "--out", tmp_path / "none", "--executor", address, *stranger)
            assert "worker-failed" in refused.err
        assert first.returncode == second.returncode == 0
    assert scheduler.returncode == 0
    assert run(*command, "--out", tmp_path / "serial", "--executor", "serial").code == 0
    parts = [tmp_path / name / "table" / "part-00000.parquet" for name in ("cluster", "serial")]
    assert parts[0].read_bytes() == parts[1].read_bytes()
    assert not any(SECRET in log.read_text() for log in logs.iterdir())
    assert not [path for path in tmp_path.iterdir() if path.name.startswith("crypsis-")]


def pages_of(process: int) -> list[str]:
    """The pages that a process or a child of it serves by HTTP, of those that the engine usually has."""
    family = {process, *map(int, subprocess.run(["pgrep", "-P", str(process)], capture_output=True).stdout.split())}
    links = [link for one in family for link in Path(f"/proc/{one}/fd").iterdir() if link.is_symlink()]
    inodes = {str(link.readlink()).removeprefix("socket:[").removesuffix("]") for link in links}
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    ports = {int(row[1].split(":")[1], 16) for row in rows if row[3] == "0A" and row[9] in inodes}
    assert ports
    pages = ("info/main/workers.html", "json/counts.json", "metrics", "health")
    return [f"{port}/{page}" for port in ports for page in pages if answers(f"http://127.0.0.1:{port}/{page}")]


def answers(page: str) -> bool:
    try:
        with urlopen(page, timeout=5):
            return True
    except HTTPError as error:
        return error.code != 404
    except OSError:  # TLS, or nothing that speaks HTTP
        return False
