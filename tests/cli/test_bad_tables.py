"""Every kind of bad input of tables and mixed data: its code, words that say what and where, and nothing written."""

from __future__ import annotations

import json

import pytest

TABLE = "name,age,town,ill\nAnn,31,Oslo,flu\nBob,32,Oslo,cold\nCid,47,Rome,flu\nDan,52,Rome,cold\n"
SETS = "age,codes\n31,a b\n32,a\n47,b\n52,a b\n"
TOWNS = "Oslo;North;Any\nRome;South;Any\n"
COLUMNS = ("--quasi", "age,town", "--sensitive", "ill", "--identifier", "name")
ITEMS = ("--items", "codes= ", "--quasi", "age")

BAD_TABLES = {
    "fewer records than k": (TABLE, (*COLUMNS, "-k", "5"), "infeasible", 3, "there are 4 records"),
    "everybody would be suppressed": (
        TABLE, (*COLUMNS, "--method", "top-down", "-k", "5", "--max-suppressed", "1"), "infeasible", 3, "4 records",
    ),
    "no quasi-identifier": (
        TABLE, ("--sensitive", "ill", "--identifier", "rest", "--each-row-is-a-person"), "bad-parameter", 2,
        "role quasi",
    ),
    "nobody said who a person is": (
        TABLE, ("--quasi", "age,town", "--identifier", "rest"), "person-undecided", 2, "--each-row-is-a-person",
    ),
    "a person that is a quasi-identifier": (
        TABLE, (*COLUMNS, "--person", "town"), "bad-parameter", 2, "never published",
    ),
    "two answers about persons": (
        TABLE, (*COLUMNS, "--person", "name", "--each-row-is-a-person"), "bad-parameter", 2, "give one of",
    ),
    "unknown column": (TABLE, ("--quasi", "agee", "--identifier", "rest"), "unknown-column", 2, "Did you mean 'age'"),
    "a column used twice": (TABLE, (*COLUMNS, "--label", "ill"), "bad-parameter", 2, "'ill'"),
    "an identifier that is a quasi-identifier": (
        TABLE, ("--quasi", "age,town", "--identifier", "age,name", "--sensitive", "ill"), "bad-parameter", 2, "'age'",
    ),
    "text in a numeric column": (
        TABLE.replace("47", "old"), (*COLUMNS, "--types", "age=int"), "bad-row", 2, "line 4, column 'age'",
    ),
    "too many fields": (TABLE + "Eve,1,Oslo,flu,more\n", COLUMNS, "bad-row", 2, "line 6"),
    "unbalanced quotes": (TABLE + 'Eve,1,"Oslo,flu\n', COLUMNS, "bad-row", 2, "line 6"),
    "a NUL byte": (TABLE + "Eve,1,Os\0lo,flu\n", COLUMNS, "bad-row", 2, "line 6"),
    "a header twice": (TABLE.replace("town", "age", 1), COLUMNS, "unknown-column", 2, "age_2"),
    "an empty header": (TABLE.replace("town", "", 1), COLUMNS, "unknown-column", 2, "column_3"),
    "a value outside its hierarchy": (
        TABLE.replace("Rome", "Riga"), (*COLUMNS, "--hierarchy", "town=towns.csv"), "hierarchy-error", 2, "Riga",
    ),
    "a negative weight": (TABLE, (*COLUMNS, "--weights", "age=-1"), "bad-parameter", 2, "at least 0"),
    "weights of nothing": (TABLE, (*COLUMNS, "--weights", "age=0,town=0"), "bad-parameter", 2, "above 0"),
    "a weight of no quasi-identifier": (TABLE, (*COLUMNS, "--weights", "ill=1"), "bad-parameter", 2, "'ill'"),
    "l without a sensitive column": (
        TABLE, ("--quasi", "age,town", "--identifier", "rest", "--each-row-is-a-person", "-l", "2"), "bad-parameter", 2,
        "sensitive column",
    ),
    "a table that is not diverse": (
        TABLE.replace("cold", "flu"), (*COLUMNS, "-l", "2"), "infeasible", 3, "all records together",
    ),
    "delta above 1": (SETS, (*ITEMS, "--method", "rum-bound", "--delta", "1.5"), "bad-parameter", 2, "0 to 1"),
    "delta below 0": (SETS, (*ITEMS, "--method", "tum-bound", "--delta", "-0.5"), "bad-parameter", 2, "0 to 1"),
    "delta 0 where cells cannot be exact": (
        SETS, (*ITEMS, "--method", "rum-bound", "--delta", "0"), "infeasible", 3, "more than --delta 0",
    ),
    "too few sets with items": (
        "age,codes\n1,a\n1,\n2,\n2,\n", (*ITEMS, "--method", "rum-bound", "--delta", "1"), "infeasible", 3, "4 records",
    ),
    "a sensitive item of too many": (
        SETS, (*ITEMS, "--sensitive-items", "a", "--method", "rum-bound", "-l", "2"), "infeasible-diversity", 3, "'a'",
    ),
    "a form of UL that there is not": (
        SETS, (*ITEMS, "--method", "tum-bound", "--item-loss", "exact"), "bad-parameter", 2, "literal",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_TABLES)
def test_bad_tables_are_named_and_nothing_is_written(run, tmp_path, monkeypatch, name):
    content, arguments, code, exit_code, words = BAD_TABLES[name]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.csv").write_text(content)
    (tmp_path / "towns.csv").write_text(TOWNS)
    defaults = [] if "-k" in arguments else ["-k", "2"]
    method = [] if "--method" in arguments else ["--method", "mondrian"]
    done = run("anonymize", "table.csv", *arguments, *defaults, *method, "--out", "release")
    assert done.code == exit_code, done
    assert done.err.splitlines()[-1].startswith(f"{code}: "), done.err
    assert words in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["table.csv", "towns.csv"]


CYCLE, TWO_ROOTS = "child;parent\nOslo;North\nNorth;South\nSouth;North\n", "child;parent\nOslo;North\nRome;South\n"


@pytest.mark.parametrize(
    ("tree", "words"), [(CYCLE, "line 3"), (TWO_ROOTS, "North"), ("", "empty")], ids=["cycle", "two roots", "empty"]
)
def test_a_hierarchy_that_is_no_tree_is_refused_with_its_lines(run, tmp_path, tree, words):
    (tmp_path / "table.csv").write_text(TABLE)
    (tmp_path / "towns.csv").write_text(tree)
    done = run(
        "anonymize", tmp_path / "table.csv", *COLUMNS, "--hierarchy", f"town={tmp_path / 'towns.csv'}", "-k", "2",
        "--method", "mondrian", "--out", tmp_path / "release",
    )  # fmt: skip
    assert done.code == 2, done
    assert done.err.splitlines()[-1].startswith("hierarchy-error: "), done.err
    assert words in done.err
    assert not (tmp_path / "release").exists()


def test_what_is_lawful_is_released_with_a_warning_where_it_tells_nothing(run, tmp_path):
    """A constant column, one that is missing everywhere, an infinite number, text as missing, m longer than any set."""
    rows = "age,town,size,codes\nold,Oslo,inf,a b\n32,Oslo,,a\n47,Oslo,NaN,\n52,Oslo,?,a b\n"
    (tmp_path / "table.csv").write_text(rows)
    done = run(
        "anonymize", tmp_path / "table.csv", "--items", "codes= ", "--quasi", "age,town,size",
        "--types", "age=int,size=float", "--as-missing", "--method", "rum-bound", "-k", "2", "-m", "8", "--delta", "1",
        "--out", tmp_path / "release",
    )  # fmt: skip
    assert done.code == 0, done
    assert "column 'size' is missing in every record" in done.err
    assert json.loads((tmp_path / "release" / "release.json").read_text())["verdict"]["holds"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [("age,", "years,", "lack the column 'age'"), ("[31:32]", "[31:", "line 2, column 'age'")],
    ids=["a column is missing", "a cell is no cell"],
)
def test_a_published_table_of_another_form_is_a_format_error(run, tmp_path, old, new, words):
    (tmp_path / "table.csv").write_text(TABLE)
    made = run(
        "anonymize", tmp_path / "table.csv", *COLUMNS, "-k", "2", "--method", "mondrian", "--out", tmp_path / "release"
    )
    assert made.code == 0, made.err
    file = tmp_path / "release" / "table.csv"
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new, 1))
    done = run("verify", tmp_path / "release")
    assert done.code == 2, done
    assert done.err.splitlines()[-1].startswith("format-error: "), done.err
    assert words in done.err
