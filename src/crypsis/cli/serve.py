"""`crypsis serve`: the workbench in the browser, on this machine."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from crypsis.cli.output import note, show
from crypsis.cli.settings import SETTINGS


def serve(
    workspace: Annotated[Path, typer.Argument(help="Folder of your work. It is created if it does not exist.")] = Path(
        "crypsis-workspace"
    ),
    host: Annotated[str, "Address to listen on."] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port. If it is taken, the next free one is used.")
    ] = (8190),
    allow_remote: Annotated[bool, "Accept remote connections (disables opening local files by path)."] = False,
    name: Annotated[list[str] | None, "A further name of this machine that may be asked for."] = None,
    upload_limit: Annotated[
        int, typer.Option("--upload-limit", min=1, help="Largest upload in megabytes, also once it is unpacked.")
    ] = 2000,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the address in the browser.")] = False,
) -> None:
    """Work in the browser: look at data, anonymize, compare, verify.

    Prints an address with a token; whoever has it sees the data. Everything is kept in the workspace folder.
    """
    from crypsis.web.security import MEGABYTE
    from crypsis.web.server import serve as serve_workspace

    def announce(address: str) -> None:
        if SETTINGS.get().json:
            show({"address": address, "workspace": str(workspace)}, "")
            sys.stdout.flush()
        else:
            print(f"Crypsis is at  {address}", flush=True)
            note(f"workspace      {workspace.resolve()}\nstop with Ctrl-C; everything you saved stays")
        if open_browser:
            import webbrowser

            webbrowser.open(address)

    serve_workspace(
        workspace,
        host=host,
        port=port,
        allow_remote=allow_remote,
        names=tuple(name or ()),
        upload_limit=upload_limit * MEGABYTE,
        announce=announce,
    )
