"""Sets, trajectories and tracks cut into shards, released, and compared with the release of the same data in memory."""

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
from crypsis.shards.records import shard_records
from crypsis.shards.tracks import shard_tracks
from tests.shards.cut_sets import random_cuts, random_sets
from tests.shards.cut_tracks import drawn_ppsg, random_tracks
from tests.shards.cut_walks import random_walks

RECODED = ("apriori", "sensitive-apriori", "suppressing-apriori", "vpa", "coat", "pcta", "policy")
SETS = ("disassociation", "diverse", "lra", *RECODED)
WALKS = ("seq-anon", "truncated", "sd-seq-anon", "u-seq-anon", "kam-cut")
TRACKS = ("ppsg", "ppsg-strict", "ppsg-kam-cut", "ppsg-owner")
BLOCKS = ("lm-anon", "suppressing", "zga", "sga", "kam-rec", "strict", "bf-p2ka", *TRACKS)


def drawn(name: str, rng: np.random.Generator) -> tuple[Any, crypsis.Method]:
    """Random data and a method for them."""
    n, k = int(rng.integers(1, 60)), int(rng.integers(1, 5))
    if name in WALKS:
        data = random_walks(rng, n, int(rng.integers(2, 9)))
        m = int(rng.integers(1, 4))
        return data, {
            "seq-anon": crypsis.SeqAnon(k=k, m=m),
            "truncated": crypsis.SeqAnon(k=k, m=m, on_infeasible="truncate"),
            "sd-seq-anon": crypsis.SDSeqAnon(k=k, m=m, on_infeasible="truncate"),
            "u-seq-anon": crypsis.USeqAnon(k=k, m=m, delta=100.0),
            "kam-cut": crypsis.KAMCut(k=k),
        }[name]
    secrets = 2 if name in ("diverse", "sensitive-apriori") else 0
    if name in RECODED:  # enough rare sets for many steps
        k = int(rng.integers(2, 9))
        sets = random_sets(rng, n, int(rng.integers(6, 20)), secrets)
    else:
        sets = random_sets(rng, n, int(rng.integers(2, 12)), secrets)
    size = int(rng.integers(2 * k, 5 * k + 1)) if k > 1 else 4
    return sets, {
        "disassociation": crypsis.Disassociation(k=k, refine="none", max_cluster_size=size),
        "diverse": crypsis.Disassociation(k=k, l=2, refine="none", max_cluster_size=size),
        "lra": crypsis.LRA(k=k, m=2),
        "apriori": crypsis.Apriori(k=k, m=int(rng.integers(1, 4))),
        "sensitive-apriori": crypsis.Apriori(k=k, m=2, l=int(rng.integers(1, 4))),
        "suppressing-apriori": crypsis.Apriori(k=k, m=2, max_suppressed_items=0.3),
        "coat": crypsis.COAT(k=k, m=int(rng.integers(1, 4)), utility=drawn_utility(rng, sets), max_suppressed=0.3),
        "pcta": crypsis.PCTA(k=k, m=int(rng.integers(1, 4))),
        "policy": crypsis.PCTA(k=k, privacy=drawn_policy(rng, sets)),
        "vpa": crypsis.VPA(k=k, m=int(rng.integers(1, 4)), parts=int(rng.integers(1, 4))),
    }[name]


def drawn_in_blocks(name: str, rng: np.random.Generator) -> tuple[Any, crypsis.Method]:
    """Random trajectories or tracks and a method that works in blocks."""
    n, k, m = int(rng.integers(20, 90)), int(rng.integers(1, 4)), int(rng.integers(1, 3))
    if name in TRACKS:
        tracks = random_tracks(rng, n, "EPSG:32650" if rng.random() < 0.3 else None)
        if name == "ppsg-owner":
            tracks = replace(tracks, owners=rng.integers(0, n // 2, n).astype(np.int32))
        return tracks, drawn_ppsg(name, rng, k)
    data = random_walks(rng, n, int(rng.integers(4, 9)))
    if name in ("lm-anon", "suppressing", "zga", "sga"):
        data = replace(data, locations=data.locations.marked(["p03"]))
    return data, {
        "lm-anon": crypsis.LmAnon(k=k, l=2, m=m),
        "suppressing": crypsis.LmAnon(k=k, l=4, m=m, on_infeasible="suppress"),
        "zga": crypsis.ZGA(k=k, l=2, m=m, clusters=2, on_infeasible="suppress"),
        "sga": crypsis.SGA(k=k, l=2, m=m, clusters=2, on_infeasible="suppress"),
        "kam-rec": crypsis.KAMRec(k=k, p=30),
        "strict": crypsis.KAMRec(k=k, p=30, strict=True),
        "bf-p2ka": crypsis.BFP2kA(k=k),
    }[name]


def compare_blocks(name: str, seed: int, executors: Sequence[Executor], *, people: bool = False) -> None:
    """One block is the release in memory; several are the same wherever the data are cut, and keep the promise."""
    rng = np.random.default_rng(seed)
    data, method = drawn_in_blocks(name, rng)
    if people:
        data, method = with_people(rng, data), counting(rng, method)
    expected = outcome(lambda: crypsis.anonymize(data, method))
    runs = [release_cut_as(data, method, random_cuts(rng, len(data)), len(data), executor) for executor in executors]
    assert all(outcome(run) == expected for run in runs)
    block_rows = int(rng.integers(5, len(data)))
    some = [
        outcome(release_cut_as(data, method, random_cuts(rng, len(data)), block_rows, executor))
        for executor in (*executors, executors[0])
    ]
    assert all(one == some[0] for one in some)
    if isinstance(some[0][0], type):
        assert some[0] == expected
        return
    release = release_cut(data, method, [], block_rows, executors[0])
    assert release.verify().holds
    blocks = release.context.private.get("blocks")
    told = {"mode": "blocks", "block_rows": block_rows}
    assert release.scaling == (told if len(release.data) > block_rows else None)
    if blocks is not None:
        assert sorted(row for rows in blocks for row in rows) == list(range(len(data)))
        if getattr(method, "unit", None) == "owner":
            held = [set(data.owners[rows].tolist()) for rows in blocks]
            assert sum(map(len, held)) == len(set(data.owners.tolist()))


def release_cut_as(data: Any, method: crypsis.Method, cuts: list[int], block_rows: int, executor: Executor) -> Any:
    return lambda: release_cut(data, method, cuts, block_rows, executor)


def drawn_utility(rng: np.random.Generator, data: crypsis.Transactions) -> crypsis.UtilityPolicy:
    """Some items together, others with one more, the last of all alone."""
    labels = list(data.vocabulary.labels)
    cuts = sorted(rng.integers(0, len(labels) + 1, 2).tolist())
    return crypsis.UtilityPolicy([part for part in np.split(np.array(labels), cuts) if len(part)])


def drawn_policy(rng: np.random.Generator, data: crypsis.Transactions) -> crypsis.PrivacyPolicy:
    """A few sets of up to four items."""
    labels = [*data.vocabulary.labels, "never"]
    return crypsis.PrivacyPolicy(
        [rng.choice(labels, min(int(rng.integers(1, 5)), len(labels)), replace=False).tolist() for _ in range(6)]
    )


def outcome(run: Any) -> Any:
    """What is published and noted; or the error."""
    try:
        release = run()
    except CrypsisError as error:
        return type(error), str(error)
    facts = {name: str(getattr(value, "to_pairs", lambda value=value: value)()) for name, value in
             release.context.private.items() if name != "tree"}  # fmt: skip
    data = release.data
    shown = data.to_canonical() if hasattr(data, "to_canonical") else data.to_lists()
    kept = [np.asarray(one).tolist() for one in (getattr(data, "leaf_of_record", None),) if one is not None]
    places = getattr(data, "places", None)
    if places is not None:
        kept.append([places.to_frame().rows(), places.written.areas])
    return shown, kept, facts, str(release.verify()), release.figures(), release.context.warnings


def release_cut(data: Any, method: crypsis.Method, cuts: list[int], block_rows: int, executor: Executor) -> Any:
    shard = shard_tracks if isinstance(data, crypsis.Tracks) else shard_records
    encoded = shard(data, executor, [0, *cuts, len(data)])
    return release_records(encoded, method, executor, BlockSize(block_rows), RunContext())


def with_people(rng: np.random.Generator, data: Any) -> Any:
    """The same records of people of whom one owns a fifth and the others about three each, anywhere."""
    people = rng.integers(0, max(len(data) // 3, 1), len(data))
    people[rng.random(len(data)) < 0.2] = 0
    if isinstance(data, crypsis.Transactions):
        return replace(data, person=people)
    return replace(data, owners=(3 * people + 2).astype(np.int32))  # numbers with gaps


def counting(rng: np.random.Generator, method: Any) -> Any:
    """The method as it counts people; now and then trajectories, or without a choice."""
    if not hasattr(method, "unit"):
        return method
    return replace(method, unit=[*["owner"] * 8, "trajectory", None][int(rng.integers(10))])


def compare(name: str, seed: int, executor: Executor, *, people: bool = False) -> None:
    rng = np.random.default_rng(seed)
    data, method = drawn(name, rng)
    if people:
        data, method = with_people(rng, data), counting(rng, method)
    expected = outcome(lambda: crypsis.anonymize(data, method))
    block_rows = int(rng.choice([1, 30, 1000]))
    assert outcome(lambda: release_cut(data, method, random_cuts(rng, len(data)), block_rows, executor)) == expected
