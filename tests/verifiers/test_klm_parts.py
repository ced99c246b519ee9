"""(k,l)^m-anonymity on parts has the verdict, witness and figures of all trajectories in memory."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest

import crypsis
from crypsis.data.formats.published import read_published_trajectories, write_published_trajectories
from crypsis.errors import OriginalRequired
from crypsis.executors.serial import Serial
from crypsis.shards.records import shard_records
from crypsis.verifiers import containment_matching, klm_parts, subsequence_supports
from crypsis.verifiers.counted_rows import CountedRows, count_rows
from crypsis.verifiers.trajectory_parts import shown_symbols, verify_trajectory_parts
from tests.shards.cut_sets import random_cuts
from tests.shards.cut_walks import random_walks

PROMISES = [
    crypsis.KlmAnonymity(k=k, l=least, m=m) for k, least, m in product((1, 2, 5), (1, 2, 4, 10**9), (0, 1, 2, 3))
]
METHODS = {
    "lm-anon": crypsis.LmAnon(k=3, l=2, m=2, on_infeasible="suppress"),
    "zga": crypsis.ZGA(k=2, l=2, m=2, clusters=4, on_infeasible="suppress"),
    "sga": crypsis.SGA(k=2, l=3, m=3, clusters=3, patterns=4, on_infeasible="suppress"),
}


def random_rows(rng: np.random.Generator, n: int, *, overlap: bool) -> crypsis.PublishedTrajectories:
    """Rows of symbols, of which two share a location, and of sensitive locations."""
    symbols = [["a"], ["b", "c"], ["d"], *([["c", "d"], ["a", "b"]] if overlap else []), ["s"], ["t"]]
    weights = np.array([8.0] * (len(symbols) - 2) + [1, 1])
    rows = [
        [symbols[code] for code in rng.choice(len(symbols), rng.integers(0, 6), p=weights / weights.sum())]
        for _ in range(n)
    ]
    return replace(crypsis.PublishedTrajectories.from_lists(rows, sensitive=["s", "t", "u"]), suppressed=None)


def counted_parts(
    published: crypsis.PublishedTrajectories, folder: Path, cuts: list[int], executor: Serial
) -> CountedRows:
    folder.mkdir()
    files = []
    for number, (first, last) in enumerate(pairwise([0, *cuts, len(published)])):
        files.append(str(folder / f"part-{number:05d}.parquet"))
        write_published_trajectories(published.take(np.arange(first, last)), files[-1], "parquet")
    return count_rows(files, read_published_trajectories, executor)


@pytest.mark.parametrize("seed", range(6))
def test_random_rows_have_the_verdict_of_rows_in_memory(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    published = random_rows(rng, int(rng.integers(0, 80)), overlap=seed % 2 == 0)
    with Serial() as executor:
        executor.memory = 1 << 12 if seed % 3 else executor.memory  # many ranges, or one
        counted = counted_parts(published, tmp_path / "parts", random_cuts(rng, len(published)), executor)
        for promised in PROMISES:
            verdict = verify_trajectory_parts(counted, promised, shown_symbols(counted, published.sensitive))
            assert verdict.to_dict() == crypsis.verify(published, promised).to_dict()


def test_all_outcomes_occur(tmp_path: Path) -> None:
    words = set()
    with Serial() as executor:
        for overlap in (True, False):
            published = random_rows(np.random.default_rng(8), 400, overlap=overlap)
            counted = counted_parts(published, tmp_path / str(overlap), [100, 100, 350], executor)
            for promised in PROMISES:
                verdict = verify_trajectory_parts(counted, promised, shown_symbols(counted, published.sensitive))
                witness = verdict.witness.to_dict() if verdict.witness is not None else {}
                words.add((verdict.holds, witness.get("kind"), "overlapping-symbols" in (verdict.problem or "")))
    assert words == {(True, None, False), (False, "k", False), (False, "l", False), (False, None, True)}


@pytest.mark.parametrize("seed", range(6))
def test_original_locations_are_matched_as_in_memory(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 120))
    published = random_rows(rng, n, overlap=seed % 2 == 0)
    lists = published.symbols.label_lists
    paths = [
        [str(rng.choice(lists[code])) for code in row] for row in np.split(published.codes, published.offsets[1:-1])
    ]
    places = {label: (float(number), 0.0) for number, label in enumerate("abcdstu")}
    original = crypsis.Trajectories.from_lists(paths, crypsis.Locations.of(places).marked("stu"))
    with Serial() as executor:
        executor.memory = 1 << 13 if seed % 3 else executor.memory
        counted = counted_parts(published, tmp_path / "parts", random_cuts(rng, n), executor)
        encoded = shard_records(original, executor, [0, *random_cuts(rng, n), n])
        for promised in PROMISES[seed % 3 :: 3]:
            verdict = verify_trajectory_parts(counted, promised, published, encoded.one_of_each, encoded.shards)
            assert verdict.to_dict() == crypsis.verify(published, promised, original).to_dict()


def test_matching_finds_what_counting_symbols_does_not(tmp_path: Path) -> None:
    rows = [[["a", "b"], "s"]] * 2 + [[["b", "c"], "s"]] * 2 + [[["a", "b"], ["b", "c"]]] * 2
    published = crypsis.PublishedTrajectories.from_lists(rows, sensitive=["s"])
    paths = [["b", "s"]] * 2 + [["c", "s"]] * 2 + [["a", "c"]] * 2  # four of six who fit b hold s
    places = {label: (float(number), 0.0) for number, label in enumerate("abcds")}
    original = crypsis.Trajectories.from_lists(paths, crypsis.Locations.of(places).marked("s"))
    with Serial() as executor:
        counted = counted_parts(published, tmp_path / "parts", [1, 4], executor)
        encoded = shard_records(original, executor, [0, 3, len(original)])
        words = []
        for promised in PROMISES:
            verdict = verify_trajectory_parts(counted, promised, published, encoded.one_of_each, encoded.shards)
            assert verdict.to_dict() == crypsis.verify(published, promised, original).to_dict()
            words.append(str(verdict))
    assert any("knowing the original locations" in one for one in words)


def test_of_much_knowledge_the_same_choice_is_tried_as_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(containment_matching, "VISITS_PER_SIZE", 1000)
    for module in (klm_parts, subsequence_supports):
        monkeypatch.setattr(module, "ENTRIES_AT_ONCE", 100)
    rng = np.random.default_rng(5)
    walks = random_walks(rng, 200, 12)
    walks = replace(walks, locations=walks.locations.marked(["p06", "p07"]))
    published = crypsis.anonymize(walks, METHODS["zga"]).data
    with Serial() as executor:
        counted = counted_parts(published, tmp_path / "parts", random_cuts(rng, 200), executor)
        encoded = shard_records(walks, executor, [0, *random_cuts(rng, 200), 200])
        promised = METHODS["zga"].guarantee
        for executor.memory in (1 << 13, 1 << 30):
            verdict = verify_trajectory_parts(counted, promised, published, encoded.one_of_each, encoded.shards)
            assert verdict.figures["containment"]["exhaustive"] is False
            assert verdict.to_dict() == crypsis.verify(published, promised, walks).to_dict()


@pytest.mark.parametrize("name", METHODS)
def test_what_methods_publish_has_the_verdict_of_rows_in_memory(name: str, tmp_path: Path) -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        walks = random_walks(rng, 90, 8)
        walks = replace(walks, locations=walks.locations.marked(["p06", "p07"]))
        published = replace(crypsis.anonymize(walks, METHODS[name]).data, suppressed=None)
        promised = METHODS[name].guarantee
        with Serial() as executor:
            executor.memory = 1 << 14
            counted = counted_parts(published, tmp_path / str(seed), random_cuts(rng, 90), executor)
            shown = shown_symbols(counted, published.sensitive)
            verdict = verify_trajectory_parts(counted, promised, shown)
            assert verdict.holds
            assert verdict.to_dict() == crypsis.verify(published, promised).to_dict()
            stronger = replace(promised, k=9, l=9)
            broken = verify_trajectory_parts(counted, stronger, shown)
            assert not broken.holds
            assert broken.to_dict() == crypsis.verify(published, stronger).to_dict()


def test_a_sensitive_location_inside_a_symbol_is_noticed(tmp_path: Path) -> None:
    published = crypsis.PublishedTrajectories.from_lists([[["a", "b"]], [["a"], ["c"]], []], sensitive=["b"])
    promised = crypsis.KlmAnonymity(k=1, l=1, m=1)
    with Serial() as executor:
        counted = counted_parts(published, tmp_path / "parts", [1], executor)
        verdict = verify_trajectory_parts(counted, promised, shown_symbols(counted, ["b"]))
        assert verdict.to_dict() == crypsis.verify(published, promised).to_dict()
        assert "published intact" in str(verdict)
        with pytest.raises(OriginalRequired, match="whose they are"):
            verify_trajectory_parts(counted, replace(promised, unit="owner"), shown_symbols(counted, ["b"]))
