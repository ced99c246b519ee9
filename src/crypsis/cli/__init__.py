"""The command line: one file per command. A command parses, calls the public API and shows the answer."""

from crypsis.cli.main import main

__all__ = ["main"]
