"""Recount sequence k-anonymity of published trajectories in parts, in bounded memory.

Distinct published rows are exchanged by their hash; how many rows of each part, and of each shard of the original,
contain them is counted there and added up. The verdict is the one on all trajectories in memory, witness and figures
included.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from crypsis.arrays import Int32s, Int64s, offsets_of, take_records
from crypsis.data.trajectory import Trajectories
from crypsis.encrypted_files import load
from crypsis.errors import OriginalRequired
from crypsis.guarantees import PatternPreservingKAnonymity, SequenceKAnonymity, Verdict, Witness
from crypsis.verifiers.containing_rows import Rows, distinct_rows
from crypsis.verifiers.counted_rows import CountedRows, row_hashes
from crypsis.verifiers.pattern_preserving_k_anonymity import LOOKED_FOR, original_required
from crypsis.verifiers.published_sequences import counted as counted_words

BYTES_PER_VISIT = 64  # of distinct rows while they are looked for
_HASH_SEED = 7


class Found(NamedTuple):
    """Distinct rows of a file: how many original and how many published trajectories contain each."""

    file: str
    in_original: Int64s | None
    in_published: Int64s


def verify_sequence_parts(
    counted: CountedRows,
    promised: SequenceKAnonymity | PatternPreservingKAnonymity,
    original: Trajectories | None = None,
    shards: Sequence[Any] = (),
) -> Verdict:
    """Each distinct published row is contained in k original trajectories, or else, where rows are true, in k published
    ones.

    `shards` hold the original trajectories in codes of the locations of `original`.
    """
    if original is None and isinstance(promised, PatternPreservingKAnonymity):
        raise original_required(promised)
    if promised.unit == "owner":
        raise OriginalRequired("Published rows do not say whose they are, so owners cannot be counted on parts.")
    k, workers = promised.k, counted.workers
    targets = max(1, -(-int(counted.occurrences.sum()) * BYTES_PER_VISIT // workers.memory))
    pieces = workers.exchange(send_distinct, counted.coded, targets, targets)
    united = workers.exchange(unite_distinct, list(enumerate(pieces)), targets)
    files = [file for piece in united for file in piece]
    n_names = len(counted.names)
    in_published = [np.sum(workers.map(count_in_part, counted.coded, file, n_names), axis=0) for file in files]
    in_original: list[Int64s | None] = [None] * len(files)
    if original is not None:
        number_of = {name: index for index, name in enumerate(counted.names)}
        numbers = np.array([number_of.get((label,), n_names) for label in original.locations.labels], np.int32)
        in_original = [
            np.sum(workers.map(count_in_shard, shards, file, numbers, n_names + 1), axis=0) for file in files
        ]
    findings = [Found(*one) for one in zip(files, in_original, in_published, strict=True)]
    if isinstance(promised, PatternPreservingKAnonymity):
        return _judged_by_original(counted, promised, findings)
    return (
        _from_published_alone(counted, promised, findings)
        if original is None
        else _judged(counted, promised, findings, k)
    )


def _judged_by_original(counted: CountedRows, promised: PatternPreservingKAnonymity, found: Sequence[Found]) -> Verdict:
    k = promised.k
    lowest, witness = _least_supported(counted, [(one.file, one.in_original) for one in found], k)
    if witness is None:
        return Verdict(promised, True, lowest, k, LOOKED_FOR)
    told = counted_words(witness.support, promised.unit, "original")
    figures = {"support_original": witness.support}
    problem = f"{witness} is contained in {told}, {k} are required."
    return Verdict(promised, False, witness.support, k, LOOKED_FOR, witness, problem, figures)


def _least_supported(
    counted: CountedRows, supports: Sequence[tuple[str, Int64s | None]], k: int
) -> tuple[int | None, Witness | None]:
    """The lowest support of any row, and the row to show where some have less than k."""
    worst, broken = None, 0
    lowest: list[int] = []
    for file, support in supports:
        assert support is not None
        breaks = support < k
        lowest += [int(support.min())] if len(support) else []
        broken += int(breaks.sum())
        worst = _worse(worst, counted, file, breaks, support, (support,))
    return min(lowest, default=None), None if worst is None else Witness(worst[2], worst[1], broken)


def _judged(counted: CountedRows, promised: SequenceKAnonymity, found: Sequence[Found], k: int) -> Verdict:
    how = "every distinct published trajectory was looked for in the original and in the published data"
    worst, broken = None, 0
    lowest: list[int] = []
    for file, in_original, in_published in found:
        assert in_original is not None
        breaks = (in_published < k) & ((in_original < k) | promised.strict)
        shown = in_published if promised.strict else np.maximum(in_original, in_published)
        lowest += [int(shown.min())] if len(shown) else []
        broken += int(breaks.sum())
        worst = _worse(worst, counted, file, breaks, np.minimum(in_original, in_published), (in_original, in_published))
    if worst is None:
        return Verdict(promised, True, min(lowest, default=None), k, how)
    _, support, symbols, (original, published) = worst
    witness = Witness(symbols, support, broken)
    problem = (
        f"{witness} is contained in {counted_words(original, promised.unit, 'original')} and "
        f"{counted_words(published, promised.unit, 'published')}, {k} are required."
    )
    figures = {"support_original": original, "support_published": published}
    return Verdict(promised, False, support, k, how, witness, problem, figures)


def _from_published_alone(counted: CountedRows, promised: SequenceKAnonymity, found: Sequence[Found]) -> Verdict:
    k, how = promised.k, "every distinct published trajectory was looked for in the published data"
    lowest, witness = _least_supported(counted, [(one.file, one.in_published) for one in found], k)
    if witness is None:
        return Verdict(promised, True, lowest, k, how)
    support = witness.support
    words = f"{witness} is contained in {counted_words(support, promised.unit, 'published')}"
    if not promised.strict:
        raise OriginalRequired(
            f"Not established: {words}, fewer than {k}. Whether {k} original ones contain it, only the original "
            "data show; give it (original=DATA)."
        )
    figures = {"support_published": support}
    return Verdict(promised, False, support, k, how, witness, f"{words}, {k} are required.", figures)


def _worse(known: Any, counted: CountedRows, file: str, breaks: Any, support: Int64s, told: Sequence[Int64s]) -> Any:
    """The row that breaks the promise: the shortest, the least supported, the first in order."""
    if not breaks.any():
        return known
    offsets, codes = load(file)
    sizes = np.diff(offsets)
    chosen = np.flatnonzero(breaks)
    chosen = chosen[sizes[chosen] == sizes[chosen].min()]
    chosen = chosen[support[chosen] == support[chosen].min()]
    names = counted.names
    cases = [
        (
            int(sizes[row]),
            int(support[row]),
            tuple(names[code] for code in codes[offsets[row] : offsets[row + 1]].tolist()),
            tuple(int(one[row]) for one in told),
        )
        for row in chosen.tolist()
    ]
    return min(cases if known is None else [known, *cases])


def send_distinct(file: str, targets: int) -> Iterator[tuple[int, tuple[Int64s, Int32s]]]:
    """The distinct rows of a part that are not empty, by their hash."""
    offsets, codes = load(file)
    offsets, positions = take_records(offsets, distinct_rows(offsets, codes)[0])
    codes = codes[positions]
    target_of = (row_hashes(offsets, codes, _HASH_SEED) % np.uint64(targets)).astype(np.int64)
    for target in range(targets):
        own, places = take_records(offsets, np.flatnonzero(target_of == target))
        if len(own) > 1:
            yield target, (own, codes[places])


def unite_distinct(numbered: tuple[int, Sequence[str]]) -> Iterator[tuple[int, tuple[Int64s, Int32s]]]:
    """The distinct rows of several parts."""
    number, files = numbered
    if not files:
        return
    pieces = [load(file) for file in files]
    offsets = offsets_of(np.concatenate([np.diff(own) for own, _ in pieces]))
    codes = np.concatenate([own for _, own in pieces])
    chosen, positions = take_records(offsets, distinct_rows(offsets, codes)[0])
    yield number, (chosen, codes[positions])


def count_in_part(part: str, patterns: str, n_names: int) -> Int64s:
    """How many rows of a part contain each pattern."""
    return _count_in(load(part), patterns, n_names)


def count_in_shard(shard: Any, patterns: str, number_of_code: Int32s, n_names: int) -> Int64s:
    """How many original trajectories of a shard contain each pattern."""
    offsets, codes = shard.read()
    return _count_in((offsets, number_of_code[codes] if len(codes) else codes), patterns, n_names)


def _count_in(rows: tuple[Int64s, Int32s], patterns: str, n_names: int) -> Int64s:
    offsets, codes = rows
    everyone = np.arange(len(offsets) - 1, dtype=np.int32)
    return Rows.of(offsets, codes.astype(np.int32), everyone, n_names).supports(*load(patterns))
