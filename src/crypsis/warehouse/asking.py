"""Questions of users in a process of their own, which is ended when it takes too long.

The embedded engine cannot be interrupted while it looks for the first row, so a limit on time needs a process. Run as
`python -m crypsis.warehouse.asking FOLDER`: the question comes on the standard input, the answer goes to the output.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from crypsis.errors import BadQuery
from crypsis.warehouse.engines import Answer, EmbeddedEngine

_START = 5.0  # seconds that a process may need to begin


def ask_in_process(store: Path, sparql: str, *, timeout: float, most_rows: int) -> Answer:
    """The answer of an embedded store, or a refusal after the time given."""
    question = json.dumps({"sparql": sparql, "most_rows": most_rows})
    command = [sys.executable, "-m", "crypsis.warehouse.asking", str(store)]
    try:
        ended = subprocess.run(
            command, input=question, capture_output=True, text=True, timeout=timeout + _START, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise BadQuery(f"The query took longer than {timeout:g} seconds.") from error
    try:
        answer = json.loads(ended.stdout)
    except ValueError as error:
        raise BadQuery("The query needs more than this machine has; add a LIMIT or ask for less.") from error
    if "error" in answer:
        raise BadQuery(answer["error"])
    return Answer(tuple(answer["variables"]), [tuple(row) for row in answer["rows"]])


def main() -> None:
    """Answer the question on the standard input."""
    asked = json.load(sys.stdin)
    engine = EmbeddedEngine(Path(sys.argv[1]), read_only=True)
    try:
        answer = engine.query(asked["sparql"], most_rows=asked["most_rows"])
        told: dict[str, object] = {"variables": answer.variables, "rows": answer.rows}
    except BadQuery as error:
        told = {"error": error.message}
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main()
