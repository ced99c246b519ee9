"""What a disassociated release allows, exactly: the most and fewest records that can hold a set of terms.

Works on the canonical object. An integer programme has one variable per leaf and composition of a record: a subrecord
or nothing of each chunk that the leaf can use, presence bits for the wanted terms of its term chunk, and one for "some
other term of it". For a single leaf of few records all ways to lay its subrecords out are tried as well.
"""

from __future__ import annotations

from itertools import combinations, permutations, product
from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import lil_array

MOST_VARIABLES = 100_000


def terms_of(published: dict[str, Any]) -> list[str]:
    found: set[str] = set()
    for leaf, chunks, _ in _leaves(published):
        found.update(leaf["term_chunk"])
        for _, chunk, _ in chunks:
            for entry in chunk:
                found.update(entry["items"])
    return sorted(found)


def violations(published: dict[str, Any]) -> list[dict[str, Any]]:
    """Sets of up to m terms that fit some record, but never k at once."""
    found = []
    for size in range(1, published["m"] + 1):
        for wanted in combinations(terms_of(published), size):
            if _plainly_frequent(published, wanted):
                continue
            most = extreme_support(published, wanted)
            if 0 < most < published["k"]:
                found.append({"items": list(wanted), "max": most})
    return found


def _plainly_frequent(published: dict[str, Any], wanted: tuple[str, ...]) -> bool:
    """Some leaf lets k records hold all of it, because one chunk alone shows what its term chunk does not add.

    Terms of a term chunk may be in every record of the leaf, and subrecords of one chunk are in different records; this
    holds for every release that has a possible original. Sets that span chunks are left to the integer programme.
    """
    for leaf, chunks, _ in _leaves(published):
        shown = set(wanted) - set(leaf["term_chunk"])
        if not shown and leaf["size"] >= published["k"]:
            return True
        for _, chunk, _ in chunks[: len(leaf["record_chunks"])]:
            if sum(entry["count"] for entry in chunk if shown <= set(entry["items"])) >= published["k"]:
                return True
    return False


def extreme_support(published: dict[str, Any], wanted: tuple[str, ...] | list[str], most: bool = True) -> int:
    """The largest (or smallest) number of records that hold all wanted terms in a possible original."""
    variables: list[tuple[int, frozenset[Any], frozenset[str], bool]] = []  # leaf, parts, terms, other term
    leaves = list(_leaves(published))
    for number, (leaf, chunks, _) in enumerate(leaves):
        usable = []
        for chunk_id, chunk, taken in chunks:
            fitting = [(chunk_id, index) for index, entry in enumerate(chunk) if not taken.intersection(entry["items"])]
            usable.append([None, *fitting])
        named = [term for term in leaf["term_chunk"] if term in wanted]
        others = [False, True] if set(leaf["term_chunk"]) - set(wanted) else [False]
        sizes = np.prod([len(choices) for choices in usable], dtype=float) * 2 ** len(named) * len(others)
        if len(variables) + sizes > MOST_VARIABLES:
            raise ValueError("too many compositions")
        for parts in product(*usable):
            for bits in product([False, True], repeat=len(named)):
                for other in others:
                    held = frozenset(part for part in parts if part is not None)
                    present = frozenset(term for term, bit in zip(named, bits, strict=True) if bit)
                    if held or present or other:
                        variables.append((number, held, present, other))
    entry_items = {
        (chunk_id, index): frozenset(entry["items"])
        for _, chunks, _ in leaves
        for chunk_id, chunk, _ in chunks
        for index, entry in enumerate(chunk)
    }
    counts = {
        (chunk_id, index): entry["count"]
        for _, chunks, _ in leaves
        for chunk_id, chunk, _ in chunks
        for index, entry in enumerate(chunk)
    }
    rows: list[tuple[list[int], float, float]] = []
    for part, count in counts.items():
        rows.append(([i for i, (_, held, _, _) in enumerate(variables) if part in held], count, count))
    for number, (leaf, _, _) in enumerate(leaves):
        own = [i for i, (where, _, _, _) in enumerate(variables) if where == number]
        rows.append((own, leaf["size"], leaf["size"]))
        rows += [
            ([i for i in own if term in variables[i][2]], 1, np.inf) for term in leaf["term_chunk"] if term in wanted
        ]
        if set(leaf["term_chunk"]) - set(wanted):
            rows.append(([i for i in own if variables[i][3]], 1, np.inf))
    matrix = lil_array((len(rows), len(variables)))
    for row, (members, _, _) in enumerate(rows):
        matrix[row, members] = 1
    counted = np.array(
        [
            set(wanted) <= set().union(present, *(entry_items[part] for part in held))
            for _, held, present, _ in variables
        ],
        float,
    )
    solved = milp(
        -counted if most else counted,
        constraints=LinearConstraint(matrix.tocsr(), [low for _, low, _ in rows], [high for _, _, high in rows]),
        integrality=np.ones(len(variables)),
        bounds=Bounds(0, np.inf),
    )
    if solved.x is None:
        raise ValueError("there is no possible original")
    return round(float(counted @ np.round(solved.x)))


def most_by_trying(leaf: dict[str, Any], wanted: tuple[str, ...]) -> int:
    """The same for one leaf of at most six records, by trying every way to lay its chunks side by side."""
    size = leaf["size"]
    assert size <= 6
    hidden = set(leaf["term_chunk"])
    laid = []
    for chunk in leaf["record_chunks"]:
        cells = [frozenset(entry["items"]) for entry in chunk for _ in range(entry["count"])]
        cells += [frozenset()] * (size - len(cells))
        laid.append(sorted(set(permutations(cells)), key=str))
    best = -1
    for chosen in product(laid[0][:1] if laid else [], *laid[1:]) if laid else [()]:
        records = [frozenset().union(*(cells[slot] for cells in chosen)) for slot in range(size)]
        if not hidden and not all(records):
            continue
        # A term of the term chunk may be in every record.
        best = max(best, sum(set(wanted) <= record | hidden for record in records))
    return best


def _leaves(published: dict[str, Any]) -> list[tuple[dict[str, Any], list[Any], None]]:
    """Each leaf with the chunks it may use: (chunk id, entries, terms of the leaf that exclude an entry)."""
    found: list[tuple[dict[str, Any], list[Any], None]] = []

    def walk(node: dict[str, Any], path: tuple[int, ...], above: list[tuple[Any, list[Any]]]) -> None:
        if node["type"] == "joint":
            shared = [((*path, "shared", i), chunk) for i, chunk in enumerate(node["shared_chunks"])]
            for i, child in enumerate(node["children"]):
                walk(child, (*path, i), [*above, (shared, node)])  # type: ignore[list-item]
            return
        chunks: list[Any] = [((*path, i), chunk, frozenset()) for i, chunk in enumerate(node["record_chunks"])]
        own = set(node["term_chunk"])
        for chunk in node["record_chunks"]:
            for entry in chunk:
                own.update(entry["items"])
        for shared, _ in reversed(above):
            taken = frozenset(own)
            for chunk_id, chunk in shared:
                chunks.append((chunk_id, chunk, taken))
            for _, chunk in shared:
                for entry in chunk:
                    own.update(entry["items"])
        found.append((node, chunks, None))

    for i, node in enumerate(published["nodes"]):
        walk(node, (i,), [])
    return found
