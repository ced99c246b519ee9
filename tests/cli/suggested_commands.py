"""The commands that `crypsis data inspect` prints for a file, as tests run them."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from tests.cli.conftest import Run


def commands(run: Run, file: Path) -> dict[str, list[str]]:
    """The printed commands by the words above them, as the arguments of a run."""
    told = json.loads(run("data", "inspect", file, "--json").out)["commands"]
    assert all(one.startswith("crypsis anonymize ") for one in told.values())
    return {words: shlex.split(one)[1:] for words, one in told.items()}
