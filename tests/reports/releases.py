"""Small and large releases to report on: manifests like those of real releases, and published rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from crypsis.arrays import offsets_of
from crypsis.data.symbols import Symbols
from crypsis.data.trajectory import Locations, PublishedTrajectories
from crypsis.data.vocabulary import Vocabulary
from crypsis.guarantees import KmAnonymity

Case = tuple[dict[str, Any], PublishedTrajectories, Locations | None]

NASTY = ["<script>alert(1)</script>", '" onload="x', "' & </title><b>", "\u202etxt.exe", "\x00\x1b[31m"]


def manifest_of(published: PublishedTrajectories, **changes: Any) -> dict[str, Any]:
    """The manifest of a release that keeps k^m-anonymity; `changes` replace whole parts of it."""
    manifest: dict[str, Any] = {
        "schema": "crypsis-release/1",
        "created": "2026-11-15",
        "software": {"name": "crypsis", "version": "0.1.0"},
        "method": {
            "name": "seq-anon",
            "class": "SeqAnon",
            "summary": "Merge nearby locations until enough people share them.",
            "parameters": {"k": 5, "m": 2, "on_infeasible": "error", "unit": None, "apriori": True},
            "assured": True,
        },
        "guarantee": KmAnonymity(k=5, m=2).to_dict(),
        "verdict": {
            "holds": True,
            "achieved": 6,
            "required": 5,
            "counted": "every subsequence of the published rows was counted",
            "problem": None,
            "witness": None,
            "min_support_by_size": [1084, 6],
        },
        "figures": {"symbols": len(published.symbols), "published_intact_score": 0.4, "symbol_size_loss": 2.345678},
        "data": {
            "kind": "trajectories",
            "file": "trajectories.jsonl",
            "format": "jsonl",
            "rows": len(published),
            "visits": published.visits,
            "symbols": len(published.symbols),
            "order": "sorted",
        },
        "provenance": {"python": "3.11", "numpy": "2.4"},
    }
    return manifest | changes


def town(n_locations: int = 60, n_rows: int = 2000, seed: int = 4) -> Case:
    """Places around some centres; symbols of one to six neighbours; few symbols are visited by most people."""
    random = np.random.default_rng(seed)
    centre = random.uniform(0, 5000, (6, 2))[random.integers(0, 6, n_locations)]
    x, y = (centre + random.normal(0, 300, (n_locations, 2))).T
    order = np.lexsort((y, x))
    representative = np.empty(n_locations, np.int32)
    representative[order] = np.repeat(np.arange(n_locations), random.integers(1, 7, n_locations))[:n_locations]
    vocabulary = Vocabulary([f"place {number:05d}" for number in range(n_locations)])
    symbols, _ = Symbols.of_partition(vocabulary, representative)
    weights = 1 / np.arange(1, len(symbols) + 1)
    lengths = random.integers(0, 9, n_rows)
    codes = random.choice(len(symbols), lengths.sum(), p=weights / weights.sum()).astype(np.int32)
    published = PublishedTrajectories(offsets_of(lengths), codes, symbols)
    return manifest_of(published), published, Locations(vocabulary, np.ascontiguousarray(x), np.ascontiguousarray(y))


def of_rows(rows: list[list[str | list[str]]], places: dict[str, Any] | None = None, **changes: Any) -> Case:
    published = PublishedTrajectories.from_lists(rows)
    return manifest_of(published, **changes), published, None if places is None else Locations.of(places)


def nothing_counted() -> dict[str, Any]:
    """A verdict on data in which nothing occurs that could be rare."""
    return {"holds": True, "achieved": None, "required": 5, "counted": "everything", "min_support_by_size": []}


def broken() -> dict[str, Any]:
    """A verdict on data that break their promise."""
    problem = "(c) occurs in 1 trajectory, 5 are required."
    return {
        "holds": False,
        "achieved": 1,
        "required": 5,
        "counted": "everything",
        "problem": problem,
        "witness": {"size": 1, "support": 1, "witness": [["c"]], "violations": 1},
        "min_support_by_size": [1],
    }


def cases() -> dict[str, Case]:
    """Releases of every shape, down to none at all."""
    equal = dict.fromkeys("abc", (3.5, -1.0))
    far = {"a": (-1.7e308, 1.7e308), "b": (1.7e308, -1.7e308), "c": (0, 0)}
    near = {"a": (0, 0), "b": (5e-324, 0), "c": (0, 5e-324)}
    mixed: list[list[str | list[str]]] = [["a", ["b", "c"]], [["b", "c"]], []]
    return {
        "a town": town(),
        "one row": of_rows([["a"]], {"a": (1, 2)}),
        "no row": of_rows([], verdict=nothing_counted(), utility={}),
        "empty rows": of_rows([[], [], []], verdict=nothing_counted()),
        "empty rows and a place": of_rows([[], []], {"a": (0, 0)}, verdict=nothing_counted()),
        "no coordinates": of_rows(mixed),
        "a place unknown": of_rows(mixed, {"a": (0, 0), "b": (1, 1)}),
        "no place known": of_rows(mixed, {"z": (0, 0)}),
        "all places equal": of_rows(mixed, equal),
        "places on a line": of_rows(mixed, {"a": (0, 0), "b": (1, 0), "c": (5, 0)}),
        "places on a column": of_rows(mixed, {"a": (0, 0), "b": (0, 1), "c": (0, 5)}),
        "places far apart": of_rows(mixed, far),
        "places hardly apart": of_rows(mixed, near),
        "only groups": of_rows([[["a", "b"], ["a", "b"]]] * 3, {"a": (0, 0), "b": (1, 1)}),
        "overlapping groups": of_rows([[["a", "b"], ["b", "c"], "b"]] * 3, {"a": (0, 0), "b": (1, 1), "c": (2, 0)}),
        "nasty labels": of_rows([[NASTY[0], NASTY[1:]]] * 3, {label: (n, n * n) for n, label in enumerate(NASTY)}),
        "broken": of_rows([["a", "b"], ["a"], ["c"]], far, verdict=broken()),
        "trivial": of_rows(mixed, guarantee=KmAnonymity(k=1, m=2).to_dict()),
        "owners": of_rows(mixed, guarantee=KmAnonymity(k=5, m=2, unit="owner").to_dict()),
        "many sizes": of_rows(mixed, verdict=nothing_counted() | {"min_support_by_size": list(range(40, 5, -1))}),
        "a bare manifest": ({}, PublishedTrajectories.from_lists(mixed), None),
        "no method": of_rows(mixed, method=None, figures={}, provenance=None),
    }
