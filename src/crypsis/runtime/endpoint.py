"""`GET /metrics` and `GET /health` (503 while something is in the way), on the loopback address only."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from crypsis.errors import BadConfiguration
from crypsis.runtime.observation import Observation


@contextmanager
def serve(observed: Observation, port: int) -> Iterator[int]:
    """Serve in a thread; the port that was taken."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/metrics":
                self._answer(200, "text/plain; version=0.0.4; charset=utf-8", observed.prometheus())
            elif self.path == "/health":
                health = {
                    "status": observed.trouble or "ok",
                    "windows": observed.windows,
                    "watermark_lag": observed.lag,
                }
                self._answer(503 if observed.trouble else 200, "application/json", json.dumps(health))
            else:
                self._answer(404, "text/plain; charset=utf-8", "There are /metrics and /health.\n")

        def _answer(self, code: int, kind: str, text: str) -> None:
            body = text.encode()
            self.send_response(code)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:
            """Nothing is logged."""

    try:
        server = ThreadingHTTPServer(("127.0.0.1", port), Answers)
    except OSError as error:
        raise BadConfiguration(f"[run] port {port} cannot be used: {error.strerror}.", parameter="port") from error
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
    thread.start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)
