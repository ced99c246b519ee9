"""Disassociated transactions from the object that JSON holds; anything that is not of that form is refused by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import offsets_of
from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.disassociated_text import arranged
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadPublication

_LEAF = frozenset({"type", "size", "record_chunks", "term_chunk"})
_JOINT = frozenset({"type", "size", "shared_chunks", "children"})


def parsed(published: Any, sensitive: tuple[str, ...] = ()) -> DisassociatedTransactions:
    """The forest; nodes numbered in the order in which they are met, parents first."""
    if not isinstance(published, Mapping):
        raise BadPublication(f"Disassociated transactions are an object, got {_what(published)}.")
    for name in ("k", "m", "nodes"):
        if name not in published:
            raise BadPublication(f"Disassociated transactions lack {name!r}.")
    unknown = published.keys() - {"k", "m", "nodes", "empty_records", "version"}
    if unknown:
        raise BadPublication(f"Disassociated transactions have no field {sorted(map(str, unknown))[0]!r}.")
    parents: list[int] = []
    sizes: list[int] = []
    chunk_node: list[int] = []
    entries_of_chunk: list[int] = []
    counts: list[int] = []
    items_of_entry: list[int] = []
    items: list[str] = []
    terms_of_node: list[int] = []
    terms: list[str] = []
    waiting: list[tuple[Any, int, str]] = []

    def wait(nodes: Any, parent: int, where: str) -> None:
        listed = _list(nodes, where)
        waiting.extend((listed[i], parent, f"{where}[{i}]") for i in range(len(listed) - 1, -1, -1))

    wait(published["nodes"], -1, "nodes")
    while waiting:
        node, parent, where = waiting.pop()
        if not isinstance(node, Mapping):
            raise BadPublication(f"A node is an object, got {_what(node)}.", where=where)
        kind = node.get("type")
        if kind not in ("leaf", "joint"):
            raise BadPublication(f"A node's type is 'leaf' or 'joint', got {kind!r}.", where=where)
        fields = _LEAF if kind == "leaf" else _JOINT
        if node.keys() != fields:
            wrong = sorted(map(str, node.keys() ^ fields))[0]
            raise BadPublication(f"A {kind} has the fields {', '.join(sorted(fields))}; see {wrong!r}.", where=where)
        number = len(parents)
        parents.append(parent)
        sizes.append(_count(node["size"], where + ".size"))
        named = "record_chunks" if kind == "leaf" else "shared_chunks"
        for chunk_number, chunk in enumerate(_list(node[named], f"{where}.{named}")):
            chunk_place = f"{where}.{named}[{chunk_number}]"
            entries = _list(chunk, chunk_place)
            if not entries:
                raise BadPublication("A chunk has no subrecords.", where=chunk_place)
            chunk_node.append(number)
            entries_of_chunk.append(len(entries))
            for entry in entries:
                if not isinstance(entry, Mapping) or entry.keys() != {"items", "count"}:
                    raise BadPublication("A subrecord has the fields 'items' and 'count'.", where=chunk_place)
                subrecord = entry["items"]
                if not isinstance(subrecord, list) or not subrecord:
                    raise BadPublication("The items of a subrecord are a list that is not empty.", where=chunk_place)
                counts.append(_count(entry["count"], chunk_place))
                items_of_entry.append(len(subrecord))
                items += subrecord
        held = _list(node["term_chunk"], f"{where}.term_chunk") if kind == "leaf" else []
        terms_of_node.append(len(held))
        terms += held
        if kind == "joint":
            if not _list(node["children"], f"{where}.children"):
                raise BadPublication("A joint node has no children.", where=where)
            wait(node["children"], number, f"{where}.children")
    if not all(isinstance(label, str) for label in items) or not all(isinstance(label, str) for label in terms):
        raise BadPublication("A term must be a string.")
    labels = pl.Series(items + terms, dtype=pl.String)
    vocabulary = Vocabulary.of(labels)
    codes = vocabulary.encode(labels)
    return arranged(
        DisassociatedTransactions(
            vocabulary=vocabulary,
            k=_count(published["k"], "k"),
            m=_count(published["m"], "m"),
            empty_records=_count(published.get("empty_records", 0), "empty_records", least=0),
            parent=np.array(parents, np.int64),
            size=np.array(sizes, np.int64),
            chunk_node=np.array(chunk_node, np.int64),
            chunk_offsets=offsets_of(np.array(entries_of_chunk, np.int64)),
            counts=np.array(counts, np.int64),
            entry_offsets=offsets_of(np.array(items_of_entry, np.int64)),
            items=codes[: len(items)],
            term_offsets=offsets_of(np.array(terms_of_node, np.int64)),
            terms=codes[len(items) :],
            sensitive=sensitive,
        )
    )


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise BadPublication(f"A list is wanted here, got {_what(value)}.", where=where)
    return value


def _count(value: Any, where: str, least: int = 1) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value < 1 << 62:
        raise BadPublication(f"A whole number of at least {least} is wanted here, got {value!r}.", where=where)
    return value


def _what(value: Any) -> str:
    return "nothing" if value is None else f"a {type(value).__name__}"
