"""Mixed data cut into shards, released, and compared with the release of the same data in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import crypsis
from crypsis._api import release_records
from crypsis.errors import CrypsisError
from crypsis.executors.executor import Executor
from crypsis.methods.scaling import BlockSize
from crypsis.run_context import RunContext
from crypsis.shards.mixed import shard_mixed
from crypsis.verifiers.mixed_by_definition import is_klm_diverse, kkm_violations
from tests.shards.cut_sets import random_cuts, random_sets
from tests.shards.cut_tables import random_table

ROLES = {"age": "quasi", "town": "quasi", "ill": "sensitive", "note": "other"}
TREES = crypsis.Hierarchies.from_text("age=equi_depth:4:2,town=balanced:2:label")
BY_FREQUENCY = crypsis.BalancedHierarchy(fanout=3, order="frequency")
TOGETHER = crypsis.BalancedHierarchy(fanout=2, order="cooccurrence")
WEIGHTS = crypsis.Weights({"age": "3", "town": "1"})
METHODS: dict[str, tuple[crypsis.Method, ...]] = {
    "r-first": (
        crypsis.RFirst(k=3, m=2),
        crypsis.RFirst(k=2, m=1, relational="mondrian", hierarchy=TREES),
        crypsis.RFirst(k=2, m=2, relational="incognito", max_suppressed=0.2),
        crypsis.RFirst(k=2, m=2, relational="bottom-up", transaction="lra", item_hierarchy=BY_FREQUENCY),
        crypsis.RFirst(k=2, m=2, l=2, seeds="farthest"),
        crypsis.RFirst(k=2, m=1, transaction="coat", utility=crypsis.UtilityPolicy.from_text("frequency:3")),
    ),
    "t-first": (
        crypsis.TFirst(k=3, m=2),
        crypsis.TFirst(k=2, m=2, transaction="apriori", seeds="first"),
        crypsis.TFirst(k=2, m=1, l=2),
        crypsis.TFirst(k=3, m=3, hierarchy=TREES, transaction="vpa", item_hierarchy=TOGETHER),
    ),
    "rum-bound": (
        crypsis.RumBound(k=3, m=2),
        crypsis.RumBound(k=2, m=2, merge="t", delta=0.5),
        crypsis.RumBound(k=2, m=2, merge="rt", relational="mondrian", weights=WEIGHTS),
        crypsis.RumBound(k=3, m=1, l=2, hierarchy=TREES),
        crypsis.RumBound(k=2, m=2, merge="t", score="ul", policy="paper", delta=0.4),
        crypsis.RumBound(k=2, m=2, relational="top-down", max_suppressed=0.1, transaction="lra"),
        crypsis.RumBound(k=2, m=2, merge="r", transaction="apriori", l=2),
    ),
    "tum-bound": (
        crypsis.TumBound(k=3, m=2),
        crypsis.TumBound(k=2, m=2, merge="t", delta=0.3),
        crypsis.TumBound(k=3, m=2, merge="rt", score="btd-or", delta=0.1, best_effort=True),
        crypsis.TumBound(k=2, m=1, l=2, delta=0.4),
        crypsis.TumBound(k=2, m=2, relational="mondrian", hierarchy=TREES, delta=0.5, item_loss="literal"),
        crypsis.TumBound(k=2, m=2, transaction="apriori", item_loss="semantic", delta=0.6),
    ),
}


def random_mixed(rng: np.random.Generator, n: int, secrets: int = 0, spread: int = 9) -> crypsis.Mixed:
    """Records with missing values, ties and empty sets; the last items may be sensitive."""
    table = random_table(rng, n, ROLES, spread)
    return crypsis.Mixed(table, random_sets(rng, n, int(rng.integers(3, 10)), secrets), "codes", ("codes",))


def drawn(name: str, seed: int) -> tuple[crypsis.Mixed, crypsis.Method, np.random.Generator]:
    """Random data and a method for them."""
    rng = np.random.default_rng([seed, len(name)])
    method = METHODS[name][seed % len(METHODS[name])]
    n = int(rng.integers(0, 90))
    data = random_mixed(rng, n, 2 if getattr(method, "l", 1) > 1 else 0, int(rng.integers(1, 14)))
    return data, method, rng


def with_people(rng: np.random.Generator, data: crypsis.Mixed) -> crypsis.Mixed:
    """The same records of people of whom one owns a fifth and the others about two each, anywhere."""
    people = rng.integers(0, max(len(data) // 2, 1), len(data))
    people[rng.random(len(data)) < 0.2] = 0
    return replace(data, table=data.table.change(person=people))


def release_cut(data: crypsis.Mixed, method: Any, cuts: Sequence[int], block_rows: int, executor: Executor) -> Any:
    encoded = shard_mixed(data, executor, [0, *cuts, len(data)])
    return release_records(encoded, method, executor, BlockSize(block_rows), RunContext())


def shown(run: Any) -> Any:
    """What is published and noted, the records as they are written, too."""
    try:
        release = run()
    except CrypsisError as error:
        return type(error), str(error)
    form = release.kind.as_written(release.data)
    frame = form.take(release.kind.sorted_rows(form)).to_frame()
    scopes = None if form.scopes is None else form.scopes.tolist()
    left_out = ("applied_mapping", "rounds")  # an object; how the data were split
    facts = {name: str(value) for name, value in release.context.private.items() if name not in left_out}
    return frame.rows(), release.data.to_frame().rows(), scopes, facts, str(release.verify()), release.scaling


def compare(name: str, seed: int, executors: Sequence[Executor], *, people: bool = False) -> bool:
    """One block is the release in memory; several are the same wherever the data are cut, and keep the promise.

    Whether there were several blocks."""
    data, method, rng = drawn(name, seed)
    if people:
        data = with_people(rng, data)
    n = len(data)
    expected = shown(lambda: crypsis.anonymize(data, method))
    for executor in executors:
        cuts, rows = random_cuts(rng, n), int(rng.choice([max(n, 1), n + 30]))
        assert shown(lambda: release_cut(data, method, cuts, rows, executor)) == expected  # noqa: B023
    block_rows = int(rng.choice([1, 30, int(rng.integers(4, 40))]))
    runs = [(executor, random_cuts(rng, n)) for executor in (*executors, executors[0])]
    some = [
        shown(lambda: release_cut(data, method, cuts, block_rows, executor))  # noqa: B023
        for executor, cuts in runs
    ]
    assert all(one == some[0] for one in some)
    if isinstance(some[0][0], type):
        assert some[0] == expected  # no blocks were possible, and then nothing is
        return False
    release = release_cut(data, method, [], block_rows, executors[0])
    check_promise(release)
    blocks = release.context.private.get("blocks")
    assert release.scaling == (None if n <= block_rows else {"mode": "blocks", "block_rows": block_rows})
    if blocks is None:
        assert n <= block_rows or some[0][:4] == expected[:4]
        return False
    assert sorted(row for rows in blocks for row in rows) == list(range(n))
    if data.person is not None:
        assert sum(len(set(data.person[rows].tolist())) for rows in blocks) == len(set(data.person.tolist()))
    return True


def check_promise(release: Any) -> None:
    """By the verifier, against the original, and word for word as the promise is defined."""
    assert release.verify().holds, release.verify()
    assert crypsis.verify(release.data, release.guarantee, release.original).holds
    data, k, m = release.data, release.method.k, release.method.m
    kept = np.flatnonzero(~data.table.suppressed)[:200]
    if len(kept) < np.count_nonzero(~data.table.suppressed) or release.original.person is not None:
        return  # definitions below count records
    frame = data.table.to_frame().select(data.table.quasi)[kept.tolist()]
    scopes = np.zeros(len(data), np.int32) if data.scopes is None else data.scopes
    classes = [(*cells, int(scopes[row])) for cells, row in zip(frame.rows(), kept.tolist(), strict=True)]
    secret = set(data.sensitive)
    lists = [data.transactions.to_lists()[row] for row in kept.tolist()]
    names = [[str(symbol) for symbol in row if not secret & _labels(symbol)] for row in lists]
    assert not kkm_violations(classes, names, k, m)
    if secret:
        secrets = [[str(symbol) for symbol in row if secret & _labels(symbol)] for row in lists]
        assert is_klm_diverse(classes, names, secrets, k, release.method.l, m)


def _labels(symbol: Any) -> set[str]:
    return {symbol} if isinstance(symbol, str) else set(symbol)
