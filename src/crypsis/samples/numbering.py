"""Names for the people and things of a sample: person-0001, person-0002, …"""

from __future__ import annotations

import polars as pl


def numbered(prefix: str, count: int) -> pl.Series:
    """`prefix-1` to `prefix-count`, padded with zeros so that names sort as numbers do."""
    number = pl.int_range(1, count + 1, eager=True).cast(pl.String).str.zfill(len(str(count)))
    return pl.select(pl.format(prefix + "-{}", number).alias("id")).to_series()
