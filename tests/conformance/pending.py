"""Golden vectors that wait for something to be built. Whoever builds it moves the line into a test module.

`PENDING` names whole files; `PENDING_PARTS` names parts of files that are already run. The end of a test run counts
both, and `test_every_vector` fails when a file or part is in neither place, in both, or does not exist.
"""

from __future__ import annotations

PENDING: dict[str, str] = {}

PENDING_PARTS: dict[str, dict[str, str]] = {}
