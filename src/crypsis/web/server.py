"""Serving: find a port, say the address, run until stopped."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable
from pathlib import Path

from crypsis.errors import BadParameter, MissingExtra
from crypsis.web.security import UPLOAD_LIMIT, Access, is_loopback

PORT = 8190
_PORTS_TRIED = 50


def serve(
    folder: Path,
    *,
    host: str = "127.0.0.1",
    port: int = PORT,
    allow_remote: bool = False,
    names: tuple[str, ...] = (),
    upload_limit: int = UPLOAD_LIMIT,
    announce: Callable[[str], None] = print,
) -> None:
    """Serve the workspace in this folder until interrupted; `announce` gets the address to open.

    `names` are further names under which the server may be asked for, where others are let in.
    """
    if not is_loopback(host) and not allow_remote:
        raise BadParameter(
            f"serve: {host} can be reached from other machines, and whoever opens the address sees the data. Use "
            "127.0.0.1, or say --allow-remote if that is what you want.",
            parameter="host",
        )
    try:
        import uvicorn

        from crypsis.web import datasets
        from crypsis.web.app import build_app
        from crypsis.web.preparation import Preparation
        from crypsis.web.workbench import Workbench
        from crypsis.web.workspace import Workspace
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("crypsis"):
            raise
        raise MissingExtra(
            f"The browser interface needs {error.name}, which is not installed: pip install 'crypsis[web]'."
        ) from error

    with listening(host, port) as opened:
        chosen = opened.getsockname()[1]
        known = {"127.0.0.1", "localhost", "[::1]", *(name.lower() for name in names)}
        if not is_loopback(host):
            known.add(host if ":" not in host else f"[{host}]")
        access = Access(port=chosen, hosts=frozenset(known), upload_limit=upload_limit)
        workbench = Workbench(Workspace(folder), access, allow_paths=is_loopback(host))
        preparation = Preparation()
        try:
            workbench.workspace.when_created(datasets.KIND, preparation.prepare_for)
            for entry in workbench.datasets.entries():
                preparation.prepare_for(entry)
            server = uvicorn.Server(
                uvicorn.Config(
                    build_app(workbench),
                    log_level="warning",
                    access_log=False,  # addresses hold names of what people look at
                    proxy_headers=False,  # who asks and by which name is not for others to say
                    ws_max_size=4_000_000,
                    timeout_graceful_shutdown=2,
                    server_header=False,
                )
            )
            shown = "127.0.0.1" if host in ("0.0.0.0", "localhost") else f"[{host}]" if ":" in host else host
            announce(f"http://{shown}:{chosen}/?token={access.token}")
            server.run(sockets=[opened])
        finally:
            preparation.close()
            workbench.close()


def listening(host: str, port: int) -> socket.socket:
    """A socket on this port, or on the next free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for candidate in range(port, port + _PORTS_TRIED) if port else (0,):
        opened = socket.socket(family, socket.SOCK_STREAM)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            opened.bind((host.strip("[]"), candidate))
            opened.listen(128)
            return opened
        except OverflowError:
            opened.close()
            break
        except OSError as error:
            opened.close()
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise BadParameter(f"serve: cannot listen on {host}: {error.strerror}.", parameter="host") from error
    raise BadParameter(
        f"serve: no port from {port} to {port + _PORTS_TRIED - 1} is free; name another with --port.", parameter="port"
    )
