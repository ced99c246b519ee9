"""Families whose members are imported when they are first used, each by itself; their names are known before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import Generic, TypeVar

Member = TypeVar("Member")


class LateMembers(MutableMapping[str, Member], Generic[Member]):
    """Members by name, in the order in which they are listed. Values are imported; names are not."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places: dict[str, str | None] = dict(places)  # `module.Name`; None for what was put in by hand
        self._loaded: dict[str, Member] = {}

    def __getitem__(self, name: str) -> Member:
        if name not in self._loaded:
            module, _, member = (self._places[name] or "").rpartition(".")
            self._loaded[name] = getattr(import_module(module), member)
        return self._loaded[name]

    def __setitem__(self, name: str, member: Member) -> None:
        self._places.setdefault(name, None)
        self._loaded[name] = member

    def __delitem__(self, name: str) -> None:
        del self._places[name]
        self._loaded.pop(name, None)

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __repr__(self) -> str:
        return f"LateMembers({', '.join(self._places)})"
