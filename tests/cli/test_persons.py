"""Who is one person, from the command line: asked where a column seems to say so, counted where it was said."""

from __future__ import annotations

import json

import polars as pl
import pytest

from tests.shared_data import dataset

ROWS = "user,age,town,ill\n" + "".join(
    f"u{row % 7 if row > 30 else 0},{30 + row % 9},{'Oslo' if row % 2 else 'Rome'},{'flu' if row % 3 else 'cold'}\n"
    for row in range(60)
)
COLUMNS = ("--quasi", "age,town", "--sensitive", "ill")
SUGGESTED = {  # file: the column that is asked about, or none
    "adult": ("adult.csv", None),
    "informs2005": ("demographics05.csv.gz", "DUID"),
    "citibike_jc": ("citibike_jc_202003_202004.parquet", "bikeid"),
}


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(ROWS)
    return path


def test_a_run_stops_with_both_remedies_as_they_are_typed(run, table, tmp_path):
    done = run("anonymize", table, *COLUMNS, "--identifier", "user", "--method", "mondrian", "--out", tmp_path / "r")
    assert done.code == 2
    assert "person-undecided: Does one person have several rows? Column 'user'" in done.err
    assert "--person user" in done.err
    assert "--each-row-is-a-person" in done.err
    assert not (tmp_path / "r").exists()


def test_people_are_counted_and_their_column_is_nowhere(run, table, tmp_path):
    private = tmp_path / "private.json"
    done = run(
        "anonymize", table, *COLUMNS, "--person", "user", "--method", "mondrian", "-k", "4", "--out", tmp_path / "r",
        "--private-report", private,
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "of 7 people" in done.err
    assert "unit=person" in done.out
    for file in (tmp_path / "r").iterdir():
        assert "u0" not in file.read_text()
    names = pl.read_csv(table)["user"].to_list()
    shown = pl.read_csv(tmp_path / "r" / "table.csv", infer_schema=False)
    published_row = json.loads(private.read_text())["published_row_of_input_row"]
    order = sorted(range(len(names)), key=published_row.__getitem__)
    people = shown.with_columns(who=pl.Series([names[row] for row in order]))
    assert people.group_by("age", "town").agg(pl.col("who").n_unique())["who"].min() >= 4
    alone = run("verify", tmp_path / "r")
    assert alone.code == 2
    assert "original-required" in alone.err
    told = run("verify", tmp_path / "r", "--original", table, "--person", "user", "--private-report", private)
    assert told.code == 0, told.err


def test_rows_are_counted_only_where_that_was_confirmed(run, table, tmp_path):
    done = run(
        "anonymize", table, *COLUMNS, "--identifier", "user", "--each-row-is-a-person", "--method", "mondrian",
        "-k", "4", "--out", tmp_path / "r",
    )  # fmt: skip
    assert done.code == 0
    assert "each record is taken to be one person" in done.out
    told = run("verify", tmp_path / "r", "--original", table, "--person", "user")
    assert told.code == 4
    assert "it counts records" in told.out


def test_risk_counts_people(run, table):
    rows = run("data", "risk", table, "--quasi", "age,town", "--json")
    assert "Does one person have several rows?" in rows.err
    people = run("data", "risk", table, "--quasi", "age,town", "--person", "user", "--json")
    assert json.loads(rows.out)["people"] is None
    assert json.loads(people.out)["people"] == 7
    assert json.loads(people.out)["prosecutor"]["highest"] > json.loads(rows.out)["prosecutor"]["highest"]


def test_levels_of_a_table_of_others_count_people(run, table):
    by_rows = run("verify", table, "--quasi", "town", "--sensitive", "ill", "--json")
    assert "Count people with --person user" in by_rows.err
    rows = json.loads(by_rows.out)["levels"]
    found = run("verify", table, "--quasi", "town", "--sensitive", "ill", "--person", "user", "--json")
    people = json.loads(found.out)["levels"]
    assert (rows["people"], people["people"]) == (None, 7)
    assert people["k"] < rows["k"]
    judged = run("verify", table, "--quasi", "town", "--person", "user", "--model", "k-anonymity", "-k", "8")
    assert judged.code == 4
    assert "people, 8 are required" in judged.out


@pytest.mark.long
def test_inspect_asks_in_words_and_the_first_experiment_asks_too(run, table, tmp_path):
    assert "Does one person have several rows?" in run("data", "inspect", table).out
    assert json.loads(run("data", "inspect", table, "--json").out)["person"]["column"] == "user"
    text = run("data", "inspect", table, "--as-experiment").out
    assert '#   person = "user"' in text
    (tmp_path / "e.toml").write_text(text)
    refused = run("compare", tmp_path / "e.toml", "--out", tmp_path / "results")
    assert refused.code == 2
    assert 'person = "user"' in refused.err
    (tmp_path / "answered.toml").write_text(text.replace("[dataset]\n", '[dataset]\nperson = "user"\n', 1))
    answered = run("compare", tmp_path / "answered.toml", "--out", tmp_path / "results")
    assert answered.code == 0, answered.err


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.real_data(name)) for name in SUGGESTED])
def test_suggested_settings_of_real_tables_are_safe_or_asked(run, tmp_path, name):
    file, column = SUGGESTED[name]
    text = run("data", "inspect", dataset(name) / file, "--as-experiment").out
    (tmp_path / "e.toml").write_text(text)
    if column is None:
        assert "person" not in text
        return
    assert f'#   person = "{column}"' in text
    assert f"{column} = {{type = " in text
    refused = run("compare", tmp_path / "e.toml", "--out", tmp_path / "results")
    assert refused.code == 2
    assert "Does one person have several rows?" in refused.err


@pytest.mark.real_data("geolife_sample")
def test_geolife_is_suggested_as_tracks_by_user(run):
    """As a table it was "verified k=5" while nearly every row carried an exact user id."""
    text = run("data", "inspect", dataset("geolife_sample") / "geolife_11users.csv.xz", "--as-experiment").out
    assert 'kind = "tracks"\nt = "datetime_gmt"\nrepeated = "first"\n' in text
    assert 'params = {k = 5, unit = "owner"}' in text


@pytest.mark.real_data("geolife_sample")
def test_geolife_read_as_a_table_counts_its_users(run, tmp_path):
    file = dataset("geolife_sample") / "geolife_11users.csv.xz"
    quasi = ("--quasi", "lat,lon", "--identifier", "trajectory,alt_ft,datetime_gmt")
    careless = run("anonymize", file, *quasi, "--other", "uid", "--method", "mondrian", "--out", tmp_path / "a")
    assert careless.code == 2
    assert "person-undecided" in careless.err
    done = run("anonymize", file, *quasi, "--person", "uid", "--method", "mondrian", "--out", tmp_path / "r")
    assert done.code == 0, done.err
    assert "of 11 people" in done.err
