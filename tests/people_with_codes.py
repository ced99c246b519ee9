"""INFORMS as one table: people with a set of codes each, out of the two files of the dataset."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from tests.shared_data import dataset


def people_with_codes(folder: Path, people: int) -> Path:
    """The first people of INFORMS who have codes, with a set of codes each: the two files as one table."""
    told = dataset("informs2005")
    codes = (
        pl.read_csv(told / "conditions05.csv.gz", infer_schema=False)
        .with_columns(pl.col("ICD9CODX").str.strip_chars())
        .filter(~pl.col("ICD9CODX").is_in(["-1", "-9"]))  # not coded
        .group_by("DUPERSID")
        .agg(pl.col("ICD9CODX").unique().sort().str.join(" ").alias("codes"))
    )
    table = pl.read_csv(told / "demographics05.csv.gz", infer_schema=False)
    joined = table.join(codes, on="DUPERSID", how="inner", maintain_order="left").head(people)
    file = folder / "informs.csv"
    joined.select("DUPERSID", "DOBMM", "DOBYY", "RACEX", "EDUCYEAR", "income", "codes").write_csv(file)
    return file
