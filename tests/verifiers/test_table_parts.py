"""The verifier of parts gives the verdict of the verifier of the whole table, on good tables and on broken ones."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from crypsis.data.relational import PublishedTable
from crypsis.errors import OriginalRequired
from crypsis.executors.serial import Serial
from crypsis.guarantees import AllOf, Guarantee, KAnonymity, LDiversity, TCloseness
from crypsis.verifiers import verify
from crypsis.verifiers.table_parts import PublishedColumns, count_parts, verify_parts

ROLES = {"age": "quasi", "town": "quasi", "ill": "sensitive", "pay": "sensitive", "note": "other"}
TYPES = {"age": "int", "town": "category", "ill": "category", "pay": "int", "note": "category"}
COLUMNS = PublishedColumns(ROLES, TYPES, {"town": ["north"]})
PROMISES: tuple[Guarantee, ...] = (
    KAnonymity(k=2),
    LDiversity(l=2),
    LDiversity(l=2, form="entropy"),
    LDiversity(l=2, form="recursive", c=1.5),
    TCloseness(t=0.4),
    TCloseness(t=0.3, distance="ordered"),
    AllOf.of(KAnonymity(k=3), LDiversity(l=2), TCloseness(t=0.5)),
)


def published_frame(rng: np.random.Generator, n: int, suppressed: float) -> pl.DataFrame:
    choices = {
        "age": ["[1:5]", "7", "?", "*"],
        "town": ["north", "{a|b}", "a"],
        "ill": ["flu", "cold", "?"],
        "pay": ["10", "9", "100", "?"],
        "note": ["x", "y"],
    }
    frame = pl.DataFrame({name: rng.choice(texts, n).tolist() for name, texts in choices.items()})
    gone = pl.Series(rng.random(n) < suppressed)
    return frame.select(pl.when(gone).then(pl.lit("~")).otherwise(pl.col(name)).alias(name) for name in ROLES)


@pytest.mark.parametrize("seed", range(4))
def test_the_verdict_on_parts_is_that_on_the_whole(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    frame = published_frame(rng, int(rng.integers(1, 120)), 0.1 if seed % 2 else 0.0)
    whole = PublishedTable.from_frame(frame, ROLES, TYPES, nodes={"town": ["north"]})
    files = []
    bounds = [0, *sorted(rng.integers(0, len(frame) + 1, 2).tolist()), len(frame)]
    for number, (first, last) in enumerate(pairwise(bounds)):
        files.append(str(tmp_path / f"part-{number:05d}.parquet"))
        frame.slice(first, last - first).write_parquet(files[-1])
    with Serial() as executor:
        executor.memory = 4096  # several tasks
        for promised in PROMISES:
            counted = count_parts(files, COLUMNS, promised, executor)
            try:
                expected = verify(whole, promised)
            except OriginalRequired:
                with pytest.raises(OriginalRequired):
                    verify_parts(counted, COLUMNS, promised)
                continue
            assert verify_parts(counted, COLUMNS, promised) == expected


def test_a_row_that_is_partly_suppressed_is_found(tmp_path: Path) -> None:
    frame = published_frame(np.random.default_rng(1), 30, 0.0)
    frame[17, "age"] = "~"
    frame.head(10).write_parquet(tmp_path / "a.parquet")
    frame.tail(20).write_parquet(tmp_path / "b.parquet")
    promised = KAnonymity(k=1)
    with Serial() as executor:
        counted = count_parts([str(tmp_path / "a.parquet"), str(tmp_path / "b.parquet")], COLUMNS, promised, executor)
    expected = verify(PublishedTable.from_frame(frame, ROLES, TYPES, nodes={"town": ["north"]}), promised)
    assert "row 17" in str(expected)
    assert verify_parts(counted, COLUMNS, promised) == expected
