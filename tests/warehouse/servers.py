"""Real SPARQL servers in processes of their own on loopback: Oxigraph's and Virtuoso."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SECONDS = 90


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def oxigraph(folder: Path) -> Iterator[dict[str, Any]]:
    """The engine table of a configuration for a running Oxigraph server."""
    program = Path(sys.executable).with_name("oxigraph")
    assert program.is_file(), "The tests of the warehouse need the package oxigraph; `make test-long` installs it."
    address = f"127.0.0.1:{free_port()}"
    with _running([str(program), "serve", "--location", str(folder / "store"), "--bind", address], folder):
        _wait(f"http://{address}/query?query=ASK%7B%7D")
        yield {
            "kind": "sparql",
            "query_url": f"http://{address}/query",
            "update_url": f"http://{address}/update",
            "graph_store_url": f"http://{address}/store",
        }


VIRTUOSO = """
[Database]
DatabaseFile = virtuoso.db
ErrorLogFile = virtuoso.log
LockFile = virtuoso.lck
TransactionFile = virtuoso.trx
xa_persistent_file = virtuoso.pxa
[TempDatabase]
DatabaseFile = virtuoso-temp.db
TransactionFile = virtuoso-temp.trx
[Parameters]
ServerPort = 127.0.0.1:{sql}
NumberOfBuffers = 2000
MaxDirtyBuffers = 1200
DirsAllowed = .
[HTTPServer]
ServerPort = 127.0.0.1:{http}
ServerThreads = 4
[SPARQL]
ResultSetMaxRows = 1000000
"""
LOGIN = ("CRYPSIS_TEST_USER", "CRYPSIS_TEST_PASSWORD")  # the account of a fresh database is dba, dba


@contextmanager
def virtuoso(folder: Path) -> Iterator[dict[str, Any]]:
    """The engine table of a configuration for a running Virtuoso."""
    program = shutil.which("virtuoso-t")
    assert program, "The tests of the warehouse need virtuoso-opensource-7; `make test-long` installs it."
    sql, http = free_port(), free_port()
    (folder / "virtuoso.ini").write_text(VIRTUOSO.format(sql=sql, http=http), encoding="utf-8")
    with _running([program, "+foreground", "+configfile", "virtuoso.ini"], folder):
        _wait(f"http://127.0.0.1:{http}/sparql?query=ASK%7B%7D")
        yield {
            "kind": "sparql",
            "query_url": f"http://127.0.0.1:{http}/sparql-auth",
            "update_url": f"http://127.0.0.1:{http}/sparql-auth",
            "graph_store_url": f"http://127.0.0.1:{http}/sparql-graph-crud-auth",
            "user_variable": LOGIN[0],
            "password_variable": LOGIN[1],
        }


@contextmanager
def _running(command: list[str], folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "output.txt").open("wb") as output:
        process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=output, stdin=subprocess.DEVNULL)
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait(url: str) -> None:
    ends = time.monotonic() + SECONDS
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            if time.monotonic() > ends:
                raise
            time.sleep(0.2)
