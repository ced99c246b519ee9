"""Recheck disassociated transactions in parts, in bounded memory: roots share nothing, so each part is checked alone.

The verdict is the one on the whole forest, problems and figures included; counts of terms are added up. With the
original also the number of records and the counts of terms are compared; that every chunk is the projection of its
records is checked where a run of clusters is published.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.disassociated_text import Forest, arranged
from crypsis.data.forest_counts import ForestCounts
from crypsis.data.transaction import Transactions
from crypsis.data.workers import Workers
from crypsis.errors import BadPublication, NotApplicable
from crypsis.guarantees import DisassociationAnonymity, Guarantee, Verdict
from crypsis.verifiers.chunk_supports import rarest_sets
from crypsis.verifiers.disassociation import (
    MOST_REPORTED,
    Problem,
    count_problems,
    how_checked,
    lowest_support,
    own_problems,
    sensitive_problems,
    verdict_of,
)

Read = Callable[[str], DisassociatedTransactions]
_FIRST_STEP = re.compile(r"^nodes\[(\d+)\]")


@dataclass(frozen=True, eq=False)
class CountedForests:
    """What was counted of all parts, what is wrong with them, kind by kind, and a checksum of their roots."""

    counts: ForestCounts
    promised: DisassociationAnonymity
    lowest: int | None
    problems: tuple[Problem, ...]
    damage: Problem | None  # a part that is no forest
    checksum: int | None = None

    @property
    def n_records(self) -> int:
        return self.counts.records


def count_forests(
    files: Sequence[str], read: Read, promised: Guarantee, workers: Workers, seed: bytes | None = None
) -> CountedForests:
    """Check every part. With a seed, roots are also added up to a checksum."""
    if not isinstance(promised, DisassociationAnonymity):
        raise NotApplicable(f"{promised.model} is not counted on parts; verify the release without an executor.")
    checked: list[dict[str, Any]] = workers.map(check_part, list(files), read, promised, seed)
    first_root = np.concatenate([[0], np.cumsum([check["roots"] for check in checked])]).tolist()
    by_kind = zip(*[check["problems"] for check in checked], strict=True)
    every = (_moved(problem, first) for kind in by_kind for own, first in zip(kind, first_root[:-1], strict=True)
             for problem in own)  # fmt: skip
    lowest = [check["lowest"] for check in checked if check["lowest"] is not None]
    return CountedForests(
        ForestCounts.added([check["counts"] for check in checked]),
        promised,
        min(lowest, default=None),
        tuple(islice(every, MOST_REPORTED)),
        next((check["damage"] for check in checked if check["damage"] is not None), None),
        None if seed is None else added_checksums([check["checksum"] for check in checked]),
    )


def check_part(file: str, read: Read, promised: DisassociationAnonymity, seed: bytes | None) -> dict[str, Any]:
    """What is wrong with the forest of a part, and what there is to count."""
    published = read(file)
    damage = None
    try:
        data = arranged(published)
    except BadPublication as error:
        where = ": ".join(filter(None, (Path(file).name, error.where)))
        damage, data = Problem("format_error", where, error.message), replace(_emptied(published))
    rarest, counts = rarest_sets(data, promised.k, promised.m), ForestCounts.of(data)
    return {
        "counts": counts,
        "roots": int(np.count_nonzero(data.parent < 0)),
        "lowest": lowest_support(counts, rarest),
        "problems": [list(islice(kind, MOST_REPORTED)) for kind in own_problems(data, promised, rarest)],
        "damage": damage,
        "checksum": None if seed is None else checksum_of([text for text, _ in Forest(data).roots], seed),
    }


def _emptied(data: DisassociatedTransactions) -> DisassociatedTransactions:
    """The same without any node."""
    none, no_codes = np.zeros(0, np.int64), np.zeros(0, np.int32)
    start = np.zeros(1, np.int64)
    return replace(
        data, parent=none, size=none, chunk_node=none, chunk_offsets=start, counts=none, entry_offsets=start,
        items=no_codes, term_offsets=start, terms=no_codes, leaf_of_record=None,
    )  # fmt: skip


def _moved(problem: Problem, first_root: int) -> Problem:
    """With the path of its node in the whole forest."""
    where = _FIRST_STEP.sub(lambda step: f"nodes[{int(step[1]) + first_root}]", problem.where)
    return replace(problem, where=where)


def checksum_of(texts: Sequence[bytes], seed: bytes) -> int:
    """A keyed sum of hashes of the texts of roots: equal for equal roots in any order."""
    return added_checksums(
        [int.from_bytes(hashlib.blake2b(text, digest_size=16, key=seed).digest(), "little") for text in texts]
    )


def added_checksums(sums: Sequence[int]) -> int:
    """The checksum of all roots by those of some each."""
    return sum(sums) % (1 << 128)


def verify_forest_parts(
    counted: CountedForests,
    promised: Guarantee,
    sensitive: Collection[str] = (),
    original: Transactions | None = None,
    n_filled: int = 0,
    n_empty: int = 0,
) -> Verdict:
    """The verdict on what was checked. `sensitive` is what the release declares. `original` is given where clusters
    were compared with it: it has every term that occurs and how many records hold it; how many are filled is told."""
    if not isinstance(promised, DisassociationAnonymity) or promised != counted.promised:
        raise NotApplicable("The parts were counted for another guarantee; count them again.")
    how = how_checked(original is not None, original is not None)
    if counted.damage is not None:
        return verdict_of(promised, None, how, [counted.damage], None)
    labels = set(sensitive)
    compared: Iterator[Problem] = iter(())
    if original is not None:
        if original.sensitive is not None:
            labels |= set(original.vocabulary.series.filter(original.sensitive).to_list())
        compared = count_problems(counted.counts, original, n_filled, n_empty)
    problems = chain(counted.problems, sensitive_problems(counted.counts, promised, labels), compared)
    return verdict_of(promised, counted.lowest, how, problems, counted.counts)
