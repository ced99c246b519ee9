"""Mixed data of the real world from the command line: people with diagnoses, videos with related ones."""

from __future__ import annotations

import polars as pl
import pytest

from tests.cli.real_releases import figures, released, trees
from tests.shared_data import dataset

QUASI = ["DOBMM", "DOBYY", "RACEX", "EDUCYEAR", "income"]


TYPES = "RACEX=category,EDUCYEAR=category,DOBMM=int,DOBYY=int,income=float"
COLUMNS = ("--items", "codes= ", "--quasi", ",".join(QUASI), "--identifier", "DUPERSID", "--types", TYPES)


@pytest.fixture(scope="module")
def informs(tmp_path_factory):
    """Demographics joined with the set of diagnoses of each person: everybody who has one."""
    folder = dataset("informs2005")
    people = pl.read_csv(folder / "demographics05.csv.gz", infer_schema=False)
    codes = pl.read_csv(folder / "conditions05.csv.gz", infer_schema=False).filter(
        ~pl.col("ICD9CODX").str.starts_with("-")
    )
    sets = codes.group_by("DUPERSID").agg(pl.col("ICD9CODX").unique().sort().str.join(" ").alias("codes"))
    joined = people.join(sets, on="DUPERSID", maintain_order="left")
    file = tmp_path_factory.mktemp("informs") / "informs.csv"
    joined.select("DUPERSID", *QUASI, "codes").write_csv(file)
    return file


@pytest.mark.real_data("informs2005")
@pytest.mark.parametrize("merge", ["r", "t", "rt"])
def test_people_with_diagnoses_under_each_heuristic(run, tmp_path, informs, merge):
    hierarchies = trees(dataset("informs2005"), "hierarchy", ["RACEX", "EDUCYEAR"])
    manifest = released(
        run, tmp_path / "r", informs, *COLUMNS, *hierarchies,
        "--method", "rum-bound", "--merge", merge, "-k", "25", "-m", "2", "--delta", "0.65",
    )  # fmt: skip
    assert manifest["guarantee"]["model"] == "(k,k^m)-anonymity"
    assert manifest["data"]["rows"] == 26_735
    assert figures(tmp_path / "r")["ncp_loss"] <= 0.65
    assert 0 < figures(tmp_path / "r")["utility_loss"] < 0.5
    published = pl.read_csv(tmp_path / "r" / "mixed.csv", infer_schema=False)
    told = published.with_columns(pl.col("codes").str.json_decode(pl.List(pl.String)))
    shared = told.explode("codes").group_by(*QUASI, "codes").len()
    assert shared["len"].min() >= 25  # counted once more, by nobody's verifier
    assert (tmp_path / "r" / "mixed.csv").stat().st_size < 60_000_000  # merged items print all their members
    if merge == "t":
        again = run("verify", tmp_path / "r", "--original", informs, *COLUMNS)
        assert again.code == 0, again.out + again.err


@pytest.mark.real_data("youtube_sample")
def test_videos_with_related_ones(run, tmp_path):
    file = dataset("youtube_sample") / "youtube_sample.csv.gz"
    manifest = released(
        run, tmp_path / "r", file, "--items", "related_ids= ", "--quasi", "age_days,category,length_s,views",
        "--identifier", "video_id,uploader", "--each-row-is-a-person", "--other", "rate,ratings,comments",
        "--method", "rum-bound", "--transaction", "apriori", "-k", "100", "-m", "1", "--delta", "0.65",
    )  # fmt: skip
    assert manifest["data"]["rows"] == 4100
    assert figures(tmp_path / "r")["ncp_loss"] <= 0.65
    # A node above ten thousand videos is listed once and not in every record that shows it.
    assert sum(entry["bytes"] for entry in manifest["files"].values()) < 20_000_000
