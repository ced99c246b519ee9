"""How methods are called on the command line and in experiments: by the name of their class, in words."""

from __future__ import annotations

import re

_BETWEEN_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z][A-Za-z])|(?<=[A-Z])(?=[A-Z][a-z0-9])")


def command_name(class_name: str) -> str:
    """`seq-anon` for SeqAnon, `bf-p2ka` for BFP2kA."""
    return _BETWEEN_WORDS.sub("-", class_name).lower()
