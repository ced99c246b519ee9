"""Commands on data in parts."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tests.cli.conftest import Run
from tests.evaluate.examples import people, sweep_of_people


def test_a_folder_of_parts_is_anonymized_and_verified_part_by_part(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    for number in range(2):
        columns = {"age": rng.integers(0, 30, 60), "ill": [f"i{one}" for one in rng.integers(0, 4, 60)]}
        pl.DataFrame(columns).write_parquet(tmp_path / f"{number}.parquet")
    out = tmp_path / "out"
    command = ["anonymize", tmp_path / "*.parquet", "--method", "mondrian", "-k", "4", "--quasi", "age"]
    about = {"title": "Ages", "controller": "Town hospital", "purpose": "Research", "recipient": "Institute"}
    about |= {"legal_basis": "Art. 6", "made_by": "A. Registrar", "approved_by": "B. Officer"}
    (tmp_path / "about.json").write_text(json.dumps(about))
    command += ["--sensitive", "ill", "--out", out, "--about", tmp_path / "about.json"]
    where = ["--memory", "512MiB", "--scratch", tmp_path, "--block-rows", "50"]
    assert run(*command, "--executor", "serial", *where).code == 0
    assert (out / "table" / "part-00000.parquet").is_file()
    assert json.loads((out / "release.json").read_text())["about"] == about
    for report in (out / "report.html", tmp_path / "out.private.html"):
        assert all(words in report.read_text() for words in about.values())
    assert run("verify", out, "--executor", "serial").code == 0
    assert not list(tmp_path.glob("crypsis-scratch-*"))
    assert "option-without-effect" in run(*command, "--overwrite", "--workers", "2").err
    assert "insecure-scheduler" in run(*command, "--overwrite", "--executor", "tcp://10.1.1.1:8786").err


def test_a_private_release_of_parts_tells_nothing_of_the_data_and_charges_once(run: Run, tmp_path: Path) -> None:
    for number in range(2):
        (tmp_path / f"{number}.csv").write_text("age,ill\n" + "31,flu\n47,none\nzq-secret-417,flu\n" * 200)
    domains = {"age": {"low": 18, "high": 66}, "ill": ["flu", "none"]}
    (tmp_path / "domains.json").write_text(json.dumps(domains))
    out, ledger = tmp_path / "out", tmp_path / "people.ledger"
    command = ["anonymize", tmp_path / "*.csv", "--method", "diff-multi", "--quasi", "age", "--label", "ill"]
    command += ["--epsilon", "1", "--domains", tmp_path / "domains.json", "--ledger", ledger, "--out", out]
    where = ["--executor", "serial", "--scratch", tmp_path]
    done = run(*command, *where)
    assert done.code == 0, done.err
    assert not any(count in done.out + done.err for count in ("1200", "1,200", "800", "400"))
    for refused in (["--figures"], ["--measure", "ncp", "--figures"], ["--publish-figures", "ncp"]):
        assert run(*command, "--overwrite", *where, *refused).code == 2
    assert json.loads(run("ledger", "show", ledger, "--json").out)["spent"] == "1"
    assert run("verify", out).code == 0
    assert not list(tmp_path.glob("crypsis-scratch-*"))
    assert "zq-secret" not in done.out + done.err + (out / "report.html").read_text()


def test_a_table_in_parts_is_measured_as_one_in_memory(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    for number in range(3):
        columns = {"age": rng.integers(0, 30, 50), "zip": rng.integers(0, 9, 50).astype(str)}
        columns["ill"] = rng.choice(["flu", "cold"], 50)
        pl.DataFrame({name: values.tolist() for name, values in columns.items()}).write_parquet(
            tmp_path / f"{number}.parquet"
        )
    original, out = tmp_path / "*.parquet", tmp_path / "out"
    where = ["--executor", "serial", "--scratch", tmp_path]
    roles = ["--quasi", "age,zip", "--sensitive", "ill", "--each-row-is-a-person"]
    done = run("anonymize", original, "--method", "mondrian", "-k", "4", *roles, "--out", out, *where)
    assert done.code == 0, done.err
    command = ["measure", out, "--original", original, "--each-row-is-a-person", "--json"]
    local, parts = (json.loads(run(*command, *more).out) for more in ([], where))
    known = {name: value for name, value in parts.items() if value is not None}
    assert {"ncp_loss", "ncp_loss of age", "classes", "discernibility_loss"} <= set(known)
    assert known == {name: local[name] for name in known}
    assert parts["count_query_loss"] is None
    queries = ("age in [3:12]", "age in [0:20] and ill in {flu}", "zip in {1, 2} and ill in {cold}", "")
    (tmp_path / "asked.txt").write_text("\n".join(queries))
    asked = ["--queries", tmp_path / "asked.txt", "--metric", "count_query_loss"]
    local, parts = (run(*command, *asked, *more) for more in ([], where))
    assert parts.code == 0, parts.err
    assert json.loads(parts.out) == json.loads(local.out)
    assert json.loads(parts.out)["count_query_loss"] > 0
    asked = json.loads(run(*command, *where, "--metric", "ncp").out)
    assert set(asked) == {"ncp_loss", "ncp_loss of age", "ncp_loss of zip"}
    assert "not measured on parts" in run(*command, *where, "--metric", "count_query_loss").err
    assert "option-without-effect" in run(*command, "--memory", "1GiB").err
    assert not list(tmp_path.glob("crypsis-scratch-*"))


def test_sets_in_parts_are_anonymized_and_verified(run: Run, tmp_path: Path) -> None:
    for number in range(2):
        (tmp_path / f"{number}.jsonl").write_text('["a","b"]\n["a","c"]\n["a","b","c"]\n["b"]\n' * 5)
    out = tmp_path / "out"
    command = ["anonymize", tmp_path / "*.jsonl", "--method", "disassociation", "-k", "3", "--refine", "none"]
    assert run(*command, "--out", out, "--executor", "serial", "--block-rows", "50").code == 0
    assert run("verify", out).code == 0
    assert not list(tmp_path.glob("crypsis-scratch-*"))


def test_tables_with_sets_in_parts_are_anonymized_and_verified(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    for number in range(2):
        codes = [" ".join(rng.choice(["a", "b", "c"], size, replace=False)) for size in rng.integers(1, 3, 60)]
        pl.DataFrame({"age": rng.integers(0, 30, 60), "codes": codes}).write_csv(tmp_path / f"{number}.csv")
    out = tmp_path / "out"
    command = ["anonymize", tmp_path / "*.csv", "--method", "r-first", "-k", "4", "-m", "2", "--quasi", "age"]
    done = run(*command, "--items", "codes= ", "--out", out, "--executor", "serial", "--block-rows", "50")
    assert done.code == 0, done.err
    assert json.loads((out / "release.json").read_text())["scaling"] == {"block_rows": 50, "mode": "blocks"}
    assert run("verify", out).code == 0
    original = [tmp_path / "*.csv", "--private-report", tmp_path / "out.private.json"]
    assert run("verify", out, "--original", *original).code == 0
    assert run("measure", out, "--original", *original).code == 0
    assert run(*command, "--items", "codes= ", "--out", tmp_path / "again", "--format", "parts").code == 0
    measured = [
        "measure",
        tmp_path / "again",
        "--original",
        tmp_path / "*.csv",
        "--items",
        "codes= ",
        "--quasi",
        "age",
        "--json",
    ]
    local, parts = (run(*measured, *more) for more in ([], ["--executor", "serial"]))
    assert parts.code == 0, parts.err
    known = {name: value for name, value in json.loads(parts.out).items() if value is not None}
    assert {"ncp_loss", "utility_loss", "discernibility_loss"} <= set(known)
    assert known == {name: json.loads(local.out)[name] for name in known}
    attacked = ["attack", *measured[1:]]
    local, parts = (run(*attacked, *more) for more in ([], ["--executor", "serial"]))
    assert parts.code == 0, parts.err
    assert json.loads(parts.out) == json.loads(local.out)
    assert not list(tmp_path.glob("crypsis-scratch-*"))


def test_data_in_parts_are_counted_without_a_record_shown(run: Run, tmp_path: Path) -> None:
    for part in range(2):
        columns = {"age": [20 + part, 30, None], "ill": ["flu", "cold", "zq-secret-417"]}
        pl.DataFrame(columns).write_parquet(tmp_path / f"{part}.parquet")
    command = ["scan", tmp_path / "*.parquet", "--quasi", "age", "--sensitive", "ill", "--scratch", tmp_path]
    facts = json.loads(run(*command, "--json").out)
    assert (facts["files"], facts["records"], facts["distinct_rows"]) == (2, 6, 4)
    assert facts["columns"][0] == {"name": "age", "role": "quasi", "type": "int", "values": 3, "missing": 2}
    assert facts["methods"]["Mondrian"]["on_parts"] == "exact"
    shown = run(*command)
    assert "4 combinations of quasi-identifiers" in shown.out
    assert "zq-secret" not in shown.out + shown.err + json.dumps(facts)
    assert not list(tmp_path.glob("crypsis-scratch-*"))


def test_sets_in_parts_are_counted(run: Run, tmp_path: Path) -> None:
    for part in range(2):
        (tmp_path / f"{part}.jsonl").write_text('["a","b"]\n["a","c","d"]\n[]\n')
    facts = json.loads(run("scan", tmp_path / "*.jsonl", "--kind", "transactions", "--json").out)
    counted = {name: facts[name] for name in ("records", "labels", "values", "longest", "empty")}
    assert counted == {"records": 6, "labels": 4, "values": 10, "longest": 3, "empty": 2}
    assert "option-without-effect" in run("scan", tmp_path / "*.jsonl", "--kind", "transactions", "--quasi", "a").err


def test_mixed_data_in_parts_are_counted(run: Run, tmp_path: Path) -> None:
    for part in range(2):
        columns = {"age": [20 + part, 30, None], "codes": ["a b", "", "a c zq-secret-417"]}
        pl.DataFrame(columns).write_csv(tmp_path / f"{part}.csv")
    command = ["scan", tmp_path / "*.csv", "--kind", "mixed", "--quasi", "age", "--items", "codes= "]
    facts = json.loads(run(*command, "--json").out)
    counted = {name: facts[name] for name in ("records", "distinct_rows", "labels", "values", "longest", "empty")}
    assert counted == {"records": 6, "distinct_rows": 4, "labels": 4, "values": 10, "longest": 3, "empty": 2}
    assert [column["name"] for column in facts["columns"]] == ["age"]
    assert "RumBound" in facts["methods"]
    shown = run(*command)
    assert "zq-secret" not in shown.out + shown.err


@pytest.mark.usefixtures("quick_workers")
@pytest.mark.parametrize("command", ["run", "compare"])
def test_experiments_run_where_they_are_told_to(run: Run, tmp_path: Path, command: str) -> None:
    (people(tmp_path) / "e.toml").write_text(sweep_of_people("[3]"))
    where = ["--executor", "serial", "--memory", "512MiB", "--block-rows", "9", "--scratch", tmp_path]
    done = run(command, tmp_path / "e.toml", "--workers", "1", *where)
    assert (done.code, "1 done" in done.out) == (0, True), done.err
    again = run(command, tmp_path / "e.toml", "--workers", "1")
    assert "1 finished before" in again.err  # a result is the same wherever it was had
    assert "option-without-effect" in run(command, tmp_path / "e.toml", "--block-rows", "9").err
    assert "insecure-scheduler" in run(command, tmp_path / "e.toml", "--executor", "tcp://10.1.1.1:8786").err
    assert not list(tmp_path.glob("crypsis-scratch-*"))


def test_events_in_parts_are_counted_and_anonymized(run: Run, tmp_path: Path) -> None:
    for hour, place in ((7, "home"), (9, "work")):
        rows = "".join(f"{rider},{place},{hour}\n" for rider in range(300))
        (tmp_path / f"{hour}.csv").write_text("id,location,t\n" + rows)
    facts = json.loads(run("scan", tmp_path / "*.csv", "--kind", "events", "--json").out)
    counted = {name: facts[name] for name in ("records", "labels", "values", "longest", "empty")}
    assert counted == {"records": 300, "labels": 2, "values": 600, "longest": 2, "empty": 0}
    assert facts["methods"]["SafePath"]["on_parts"] == "exact"
    assert facts["methods"]["ITSA"]["on_parts"] == "none"
    command = ["anonymize", tmp_path / "*.csv", "--method", "safe-path", "--height", "2", "--epsilon", "4"]
    domains = ["--location-domain", "public-in-data", "--time-domain", "0:24:1"]
    done = run(*command, *domains, "--out", tmp_path / "out", "--executor", "serial", "--scratch", tmp_path)
    assert done.code == 0, done.err
    assert run("verify", tmp_path / "out").code == 0
    assert not list(tmp_path.glob("crypsis-scratch-*"))


def test_tracks_in_parts_are_counted_anonymized_verified_and_measured(run: Run, tmp_path: Path) -> None:
    """Each ride has fixes in both files; the original is read again as it was scanned."""
    rng = np.random.default_rng(2)
    for part in range(2):
        rides = [(ride, 48 + (part * 3 + step) / 100, 11 + ride % 3 / 100) for ride in range(60) for step in range(3)]
        north, east = (rng.normal(0, 1e-4, len(rides)) for _ in range(2))
        columns = {
            "trip_id": [ride for ride, _, _ in rides],
            "lat": [lat + noise for (_, lat, _), noise in zip(rides, north, strict=True)],
            "lng": [lng + noise for (_, _, lng), noise in zip(rides, east, strict=True)],
            "t": [60 * (3 * part + index % 3) for index in range(len(rides))],
        }
        pl.DataFrame(columns).write_csv(tmp_path / f"{part}.csv")
    alone, where = ["--each-row-is-a-person"], ["--executor", "serial", "--scratch", tmp_path]
    command = ["scan", tmp_path / "*.csv", "--kind", "tracks", *alone]
    facts = json.loads(run(*command, "--json").out)
    counted = {name: facts.get(name) for name in ("kind", "records", "values", "longest", "labels")}
    assert counted == {"kind": "tracks", "records": 60, "values": 360, "longest": 6, "labels": None}
    assert facts["methods"]["PPSG"]["on_parts"] == "blocks"
    assert "360 fixes in all; longest track 6" in run(*command).out
    assert "option-without-effect" in run(*command, "--quasi", "lat").err
    out = tmp_path / "out"
    done = run(
        "anonymize", tmp_path / "*.csv", "--method", "ppsg", "-k", "4", *alone, "--out", out, *where,
        "--block-rows", "20", "--format", "parts", "--radius", "300",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert json.loads((out / "release.json").read_text())["scaling"] == {"block_rows": 20, "mode": "blocks"}
    assert run("verify", out, *where).code == 0
    original = ["--original", tmp_path / "*.csv", "--private-report", tmp_path / "out.private.json", *alone]
    assert run("verify", out, *original).code == 0
    assert json.loads(run("measure", out, *original, "--json").out)["displaced_points"] == 360
    assert not list(tmp_path.glob("crypsis-scratch-*"))


def test_parts_in_a_store_are_given_by_their_address_which_is_shown_without_secrets(run: Run, tmp_path: Path) -> None:
    for number in range(2):
        ages = [20 + (7 * row + number) % 30 for row in range(60)]
        pl.DataFrame({"age": ages, "ill": ["flu", "cold"] * 30}).write_parquet(tmp_path / f"{number}.parquet")
    local, address = tmp_path / "*.parquet", f"file://{tmp_path}/*.parquet"
    roles = ["--quasi", "age", "--sensitive", "ill", "--each-row-is-a-person"]
    where = ["--executor", "serial", "--scratch", tmp_path]
    files = []
    for number, place in enumerate((local, address)):
        out = tmp_path / f"out-{number}"
        done = run("anonymize", place, "--method", "mondrian", "-k", "4", *roles, "--out", out, *where)
        assert done.code == 0, done.err
        files.append((out / "table" / "part-00000.parquet").read_bytes())
    assert files[0] == files[1]
    measured = [
        run("measure", tmp_path / "out-1", "--original", place, "--each-row-is-a-person", *where)
        for place in (local, address)
    ]
    assert measured[0].code == 0, measured[0].err
    assert measured[0].out == measured[1].out
    assert "120 records in 2 files" in run("scan", address, *roles[:4], "--scratch", tmp_path).out
    for command in (
        ["anonymize", address, "--method", "mondrian", *roles, "--out", tmp_path / "out-3"],
        ["measure", tmp_path / "out-1", "--original", address],
    ):
        assert "in parts only" in run(*command).err
    secret = "hunter2canary"
    refused = run("scan", f"https://me:{secret}@127.0.0.1:9/a.csv?token={secret}", "--quasi", "age")
    assert "https://127.0.0.1:9/a.csv" in refused.err
    assert secret not in refused.out + refused.err
    assert not list(tmp_path.rglob("fetched-*"))


def test_releases_in_parts_are_attacked_as_those_in_memory(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    walks, sets = tmp_path / "walks", tmp_path / "sets"
    for folder, letters in ((walks, "homework"), (sets, "basket")):
        folder.mkdir()
        for number in range(2):
            rows = [rng.choice(list(dict.fromkeys(letters)), size, replace=False).tolist() for size in [1, 2, 3] * 20]
            (folder / f"{number}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    where = ["--executor", "serial", "--scratch", tmp_path]
    cases = [
        (walks, "kam-cut", ["containment", "location-sequence", "location", "unique-location"], "home-work"),
        (sets, "apriori", ["itemset"], "cover"),
    ]
    for folder, method, attacks, refused in cases:
        original, out = folder / "*.jsonl", folder / "out"
        options = ["-k", "3", *(["-m", "2", "--hierarchy", "auto:3"] if method == "apriori" else [])]
        done = run("anonymize", original, "--method", method, *options, "--out", out, "--format", "parts")
        assert done.code == 0, done.err
        command = ["attack", out, "--original", original, "--json"]
        for name in attacks:
            local, parts = (run(*command, "--attack", name, *more) for more in ([], where))
            assert parts.code == 0, parts.err
            assert json.loads(parts.out) == json.loads(local.out)
        assert json.loads(run(*command, *where).out)["attack"] == attacks[0]
        local, parts = (run("measure", *command[1:], *more) for more in ([], where))
        if method == "apriori":
            assert json.loads(parts.out)["utility_loss"] == json.loads(local.out)["utility_loss"]
            assert "not measured on parts: " in parts.err
        else:
            assert "is not measured on parts" in parts.err
        assert "not measured on parts" in run(*command, *where, "--attack", refused).err
        assert "option-without-effect" in run(*command, "--workers", "2").err
        for other in (command, ["measure", *command[1:]], ["verify", out], ["data", "risk", out], ["scan", original]):
            assert "nothing is anonymized here" in run(*other, *where, "--block-rows", "50").err
        assert "option-without-effect" in run(*command, *where, "--private-report", tmp_path / "own.json").err
    assert "holds its records in one file" in run("attack", _in_one_file(run, walks), *command[2:], *where).err
    assert not list(tmp_path.glob("crypsis-scratch-*"))


def _in_one_file(run: Run, walks: Path) -> Path:
    out = walks / "whole"
    assert run("anonymize", walks / "*.jsonl", "--method", "kam-cut", "-k", "3", "--out", out).code == 0
    return out


def test_risks_of_tables_in_parts_are_those_in_memory(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    for number in range(3):
        columns = {"age": rng.integers(0, 30, 50), "zip": rng.integers(0, 9, 50).astype(str)}
        pl.DataFrame({name: values.tolist() for name, values in columns.items()}).write_parquet(
            tmp_path / f"{number}.parquet"
        )
    original, out = tmp_path / "*.parquet", tmp_path / "out"
    where = ["--executor", "serial", "--scratch", tmp_path]
    roles = ["--quasi", "age,zip", "--each-row-is-a-person"]
    done = run("anonymize", original, "--method", "mondrian", "-k", "4", *roles, "--out", out, *where)
    assert done.code == 0, done.err
    command = ["attack", out, "--original", original, "--each-row-is-a-person", "--json"]
    local, parts = (run(*command, *more) for more in ([], where))
    assert parts.code == 0, parts.err
    assert json.loads(parts.out) == json.loads(local.out)
    command = ["data", "risk", out, "--share", "0.2", "--sets", "2", "--json"]
    local, parts = (run(*command, *more) for more in ([], where))
    assert parts.code == 0, parts.err
    assert json.loads(parts.out) == json.loads(local.out)
    assert "option-without-effect" in run("data", "risk", tmp_path / "0.parquet", "--quasi", "age", *where).err
