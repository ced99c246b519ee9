"""Anonymization methods, one file each. `METHODS` lists them by command-line name; a new one is one line here."""

from __future__ import annotations

from crypsis.errors import UnknownMethod, did_you_mean
from crypsis.methods.method import Method
from crypsis.methods.trajectory.seq_anon import SeqAnon

METHODS: dict[str, type[Method]] = {method.name(): method for method in (SeqAnon,)}

__all__ = ["METHODS", "Method", "SeqAnon", "method_named"]


def method_named(name: str) -> type[Method]:
    """The method with this command-line name."""
    if name not in METHODS:
        raise UnknownMethod(
            f"There is no method {name!r}; known are {', '.join(METHODS)}.{did_you_mean(name, METHODS)}"
        )
    return METHODS[name]
