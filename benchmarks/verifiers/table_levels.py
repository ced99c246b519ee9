"""k, l and t of a million records with eight quasi-identifiers, beside pycanon on a hundred thousand of them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks import peers
from benchmarks.comparison import Row, best_of
from crypsis.data.foreign_table import foreign_table
from crypsis.data.relational import PublishedTable
from crypsis.guarantees import KAnonymity, LDiversity, TCloseness
from crypsis.verifiers import verify
from crypsis.verifiers.table_levels import TableLevels, table_levels

QUASI = [f"q{number}" for number in range(8)]
LIMIT = 3.0  # seconds

# Ours, and what pycanon calls it. Its t is the ordered distance where values are numbers.
MODELS: dict[str, tuple[Callable[[TableLevels], Any], str]] = {
    "k-anonymity": (lambda found: found.k, "k_anonymity(frame, quasi)"),
    "distinct l-diversity": (lambda found: found.sensitive[0].distinct_l, "l_diversity(frame, quasi, sensitive)"),
    "entropy l-diversity": (
        lambda found: int((found.sensitive[0].entropy_l or 0) + 1e-9),
        "entropy_l_diversity(frame, quasi, sensitive)",
    ),
    "t-closeness": (lambda found: found.sensitive[0].ordered_t, "t_closeness(frame, quasi, sensitive)"),
}


def rows(quick: bool = False) -> Iterator[Row]:
    """Levels of all models at once, then each verifier; and each model beside the peer, from the same frame.

    The rows beside the peer are processor time of both, and ours always counts everything: all models, and reading the
    texts of the frame, which is most of it.
    """
    size = 100_000 if quick else 1_000_000
    table = published(size)
    yield Row("levels k, l (3), t (2)", f"{size:,} x 8", best_of(2, lambda: table_levels(table)), limit=LIMIT)
    promises = (KAnonymity(k=1), LDiversity(l=1), LDiversity(l=1, form="entropy"), TCloseness(t=1.0))
    for promised in promises:
        form = getattr(promised, "form", "")
        seconds = best_of(1, lambda: verify(table, promised))  # noqa: B023
        yield Row(f"verify {form} {promised.model}".replace("  ", " "), f"{size:,} x 8", seconds, limit=LIMIT)
    small = 10_000 if quick else 100_000
    frame = generalized(small)
    ours = peers.processor_time(3, lambda: table_levels(foreign_table(frame, quasi=QUASI, sensitive=["sensitive"])))
    levels = table_levels(foreign_table(frame, quasi=QUASI, sensitive=["sensitive"]))
    with tempfile.TemporaryDirectory() as folder:
        frame.write_csv(Path(folder) / "table.csv")
        for model, (level, call) in MODELS.items():
            code = f"from pycanon import anonymity\nquasi, sensitive = {QUASI!r}, ['sensitive']\n"
            code += f"def work(frame):\n    return float(anonymity.{call})"
            found = peers.measured(
                "pycanon", code, Path(folder) / "table.csv", repeats=1 if model == "t-closeness" else 2
            )
            if found is not None:
                assert abs(found[1] - level(levels)) < 1e-9, f"{model}: pycanon {found[1]}, ours {level(levels)}"
            note = "cpu, ours is all models" if found is not None else peers.missing() or "pycanon failed"
            theirs = None if found is None else found[0]
            yield Row(f"levels, {model}", f"{small:,} x 8 from a frame", ours, "pycanon", theirs, note=note)


def generalized(records: int, seed: int = 1) -> pl.DataFrame:
    """Coarse cells of people who live in groups: a few thousand classes of very different sizes."""
    random = np.random.Generator(np.random.PCG64(seed))
    kinds = np.minimum(random.geometric(1 / 400, records), 4000)
    columns = {name: (kinds * (place + 3)) % (3 + 4 * place) for place, name in enumerate(QUASI)}
    return pl.DataFrame(columns | {"sensitive": random.integers(0, 50, records)})


def published(records: int) -> PublishedTable:
    """The same as a table to be checked."""
    found = foreign_table(generalized(records), quasi=QUASI, sensitive=["sensitive"])
    assert isinstance(found, PublishedTable)
    return found
