"""Stream services killed again and again, for tests of what they leave."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.runtime.streams import tables

ROOT = Path(__file__).parents[2]


def killed_again_and_again(folder: Path, how: str, seed: int, **changes: dict[str, object]) -> int:
    """Run to the end through kills; how many there were."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.runtime.crashing", str(folder), json.dumps(tables(**changes)), how, str(seed)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout)
