"""Families whose members are imported when they are first used, each by itself; their names are known before."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import Any, Generic, TypeVar

Member = TypeVar("Member")
Key = TypeVar("Key")


def imported(place: str) -> Any:
    """What is found at `module.Name`."""
    module, _, name = place.rpartition(".")
    return getattr(import_module(module), name)


class LateMembers(MutableMapping[str, Member], Generic[Member]):
    """Members by name, in the order in which they are listed. Values are imported; names are not."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places: dict[str, str | None] = dict(places)  # `module.Name`; None for what was put in by hand
        self._loaded: dict[str, Member] = {}

    def __getitem__(self, name: str) -> Member:
        if name not in self._loaded:
            self._loaded[name] = imported(self._places[name] or "")
        return self._loaded[name]

    def loaded(self) -> list[Member]:
        """Those that were used by now, here or by whoever imported their file."""
        files = {name: (place or "").rpartition(".")[0] for name, place in self._places.items()}
        return [self[name] for name, file in files.items() if name in self._loaded or file in sys.modules]

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


class MembersByClass(MutableMapping[Key, Member], Generic[Key, Member]):
    """Members by a class, or by several together. To look one up imports it and no class but those that ask."""

    def __init__(self, makers: Mapping[tuple[str, ...], Callable[[], Member]]) -> None:
        self._makers: dict[tuple[str, ...], Callable[[], Member] | None] = dict(makers)  # None: put in by hand
        self._made: dict[tuple[str, ...], Member] = {}
        self._keys: dict[tuple[str, ...], Key] = {}

    def __getitem__(self, key: Key) -> Member:
        places = _places_of(key)
        if places not in self._made:
            make = self._makers[places]
            assert make is not None
            self._made[places] = make()
        return self._made[places]

    def __setitem__(self, key: Key, member: Member) -> None:
        places = _places_of(key)
        self._makers.setdefault(places, None)
        self._made[places], self._keys[places] = member, key

    def __delitem__(self, key: Key) -> None:
        places = _places_of(key)
        del self._makers[places]
        self._made.pop(places, None)
        self._keys.pop(places, None)

    def __contains__(self, key: object) -> bool:
        return _places_of(key) in self._makers

    def __iter__(self) -> Iterator[Key]:
        for places in list(self._makers):
            if places not in self._keys:
                classes: Any = tuple(imported(place) for place in places)
                self._keys[places] = classes if len(classes) > 1 else classes[0]
            yield self._keys[places]

    def __len__(self) -> int:
        return len(self._makers)


def _places_of(key: Any) -> tuple[str, ...]:
    classes = key if isinstance(key, tuple) else (key,)
    return tuple(f"{class_.__module__}.{class_.__qualname__}" for class_ in classes)
