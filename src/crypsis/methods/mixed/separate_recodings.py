"""Recodings of items that meet in one class are told apart where an item would belong to two symbols of it.

A class whose clusters come from several blocks has the recoding of each. Counting its symbols bounds what somebody
learns only where no item is behind two of them, so recodings that overlap get numbers of their own (scopes).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crypsis.arrays import Int64s
from crypsis.methods.mixed.item_recoding import Recoded

Symbols = tuple[tuple[str, ...], ...]


def separate_recodings(class_of: Int64s, block_of: Int64s, recoded: Sequence[Recoded]) -> list[Recoded]:
    """The recodings with scopes that tell those apart that clusters of several blocks have in one class.

    `class_of` and `block_of` number the class and the block of each cluster.
    """
    remaining = list(recoded)
    clusters_of: dict[int, list[int]] = {}
    for cluster, number in enumerate(class_of.tolist()):
        clusters_of.setdefault(number, []).append(cluster)
    for clusters in clusters_of.values():
        if len(set(block_of[clusters].tolist())) < 2:
            continue
        parts = [(_shown(recoded[one], scope), one, scope) for one in clusters for scope in _scopes(recoded[one])]
        scope_of = dict(zip([part[1:] for part in parts], number_scopes([part[0] for part in parts]), strict=True))
        for one in clusters:
            own = recoded[one].scopes
            new = np.array([scope_of[one, scope] for scope in own.tolist()], np.int64).reshape(own.shape)
            remaining[one] = recoded[one]._replace(scopes=new)
    return remaining


def number_scopes(recodings: Sequence[Symbols]) -> list[int]:
    """The scope of each recoding: as few as a walk in the order of the symbols needs, so that in none of them an item
    is behind two symbols. What is told does not depend on the order in which recodings come."""
    scopes: list[dict[str, tuple[str, ...]]] = []  # the symbol that each item is behind
    chosen: dict[Symbols, int] = {}
    for symbols in sorted(set(recodings)):
        fitting = (
            index
            for index, known in enumerate(scopes)
            if all(known.get(item, labels) == labels for labels in symbols for item in labels)
        )
        index = next(fitting, len(scopes))
        if index == len(scopes):
            scopes.append({})
        scopes[index].update({item: labels for labels in symbols for item in labels})
        chosen[symbols] = index
    return [chosen[symbols] for symbols in recodings]


def _scopes(one: Recoded) -> list[int]:
    return [int(scope) for scope in np.unique(one.scopes)]


def _shown(one: Recoded, scope: int) -> Symbols:
    """The symbols that records of a scope show."""
    kept = np.repeat(one.scopes == scope, np.diff(one.offsets))
    return tuple(sorted(tuple(sorted(one.symbols[code])) for code in np.unique(one.codes[kept]).tolist()))
