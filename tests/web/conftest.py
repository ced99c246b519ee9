"""A server in a process of its own, one per session, and a real browser, one per module with a new tab per test.

`server` serves a workspace that the tests share, so a test makes what it needs and looks only at that. `api` is a
client with the token; `tab` is a tab of the browser that has opened the address with the token before.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

ROOT = Path(__file__).parents[2]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
WAIT = 120_000  # milliseconds; the first run of a method compiles it
expect.set_options(timeout=WAIT)


@dataclass
class Server:
    """A running `crypsis serve`."""

    process: subprocess.Popen[str]
    address: str  # with the token
    workspace: Path
    reader: threading.Thread

    @property
    def base(self) -> str:
        return self.address.split("/?")[0]

    @property
    def token(self) -> str:
        return self.address.split("token=")[1]

    def client(self) -> httpx.Client:
        """Somebody who has the token."""
        headers = {"Authorization": f"Bearer {self.token}"}
        return httpx.Client(base_url=self.base, headers=headers, timeout=240, trust_env=False)

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.kill()
        self._close()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(60)
        self._close()

    def _close(self) -> None:
        self.reader.join(60)
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()


def start(workspace: Path, *options: str) -> Server:
    """Start a server and wait until it says where it is."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}"}
    process = subprocess.Popen(
        [sys.executable, "-m", "crypsis", "serve", str(workspace), "--json", "--port", "0", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    line = process.stdout.readline()
    if not line:
        raise AssertionError(f"The server did not start: {process.stderr.read()}")
    reader = threading.Thread(target=process.stderr.read, daemon=True)  # a full pipe would stop it
    reader.start()
    return Server(process, json.loads(line)["address"], workspace, reader)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = start(tmp_path_factory.mktemp("served") / "workspace")
    yield running
    running.stop()


@pytest.fixture(scope="session")
def api(server: Server) -> Iterator[httpx.Client]:
    with server.client() as client:
        yield client


@pytest.fixture(scope="module")  # while it is open a loop runs in this thread, which other tests may not have
def browser() -> Iterator[Browser]:
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert found, "The browser tests need chromium; `make test` installs it."
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield launched
        launched.close()


def ready(page: Page) -> None:
    """Wait until the page is connected to the server."""
    page.wait_for_function("window.did_handshake === true")


class Tab:
    """A tab of the browser: a page, with everything it asked for and every error it had."""

    def __init__(self, page: Page, server: Server) -> None:
        self.page, self.server = page, server
        self.asked: list[str] = []
        self.errors: list[str] = []
        page.set_default_timeout(WAIT)
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def open(self, path: str) -> Page:
        self.page.goto(self.server.base + path)
        self.page.wait_for_selector("h1")
        ready(self.page)
        return self.page

    @property
    def elsewhere(self) -> list[str]:
        """Requests to anybody but the server."""
        own = (self.server.base, self.server.base.replace("http", "ws"), "data:", "blob:")
        return [url for url in self.asked if not url.startswith(own)]


@contextmanager
def let_in(browser: Browser, server: Server, **options: Any) -> Iterator[BrowserContext]:
    """A window that has opened the address with the token, and has the cookie now."""
    context = browser.new_context(viewport={"width": 1280, "height": 720}, **options)
    first = context.new_page()
    first.goto(server.address)
    first.wait_for_selector("h1")
    first.close()
    yield context
    context.close()


@pytest.fixture(scope="module")
def admitted(browser: Browser, server: Server) -> Iterator[BrowserContext]:
    with let_in(browser, server, accept_downloads=True) as context:
        yield context


@pytest.fixture
def tab(request: pytest.FixtureRequest, admitted: BrowserContext, server: Server) -> Iterator[Tab]:
    """A tab, as wide as a laptop; with `on_every_screen` of the sizes and colours that people have."""
    opened = Tab(admitted.new_page(), server)
    screen = getattr(request, "param", None)
    if screen is not None:
        opened.page.set_viewport_size(screen.size)
        opened.page.emulate_media(color_scheme=screen.colours)
    yield opened
    opened.page.close()
    assert opened.elsewhere == []
    assert opened.errors == []


def sample(api: httpx.Client, name: str, **settings: Any) -> dict[str, Any]:
    """A dataset of sample data."""
    answer = api.post("/api/datasets", json={"sample": name, **settings})
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def uploaded(api: httpx.Client, name: str, content: str | bytes, **settings: Any) -> dict[str, Any]:
    """A dataset of a file that is sent."""
    sent = api.post("/api/uploads", params={"name": name}, content=content)
    assert sent.status_code == 201, sent.text
    answer = api.post("/api/datasets", json={"upload": sent.json()["id"], "name": Path(name).stem, **settings})
    assert answer.status_code == 201, answer.text
    return dict(answer.json())
