"""Real brokers on free loopback ports, in folders of their own."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import socket
import subprocess
import threading
import time
from pathlib import Path

_PATIENCE = 60.0
_FIRST_PORT, _PORTS = 20_000, 12_000  # below those that the system gives to connections


def free_port() -> int:
    """One that nobody uses, and that the system gives to nobody while a broker is stopped and started again."""
    while True:
        port = _FIRST_PORT + secrets.randbelow(_PORTS)
        with contextlib.suppress(OSError), socket.socket() as one:
            one.bind(("127.0.0.1", port))
            return port


class Broker:
    """A server process that can be stopped and started again with what it stored."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self.folder, self.port = folder, free_port()
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    def command(self) -> list[str]:
        raise NotImplementedError

    def start(self) -> None:
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(self.command(), stdout=log, stderr=log, cwd=self.folder)
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until and self.process.poll() is None:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return
            time.sleep(0.05)
        raise AssertionError((self.folder / "log").read_text())

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(timeout=_PATIENCE)
            self.process = None


class Mosquitto(Broker):
    def command(self) -> list[str]:
        program = shutil.which("mosquitto", path=os.environ.get("PATH", "") + ":/usr/sbin")
        assert program is not None, "mosquitto is not installed; .ci/system-packages installs it"
        (self.folder / "mosquitto.conf").write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence true\n"
            f"persistence_location {self.folder}/\nmax_queued_messages 0\nmax_inflight_messages 5000\n"
            + ("user root\n" if os.geteuid() == 0 else ""),
            encoding="utf-8",
        )
        return [program, "-c", str(self.folder / "mosquitto.conf")]


class Redis(Broker):
    def command(self) -> list[str]:
        program = shutil.which("redis-server")
        assert program is not None, "redis-server is not installed; .ci/system-packages installs it"
        options = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "yes", "--appendfsync", "everysec"]
        return [program, "--port", str(self.port), "--dir", str(self.folder), *options]


class ForgetfulProxy:
    """Stands between a client and a broker, and loses the first large answer together with its connection."""

    def __init__(self, port: int) -> None:
        self.behind, self.lost = port, 0
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._door.getsockname()[1])
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._door.accept()
                broker = socket.create_connection(("127.0.0.1", self.behind))
                for source, target, answers in ((client, broker, False), (broker, client, True)):
                    threading.Thread(target=self._pass_on, args=(source, target, answers), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket, answers: bool) -> None:
        with contextlib.suppress(OSError), source, target:
            while block := source.recv(1 << 16):
                if answers and not self.lost and len(block) > 2000:
                    self.lost = len(block)
                    target.shutdown(socket.SHUT_RDWR)
                    return
                target.sendall(block)
            target.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._door.close()
